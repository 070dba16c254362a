/* Multifrontal factorisation and solution, included once for real and once for complex numbers with
 *
 *   number, FRONTS_PARTS             a number, and its count of doubles
 *   front_minus(a, l, u)             a - l u
 *   front_plus, front_times, front_reciprocal, front_size (modulus), front_zero (whether a = 0)
 *   front_update(s, from, l, u, a)   a_i -= l_i u for from <= i < s
 *   front_load(x, y, i)              entry i of a vector of real and of imaginary parts
 *   front_store(a, x, y, i)
 *   FRONTS_SYMMETRIC                 whether only the lower triangle is used
 *
 * The matrix of a front is stored by columns; of a symmetric one the lower triangle. */
#include <float.h>
#include <math.h>

#define FRONTS_KERNEL static inline __attribute__((always_inline))
#define FRONTS_UNROLL _Pragma("GCC unroll 7")
/* Copies of a kernel for w pivots and r other unknowns, which are constants there: chains and trees
 * of points and of bodies in the plane have such fronts. */
#define FRONTS_WIDTHS 4
#define FRONTS_OF_WIDTH(w, r, once)                                                                \
  switch (r) {                                                                                     \
  case 0:                                                                                          \
    once(w, 0);                                                                                    \
    break;                                                                                         \
  case 1:                                                                                          \
    once(w, 1);                                                                                    \
    break;                                                                                         \
  case 2:                                                                                          \
    once(w, 2);                                                                                    \
    break;                                                                                         \
  case 3:                                                                                          \
    once(w, 3);                                                                                    \
    break;                                                                                         \
  default:                                                                                         \
    once(w, r);                                                                                    \
  }
#define FRONTS_BY_SIZE(w, r, once)                                                                 \
  switch (w) {                                                                                     \
  case 1:                                                                                          \
    FRONTS_OF_WIDTH(1, r, once)                                                                    \
    break;                                                                                         \
  case 2:                                                                                          \
    FRONTS_OF_WIDTH(2, r, once)                                                                    \
    break;                                                                                         \
  case 3:                                                                                          \
    FRONTS_OF_WIDTH(3, r, once)                                                                    \
    break;                                                                                         \
  case 4:                                                                                          \
    FRONTS_OF_WIDTH(4, r, once)                                                                    \
    break;                                                                                         \
  default:                                                                                         \
    once(w, r);                                                                                    \
  }

/* ---- factorisation ---- */

/* Clears the terms of all pivots but the diagonal of the matrix. */
static void fronts_begin(const dae__fronts *o, const number *A)
{
  const dae__fronts_plan *plan = o->plan;
  for (int v = 0; v < plan->n; v++)
    o->terms[v] = plan->diagonal[v] >= 0 ? front_size(A[plan->diagonal[v]]) : 0;
}

/* Adds the matrix of a child, of r unknowns, to that of a front of s unknowns. */
static void fronts_add_child(const int r, const int *place, const number *U, const int s, number *F)
{
  for (int c = 0; c < r; c++, U += r) {
    number *column = F + (size_t)s * (size_t)place[c];
    for (int i = FRONTS_SYMMETRIC ? c : 0; i < r; i++) {
      bool upper = FRONTS_SYMMETRIC && place[i] < place[c];
      number *to = upper ? F + (size_t)s * (size_t)place[i] + place[c] : column + place[i];
      *to = front_plus(*to, U[i]);
    }
  }
}

/* Eliminates the w pivots of a front of s unknowns, t: terms of their diagonals; *least: smallest
 * ratio of a pivot to its terms so far. False: a pivot is not usable. */
FRONTS_KERNEL bool fronts_eliminate(const int w, const int s, double *t, number *F, double *least)
{
  bool good = true;
  FRONTS_UNROLL
  for (int k = 0; k < w; k++) {
    number *l = F + k * s;
    const double size = front_size(l[k]), all = t[k];
    good &= (size > DAE__FRONTS_TINY * all) & (size <= DBL_MAX);
    if (size < *least * all)
      *least = size / all;
    const number r = l[k] = front_reciprocal(l[k]);
    FRONTS_UNROLL
    for (int c = k + 1; c < s; c++) {
      number *column = F + c * s;
      const number u = FRONTS_SYMMETRIC ? l[c] : column[k], m = front_times(u, r);
      if (s > 2 * FRONTS_WIDTHS && front_zero(u))
        continue;
      t[c] += front_size(front_times(l[c], m));
      front_update(s, FRONTS_SYMMETRIC ? c : k + 1, l, m, column);
    }
    FRONTS_UNROLL
    for (int i = k + 1; i < s; i++)
      l[i] = front_times(l[i], r);
  }
  return good;
}

/* Stores the factors of a front: pivots, rows of L, columns of U, of w numbers each; and its rest,
 * for the parent. */
FRONTS_KERNEL void fronts_store(const int w, const int r, const number *F, number *factor,
                                number *rest)
{
  const int s = w + r;
  number *rows = factor + w * w, *columns = rows + w * r;
  FRONTS_UNROLL
  for (int k = 0; k < w; k++) {
    const number *l = F + k * s;
    FRONTS_UNROLL
    for (int i = FRONTS_SYMMETRIC ? k : 0; i < w; i++)
      factor[k * w + i] = l[i];
    FRONTS_UNROLL
    for (int i = 0; i < r; i++)
      rows[i * w + k] = l[w + i];
  }
  FRONTS_UNROLL
  for (int c = 0; c < r; c++) {
    const number *column = F + (w + c) * s;
    FRONTS_UNROLL
    for (int k = 0; !FRONTS_SYMMETRIC && k < w; k++)
      columns[c * w + k] = column[k];
    FRONTS_UNROLL
    for (int i = FRONTS_SYMMETRIC ? c : 0; i < r; i++)
      rest[c * r + i] = column[w + i];
  }
}

/* Matrix of a front: its entries, and the rests of its children, of which `waiting` and `top` are
 * the ends. */
static inline void fronts_assemble(const dae__fronts *o, const dae__front *front, const number *A,
                                   int **waiting, number **top)
{
  const dae__fronts_plan *plan = o->plan;
  const int s = front->size;
  number *F = (number *)o->work;
  for (int i = 0; i < s * s; i++)
    F[i] = (number){0};
  for (int e = front->entries; e < front[1].entries; e++)
    F[plan->entry_place[e]] = A[plan->entry[e]];
  for (int k = 0; k < front->children; k++) {
    const dae__front *child = plan->front + *--*waiting;
    const int rest = child->size - child->width;
    *top -= (size_t)rest * (size_t)rest;
    fronts_add_child(rest, plan->place + child->places, *top, s, F);
  }
}

/* Factors the assembled matrix of a front. */
FRONTS_KERNEL bool fronts_factor_front(const dae__fronts *o, const int w, const int r,
                                       const int *unknown, number *factor, number *rest,
                                       double *least)
{
  number *F = (number *)o->work;
  double *t = o->diagonal;
  FRONTS_UNROLL
  for (int i = 0; i < w + r; i++)
    t[i] = o->terms[unknown[i]];
  bool good = fronts_eliminate(w, w + r, t, F, least);
  FRONTS_UNROLL
  for (int i = w; i < w + r; i++)
    o->terms[unknown[i]] = t[i];
  fronts_store(w, r, F, factor, rest);
  return good;
}

static double fronts_factor(const dae__fronts *o, const double *values)
{
  const dae__fronts_plan *plan = o->plan;
  const number *A = (const number *)values;
  number *factor = (number *)o->factor, *top = (number *)o->stack;
  int *waiting = o->waiting;
  double least = 1;
  bool good = true;
  fronts_begin(o, A);
  for (int f = 0; good && f < plan->count; f++) {
    const dae__front *front = plan->front + f;
    const int w = front->width, r = front->size - w, *unknown = plan->unknown + front->unknowns;
    fronts_assemble(o, front, A, &waiting, &top);
#define FACTOR(w, r) good = fronts_factor_front(o, w, r, unknown, factor, top, &least)
    FRONTS_BY_SIZE(w, r, FACTOR)
#undef FACTOR
    factor += (size_t)w * (size_t)(w + 2 * r);
    top += (size_t)r * (size_t)r;
    *waiting++ = f;
  }
  return good ? least : 0;
}

/* ---- solution ---- */

/* z = L\z for the unknowns of a front of w pivots and r others; for a symmetric one z = D\z, too.
 */
FRONTS_KERNEL void fronts_forward(const int w, const int r, const int *unknown, const number *L,
                                  number *p, double *x, double *y)
{
  const number *rows = L + w * w;
  FRONTS_UNROLL
  for (int k = 0; k < w; k++)
    p[k] = front_load(x, y, unknown[k]);
  FRONTS_UNROLL
  for (int k = 1; k < w; k++) {
    FRONTS_UNROLL
    for (int i = 0; i < k; i++)
      p[k] = front_minus(p[k], L[i * w + k], p[i]);
  }
  FRONTS_UNROLL
  for (int i = 0; i < r; i++) {
    number z = front_load(x, y, unknown[w + i]);
    FRONTS_UNROLL
    for (int k = 0; k < w; k++)
      z = front_minus(z, rows[i * w + k], p[k]);
    front_store(z, x, y, unknown[w + i]);
  }
  FRONTS_UNROLL
  for (int k = 0; k < w; k++) {
    number z = FRONTS_SYMMETRIC ? front_times(p[k], L[k * w + k]) : p[k];
    front_store(z, x, y, unknown[k]);
  }
}

/* z = U\z, or L'\z for a symmetric front */
FRONTS_KERNEL void fronts_backward(const int w, const int r, const int *unknown, const number *U,
                                   number *p, double *x, double *y)
{
  const number *columns = FRONTS_SYMMETRIC ? U + w * w : U + w * w + w * r;
  FRONTS_UNROLL
  for (int k = 0; k < w; k++)
    p[k] = front_load(x, y, unknown[k]);
  FRONTS_UNROLL
  for (int c = 0; c < r; c++) {
    const number z = front_load(x, y, unknown[w + c]);
    FRONTS_UNROLL
    for (int k = 0; k < w; k++)
      p[k] = front_minus(p[k], columns[c * w + k], z);
  }
  FRONTS_UNROLL
  for (int k = w - 1; k >= 0; k--) {
    FRONTS_UNROLL
    for (int c = k + 1; c < w; c++)
      p[k] = front_minus(p[k], FRONTS_SYMMETRIC ? U[k * w + c] : U[c * w + k], p[c]);
    p[k] = FRONTS_SYMMETRIC ? p[k] : front_times(p[k], U[k * w + k]);
    front_store(p[k], x, y, unknown[k]);
  }
}

static void fronts_solve(const dae__fronts *o, double *x, double *y)
{
  const dae__fronts_plan *plan = o->plan;
  const number *factor = (const number *)o->factor;
  number *many = (number *)o->pivots, few[FRONTS_WIDTHS];
#define FORWARD(w, r) fronts_forward(w, r, unknown, factor, w <= FRONTS_WIDTHS ? few : many, x, y)
#define BACKWARD(w, r) fronts_backward(w, r, unknown, factor, w <= FRONTS_WIDTHS ? few : many, x, y)
  for (int f = 0; f < plan->count; f++) {
    const dae__front *front = plan->front + f;
    const int w = front->width, r = front->size - w, *unknown = plan->unknown + front->unknowns;
    FRONTS_BY_SIZE(w, r, FORWARD)
    factor += (size_t)w * (size_t)(w + 2 * r);
  }
  for (int f = plan->count - 1; f >= 0; f--) {
    const dae__front *front = plan->front + f;
    const int w = front->width, r = front->size - w, *unknown = plan->unknown + front->unknowns;
    factor -= (size_t)w * (size_t)(w + 2 * r);
    FRONTS_BY_SIZE(w, r, BACKWARD)
  }
#undef FORWARD
#undef BACKWARD
}
