/* The sink of a report: it keeps what the page will show, in bounded memory, and writes the page
 * when the run has ended, however it ended. */
#include "output/report/report.h"

#include "core/error.h"
#include "core/vec.h"
#include "output/text.h"

#include <math.h>
#include <string.h>

#define MAX_BYTES ((size_t)1400000) /* of data: with the scripts a page stays below 2 MB */
#define BYTES 6                     /* of seven digits in base64, and something over */
#define MOST_STEPS 4000             /* records: two to a pixel */
#define MOTION_SHARE 4              /* at most this part of the data is the motion's */
#define MOST_FRAMES 3000
#define FILLED 1000 /* rows without a grid of times are at least so many */

/* ---- while the run goes on ---- */

static dae_status report_no_memory(dae_error *err)
{
  return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the report");
}

static long report_at_most(size_t a, long b)
{
  return a < (size_t)b ? (long)a : b;
}

static dae_status report_open(void *sink, int columns, const char *const *names, dae_error *err)
{
  dae__report *r = sink;
  dae_status status = dae__report_columns(r, columns, names, err);
  if (status < 0)
    return status;
  /* two bytes for a number of the motion, four for others */
  int values = r->drawing.shapes > 0 ? r->drawing.values : 0;
  size_t motion = values > 0 ? 2 * r->max_values / MOTION_SHARE / (size_t)values : 0;
  long frames = report_at_most(motion, MOST_FRAMES);
  size_t taken = (size_t)frames * (size_t)values / 2 + (size_t)MOST_STEPS * DAE__STEP_WIDTH / 2;
  size_t left = r->max_values > 2 * taken ? r->max_values - taken : r->max_values / 2;
  long rows = (long)(left / (size_t)(r->columns + 2));
  int widest = r->columns + 2 > values + 1 ? r->columns + 2 : values + 1;
  r->rows = dae__records_create(r->arena, r->columns + 2, rows);
  r->steps = dae__records_create(r->arena, DAE__STEP_WIDTH, MOST_STEPS);
  if (values > 0)
    r->frames = dae__records_create(r->arena, 1 + values, frames);
  r->record = DAE__ALLOC(r->arena, double, widest);
  r->start = DAE__ALLOC(r->arena, double, dae_problem_size(&r->options.plan->problem));
  r->opened = !dae__arena_failed(r->arena);
  return r->opened ? DAE_OK : report_no_memory(err);
}

/* A picture that cannot be had at a point is left out. */
static void report_add_frame(dae__report *r, const dae_row *row)
{
  const dae_drawing *d = &r->drawing;
  if (d->shapes == 0 || !row->y)
    return;
  r->record[0] = row->values[0];
  if (d->eval(d->user, row->values[0], row->y, r->record + 1) != 0)
    return;
  for (int i = 1; i <= d->values; i++)
    if (!isfinite(r->record[i]))
      return;
  dae__records_add(&r->frames, r->record);
}

static dae_status report_row(void *sink, const dae_row *row, dae_error *err)
{
  dae__report *r = sink;
  (void)err;
  for (int i = 0; i < r->columns; i++)
    r->record[i] = row->values[r->column[i]];
  r->record[r->columns] = row->position_drift;
  r->record[r->columns + 1] = row->velocity_drift;
  if (r->rows.seen == 0 && row->y)
    dae__copy(dae_problem_size(&r->options.plan->problem), row->y, r->start);
  dae__records_add(&r->rows, r->record);
  report_add_frame(r, row);
  return DAE_OK;
}

static dae_status report_step(void *sink, const dae_step_record *step, dae_error *err)
{
  dae__report *r = sink;
  const dae_stats *n = &step->stats;
  (void)err;
  const double record[DAE__STEP_WIDTH] = {
      [DAE__STEP_T] = step->t,
      [DAE__STEP_H] = step->h,
      [DAE__STEP_ORDER] = step->order,
      [DAE__STEP_ENERGY] = step->energy,
      [DAE__STEP_BALANCE] = step->balance,
      [DAE__STEP_STEPS] = (double)n->steps,
      [DAE__STEP_REJECTED] =
          (double)(n->rejected_by_error + n->rejected_by_convergence + n->rejected_by_callback),
      [DAE__STEP_ITERATIONS] = (double)n->iterations,
      [DAE__STEP_EVALUATIONS] = (double)n->evaluations,
      [DAE__STEP_SWEEPS] = step->sweeps,
      [DAE__STEP_OBSERVED] = step->observed,
      [DAE__STEP_PREDICTED] = step->predicted,
  };
  dae__records_add(&r->steps, record);
  return DAE_OK;
}

/* ---- the end ---- */

static dae_status report_close(void *sink, dae_summary *summary, dae_error *err)
{
  dae__report *r = sink;
  if (!r->page)
    return DAE_OK;
  if (r->opened) {
    dae__records_end(&r->rows);
    dae__records_end(&r->steps);
    if (r->drawing.shapes > 0)
      dae__records_end(&r->frames);
  }
  dae_status status = summary ? dae__report_write(r, summary, err) : DAE_OK;
  dae_status closed = dae_page_close(r->page, status < 0 ? NULL : err);
  r->page = NULL;
  if (summary && closed >= 0)
    dae__list_add(summary->files, sizeof summary->files, r->path);
  return status < 0 ? status : closed;
}

static void report_free(void *sink)
{
  dae__report *r = sink;
  if (!r)
    return;
  report_close(r, NULL, NULL);
  dae__arena_free(r->arena);
}

/* ---- the beginning ---- */

static dae_status report_prepare(dae__report *r, const char *path, dae_error *err)
{
  const dae_report_options *o = &r->options;
  const dae_model *model = o->model;
  size_t bytes = o->max_bytes > 0 ? o->max_bytes : MAX_BYTES;
  r->max_values = bytes / BYTES;
  r->path = DAE__ALLOC(r->arena, char, strlen(path) + 1);
  if (dae__arena_failed(r->arena))
    return report_no_memory(err);
  memcpy(r->path, path, strlen(path) + 1);
  if (o->drawing)
    r->drawing = *o->drawing;
  else if (model)
    r->drawing = dae_model_drawing(model);
  const char *name = model ? dae_model_name(model) : "A run of daedal";
  return dae_page_create(path, name, dae__arena_env(r->arena), &r->page, err);
}

dae_status dae_report_sink(const char *path, const dae_report_options *options, const dae_env *env,
                           dae_sink *out, dae_error *err)
{
  if (!path || !*path || !options || !options->plan)
    return dae__fail(err, DAE_ERROR_USAGE, path && *path ? "plan" : "path",
                     "a report needs the name of a file and the plan of its run");
  dae__arena *arena = dae__arena_create(env);
  dae__report *r = arena ? DAE__ALLOC(arena, dae__report, 1) : NULL;
  if (!r) {
    dae__arena_free(arena);
    return report_no_memory(err);
  }
  r->arena = arena;
  r->options = *options;
  dae_status status = report_prepare(r, path, err);
  if (status < 0) {
    dae__arena_free(arena);
    return status;
  }
  *out = (dae_sink){.self = r,
                    .open = report_open,
                    .row = report_row,
                    .fill = (options->plan->to - options->plan->start.t) / FILLED,
                    .step = report_step,
                    .close = report_close,
                    .free = report_free};
  return DAE_OK;
}
