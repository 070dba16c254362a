/* Options and constructors of the SPARK family: supported problems, choice of the tableau. */
#include "onestep/spark/spark.h"
#include "core/error.h"
#include "linalg/solver.h"
#include "step/assembled.h"
#include <float.h>
#include <math.h>

/* Deviation up to which a condition b' c^k = 1/(k+1) of the order of a quadrature rule holds.
 * Chosen, not measured. */
#define ORDER_TOLERANCE 1e-10

/* ---- options ---- */

#define ROW(type, name, min, max, words, help)                                                     \
  {                                                                                                \
#name, type, offsetof(dae_spark_options, name), min, max, words, help                          \
  }

static const char *const estimates[] = {"embedded", "doubling", NULL};
static const char *const members[] = {"AB", "C", "D", NULL};
static const char *const hats[] = {"same", "A", "B", "C", "C*", "D", NULL};

/* clang-format off */
#define COMMON_OPTIONS(order)                                                                      \
  ROW(DAE_OPTION_DOUBLE, rtol, 1e-14, 1, NULL, "relative tolerance"),                              \
  ROW(DAE_OPTION_DOUBLE, atol, DBL_MIN, INFINITY, NULL, "absolute tolerance"),                     \
  ROW(DAE_OPTION_INT, stages, 0, DAE_SPARK_MAX_STAGES, NULL,                                       \
      "stages s, of order " order ", 0: by tolerance and cost"),                                   \
  ROW(DAE_OPTION_DOUBLE, step, 0, INFINITY, NULL, "fixed step size, 0: variable"),                 \
  ROW(DAE_OPTION_DOUBLE, first_step, 0, INFINITY, NULL, "first step size to try, 0: chosen"),      \
  ROW(DAE_OPTION_DOUBLE, max_step, 0, INFINITY, NULL, "largest step size, 0: no limit"),           \
  ROW(DAE_OPTION_CHOICE, estimate, 0, 0, estimates,                                                \
      "error estimate: embedded, without further evaluations, or by two steps of half the size"),  \
  ROW(DAE_OPTION_BOOL, project, 0, 0, NULL,                                                        \
      "project accepted and interpolated states onto the constraints"),                            \
  ROW(DAE_OPTION_INT, max_failures, 1, 1000, NULL, "failed attempts at one step before giving up")

static const dae_option options[] = {COMMON_OPTIONS("2s (spark-radau: 2s - 1)")};

static const dae_option lobatto_options[] = {
    COMMON_OPTIONS("2s - 2"),
    ROW(DAE_OPTION_CHOICE, member, 0, 0, members,
        "IIIA-x-IIIB on s nodes (RATTLE for s = 2), or with g at s + 1 nodes IIIC or IIID"),
    ROW(DAE_OPTION_CHOICE, hat, 0, 0, hats, "x of member AB, the matrix Ah of the forces; same: B"),
};
/* clang-format on */

const dae_option_table dae_spark_option_table = {
    .owner = "spark", .options = options, .count = sizeof options / sizeof *options};

const dae_option_table dae_spark_lobatto_option_table = {.owner = "spark-lobatto",
                                                         .options = lobatto_options,
                                                         .count = sizeof lobatto_options /
                                                                  sizeof *lobatto_options};

dae_spark_options dae_spark_defaults(void)
{
  return (dae_spark_options){.rtol = 1e-6, .atol = 1e-8, .project = true, .max_failures = 20};
}

/* ---- problems and tableaux ---- */

static dae_status spark_check_problem(const void *method, const dae_problem *problem,
                                      dae_error *err)
{
  (void)method;
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
  return DAE_OK;
}

dae_status dae__spark_accepts(const dae_problem *problem, dae_error *err)
{
  return dae__assembled_check_problem(problem, spark_check_problem, NULL, err);
}

/* Number of stages by tolerance and cost. By the tolerance: fewest evaluations for the pendulum and
 * the car axis. By the cost: with dense matrices few large steps save factorisations; with sparse
 * matrices a factorisation costs no more than a few iterations, whose cost grows with every stage,
 * and one stage less was faster (docs/methods/spark.md). */
static int spark_stages_for(const dae_problem *problem, double rtol)
{
  const dae_mechanical *m = problem->mechanical;
  const dae_momentum *p = problem->momentum;
  bool sparse = m ? m->nq > DAE__DENSE_UP_TO && m->M_pattern
                  : p->nz > DAE__DENSE_UP_TO && (p->p_z_pattern || !p->p);
  int s = rtol > 1e-4 ? 3 : rtol > 3e-6 ? 4 : rtol > 3e-9 ? 5 : 6;
  return s > 4 && sparse ? s - 1 : s;
}

/* order of the quadrature rule: largest p <= 2s with b' c^k = 1/(k+1) for k < p; a lower bound of
 * the order of the method, attained by the families */
static int spark_order_of(const dae_spark_tableau *t)
{
  int order = 0;
  for (double exact = 1;; exact = 1.0 / (order + 1)) {
    double sum = 0;
    for (int i = 0; i < t->s; i++) {
      double power = t->b[i];
      for (int k = 0; k < order; k++)
        power *= t->c[i];
      sum += power;
    }
    if (!(sum - exact < ORDER_TOLERANCE && exact - sum < ORDER_TOLERANCE) || order == 2 * t->s)
      return order > 0 ? order : 1;
    order++;
  }
}

/* ---- creation ---- */

typedef struct request {
  const char *method;
  dae_spark_family family;
  const dae_spark_tableau *tableau; /* tableau given by the user; NULL: tableau of the family */
  const dae_spark_options *opts;
} request;

static dae_status spark_create_single(const void *request_of, const dae_problem *problem,
                                      const dae_start *start, const dae_env *env,
                                      dae_integrator **out, dae_error *err)
{
  const request *r = request_of;
  const dae_spark_options *o = r->opts;
  dae_spark_tableau *owned = NULL;
  dae__spark_descriptor descriptor = {.method = r->method, .tableau = r->tableau, .opts = o};
  DAE__TRY(spark_check_problem(NULL, problem, err));
  if (r->tableau)
    descriptor.order = spark_order_of(r->tableau);
  else {
    bool gauss = r->family == DAE_SPARK_GAUSS, radau = r->family == DAE_SPARK_RADAU;
    bool ab = r->family == DAE_SPARK_LOBATTO_A_X_B;
    dae_spark_hat hat = ab && o->hat == DAE_SPARK_HAT_SAME ? DAE_SPARK_HAT_B : o->hat;
    int s = o->stages ? o->stages : spark_stages_for(problem, o->rtol) + (gauss || radau ? 0 : 1);
    descriptor.order = gauss ? 2 * s : radau ? 2 * s - 1 : 2 * s - 2;
    DAE__TRY(dae_spark_tableau_create(r->family, hat, s, env, &owned, err));
    descriptor.tableau = owned;
  }
  dae__arena *arena = dae__arena_create(env);
  dae_status status =
      arena ? dae__spark_integrator_create(arena, &descriptor, problem, start, owned, out, err)
            : dae__out_of_memory(err);
  if (status) {
    dae__arena_free(arena);
    dae_spark_tableau_free(owned);
  }
  return status;
}

static dae_status spark_create(const request *r, const dae_problem *problem, const dae_start *start,
                               const dae_env *env, dae_integrator **out, dae_error *err)
{
  *out = NULL;
  bool lobatto = r->family > DAE_SPARK_RADAU;
  DAE__TRY(dae_options_validate(lobatto ? &dae_spark_lobatto_option_table : &dae_spark_option_table,
                                r->opts, err));
  if (!lobatto && (r->opts->member || r->opts->hat))
    return dae__fail(err, DAE_ERROR_OPTION, r->opts->member ? "member" : "hat",
                     "%s has no options member and hat: they are options of spark-lobatto",
                     r->method);
  return dae__assembled_create(problem, start, spark_create_single, r, env, out, err);
}

dae_status dae_spark_gauss_create(const dae_problem *problem, const dae_start *start,
                                  const dae_spark_options *opts, const dae_env *env,
                                  dae_integrator **out, dae_error *err)
{
  dae_spark_options defaults = dae_spark_defaults();
  request r = {.method = "spark-gauss", .family = DAE_SPARK_GAUSS, .opts = opts ? opts : &defaults};
  return spark_create(&r, problem, start, env, out, err);
}

dae_status dae_spark_radau_create(const dae_problem *problem, const dae_start *start,
                                  const dae_spark_options *opts, const dae_env *env,
                                  dae_integrator **out, dae_error *err)
{
  dae_spark_options defaults = dae_spark_defaults();
  request r = {.method = "spark-radau", .family = DAE_SPARK_RADAU, .opts = opts ? opts : &defaults};
  return spark_create(&r, problem, start, env, out, err);
}

dae_status dae_spark_lobatto_create(const dae_problem *problem, const dae_start *start,
                                    const dae_spark_options *opts, const dae_env *env,
                                    dae_integrator **out, dae_error *err)
{
  static const dae_spark_family families[] = {[DAE_SPARK_MEMBER_AB] = DAE_SPARK_LOBATTO_A_X_B,
                                              [DAE_SPARK_MEMBER_C] = DAE_SPARK_LOBATTO_C,
                                              [DAE_SPARK_MEMBER_D] = DAE_SPARK_LOBATTO_D};
  dae_spark_options defaults = dae_spark_defaults();
  request r = {.method = "spark-lobatto", .opts = opts ? opts : &defaults};
  *out = NULL;
  DAE__TRY(dae_options_validate(&dae_spark_lobatto_option_table, r.opts, err));
  r.family = families[r.opts->member];
  return spark_create(&r, problem, start, env, out, err);
}

dae_status dae_spark_create(const dae_problem *problem, const dae_start *start,
                            const dae_spark_tableau *tableau, const dae_spark_options *opts,
                            const dae_env *env, dae_integrator **out, dae_error *err)
{
  dae_spark_options defaults = dae_spark_defaults();
  request r = {.method = "spark", .tableau = tableau, .opts = opts ? opts : &defaults};
  *out = NULL;
  DAE__TRY(dae_spark_tableau_validate(tableau, err));
  return spark_create(&r, problem, start, env, out, err);
}
