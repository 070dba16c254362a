/* The order of subsystems in which a Gauss-Seidel sweep contracts best.
 *
 * Only the order of subsystems with unknowns in loops matters, and of that only the cyclic class:
 * the first of them stays, and the others are tried in all orders; with many unknowns rho is found
 * for the most promising of them only. Beyond seven they are put in turn by what they give and take
 * [ELS93]: those who only take go last, those who only give first, and else next comes who gives
 * most more than he takes, in sums of |gains|. */
#include "core/error.h"
#include "linalg/pattern.h"
#include "wave/analysis/contraction.h"
#include "wave/analysis/gains.h"
#include "wave/analysis/splitting.h"
#include <math.h>
#include <string.h>

#define MOST_TRIED 7
#define ALL_UP_TO 30  /* unknowns in loops up to which the 720 orders take 0.1 s */
#define SHORT_LIST 12 /* orders looked at beyond */
#define MOST_WORK 1e7 /* orders times gains for which guesses take about 1.5 s */
/* rho counts as smaller from this difference on, relative to it and to 1e-3 */
#define EQUAL 1e-9

typedef struct work {
  const dae_env *env;
  const dae__gains *gains;
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

static bool order_prepare(work *w, dae__arena *arena, const dae__gains *g)
{
  w->gains = g;
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
  for (int i = w->gains->n - 1; i >= 0; i--) {
    w->next[i] = w->first[w->gains->owner[i]];
    w->first[w->gains->owner[i]] = i;
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
  const dae_pattern *p = &w->gains->pattern, *q = &w->gains->transposed;
  const int *owner = w->gains->owner;
  w->placed[system] = true;
  for (int i = w->first[system]; i >= 0; i = w->next[i]) {
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      w->takes[owner[p->row[e]]] -= fabs(w->gains->values[e]);
    for (int e = q->start[i]; e < q->start[i + 1]; e++)
      w->gives[owner[q->row[e]]] -= fabs(w->gains->transposed_values[e]);
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
  for (int j = 0; j < w->gains->n; j++)
    for (int e = w->gains->pattern.start[j]; e < w->gains->pattern.start[j + 1]; e++) {
      double size = fabs(w->gains->values[e]);
      w->gives[w->gains->owner[j]] += size;
      w->takes[w->gains->owner[w->gains->pattern.row[e]]] += size;
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
  return w->count <= MOST_TRIED && count * dae__pattern_count(&w->gains->pattern) <= MOST_WORK;
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
      status = (w->gains->n <= ALL_UP_TO ? order_try_all : order_try_promising)(w, order, err);
    }
  }
  memcpy(order, w->best, (size_t)w->systems * sizeof *order);
  return status;
}

dae_status dae__contraction_order(const dae_env *env, const dae__loop *loop, int *order,
                                  double *rho, dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae__gains gains;
  work w = {.env = env, .rho = INFINITY};
  dae_status status = arena ? dae__gains_create(arena, loop, &gains, err) : dae__out_of_memory(err);
  if (!status)
    status =
        order_prepare(&w, arena, &gains) ? order_find(&w, order, err) : dae__out_of_memory(err);
  *rho = w.rho;
  dae__arena_free(arena);
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}
