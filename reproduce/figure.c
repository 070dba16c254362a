/* Plots of the data of a file in the report: records are sorted into curves, one for each
 * combination of the fields before x, and drawn when the file is closed. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL 96

typedef struct curve {
  char label[LABEL];
  double *values; /* x and the following columns, record by record */
  long count, room;
} curve;

struct rep__drawing {
  rep_report *report;
  const rep_figure *figure;
  char *header;       /* header, cut into names */
  const char **names; /* names of the columns */
  int columns, x;     /* number of columns, index of the abscissa */
  curve *curves;
  int count;
  /* current record */
  int field;
  char label[LABEL];
  double *values;
};

static void cut_header(rep__drawing *d)
{
  for (char *at = d->header; at; d->columns++) {
    char *comma = strchr(at, ',');
    d->names[d->columns] = at;
    if (comma)
      *comma = '\0';
    if (strcmp(at, d->figure->x) == 0)
      d->x = d->columns;
    at = comma ? comma + 1 : NULL;
  }
}

rep__drawing *rep__drawing_begin(rep_report *report, const rep_figure *figure, const char *header)
{
  rep__drawing *d = calloc(1, sizeof *d);
  size_t room = strlen(header) + 1;
  if (d) {
    *d = (rep__drawing){.report = report, .figure = figure};
    d->header = malloc(room);
    d->names = calloc(room, sizeof *d->names);
    d->values = calloc(room, sizeof *d->values);
  }
  if (!d || !d->header || !d->names || !d->values) {
    rep__fail(report, DAE_ERROR_MEMORY, "out of memory for a figure");
    rep__drawing_end(d);
    return NULL;
  }
  memcpy(d->header, header, room);
  cut_header(d);
  return d;
}

void rep__drawing_text(rep__drawing *d, const char *text)
{
  size_t used = strlen(d->label);
  if (d->field < d->x)
    snprintf(d->label + used, sizeof d->label - used, "%s%s", used ? ", " : "", text);
  d->field++;
}

void rep__drawing_number(rep__drawing *d, double value)
{
  char text[LABEL];
  if (d->field < d->x) {
    snprintf(text, sizeof text, "%s = %g", d->names[d->field], value);
    rep__drawing_text(d, text);
    return;
  }
  d->values[d->field++ - d->x] = value;
}

/* curve of this label, usually that of the preceding record */
static curve *find_curve(rep__drawing *d)
{
  for (int i = d->count - 1; i >= 0; i--)
    if (strcmp(d->curves[i].label, d->label) == 0)
      return &d->curves[i];
  curve *more = realloc(d->curves, (size_t)(d->count + 1) * sizeof *more);
  if (!more)
    return NULL;
  d->curves = more;
  more += d->count++;
  *more = (curve){0};
  snprintf(more->label, sizeof more->label, "%s", d->label);
  return more;
}

void rep__drawing_record(rep__drawing *d)
{
  int width = d->columns - d->x;
  curve *c = find_curve(d);
  if (c && c->count == c->room) {
    long room = 2 * c->room + 64;
    double *values = realloc(c->values, (size_t)(room * width) * sizeof *values);
    c->room = values ? room : c->room;
    c->values = values ? values : c->values;
  }
  if (!c || c->count == c->room)
    rep__fail(d->report, DAE_ERROR_MEMORY, "out of memory for a figure");
  else
    memcpy(c->values + c->count++ * width, d->values, (size_t)width * sizeof *d->values);
  d->field = 0;
  d->label[0] = '\0';
}

/* ---- plots ---- */

static double *pick(const curve *c, int width, int column)
{
  double *values = malloc((size_t)(c->count + 1) * sizeof *values);
  for (long i = 0; values && i < c->count; i++)
    values[i] = c->values[i * width + column];
  return values;
}

static bool is_log(const rep_figure *figure, const char *column)
{
  if (figure->all_log)
    return true;
  for (int i = 0; i < REP_LOG && figure->log[i]; i++)
    if (strcmp(figure->log[i], column) == 0)
      return true;
  return false;
}

static bool has_negative(const rep__drawing *d, int column)
{
  int width = d->columns - d->x;
  for (int i = 0; i < d->count; i++)
    for (long k = 0; k < d->curves[i].count; k++)
      if (d->curves[i].values[k * width + column] < 0)
        return true;
  return false;
}

/* Plot of one column over x, with all curves: of absolute values on a logarithmic axis. */
static void plot_column(rep__drawing *d, int column)
{
  int width = d->columns - d->x;
  char title[200], name[LABEL];
  bool log = is_log(d->figure, d->names[d->x + column]);
  bool size = log && has_negative(d, column);
  snprintf(name, sizeof name, size ? "|%s|" : "%s", d->names[d->x + column]);
  dae_curve *curves = calloc((size_t)d->count + 1, sizeof *curves);
  bool whole = curves != NULL;
  for (int i = 0; whole && i < d->count; i++) {
    const curve *c = &d->curves[i];
    double *x = pick(c, width, 0), *y = pick(c, width, column);
    for (long k = 0; size && y && k < c->count; k++)
      y[k] = fabs(y[k]);
    curves[i] = (dae_curve){c->label, x, y, c->count, d->figure->style};
    whole = x && y;
  }
  snprintf(title, sizeof title, "%s: %s", d->figure->title, name);
  const dae_plot plot = {.title = title,
                         .x_label = d->figure->x,
                         .y_label = name,
                         .x_log = is_log(d->figure, d->figure->x),
                         .y_log = log,
                         .alone = true,
                         .curves = curves,
                         .count = d->count};
  if (whole)
    dae_page_plot(d->report->settings->page, &plot);
  else
    rep__fail(d->report, DAE_ERROR_MEMORY, "out of memory for a figure");
  for (int i = 0; curves && i < d->count; i++)
    free((double *)curves[i].x), free((double *)curves[i].y);
  free(curves);
}

void rep__drawing_end(rep__drawing *d)
{
  if (!d)
    return;
  for (int column = 1; column < d->columns - d->x && d->count > 0; column++)
    plot_column(d, column);
  for (int i = 0; i < d->count; i++)
    free(d->curves[i].values);
  free(d->curves);
  free(d->values);
  free(d->names);
  free(d->header);
  free(d);
}
