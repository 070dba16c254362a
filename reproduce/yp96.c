/* The reproduction of [YP96]: its tables, the energy of its runs, its figures. */
#include "yp96.h"
#include "yp96_theorems.h"

#include <string.h>

const char yp96_notes[] =
    "BDF by the rules of DASSL, order 2 at most, without projection. CS is Newton's iteration for "
    "the split equations, which the printed algorithm is not; CM has the directions of the last "
    "Jacobian. f-evals: residuals, one for each Newton iteration; J-evals: Jacobians; etf, ctf: "
    "failed error tests, failed convergence tests.";

bool yp96_case_run(rep_report *report, const yp96_setting *setting, const yp96_case *run,
                   const yp96_watch *watch, dae_summary *summary, char trouble[256])
{
  dae_error err;
  trouble[0] = '\0';
  if (!rep_good(report))
    return false;
  dae_status status = yp96_integrate(setting, run, watch, rep_progress, report, summary, &err);
  if (status == DAE_ERROR_STEP || status == DAE_ERROR_SINGULAR)
    snprintf(trouble, 256, "%.255s", err.text);
  else if (status < 0)
    rep_fail(report, &err);
  return rep_good(report);
}

/* label of a row as in the headline: "GGL*  1e-3 1e-4" */
static void label_of(const rep_table *table, const yp96_case *run, char *text, size_t size)
{
  bool tolerance = strstr(table->label, "TOL"), eps = strstr(table->label, "eps");
  if (!tolerance && !eps)
    snprintf(text, size, "%s", yp96_name(run->iteration));
  else
    snprintf(text, size, "%-4s %s%s%s", yp96_name(run->iteration), tolerance ? run->tolerance : "",
             tolerance && eps ? " " : "", eps ? run->eps : "");
}

/* ---- the tables of the paper ---- */

typedef struct table_case {
  const yp96_table *table;
  const yp96_row *row;
} table_case;

static bool measure_counts(rep_report *report, const void *user, double shift, double *values,
                           char trouble[256])
{
  const table_case *c = user;
  yp96_setting setting = c->table->setting;
  dae_summary summary;
  setting.shift = shift;
  if (!yp96_case_run(report, &setting, &c->row->run, NULL, &summary, trouble))
    return false;
  yp96_counts(&summary.stats, values);
  return true;
}

/* Table 5.4 has two items: the iterations of the paper, and those that it compares them with. */
static const char *item_of(const yp96_table *table, const yp96_row *row)
{
  bool compared = row->run.iteration == YP96_GGL || row->run.iteration == YP96_GGL_STAR;
  return compared ? table->item_ggl : NULL;
}

static void show_row(rep_report *report, const yp96_table *table, const yp96_row *row)
{
  const table_case c = {table, row};
  yp96_sample s;
  char label[48];
  rep_value values[YP96_COUNTS];
  if (!yp96_sample_run(report, table->costly && rep_quick(report), measure_counts, &c, &s))
    return;
  for (int i = 0; i < YP96_COUNTS; i++)
    values[i] = (rep_value){row->paper[i], s.median[i], row->reference[i], REP_SHOWN, 0};
  if (row->bound > 0)
    values[0].check = REP_NEAR, values[0].bound = row->bound;
  if (row->bound > 0 && table->failure_bound > 0 && row->reference[4] > 100)
    values[4].check = REP_NEAR, values[4].bound = table->failure_bound;
  label_of(&table->text, &row->run, label, sizeof label);
  rep_table_add(report, &(rep_row){.label = label,
                                   .values = values,
                                   .spread = s.spread,
                                   .item = item_of(table, row),
                                   .trouble = s.failed > s.runs / 2 ? s.trouble : NULL,
                                   .note = s.trouble});
}

static void show_table(rep_report *report, const yp96_table *table)
{
  rep_table_begin(report, &table->text);
  for (int i = 0; i < table->count && rep_good(report); i++)
    show_row(report, table, &table->rows[i]);
  rep_table_end(report);
}

dae_status yp96_run(rep_report *report)
{
  const char *iteration = rep_iteration(report);
  if (iteration) {
    yp96_motions(report, iteration);
    return rep_status(report);
  }
  for (int i = 0; i < YP96_TABLES && rep_good(report); i++) {
    show_table(report, &yp96_tables[i]);
    if (i == YP96_TABLE_5_2)
      yp96_energies(report);
  }
  yp96_peers(report);
  yp96_theorems(report);
  yp96_motions(report, NULL);
  yp96_figures(report);
  return rep_status(report);
}
