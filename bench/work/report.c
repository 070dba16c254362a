/* The CSV file, and the page with time over error. */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static dae_status cannot_write(const char *path, dae_error *err)
{
  *err = (dae_error){.status = DAE_ERROR_FILE};
  snprintf(err->text, sizeof err->text, "%s: %s", path, strerror(errno));
  return err->status;
}

/* ---- CSV ---- */

static void write_runs(const bench_table *t, int j, FILE *file)
{
  const contender *o = &t->list[j];
  for (int i = 0; i < t->tolerances; i++) {
    const bench_run *r = &t->runs[j][i];
    const peer_counts *c = &r->counts;
    if (r->seconds == 0)
      continue; /* not tried */
    fprintf(file, "%s,%s,\"%s\",%.3e,", t->problem.problem.name, solver_names[o->solver], o->name,
            t->tolerance[i]);
    if (!isnan(r->mescd))
      fprintf(file, "%.3f", r->mescd);
    fprintf(file, ",%.6f,%ld,%ld,%ld,%ld,%ld\r\n", 1e3 * r->seconds, c->steps, c->rejected,
            c->evaluations, c->jacobians, c->factorisations);
  }
}

dae_status report_csv(const bench_results *r, const char *path, dae_error *err)
{
  FILE *file = fopen(path, "w");
  if (!file)
    return cannot_write(path, err);
  fprintf(file, "problem,solver,form,rtol,mescd,ms,steps,rejected,evaluations,jacobians,"
                "factorisations\r\n");
  for (int i = 0; i < r->count; i++)
    for (int j = 0; j < r->tables[i]->count; j++)
      write_runs(r->tables[i], j, file);
  bool failed = ferror(file);
  return fclose(file) || failed ? cannot_write(path, err) : DAE_OK;
}

/* ---- page ---- */

typedef struct drawing {
  double x[MOST_CONTENDERS][MOST_TOLERANCES], y[MOST_CONTENDERS][MOST_TOLERANCES];
  char label[MOST_CONTENDERS][CELL];
  dae_curve curve[MOST_CONTENDERS];
  int count;
} drawing;

static void add_curve(const bench_table *t, int j, drawing *d)
{
  const contender *o = &t->list[j];
  double *x = d->x[d->count], *y = d->y[d->count];
  long count = 0;
  for (int i = 0; i < t->tolerances; i++) {
    const bench_run *r = &t->runs[j][i];
    if (!(r->mescd > 0))
      continue; /* failed, or nothing of it is right */
    x[count] = pow(10, -r->mescd);
    y[count++] = 1e3 * r->seconds;
  }
  snprintf(d->label[d->count], CELL, o->solver == DAEDAL ? "%s" : "%s, %s", o->name,
           solver_names[o->solver]);
  d->curve[d->count] = (dae_curve){
      .label = d->label[d->count], .x = x, .y = y, .count = count, .style = DAE_CURVE_BOTH};
  d->count++;
}

/* `auto` and the peers first: of many curves only the first are shown until asked for */
static void draw(dae_page *page, const bench_table *t)
{
  static drawing d;
  d.count = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < t->count; j++) {
      bool first = t->list[j].solver != DAEDAL || t->list[j].automatic;
      if (first == (pass == 0))
        add_curve(t, j, &d);
    }
  dae_page_plot(page, &(dae_plot){.x_label = "error, 10^-mescd",
                                  .y_label = "CPU ms",
                                  .x_log = true,
                                  .y_log = true,
                                  .alone = true,
                                  .curves = d.curve,
                                  .count = d.count});
}

dae_status report_page(const bench_results *r, const char *path, dae_error *err)
{
  sheet s = {0};
  dae_status status =
      dae_page_create(path, "daedal beside RADAU5, IDA, DOP853 and DVODE", NULL, &s.page, err);
  if (status < 0)
    return status;
  dae_page_text(s.page,
                "CPU time of whole runs, from creation to release, the least of interleaved rounds "
                "in one process, over the error at the end: mescd = -log10 max |y - ref| / (1 + "
                "|ref|) over positions and velocities, or all unknowns of first-order problems. "
                "daedal gets the problem as it is declared, the peers get it in forms that were "
                "derived by hand, + J with their Jacobian; the best one counts.");
  if (r->count > 0) {
    dae_page_heading(s.page, "Summary");
    summary_all(r->tables, r->count, &s);
  }
  for (int i = 0; i < r->count; i++) {
    dae_page_heading(s.page, r->tables[i]->problem.title);
    draw(s.page, r->tables[i]);
    summary_problem(r->tables[i], &s);
  }
  if (r->chains.count > 0) {
    dae_page_heading(s.page, "Chains");
    chains_show(&r->chains, &s);
  }
  if (r->models.count > 0) {
    dae_page_heading(s.page, "Models");
    models_show(&r->models, &s);
  }
  return dae_page_close(s.page, err);
}
