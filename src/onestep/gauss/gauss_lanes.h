/* Kernels of gauss_kernel.c for several entries at once, included for each number of them:
 *
 *   LANES          vector type
 *   MEMORY         the same with the alignment of a double
 *   WIDTH          number of its entries
 *   WEIGHT(pair)   a weight, which stands in both entries of a pair
 *   NAMED(kernel)  name of a kernel with this type
 *   TARGET         attribute of the processor
 *
 * Every entry is computed by the same operations, so that results do not depend on LANES. Where
 * WIDTH does not divide the size of a vector, its last entries are computed twice. */

#define gauss_state_lanes NAMED(gauss_state_lanes)
#define gauss_state_once NAMED(gauss_state_once)
#define gauss_state_two NAMED(gauss_state_two)
#define gauss_state_three NAMED(gauss_state_three)
#define gauss_state NAMED(gauss_state)
#define gauss_state_extra NAMED(gauss_state_extra)
#define gauss_extrapolate_lanes NAMED(gauss_extrapolate_lanes)
#define gauss_extrapolate NAMED(gauss_extrapolate)

/* State at point p, WIDTH entries of q and of v from i on. The sum waits for the slope evaluated
 * last, so all other terms are added before it, in two partial sums each. */
KERNEL void gauss_state_lanes(const dae__gauss *o, int n, double h, const double *x0,
                              const double *K, const dae__gauss_point *p, size_t i,
                              double *restrict z)
{
  size_t n2 = (size_t)o->n2;
  const double *k = K + n2 + i;
  LANES q[2] = {{0}, {0}}, v[2] = {{0}, {0}};
#pragma GCC unroll 7
  for (int j = 0; j < n - 1; j++) {
    LANES slope = *(const MEMORY *)(k + p->at[j]);
    q[j % 2] = SUM(j, q, WEIGHT(p->weight[j][0]) * slope);
    v[j % 2] = SUM(j, v, WEIGHT(p->weight[j][1]) * slope);
  }
  LANES start = *(const MEMORY *)(x0 + i) + h * p->x * *(const MEMORY *)(K + i);
  LANES position = start + h * h * (q[0] + q[1]);
  LANES velocity = *(const MEMORY *)(x0 + n2 + i) + h * (v[0] + v[1]);
  LANES last = *(const MEMORY *)(k + p->at[n - 1]);
  *(MEMORY *)(z + i) = position + h * h * WEIGHT(p->weight[n - 1][0]) * last;
  *(MEMORY *)(z + n2 + i) = velocity + h * WEIGHT(p->weight[n - 1][1]) * last;
}

/* State at point p of a problem with x = (q, v), of WIDTH entries each. */
KERNEL void gauss_state_once(const dae__gauss *o, int n, double h, const double *x0,
                             const double *K, const dae__gauss_point *p, double *restrict z)
{
  DAE__ASSERT(o->n2 == WIDTH);
  gauss_state_lanes(o, n, h, x0, K, p, 0, z);
}

#if WIDTH == 4
/* State at point p of a problem with x = (q, v), of two entries each: one vector (q, v). */
KERNEL void gauss_state_two(const dae__gauss *o, int n, double h, const double *x0, const double *K,
                            const dae__gauss_point *p, double *restrict z)
{
  const double *k = K + 2;
  const LANES factor = {h * h, h * h, h, h};
  LANES sum[2] = {{0}, {0}}, slope;
  DAE__ASSERT(o->n2 == 2);
#pragma GCC unroll 7
  for (int j = 0; j < n; j++) {
    dae__pair half = dae__pair_from_anywhere(k + p->at[j]);
    slope = (LANES){half[0], half[1], half[0], half[1]};
    if (j < n - 1)
      sum[j % 2] = SUM(j, sum, *(const LANES *)p->weight[j] * slope);
  }
  dae__pair moved = h * p->x * dae__pair_from_anywhere(K);
  LANES start = *(const MEMORY *)x0 + (LANES){moved[0], moved[1], -0.0, -0.0}; /* x - 0.0 is x */
  LANES before = start + factor * (sum[0] + sum[1]);
  *(MEMORY *)z = before + factor * *(const LANES *)p->weight[n - 1] * slope;
}

/* State at point p of a problem with x = (q, v), of three entries each. A fourth lane has entries
 * of no meaning, up to the stride of K; of q it is overwritten by v. */
KERNEL void gauss_state_three(const dae__gauss *o, int n, double h, const double *x0,
                              const double *K, const dae__gauss_point *p, double *restrict z)
{
  const double *k = K + 3, *v0 = x0 + 3;
  LANES q[2] = {{0}, {0}}, v[2] = {{0}, {0}}, slope;
  DAE__ASSERT(o->n2 == 3);
#pragma GCC unroll 7
  for (int j = 0; j < n; j++) {
    slope = *(const MEMORY *)(k + p->at[j]);
    if (j < n - 1) {
      q[j % 2] = SUM(j, q, WEIGHT(p->weight[j][0]) * slope);
      v[j % 2] = SUM(j, v, WEIGHT(p->weight[j][1]) * slope);
    }
  }
  LANES start = *(const MEMORY *)x0 + h * p->x * *(const MEMORY *)K;
  LANES position = start + h * h * (q[0] + q[1]);
  LANES velocity = (LANES){v0[0], v0[1], v0[2], 0} + h * (v[0] + v[1]);
  *(MEMORY *)z = position + h * h * WEIGHT(p->weight[n - 1][0]) * slope;
  velocity += h * WEIGHT(p->weight[n - 1][1]) * slope;
  dae__pair_to(z + 3, (dae__pair){velocity[0], velocity[1]});
  z[5] = velocity[2];
}
#endif

/* State at point p of a problem with x = (q, v), of at least WIDTH entries each. */
KERNEL void gauss_state(const dae__gauss *o, int n, double h, const double *x0, const double *K,
                        const dae__gauss_point *p, double *restrict z)
{
  size_t n2 = (size_t)o->n2;
  for (size_t i = 0; i < n2; i += WIDTH)
    gauss_state_lanes(o, n, h, x0, K, p, i + WIDTH <= n2 ? i : n2 - WIDTH, z);
}

/* State at point p of a problem with x = (q, v, u), q and v empty or of at least WIDTH entries. */
KERNEL void gauss_state_extra(const dae__gauss *o, int n, double h, const double *x0,
                              const double *K, const dae__gauss_point *p, double *restrict z)
{
  size_t nx = (size_t)o->adapter->nx, i = 2 * (size_t)o->n2;
  gauss_state(o, n, h, x0, K, p, z);
  for (; i + WIDTH <= nx; i += WIDTH) {
    LANES sum = {0};
#pragma GCC unroll 7
    for (int j = 0; j < n; j++)
      sum += WEIGHT(p->weight[j][1]) * *(const MEMORY *)(K + i + p->at[j]);
    *(MEMORY *)(z + i) = *(const MEMORY *)(x0 + i) + h * sum;
  }
  for (; i < nx; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += p->weight[j][1][0] * K[i + p->at[j]];
    z[i] = x0[i] + h * sum;
  }
}

/* Extrapolates WIDTH entries from i on of K_1 ... K_s; n = s + 1, q = ratio of the step size to the
 * last one. psi: the products of the distances from the nodes. */
KERNEL void gauss_extrapolate_lanes(const dae__gauss *o, int n, double q, size_t i, double *K,
                                    double *psi)
{
  const double *last = o->K[o->memory->last] + i;
  double *to = K + i;
  LANES d[DAE__GAUSS_NODES];
#pragma GCC unroll 8
  for (int j = 0; j <= n; j++, last += o->stride)
    d[j] = *(const MEMORY *)last;
    /* divided differences d_j, in place */
#pragma GCC unroll 8
  for (int level = 0; level < n; level++)
#pragma GCC unroll 8
    for (int j = 0; j < n - level; j++)
      d[j] = (d[j + 1] - d[j]) * o->rule.inverse_distance[j + 1 + level][j];
  for (int k = 0; k < n - 1; k++) {
    double x = 1 + q * o->rule.c[k], product = x - o->rule.node[0];
    LANES p = d[0];
#pragma GCC unroll 8
    for (int j = 1; j <= n; j++) {
      double distance = x - o->rule.node[j];
      p = p * distance + d[j];
      product *= distance;
    }
    to += o->stride;
    *(MEMORY *)to = p;
    psi[k] = product;
  }
}

/* Extrapolates the slopes of v and u, which are at least WIDTH entries. */
KERNEL void gauss_extrapolate(const dae__gauss *o, int n, double q, double *K, double *psi)
{
  size_t nx = (size_t)o->adapter->nx;
  for (size_t i = (size_t)o->n2; i < nx; i += WIDTH)
    gauss_extrapolate_lanes(o, n, q, i + WIDTH <= nx ? i : nx - WIDTH, K, psi);
}

/* Kernels for the numbers of slopes in frequent use, which are constants for the compiler. */
#define STATE_KERNEL(name, kernel, n)                                                              \
  TARGET static void NAMED(name)(const dae__gauss *o, double h, const double *x0, const double *K, \
                                 const dae__gauss_point *p, double *z)                             \
  {                                                                                                \
    kernel(o, n, h, x0, K, p, z);                                                                  \
  }
STATE_KERNEL(gauss_state_once_of_5, gauss_state_once, 5)
STATE_KERNEL(gauss_state_once_of_6, gauss_state_once, 6)
STATE_KERNEL(gauss_state_once_of_7, gauss_state_once, 7)
#if WIDTH == 4
STATE_KERNEL(gauss_state_two_of_5, gauss_state_two, 5)
STATE_KERNEL(gauss_state_two_of_6, gauss_state_two, 6)
STATE_KERNEL(gauss_state_two_of_7, gauss_state_two, 7)
STATE_KERNEL(gauss_state_three_of_5, gauss_state_three, 5)
STATE_KERNEL(gauss_state_three_of_6, gauss_state_three, 6)
STATE_KERNEL(gauss_state_three_of_7, gauss_state_three, 7)
#endif
STATE_KERNEL(gauss_state_of_5, gauss_state, 5)
STATE_KERNEL(gauss_state_of_6, gauss_state, 6)
STATE_KERNEL(gauss_state_of_7, gauss_state, 7)
STATE_KERNEL(gauss_state_extra_of_5, gauss_state_extra, 5)
STATE_KERNEL(gauss_state_extra_of_6, gauss_state_extra, 6)
STATE_KERNEL(gauss_state_extra_of_7, gauss_state_extra, 7)
STATE_KERNEL(gauss_state_of_any, gauss_state_extra, p->count)
#undef STATE_KERNEL

#define EXTRAPOLATE(name, n)                                                                       \
  TARGET static void NAMED(name)(const dae__gauss *o, double q, double *K, double *psi)            \
  {                                                                                                \
    gauss_extrapolate(o, n, q, K, psi);                                                            \
  }
EXTRAPOLATE(gauss_extrapolate_5, 6)
EXTRAPOLATE(gauss_extrapolate_6, 7)
EXTRAPOLATE(gauss_extrapolate_any, o->s + 1)
#undef EXTRAPOLATE

static const dae__gauss_kernels
    NAMED(
        gauss_kernels) = {.width = WIDTH,
                          .state =
                              {
#if WIDTH == 4
                                  [TWO] = {[5] = NAMED(gauss_state_two_of_5),
                                           [6] = NAMED(gauss_state_two_of_6),
                                           [7] = NAMED(gauss_state_two_of_7)},
                                  [THREE] = {[5] = NAMED(gauss_state_three_of_5),
                                             [6] = NAMED(gauss_state_three_of_6),
                                             [7] = NAMED(gauss_state_three_of_7)},
#endif
                                  [ONCE] = {[5] = NAMED(gauss_state_once_of_5),
                                            [6] = NAMED(gauss_state_once_of_6),
                                            [7] = NAMED(gauss_state_once_of_7)},
                                  [PLAIN] = {[5] = NAMED(gauss_state_of_5),
                                             [6] = NAMED(gauss_state_of_6),
                                             [7] = NAMED(gauss_state_of_7)},
                                  [EXTRA] = {[5] = NAMED(gauss_state_extra_of_5),
                                             [6] = NAMED(gauss_state_extra_of_6),
                                             [7] = NAMED(gauss_state_extra_of_7)}},
                          .any_state = NAMED(gauss_state_of_any),
                          .extrapolate =
                              {[5] = NAMED(gauss_extrapolate_5), [6] = NAMED(gauss_extrapolate_6)},
                          .any_extrapolate = NAMED(gauss_extrapolate_any)};

#undef gauss_state_lanes
#undef gauss_state_once
#undef gauss_state_two
#undef gauss_state_three
#undef gauss_state
#undef gauss_state_extra
#undef gauss_extrapolate_lanes
#undef gauss_extrapolate
#undef LANES
#undef MEMORY
#undef WIDTH
#undef WEIGHT
#undef NAMED
#undef TARGET
