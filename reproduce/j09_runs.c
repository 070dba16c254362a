/* One run of a SPARK method with a fixed step, observed after every step. */
#include "j09.h"

#include <daedal/integrator.h>
#include <daedal/model.h>
#include <daedal/spark.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- problems ---- */

static const char *const models[J09_PROBLEMS] = {
    [J09_PENDULUM] = "pendulum",
    [J09_SAND] = "sand",
    [J09_RHEO_LENGTH] = "rheo_length",
    [J09_KNIFE] = "knife",
    [J09_SLEIGH] = "sleigh",
    [J09_MIXED] = "mixed",
    [J09_CURV_LAG] = "curv_lag",
    [J09_CURV_HAM] = "curv_ham", /* problem defined in C */
    [J09_SPRING_PENDULUM] = "spring_pendulum",
    [J09_NHPARTICLE] = "nhparticle",
};

const char *j09_name(j09_problem problem)
{
  return models[problem];
}

/* ---- methods ---- */

static const struct {
  const char *name, *method;
  dae_spark_member member;
  dae_spark_hat hat;
} kinds[J09_METHODS] = {
    [J09_GAUSS] = {.name = "Gauss", .method = "spark-gauss"},
    [J09_RADAU] = {.name = "Radau", .method = "spark-radau"},
    [J09_AB_B] = {"A-B-B", "spark-lobatto", DAE_SPARK_MEMBER_AB, DAE_SPARK_HAT_B},
    [J09_AB_C] = {"A-C-B", "spark-lobatto", DAE_SPARK_MEMBER_AB, DAE_SPARK_HAT_C},
    [J09_AB_C_STAR] = {"A-C*-B", "spark-lobatto", DAE_SPARK_MEMBER_AB, DAE_SPARK_HAT_C_STAR},
    [J09_AB_D] = {"A-D-B", "spark-lobatto", DAE_SPARK_MEMBER_AB, DAE_SPARK_HAT_D},
    [J09_IIIC] = {"IIIC", "spark-lobatto", DAE_SPARK_MEMBER_C, DAE_SPARK_HAT_SAME},
    [J09_IIID] = {"IIID", "spark-lobatto", DAE_SPARK_MEMBER_D, DAE_SPARK_HAT_SAME},
};

const char *j09_method_name(j09_method method)
{
  return kinds[method].name;
}

/* ---- data of a run ---- */

typedef struct journey {
  dae_model *model;
  dae_run_plan plan; /* plan with the outputs of the model */
  dae_integrator *it;
  double *state, *outputs;
  j09_point at;
} journey;

/* sets the problem, its start and its outputs */
static dae_status describe(journey *j, j09_problem problem, dae_error *err)
{
  if (problem == J09_CURV_HAM) {
    j09_curv_ham(&j->plan);
    return DAE_OK;
  }
  dae_status status = rep_model_load(models[problem], NULL, &j->model, err);
  if (status >= 0)
    dae_model_plan(j->model, &j->plan);
  return status;
}

static dae_status create(journey *j, const j09_case *run, dae_error *err)
{
  dae_spark_options opts = dae_spark_defaults();
  opts.step = run->step;
  opts.stages = run->stages;
  opts.project = false;
  opts.member = kinds[run->method].member;
  opts.hat = kinds[run->method].hat;
  dae_status status = describe(j, run->problem, err);
  if (status < 0)
    return status;
  int size = dae_problem_size(&j->plan.problem);
  j->state = calloc((size_t)size + (size_t)j->plan.outputs, sizeof *j->state);
  if (!j->state) {
    *err = dae_error_none();
    return err->status = DAE_ERROR_MEMORY;
  }
  j->outputs = j->state + size;
  const dae_method *method = dae_method_find(kinds[run->method].method, err);
  return method ? method->create(&j->plan.problem, &j->plan.start, &opts, NULL, &j->it, err)
                : err->status;
}

static void release(journey *j)
{
  dae_integrator_free(j->it);
  free(j->state);
  dae_model_free(j->model);
}

/* ---- observation ---- */

static double output_of(const journey *j, const char *name)
{
  for (int i = 0; i < j->plan.outputs; i++)
    if (strcmp(j->plan.output_names[i], name) == 0)
      return j->outputs[i];
  return NAN;
}

static dae_status look_around(journey *j, dae_error *err)
{
  const dae_mechanical *m = j->plan.problem.mechanical;
  const dae_momentum *p = j->plan.problem.momentum;
  j09_point *at = &j->at;
  at->t = dae_integrator_view(j->it).t;
  dae_status status = dae_integrator_interpolate(j->it, at->t, j->state, NULL, err);
  if (status < 0)
    return status;
  if (j->plan.outputs > 0 && j->plan.output(j->plan.output_user, at->t, j->state, j->outputs)) {
    *err = dae_error_none();
    snprintf(err->text, sizeof err->text, "the outputs of %s could not be computed",
             m ? m->name : p->name);
    return err->status = DAE_ERROR_CALLBACK;
  }
  at->n = m ? m->nq : p->ny;
  at->ng = m ? m->ng : p->ng;
  at->nk = m ? m->nk : p->nk;
  at->y = j->state;
  at->z = at->y + at->n;
  at->lambda = at->z + at->n; /* no extra states */
  at->psi = at->lambda + at->ng;
  at->energy = output_of(j, "energy");
  at->g = output_of(j, "g");
  at->gdot = output_of(j, "gdot");
  at->k = output_of(j, "k");
  return DAE_OK;
}

static dae_status travel(journey *j, rep_report *report, const j09_case *run, j09_look *look,
                         void *user, dae_error *err)
{
  double to = run->step * (double)run->steps;
  dae_status status = look_around(j, err);
  for (long i = 0; i <= run->steps && status >= 0; i++) {
    look(user, &j->at);
    if (i == run->steps || !rep_good(report))
      break;
    status = dae_integrator_step(j->it, to, err);
    if (status >= 0)
      status = look_around(j, err);
  }
  return status;
}

bool j09_case_run(rep_report *report, const j09_case *run, j09_look *look, void *user,
                  char trouble[256])
{
  journey j = {0};
  dae_error err = dae_error_none();
  trouble[0] = '\0';
  if (!rep_good(report))
    return false;
  dae_status status = create(&j, run, &err);
  if (status >= 0)
    status = travel(&j, report, run, look, user, &err);
  if (status == DAE_ERROR_STEP || status == DAE_ERROR_SINGULAR)
    snprintf(trouble, 256, "%.255s", err.text);
  else if (status < 0)
    rep_fail(report, &err);
  release(&j);
  return rep_good(report);
}
