/* The constructors of the SPARK family: what they take, which tableau. */
#include "onestep/spark/spark.h"
#include "core/error.h"
#include "linalg/solver.h"
#include "step/assembled.h"

static dae_status spark_check_problem(const dae_problem *problem, dae_error *err)
{
  if (problem->momentum)
    return DAE_OK;
  if (!problem->mechanical)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "spark",
                     "SPARK takes mechanical problems; this one has none: use bdf");
  if (problem->mechanical->nw > 0)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "spark",
                     "SPARK takes no algebraic variables; this problem has %d: use bdf-ggl",
                     problem->mechanical->nw);
  return DAE_OK;
}

dae_status dae__spark_accepts(const dae_problem *problem, dae_error *err)
{
  return dae__assembled_check_problem(problem, spark_check_problem, err);
}

/* Whether the linear systems are sparse ones. */
static bool spark_sparse(const dae_problem *problem)
{
  const dae_mechanical *m = problem->mechanical;
  const dae_momentum *p = problem->momentum;
  return m ? m->nq > DAE__DENSE_UP_TO && m->M_pattern
           : p->nz > DAE__DENSE_UP_TO && (p->p_z_pattern || !p->p);
}

/* Stages by tolerance and cost. The tolerance: what needed the fewest evaluations on the pendulum
 * and the car axis. The cost: with dense matrices few large steps save factorisations; with sparse
 * ones those cost no more than a few iterations, of which each is dearer with every stage, and one
 * stage less was the faster (docs/methods/spark.md). */
static int spark_stages_for(const dae_problem *problem, double rtol)
{
  int s = rtol > 1e-4 ? 3 : rtol > 3e-6 ? 4 : rtol > 3e-9 ? 5 : 6;
  return s > 4 && spark_sparse(problem) ? s - 1 : s;
}

typedef struct request {
  const char *method;
  dae_spark_family family;
  const dae_spark_tableau *tableau; /* the user's; NULL: of the family */
  const dae_spark_options *opts;
} request;

/* the tableau of a family; *order as it has */
static dae_status spark_take_tableau(const request *r, const dae_problem *problem,
                                     const dae_env *env, int *order, dae_spark_tableau **out,
                                     dae_error *err)
{
  const dae_spark_options *o = r->opts;
  bool gauss = r->family == DAE_SPARK_GAUSS, radau = r->family == DAE_SPARK_RADAU;
  dae_spark_hat hat = o->hat;
  if (r->family == DAE_SPARK_LOBATTO_A_X_B && hat == DAE_SPARK_HAT_SAME)
    hat = DAE_SPARK_HAT_B;
  int s = o->stages ? o->stages : spark_stages_for(problem, o->rtol) + (gauss || radau ? 0 : 1);
  *order = gauss ? 2 * s : radau ? 2 * s - 1 : 2 * s - 2;
  return dae_spark_tableau_create(r->family, hat, s, env, out, err);
}

/* the least that b and c say, which is right for the families too */
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
    if (!(sum - exact < 1e-10 && exact - sum < 1e-10) || order == 2 * t->s)
      return order > 0 ? order : 1;
    order++;
  }
}

static dae_status spark_create_single(const void *request_of, const dae_problem *problem,
                                      const dae_start *start, const dae_env *env,
                                      dae_integrator **out, dae_error *err)
{
  const request *r = request_of;
  dae_spark_tableau *owned = NULL;
  dae__spark_recipe recipe = {.method = r->method, .tableau = r->tableau, .opts = r->opts};
  dae_status status = spark_check_problem(problem, err);
  if (!status && !r->tableau)
    status = spark_take_tableau(r, problem, env, &recipe.order, &owned, err);
  DAE__TRY(status);
  if (owned)
    recipe.tableau = owned;
  else
    recipe.order = spark_order_of(r->tableau);
  dae__arena *arena = dae__arena_create(env);
  status = arena ? dae__spark_step_create(arena, &recipe, problem, start, owned, out, err)
                 : dae__out_of_memory(err);
  if (status) {
    dae__arena_free(arena);
    dae_spark_tableau_free(owned);
  }
  return status;
}

static dae_status create(const request *r, const dae_problem *problem, const dae_start *start,
                         const dae_env *env, dae_integrator **out, dae_error *err)
{
  *out = NULL;
  bool lobatto = r->family > DAE_SPARK_RADAU;
  DAE__TRY(dae_options_validate(lobatto ? &dae_spark_lobatto_option_table : &dae_spark_option_table,
                                r->opts, err));
  if (!lobatto && (r->opts->member || r->opts->hat))
    return dae__fail(err, DAE_ERROR_OPTION, r->opts->member ? "member" : "hat",
                     "%s has no members and hats to choose from: they are options of spark-lobatto",
                     r->method);
  return dae__assembled_create(problem, start, spark_create_single, r, env, out, err);
}

dae_status dae_spark_gauss_create(const dae_problem *problem, const dae_start *start,
                                  const dae_spark_options *opts, const dae_env *env,
                                  dae_integrator **out, dae_error *err)
{
  dae_spark_options defaults = dae_spark_defaults();
  request r = {.method = "spark-gauss", .family = DAE_SPARK_GAUSS, .opts = opts ? opts : &defaults};
  return create(&r, problem, start, env, out, err);
}

dae_status dae_spark_radau_create(const dae_problem *problem, const dae_start *start,
                                  const dae_spark_options *opts, const dae_env *env,
                                  dae_integrator **out, dae_error *err)
{
  dae_spark_options defaults = dae_spark_defaults();
  request r = {.method = "spark-radau", .family = DAE_SPARK_RADAU, .opts = opts ? opts : &defaults};
  return create(&r, problem, start, env, out, err);
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
  return create(&r, problem, start, env, out, err);
}

dae_status dae_spark_create(const dae_problem *problem, const dae_start *start,
                            const dae_spark_tableau *tableau, const dae_spark_options *opts,
                            const dae_env *env, dae_integrator **out, dae_error *err)
{
  dae_spark_options defaults = dae_spark_defaults();
  request r = {.method = "spark", .tableau = tableau, .opts = opts ? opts : &defaults};
  *out = NULL;
  dae_status status = dae_spark_tableau_validate(tableau, err);
  return status ? status : create(&r, problem, start, env, out, err);
}
