/* Kernels of a Gauss step, vectorised by two or four entries, with a constant number of stages for
 * the numbers that dae__gauss_stages selects:
 *
 * - states as linear combinations of the slopes of the stages (gauss.c);
 * - initial slopes by extrapolation of the polynomial through the slopes k_0 ... k_n of the last
 *   step at its nodes x_0 ... x_n, in Newton's form,
 *
 *   p(x) = d_n + (x - x_n) (d_(n-1) + (x - x_(n-1)) (... + (x - x_1) d_0)),
 *
 *   d_j the divided difference of k_j ... k_n;
 * - correction of these slopes by those evaluated so far: with a further node x_i the polynomial
 *   changes by (k_i - p(x_i)) psi(x) / psi(x_i), psi(x) = (x - x_0) ... (x - x_n). */
#include "core/assert.h"
#include "core/vec.h"
#include "onestep/gauss/gauss.h"

/* Ratio of the step size to the last one above which slopes are not extrapolated. Chosen, not
 * measured. */
#define LONGEST_EXTRAPOLATION 10

#define KERNEL static inline __attribute__((always_inline))

/* ---- states by slopes ---- */

void dae__gauss_point_create(const dae__gauss *o, int first, int n, int last, double x,
                             const double *single, const double *twice, dae__gauss_point *out)
{
  DAE__ASSERT(n > 0 && n <= DAE__GAUSS_NODES && last < n);
  out->count = n;
  out->x = x;
  for (int i = 0, j = last; i < n; i++) {
    j = j + 1 < n ? j + 1 : 0;
    out->at[i] = (size_t)(first + j) * o->stride;
    out->weight[i][0] = (dae__pair){twice[j], twice[j]};
    out->weight[i][1] = (dae__pair){single[j], single[j]};
  }
}

/* Shape of x: (q, v) of as many entries as a kernel computes at once; (q, v) of two or three
 * entries by a kernel for four; (q, v); (q, v, u). */
enum { ONCE, TWO, THREE, PLAIN, EXTRA, SHAPES };

/* Partial sum j % 2 with a further term, which is the first one of it for j < 2. */
#define SUM(j, sum, term) ((j) < 2 ? (term) : (sum)[(j) % 2] + (term))

/* Kernels for `width` entries at once, by shape and number of slopes, and by number of stages. */
typedef struct dae__gauss_kernels {
  int width;
  dae__gauss_kernel *state[SHAPES][8], *any_state;
  dae__gauss_extrapolation *extrapolate[7], *any_extrapolate;
} dae__gauss_kernels;

typedef double one __attribute__((vector_size(8), may_alias));
#define LANES one
#define MEMORY one
#define WIDTH 1
#define WEIGHT(pair) (pair)[0]
#define NAMED(kernel) kernel##_single
#define TARGET
#include "onestep/gauss/gauss_lanes.h"

#define LANES dae__pair
#define MEMORY dae__pair_anywhere
#define WIDTH 2
#define WEIGHT(pair) (pair)
#define NAMED(kernel) kernel##_pairs
#define TARGET
#include "onestep/gauss/gauss_lanes.h"

#ifdef __x86_64__
/* without fused multiply-add, which rounds differently */
typedef double four __attribute__((vector_size(32), may_alias));
typedef double four_anywhere __attribute__((vector_size(32), aligned(8), may_alias));
#define LANES four
#define MEMORY four_anywhere
#define WIDTH 4
#define WEIGHT(pair) (pair)[0]
#define NAMED(kernel) kernel##_fours
#define TARGET __attribute__((target("avx2,no-fma")))
#include "onestep/gauss/gauss_lanes.h"
#endif

/* Shape of x = (q, v) of two or three entries each, SHAPES for others. */
static int gauss_small_shape(const dae__gauss *o)
{
  bool plain = o->adapter->nx == 2 * o->n2;
  return plain && o->n2 == 2 ? TWO : plain && o->n2 == 3 ? THREE : SHAPES;
}

/* Kernels of the most entries at once that the processor and the shape of x have. */
static const dae__gauss_kernels *gauss_select_lanes(const dae__gauss *o, int most)
{
  int size = o->n2 > 0 ? o->n2 : o->adapter->nx, entries = size < most ? size : most;
#ifdef __x86_64__
  int small = gauss_small_shape(o);
  bool fits = entries >= 4;
  if (small != SHAPES && most >= 4 && o->s < 7)
    fits = gauss_kernels_fours.state[small][o->s] && gauss_kernels_fours.state[small][o->s + 1];
  if (fits && __builtin_cpu_supports("avx2"))
    return &gauss_kernels_fours;
#endif
  return entries >= 2 ? &gauss_kernels_pairs : &gauss_kernels_single;
}

void dae__gauss_select_kernels(dae__gauss *o, int most)
{
  const dae__gauss_kernels *k = gauss_select_lanes(o, most);
  int s = o->s, small = k->width == 4 ? gauss_small_shape(o) : SHAPES;
  int shape = small != SHAPES              ? small
              : o->adapter->nx > 2 * o->n2 ? EXTRA
              : o->n2 == k->width          ? ONCE
                                           : PLAIN;
  dae__gauss_kernel *const *state = k->state[shape];
  o->state = s < 8 && state[s] ? state[s] : k->any_state;
  o->state_start = s + 1 < 8 && state[s + 1] ? state[s + 1] : k->any_state;
  o->extrapolate = s < 7 && k->extrapolate[s] ? k->extrapolate[s] : k->any_extrapolate;
}

/* ---- extrapolation of slopes ---- */

bool dae__gauss_predict(dae__gauss *o, const dae_step *step, double *K, double *psi)
{
  const dae__gauss_memory *m = o->memory;
  int nx = o->adapter->nx;
  dae__copy(nx, step->from.dz, K);
  dae__copy(o->n2, step->from.z + o->n2, K);
  bool follows = m->h > 0 && step->h <= LONGEST_EXTRAPOLATION * m->h;
  if (follows)
    o->extrapolate(o, step->h / m->h, K, psi);
  else
    for (int i = 1; i <= o->s; i++)
      dae__copy(nx, step->from.dz, dae__gauss_slope(o, K, i));
  return follows;
}

void dae__gauss_correct(const dae__gauss *o, int i, double *psi, double *K)
{
  const double *c = o->rule.c, *evaluated = o->evaluated;
  size_t e = (size_t)o->n2, nx = (size_t)o->adapter->nx, stride = o->stride;
  double ratio[DAE__COLLOCATION_STAGES_MAX], inverse = 1 / psi[i],
                                             *k = dae__gauss_slope(o, K, i + 1);
  int later = o->s - 1 - i;
  for (int j = 0; j < later; j++) {
    ratio[j] = psi[i + 1 + j] * inverse;
    psi[i + 1 + j] *= c[i + 1 + j] - c[i];
  }
  for (; e + 2 <= nx; e += 2) {
    dae__pair new = dae__pair_from_anywhere(evaluated + e),
              d = new - dae__pair_from_anywhere(k + e);
    double *to = k + e;
    dae__pair_to(to, new);
    for (int j = 0; j < later; j++) {
      to += stride;
      dae__pair_to(to, dae__pair_from_anywhere(to) + ratio[j] * d);
    }
  }
  if (e < nx) {
    double d = evaluated[e] - k[e], *to = k + e;
    *to = evaluated[e];
    for (int j = 0; j < later; j++)
      *(to += stride) += ratio[j] * d;
  }
}
