/* rho(T), the distance of 1 - T from singular matrices, and the slowest mode, all from the gains
 * 1 + C = Gd^-1 G of the unknowns in loops. Gd, and with it G0 in any order, is singular where one
 * of its blocks is. */
#include "wave/analysis/contraction.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "linalg/solver.h"
#include "linalg/spectrum.h"
#include "wave/analysis/loop_matrix.h"
#include "wave/analysis/splitting.h"
#include <math.h>

#define DENSE 120            /* as for eigenvalues */
#define MOST_ITERATIONS 1000 /* for the margin of large loops */
#define SETTLED 1e-8         /* relative change of its inverse square */

dae_status dae__contraction_radius(const dae_env *env, const dae__loop *loop, const int *order,
                                   double *rho, dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae__loop_matrix matrix;
  dae_status status =
      arena ? dae__loop_matrix_create(arena, loop, &matrix, err) : dae__out_of_memory(err);
  *rho = INFINITY;
  if (!status) {
    dae__splitting s = dae__splitting_create(arena, &matrix);
    if (dae__arena_failed(arena)) {
      status = dae__out_of_memory(err);
    } else {
      dae__splitting_order(&s, order);
      status = dae__splitting_radius(&s, env, rho, err);
    }
  }
  dae__arena_free(arena);
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}

/* 1 + C dense */
static dae_status contraction_dense_margin(dae__arena *arena, const dae__loop_matrix *g,
                                           double *margin, dae_error *err)
{
  const dae_pattern *p = &g->pattern;
  double *A = DAE__ALLOC(arena, double, (size_t)g->n *(size_t)g->n);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int j = 0; j < g->n; j++) {
    A[j + j * g->n] = 1;
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      A[p->row[e] + j * g->n] = g->values[e];
  }
  return dae__spectrum_smallest(dae__arena_env(arena), g->n, A, margin, err);
}

/* 1 + C, or 1 + C', with its factors. DAE_ERROR_SINGULAR has no message. */
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
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < p->cols; i++)
    one[i] = 1;
  dae__block_add(&block[0], 1, one, A);
  dae__block_add(&block[1], 1, C, A);
  dae_status status = dae__solver_create(arena, &out->pattern, &out->solver, err);
  if (!status)
    status = dae__solver_factor(out->solver, A);
  return status == DAE_ERROR_MEMORY ? dae__out_of_memory(err) : status;
}

/* |A^-1 A^-T x| -> sigma^-2 */
static double contraction_inverse_iteration(const factored *A, const factored *At, int n, double *x)
{
  double inverse = 0;
  for (int i = 0; i < n; i++)
    x[i] = 1 + 0.7 * sin(2.3 * i + 0.4);
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    double before = inverse;
    dae__scale(n, 1 / sqrt(dae__dot(n, x, x)), x);
    dae__solver_solve(At->solver, x);
    dae__solver_solve(A->solver, x);
    inverse = sqrt(dae__dot(n, x, x));
    if (!isfinite(inverse))
      return 0;
    if (fabs(inverse - before) <= SETTLED * inverse)
      break;
  }
  return 1 / sqrt(inverse);
}

static dae_status contraction_sparse_margin(dae__arena *arena, const dae__loop_matrix *g,
                                            double *margin, dae_error *err)
{
  factored A = {.solver = NULL}, At = {.solver = NULL};
  double *x = DAE__ALLOC(arena, double, g->n);
  dae_status status = dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
  if (!status)
    status = contraction_factor(arena, &g->pattern, g->values, &A, err);
  if (!status)
    status = contraction_factor(arena, &g->transposed, g->transposed_values, &At, err);
  if (!status)
    *margin = contraction_inverse_iteration(&A, &At, g->n, x);
  dae__solver_free(A.solver);
  dae__solver_free(At.solver);
  return status;
}

dae_status dae__contraction_margin(const dae_env *env, const dae__loop *loop, double *margin,
                                   dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae__loop_matrix matrix;
  dae_status status =
      arena ? dae__loop_matrix_create(arena, loop, &matrix, err) : dae__out_of_memory(err);
  *margin = 0;
  if (!status && matrix.n == 0)
    *margin = 1;
  else if (!status)
    status = (matrix.n <= DENSE ? contraction_dense_margin
                                : contraction_sparse_margin)(arena, &matrix, margin, err);
  if (!status && matrix.n < loop->pattern->cols)
    *margin = fmin(*margin, 1);
  dae__arena_free(arena);
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}

dae_status dae__contraction_mode(const dae_env *env, const dae__loop *loop, const int *order,
                                 double *weight, dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae__loop_matrix matrix;
  dae_status status =
      arena ? dae__loop_matrix_create(arena, loop, &matrix, err) : dae__out_of_memory(err);
  dae__zero(loop->pattern->cols, weight);
  if (!status && matrix.n > 0) {
    double *part = DAE__ALLOC(arena, double, matrix.n);
    dae__splitting s = dae__splitting_create(arena, &matrix);
    if (dae__arena_failed(arena)) {
      status = dae__out_of_memory(err);
    } else {
      dae__splitting_order(&s, order);
      status = dae__splitting_mode(&s, env, part, err);
    }
    for (int i = 0; i < matrix.n && !status; i++)
      weight[matrix.unknown[i]] = part[i];
  }
  dae__arena_free(arena);
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}

/* ---- analysis/contraction_order.c ---- */
/* The order of subsystems in which a Gauss-Seidel sweep contracts best.
 *
 * Only the order of subsystems with unknowns in loops matters, and of that only the cyclic class:
 * the first of them stays, and the others are tried in all orders; with many unknowns rho is found
 * for the most promising of them only. Beyond seven they are put in turn by what they give and take
 * [ELS93]: those who only take go last, those who only give first, and else next comes who gives
 * most more than he takes, in sums of |gains|. */
#include <string.h>

#define MOST_TRIED 7
#define ALL_UP_TO 30  /* unknowns in loops up to which the 720 orders take 0.1 s */
#define SHORT_LIST 12 /* orders looked at beyond */
#define MOST_WORK 1e7 /* orders times gains for which guesses take about 1.5 s */
/* rho counts as smaller from this difference on, relative to it and to 1e-3 */
#define EQUAL 1e-9

typedef struct work {
  const dae_env *env;
  const dae__loop_matrix *matrix;
  dae__splitting splitting;
  int systems, count; /* all subsystems, and those in loops: */
  int *where;         /* places in the order that they share */
  int *given, *list;  /* as they stand in the order given, and as tried */
  double *gives, *takes;
  int *next;    /* of the unknowns of a subsystem, lists by first */
  int *first;   /* by subsystem, -1: none */
  bool *placed; /* by subsystem */
  int *best;
  double rho;
  int listed; /* the most promising orders, and what is guessed of them */
  int lists[SHORT_LIST][MOST_TRIED];
  double guess[SHORT_LIST];
} work;

static bool order_prepare(work *w, dae__arena *arena, const dae__loop_matrix *g)
{
  w->matrix = g;
  w->systems = g->systems;
  w->splitting = dae__splitting_create(arena, g);
  w->where = DAE__ALLOC(arena, int, g->systems);
  w->given = DAE__ALLOC(arena, int, g->systems);
  w->list = DAE__ALLOC(arena, int, g->systems);
  w->best = DAE__ALLOC(arena, int, g->systems);
  w->gives = DAE__ALLOC(arena, double, g->systems);
  w->takes = DAE__ALLOC(arena, double, g->systems);
  w->next = DAE__ALLOC(arena, int, g->n);
  w->first = DAE__ALLOC(arena, int, g->systems);
  w->placed = DAE__ALLOC(arena, bool, g->systems);
  return !dae__arena_failed(arena);
}

/* Where the subsystems in loops stand, and the unknowns of each. */
static void order_begin(work *w, const int *order)
{
  for (int k = 0; k < w->systems; k++)
    w->first[k] = -1;
  for (int i = w->matrix->n - 1; i >= 0; i--) {
    w->next[i] = w->first[w->matrix->owner[i]];
    w->first[w->matrix->owner[i]] = i;
  }
  for (int k = 0; k < w->systems; k++) {
    w->best[k] = order[k];
    if (w->first[order[k]] < 0)
      continue;
    w->given[w->count] = w->list[w->count] = order[k];
    w->where[w->count++] = k;
  }
}

static void set_order(work *w, int *order)
{
  for (int k = 0; k < w->count; k++)
    order[w->where[k]] = w->list[k];
  dae__splitting_order(&w->splitting, order);
}

/* Tries the list, and keeps it where it is better than the best so far. */
static dae_status order_try_list(work *w, int *order, dae_error *err)
{
  double rho;
  set_order(w, order);
  dae_status status = dae__splitting_radius(&w->splitting, w->env, &rho, err);
  bool first = isinf(w->rho);
  if (!status && (first || rho < w->rho - EQUAL * fmax(w->rho, 1e-3))) {
    memcpy(w->best, order, (size_t)w->systems * sizeof *order);
    w->rho = rho;
  }
  return status;
}

static void order_exchange(int *list, int i, int j)
{
  int keep = list[i];
  list[i] = list[j];
  list[j] = keep;
}

/* list[from ... to - 1] the other way round */
static void order_reverse(int *list, int from, int to)
{
  for (to--; from < to; from++, to--)
    order_exchange(list, from, to);
}

/* The next in lexicographic order; false: it was the last. */
static bool order_permute(int *list, int count)
{
  int k = count - 2, l = count - 1;
  while (k >= 0 && list[k] > list[k + 1])
    k--;
  if (k < 0)
    return false;
  while (list[l] < list[k])
    l--;
  order_exchange(list, k, l);
  order_reverse(list, k + 1, count);
  return true;
}

/* ascending, but for the first */
static void order_sort(int *list, int count)
{
  for (int i = 1; i < count; i++)
    for (int k = i; k > 1 && list[k] < list[k - 1]; k--)
      order_exchange(list, k, k - 1);
}

static dae_status order_try_all(work *w, int *order, dae_error *err)
{
  dae_status status = DAE_OK;
  order_sort(w->list, w->count);
  do
    status = order_try_list(w, order, err);
  while (!status && order_permute(w->list + 1, w->count - 1));
  return status;
}

/* Puts the list among the most promising ones, if it is. */
static void order_enlist(work *w, double guess)
{
  size_t size = (size_t)w->count * sizeof(int);
  if (w->listed == SHORT_LIST && guess >= w->guess[SHORT_LIST - 1])
    return;
  int k = w->listed < SHORT_LIST ? w->listed++ : SHORT_LIST - 1;
  for (; k > 0 && guess < w->guess[k - 1]; k--) {
    w->guess[k] = w->guess[k - 1];
    memcpy(w->lists[k], w->lists[k - 1], size);
  }
  w->guess[k] = guess;
  memcpy(w->lists[k], w->list, size);
}

static dae_status order_try_promising(work *w, int *order, dae_error *err)
{
  dae_status status = DAE_OK;
  order_sort(w->list, w->count);
  do {
    set_order(w, order);
    order_enlist(w, dae__splitting_guess(&w->splitting));
  } while (order_permute(w->list + 1, w->count - 1));
  for (int k = 0; k < w->listed && !status; k++) {
    memcpy(w->list, w->lists[k], (size_t)w->count * sizeof(int));
    status = order_try_list(w, order, err);
  }
  return status;
}

/* A subsystem takes its place: what it gives and takes no longer counts. */
static void order_place(work *w, int system)
{
  const dae_pattern *p = &w->matrix->pattern, *q = &w->matrix->transposed;
  const int *owner = w->matrix->owner;
  w->placed[system] = true;
  for (int i = w->first[system]; i >= 0; i = w->next[i]) {
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      w->takes[owner[p->row[e]]] -= fabs(w->matrix->values[e]);
    for (int e = q->start[i]; e < q->start[i + 1]; e++)
      w->gives[owner[q->row[e]]] -= fabs(w->matrix->transposed_values[e]);
  }
}

/* Of those without a place, in the order given, who goes first (+1) or last (-1). */
static int order_choose(const work *w, double negligible, int *end)
{
  int best = -1;
  for (int k = 0; k < w->count; k++) {
    int c = w->given[k];
    if (w->placed[c])
      continue;
    *end = w->gives[c] <= negligible ? -1 : 1;
    if (*end < 0 || w->takes[c] <= negligible)
      return c;
    if (best < 0 || w->gives[c] - w->takes[c] > w->gives[best] - w->takes[best] + negligible)
      best = c;
  }
  *end = 1;
  return best;
}

/* The list by what subsystems give and take, the first one given in front. */
static void order_greedy(work *w)
{
  int count = w->count, head = 0, tail = count;
  double all = 0;
  for (int j = 0; j < w->matrix->n; j++)
    for (int e = w->matrix->pattern.start[j]; e < w->matrix->pattern.start[j + 1]; e++) {
      double size = fabs(w->matrix->values[e]);
      w->gives[w->matrix->owner[j]] += size;
      w->takes[w->matrix->owner[w->matrix->pattern.row[e]]] += size;
      all += size;
    }
  while (head < tail) {
    int end, chosen = order_choose(w, 1e-12 * all / count, &end);
    w->list[end > 0 ? head++ : --tail] = chosen;
    order_place(w, chosen);
  }
  int front = 0;
  while (w->list[front] != w->given[0])
    front++;
  order_reverse(w->list, 0, front); /* a cyclic shift */
  order_reverse(w->list, front, count);
  order_reverse(w->list, 0, count);
}

/* Whether there are orders to choose from, and not too many of them. */
static bool order_few_orders(const work *w)
{
  double count = 1;
  for (int k = 2; k < w->count; k++)
    count *= k;
  return w->count <= MOST_TRIED && count * dae__pattern_count(&w->matrix->pattern) <= MOST_WORK;
}

static dae_status order_find(work *w, int *order, dae_error *err)
{
  order_begin(w, order);
  dae_status status = order_try_list(w, order, err);
  if (!status && w->count > 2) {
    if (!order_few_orders(w)) {
      order_greedy(w);
      status = order_try_list(w, order, err);
    } else {
      status = (w->matrix->n <= ALL_UP_TO ? order_try_all : order_try_promising)(w, order, err);
    }
  }
  memcpy(order, w->best, (size_t)w->systems * sizeof *order);
  return status;
}

dae_status dae__contraction_order(const dae_env *env, const dae__loop *loop, int *order,
                                  double *rho, dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae__loop_matrix matrix;
  work w = {.env = env, .rho = INFINITY};
  dae_status status =
      arena ? dae__loop_matrix_create(arena, loop, &matrix, err) : dae__out_of_memory(err);
  if (!status)
    status =
        order_prepare(&w, arena, &matrix) ? order_find(&w, order, err) : dae__out_of_memory(err);
  *rho = w.rho;
  dae__arena_free(arena);
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}
