/* The zeros of e(t) are searched from the left to the right. A piece [l, r] of time is cleared
 *
 *   where the range of e is on one side of zero: no zero;
 *   where e is continuous and the range of its derivative is on one side: at most one zero;
 *   where r - l is at the resolution of time, or the range of e on it, also by the mean value form,
 *   is hardly wider than that at one point, which is rounding: by the signs at both ends;
 *
 * else it is divided, at a jump of known instant if there is one in its right part. Signs are those
 * of enclosures, so that no zero is missed, and an enclosure that contains zero has no sign: it is
 * passed over, and a zero lies where the next sign differs from the one before. The zero itself is
 * narrowed by the interval Newton method, N(X) = m - e(m) / e'(X), with bisection in between. */
#include "model/bind/clock.h"

#include "core/mutant.h"
#include "model/expand/value.h"
#include "model/graph/formula.h"
#include <float.h>
#include <math.h>

#define MAX_INSTANTS 1e9   /* largest number of instants of a grid up to the end of a run */
#define CLOCK_CELLS 100000 /* pieces looked at in one search; a zero takes 10 to 90 */
#define DEPTH 128        /* pieces that wait: divisions shrink by 0.542 at least, to 1e-16 in 60 */
#define DIVISION 0.45801 /* place of a division, no simple fraction */
/* Ratio of the range on a piece to that at one point below which the range is rounding. */
#define ROUNDING 4
/* width of a piece, over its time, from which on rounding is looked for; chosen */
#define NARROW 1e-6
/* resolution of time near t = 0, in units of 4 eps: this part of the interval; chosen */
#define NEAR_ZERO 1e-6

/* The side just after t is looked for in windows of these widths, over max(|t|, 1). */
static const double SIDE_WINDOWS[] = {1e-4, 1, 1e4};

struct dae__clock {
  double origin, period; /* instants origin + k period with k >= least; period 0: none */
  int least;
  int count;
  const double *instant; /* ascending instants */
  dae__formula *e;       /* function whose zeros are the instants; NULL: none */
  int direction;
  double start; /* start of the run */
  /* last answer for zeros, with the held values of e: none in (from, next), up to `end`; from =
   * infinity: none yet */
  double from, next, end;
};

/* ---- instants ---- */

/* Smallest origin + k period > t; NaN: the period is below the resolution of time. */
static double clock_on_grid(const dae__clock *c, double t)
{
  double k = fmax(floor((t - c->origin) / c->period) - 1, c->least);
  for (int i = 0; i < 4; i++, k++)
    if (c->origin + k * c->period > t)
      return c->origin + k * c->period;
  return NAN;
}

static double clock_in_list(const dae__clock *c, double t)
{
  int low = 0, high = c->count;
  while (low < high) {
    int i = low + (high - low) / 2;
    if (c->instant[i] > t)
      high = i;
    else
      low = i + 1;
  }
  return low < c->count ? c->instant[low] : INFINITY;
}

/* ---- zeros ---- */

/* Progress of a search. */
typedef struct hunt {
  dae__formula *e;
  int direction;     /* direction of the zero; 0: any */
  bool side_only;    /* only the first side is wanted */
  int side;          /* last sign; 0: none yet */
  double sided;      /* time of the last sign */
  double resolution; /* width of pieces that are not divided */
  bool found;
  double zero;
} hunt;

static int clock_sign(const hunt *h, double t)
{
  dae__interval e;
  dae__formula_range(h->e, t, t, &e, NULL);
  return isnan(e.lo) ? 0 : dae__interval_sign(&e);
}

/* Zero between a, with the sign `side`, and b, with the other one. Where e is not monotone or jumps
 * it is the first point with the new sign, so that it does not recur. */
static double clock_narrow(hunt *h, double a, double b)
{
  dae__interval e, rate, at;
  double jump = dae__formula_enter(h->e, a, b);
  dae__formula_range(h->e, a, b, &e, &rate);
  bool newton = isinf(jump) && e.regularity == DAE__CONTINUOUS && dae__interval_sign(&rate) != 0;
  for (;;) {
    double m = a + (b - a) / 2, left = a, width = b - a;
    if (!(a < m && m < b))
      return b;
    if (!newton)
      dae__formula_enter(h->e, m, m);
    dae__formula_range(h->e, m, m, &at, NULL);
    int sign = isnan(at.lo) ? 0 : dae__interval_sign(&at);
    if (sign == -h->side)
      b = m;
    else
      a = m;
    if (!newton)
      continue;
    if (sign == 0) /* the zero may be on both sides of m */
      a = left;
    dae__formula_range(h->e, a, b, &e, &rate);
    dae__interval step = dae__interval_of(DAE__OP_DIV, &at, &rate, NULL, 0);
    dae__interval here = dae__interval_point(m);
    dae__interval next = dae__interval_of(DAE__OP_SUB, &here, &step, NULL, 0);
    a = fmax(a, next.lo);
    b = fmin(b, next.hi);
    if (sign == 0 && !(b - a < width / 2))
      return m;
  }
}

/* Notes the sign of e at t; true: the search ends there. */
static bool clock_note_sign(hunt *h, double t, int sign)
{
  if (sign == 0)
    return false;
  bool crossed = h->side != 0 && sign != h->side;
  if (crossed && (DAE__MUTATE(clock_direction, h->direction == 0 || h->direction == sign,
                              h->direction == 0 || h->direction == -sign))) {
    h->zero = h->sided < t ? clock_narrow(h, h->sided, t) : t;
    h->found = true;
    return true;
  }
  h->side = sign;
  h->sided = t;
  return h->side_only;
}

/* Narrows the range of a continuous e on [l, r] by its mean value form e(m) + e'([l, r]) ([l, r] -
 * m). True: what remains is rounding, a few times the range at the one point m. */
static bool clock_tighten(const hunt *h, double l, double r, double m, const dae__interval *rate,
                          dae__interval *e)
{
  dae__interval at, span = {l, r, DAE__CONTINUOUS}, point = dae__interval_point(m);
  dae__formula_range(h->e, m, m, &at, NULL);
  span = dae__interval_of(DAE__OP_SUB, &span, &point, NULL, 0);
  span = dae__interval_of(DAE__OP_MUL, rate, &span, NULL, 0);
  span = dae__interval_of(DAE__OP_ADD, &at, &span, NULL, 0);
  e->lo = fmax(e->lo, span.lo);
  e->hi = fmin(e->hi, span.hi);
  return e->hi - e->lo <= ROUNDING * (at.hi - at.lo);
}

/* Looks at the piece [l, r]. Returns the time at which it is to be divided; r: it was cleared. */
static double clock_examine(hunt *h, double l, double r)
{
  dae__interval e, rate;
  double jump = dae__formula_enter(h->e, l, r), middle = l + DIVISION * (r - l);
  dae__formula_range(h->e, l, r, &e, &rate);
  bool small = r - l <= h->resolution, continuous = e.regularity == DAE__CONTINUOUS;
  bool clear = small || (continuous && (rate.lo >= 0 || rate.hi <= 0));
  int sign = isnan(e.lo) ? 0 : dae__interval_sign(&e);
  if (isnan(e.lo)) { /* nowhere defined */
    h->side = 0;
    return r;
  }
  double mean_value = fmax(fabs(rate.lo), fabs(rate.hi)) * (r - l); /* width of that form */
  if (sign == 0 && !clear && continuous && (mean_value < e.hi - e.lo || r - l < NARROW * fabs(r))) {
    clear = clock_tighten(h, l, r, middle, &rate, &e);
    sign = dae__interval_sign(&e);
  }
  if (sign != 0) {
    if (!clock_note_sign(h, l, sign))
      h->sided = r;
  } else if (jump < r) {
    return small || jump >= middle ? jump : middle;
  } else if (!clear) {
    return middle;
  } else if (!clock_note_sign(h, l, clock_sign(h, l))) {
    clock_note_sign(h, r, clock_sign(h, r));
  }
  return r;
}

static int clock_search(hunt *h, double t, double end)
{
  double pending[DEPTH]; /* right ends of the pieces that wait, the next one last */
  int count = 0, cells = 0;
  bool finished = false;
  h->sided = t;
  pending[count++] = end;
  while (count > 0 && !finished) {
    double r = pending[count - 1];
    h->resolution = 4 * DBL_EPSILON * fmax(fmax(fabs(t), fabs(r)), NEAR_ZERO * (end - t));
    double divide = clock_examine(h, t, r);
    finished = h->found || (h->side_only && h->side != 0);
    if (cells++ == CLOCK_CELLS)
      return 1;
    if (divide > t && divide < r && count < DEPTH) {
      pending[count++] = divide;
    } else {
      t = r;
      count--;
    }
  }
  return 0;
}

static int clock_next_zero(dae__clock *c, double t, double end, const double *held, double *next)
{
  double w0, w1;
  hunt h = {.e = c->e, .direction = c->direction};
  bool changed = dae__formula_hold(c->e, held);
  if (dae__formula_is_affine(c->e, &w0, &w1)) {
    bool wanted = w1 * c->direction > 0 || (c->direction == 0 && w1 != 0);
    *next = wanted ? DAE__MUTATE(clock_linear, -w0 / w1, w0 / w1) : INFINITY;
    return 0;
  }
  if (!changed && c->from <= t && t < c->next && end == c->end) {
    *next = c->next;
    return 0;
  }
  /* a zero at the end has its sign behind it */
  int status = clock_search(&h, t, end + 16 * DBL_EPSILON * fabs(end));
  *next = h.found ? h.zero : INFINITY;
  c->from = status == 0 ? t : INFINITY;
  c->next = *next;
  c->end = end;
  return status;
}

int dae__clock_next(dae__clock *c, double t, double end, const double *held, double *next)
{
  int status = 0;
  *next = INFINITY;
  if (c->e && t == nextafter(c->start, -INFINITY))
    t = c->start; /* a zero at the start is no crossing */
  if (!(t < end))
    return 0;
  if (isfinite(end) && end - t > MAX_INSTANTS * c->period && c->period > 0)
    return 2;
  if (c->period > 0)
    *next = clock_on_grid(c, t);
  else if (c->e)
    status = clock_next_zero(c, t, end, held, next);
  else
    *next = clock_in_list(c, t);
  if (isnan(*next) && c->period > 0)
    return 1;
  if (fabs(*next - end) <= 4 * DBL_EPSILON * fabs(end))
    *next = end;
  if (!(DAE__MUTATE(clock_end, *next > t, *next >= t) && *next <= end))
    *next = INFINITY;
  return status;
}

int dae__clock_side(dae__clock *c, double t, const double *held, int *side)
{
  double w0, w1;
  hunt h = {.e = c->e, .side_only = true};
  *side = 0;
  if (!c->e)
    return 0;
  t += 4 * DBL_EPSILON * fabs(t); /* instants within this distance are one */
  if (dae__formula_hold(c->e, held))
    c->from = INFINITY;
  if (dae__formula_is_affine(c->e, &w0, &w1) && w1 != 0) {
    *side = (w1 > 0) == (-w0 / w1 <= t) ? 1 : -1;
    return 0;
  }
  int status = 0;
  for (int i = 0; i < 3 && h.side == 0 && status == 0; i++)
    status = clock_search(&h, t, t + SIDE_WINDOWS[i] * fmax(fabs(t), 1));
  *side = h.side;
  return status;
}

/* ---- binding ---- */

bool dae__bind_is_clock(dae__binder *b, dae__node node)
{
  dae__expander *x = b->x;
  unsigned kinds = dae__kinds_below(x, node);
  bool call = false; /* a function of the caller has no ranges */
  if (x->graph->curves.count > 0 && dae__walk_below(x->walker, 1, &node, DAE__WALK_ALL))
    for (int i = 0; i < x->walker->visit.count; i++) {
      const dae__entry *e = &x->graph->entry[x->walker->visit.item[i].node];
      call =
          call || (e->op == DAE__OP_CURVE && x->graph->curves.item[e->c / DAE__CURVE_ORDERS]->call);
    }
  return !call && (kinds & DAE__LEAF_TIME) &&
         !(kinds & ~(unsigned)(DAE__LEAF_TIME | DAE__LEAF_DISCRETE));
}

dae__clock *dae__bind_clock(dae__binder *b, dae__node node, int direction)
{
  dae__expander *x = b->x;
  dae__gradient d = dae__bind_gradient(b, node, DAE__BIT(T));
  dae__node rate = d.count > 0 ? d.value[0] : DAE__ZERO;
  int *entry = DAE__NEW_ARRAY(x->l->scratch, int, b->leaves);
  dae__clock *c = DAE__ALLOC(b->arena, dae__clock, 1);
  if (!dae__bind_ok(b))
    return NULL;
  for (int i = 0; i < b->leaves; i++)
    entry[i] = b->kind[i] & DAE__BIT(T) ? DAE__FORMULA_TIME : b->index[i];
  c->e = dae__formula_create(x->walker, b->arena, node, rate, entry);
  c->direction = direction;
  c->start = x->from;
  c->from = INFINITY;
  return dae__bind_ok(b) ? c : NULL;
}

dae__clock *dae__bind_clock_every(dae__binder *b, double origin, double period, int least)
{
  dae__clock *c = DAE__ALLOC(b->arena, dae__clock, 1);
  if (!dae__bind_ok(b))
    return NULL;
  c->origin = origin;
  c->period = period;
  c->least = least;
  return c;
}

dae__clock *dae__bind_clock_at(dae__binder *b, int count, const double *instants)
{
  dae__clock *c = DAE__ALLOC(b->arena, dae__clock, 1);
  double *copy = DAE__ALLOC(b->arena, double, count);
  if (!dae__bind_ok(b))
    return NULL;
  memcpy(copy, instants, (size_t)count * sizeof *copy);
  c->count = count;
  c->instant = copy;
  return c;
}
