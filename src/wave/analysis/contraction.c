/* rho(T), the distance of 1 - T from singular matrices, the slowest mode, and the order of
 * subsystems in which a Gauss-Seidel sweep contracts best, all from the matrix 1 + C = Gd^-1 G of
 * the unknowns in loops. Gd, and G0 for any order, is singular where a diagonal block is.
 *
 * Search for an order: rho depends only on the cyclic class of the order of the subsystems with
 * unknowns in loops. The first of these subsystems stays, and the others are permuted; with many
 * unknowns rho is computed only for the permutations with the smallest estimates. More than seven
 * subsystems are ordered by the flow of |C| [ELS93]: sinks last, sources first, else by the largest
 * difference of outflow and inflow. */
#include "wave/analysis/contraction.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "linalg/solver.h"
#include "linalg/spectrum.h"
#include "wave/analysis/loop_matrix.h"
#include <math.h>
#include <string.h>

/* Constants of the margin, the smallest singular value of 1 + C. */
#define MAX_DENSE_UNKNOWNS 120      /* loops up to this size: dense singular values */
#define MAX_INVERSE_ITERATIONS 1000 /* limit for larger loops; chosen, not measured */
#define INVERSE_CONVERGENCE 1e-8    /* relative change of sigma^-2 at convergence; chosen */
/* Constants of the search for an order; run times measured on one core. */
#define MAX_PERMUTED 7        /* subsystems in loops whose 720 orders are all tried */
#define MAX_EXACT_UNKNOWNS 30 /* unknowns in loops up to which rho of 720 orders takes 0.1 s */
#define CANDIDATES 12         /* orders of best estimate whose rho is computed in larger loops */
#define MAX_GUESS_WORK 1e7    /* orders times entries of C: estimates take about 1.5 s */
#define RHO_DIFFERENCE 1e-9   /* relative difference of two rho that counts */
#define RHO_FLOOR 1e-3        /* rho below which RHO_DIFFERENCE is absolute */
/* negligible outflow or inflow relative to the mean over subsystems */
#define NEGLIGIBLE_FLOW 1e-12

dae_status dae__contraction_radius(const dae_env *env, const dae__loop *loop, const int *order,
                                   double *rho, double *weight, dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae__loop_matrix matrix = {.n = 0};
  dae_status status = dae__loop_matrix_create(arena, loop, &matrix, err);
  *rho = INFINITY;
  if (weight)
    dae__zero(loop->pattern->cols, weight);
  if (!status) {
    double *own = DAE__ALLOC(arena, double, matrix.n);
    dae__splitting s = dae__splitting_create(arena, &matrix);
    if (dae__arena_failed(arena)) {
      status = dae__out_of_memory(err);
    } else {
      dae__splitting_order(&s, order);
      status = dae__splitting_radius(&s, env, rho, err);
    }
    bool mode = weight && matrix.n > 0 && !status;
    if (mode)
      status = dae__splitting_mode(&s, env, own, err);
    for (int i = 0; i < matrix.n && mode && !status; i++)
      weight[matrix.unknown[i]] = own[i];
  }
  dae__arena_free(arena);
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}

/* ---- smallest singular value of 1 - T ---- */

/* Factors of 1 + C, or of 1 + C'. A singular matrix is DAE_ERROR_SINGULAR without a message. */
typedef struct factored {
  dae_pattern pattern;
  dae__solver *solver;
} factored;

static dae_status contraction_factor(dae__arena *arena, const dae_pattern *p, const double *C,
                                     factored *out, dae_error *err)
{
  dae_pattern diagonal = dae__pattern_diagonal(arena, p->cols);
  dae__block block[] = {{.pattern = &diagonal}, {.pattern = p}};
  if (!dae__arena_failed(arena))
    out->pattern = dae__blocks_merge(arena, p->rows, p->cols, block, 2);
  double *one = DAE__ALLOC(arena, double, p->cols), *A = NULL;
  if (!dae__arena_failed(arena))
    A = DAE__ALLOC(arena, double, dae__pattern_count(&out->pattern));
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < p->cols; i++)
    one[i] = 1;
  dae__block_add(&block[0], 1, one, A);
  dae__block_add(&block[1], 1, C, A);
  dae_status status = dae__solver_create(arena, &out->pattern, &out->solver, err);
  if (!status)
    status = dae__solver_factor(out->solver, A);
  return status == DAE_ERROR_MEMORY ? dae__out_of_memory(err) : status;
}

/* Smallest singular value sigma of A = 1 + C by inverse iteration: |A^-1 A^-T x| -> sigma^-2. */
static dae_status contraction_sparse_margin(dae__arena *arena, const dae__loop_matrix *g,
                                            double *margin, dae_error *err)
{
  factored A = {.solver = NULL}, At = {.solver = NULL};
  double *x = DAE__ALLOC(arena, double, g->n), inverse = 0;
  dae_status status = dae__arena_status(arena, err);
  if (!status)
    status = contraction_factor(arena, &g->pattern, g->values, &A, err);
  if (!status)
    status = contraction_factor(arena, &g->transposed, g->transposed_values, &At, err);
  for (int i = 0; i < g->n && !status; i++)
    x[i] = 1 + 0.7 * sin(2.3 * i + 0.4);
  for (int k = 0; k < MAX_INVERSE_ITERATIONS && !status; k++) {
    double before = inverse;
    dae__scale(g->n, 1 / sqrt(dae__dot(g->n, x, x)), x);
    dae__solver_solve(At.solver, x);
    dae__solver_solve(A.solver, x);
    inverse = sqrt(dae__dot(g->n, x, x));
    if (!isfinite(inverse) || fabs(inverse - before) <= INVERSE_CONVERGENCE * inverse)
      break;
  }
  if (!status)
    *margin = isfinite(inverse) ? 1 / sqrt(inverse) : 0;
  dae__solver_free(A.solver);
  dae__solver_free(At.solver);
  return status;
}

dae_status dae__contraction_margin(const dae_env *env, const dae__loop *loop, double *margin,
                                   dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae__loop_matrix g = {.n = 0};
  dae_status status = dae__loop_matrix_create(arena, loop, &g, err);
  bool dense = !status && g.n > 0 && g.n <= MAX_DENSE_UNKNOWNS;
  double *A = dense ? DAE__ALLOC(arena, double, (size_t)g.n *(size_t)g.n) : NULL;
  *margin = 0;
  for (int j = 0; j < g.n && A; j++) {
    A[j + j * g.n] = 1;
    for (int e = g.pattern.start[j]; e < g.pattern.start[j + 1]; e++)
      A[g.pattern.row[e] + j * g.n] = g.values[e];
  }
  if (dense)
    status = A ? dae__spectrum_smallest(dae__arena_env(arena), g.n, A, margin, err)
               : dae__out_of_memory(err);
  else if (!status && g.n == 0)
    *margin = 1;
  else if (!status)
    status = contraction_sparse_margin(arena, &g, margin, err);
  if (!status && g.n < loop->pattern->cols)
    *margin = fmin(*margin, 1);
  dae__arena_free(arena);
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}

/* ---- order of a Gauss-Seidel sweep ---- */

typedef struct work {
  const dae_env *env;
  const dae__loop_matrix *matrix;
  dae__splitting splitting;
  int systems, count;       /* number of all subsystems, and of those in loops */
  int *where;               /* positions of the subsystems in loops within an order */
  int *given, *list;        /* subsystems in loops: initial order, order being tried */
  double *outflow, *inflow; /* column and row sums of |C| over the unknowns of each subsystem */
  int *first, *next;        /* linked lists of the unknowns of each subsystem, -1: end */
  bool *placed;             /* subsystems that the greedy order already contains */
  int *best;
  double rho;
  int candidates; /* number of stored orders with the smallest estimates of rho */
  int candidate[CANDIDATES][MAX_PERMUTED];
  double estimate[CANDIDATES];
} work;

static bool order_begin(work *w, dae__arena *arena, const dae__loop_matrix *g, const int *order)
{
  w->matrix = g;
  w->systems = g->systems;
  w->splitting = dae__splitting_create(arena, g);
  w->where = DAE__ALLOC(arena, int, g->systems);
  w->given = DAE__ALLOC(arena, int, g->systems);
  w->list = DAE__ALLOC(arena, int, g->systems);
  w->best = DAE__ALLOC(arena, int, g->systems);
  DAE__VECTORS(arena, g->systems, &w->outflow, &w->inflow);
  w->next = DAE__ALLOC(arena, int, g->n);
  w->first = DAE__ALLOC(arena, int, g->systems);
  w->placed = DAE__ALLOC(arena, bool, g->systems);
  if (dae__arena_failed(arena))
    return false;
  for (int k = 0; k < w->systems; k++)
    w->first[k] = -1;
  for (int i = g->n - 1; i >= 0; i--) {
    w->next[i] = w->first[g->owner[i]];
    w->first[g->owner[i]] = i;
  }
  for (int k = 0; k < w->systems; k++) {
    w->best[k] = order[k];
    if (w->first[order[k]] < 0)
      continue;
    w->given[w->count] = w->list[w->count] = order[k];
    w->where[w->count++] = k;
  }
  return true;
}

static void order_set(work *w, int *order)
{
  for (int k = 0; k < w->count; k++)
    order[w->where[k]] = w->list[k];
  dae__splitting_order(&w->splitting, order);
}

/* Computes rho of the order w->list and stores the order as the best one if rho is smaller. */
static dae_status order_try(work *w, int *order, dae_error *err)
{
  double rho;
  order_set(w, order);
  DAE__TRY(dae__splitting_radius(&w->splitting, w->env, &rho, err));
  if (isinf(w->rho) || rho < w->rho - RHO_DIFFERENCE * fmax(w->rho, RHO_FLOOR)) {
    memcpy(w->best, order, (size_t)w->systems * sizeof *order);
    w->rho = rho;
  }
  return DAE_OK;
}

/* Reverses list[from ... to - 1]. */
static void order_reverse(int *list, int from, int to)
{
  for (to--; from < to; from++, to--) {
    int keep = list[from];
    list[from] = list[to];
    list[to] = keep;
  }
}

/* Next permutation in lexicographic order; false: the list is the last permutation. */
static bool order_permute(int *list, int count)
{
  int k = count - 2, l = count - 1;
  while (k >= 0 && list[k] > list[k + 1])
    k--;
  if (k < 0)
    return false;
  while (list[l] < list[k])
    l--;
  int keep = list[k];
  list[k] = list[l];
  list[l] = keep;
  order_reverse(list, k + 1, count);
  return true;
}

/* Inserts the order w->list into the candidates, which are sorted by the estimate of rho. */
static void order_add_candidate(work *w, double estimate)
{
  size_t size = (size_t)w->count * sizeof(int);
  if (w->candidates == CANDIDATES && estimate >= w->estimate[CANDIDATES - 1])
    return;
  int k = w->candidates < CANDIDATES ? w->candidates++ : CANDIDATES - 1;
  for (; k > 0 && estimate < w->estimate[k - 1]; k--) {
    w->estimate[k] = w->estimate[k - 1];
    memcpy(w->candidate[k], w->candidate[k - 1], size);
  }
  w->estimate[k] = estimate;
  memcpy(w->candidate[k], w->list, size);
}

/* Best order over all permutations with a fixed first entry: rho of every permutation in small
 * loops, else rho of the candidates with the smallest estimates. */
static dae_status order_permutations(work *w, int *order, dae_error *err)
{
  for (int i = 1; i < w->count; i++) /* insertion sort, first entry fixed */
    for (int k = i; k > 1 && w->list[k] < w->list[k - 1]; k--)
      order_reverse(w->list, k - 1, k + 1);
  do {
    if (w->matrix->n <= MAX_EXACT_UNKNOWNS) {
      DAE__TRY(order_try(w, order, err));
    } else {
      order_set(w, order);
      order_add_candidate(w, dae__splitting_estimate(&w->splitting));
    }
  } while (order_permute(w->list + 1, w->count - 1));
  for (int k = 0; k < w->candidates; k++) {
    memcpy(w->list, w->candidate[k], (size_t)w->count * sizeof(int));
    DAE__TRY(order_try(w, order, err));
  }
  return DAE_OK;
}

/* Next subsystem of the greedy order, for the front (*end = 1) or the back (*end = -1) of the
 * list. */
static int order_next(const work *w, double negligible, int *end)
{
  int best = -1;
  for (int k = 0; k < w->count; k++) {
    int c = w->given[k];
    if (w->placed[c])
      continue;
    *end = w->outflow[c] <= negligible ? -1 : 1;
    if (*end < 0 || w->inflow[c] <= negligible)
      return c;
    if (best < 0 || w->outflow[c] - w->inflow[c] > w->outflow[best] - w->inflow[best] + negligible)
      best = c;
  }
  *end = 1;
  return best;
}

/* Greedy order by outflow and inflow of |C| [ELS93], cyclically shifted to the initial first
 * entry. */
static void order_greedy(work *w)
{
  const dae_pattern *p = &w->matrix->pattern, *q = &w->matrix->transposed;
  const int *owner = w->matrix->owner;
  int count = w->count, head = 0, tail = count, front = 0, end;
  double all = 0;
  for (int j = 0; j < w->matrix->n; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      double size = fabs(w->matrix->values[e]);
      w->outflow[owner[j]] += size;
      w->inflow[owner[p->row[e]]] += size;
      all += size;
    }
  while (head < tail) {
    int c = order_next(w, NEGLIGIBLE_FLOW * all / count, &end);
    w->list[end > 0 ? head++ : --tail] = c;
    w->placed[c] = true;
    /* flows from and to placed subsystems are subtracted */
    for (int i = w->first[c]; i >= 0; i = w->next[i]) {
      for (int e = p->start[i]; e < p->start[i + 1]; e++)
        w->inflow[owner[p->row[e]]] -= fabs(w->matrix->values[e]);
      for (int e = q->start[i]; e < q->start[i + 1]; e++)
        w->outflow[owner[q->row[e]]] -= fabs(w->matrix->transposed_values[e]);
    }
  }
  while (w->list[front] != w->given[0])
    front++;
  order_reverse(w->list, 0, front);
  order_reverse(w->list, front, count);
  order_reverse(w->list, 0, count);
}

dae_status dae__contraction_order(const dae_env *env, const dae__loop *loop, int *order,
                                  double *rho, dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae__loop_matrix matrix;
  work w = {.env = env, .rho = INFINITY};
  double permutations = 1;
  dae_status status = dae__loop_matrix_create(arena, loop, &matrix, err);
  bool begun = !status && order_begin(&w, arena, &matrix, order);
  if (!status)
    status = begun ? order_try(&w, order, err) : dae__out_of_memory(err);
  for (int k = 2; k < w.count; k++)
    permutations *= k;
  bool greedy = w.count > MAX_PERMUTED ||
                (begun && permutations * dae__pattern_count(&matrix.pattern) > MAX_GUESS_WORK);
  if (!status && w.count > 2 && greedy) {
    order_greedy(&w);
    status = order_try(&w, order, err);
  } else if (!status && w.count > 2) {
    status = order_permutations(&w, order, err);
  }
  if (begun)
    memcpy(order, w.best, (size_t)w.systems * sizeof *order);
  *rho = w.rho;
  dae__arena_free(arena);
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}
