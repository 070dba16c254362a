#include "step/search.h"

#include "core/error.h"
#include "core/mutant.h"

#include <float.h>
#include <math.h>

/* Constants of the search, chosen on random sums of sines, bumps and pairs of near crossings; the
 * crossings that are missed on other seeds: docs/model_language.md, tests/unit/test_event_search.c
 */
#define SAFETY 16 /* factor of the estimate of e4; 4 leaves 20 of 24656 crossings out, 16 none */
#define GROWTH 4  /* largest ratio of the widths of two pieces cleared one after the other */
/* The same where the estimate of e4 exceeds JUMP times its usual value, which may rise by a factor
 * RISE and falls by a factor 2 from piece to piece: the flank of a bump that lies between two
 * samples. FLOOR: usual value of h^4 e4 that is too small to mean a bump, over the scale of e. */
#define GROWTH_AT_JUMP 0.6
#define JUMP 10
#define RISE 2
#define FLOOR 1e-9
#define NOISE 1e-14        /* |e| that counts as zero everywhere, over its scale in the step */
#define FIRST_WIDTH 0.0312 /* width taken for the piece before the first one, over the step */
#define DIVISION 0.45801   /* place of the division of a piece, no simple fraction */
#define DEPTH 128 /* pieces that wait on the right: divisions shrink by 0.542, to 1e-16 in 60 */
/* Number of tolerances within which an extremum of e is a near miss: the number of crossings
 * depends on the tolerance there. */
#define NEAR 10
/* |e| of an extremum, over the range of e in the interval, within which an interpolant of lower
 * accuracy than the steps may show another number of crossings. Chosen, not measured. */
#define CLOSE 1e-2

void dae__watch_start(dae__watch *w, dae__sample at, double band)
{
  double scale = w->scale;
  *w = (dae__watch){.left = at,
                    .before = {.t = NAN},
                    .sided = at,
                    .scale = fmax(fabs(at.value), scale),
                    .side = fabs(at.value) <= band ? 0 : (at.value > 0) - (at.value < 0),
                    .band = band,
                    .t_fired = w->t_fired,
                    .near = w->near};
}

/* Larger and smaller of two numbers without the rules of fmax and fmin for NaN. */
static inline double search_max(double a, double b)
{
  return a > b ? a : b;
}

static inline double search_min(double a, double b)
{
  return a < b ? a : b;
}

/* Piece [l, r] with the Bernstein coefficients b of its cubic, their bounds, the divided
 * differences of the cubic, the estimate of |e4|, and the bound of the distance of e from the
 * cubic. */
typedef struct piece {
  const dae__sample *l, *r;
  double h, b[4], low, high, d[3], fourth, miss;
} piece;

/* Bound of |e4| on the piece by a sample o outside it: [l,l,r,r,o] and its change up to the piece.
 */
static double search_fourth(const piece *p, const dae__sample *o)
{
  double u = o->t - p->l->t, v = o->t - p->r->t, basis = 1 / (u * u * v * v);
  const double *d = p->d;
  double cubic = p->l->value + u * (p->l->rate + u * (d[1] + v * d[2]));
  double rate = p->l->rate + u * (2 * d[1] + d[2] * (2 * v + u));
  double e4 = (o->value - cubic) * basis;
  double e5 = (o->rate - rate - e4 * 2 * u * v * (u + v)) * basis;
  return fabs(e4) + fabs(e5) * search_max(search_max(fabs(u), fabs(v)), p->h);
}

static void search_piece(piece *p, const dae__sample *before, const dae__sample *after)
{
  double h = p->h = p->r->t - p->l->t, over = 1 / h;
  double *b = p->b;
  b[0] = p->l->value;
  b[1] = b[0] + h / 3 * p->l->rate;
  b[3] = p->r->value;
  b[2] = b[3] - h / 3 * p->r->rate;
  p->low = search_min(search_min(b[0], b[1]), search_min(b[2], b[3]));
  p->high = search_max(search_max(b[0], b[1]), search_max(b[2], b[3]));
  p->d[0] = (b[3] - b[0]) * over;
  p->d[1] = (p->d[0] - p->l->rate) * over;
  p->d[2] = ((p->r->rate - p->d[0]) * over - p->d[1]) * over;
  p->fourth = 0;
  if (before && before->t < p->l->t) /* false for NaN */
    p->fourth = search_fourth(p, before);
  if (after)
    p->fourth = search_max(p->fourth, search_fourth(p, after));
  p->miss = SAFETY / 16.0 * p->fourth * (h * h) * (h * h); /* maximum of (x-l)^2 (x-r)^2: 1/16 */
}

/* Bernstein coefficients of the rate of the cubic. */
static void search_slopes(const piece *p, double slope[3])
{
  slope[0] = p->l->rate;
  slope[1] = 3 * (p->b[2] - p->b[1]) / p->h;
  slope[2] = p->r->rate;
}

/* Whether the cubic is monotone, with a margin in its rate. */
static bool search_monotone(const piece *p, double margin)
{
  double slope[3];
  search_slopes(p, slope);
  return search_min(search_min(slope[0], slope[1]), slope[2]) > margin ||
         search_max(search_max(slope[0], slope[1]), slope[2]) < -margin;
}

/* |e| at the extremum of the cubic nearest to zero; infinity: there is no extremum. */
static double search_extremum(const piece *p)
{
  double least = INFINITY;
  /* p'(x) = s0 (1-x)^2 + 2 s1 x (1-x) + s2 x^2 */
  double slope[3];
  search_slopes(p, slope);
  double s0 = slope[0], s1 = slope[1], s2 = slope[2], a = s0 - 2 * s1 + s2, c = s1 - s0,
         root = c * c - a * s0;
  if (!(root > 0))
    return least;
  double q = -(c + copysign(sqrt(root), c)), x[2] = {q / a, s0 / q};
  for (int k = 0; k < 2; k++) {
    double u = x[k], w = 1 - u;
    if (!(u >= 0 && u < 1))
      continue;
    double e = w * w * w * p->b[0] + 3 * u * w * w * p->b[1] + 3 * u * u * w * p->b[2] +
               u * u * u * p->b[3];
    least = fmin(least, fabs(e));
  }
  return least;
}

/* State of the search of an interval. */
typedef struct progress {
  dae__sample pending[DEPTH]; /* right ends of the pieces that wait, the next one last */
  int count;
  double scale; /* largest |e| and step |e'| of the samples of the interval */
  double range; /* largest difference of two samples */
  double resolution;
} progress;

enum { UNCLEAR, NO_ZERO, MONOTONE, AT_ZERO, BY_SIGNS };

/* Usual value of e4 at a piece. */
static double search_usual(const dae__watch *w, const progress *g, const piece *p)
{
  return search_max(w->fourth, FLOOR * g->scale / ((p->h * p->h) * (p->h * p->h)));
}

static int search_classify(const dae__search *s, const dae__watch *w, const progress *g,
                           const piece *p)
{
  double largest = search_max(p->high, -p->low) + p->miss,
         grown = w->width > 0 ? w->width : FIRST_WIDTH * s->step;
  if (p->h <= 2 * g->resolution)
    return BY_SIGNS;
  if (largest <= NOISE * g->scale)
    return AT_ZERO;
  if (p->h > GROWTH * grown)
    return UNCLEAR;
  if ((w->side == 0 || w->leaves) && largest <= w->band)
    return AT_ZERO;
  if (w->width > 0 && p->h > GROWTH_AT_JUMP * w->width && p->fourth > JUMP * search_usual(w, g, p))
    return UNCLEAR;
  if (p->low > p->miss || p->high < -p->miss)
    return NO_ZERO;
  /* maximum of the derivative of (x-l)^2 (x-r)^2: 0.1925 */
  double margin = SAFETY * 0.1925 * p->fourth * p->h * p->h * p->h;
  return search_monotone(p, margin) ? MONOTONE : UNCLEAR;
}

/* Crossing within a cleared piece, or the side that e takes there. A side other than that of the
 * value at the start, within the band, is a near miss. */
static bool search_crosses(const dae__search *s, dae__watch *w, const piece *p, int class,
                           dae__found *out)
{
  int sign = (p->r->value > 0) - (p->r->value < 0);
  if (class == AT_ZERO || ((w->side == 0 || w->leaves) && fabs(p->r->value) <= w->band))
    return false;
  if (w->side == 0) {
    if (w->rebound != 0 && sign != w->rebound) {
      out->lost = fabs(p->r->value) > fmax(w->band, w->lost);
      return false;
    }
    bool wanted = s->direction == 0 || s->direction == sign, fired = w->sided.t == w->t_fired;
    w->near += wanted && !fired && w->sided.value * sign < -NOISE * w->scale;
    w->side = sign;
    w->sided = *p->r;
    w->rebound = 0;
    return false;
  }
  if (sign == w->side) {
    w->sided = *p->r;
    return false;
  }
  bool wanted = s->direction == 0 || s->direction == -w->side;
  if (wanted) {
    out->bracket =
        (dae__bracket){.a = w->sided.t, .b = p->r->t, .fa = w->sided.value, .fb = p->r->value};
    return true;
  }
  w->side = sign;
  w->sided = *p->r;
  return false;
}

/* Counts an extremum of e that comes near zero. */
static void search_note_extremum(const dae__search *s, dae__watch *w, const progress *g,
                                 const piece *p, dae__found *out)
{
  double near = NEAR * (s->near_abs + s->near_tol * w->scale),
         limit = search_max(near, CLOSE * g->range);
  if (p->low > limit || p->high < -limit || search_monotone(p, 0))
    return;
  double least = search_extremum(p);
  out->close = out->close || least <= limit;
  if (least <= near && least > NOISE * g->scale)
    w->near++;
}

static dae_status search_sample(const dae__search *s, double t, const dae__watch *w, progress *g,
                                dae__found *out, dae__sample *at, dae_error *err)
{
  *at = (dae__sample){.t = t};
  out->samples++;
  DAE__TRY(s->sample(s->user, at, err));
  g->scale = search_max(g->scale, search_max(fabs(at->value), s->step * fabs(at->rate)));
  g->range = search_max(g->range, fabs(at->value - w->left.value));
  return DAE_OK;
}

dae_status dae__search_interval(const dae__search *s, dae__watch *w, dae__found *out,
                                dae_error *err)
{
  dae__places places = dae__search_places(w->left.t, s->end);
  progress g; /* not initialised as a whole: `pending` is long */
  g.count = 0;
  g.range = 0;
  g.resolution = 4 * DBL_EPSILON * fmax(fabs(s->end), s->step);
  g.scale = fmax(fabs(w->left.value), s->step * fabs(w->left.rate));
  *out = (dae__found){0};
  for (int k = DAE__SEARCH_INNER; k >= 0; k--)
    DAE__TRY(search_sample(s, places.t[k], w, &g, out, &g.pending[g.count++], err));
  while (g.count > 0 && !out->lost) {
    piece p;
    p.l = &w->left;
    p.r = &g.pending[g.count - 1];
    search_piece(&p, &w->before, g.count > 1 ? &g.pending[g.count - 2] : NULL);
    int class = search_classify(s, w, &g, &p);
    if (DAE__MUTATE(event_unclear, class == UNCLEAR && g.count < DEPTH, false)) {
      if (out->samples >= s->limit) {
        out->too_many = true;
        return DAE_OK;
      }
      DAE__TRY(search_sample(s, p.l->t + DIVISION * p.h, w, &g, out, &g.pending[g.count++], err));
      continue;
    }
    if (search_crosses(s, w, &p, class, out)) {
      out->crossing = true;
      return DAE_OK;
    }
    if (w->side != 0 && (class == NO_ZERO || class == MONOTONE))
      search_note_extremum(s, w, &g, &p, out);
    w->width = p.h;
    w->fourth = search_max(search_min(p.fourth, RISE * search_usual(w, &g, &p)), w->fourth / 2);
    w->before = w->left;
    w->left = *p.r;
    w->scale = search_max(w->scale, fabs(p.r->value));
    w->leaves = w->leaves && fabs(p.r->value) <= w->band;
    w->armed = w->armed || fabs(p.r->value) > NEAR * (s->near_abs + s->near_tol * w->scale);
    g.count--;
  }
  return DAE_OK;
}

void dae__search_end(const dae__search *s, dae__watch *w)
{
  const dae__sample *at = &w->left;
  bool wanted = s->direction == 0 || s->direction == -w->side;
  double near = NEAR * (s->near_abs + s->near_tol * w->scale);
  double late = NEAR * s->near_tol * fabs(at->t) * fabs(at->rate);
  w->near += wanted && w->armed && w->side * at->rate < 0 && w->side * at->value > 0 &&
             fabs(at->value) <= fmin(near, late);
}

/* ---- intervals cleared as a whole ---- */

dae__places dae__search_places(double from, double end)
{
  double length = end - from;
  return (dae__places){
      .before = NAN,
      .from = from,
      .t = {from + DAE__SEARCH_FIRST * length, from + DAE__SEARCH_SECOND * length, end},
      .length = length};
}

/* Divided differences of second and third order of a piece [l, r]: [l,l,r], [l,r,r], [l,l,r,r]. */
typedef struct differences {
  double left, right, both;
} differences;

static inline differences search_differences(double l, double l_rate, double r, double r_rate,
                                             double over)
{
  double slope = (r - l) * over, left = (slope - l_rate) * over, right = (r_rate - slope) * over;
  return (differences){left, right, (right - left) * over};
}

/* Bounds |e4| from both sides of the common sample of two neighbouring pieces a and b; over: the
 * reciprocal of their whole width, which is `width`. */
static inline void search_neighbours(differences a, differences b, double over, double width,
                                     double *on_a, double *on_b)
{
  double inner_a = (b.left - a.right) * over; /* [l,m,m,r] with the halves of both */
  double fourth_a = (inner_a - a.both) * over, fourth_b = (b.both - inner_a) * over;
  double fifth = fabs((fourth_b - fourth_a) * over) * width;
  *on_a = fabs(fourth_a) + fifth;
  *on_b = fabs(fourth_b) + fifth;
}

bool dae__search_clears(const dae__search *s, dae__places *p, const dae__watch *w,
                        const dae__samples *e, double *fourth)
{
  static const double place[] = {0, DAE__SEARCH_FIRST, DAE__SEARCH_SECOND, 1},
                      over[] = {0, 1 / DAE__SEARCH_FIRST,
                                1 / (DAE__SEARCH_SECOND - DAE__SEARCH_FIRST),
                                1 / (1 - DAE__SEARCH_SECOND)};
  double h = p->length, before = w->before.t;
  if (w->side == 0 || !(w->width > 0 && before < p->from)) /* false for NaN */
    return false;
  if (p->before != before) {
    p->before = before;
    p->behind = (p->from - before) / h;
    p->over_behind = 1 / p->behind;
    p->over_first = 1 / (p->behind + DAE__SEARCH_FIRST);
  }
  double v[4] = {w->left.value, e->value[0], e->value[1], e->value[2]};
  double r[4] = {h * w->left.rate, h * e->rate[0], h * e->rate[1], h * e->rate[2]};
  double scale = search_max(fabs(v[0]), fabs(s->step * w->left.rate)), range = 0,
         largest = w->scale;
  differences d[4] = {
      search_differences(w->before.value, h * w->before.rate, v[0], r[0], p->over_behind)};
  for (int k = 1; k < 4; k++) {
    d[k] = search_differences(v[k - 1], r[k - 1], v[k], r[k], over[k]);
    scale = search_max(scale, search_max(fabs(v[k]), fabs(s->step * e->rate[k - 1])));
    range = search_max(range, fabs(v[k] - v[0]));
    largest = search_max(largest, fabs(v[k]));
  }
  double e4[4], other[4];
  search_neighbours(d[0], d[1], p->over_first, p->behind + place[1], &other[0], &e4[1]);
  search_neighbours(d[1], d[2], 1 / place[2], place[2], &other[1], &e4[2]);
  search_neighbours(d[2], d[3], 1 / (1 - place[1]), 1 - place[1], &other[2], &e4[3]);
  e4[1] = search_max(e4[1], other[1]);
  e4[2] = search_max(e4[2], other[2]);
  double limit = search_max(search_max(NEAR * (s->near_abs + s->near_tol * largest), CLOSE * range),
                            NOISE * scale);
  double h4 = (h * h) * (h * h), usual = w->fourth * h4, width = w->width;
  for (int k = 1; k < 4; k++) {
    double part = place[k] - place[k - 1], part4 = (part * part) * (part * part);
    double b1 = v[k - 1] + part / 3 * r[k - 1], b2 = v[k] - part / 3 * r[k];
    double low = w->side > 0 ? search_min(search_min(v[k - 1], v[k]), search_min(b1, b2))
                             : -search_max(search_max(v[k - 1], v[k]), search_max(b1, b2));
    double floor = search_max(usual, FLOOR * scale / part4);
    bool grows = part * h > GROWTH * width, jumps = part * h > GROWTH_AT_JUMP * width;
    if (!(low > limit && low > SAFETY / 16.0 * part4 * e4[k]) || grows ||
        (jumps && e4[k] > JUMP * floor))
      return false;
    usual = search_max(search_min(e4[k], RISE * floor), usual / 2);
    width = part * h;
  }
  *fourth = usual / h4;
  return true;
}

void dae__search_pass(const dae__places *p, dae__watch *w, const dae__samples *e, double fourth)
{
  const int last = DAE__SEARCH_INNER;
  w->before = (dae__sample){p->t[last - 1], e->value[last - 1], e->rate[last - 1]};
  w->left = w->sided = (dae__sample){p->t[last], e->value[last], e->rate[last]};
  w->width = p->t[last] - p->t[last - 1];
  w->fourth = fourth;
  w->armed = true;
  for (int k = 0; k <= last; k++)
    w->scale = search_max(w->scale, fabs(e->value[k]));
}
