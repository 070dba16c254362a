/** @file
 * Pages: one self-contained HTML file with text, tables, plots, a motion and data to download. It
 * opens from disk, without a network, on small screens, and in the light or dark the reader has
 * chosen.
 *
 *     dae_page *page;
 *     dae_page_create("out.html", "pendulum", NULL, &page, &err);
 *     dae_page_heading(page, "Motion");
 *     dae_page_plot(page, &plot);
 *     status = dae_page_close(page, &err);
 *
 * What is added is copied into the page at once. A failure on the way is remembered, later calls do
 * nothing, and close tells it. Texts are plain: what HTML would read as markup is escaped.
 *
 * Numbers are in the page once, however often they are given: the times of many plots, or the
 * columns that are plotted and offered for download.
 *
 * Plots can be zoomed (drag; double click: all of it), curves toggled in the legend, values read
 * under the cursor. Where curves run from left to right this is done by uPlot, which the build puts
 * into the library where npm can be had; where not, the page holds every plot as SVG, and where
 * scripts run the page's own code draws it anew, without linking plots to each other. */
#ifndef DAEDAL_PAGE_H
#define DAEDAL_PAGE_H

#include <daedal/drawing.h>
#include <daedal/env.h>
#include <daedal/pattern.h>
#include <daedal/plot.h>
#include <daedal/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A page that is being written. */
typedef struct dae_page dae_page;

/** Creates the file at once, so that a path which cannot be written is known before the work is
 * done. */
dae_status dae_page_create(const char *path, const char *title, const dae_env *env, dae_page **out,
                           dae_error *err);

/** A section, which the list of contents names. */
void dae_page_heading(dae_page *page, const char *text);
/** A heading within it. */
void dae_page_subheading(dae_page *page, const char *text);
/** A paragraph. */
void dae_page_text(dae_page *page, const char *text);

/** What a box or a row wants to say, by its colour. */
typedef enum dae_page_mood {
  DAE_PAGE_PLAIN,   /**< nothing */
  DAE_PAGE_GOOD,    /**< all is well */
  DAE_PAGE_WARNING, /**< to be looked at */
  DAE_PAGE_BAD      /**< something is wrong */
} dae_page_mood;

/** A box that stands out: one sentence, with a longer text below it (NULL: none). */
void dae_page_verdict(dae_page *page, dae_page_mood mood, const char *sentence, const char *text);

/** Lines as they are: a model, a command, with a button that copies them. caption may be NULL;
 * folded: shown when asked for. */
void dae_page_code(dae_page *page, const char *caption, const char *text, bool folded);

/** @name Tables
 * Header cells, then rows of as many cells. A cell that looks like a number stands right, and
 * its header with it if it is in the first row.
 * @{ */

/** Begins one; caption may be NULL. */
void dae_page_table_begin(dae_page *page, const char *caption, int columns,
                          const char *const *header);
/** A row; mood colours it. */
void dae_page_table_row(dae_page *page, dae_page_mood mood, const char *const *cells);
/** Ends it. */
void dae_page_table_end(dae_page *page);
/** @} */

/** A plot in the full width. Plots with the same x_label on one page move their cursors and zoom
 * together, unless it is NULL. Of more than 12 curves the first 12 are shown, the others when asked
 * for. Columns that were given as single before are plotted so. */
void dae_page_plot(dae_page *page, const dae_plot *plot);

/** Columns of numbers: entry k of column i is values[i][k]. */
typedef struct dae_page_data {
  const char *name;            /**< of the file that is downloaded: pendulum.csv */
  int columns;                 /**< their number */
  const char *const *names;    /**< of the columns */
  const double *const *values; /**< of the columns, rows each */
  long rows;                   /**< their number */
  bool single;                 /**< seven digits are enough: half the size */
  const char *note;            /**< what of it is left out; NULL: nothing */
} dae_page_data;

/** A button that downloads the data as CSV. Numbers come out as they went in (single: to seven
 * digits). */
void dae_page_download(dae_page *page, const dae_page_data *data);

/** A plot of any column over any other, to be chosen by the reader, first that of column y over
 * column x. Made for phase plots: times ascend along the curve. */
void dae_page_phase(dae_page *page, const dae_page_data *data, int x, int y);

/** A motion of shapes in the plane: frame k shows values[k * drawing->values ...] at times[k]. With
 * play, pause, speed and a scrubber; it stands at first. The page keeps positions to 1/65534 of the
 * whole picture; a shape with a value that is not finite is left out. No shapes: nothing is shown.
 */
void dae_page_motion(dae_page *page, const dae_drawing *drawing, const double *times,
                     const double *values, long frames);

/** A picture of where the entries of a matrix are, with lines between its blocks: block[i] rows and
 * columns belong to the one called name[i]. */
void dae_page_sparsity(dae_page *page, const dae_pattern *pattern, int blocks, const int *block,
                       const char *const *name);

/** Writes what is left, closes the file and frees the page, whatever happened. */
dae_status dae_page_close(dae_page *page, dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
