/* Small saddle systems with any symmetric, definite M: elimination without pivoting of
 *
 *   K = [ M + D1  A' ]  = L P L'       D1 and E the diagonal added,
 *       [ A       E  ]
 *
 * in this order: the coordinates first, with positive pivots, then the rows, with negative ones
 * [GSS96]. Both blocks are padded to an even size by rows of the identity. As with the Schur
 * complement, the rows A x + E y = b lose digits where M is light in directions that A holds, and
 * where A is ill-conditioned: where their residual is more than round-off, the solution is refined
 * with the residual of the whole system [S80]. */
#include "linalg/saddle/saddle_full.h"
#include "linalg/pattern.h"
#include "linalg/saddle/ldl.h"

typedef struct full {
  dae__saddle_rows rows; /* A within K */
  size_t top, size;      /* coordinates, and all unknowns, rounded up */
  const dae_pattern *M;
  int *of_M;             /* where entries of M go in K */
  double *K, *F, *scale; /* kept: M + D1 and A, L and 1/P, what pivots are compared with */
  double *u, *z, *residual;
  dae__saddle_small_mass *mass; /* of the last pass; NULL: there is none for patterns like these */
} full;

static bool saddle_full_is_small(const dae__saddle_patterns *patterns)
{
  int n = patterns->M->cols, m = patterns->G->rows + patterns->K->rows;
  return n <= DAE__SADDLE_FULL_SMALL && (m == 1 || m == 2) &&
         dae__pattern_count(patterns->M) == n * n;
}

static dae_status saddle_full_create(dae__arena *arena, const dae__saddle_patterns *patterns,
                                     void **state)
{
  const dae_pattern *M = patterns->M;
  full *s = DAE__ALLOC(arena, full, 1);
  size_t top = dae__pair_rows(M->cols);
  size_t size = top + dae__pair_rows(patterns->G->rows + patterns->K->rows);
  full made = {.top = top, .size = size, .M = M};
  made.K = DAE__STATE(arena, double, size *top);
  made.F = DAE__STATE(arena, double, size *size);
  made.scale = DAE__STATE(arena, double, size);
  made.of_M = DAE__ALLOC(arena, int, dae__pattern_count(M));
  made.u = DAE__ALLOC(arena, double, 2 * size);
  made.z = DAE__ALLOC(arena, double, size);
  made.residual = DAE__ALLOC(arena, double, size);
  dae__saddle_rows_create(arena, patterns, size, made.K ? made.K + top : NULL, &made.rows);
  made.mass = saddle_full_is_small(patterns) ? DAE__UNINIT(arena, dae__saddle_small_mass, 1) : NULL;
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  if (made.mass)
    made.mass->n = (size_t)M->cols;
  for (int j = 0; j < M->cols; j++)
    for (int e = M->start[j]; e < M->start[j + 1]; e++)
      made.of_M[e] = j * (int)size + M->row[e];
  if (top > (size_t)M->cols) /* the pad */
    made.K[(top - 1) * (size + 1)] = made.scale[top - 1] = 1;
  *s = made;
  *state = s;
  return DAE_OK;
}

/* K = M + D1; false where a mass is not positive, or its squares and products lose digits */
static bool saddle_full_set_mass(const full *s, const dae__saddle_values *values)
{
  double *K = s->K;
  size_t step = s->size + 1;
  int count = dae__pattern_count(s->M), good = 1;
  for (size_t j = 0; j < s->rows.n; j++)
    K[j * step] = 0;
  for (int e = 0; e < count; e++)
    K[s->of_M[e]] = values->M[e];
  for (size_t j = 0; j < s->rows.n; j++) {
    double mass = K[j * step] += values->diagonal ? values->diagonal[j] : 0;
    s->scale[j] = mass;
    good &= mass > DAE__SADDLE_LIGHT && mass < DAE__SADDLE_HEAVY;
  }
  return good;
}

/* F = M + D1, by blocks of two rows and columns; whether it is symmetric */
static bool saddle_full_copy_mass(const full *s)
{
  size_t top = s->top, size = s->size;
  const double *K = s->K;
  dae__pair_mask good = {-1, -1};
  for (size_t j = 0; j < top; j += 2) {
    double bound0 = DAE__SADDLE_ASYMMETRY * DAE__SADDLE_ASYMMETRY * K[j * size + j];
    double bound1 = DAE__SADDLE_ASYMMETRY * DAE__SADDLE_ASYMMETRY * K[(j + 1) * size + j + 1];
    for (size_t i = j; i < top; i += 2) {
      dae__pair a0 = dae__pair_of(K + j * size + i), a1 = dae__pair_of(K + (j + 1) * size + i);
      dae__pair b0 = dae__pair_of(K + i * size + j), b1 = dae__pair_of(K + (i + 1) * size + j);
      dae__pair d0 = a0 - (dae__pair){b0[0], b1[0]}, d1 = a1 - (dae__pair){b0[1], b1[1]};
      dae__pair mass = {K[i * size + i], K[(i + 1) * size + i + 1]};
      good &= (d0 * d0 <= bound0 * mass) & (d1 * d1 <= bound1 * mass);
      *dae__pair_at(s->F + j * size + i) = a0;
      *dae__pair_at(s->F + (j + 1) * size + i) = a1;
    }
  }
  return good[0] & good[1];
}

/* F's rows A, and E with 1 where the block is padded */
static void saddle_full_copy_rows(const full *s)
{
  size_t top = s->top, size = s->size;
  for (size_t j = 0; j < top; j++)
    for (size_t i = top; i < size; i += 2)
      *dae__pair_at(s->F + j * size + i) = dae__pair_of(s->K + j * size + i);
  for (size_t j = top; j < size; j++) {
    for (size_t i = top; i < size; i += 2)
      *dae__pair_at(s->F + j * size + i) = (dae__pair){0, 0};
    s->F[j * size + j] = j - top < s->rows.m ? s->rows.E[j - top] : 1;
  }
}

static bool saddle_full_eliminate(const full *s)
{
  size_t top = s->top, size = s->size;
  double *F = s->F, *scale = s->scale;
  if (!saddle_full_copy_mass(s))
    return false;
  saddle_full_copy_rows(s);
  if (!dae__ldl_factor(size, 0, top, scale, s->u, F))
    return false;
  for (size_t i = top; i < size; i++) { /* - A M^-1 A' + E */
    scale[i] = F[i * size + i];
    if (fabs(scale[i]) < DAE__SADDLE_UNDERFLOW)
      return false;
  }
  return dae__ldl_factor(size, top, size, scale, s->u, F);
}

static bool saddle_full_factor(void *state, const dae__saddle_values *values)
{
  const full *s = state;
  if ((!values->same_mass && !saddle_full_set_mass(s, values)) ||
      !dae__saddle_rows_set(&s->rows, values))
    return false;
  return saddle_full_eliminate(s);
}

/* z = [a; b], padded */
static void saddle_full_gather(const full *s, const double *a, const double *b, double *z)
{
  for (size_t i = 0; i < s->rows.n; i += 2)
    *dae__pair_at(z + i) = dae__pair_from(s->rows.n, a, i);
  for (size_t i = 0; i < s->rows.m; i += 2)
    *dae__pair_at(z + s->top + i) = dae__pair_from(s->rows.m, b, i);
}

/* z += K\[a - (M + D1) x - A'y; r], r the rows' residual, in place already */
static void saddle_full_refine(const full *s, const double *a)
{
  size_t n = s->rows.n, top = s->top, size = s->size;
  double *z = s->z, *r = s->residual;
  for (size_t i = 0; i < top; i += 2) {
    dae__pair sum = dae__pair_from(n, a, i);
    for (size_t j = 0; j < n; j++)
      sum -= dae__pair_of(s->K + j * size + i) * z[j];
    *dae__pair_at(r + i) = sum;
  }
  for (size_t j = 0; j < n; j++) {
    dae__pair sum = {0, 0};
    for (size_t i = top; i < size; i += 2)
      sum += dae__pair_of(s->K + j * size + i) * dae__pair_of(z + i);
    r[j] -= dae__pair_sum(sum);
  }
  dae__ldl_solve(size, s->F, r);
  for (size_t i = 0; i < size; i += 2)
    *dae__pair_at(z + i) += dae__pair_of(r + i);
}

static void saddle_full_solve(void *state, double *a, double *b)
{
  const full *s = state;
  double *z = s->z, *rest = z + s->top;
  saddle_full_gather(s, a, b, z);
  dae__ldl_solve(s->size, s->F, z); /* z = K\[a; b] */
  for (int k = 0; k < DAE__SADDLE_REFINEMENTS; k++) {
    if (!dae__saddle_rows_differ(&s->rows, b, z, rest, s->residual + s->top))
      break;
    saddle_full_refine(s, a);
  }
  for (size_t i = 0; i < s->rows.n; i++)
    a[i] = z[i];
  for (size_t i = 0; i < s->rows.m; i++)
    b[i] = rest[i];
}

static bool saddle_full_take_masses(void *state, const double *M)
{
  const full *s = state;
  return s->mass && dae__saddle_small_mass_take(s->mass, M);
}

static dae__saddle_fused saddle_full_fused(const void *state)
{
  const full *s = state;
  return dae__saddle_small_mass_fused(s->mass, s->rows.m == 2);
}

static double saddle_full_rcond(const void *state)
{
  const full *s = state;
  return dae__ldl_rcond(s->size, s->F, s->scale);
}

const dae__saddle_backend dae__saddle_full = {.kind = "full",
                                              .create = saddle_full_create,
                                              .factor = saddle_full_factor,
                                              .solve = saddle_full_solve,
                                              .take_masses = saddle_full_take_masses,
                                              .quick = saddle_full_fused,
                                              .rcond = saddle_full_rcond};
