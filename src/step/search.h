/* Search for the zero crossings of one watch e(t) along an interval, by values and rates.
 *
 * The interval is sampled at both ends and at two places inside it. On a piece [l, r] of width h
 * between neighbouring samples e is the cubic p through values and rates at l and r, plus (x - l)^2
 * (x - r)^2 e4 with e4 = e''''/24, which is estimated by divided differences with the samples next
 * to the piece. The Bernstein coefficients of p and p' then show whether e can vanish or change its
 * direction within the piece. A piece that they do not clear is divided.
 *
 * Every crossing is found, in order, if on each cleared piece |e4| is at most SAFETY times what the
 * neighbouring samples show of it. A piece where they show much more of it than before is divided,
 * too: it may hold a bump of which they see the flanks alone. */
#ifndef DAEDAL_STEP_SEARCH_H
#define DAEDAL_STEP_SEARCH_H

#include "step/root.h"

#include <stdbool.h>

/* Inner places of samples, relative to the interval: no simple fractions, so that a period that
 * divides the step meets at most one of them. */
#define DAE__SEARCH_INNER 2
#define DAE__SEARCH_FIRST 0.32045
#define DAE__SEARCH_SECOND 0.65709

typedef struct dae__sample {
  double t, value, rate;
} dae__sample;

/* Value and rate of a watch at out->t. */
typedef dae_status dae__sample_fn(void *user, dae__sample *out, dae_error *err);

/* Progress of the search for one watch; no pointers, so that it can be saved. */
typedef struct dae__watch {
  dae__sample left;   /* sample at the end of the searched interval */
  dae__sample before; /* sample before it; t = NaN: none since the last restart */
  dae__sample sided;  /* last sample on the side of e, the start of a bracket */
  double width;       /* width of the last cleared piece; 0: none since the last restart */
  double fourth;      /* usual |e4| of the cleared pieces */
  double scale;       /* largest |e| so far */
  /* Side of zero, -1 or +1. 0: none, since e starts at a zero: it takes the side to which its first
   * monotone piece leads beyond the band, without a crossing. */
  int side;
  double band;    /* largest |e| that counts as zero while there is no side, or while it leaves */
  bool leaves;    /* the side is given, and e has not left its zero yet */
  bool armed;     /* |e| has been beyond the limit of near misses since the last zero */
  int rebound;    /* side to which an action has reflected e; 0: none */
  double lost;    /* |e| on the other side up to which a reflected e may still be at zero */
  double t_fired; /* time of the last crossing that was an event; NaN: none */
  bool rebounded; /* whether an action reflected e at t_fired */
  long near;      /* number of near misses so far */
} dae__watch;

/* Starts a search at a sample. band: as above, used where |value| <= band. */
void dae__watch_start(dae__watch *w, dae__sample at, double band);

typedef struct dae__search {
  dae__sample_fn *sample;
  void *user;
  int direction;   /* crossings wanted: +1 rising, -1 falling, 0 both */
  double end;      /* end of the interval */
  double step;     /* length of the step to which the interval belongs */
  double near_tol; /* |e| of an extremum that counts as a near miss, over w->scale: rtol */
  double near_abs; /* the same, absolute: atol */
  int limit;       /* largest number of samples */
} dae__search;

typedef struct dae__found {
  bool crossing;        /* there is a crossing of the wanted direction, within the bracket */
  bool lost;            /* e left its zero to the side opposite to its rebound */
  bool close;           /* an extremum comes close to zero, see CLOSE in search.c */
  bool too_many;        /* the limit on samples was reached */
  dae__bracket bracket; /* bracket of the first crossing */
  int samples;          /* number of samples taken */
} dae__found;

/* Searches from w->left to the end of the interval or to the first crossing; w is advanced to the
 * start of the piece with the crossing, or to the end. */
dae_status dae__search_interval(const dae__search *s, dae__watch *w, dae__found *out,
                                dae_error *err);

/* Ends the search at the end of a run: a zero that e would reach just behind it, within the
 * tolerances of e and of the time, is a near miss. */
void dae__search_end(const dae__search *s, dae__watch *w);

/* Samples of a watch at the inner places and at the end of an interval. */
typedef struct dae__samples {
  double value[DAE__SEARCH_INNER + 1], rate[DAE__SEARCH_INNER + 1];
} dae__samples;

/* Times and distances of the samples of intervals that start and end together. */
typedef struct dae__places {
  double before, from; /* times of the sample before the interval, and of its start */
  double t[DAE__SEARCH_INNER + 1];
  double length;
  double behind;                  /* from - before, over the length */
  double over_behind, over_first; /* reciprocal distances of `before` from the first two samples */
} dae__places;

/* Place of t in a step of size h from `from`: exactly that of a sample, where t is the time of
 * one. */
static inline double dae__search_place(double t, double from, double h)
{
  return t == from + DAE__SEARCH_FIRST * h    ? DAE__SEARCH_FIRST
         : t == from + DAE__SEARCH_SECOND * h ? DAE__SEARCH_SECOND
                                              : (t - from) / h;
}

/* Places of an interval from `from`; the distances of a sample before it are left to
 * dae__search_clears. */
dae__places dae__search_places(double from, double end);

/* Whether the samples clear the whole interval of dae__search_interval without a division, with no
 * zero and no extremum near zero; *fourth: the usual |e4| after it. Never true where
 * dae__search_interval does something else. */
bool dae__search_clears(const dae__search *s, dae__places *p, const dae__watch *w,
                        const dae__samples *e, double *fourth);
/* Advances a watch over an interval that has been cleared. */
void dae__search_pass(const dae__places *p, dae__watch *w, const dae__samples *e, double fourth);

#endif
