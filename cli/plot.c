/* daedal plot: columns of a CSV file as curves, in the terminal or as SVG. */
#include "cli.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_COLUMNS 6 /* columns in a plot without named columns */
#define SVG_WIDTH 800
#define SVG_HEIGHT 450

/* One plot from the command line to the exit code. */
typedef struct picture {
  const cli_arguments *args;
  const char *svg; /* file name, NULL: plot in the terminal */
  cli_table table;
  int over;    /* column of the horizontal axis */
  int *chosen; /* columns of the curves */
  int count;   /* number of curves */
  bool cut;    /* the default selection omits columns */
  cli_numbers numbers;
  dae_curve *curves;
  char *text;
} picture;

/* ---- columns ---- */

/* named columns, or the first ones */
static dae_status plot_select_columns(picture *p, dae_error *err)
{
  const cli_arguments *args = p->args;
  const cli_table *table = &p->table;
  const char *over = cli_value(args, "over");
  dae_status status = over ? cli_column(table, over, &p->over, err) : DAE_OK;
  if (status >= 0 && table->columns == 1)
    return cli_fail(err, DAE_ERROR_FILE, "%.200s has only one column, %.80s: nothing to plot",
                    table->path, table->names[0]);
  for (int i = 0; i < args->other_count && status >= 0; i++)
    status = cli_columns_add(table, args->others[i], p->over, p->chosen, &p->count, err);
  if (status < 0 || args->other_count > 0)
    return status;
  for (int i = 0; i < table->columns && p->count < DEFAULT_COLUMNS; i++)
    if (i != p->over)
      p->chosen[p->count++] = i;
  p->cut = p->count < table->columns - 1;
  return DAE_OK;
}

/* ---- numbers ---- */

/* Replaces abscissas outside of --from and --to by NaN. */
static dae_status plot_cut_range(picture *p, double *x, dae_error *err)
{
  double from = cli_number(p->args, "from", -INFINITY), to = cli_number(p->args, "to", INFINITY);
  double least = INFINITY, most = -INFINITY;
  long left = 0;
  if (from >= to)
    return cli_fail(err, DAE_ERROR_USAGE, "--from %g is not less than --to %g", from, to);
  for (long k = 0; k < p->numbers.rows; k++) {
    least = fmin(least, x[k]);
    most = fmax(most, x[k]);
    if (x[k] >= from && x[k] <= to)
      left++;
    else
      x[k] = NAN;
  }
  if (left == 0 && least <= most)
    return cli_fail(err, DAE_ERROR_USAGE, "no rows in this range: %.80s is between %g and %g",
                    p->table.names[p->over], least, most);
  return DAE_OK;
}

/* Curves of the columns chosen[i], which may include that of the horizontal axis. */
static dae_status plot_make_curves(picture *p, dae_error *err)
{
  int *columns = malloc((size_t)(p->count + 1) * sizeof *columns), used = 0;
  p->curves = calloc((size_t)p->count, sizeof *p->curves);
  if (!columns || !p->curves) {
    free(columns);
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  }
  columns[used++] = p->over;
  for (int i = 0; i < p->count; i++)
    if (p->chosen[i] != p->over)
      columns[used++] = p->chosen[i];
  dae_status status = cli_table_numbers(&p->table, used, columns, &p->numbers, err);
  free(columns);
  if (status >= 0)
    status = plot_cut_range(p, p->numbers.values, err);
  used = 1;
  for (int i = 0; i < p->count && status >= 0; i++) {
    long at = p->chosen[i] == p->over ? 0 : used++;
    p->curves[i] = (dae_curve){.label = p->table.names[p->chosen[i]],
                               .x = p->numbers.values,
                               .y = p->numbers.values + at * p->numbers.stride,
                               .count = p->numbers.rows};
  }
  return status;
}

/* ---- the plot ---- */

static dae_status plot_read_size(const cli_arguments *args, const char *name, int fallback,
                                 int *size, dae_error *err)
{
  double number = cli_number(args, name, fallback);
  if (number != floor(number) || fabs(number) > INT_MAX)
    return cli_fail(err, DAE_ERROR_USAGE, "--%s %s: expected a whole number", name,
                    cli_value(args, name));
  *size = (int)number;
  return DAE_OK;
}

/* Rows of the plot: one line less than the terminal for the prompt, at most 3/10 of its columns. */
static int plot_rows(const dae_plot_terminal *terminal)
{
  int rows = terminal->rows - 1, most = terminal->columns * 3 / 10;
  most = most < 16 ? 16 : most;
  return rows < most ? rows : most;
}

static dae_status plot_draw_text(picture *p, const dae_plot *plot, dae_error *err)
{
  dae_plot_terminal terminal = cli_terminal();
  terminal.rows = plot_rows(&terminal);
  terminal.ascii = terminal.ascii || cli_flag(p->args, "ascii");
  dae_status status = plot_read_size(p->args, "width", terminal.columns, &terminal.columns, err);
  if (status >= 0)
    status = plot_read_size(p->args, "height", terminal.rows, &terminal.rows, err);
  if (status >= 0)
    status = dae_plot_text(plot, &terminal, NULL, &p->text, err);
  if (status >= 0)
    fputs(p->text, stdout);
  return status;
}

static dae_status plot_draw_svg(picture *p, const dae_plot *plot, dae_error *err)
{
  int width = 0, height = 0;
  if (cli_flag(p->args, "ascii"))
    return cli_fail(err, DAE_ERROR_USAGE,
                    "--ascii applies to plots in the terminal: it excludes --svg");
  dae_status status = plot_read_size(p->args, "width", SVG_WIDTH, &width, err);
  if (status >= 0)
    status = plot_read_size(p->args, "height", SVG_HEIGHT, &height, err);
  if (status >= 0)
    status = dae_plot_svg(plot, width, height, NULL, &p->text, err);
  if (status >= 0)
    status = cli_write_file(p->svg, p->text, err);
  if (status >= 0 && !cli_is_stdout(p->svg))
    printf("%s written\n", p->svg);
  return status;
}

static dae_status plot_draw(picture *p, dae_error *err)
{
  dae_plot plot = {.title = cli_value(p->args, "title"),
                   .x_label = p->table.names[p->over],
                   .y_label = p->count == 1 ? p->curves[0].label : NULL,
                   .x_log = cli_flag(p->args, "log-x"),
                   .y_log = cli_flag(p->args, "log"),
                   .equal = cli_flag(p->args, "equal"),
                   .curves = p->curves,
                   .count = p->count};
  return p->svg ? plot_draw_svg(p, &plot, err) : plot_draw_text(p, &plot, err);
}

static dae_status plot_make(picture *p, dae_error *err)
{
  const char *path = p->args->operand;
  if (p->svg && cli_same_file(p->svg, path))
    return cli_fail(err, DAE_ERROR_USAGE, "--svg %.200s would overwrite the results", p->svg);
  dae_status status = cli_table_read(path, &p->table, err);
  if (status < 0)
    return status;
  if (cli_flag(p->args, "names")) {
    for (int i = 0; i < p->table.columns; i++) {
      cli_put_clean(stdout, p->table.names[i]);
      putchar('\n');
    }
    return DAE_OK;
  }
  p->chosen = calloc((size_t)p->table.columns, sizeof *p->chosen);
  if (!p->chosen)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  status = plot_select_columns(p, err);
  if (status >= 0)
    status = plot_make_curves(p, err);
  if (status >= 0)
    status = plot_draw(p, err);
  if (status >= 0 && p->cut)
    cli_note("the plot shows the first %d of %d columns; `daedal plot %s --names` lists all",
             DEFAULT_COLUMNS, p->table.columns - 1, path);
  return status;
}

cli_exit cli_plot(const cli_arguments *args)
{
  picture p = {.args = args, .svg = cli_value(args, "svg")};
  dae_error err;
  dae_status status = plot_make(&p, &err);
  dae_plot_free(p.text, NULL);
  free(p.curves);
  free(p.numbers.values);
  free(p.chosen);
  cli_table_free(&p.table);
  return status < 0 ? cli_report("plot", &err) : CLI_OK;
}
