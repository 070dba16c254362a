/* Report as a sink of results: collects rows, steps and frames in bounded memory, and writes the
 * page at the end of the run, even of a run that failed. */
#include "output/report/report.h"

#include "core/assert.h"
#include "core/env.h"
#include "core/error.h"
#include "core/vec.h"
#include "output/text.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Limits of a report: chosen, not measured. */
/* largest size of the data; with the scripts a page has at most 2 MB, with a drawing in space and
 * its static picture at most 3 MB */
#define REPORT_MAX_BYTES ((size_t)1400000)
#define REPORT_MAX_BYTES_SPACE ((size_t)2000000)
#define REPORT_BYTES_PER_SHAPE 130 /* bytes of the description of a shape */
#define REPORT_BYTES_PER_VALUE 6   /* bytes of a number with seven digits in base64, rounded up */
#define REPORT_MAX_STEPS 4000 /* largest number of step records: two for each pixel of a plot */
#define REPORT_MAX_FRAMES 3000
/* reciprocal of the largest fraction of the data for the motion, in the plane and in space */
#define REPORT_MOTION_SHARE 4
#define REPORT_MOTION_SHARE_SPACE 2
/* smallest number of rows to record, if the output plan has no times of its own */
#define REPORT_FILLED_ROWS 1000
#define REPORT_MIN_ROWS 400 /* smallest number of rows, which limits the number of columns */

/* ---- records ---- */

dae__records dae__records_create(dae__arena *arena, int width, long room)
{
  dae__records all = {.width = width, .room = room > 2 ? room : 2, .stride = 1};
  /* room for one record more, the last one */
  all.value = DAE__ALLOC(arena, double, (all.room + 1) * width);
  all.last = DAE__ALLOC(arena, double, width);
  return all;
}

void dae__records_add(dae__records *all, const double *record)
{
  if (all->added % all->stride == 0 && all->count == all->room) {
    for (long i = 2; i < all->count; i += 2)
      dae__copy(all->width, all->value + i * all->width, all->value + i / 2 * all->width);
    all->count = (all->count + 1) / 2;
    all->stride *= 2;
  }
  DAE__ASSERT(all->count < all->room || all->added % all->stride != 0);
  if (all->added % all->stride == 0)
    dae__copy(all->width, record, all->value + all->count++ * all->width);
  dae__copy(all->width, record, all->last);
  all->added++;
}

void dae__records_end(dae__records *all)
{
  bool kept = all->added == 0 || (all->added - 1) % all->stride == 0;
  if (!kept)
    dae__copy(all->width, all->last, all->value + all->count++ * all->width);
}

double *dae__records_series(dae__arena *arena, const dae__records *all, int entry)
{
  double *values = DAE__ALLOC(arena, double, all->count);
  for (long i = 0; values && i < all->count; i++)
    values[i] = all->value[i * all->width + entry];
  return values;
}

/* ---- columns ---- */

/* Returns the kind of the result column for an entry of the state vector. */
static dae__column_kind report_entry_kind(const dae_problem *problem, int entry)
{
  char name[8];
  dae_variable_kind kind = dae_problem_variable(problem, entry, name, sizeof name);
  return kind == DAE_VARIABLE_RATE         ? DAE__COLUMN_RATE
         : kind == DAE_VARIABLE_MULTIPLIER ? DAE__COLUMN_MULTIPLIER
                                           : DAE__COLUMN_VARIABLE;
}

/* Selects the columns to keep and finds their kinds. A page has room for some hundred curves; of
 * longer results the first columns and the outputs are kept, outputs in at most half of the
 * columns. If the options list no columns, variables come first, then rates, then multipliers. */
static dae_status report_select_columns(dae__report *r, int columns, const char *const *names,
                                        dae_error *err)
{
  const dae_run_plan *plan = r->options.plan;
  int most = (int)(r->max_values / REPORT_MIN_ROWS), count[DAE__COLUMN_OUTPUT] = {0};
  r->all_columns = columns;
  r->columns = columns < most || most < 2 ? columns : most;
  r->column = DAE__ALLOC(r->arena, int, r->columns);
  r->names = DAE__ALLOC(r->arena, char *, r->columns);
  r->kind = DAE__ALLOC(r->arena, dae__column_kind, r->columns);
  DAE__TRY(dae__arena_status(r->arena, err));
  int outputs = plan->outputs < r->columns / 2 ? plan->outputs : r->columns / 2;
  int first_output = r->columns - outputs, variables = columns - plan->outputs;
  for (int i = 0; !plan->columns && i < dae_problem_size(&plan->problem); i++)
    count[report_entry_kind(&plan->problem, i)]++;
  for (int i = 0; i < r->columns; i++) {
    int column = r->columns == columns || i < first_output ? i : variables + i - first_output;
    dae__column_kind kind = DAE__COLUMN_VARIABLE;
    int end = count[kind];
    if (column == 0)
      kind = DAE__COLUMN_TIME;
    else if (plan->columns && column <= plan->column_count)
      kind = report_entry_kind(&plan->problem, plan->columns[column - 1].entry);
    else if (plan->columns)
      kind = DAE__COLUMN_OUTPUT;
    else
      while (column > end && kind < DAE__COLUMN_OUTPUT)
        end += ++kind < DAE__COLUMN_OUTPUT ? count[kind] : 0;
    r->column[i] = column;
    r->kind[i] = kind;
    r->names[i] = DAE__ALLOC(r->arena, char, strlen(names[column]) + 1);
    DAE__TRY(dae__arena_status(r->arena, err));
    memcpy(r->names[i], names[column], strlen(names[column]) + 1);
  }
  return DAE_OK;
}

/* ---- during the run ---- */

static dae_status report_open(void *sink, int columns, const char *const *names, dae_error *err)
{
  dae__report *r = sink;
  DAE__TRY(report_select_columns(r, columns, names, err));
  /* bytes of a number: two in the motion, four in other data */
  int values = r->drawing.shapes > 0 ? r->drawing.values : 0;
  size_t share = r->drawing.space ? REPORT_MOTION_SHARE_SPACE : REPORT_MOTION_SHARE;
  size_t motion = values > 0 ? 2 * r->max_values / share / (size_t)values : 0;
  long frames = motion < REPORT_MAX_FRAMES ? (long)motion : REPORT_MAX_FRAMES;
  size_t taken =
      (size_t)frames * (size_t)values / 2 + (size_t)REPORT_MAX_STEPS * DAE__STEP_WIDTH / 2;
  size_t left = r->max_values > 2 * taken ? r->max_values - taken : r->max_values / 2;
  long rows = (long)(left / (size_t)(r->columns + 2));
  int widest = r->columns + 2 > values + 1 ? r->columns + 2 : values + 1;
  r->rows = dae__records_create(r->arena, r->columns + 2, rows);
  r->steps = dae__records_create(r->arena, DAE__STEP_WIDTH, REPORT_MAX_STEPS);
  if (values > 0)
    r->frames = dae__records_create(r->arena, 1 + values, frames);
  r->record = DAE__ALLOC(r->arena, double, widest);
  r->start = DAE__ALLOC(r->arena, double, dae_problem_size(&r->options.plan->problem));
  r->opened = !dae__arena_failed(r->arena);
  return r->opened ? DAE_OK : dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the report");
}

static dae_status report_row(void *sink, const dae_row *row, dae_error *err)
{
  dae__report *r = sink;
  (void)err;
  const dae_drawing *d = &r->drawing;
  for (int i = 0; i < r->columns; i++)
    r->record[i] = row->values[r->column[i]];
  r->record[r->columns] = row->position_drift;
  r->record[r->columns + 1] = row->velocity_drift;
  if (r->rows.added == 0 && row->y)
    dae__copy(dae_problem_size(&r->options.plan->problem), row->y, r->start);
  dae__records_add(&r->rows, r->record);
  if (d->shapes == 0 || !row->y)
    return DAE_OK;
  r->record[0] = row->values[0];
  bool valid = d->eval(d->user, row->values[0], row->y, r->record + 1) == 0;
  for (int i = 1; valid && i <= d->values; i++)
    valid = isfinite(r->record[i]);
  if (valid)
    dae__records_add(&r->frames, r->record);
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

/* ---- saved runs ---- */

enum { REPORT_RECORDS = 3 };

/* Counts of the records of a report, saved before their values. */
typedef struct report_counts {
  long count[REPORT_RECORDS], added[REPORT_RECORDS], stride[REPORT_RECORDS];
} report_counts;

static void report_list_records(dae__report *r, dae__records *all[REPORT_RECORDS])
{
  all[0] = &r->rows;
  all[1] = &r->steps;
  all[2] = &r->frames;
}

/* Bytes of `count` records and the last one. */
static size_t report_record_bytes(const dae__records *all, long count)
{
  return (size_t)(count + 1) * (size_t)all->width * sizeof *all->value;
}

static size_t report_save_size(void *sink)
{
  dae__report *r = sink;
  dae__records *all[REPORT_RECORDS];
  size_t size = sizeof(report_counts) +
                (size_t)dae_problem_size(&r->options.plan->problem) * sizeof *r->start;
  report_list_records(r, all);
  for (int i = 0; i < REPORT_RECORDS; i++)
    size += report_record_bytes(all[i], all[i]->count);
  return size;
}

static dae_status report_save(void *sink, void *buffer, dae_error *err)
{
  dae__report *r = sink;
  dae__records *all[REPORT_RECORDS];
  report_counts counts;
  char *to = (char *)buffer + sizeof counts;
  size_t start = (size_t)dae_problem_size(&r->options.plan->problem) * sizeof *r->start;
  (void)err;
  report_list_records(r, all);
  memcpy(to, r->start, start);
  to += start;
  for (int i = 0; i < REPORT_RECORDS; i++) {
    counts.count[i] = all[i]->count;
    counts.added[i] = all[i]->added;
    counts.stride[i] = all[i]->stride;
    size_t last = report_record_bytes(all[i], 0),
           values = report_record_bytes(all[i], all[i]->count) - last;
    if (last == 0) /* no frames */
      continue;
    memcpy(to, all[i]->value, values);
    memcpy(to + values, all[i]->last, last);
    to += values + last;
  }
  memcpy(buffer, &counts, sizeof counts);
  return DAE_OK;
}

/* Whether saved counts fit into the memory of the records. */
static bool report_counts_fit(dae__records *const all[REPORT_RECORDS], const report_counts *counts)
{
  bool fit = true;
  for (int i = 0; i < REPORT_RECORDS; i++)
    fit = fit && counts->count[i] >= 0 && counts->count[i] <= all[i]->room &&
          counts->added[i] >= counts->count[i] && counts->added[i] < LONG_MAX / 2 &&
          (counts->stride[i] > 0 || all[i]->width == 0) && counts->stride[i] < LONG_MAX / 2;
  return fit;
}

static dae_status report_load(void *sink, int columns, const char *const *names, const void *buffer,
                              size_t size, dae_error *err)
{
  dae__report *r = sink;
  dae__records *all[REPORT_RECORDS];
  report_counts counts;
  const char *from = buffer;
  if (!r->opened)
    DAE__TRY(report_open(r, columns, names, err));
  report_list_records(r, all);
  size_t start = (size_t)dae_problem_size(&r->options.plan->problem) * sizeof *r->start;
  size_t needed = sizeof counts + start;
  if (size >= needed)
    memcpy(&counts, from, sizeof counts);
  bool fits = size >= needed && report_counts_fit(all, &counts);
  for (int i = 0; i < REPORT_RECORDS && fits; i++)
    needed += report_record_bytes(all[i], counts.count[i]);
  if (!fits || needed != size)
    return dae__fail(err, DAE_ERROR_USAGE, r->path,
                     "%s: what was saved is not of a report with these columns", r->path);
  from += sizeof counts;
  memcpy(r->start, from, start);
  from += start;
  for (int i = 0; i < REPORT_RECORDS; i++) {
    all[i]->count = counts.count[i];
    all[i]->added = counts.added[i];
    all[i]->stride = counts.stride[i];
    size_t last = report_record_bytes(all[i], 0),
           values = report_record_bytes(all[i], all[i]->count) - last;
    if (last == 0)
      continue;
    memcpy(all[i]->value, from, values);
    memcpy(all[i]->last, from + values, last);
    from += values + last;
  }
  return DAE_OK;
}

/* ---- end of the run, creation ---- */

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
  dae_status status = dae__report_write(r, summary, err);
  dae_status closed = dae_page_close(r->page, status < 0 ? NULL : err);
  r->page = NULL;
  if (closed >= 0)
    dae__list_add(summary->files, sizeof summary->files, r->path);
  return status < 0 ? status : closed;
}

static void report_free(void *sink)
{
  dae__report *r = sink;
  if (!r)
    return;
  dae_page_discard(r->page);
  dae__arena_free(r->arena);
}

dae_status dae_report_sink(const char *path, const dae_report_options *options, const dae_env *env,
                           dae_sink *out, dae_error *err)
{
  if (!path || !*path || !options || !options->plan)
    return dae__fail(err, DAE_ERROR_USAGE, path && *path ? "plan" : "path",
                     "a report needs the name of a file and the plan of its run");
  dae_env own = dae__env_unstopped(env);
  dae__arena *arena = dae__arena_create(&own);
  dae__report *r = DAE__ALLOC(arena, dae__report, 1);
  char *own_path = r ? DAE__ALLOC(arena, char, strlen(path) + 1) : NULL;
  if (!own_path) {
    dae__arena_free(arena);
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the report");
  }
  memcpy(own_path, path, strlen(path) + 1);
  const dae_model *model = options->model;
  *r = (dae__report){.arena = arena, .options = *options, .path = own_path};
  if (options->drawing)
    r->drawing = *options->drawing;
  else if (model)
    r->drawing = dae_model_drawing(model);
  size_t most = r->drawing.space ? REPORT_MAX_BYTES_SPACE : REPORT_MAX_BYTES;
  size_t bytes = options->max_bytes > 0 ? options->max_bytes : most;
  size_t shapes = (size_t)r->drawing.shapes * REPORT_BYTES_PER_SHAPE;
  r->max_values = (bytes > 2 * shapes ? bytes - shapes : bytes / 2) / REPORT_BYTES_PER_VALUE;
  const char *name = model ? dae_model_name(model) : "A run of daedal";
  dae_status status = dae_page_create(path, name, dae__arena_env(arena), &r->page, err);
  if (status < 0) {
    dae__arena_free(arena);
    return status;
  }
  *out = (dae_sink){.self = r,
                    .open = report_open,
                    .row = report_row,
                    .fill = (options->plan->to - options->plan->start.t) / REPORT_FILLED_ROWS,
                    .step = report_step,
                    .close = report_close,
                    .free = report_free,
                    .save_size = report_save_size,
                    .save = report_save,
                    .load = report_load};
  return DAE_OK;
}
