/* Measures of a state vector.
 *
 * Drift is the largest residual of each level over all constraints, dependent ones included.
 *
 * Energy is E = v.p - T + V, which is T + V where T is quadratic in v. By the equations of motion
 *
 *   dE/dt = v.F - lambda.G v - psi.K v - dT/dt|_v + dV/dt = power,     or B v for [G; K] v
 *
 * rates at fixed v along the motion: the power of forces outside V and of moving constraints. It
 * includes changes of T and V by extra states and inputs. Without the user's energy T = v.p/2,
 * V = 0, and the power is that of all forces. */
#include "problem/measure.h"
#include "core/error.h"
#include "core/mutant.h"
#include "core/vec.h"
#include "problem/coupled/assembly.h"
#include "problem/mechanical/mech.h"
#include "problem/momentum/momentum.h"
#include "problem/problem.h"
#include "problem/semi_explicit/semi.h"

struct dae__measure {
  dae__assembly *assembly; /* assembly of a coupled problem, else NULL */
  dae__mech *m;            /* form of the problem: one of m, s, n, the others are NULL */
  dae__semi *s;
  dae__momentum *n;
  double *y; /* state vector in the order of the assembled problem */
  double *p, *F, *u_rate;
  double *qv;                /* positions and velocities of the last energy measured */
  double *q_moved, *u_moved; /* point (q + d v, u + d u') of differences of T and V */
  double *in_rate;
  double *Gv, *G, *K, *B, *residual;
};

static dae_status measure_mechanical(dae__arena *arena, const dae_problem *problem,
                                     dae__measure *measure, dae_error *err)
{
  DAE__TRY(dae__mech_create(arena, problem, &measure->m, err));
  const dae__mech *m = measure->m;
  double **vectors[] = {&measure->p,       &measure->F,       &measure->q_moved, &measure->u_rate,
                        &measure->u_moved, &measure->in_rate, &measure->qv};
  int sizes[] = {m->nq, m->nq, m->nq, m->nu, m->nu, m->p->nin, 2 * m->nq};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = DAE__ALLOC(arena, double, sizes[i]);
  measure->Gv = DAE__ALLOC(arena, double, m->nc);
  measure->residual = DAE__ALLOC(arena, double, m->ng + m->nc);
  measure->G = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  measure->K = DAE__ALLOC(arena, double, dae__pattern_count(&m->K));
  measure->B = DAE__ALLOC(arena, double, dae__pattern_count(&m->B));
  return DAE_OK;
}

dae_status dae__measure_create(dae__arena *arena, const dae_problem *problem, dae__measure **out,
                               dae_error *err)
{
  dae__measure *measure = DAE__ALLOC(arena, dae__measure, 1);
  dae_status status = dae_problem_validate(problem, err);
  *out = NULL;
  DAE__TRY(status);
  DAE__TRY(dae__arena_status(arena, err));
  if (problem->coupled) {
    measure->y = DAE__ALLOC(arena, double, dae_problem_size(problem));
    DAE__TRY(dae__assembly_create(arena, problem, &measure->assembly, err));
    problem = dae__assembly_problem(measure->assembly);
  }
  if (problem->mechanical) {
    status = measure_mechanical(arena, problem, measure, err);
  } else if (problem->momentum) {
    status = dae__momentum_create(arena, problem, &measure->n, err);
    if (!status)
      measure->residual = DAE__ALLOC(arena, double, measure->n->ng + measure->n->nc);
  } else {
    status = dae__semi_create(arena, problem, &measure->s, err);
    if (!status)
      measure->residual = DAE__ALLOC(arena, double, dae_problem_size(problem));
  }
  if (!status && dae__arena_failed(arena))
    status = dae__out_of_memory(err);
  if (!status)
    *out = measure;
  return status;
}

/* Nothing is freed: all memory belongs to the arena. */
/* state vector in the order of the assembled problem */
static const double *measure_assembled(dae__measure *measure, const double *y)
{
  if (!measure->assembly)
    return y;
  dae__assembly_gather(measure->assembly, y, measure->y);
  return measure->y;
}

dae_status dae__measure_drift(dae__measure *measure, double t, const double *y, double *position,
                              double *velocity, dae_error *err)
{
  *position = *velocity = NAN;
  y = measure_assembled(measure, y);
  if (measure->s) {
    dae__semi *s = measure->s;
    DAE__TRY(dae__semi_rhs(s, t, y, measure->residual, err));
    if (s->ny > 0)
      *position = dae__max_abs(s->ny, measure->residual + s->nx);
    return DAE_OK;
  }
  int ng = measure->n ? measure->n->ng : measure->m->ng;
  int nc = measure->n ? measure->n->nc : measure->m->nc;
  double *g = measure->residual, *gdot = g + ng, *k = gdot + ng;
  dae_status status;
  if (measure->n) {
    dae_momentum_at at = {.t = t, .y = y, .z = y + measure->n->at.z};
    status = dae__momentum_eval(measure->n, DAE__G, &at, NULL, g, err);
    if (!status)
      status = dae__momentum_eval(measure->n, DAE__GDOT, &at, NULL, gdot, err);
    if (!status)
      status = dae__momentum_eval(measure->n, DAE__K, &at, NULL, k, err);
  } else {
    dae_mechanical_at at = dae__mech_at(measure->m, t, y);
    dae_mechanical_wanted want = {.g = g, .gdot = gdot, .G = measure->G, .k = k};
    status = dae__mech_eval(measure->m, &at, &want, err);
  }
  if (ng > 0)
    *position = DAE__MUTATE(position_drift, dae__max_abs(ng, g), 0.0);
  if (DAE__MUTATE(velocity_drift_holonomic, nc > 0, nc > ng))
    *velocity = dae__max_abs(DAE__MUTATE(velocity_drift_nonholonomic, nc, ng), gdot);
  return status;
}

/* Drift that counts as round-off: a hundred times the tolerance of the projection. */
#define DRIFT_ROUND_OFF 1e-10

double dae__measure_drift_tolerances(dae__measure *measure, const double *y, double rtol,
                                     double atol)
{
  const dae__mech *m = measure->m;
  double worst = 0;
  for (int level = 0; m && level < 2; level++) { /* g by errors of q, G v by errors of v */
    const dae_mechanical_at at = dae__mech_at(measure->m, 0, measure_assembled(measure, y));
    const double *x = level == 0 ? at.q : at.v, *drift = measure->residual + level * m->ng;
    double *scale = measure->Gv;
    dae__zero(m->nc, scale);
    for (int j = 0; j < m->G.cols; j++)
      for (int e = m->G.start[j]; e < m->G.start[j + 1]; e++)
        scale[m->G.row[e]] += fabs(measure->G[e]) * (rtol * fabs(x[j]) + atol);
    for (int i = 0; i < m->ng; i++)
      if (fabs(drift[i]) > DRIFT_ROUND_OFF && scale[i] > 0)
        worst = fmax(worst, fabs(drift[i]) / scale[i]);
  }
  return worst;
}

/* Largest time increment of central differences of energy and inputs. Chosen, not measured. */
#define TIME_INCREMENT 1e-4
/* Weights of central differences of fourth order at the points -2 ... 2. */
static const double weight[5] = {1. / 12, -8. / 12, 0, 8. / 12, -1. / 12};

static dae_status measure_differenced_rates(dae__measure *measure, const dae_mechanical_at *at,
                                            double *dT, double *dV, dae_error *err)
{
  dae__mech *m = measure->m;
  bool has;
  double q = dae__max_abs(m->nq, at->q), v = dae__max_abs(m->nq, at->v);
  double d = fmin(1e-3 * (v > 0 ? q / v + 0.1 : 1), TIME_INCREMENT); /* 0.1: q may cross zero */
  *dT = *dV = 0;
  for (int i = -2; i <= 2; i++) {
    dae_mechanical_at moved = *at;
    double T, V;
    moved.t = at->t + i * d;
    moved.q = measure->q_moved;
    moved.u = measure->u_moved;
    for (int j = 0; j < m->nq; j++)
      measure->q_moved[j] = at->q[j] + i * d * at->v[j];
    for (int j = 0; j < m->nu; j++)
      measure->u_moved[j] = at->u[j] + i * d * measure->u_rate[j];
    DAE__TRY(dae__mech_energy(m, &moved, &T, &V, &has, err));
    *dT += weight[i + 2] * T / d;
    *dV += weight[i + 2] * V / d;
  }
  return DAE_OK;
}

/* Rates of T and V along the motion, with v held fixed. */
static dae_status measure_energy_rates(dae__measure *measure, const dae_mechanical_at *at,
                                       double *dT, double *dV, dae_error *err)
{
  dae__mech *m = measure->m;
  int nin = m->p->nin;
  if (!m->p->energy) { /* no energy callback: T = v.p/2, V = 0 */
    dae_status status = dae__mech_p_rate(m, at, measure->q_moved, err);
    *dT = dae__dot(m->nq, at->v, measure->q_moved) / 2;
    *dV = 0;
    return status;
  }
  if (!m->p->energy_rate)
    return measure_differenced_rates(measure, at, dT, dV, err);
  /* rates of the inputs by differences: inputs are functions of time, given without derivatives */
  dae__zero(nin, measure->in_rate);
  for (int i = -2; i <= 2 && nin > 0; i++) {
    DAE__TRY(dae__mech_inputs(m, at->t + i * TIME_INCREMENT, err));
    dae__axpy(nin, weight[i + 2] / TIME_INCREMENT, m->in, measure->in_rate);
  }
  return dae__mech_energy_rate(m, at, nin > 0 ? measure->in_rate : NULL, dT, dV, err);
}

bool dae__measure_workless(const dae__measure *measure)
{
  const dae__mech *m = measure->m;
  return m && !m->directed && m->nk == 0 && (m->ng == 0 || m->p->time_free_g);
}

/* Power of the forces that are not included in the energy, at the state vector y in assembled
 * order. */
static dae_status measure_mechanical_power(dae__measure *measure, const dae_mechanical_at *at,
                                           const double *y, double *power, dae_error *err)
{
  dae__mech *m = measure->m;
  bool workless = dae__measure_workless(measure), rates = m->nu > 0 && !m->p->energy_rate;
  dae_mechanical_wanted want = {.G = workless ? NULL : measure->G,
                                .K = workless ? NULL : measure->K,
                                .B = measure->B,
                                .s = rates ? measure->u_rate : NULL};
  double dT, dV;
  DAE__TRY(workless && !rates ? DAE_OK : dae__mech_eval(m, at, &want, err));
  DAE__TRY(measure_energy_rates(measure, at, &dT, &dV, err));
  DAE__TRY(dae__mech_F(m, at, measure->F, err));
  *power = dae__dot(m->nq, at->v, measure->F) - dT + dV;
  if (workless)
    return DAE_OK;
  dae__zero(m->nc, measure->Gv);
  if (m->directed) {
    dae__matrix_times(&m->B, measure->B, 1, at->v, measure->Gv); /* B v */
  } else {
    dae__matrix_times(&m->G, measure->G, 1, at->v, measure->Gv);         /* G v */
    dae__matrix_times(&m->K, measure->K, 1, at->v, measure->Gv + m->ng); /* K v */
  }
  *power -= dae__dot(m->nc, y + m->at.lambda, measure->Gv);
  return DAE_OK;
}

dae_status dae__measure_power(dae__measure *measure, double t, const double *y, double *power,
                              dae_error *err)
{
  *power = NAN;
  if (!measure->m)
    return DAE_OK;
  y = measure_assembled(measure, y);
  dae_mechanical_at at = dae__mech_at(measure->m, t, y);
  return measure_mechanical_power(measure, &at, y, power, err);
}

dae_status dae__measure_energy(dae__measure *measure, double t, const double *y, double *energy,
                               double *power, bool *has_potential, dae_error *err)
{
  dae__mech *m = measure->m;
  dae__momentum *n = measure->n;
  *energy = *power = NAN;
  *has_potential = n && n->p->energy;
  if (*has_potential) { /* no power: the forces outside the energy are not known */
    dae_momentum_at at = {.t = t, .y = y, .z = y + n->at.z};
    int code = n->p->energy(n->p->user, &at, energy);
    return dae__callback_status(n->why, code, "energy", t, err);
  }
  if (!m)
    return DAE_OK;
  y = measure_assembled(measure, y);
  dae_mechanical_at at = dae__mech_at(m, t, y);
  double T, V;
  DAE__TRY(dae__mech_energy(m, &at, &T, &V, has_potential, err));
  DAE__TRY(dae__mech_p(m, &at, measure->p, err));
  DAE__TRY(measure_mechanical_power(measure, &at, y, power, err));
  *energy = dae__dot(m->nq, at.v, measure->p) - T + V;
  dae__copy(m->nq, at.q, measure->qv);
  dae__copy(m->nq, at.v, measure->qv + m->nq);
  return DAE_OK;
}

double dae__measure_energy_tolerance(const dae__measure *measure, double rtol, double atol)
{
  const dae__mech *m = measure->m;
  const double *q = measure->qv, *v = m ? q + m->nq : NULL;
  double sum = m ? 0 : NAN;
  for (int i = 0; m && i < m->nq; i++) /* dE = p.dv - F.dq */
    sum += fabs(measure->p[i]) * (rtol * fabs(v[i]) + atol) +
           fabs(measure->F[i]) * (rtol * fabs(q[i]) + atol);
  return sum;
}

double dae__measure_kinetic(const dae__measure *measure)
{
  const dae__mech *m = measure->m;
  return m ? dae__dot(m->nq, measure->qv + m->nq, measure->p) / 2 : NAN;
}
