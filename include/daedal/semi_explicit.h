/* The semi-explicit form and its quasi-linear generalisation:
 *
 *   M(t,x) x' = f(t,x,y,in)        M = I where no M is given; M may be singular
 *   0         = F(t,x,y,in)
 *
 * Only sizes and f (and F where ny > 0) are required; derivatives that are left NULL are formed
 * by coloured differences. Callbacks return as in the mechanical form. */
#ifndef DAEDAL_SEMI_EXPLICIT_H
#define DAEDAL_SEMI_EXPLICIT_H

#include <daedal/pattern.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dae_semi_explicit_at {
  double t;
  const double *x, *y, *in;
} dae_semi_explicit_at;

typedef int dae_semi_explicit_fn(void *user, const dae_semi_explicit_at *at, double *out);
typedef int dae_semi_explicit_fn_s(void *user, const dae_semi_explicit_at *at, const double *s,
                                   double *out);

typedef struct dae_semi_explicit {
  const char *name;
  int nx, ny, nin;
  int index; /* declared differential index 1 to 3, or 0: let the diagnosis find it */
  void *user;

  const char *const *x_names, *const *y_names, *const *in_names;
  const char *const *f_names, *const *F_names; /* equations, for messages; NULL: the variable's */

  dae_semi_explicit_fn *f; /* nx */
  dae_semi_explicit_fn *F; /* ny */
  dae_semi_explicit_fn *M; /* nx x nx, pattern M_pattern; NULL: identity */

  dae_semi_explicit_fn *J;    /* d(f,F)/d(x,y), pattern J_pattern */
  dae_semi_explicit_fn *J_in; /* d(f,F)/d(in), pattern J_in_pattern */
  dae_semi_explicit_fn *F_t;  /* ny: partial derivative of F with respect to t, inputs held */
  dae_semi_explicit_fn_s
      *Ms_x; /* d(M s)/dx, nx x nx, pattern Ms_pattern; unused if constant_mass */

  const dae_pattern *M_pattern, *J_pattern, *J_in_pattern, *Ms_pattern; /* NULL: dense */
  bool constant_mass; /* M does not depend on t and x */
} dae_semi_explicit;

#ifdef __cplusplus
}
#endif
#endif
