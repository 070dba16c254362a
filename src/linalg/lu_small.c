/* Small real systems by the inverse: lu_small.h.
 *
 * A factorisation serves several right sides, one after the other, and each back substitution is a
 * chain in which every product waits for the one before: 160 cycles for 6 unknowns, where a product
 * with the inverse takes 30, and an inverse n^3 products instead of n^3/3. The error of x has the
 * same bound as with LU; residuals of matrices close to singular ones are larger. The inverse is
 * state of the arena, so that a load needs no factorisation. */
#include "linalg/pair.h"
#include <math.h>
#include <stdbool.h>

#define LU_PARTS 1
#define LU_INVERSE 1
#define LU_TINY_SCALE 1.
/* threshold pivoting, usual for sparse matrices: most iteration matrices then need no row
 * exchange */
#define LU_DIAGONAL_THRESHOLD 0.1

typedef double number;
typedef dae__pair two;
#define small_two(rows, column, i) dae__pair_of((column) + 2 * (i))
#define small_store(rows, column, i, a) (*dae__pair_at((column) + 2 * (i)) = (a))
#define small_solve_pairs lu_small_solve_pairs
#define small_at(rows, column, k) ((column)[k])
#define small_put(rows, column, k, s) ((column)[k] = (s))
#define small_times(a, s) ((a) * (s))
#define small_less(c, a, s) ((c) - (a) * (s))
#define small_minus(a) (-(a))
#define small_negative(s) (-(s))
#define small_both(s) ((dae__pair){(s), (s)})
#define small_select(mask, a, b)                                                                   \
  ((dae__pair)(((mask) & (dae__pair_mask)(a)) | (~(mask) & (dae__pair_mask)(b))))
#define small_reciprocal(s) (1 / (s))
#define small_size(s) fabs(s)
#define small_nonzero(s) ((s) != 0)
#define small_usable(r) (isfinite(r) && (r) != 0)

#include "linalg/lu_small.h"

/* b = A^-1 b, in two independent sums that run in parallel */
static inline void lu_small_solve_pairs(const int pairs, const small *d, double *b, double *y)
{
  dae__pair even[PAIRS_MAX], odd[PAIRS_MAX];
  const double *a = d->inverse;
  const int last = pairs - 1, n = d->n;
  (void)y;
  for (int i = 0; i < pairs; i++)
    even[i] = odd[i] = (dae__pair){0, 0};
  for (int k = 0; k < last; k++, a += 4 * pairs)
    for (int i = 0; i < pairs; i++) {
      even[i] += dae__pair_of(a + 2 * i) * b[2 * k];
      odd[i] += dae__pair_of(a + 2 * (pairs + i)) * b[2 * k + 1];
    }
  double u = b[2 * last], v = n % 2 ? 0 : b[2 * last + 1];
  for (int i = 0; i < pairs; i++)
    even[i] += dae__pair_of(a + 2 * i) * u + (odd[i] + dae__pair_of(a + 2 * (pairs + i)) * v);
  for (int i = 0; i < last; i++)
    dae__pair_to(b + 2 * i, even[i]);
  b[2 * last] = even[last][0];
  if (n % 2 == 0)
    b[2 * last + 1] = even[last][1];
}

static dae_status lu_small_factor(void *state, const double *values, int *column)
{
  const small *d = state;
  small_scatter(d, values);
  *column = d->factor(d) - 1;
  return *column < 0 ? DAE_OK : DAE_ERROR_SINGULAR;
}

const dae__backend dae__backend_lu_small = {.kind = "dense",
                                            .create = small_create,
                                            .factor = lu_small_factor,
                                            .solve = small_solve,
                                            .rcond = small_rcond,
                                            .set_pattern = small_set_pattern};
