/** @file
 * Pages: one self-contained HTML file with text, tables, plots, an animation and data to download.
 * It needs no network, adapts to small screens, and follows the light or dark theme of the browser.
 *
 *     dae_page *page;
 *     dae_page_create("out.html", "pendulum", NULL, &page, &err);
 *     dae_page_heading(page, "Motion");
 *     dae_page_plot(page, &plot);
 *     status = dae_page_close(page, &err);
 *
 * Contents are copied into the page by each call. After a failure further calls have no effect, and
 * dae_page_close reports it. Texts are plain: markup is escaped.
 *
 * Equal columns of numbers are stored once: the times of many plots, or columns that are both
 * plotted and offered for download.
 *
 * Plots can be zoomed (drag; double click: reset), curves toggled in the legend, values read under
 * the cursor. Curves with ascending abscissas are drawn by uPlot, which is part of the library if
 * npm is available at build time; otherwise the page contains every plot as SVG, redrawn by a
 * script of the page if scripts are enabled, without synchronised zoom. */
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

/** Opaque handle of a page. */
typedef struct dae_page dae_page;

/** Creates a page and its file. */
dae_status dae_page_create(const char *path, const char *title, const dae_env *env, dae_page **out,
                           dae_error *err);

/** Adds the heading of a section, which is listed in the table of contents. */
void dae_page_heading(dae_page *page, const char *text);
/** Adds a heading within a section. */
void dae_page_subheading(dae_page *page, const char *text);
/** Adds a paragraph. */
void dae_page_text(dae_page *page, const char *text);

/** Colour of a box or a row. */
typedef enum dae_page_mood {
  DAE_PAGE_PLAIN,   /**< neutral */
  DAE_PAGE_GOOD,    /**< success */
  DAE_PAGE_WARNING, /**< warning */
  DAE_PAGE_BAD      /**< failure */
} dae_page_mood;

/** Adds a highlighted box: one sentence, with a longer text below it (NULL: none). */
void dae_page_verdict(dae_page *page, dae_page_mood mood, const char *sentence, const char *text);

/** Adds preformatted lines, such as a model or a command, with a button that copies them. caption
 * may be NULL; folded: initially hidden. */
void dae_page_code(dae_page *page, const char *caption, const char *text, bool folded);

/** @name Tables
 * A header and rows of the same number of cells. Cells with numbers are right-aligned, and so is
 * their header if the first row has a number.
 * @{ */

/** Begins a table; caption may be NULL. */
void dae_page_table_begin(dae_page *page, const char *caption, int columns,
                          const char *const *header);
/** Adds a row, with a colour. */
void dae_page_table_row(dae_page *page, dae_page_mood mood, const char *const *cells);
/** Ends the table. */
void dae_page_table_end(dae_page *page);
/** @} */

/** Adds a plot of full width. Cursor and zoom of plots with the same x_label, if not NULL, are
 * synchronised. Only the first 12 curves are initially visible. Columns stored in single precision
 * by an earlier call are plotted in single precision. */
void dae_page_plot(dae_page *page, const dae_plot *plot);

/** Columns of numbers: entry k of column i is values[i][k]. */
typedef struct dae_page_data {
  const char *name;            /**< name of the downloaded file: pendulum.csv */
  int columns;                 /**< number of columns */
  const char *const *names;    /**< names of the columns */
  const double *const *values; /**< columns of rows numbers each */
  long rows;                   /**< number of rows */
  bool single;                 /**< single precision, seven digits: half the size */
  const char *note;            /**< description of omitted data; NULL: none */
} dae_page_data;

/** Adds a button that downloads the data as CSV, in full precision (single: seven digits). */
void dae_page_download(dae_page *page, const dae_page_data *data);

/** Adds a phase plot of two columns, which the reader can select, initially column y over column x.
 * Times ascend along the curve. */
void dae_page_phase(dae_page *page, const dae_page_data *data, int x, int y);

/** Adds an animation of shapes: frame k shows values[k * drawing->values ...] at times[k], with
 * play, pause, speed, trails and a scrubber; it is initially paused. Values are stored to 1/65534
 * of their range in the drawing; a shape with a value that is not finite is omitted. Without shapes
 * nothing is added.
 *
 * A drawing in space is turned, moved and zoomed by mouse, touch and keys, and drawn by WebGL 2. A
 * static picture of the first frame, as SVG, stands in its place where scripts or WebGL are
 * missing. */
void dae_page_motion(dae_page *page, const dae_drawing *drawing, const double *times,
                     const double *values, long frames);

/** Adds a spy plot of a matrix, with lines between its blocks: block i has block[i] rows and
 * columns and the name name[i]. */
void dae_page_sparsity(dae_page *page, const dae_pattern *pattern, int blocks, const int *block,
                       const char *const *name);

/** Completes and closes the file and frees the page, also after a failure. */
dae_status dae_page_close(dae_page *page, dae_error *err);
/** Frees the page without its file; an older file of this name stays. NULL is allowed. */
void dae_page_discard(dae_page *page);

#ifdef __cplusplus
}
#endif
#endif
