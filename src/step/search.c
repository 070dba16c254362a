#include "step/search.h"

#include "core/error.h"

#include <float.h>
#include <math.h>

/* Constants of the search, chosen on random sums of sines, bumps and pairs of near crossings
 * (tests/unit/test_event_search.c). On another seed: 0 missed of 54221, 37557 (bumps of standard
 * deviation 0.1 to 1 step), 29921 and 56320 (fast); of bumps with 0.035 to 0.35 steps 4 %. */
#define SAFETY 16   /* factor of the estimate of e4; 4 leaves 20 of 24656 crossings out, 16 none */
#define GROWTH 4    /* largest ratio of the widths of two pieces cleared one after the other */
#define NOISE 1e-14 /* |e| that counts as zero everywhere, over its scale in the step */
#define FIRST_WIDTH 0.0312 /* width taken for the piece before the first one, over the step */
/* places of samples and of divisions, no simple fractions, so that a period that divides the step
 * meets at most one of them */
#define INNER 0.43045
#define DIVISION 0.45801
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

/* Piece [l, r] with the Bernstein coefficients b of its cubic, the differences 3 (b[k+1] - b[k])/h,
 * and bounds of the distance of e and of its rate from the cubic. */
typedef struct piece {
  dae__sample l, r;
  double h, b[4], slope[3], miss, miss_rate;
} piece;

/* Bound of |e4| on the piece by a sample o outside it: [l,l,r,r,o] and its change up to the piece.
 */
static double search_fourth(const piece *p, const dae__sample *o)
{
  double h = p->h, u = o->t - p->l.t, v = o->t - p->r.t;
  double d = (p->r.value - p->l.value) / h, d2 = (d - p->l.rate) / h,
         d3 = ((p->r.rate - d) / h - d2) / h;
  double cubic = p->l.value + u * (p->l.rate + u * (d2 + v * d3));
  double rate = p->l.rate + u * (2 * d2 + d3 * (2 * v + u));
  double basis = u * u * v * v, e4 = (o->value - cubic) / basis;
  double e5 = (o->rate - rate - e4 * 2 * u * v * (u + v)) / basis;
  return fabs(e4) + fabs(e5) * fmax(fmax(fabs(u), fabs(v)), h);
}

static void search_piece(piece *p, const dae__sample *before, const dae__sample *after)
{
  double h = p->h = p->r.t - p->l.t, fourth = 0;
  p->b[0] = p->l.value;
  p->b[1] = p->l.value + h / 3 * p->l.rate;
  p->b[2] = p->r.value - h / 3 * p->r.rate;
  p->b[3] = p->r.value;
  for (int k = 0; k < 3; k++)
    p->slope[k] = 3 * (p->b[k + 1] - p->b[k]) / h;
  p->slope[0] = p->l.rate;
  p->slope[2] = p->r.rate;
  if (before && before->t < p->l.t) /* false for NaN */
    fourth = search_fourth(p, before);
  if (after)
    fourth = fmax(fourth, search_fourth(p, after));
  /* maxima of (x-l)^2 (x-r)^2 and of its derivative */
  p->miss = SAFETY * fourth * h * h * h * h / 16;
  p->miss_rate = SAFETY * 0.1925 * fourth * h * h * h;
}

/* Common sign of n numbers beyond a margin; 0: there is none. */
static int search_sign(int n, const double *x, double margin)
{
  int positive = 0, negative = 0;
  for (int k = 0; k < n; k++) {
    positive += x[k] > margin;
    negative += x[k] < -margin;
  }
  return (positive == n) - (negative == n);
}

/* |e| at the extremum of the cubic nearest to zero; infinity: there is no extremum. */
static double search_extremum(const piece *p)
{
  double least = INFINITY;
  /* p'(x) = s0 (1-x)^2 + 2 s1 x (1-x) + s2 x^2 */
  double s0 = p->slope[0], s1 = p->slope[1], s2 = p->slope[2], a = s0 - 2 * s1 + s2, c = s1 - s0,
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

static int search_classify(const dae__search *s, const dae__watch *w, const progress *g,
                           const piece *p)
{
  double largest = 0, grown = w->width > 0 ? w->width : FIRST_WIDTH * s->step;
  for (int k = 0; k < 4; k++)
    largest = fmax(largest, fabs(p->b[k]));
  if (p->h <= 2 * g->resolution)
    return BY_SIGNS;
  if (largest + p->miss <= NOISE * g->scale)
    return AT_ZERO;
  if (p->h > GROWTH * grown)
    return UNCLEAR;
  if (w->side == 0 && largest + p->miss <= w->band)
    return AT_ZERO;
  if (search_sign(4, p->b, p->miss) != 0)
    return NO_ZERO;
  return search_sign(3, p->slope, p->miss_rate) != 0 ? MONOTONE : UNCLEAR;
}

/* Crossing within a cleared piece, or the side that e takes there. */
static bool search_crosses(const dae__search *s, dae__watch *w, const piece *p, int class,
                           dae__found *out)
{
  int sign = (p->r.value > 0) - (p->r.value < 0);
  if (class == AT_ZERO)
    return false;
  if (w->side == 0) {
    if (fabs(p->r.value) <= w->band)
      return false;
    if (w->rebound != 0 && sign != w->rebound) {
      out->lost = fabs(p->r.value) > fmax(w->band, w->lost);
      return false;
    }
    w->side = sign;
    w->sided = p->r;
    w->rebound = 0;
    return false;
  }
  if (sign == w->side) {
    w->sided = p->r;
    return false;
  }
  bool wanted = s->direction == 0 || s->direction == -w->side;
  if (wanted) {
    out->bracket =
        (dae__bracket){.a = w->sided.t, .b = p->r.t, .fa = w->sided.value, .fb = p->r.value};
    return true;
  }
  w->side = sign;
  w->sided = p->r;
  return false;
}

/* Counts an extremum of e that comes near zero. */
static void search_note_extremum(const dae__search *s, dae__watch *w, const progress *g,
                                 const piece *p, dae__found *out)
{
  double limit = fmax(NEAR * (s->near_abs + s->near_tol * w->scale), CLOSE * g->range), least = 0;
  double smallest = fmin(fmin(fabs(p->b[0]), fabs(p->b[1])), fmin(fabs(p->b[2]), fabs(p->b[3])));
  if (smallest > limit || search_sign(3, p->slope, 0) != 0)
    return;
  least = search_extremum(p);
  out->close = out->close || least <= limit;
  if (least <= NEAR * (s->near_abs + s->near_tol * w->scale) && least > NOISE * g->scale)
    w->near++;
}

static dae_status search_sample(const dae__search *s, double t, const dae__watch *w, progress *g,
                                dae__found *out, dae__sample *at, dae_error *err)
{
  *at = (dae__sample){.t = t};
  out->samples++;
  DAE__TRY(s->sample(s->user, at, err));
  g->scale = fmax(g->scale, fmax(fabs(at->value), s->step * fabs(at->rate)));
  g->range = fmax(g->range, fabs(at->value - w->left.value));
  return DAE_OK;
}

dae_status dae__search_interval(const dae__search *s, dae__watch *w, dae__found *out,
                                dae_error *err)
{
  double from = w->left.t, length = s->end - from;
  progress g; /* not initialised as a whole: `pending` is long */
  g.count = 0;
  g.range = 0;
  g.resolution = 4 * DBL_EPSILON * fmax(fabs(s->end), s->step);
  g.scale = fmax(fabs(w->left.value), s->step * fabs(w->left.rate));
  *out = (dae__found){0};
  DAE__TRY(search_sample(s, s->end, w, &g, out, &g.pending[g.count++], err));
  DAE__TRY(search_sample(s, from + INNER * length, w, &g, out, &g.pending[g.count++], err));
  while (g.count > 0 && !out->lost) {
    piece p;
    p.l = w->left;
    p.r = g.pending[g.count - 1];
    search_piece(&p, &w->before, g.count > 1 ? &g.pending[g.count - 2] : NULL);
    int class = search_classify(s, w, &g, &p);
    if (class == UNCLEAR && g.count < DEPTH) {
      if (out->samples >= s->limit) {
        out->too_many = true;
        return DAE_OK;
      }
      DAE__TRY(search_sample(s, p.l.t + DIVISION * p.h, w, &g, out, &g.pending[g.count++], err));
      continue;
    }
    if (search_crosses(s, w, &p, class, out)) {
      out->crossing = true;
      return DAE_OK;
    }
    if (w->side != 0 && (class == NO_ZERO || class == MONOTONE))
      search_note_extremum(s, w, &g, &p, out);
    w->width = p.h;
    w->before = w->left;
    w->left = p.r;
    w->scale = fmax(w->scale, fabs(p.r.value));
    w->armed = w->armed || fabs(p.r.value) > NEAR * (s->near_abs + s->near_tol * w->scale);
    g.count--;
  }
  return DAE_OK;
}
