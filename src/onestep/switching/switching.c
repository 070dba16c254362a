/* To and fro between steppers that are not for stiff problems, gauss and the explicit pairs, and
 * radau.
 *
 * gauss begins: no other needs as little time for the digits it reaches. Where it is not accuracy
 * that limits its steps but convergence, which then fails again soon, explicit steps go on, and
 * gauss comes back once these have been far from their limit of stability for a while.
 *
 * To radau: the explicit pair tells the size of its steps in units of what stability allows, from
 * two slopes at the same time [HNW93, HW96 IV.2]. Steps near that limit count as stiff; after
 * VOTES of them without CALM others in a row radau takes over. That is a trial: its work per time
 * is compared with what those steps needed, and where it needs more they go on, to be left alone
 * twice as long as the time before.
 *
 * Back: radau's steps say nothing about stability, so the largest rate of the motion is followed by
 * a power iteration on the slopes, two evaluations at a time,
 *
 *   d1 = J d,  d2 = J d1,   rho = sqrt(|d2| / |d|),
 *
 * which gives the modulus of pairs of eigenvalues as well. Explicit steps of min(reach / rho, a
 * part of radau's step) have to be cheaper by some margin, several times in a row.
 *
 * At the start nothing has voted. The same power iteration tells there how fast the problem can
 * move; where that is far above how fast it does, and explicit steps would be many, radau begins,
 * on trial against what these would need.
 *
 * Work is counted in evaluations, with factorisations of the blocks in the same unit: nothing here
 * depends on clocks, or on rows that were shown. */
#include "onestep/switching/switching.h"
#include "core/error.h"
#include "core/log.h"
#include "core/vec.h"
#include <float.h>

#define VOTES 15   /* [HW96 IV.2], as in DOPRI5, */
#define CALM 6     /* the same */
#define NEAR 0.6   /* of the stability limit: where steps of a stiff motion linger */
#define TRIAL 12   /* steps of radau before it is judged; the first ones begin from nothing */
#define LOOK 5     /* steps of radau between two looks at the largest rate */
#define LOOKS 3    /* looks in a row that have to speak for explicit steps, */
#define MARGIN 1.5 /* by this factor */
#define PART 0.6   /* of radau's steps that explicit ones of the same accuracy reach */

/* radau begins where the largest rate is so many times that of the motion, and steps of the pair of
 * order 8 at the limit of stability would be at least so many */
#define FASTER 30
#define TOO_MANY 30
#define REACH 6
#define GUESSES 2 /* rounds of the power iteration; the first one sees of the largest rate */
#define SEEN 0.03 /* at least this part: all directions are in it, a thousandth of each */

#define LOOSE 1e-2    /* tolerance from which on gauss takes part, */
#define CONVERGES 2.0 /* and its first step in units of the largest rate: sweeps converge there */
/* explicit steps take over where its iteration fails twice in so many steps, of which the first 8
 * are bound by the first failure (integrator.h) */
#define AGAIN 12
/* steps in a row that are so far within the limit of stability before gauss comes back; three times
 * as many each time */
#define EASY 0.15
#define QUIET 30

/* states from which on radau begins: systems of that size are hardly ever free of fast modes, and
 * explicit steps of a hanging chain of N links are bound to 0.7/N. From 100 links on radau is ten
 * times faster there, and where it is not it goes back soon */
#define MANY 300

enum {
  SMOOTH,
  PLAIN,
  STIFF
}; /* gauss, a pair; STIFF and those after it: radau with 3, 5, 7 stages */

typedef struct memory {
  int stiff, calm; /* votes */
  long wait;       /* steps before the next trial, */
  long patience;   /* and after it, should it fail */
  long steps;      /* of the stepper at work since it took over */
  double t, work;  /* where the span began */
  double rate;     /* work per time of the explicit steps that voted; 0: not known */
  int looks;       /* that spoke for explicit steps */
  double rho;
  long failures; /* of the iteration of gauss so far, */
  long since;    /* and steps since the last one */
  long easy;     /* steps far from the limit of stability in a row, */
  long quiet;    /* and how many there have to be */
} memory;

typedef struct choice {
  memory *memory; /* kept */
  double *d;      /* kept: the direction of the power iteration */
  double *z, *k0, *k1;
  double per_attempt, reach; /* of explicit steps: evaluations, limit of stability */
  int usual;                 /* stepper of radau to begin with */
} choice;

/* ---- work ---- */

/* of the stepper at work so far, which is not gauss; only differences count */
static double switching_work(const dae__rk *o)
{
  const choice *c = o->choice;
  const dae_stats *m = &o->driver.memory->stats;
  const dae__stepper *s = &o->stepper[o->memory->current];
  if (s->table->work)
    return s->table->work(s->self);
  return c->per_attempt * (double)(m->steps + m->rejected_by_error + m->rejected_by_convergence);
}

static void switching_begin_span(dae__rk *o)
{
  memory *m = ((choice *)o->choice)->memory;
  m->t = o->driver.memory->t;
  m->work = switching_work(o);
}

static double switching_rate_of_span(const dae__rk *o)
{
  const memory *m = ((const choice *)o->choice)->memory;
  double time = o->driver.memory->t - m->t;
  return time > 0 ? (switching_work(o) - m->work) / time : 0;
}

/* ---- to and fro ---- */

static void switching_take_over(dae__rk *o, int to, double h)
{
  memory *m = ((choice *)o->choice)->memory;
  dae__rk_use(o, to);
  o->driver.memory->h = h;
  o->driver.memory->bounded = 0;
  m->steps = m->stiff = m->calm = m->looks = 0;
  m->easy = 0;
  switching_begin_span(o);
}

static void switching_go_over(dae__rk *o, int to, double h)
{
  dae__log(o->driver.env, DAE_LOG_INFO, "t = %.10g: %s", o->driver.memory->t,
           to >= STIFF ? "the motion is stiff, radau goes on" : "explicit steps go on");
  o->memory->switches++;
  switching_take_over(o, to, h);
}

/* gauss: to explicit steps where convergence limits it */
static void switching_watch_smooth(dae__rk *o)
{
  memory *m = ((choice *)o->choice)->memory;
  long failures = o->driver.memory->stats.rejected_by_convergence;
  bool failed = failures > m->failures, again = failed && m->failures > 0 && m->since < AGAIN;
  m->since = failed ? 0 : m->since + 1;
  m->failures = failures;
  if (again)
    switching_take_over(o, PLAIN, o->driver.memory->h);
}

static void switching_vote(dae__rk *o, double stiffness)
{
  choice *c = o->choice;
  memory *m = c->memory;
  if (m->wait > 0)
    m->wait--;
  else if (stiffness > NEAR)
    m->stiff++, m->calm = 0;
  else if (++m->calm >= CALM)
    m->stiff = 0;
  if (m->stiff == 0)
    switching_begin_span(o);
  if (m->stiff >= VOTES) {
    m->rate = switching_rate_of_span(o);
    switching_go_over(o, c->usual, o->driver.memory->h);
  }
}

/* explicit steps: to radau, or back to gauss */
static void switching_watch_plain(dae__rk *o)
{
  memory *m = ((choice *)o->choice)->memory;
  const dae__stepper *s = &o->stepper[PLAIN];
  double stiffness = s->table->stiffness(s->self);
  m->easy = stiffness < EASY ? m->easy + 1 : 0;
  if (o->opts.rtol > LOOSE || m->easy < QUIET + m->quiet) {
    switching_vote(o, stiffness);
    return;
  }
  m->quiet = 2 * QUIET + 3 * m->quiet;
  m->failures = o->driver.memory->stats.rejected_by_convergence;
  m->since = AGAIN;
  switching_take_over(o, SMOOTH, o->driver.memory->h);
}

/* radau on trial: back where it needs more work than the explicit steps did */
static bool switching_trial_fails(dae__rk *o)
{
  memory *m = ((choice *)o->choice)->memory;
  if (m->steps == TRIAL / 2)
    switching_begin_span(o);
  if (m->steps != TRIAL)
    return false;
  return m->rate > 0 && switching_rate_of_span(o) > m->rate;
}

/* ---- the largest rate ---- */

static double switching_norm(const dae__rk *o, const double *d)
{
  double sum = 0, floor = o->opts.atol / o->opts.rtol;
  for (int i = 0; i < o->adapter.nx; i++) {
    double x = d[i] / (fabs(o->now.z[i]) + floor);
    sum += x * x;
  }
  return sqrt(sum);
}

/* out = J d, by a difference; false where it cannot be had */
static bool switching_apply(dae__rk *o, const double *d, double *out)
{
  choice *c = o->choice;
  const dae__rk_adapter *adapter = &o->adapter;
  double t = o->driver.memory->t, size = switching_norm(o, d), scale = sqrt(DBL_EPSILON) / size;
  if (!(size > 0) || !isfinite(scale))
    return false;
  dae__copy(adapter->size, o->now.z, c->z);
  dae__axpy(adapter->nx, scale, d, c->z);
  if (adapter->table->slopes(adapter->self, false, t, c->z, out, NULL))
    return false;
  for (int i = 0; i < adapter->nx; i++)
    out[i] = (out[i] - c->k0[i]) / scale;
  return true;
}

/* rho by one round of the iteration, with c->k0 the slopes here */
static bool switching_go_round(dae__rk *o)
{
  choice *c = o->choice;
  const dae__rk_adapter *adapter = &o->adapter;
  double before = switching_norm(o, c->d);
  if (!(before > 0)) {
    dae__copy(adapter->nx, o->now.dz, c->d);
    for (int i = 0; i < adapter->nx; i++) /* no direction is left out */
      c->d[i] += (1e-3 * (1 + i % 7)) * (fabs(o->now.z[i]) + o->opts.atol / o->opts.rtol);
    before = switching_norm(o, c->d);
  }
  if (!switching_apply(o, c->d, c->k1) || !switching_apply(o, c->k1, c->d))
    return false;
  double after = switching_norm(o, c->d);
  if (!(after > 0) || !isfinite(after))
    return false;
  c->memory->rho = sqrt(after / before);
  dae__scale(adapter->nx, 1 / after, c->d);
  return true;
}

static bool switching_find_rho(dae__rk *o)
{
  choice *c = o->choice;
  const dae__rk_adapter *adapter = &o->adapter;
  dae__copy(adapter->size, o->now.z, c->z);
  return !adapter->table->slopes(adapter->self, false, o->driver.memory->t, c->z, c->k0, NULL) &&
         switching_go_round(o);
}

/* whether explicit steps would be cheaper by the margin */
static bool switching_free_is_cheaper(dae__rk *o, double *h)
{
  choice *c = o->choice;
  double step = o->driver.memory->t - o->driver.memory->t_previous;
  double rate = switching_rate_of_span(o);
  if (!switching_find_rho(o))
    return false;
  *h = fmin(PART * step, NEAR * c->reach / c->memory->rho);
  return MARGIN * c->per_attempt / *h < rate;
}

static void switching_watch_stiff(dae__rk *o)
{
  memory *m = ((choice *)o->choice)->memory;
  double h = 0;
  if (switching_trial_fails(o)) {
    m->patience = m->patience > 0 ? 2 * m->patience : 4 * VOTES;
    m->wait = m->patience;
    switching_go_over(o, PLAIN, o->driver.memory->h);
    return;
  }
  if (m->steps > TRIAL || o->memory->switches == 0) /* a trial is not disturbed, a start is */
    o->stepper[STIFF].table->select(o, STIFF);
  if (m->steps < TRIAL || m->steps % LOOK != 0)
    return;
  m->looks = switching_free_is_cheaper(o, &h) ? m->looks + 1 : 0;
  switching_begin_span(o);
  if (m->looks >= LOOKS)
    switching_go_over(o, PLAIN, h);
}

void dae__switching_start(dae__rk *o, double t_stop)
{
  const choice *c = o->choice;
  memory *m = c->memory;
  const dae__driver *driver = &o->driver;
  o->driver.largest_first = 0;
  if (o->memory->current >= STIFF)
    return;
  dae__copy(o->adapter.nx, o->now.dz, c->k0);
  double rate = driver->table->rate(driver->self, 1, o->opts.atol / o->opts.rtol, NULL, 0);
  for (int i = 0; i < GUESSES && (i == 0 || m->rho > SEEN * FASTER * rate); i++)
    if (!switching_go_round(o))
      return;
  double limit = REACH / m->rho, left = t_stop - driver->memory->t;
  if (!(m->rho > FASTER * rate) || left < TOO_MANY * limit) {
    o->driver.largest_first = o->memory->current == SMOOTH ? CONVERGES / m->rho : 0;
    return;
  }
  dae__log(driver->env, DAE_LOG_INFO, "t = %.10g: the motion is stiff, radau begins",
           driver->memory->t);
  o->memory->current = c->usual;
  m->steps = 0;
  m->rate = c->per_attempt * m->rho / c->reach;
  switching_begin_span(o);
}

void dae__switching_select_stepper(dae__rk *o)
{
  memory *m = ((choice *)o->choice)->memory;
  m->steps++;
  if (o->driver.memory->t_previous < m->t) /* it has begun anew, at an earlier time */
    switching_begin_span(o);
  if (o->memory->current == SMOOTH)
    switching_watch_smooth(o);
  else if (o->memory->current == PLAIN)
    switching_watch_plain(o);
  else
    switching_watch_stiff(o);
}

/* ---- creation ---- */

dae_status dae__switching_create(dae__rk *o, dae__arena *arena, dae_error *err)
{
  choice *c = DAE__ALLOC(arena, choice, 1);
  if (!c)
    return dae__out_of_memory(err);
  o->choice = c;
  c->memory = DAE__STATE(arena, memory, 1);
  c->d = DAE__STATE(arena, double, o->adapter.size);
  c->z = DAE__ALLOC(arena, double, o->adapter.size);
  c->k0 = DAE__ALLOC(arena, double, o->adapter.size);
  c->k1 = DAE__ALLOC(arena, double, o->adapter.size);
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

void dae__switching_select_first(dae__rk *o, double per_attempt, double reach)
{
  choice *c = o->choice;
  c->per_attempt = per_attempt;
  c->reach = reach;
  c->usual = o->memory->current;
  o->memory->current = o->adapter.nx > MANY ? c->usual : o->opts.rtol > LOOSE ? PLAIN : SMOOTH;
}
