/* Real numbers for fronts_kernel.h. */
#include "linalg/fronts/fronts.h"
#include "linalg/pair.h"
#include "linalg/saddle/schur_small.h"

#define FRONTS_PARTS 1
typedef double number;
#define front_minus(a, l, u) ((a) - (l) * (u))
#define front_plus(a, b) ((a) + (b))
#define front_times(a, b) ((a) * (b))
#define front_reciprocal(a) (1 / (a))
#define front_size(a) fabs(a)
#define front_zero(a) ((a) == 0)
#define front_load(x, y, i) ((void)(y), (x)[i])
#define front_store(a, x, y, i) ((void)(y), (x)[i] = (a))

static inline void front_update(int s, int from, const double *l, double u, double *restrict a)
{
  int i = from;
  for (; i + 2 <= s; i += 2)
    dae__pair_to(a + i, dae__pair_from_anywhere(a + i) - dae__pair_from_anywhere(l + i) * u);
  if (i < s)
    a[i] -= l[i] * u;
}

#include "linalg/fronts/fronts_kernel.h"
