/* The figures of [YP96] section 5 as columns of numbers, a row at every accepted step; 5.2 and 5.5
 * are drawings of the problems. */
#include "yp96.h"

#include <math.h>

typedef struct figure {
  const char *title, *name, *header;
  const yp96_setting *setting;
  const char *tolerance, *eps;
  int count;
  const char *columns[4]; /* columns of the runs; the first one is t */
  const char *item;       /* figure without statements in the paper, NULL: none */
} figure;

/* Curve: a run whose rows go to a file. */
typedef struct curve {
  rep_file *file;
  const char *reading, *method; /* reading of the bushing, NULL: one only */
  int count;                    /* number of columns; 1: t, and the step that ends at t */
  double t;                     /* t of the preceding row, NaN: none */
} curve;

static void write_row(void *user, const double *values)
{
  curve *c = user;
  double h = values[0] - c->t;
  c->t = values[0];
  if (c->count == 1 && isnan(h))
    return; /* no step ends at the start */
  if (c->reading)
    rep_file_text(c->file, c->reading);
  rep_file_text(c->file, c->method);
  for (int i = 0; i < c->count; i++)
    rep_file_number(c->file, values[i]);
  if (c->count == 1)
    rep_file_number(c->file, h);
  rep_file_record(c->file);
}

/* curves of the four iterations; a failed one has the rows so far */
static void write_curves(rep_report *report, const figure *f, const char *reading, rep_file *file)
{
  for (int i = YP96_GGL; i <= YP96_CM && rep_good(report); i++) {
    yp96_case run = {(yp96_iteration)i, f->tolerance, f->eps};
    curve c = {file, reading, yp96_name(run.iteration), f->count, NAN};
    yp96_watch watch = {f->columns, f->count, write_row, &c};
    dae_summary summary;
    char trouble[256];
    yp96_case_run(report, f->setting, &run, &watch, &summary, trouble);
  }
}

static void write_figure(rep_report *report, const figure *f)
{
  const rep_figure drawn = {.title = f->title, .x = "t", .item = f->item};
  rep_file *file = rep_file_open(report, f->name, f->header, &drawn);
  write_curves(report, f, NULL, file);
  rep_file_close(file);
}

/* Figure 5.6 in both readings of the bushing */
static void write_step_sizes(rep_report *report)
{
  const yp96_table *literal = &yp96_tables[YP96_FIGURE_5_6];
  const yp96_table *split = &yp96_tables[YP96_FIGURE_5_6_SPLIT];
  figure f = {NULL,  "figure-5.6", "reading,method,t,h", &literal->setting, "1e-4", "1e-5", 1,
              {"t"}, NULL};
  static const rep_figure drawn = {
      .title = "Figure 5.6", .x = "t", .log = {"h"}, .style = DAE_CURVE_STEPS};
  rep_file *file = rep_file_open(report, f.name, f.header, &drawn);
  write_curves(report, &f, "to the letter", file);
  f.setting = &split->setting;
  write_curves(report, &f, "bad split", file);
  rep_file_close(file);
}

void yp96_figures(rep_report *report)
{
  const yp96_setting *point = &yp96_tables[YP96_TABLE_5_1].setting;
  const yp96_setting *spring = &yp96_tables[YP96_TABLE_5_2].setting;
  const figure figures[] = {
      {"Figure 5.1",
       "figure-5.1",
       "method,t,energy",
       point,
       "1e-3",
       "1e-6",
       2,
       {"t", "energy"},
       NULL},
      {"Figure 5.3",
       "figure-5.3",
       "method,t,energy",
       spring,
       "1e-4",
       "1e-4",
       2,
       {"t", "energy"},
       NULL},
      {"Figure 5.4",
       "figure-5.4",
       "method,t,x,w,lambda",
       spring,
       "1e-4",
       "1e-4",
       4,
       {"t", "x", "der(x)", "lambda(circle)"},
       "Figure 5.4"},
  };
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    write_figure(report, &figures[i]);
  write_step_sizes(report);
}
