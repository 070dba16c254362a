/* What the tests of semi-explicit problems share: consistent starts, their defects, the pendulum as
 * a problem of index 3. */
#ifndef DAEDAL_TESTS_SEMI_FIXTURE_H
#define DAEDAL_TESTS_SEMI_FIXTURE_H

#include "core/vec.h"
#include "problem/semi_explicit/semi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MAX 128

typedef struct found {
  dae_status status;
  double y[MAX], dy[MAX];
  dae_diagnosis find;
  dae_error err;
} found;

static inline found consistent(const dae_problem *problem, double t, const double *y,
                               const bool *fixed)
{
  found r = {.err = dae_error_none()};
  dae__arena *arena = dae__arena_create(NULL);
  dae__semi *s;
  memcpy(r.y, y, (size_t)dae_problem_size(problem) * sizeof *y);
  r.status = dae__semi_create(arena, problem, &s, &r.err);
  if (!r.status)
    r.status = dae__semi_consistent(s, t, fixed, r.y, r.dy, &r.find, &r.err);
  dae__arena_free(arena);
  return r;
}

/* largest |M x' - f| and |F|, evaluated by the callbacks alone; M dense */
static inline double defect(const dae_problem *problem, double t, const double *y, const double *dy)
{
  const dae_semi_explicit *p = problem->semi_explicit;
  double M[64 * 64], f[MAX], F[MAX], max = 0;
  dae_semi_explicit_at at = {t, y, y + p->nx, NULL};
  assert_int_equal(p->f(p->user, &at, f), 0);
  if (p->M)
    assert_int_equal(p->M(p->user, &at, M), 0);
  for (int i = 0; i < p->nx; i++) {
    double r = -f[i];
    for (int j = 0; j < p->nx; j++)
      r += (p->M ? M[i + j * p->nx] : i == j) * dy[j];
    max = fmax(max, fabs(r));
  }
  if (p->ny > 0)
    assert_int_equal(p->F(p->user, &at, F), 0);
  return fmax(max, dae__max_abs(p->ny, F));
}

#define assert_near(a, b, tol)                                                                     \
  do {                                                                                             \
    double a_ = (a), b_ = (b), tol_ = (tol);                                                       \
    if (!(fabs(a_ - b_) <= tol_))                                                                  \
      fail_msg("%s = %.17g differs from %.17g by %.3g", #a, a_, b_, fabs(a_ - b_));                \
  } while (0)

#define assert_mentions(text, word)                                                                \
  do {                                                                                             \
    if (!strstr((text), (word)))                                                                   \
      fail_msg("\"%s\" does not mention \"%s\"", (text), (word));                                  \
  } while (0)

static inline int pendulum_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x;
  (void)user;
  f[0] = x[2];
  f[1] = x[3];
  f[2] = -x[0] * at->y[0];
  f[3] = -x[1] * at->y[0] - 9.81;
  return 0;
}

static inline int pendulum_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->x[0] * at->x[0] + at->x[1] * at->x[1] - 1;
  return 0;
}

static const char *const pendulum_y[] = {"tension"};
static const dae_semi_explicit pendulum = {
    .nx = 4, .ny = 1, .f = pendulum_f, .F = pendulum_F, .y_names = pendulum_y};

#endif
