/* Semi-explicit problems whose only row of F contains y or does not, as their user data say; one of
 * them sparse. */
#ifndef DAEDAL_TESTS_LIE_TRACKS_H
#define DAEDAL_TESTS_LIE_TRACKS_H

#include "problems/problems.h"

#include <math.h>
#include <stddef.h>

/* ---- a circle, or a spiral ---- */

/* x' = (-x2, x1) + (y + 0.3) x: on a circle while F = |x|^2 - R^2, where y = -0.3; on a spiral that
 * opens as exp(0.3 t) while F = y */
typedef struct lie_track {
  bool circle;
  double R;
} lie_track;

static inline int lie_track_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x, y = at->y[0];
  (void)user;
  f[0] = -x[1] + (y + 0.3) * x[0];
  f[1] = x[0] + (y + 0.3) * x[1];
  return 0;
}

static inline int lie_track_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  const lie_track *o = user;
  const double *x = at->x;
  F[0] = o->circle ? x[0] * x[0] + x[1] * x[1] - o->R * o->R : at->y[0];
  return 0;
}

static inline dae_semi_explicit lie_track_of(lie_track *user)
{
  return (dae_semi_explicit){
      .name = "track", .nx = 2, .ny = 1, .f = lie_track_f, .F = lie_track_F, .user = user};
}

/* ---- a heated rod ---- */

enum { LIE_ROD = 60 };

/* y heats its end: y is given, or the temperature there */
typedef struct lie_rod {
  bool end_given;
  int start[LIE_ROD + 2], row[3 * LIE_ROD + 3];
  dae_pattern pattern;
} lie_rod;

static inline int lie_rod_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  for (int i = 0; i < LIE_ROD; i++)
    f[i] = (i > 0 ? at->x[i - 1] : 0) - 2 * at->x[i] + (i < LIE_ROD - 1 ? at->x[i + 1] : at->y[0]);
  return 0;
}

static inline int lie_rod_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  const lie_rod *o = user;
  F[0] = o->end_given ? at->x[LIE_ROD - 1] - sin(at->t) : at->y[0] - cos(at->t);
  return 0;
}

static inline dae_semi_explicit lie_rod_of(lie_rod *user)
{
  int count = 0;
  for (int j = 0; j <= LIE_ROD; j++) {
    for (int i = j - 1; i <= j + 1 && i <= LIE_ROD; i++)
      if (i >= 0)
        user->row[count++] = i;
    user->start[j + 1] = count;
  }
  user->pattern = (dae_pattern){LIE_ROD + 1, LIE_ROD + 1, user->start, user->row};
  return (dae_semi_explicit){.name = "rod",
                             .nx = LIE_ROD,
                             .ny = 1,
                             .f = lie_rod_f,
                             .F = lie_rod_F,
                             .J_pattern = &user->pattern,
                             .user = user};
}

#endif
