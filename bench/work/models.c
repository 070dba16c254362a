/* What it costs to have a problem as text: whole runs of `auto` at rtol = atol = 1e-6 from the
 * model, interpreted and as native code, and by the callbacks in C that bench_work gives it
 * otherwise. */
#include "models.h"

#include "../measure.h"
#include "summary.h"

#include <daedal/model.h>
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#define TOLERANCE 1e-6
#define LEAST_ROUNDS 10
#define REPEATS 3     /* at once: the first one has cold caches */
#define MOST_RATIO 3. /* targets */
#define MOST_NATIVE_RATIO 1.3

/* ---- the folder of native code ---- */

static char cache[256];

static void remove_cache(void)
{
  char name[768];
  DIR *folder = opendir(cache);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    snprintf(name, sizeof name, "%s/%s", cache, entry->d_name);
    if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2)
      unlink(name);
  }
  if (folder)
    closedir(folder);
  rmdir(cache);
}

static dae_status make_cache(dae_error *err)
{
  const char *temporary = getenv("TMPDIR");
  if (cache[0])
    return DAE_OK;
  snprintf(cache, sizeof cache, "%s/daedal-bench-XXXXXX", temporary ? temporary : "/tmp");
  if (mkdtemp(cache)) {
    atexit(remove_cache);
    return DAE_OK;
  }
  *err = (dae_error){.status = DAE_ERROR_FILE};
  snprintf(err->text, sizeof err->text, "%s cannot be made", cache);
  cache[0] = '\0';
  return err->status;
}

/* ---- one model ---- */

dae_model *model_load(const bench_case *c)
{
  dae_model *model;
  dae_error err;
  char path[512];
  if (c->text) {
    bench_check(
        dae_model_parse(c->problem.name, c->text, strlen(c->text), NULL, NULL, &model, &err),
        c->problem.name, &err);
    return model;
  }
  snprintf(path, sizeof path, EXAMPLES "/%s.dae", c->model);
  bench_check(dae_model_load(path, NULL, NULL, &model, &err), path, &err);
  return model;
}

dae_status model_compile(dae_model *model, dae_error *err)
{
  dae_native_options opts = dae_native_defaults();
  opts.cache = cache;
  dae_status status = make_cache(err);
  return status < 0 ? status : dae_model_compile(model, &opts, err);
}

test_problem model_problem(const bench_case *c, const dae_model *model)
{
  test_problem p = c->problem;
  p.problem = *dae_model_problem(model);
  p.start = dae_model_start(model);
  return p;
}

/* The best of a few runs and of what is known. first, unless NULL: since when; then the time up to
 * the end of the first one. */
static double run(const test_problem *p, double best, double *first)
{
  double y[MOST_UNKNOWNS];
  dae_error err;
  const dae_method *method = dae_method_choose(&p->problem, NULL, 0, &err);
  void *opts = bench_options(method, TOLERANCE);
  for (int i = 0; i < REPEATS; i++) {
    bool begun = first && i == 0; /* the clock is not read in between */
    double begin = begun ? *first : bench_now();
    peer_counts counts = contender_integrate(method, p, opts, INFINITY, y);
    double took = bench_since(begin);
    if (begun)
      *first = took;
    else
      best = fmin(best, took);
    if (!counts.reached) {
      fprintf(stderr, "%s: did not get to its end\n", p->name);
      exit(1);
    }
  }
  free(opts);
  return best;
}

static double run_model(const bench_case *c, const dae_model *model, double best, double *first)
{
  test_problem p = model_problem(c, model);
  return run(&p, best, first);
}

/* CPU time: that of the compiler, which is another process, is not in it */
static void run_native(const bench_case *c, model_result *r, dae_error *err)
{
  double started = bench_now();
  dae_model *model = model_load(c);
  if (model_compile(model, err) >= 0) {
    r->native_load = fmin(r->native_load, bench_since(started));
    r->native = run_model(c, model, r->native, NULL);
  }
  dae_model_free(model);
}

static model_result measure(const bench_case *c, double seconds, dae_error *err)
{
  model_result r = {.name = c->problem.name,
                    .load = INFINITY,
                    .first = INFINITY,
                    .first_by_c = INFINITY,
                    .text = INFINITY,
                    .by_c = INFINITY,
                    .native = INFINITY,
                    .native_load = INFINITY};
  double begin = bench_now();
  for (int round = 0; round < LEAST_ROUNDS || bench_now() - begin < seconds; round++) {
    double first = bench_now();
    dae_model *model = model_load(c);
    r.load = fmin(r.load, bench_since(first));
    dae_model_free(model);
    first = bench_now();
    model = model_load(c);
    r.text = run_model(c, model, r.text, &first);
    r.first = fmin(r.first, first);
    dae_model_free(model);
    if (err->status >= 0)
      run_native(c, &r, err);
    first = bench_now();
    r.by_c = run(&c->problem, r.by_c, &first);
    r.first_by_c = fmin(r.first_by_c, first);
  }
  return r;
}

void models_measure(double seconds, model_results *out)
{
  dae_error err = {.status = DAE_OK};
  bench_case c;
  out->count = 0;
  for (int i = 0; case_at(i, &c); i++)
    if (c.text || c.model)
      out->result[out->count++] = measure(&c, seconds, &err);
  snprintf(out->without, sizeof out->without, "%s", err.status < 0 ? err.text : "");
}

/* ---- what came out ---- */

static void add_ratio(sheet *s, double ratio, double most)
{
  if (isfinite(ratio))
    sheet_add(s, "%.2f %s", ratio, summary_verdict(ratio <= most));
  else
    sheet_add(s, "-");
}

static void add_time(sheet *s, double seconds)
{
  sheet_add(s, isfinite(seconds) ? "%.4f" : "-", 1e3 * seconds);
}

static void add_result(const model_result *o, sheet *s)
{
  sheet_add(s, "%s", o->name);
  add_time(s, o->by_c);
  add_time(s, o->text);
  add_ratio(s, o->text / o->by_c, MOST_RATIO);
  add_time(s, o->native);
  add_ratio(s, o->native / o->by_c, MOST_NATIVE_RATIO);
  add_time(s, o->load);
  add_time(s, o->native_load);
  add_ratio(s, o->first / o->first_by_c, MOST_RATIO);
  sheet_row(s, DAE_PAGE_PLAIN);
}

void models_show(const model_results *r, sheet *s)
{
  char text[sizeof r->without + 32];
  sheet_begin(
      s, "models beside callbacks in C: CPU ms of whole runs of auto at 1e-6, and of loading",
      "model               |C       |interpreted|/ C (at most 3)|native  |/ C (at most 1.3)|"
      "load    |load, native|load and run / C, first runs (at most 3)");
  for (int i = 0; i < r->count; i++)
    add_result(&r->result[i], s);
  sheet_end(s);
  snprintf(text, sizeof text, "Without native code: %s", r->without);
  if (r->without[0])
    sheet_text(s, text);
}
