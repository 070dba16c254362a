/* Options and constructors of the SPARK family: supported problems, choice of the tableau. */
#include "onestep/spark/spark.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/option_rows.h"
#include "core/options.h"
#include "linalg/solver.h"
#include "onestep/spark/spark_step.h"
#include "quadrature/nodes.h"
#include <math.h>

/* Deviation up to which a quadrature rule is exact. Chosen, not measured. */
#define ORDER_TOLERANCE 1e-10
/* Number of steps during which step sizes are kept below a size at which the iteration failed.
 * Chosen, not measured. */
#define BOUNDED_STEPS 20

/* ---- options ---- */

#define OPTIONS dae_spark_options

static const char *const estimates[] = {"embedded", "doubling", NULL};
static const char *const members[] = {"AB", "C", "D", NULL};
static const char *const hats[] = {"same", "A", "B", "C", "C*", "D", NULL};

/* clang-format off */
#define COMMON_OPTIONS(order)                                                                      \
  RTOL, ATOL,                                                                                      \
  COUNT(stages, 0, DAE_SPARK_MAX_STAGES,                                                           \
      "stages s, of order " order ", 0: by tolerance and cost"),                                   \
  STEP, FIRST_STEP, MAX_STEP,                                                                      \
  CHOICE(estimate, estimates,                                                                      \
      "error estimate: embedded, without further evaluations, or by two steps of half the size"),  \
  FLAG(project,                                                                                    \
      "project accepted and interpolated states onto the constraints"),                            \
  MAX_FAILURES

static const dae_option options[] = {COMMON_OPTIONS("2s (spark-radau: 2s - 1)")};

static const dae_option lobatto_options[] = {
    COMMON_OPTIONS("2s - 2"),
    CHOICE(member, members,
        "IIIA-x-IIIB on s nodes (RATTLE for s = 2), or with g at s + 1 nodes IIIC or IIID"),
    CHOICE(hat, hats, "x of member AB, the matrix Ah of the forces; same: B"),
};
/* clang-format on */

const dae_option_table dae_spark_option_table = TABLE("spark", options);
const dae_option_table dae_spark_lobatto_option_table = TABLE("spark-lobatto", lobatto_options);

dae_spark_options dae_spark_defaults(void)
{
  return (dae_spark_options){.rtol = 1e-6, .project = true, .max_failures = 30};
}

/* ---- problems and tableaux ---- */

static dae_status spark_check_problem(const dae__onestep_descriptor *descriptor,
                                      const dae_problem *problem, dae_error *err)
{
  (void)descriptor;
  if (problem->momentum)
    return DAE_OK;
  if (!problem->mechanical)
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, "spark",
        "SPARK takes mechanical problems and the momentum form; this problem is neither: use bdf");
  if (problem->mechanical->nw > 0)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "spark",
                     "SPARK takes no algebraic variables; this problem has %d: use bdf-ggl",
                     problem->mechanical->nw);
  if (problem->mechanical->B)
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, "spark",
        "SPARK takes constraint forces along the gradients of their constraints; those "
        "of this problem have directions of their own: use gauss, radau or bdf-ggl");
  return DAE_OK;
}

dae_status dae__spark_accepts(const dae_problem *problem, dae_error *err)
{
  const dae__onestep_descriptor descriptor = {.check_problem = spark_check_problem};
  return dae__onestep_accepts(&descriptor, problem, err);
}

/* order of the quadrature rule: largest p <= 2s for which it is exact for the Legendre polynomials
 * up to degree p - 1; a lower bound of the order of the method, attained by the families */
static int spark_order_of(const dae_spark_tableau *t)
{
  for (int order = 0; order < 2 * t->s; order++) {
    long double sum = 0, P, dP;
    for (int i = 0; i < t->s; i++) {
      dae__legendre(order, 2 * (long double)t->c[i] - 1, &P, &dP);
      sum += t->b[i] * P;
    }
    if (!(fabsl(sum - (order == 0)) < ORDER_TOLERANCE))
      return order > 0 ? order : 1;
  }
  return 2 * t->s;
}

/* ---- creation ---- */

typedef struct request {
  const char *method;
  dae_spark_family family;
  const dae_spark_tableau *tableau; /* tableau given by the user; NULL: tableau of the family */
  const dae_spark_options *opts;    /* NULL: defaults */
} request;

/* Number of stages by tolerance and cost. By the tolerance: fewest evaluations for the pendulum and
 * the car axis. By the cost: with dense matrices few large steps save factorisations; with sparse
 * matrices a factorisation costs no more than a few iterations, whose cost grows with every stage,
 * and one stage less was faster (docs/methods/spark.md). */
static dae_status spark_create_steppers(dae__onestep *o, dae__arena *arena, dae_error *err)
{
  const request *r = o->descriptor.data;
  const dae_spark_options *opts = r->opts;
  const dae_mechanical *m = o->adapter.problem->mechanical;
  const dae_momentum *p = o->adapter.problem->momentum;
  dae__spark_method method = {.tableau = r->tableau, .opts = opts};
  if (!r->tableau) {
    bool lobatto = r->family > DAE_SPARK_RADAU, ab = r->family == DAE_SPARK_LOBATTO_A_X_B;
    bool sparse = m ? m->nq > DAE__DENSE_UP_TO && m->M_pattern
                    : p->nz > DAE__DENSE_UP_TO && (p->p_z_pattern || !p->p);
    dae_spark_hat hat = ab && opts->hat == DAE_SPARK_HAT_SAME ? DAE_SPARK_HAT_B : opts->hat;
    int s = opts->rtol > 1e-4 ? 3 : opts->rtol > 3e-6 ? 4 : opts->rtol > 3e-9 ? 5 : 6;
    s = opts->stages ? opts->stages : s - (s > 4 && sparse) + lobatto;
    DAE__TRY(dae_spark_tableau_create(r->family, hat, s, o->env, &method.owned, err));
    method.tableau = method.owned;
  }
  method.order = spark_order_of(method.tableau);
  return dae__spark_create_stepper(o, arena, &method, err);
}

static uint64_t spark_hash_tableau(const dae_spark_tableau *t)
{
  size_t s = (size_t)t->s, nt = (size_t)t->nt;
  const double *const array[] = {t->c, t->b, t->A, t->bh, t->Ah, t->ct, t->bt, t->Ab, t->At};
  const size_t count[] = {s, s, s * s, s, s * s, nt, nt, nt * s, s * nt};
  uint64_t h = DAE__HASH_START;
  for (size_t i = 0; i < sizeof count / sizeof *count; i++)
    h = dae__hash(h, array[i], count[i] * sizeof(double));
  return h;
}

static dae_status spark_create_method(const request *r, const dae_problem *problem,
                                      const dae_start *start, const dae_env *env,
                                      dae_integrator **out, dae_error *err)
{
  dae_spark_options o = r->opts ? *r->opts : dae_spark_defaults();
  static const dae_spark_family of_member[] = {[DAE_SPARK_MEMBER_AB] = DAE_SPARK_LOBATTO_A_X_B,
                                               [DAE_SPARK_MEMBER_C] = DAE_SPARK_LOBATTO_C,
                                               [DAE_SPARK_MEMBER_D] = DAE_SPARK_LOBATTO_D};
  bool lobatto = r->family > DAE_SPARK_RADAU;
  *out = NULL;
  const dae_option_table *table =
      lobatto ? &dae_spark_lobatto_option_table : &dae_spark_option_table;
  DAE__TRY(dae_options_validate(table, &o, err));
  o.atol = dae__options_atol(o.rtol, o.atol);
  if (!lobatto && (o.member || o.hat))
    return dae__fail(err, DAE_ERROR_OPTION, o.member ? "member" : "hat",
                     "%s has no options member and hat: they are options of spark-lobatto",
                     r->method);
  request chosen = {r->method, lobatto ? of_member[o.member] : r->family, r->tableau, &o};
  dae__onestep_descriptor descriptor = {
      .needs = {.method = r->method, .form = DAE__FORM_MECHANICAL, .singular = true},
      .bounded_steps = BOUNDED_STEPS,
      .check_problem = spark_check_problem,
      .create_steppers = spark_create_steppers,
      .options = &o,
      .table = table,
      .other = r->tableau ? spark_hash_tableau(r->tableau) : 0,
      .data = &chosen};
  dae_step_options control = DAE__STEP_OPTIONS(o, o.project);
  return dae__onestep_create(&descriptor, &control, problem, start, env, out, err);
}

#define SPARK_METHOD(id, name, family)                                                             \
  dae_status dae_spark_##id##_create(const dae_problem *problem, const dae_start *start,           \
                                     const dae_spark_options *opts, const dae_env *env,            \
                                     dae_integrator **out, dae_error *err)                         \
  {                                                                                                \
    const request r = {name, family, NULL, opts};                                                  \
    return spark_create_method(&r, problem, start, env, out, err);                                 \
  }
SPARK_METHOD(gauss, "spark-gauss", DAE_SPARK_GAUSS)
SPARK_METHOD(radau, "spark-radau", DAE_SPARK_RADAU)
SPARK_METHOD(lobatto, "spark-lobatto", DAE_SPARK_LOBATTO_A_X_B)

dae_status dae_spark_create(const dae_problem *problem, const dae_start *start,
                            const dae_spark_tableau *tableau, const dae_spark_options *opts,
                            const dae_env *env, dae_integrator **out, dae_error *err)
{
  const request r = {"spark", DAE_SPARK_GAUSS, tableau, opts};
  *out = NULL;
  DAE__TRY(dae_spark_tableau_validate(tableau, err));
  return spark_create_method(&r, problem, start, env, out, err);
}
