/* Contenders and their runs. */
#include "contender.h"

#include "../measure.h"
#include "models.h"
#include "peer.h"

#include <string.h>

const char *const solver_names[SOLVERS] = {"daedal", "RADAU5", "IDA", "DOP853", "DVODE"};

bool solver_present(solver s)
{
#ifdef BENCH_WITH_DESOLVE
  if (s == RADAU5 || s == DVODE)
    return true;
#endif
#ifdef BENCH_WITH_DOP853
  if (s == DOP853)
    return peer_dop853_present();
#endif
#ifdef BENCH_WITH_IDA
  if (s == IDA)
    return true;
#endif
  return s == DAEDAL;
}

/* ---- who takes part ---- */

/* methods worth showing beside what `auto` takes */
static const char *const methods[] = {"explicit",     "gauss", "radau",   "switching",
                                      "rosenbrock",   "bdf",   "bdf-ggl", "spark-gauss",
                                      "gauss-seidel", "jacobi"};

/* a singular M shows at creation only */
static bool takes(const dae_method *method, const test_problem *p)
{
  dae_integrator *it = NULL;
  bool taken = method->accepts(&p->problem, NULL) >= 0 &&
               method->create(&p->problem, &p->start, NULL, NULL, &it, NULL) >= 0;
  dae_integrator_free(it);
  return taken;
}

/* what `auto` takes at that tolerance */
static const dae_method *automatic_method(const dae_problem *problem, double tol, const char *name)
{
  dae_error err;
  const dae_method *method = dae_method_choose_at(problem, tol, NULL, 0, &err);
  bench_check(method ? DAE_OK : err.status, name, &err);
  return method;
}

static contender automatic(const dae_problem *problem, source from, const char *name)
{
  static const char *const sources[SOURCES] = {"", ", text", ", --jit"};
  contender o = {.solver = DAEDAL, .source = from, .automatic = true};
  const char *loose = automatic_method(problem, 1e-4, name)->name;
  const char *tight = automatic_method(problem, 1e-8, name)->name;
  bool one = strcmp(loose, tight) == 0;
  o.method = automatic_method(problem, 1e-6, name);
  snprintf(o.name, sizeof o.name, "auto (%s%s%s)%s", loose, one ? "" : ", ", one ? "" : tight,
           sources[from]);
  return o;
}

/* the model of the case, interpreted and compiled */
static int add_models(const bench_case *c, contender *list)
{
  int count = 0;
  for (source from = FROM_TEXT; (c->text || c->model) && from < SOURCES; from++) {
    dae_error err;
    dae_model *model = model_load(c);
    if (from == FROM_NATIVE && model_compile(model, &err) < 0) {
      fprintf(stderr, "%s: %s\n", c->problem.name, err.text);
      dae_model_free(model);
      break;
    }
    list[count] = automatic(dae_model_problem(model), from, c->problem.name);
    list[count++].model = model;
  }
  return count;
}

static int add_daedal(const bench_case *c, bool short_list, contender *list)
{
  const test_problem *p = &c->problem;
  int count = 0;
  list[count++] = automatic(&p->problem, FROM_C, p->name);
  count += add_models(c, list + count);
  for (size_t i = 0; !short_list && i < sizeof methods / sizeof *methods; i++) {
    const dae_method *method = dae_method_find(methods[i], NULL);
    bool same = automatic_method(&p->problem, 1e-4, p->name) == method &&
                automatic_method(&p->problem, 1e-8, p->name) == method;
    if (same || !takes(method, p))
      continue;
    list[count] = (contender){.solver = DAEDAL, .method = method};
    snprintf(list[count++].name, sizeof list->name, "%s", method->name);
  }
  return count;
}

/* IDA does not solve problems of index 3; explicit codes take ordinary differential equations, and
 * no Jacobian */
static bool fits(solver s, const bench_case *c, const peer_form *f)
{
  bool ordinary = f->differential == f->n && !f->mass && !f->jac;
  return s == RADAU5 || (s == IDA && f->index[2] == 0) ||
         ((s == DOP853 || s == DVODE) && c->kind == NON_STIFF && ordinary);
}

int contenders_of(const bench_case *c, bool short_list, contender list[MOST_CONTENDERS])
{
  int count = add_daedal(c, short_list, list);
  for (solver s = RADAU5; s < SOLVERS; s++)
    for (int i = 0; i < c->form_count; i++) {
      const peer_form *f = &c->forms[i];
      if (!solver_present(s) || !fits(s, c, f) || count == MOST_CONTENDERS)
        continue;
      list[count] = (contender){.solver = s, .form = f};
      snprintf(list[count++].name, sizeof list->name, "%s%s", f->name, f->jac ? " + J" : "");
    }
  return count;
}

void contenders_free(contender *list, int count)
{
  for (int i = 0; i < count; i++)
    dae_model_free((dae_model *)list[i].model);
}

/* ---- one run ---- */

static double digits(int count, const double *y, const double *reference)
{
  double worst = DBL_EPSILON;
  for (int i = 0; i < count; i++) {
    double error = fabs(y[i] - reference[i]) / (1 + fabs(reference[i]));
    if (isnan(error))
      return NAN;
    worst = fmax(worst, error);
  }
  return -log10(worst);
}

/* a run past its patience has failed */
static dae_status driver(dae_integrator *it, double to, double until, double *y)
{
  dae_status status = DAE_OK;
  for (long i = 1; status == DAE_OK; i++) {
    status = dae_integrator_step(it, to, NULL);
    if (i % 256 == 0 && bench_now() > until)
      return DAE_ERROR_STEP;
  }
  return status < 0 ? status : dae_integrator_interpolate(it, to, y, NULL, NULL);
}

peer_counts contender_integrate(const dae_method *method, const test_problem *p, const void *opts,
                                double until, double *y)
{
  dae_integrator *it;
  if (method->create(&p->problem, &p->start, opts, NULL, &it, NULL) < 0)
    return (peer_counts){0};
  bool reached = driver(it, p->to, until, y) >= 0;
  dae_stats s = dae_integrator_stats(it);
  dae_integrator_free(it);
  return (peer_counts){s.steps,     s.rejected_by_error, s.evaluations,
                       s.jacobians, s.factorisations,    reached};
}

static peer_counts run_peer(const contender *o, const test_problem *p, double tol, double *y,
                            double *dy)
{
  (void)o, (void)p, (void)tol, (void)y, (void)dy;
#ifdef BENCH_WITH_DESOLVE
  if (o->solver == RADAU5)
    return peer_radau5(o->form, p->start.t, p->to, tol, y, dy);
  if (o->solver == DVODE)
    return peer_dvode(o->form, p->start.t, p->to, tol, y, dy);
#endif
#ifdef BENCH_WITH_DOP853
  if (o->solver == DOP853)
    return peer_dop853(o->form, p->start.t, p->to, tol, y, dy);
#endif
#ifdef BENCH_WITH_IDA
  if (o->solver == IDA)
    return peer_ida(o->form, p->start.t, p->to, tol, y, dy);
#endif
  return (peer_counts){0}; /* it is no contender where it was not built in */
}

bench_run contender_run(const contender *o, const bench_case *c, double tol, double patience)
{
  const test_problem p = o->model ? model_problem(c, o->model) : c->problem;
  double y[MOST_UNKNOWNS], dy[MOST_UNKNOWNS];
  const dae_method *method = o->automatic ? automatic_method(&p.problem, tol, p.name) : o->method;
  void *opts = method ? bench_options(method, tol) : NULL;
  if (o->form)
    o->form->start(y, dy);
  bench_run r = {.mescd = NAN};
  double begin = bench_now();
  r.counts = method ? contender_integrate(method, &p, opts, begin + patience, y)
                    : run_peer(o, &p, tol, y, dy);
  r.seconds = bench_since(begin);
  free(opts);
  if (r.counts.reached)
    r.mescd =
        digits(c->scored, y, o->form && o->form->reference ? o->form->reference : p.reference);
  return r;
}
