/* Plots as text for a terminal.
 *
 *   title
 *   ── x   ── y                  the legend
 *   speed                        name of the y axis
 *   1.0┤⠉⠢⡀      ⢀⠔⠉
 *      │  ⠑⡀   ⢀⠔⠁               the canvas
 *     0┤   ⠈⠢⡠⠔⠁
 *      └┬──────┬─────
 *       0      5
 *              t                 name of the x axis
 *
 * The plot fills the rows of the terminal. Curves are distinguished by colour; without colours by
 * letters on the curves, in ASCII by the characters of the curves. The text is composed twice,
 * first only to measure its length. */
#include "core/arena.h"
#include "core/env.h"
#include "core/error.h"
#include "core/utf8.h"
#include "output/plot/frame.h"
#include "output/text.h"

#include <daedal/plot.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in characters; chosen, not measured. */
#define TEXT_PLOT_MIN_COLUMNS 20
#define TEXT_PLOT_MIN_ROWS 6
#define TEXT_PLOT_MAX_SIDE 10000
/* smallest width of the canvas, which the labels of the y axis reduce */
#define TEXT_PLOT_MIN_CANVAS 9
#define TEXT_PLOT_KEY 3               /* columns before a curve name in the legend */
#define TEXT_PLOT_LETTERS_PER_CURVE 3 /* number of letters on each curve */

typedef struct glyphs {
  const char *key, *side, *side_tick, *corner, *floor, *floor_tick;
} glyphs;

static const glyphs unicode_glyphs = {"\u2500\u2500", "\u2502", "\u2524",
                                      "\u2514",       "\u2500", "\u252c"};
static const glyphs ascii_glyphs = {"--", "|", "+", "+", "-", "+"};

/* Character of the canvas. */
typedef struct cell {
  unsigned char dots; /* bits of the braille character */
  char letter;        /* letter shown instead of the dots; 0: none */
  int curve;          /* number of the curve drawn last in this cell, from 1; 0: none */
} cell;

typedef struct screen {
  const glyphs *glyphs;
  const dae_plot *plot;
  dae_plot_terminal terminal;
  dae__frame frame;
  dae__legend legend;
  bool letters; /* whether letters, not colours, identify the curves */
  bool title, y_title, x_title;
  int label_columns; /* width of the labels of the y axis */
  int canvas_columns, canvas_rows;
  dae__ticks x, y;
  dae__axis_name x_name, y_name;
  /* Canvas: a raster of braille characters with 2 x 4 dots each, or of characters that are set as a
   * whole. */
  int across, down; /* number of dots in a character, horizontally and vertically */
  cell *cells;      /* cells row by row, from the top */
  int curve;        /* number of the curve being drawn, counted from 1 */
  int at_x, at_y;   /* position of the pen, in dots from the left and the top */
} screen;

/* ---- text ---- */

static void text_plot_add_blanks(dae__text *out, int count)
{
  if (count > 0)
    dae__text_add(out, "%*s", count, "");
}

/* Adds a text, cut to `room` characters. */
static void text_plot_add_word(dae__text *out, const screen *p, const char *word, int room)
{
  int length = dae__utf8_length(word), kept = length <= room ? length : room - 3;
  for (int i = 0; i < kept; i++) {
    int c = dae__utf8_next(&word);
    if (p->terminal.ascii && c >= 0x80)
      c = '?';
    dae__utf8_add(out, c);
  }
  if (kept < length)
    dae__text_add(out, "%.*s", room < 3 ? room : 3, "...");
}

static void text_plot_add_line(dae__text *out, const screen *p, int indent, const char *word)
{
  text_plot_add_blanks(out, indent);
  text_plot_add_word(out, p, word, p->terminal.columns - indent);
  dae__text_add(out, "\n");
}

/* Sets the text colour to that of a curve, counted from 0; negative: default colour of the
 * terminal. */
static void text_plot_add_colour(dae__text *out, const screen *p, int curve)
{
  if (!p->terminal.colour)
    return;
  if (curve < 0)
    dae__text_add(out, "\033[0m");
  else
    dae__text_add(out, "\033[38;5;%dm", dae__colours[curve % DAE__COLOURS].terminal);
}

/* Returns the character that identifies a curve without colours. */
static char text_plot_letter_of(const screen *p, int curve)
{
  static const char drawn[] = "*+xo#@%&=$";
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (p->terminal.ascii)
    return drawn[curve % (int)(sizeof drawn - 1)];
  return letters[curve % (int)(sizeof letters - 1)];
}

/* ---- layout ---- */

static double text_plot_word_width(const char *word, double size)
{
  (void)size;
  return dae__utf8_length(word);
}

static int text_plot_widest_label(const dae__ticks *ticks, int most)
{
  int widest = 0;
  for (int i = 0; i < ticks->count; i++) {
    int length = (int)strlen(ticks->at[i].label);
    widest = length > widest && length <= most ? length : widest;
  }
  return widest;
}

/* Computes the layout. Lines around the canvas by priority: axis and labels, axis names with
 * the base of labels, the legend, other axis names, the title. The labels of the y axis
 * reduce the width of the canvas, which with equal units on both axes determines the labels:
 * three iterations. */
static void text_plot_make_layout(screen *p, const dae__frame *frame)
{
  const dae_plot *plot = p->plot;
  int rows = p->terminal.rows, columns = p->terminal.columns;
  bool x_needed = dae__axis_needs_name(&frame->x), y_needed = dae__axis_needs_name(&frame->y);
  p->legend = (dae__legend){.plot = plot,
                            .room = columns,
                            .apart = 3,
                            .key = TEXT_PLOT_KEY,
                            .word_width = text_plot_word_width};
  dae__legend_fit(&p->legend, rows >= 10 ? rows / 5 : !x_needed && !y_needed);
  p->y_title = y_needed || (rows >= 8 && plot->y_label && plot->y_label[0]);
  p->title = rows >= 9 && plot->title && plot->title[0];
  p->x_title = x_needed || (rows >= 12 && plot->x_label && plot->x_label[0]);
  p->canvas_rows = rows - 2 - p->legend.rows - p->y_title - p->title - p->x_title;
  for (int pass = 0; pass < 3; pass++) {
    p->label_columns = text_plot_widest_label(&p->y, columns - TEXT_PLOT_MIN_CANVAS - 1);
    p->canvas_columns = columns - p->label_columns - 1;
    p->frame = *frame;
    if (plot->equal) /* the height of a character is twice its width */
      dae__axis_equal(&p->frame.x, &p->frame.y, p->canvas_columns, 2 * p->canvas_rows);
    dae__axis_ticks(&p->frame.y, p->canvas_rows / 3, &p->y);
  }
  dae__axis_ticks(&p->frame.x, p->canvas_columns / 10, &p->x);
  int wanted = text_plot_widest_label(&p->x, p->canvas_columns) + 2;
  if (wanted > 10)
    dae__axis_ticks(&p->frame.x, p->canvas_columns / wanted, &p->x);
  p->x_name = dae__frame_name(plot->x_label, &p->x);
  p->y_name = dae__frame_name(plot->y_label, &p->y);
}

/* ---- curves ---- */

static cell *text_plot_cell(const screen *p, int column, int row)
{
  return &p->cells[row * p->canvas_columns + column];
}

/* Returns the index, 0 to dots - 1, of the dot at a fraction `share` of the axis, 0 to 1. */
static int text_plot_dot(double share, int dots)
{
  double dot = floor(fmin(fmax(share, 0), 1) * dots);
  return dot < dots ? (int)dot : dots - 1;
}

/* Draws a line from the pen to a point, in the coordinates of the plot, with one dot in each column
 * of dots, or in each row of dots if it is steeper; or, if line is false, sets that dot only: a pen
 * of dae__frame_trace. */
static void text_plot_draw(void *self, bool line, double x, double y)
{
  /* bits of a Unicode braille character: 0-2 and 3-5 down the two columns, 6 and 7 in the fourth
   * row */
  static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  screen *p = self;
  int to_x = text_plot_dot(dae__axis_share(&p->frame.x, x), p->canvas_columns * p->across);
  int to_y = text_plot_dot(1 - dae__axis_share(&p->frame.y, y), p->canvas_rows * p->down);
  if (!line) {
    p->at_x = to_x;
    p->at_y = to_y;
  }
  int dx = to_x - p->at_x, dy = to_y - p->at_y;
  int steps = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
  for (int i = line; i <= steps; i++) {
    double share = steps > 0 ? (double)i / steps : 0;
    int dot_x = p->at_x + (int)lround(share * dx), dot_y = p->at_y + (int)lround(share * dy);
    cell *c = text_plot_cell(p, dot_x / p->across, dot_y / p->down);
    c->dots |= bits[dot_y % p->down][dot_x % p->across];
    c->curve = p->curve;
  }
  p->at_x = to_x;
  p->at_y = to_y;
}

/* Puts the letter of the current curve on its topmost character in this column; returns whether the
 * curve has one. */
static bool text_plot_mark_column(const screen *p, int column, char letter)
{
  for (int row = 0; row < p->canvas_rows; row++) {
    cell *c = text_plot_cell(p, column, row);
    if (c->curve != p->curve || c->letter)
      continue;
    c->letter = letter;
    return true;
  }
  return false;
}

/* Puts a letter on the current curve in some places, to identify it without colours. offset, 0 to
 * 1, shifts the places, so that the letters of different curves are apart. */
static void text_plot_mark(const screen *p, double offset, char letter)
{
  bool marked = false;
  for (int k = 0; k < TEXT_PLOT_LETTERS_PER_CURVE; k++) {
    int column = (int)((k + offset) * p->canvas_columns / TEXT_PLOT_LETTERS_PER_CURVE);
    marked = text_plot_mark_column(p, column, letter) || marked;
  }
  for (int column = p->canvas_columns - 1; column >= 0 && !marked; column--)
    marked = text_plot_mark_column(p, column, letter);
}

/* ---- lines ---- */

static void text_plot_write_legend(dae__text *out, const screen *p)
{
  dae__place at = {0}, before = {0};
  if (p->legend.rows == 0)
    return;
  for (int i = 0; i < p->plot->count && i <= p->legend.entries; i++, before = at) {
    at = dae__legend_place(&p->legend, i, before);
    if (at.row > before.row)
      dae__text_add(out, "\n");
    else if (i > 0)
      text_plot_add_blanks(out, (int)p->legend.apart);
    if (i == p->legend.entries) {
      text_plot_add_word(out, p, dae__legend_remainder(p->plot->count - i).text, (int)at.width);
      break;
    }
    const char *label = p->plot->curves[i].label;
    text_plot_add_colour(out, p, i);
    if (p->letters)
      dae__text_add(out, "%c  ", text_plot_letter_of(p, i));
    else
      dae__text_add(out, "%s ", p->glyphs->key);
    text_plot_add_colour(out, p, -1);
    text_plot_add_word(out, p, label ? label : "", (int)at.width - TEXT_PLOT_KEY);
  }
  dae__text_add(out, "\n");
}

static void text_plot_write_canvas(dae__text *out, const screen *p)
{
  static const char nothing[] = "nothing to show";
  int dots = p->canvas_rows * p->down;
  for (int row = 0; row < p->canvas_rows; row++) {
    const dae__tick *tick = NULL; /* first tick with a label in this row */
    for (int i = 0; !tick && i < p->y.count; i++)
      if (p->y.at[i].label[0] && text_plot_dot(1 - p->y.at[i].share, dots) / p->down == row)
        tick = &p->y.at[i];
    bool fits = tick && (int)strlen(tick->label) <= p->label_columns;
    dae__text_add(out, "%*s%s", p->label_columns, fits ? tick->label : "",
                  tick ? p->glyphs->side_tick : p->glyphs->side);
    if (p->frame.empty && row == p->canvas_rows / 2) {
      text_plot_add_blanks(out, (p->canvas_columns - (int)sizeof nothing + 1) / 2);
      text_plot_add_word(out, p, nothing, p->canvas_columns);
    }
    /* characters up to the last one of a curve */
    int last = p->canvas_columns - 1, colour = 0;
    while (last >= 0 && text_plot_cell(p, last, row)->curve == 0)
      last--;
    for (int column = 0; column <= last; column++) {
      const cell *c = text_plot_cell(p, column, row);
      if (c->curve != colour && c->curve > 0)
        text_plot_add_colour(out, p, c->curve - 1);
      colour = c->curve > 0 ? c->curve : colour;
      if (c->curve == 0)
        dae__text_add(out, " ");
      else if (p->terminal.ascii)
        dae__text_add(out, "%c", text_plot_letter_of(p, c->curve - 1));
      else if (c->letter)
        dae__text_add(out, "%c", c->letter);
      else
        dae__utf8_add(out, 0x2800 + c->dots);
    }
    if (colour > 0)
      text_plot_add_colour(out, p, -1);
    dae__text_add(out, "\n");
  }
}

/* Adds the line of the x axis and the labels below its ticks, except overlapping labels. */
static void text_plot_write_x_axis(dae__text *out, const screen *p)
{
  int dots = p->canvas_columns * p->across;
  text_plot_add_blanks(out, p->label_columns);
  dae__text_add(out, "%s", p->glyphs->corner);
  for (int column = 0; column < p->canvas_columns; column++) {
    bool tick = false;
    for (int i = 0; i < p->x.count; i++)
      tick = tick ||
             (p->x.at[i].label[0] && text_plot_dot(p->x.at[i].share, dots) / p->across == column);
    dae__text_add(out, "%s", tick ? p->glyphs->floor_tick : p->glyphs->floor);
  }
  dae__text_add(out, "\n");
  int end = 0; /* column after the last label */
  for (int i = 0; i < p->x.count; i++) {
    const dae__tick *tick = &p->x.at[i];
    int length = (int)strlen(tick->label);
    int column = text_plot_dot(tick->share, dots) / p->across;
    int from = p->label_columns + 1 + column - length / 2;
    if (from + length > p->terminal.columns)
      from = p->terminal.columns - length;
    if (length == 0 || from < end + (end > 0))
      continue;
    text_plot_add_blanks(out, from - end);
    dae__text_add(out, "%s", tick->label);
    end = from + length;
  }
  dae__text_add(out, "\n");
}

static void text_plot_write_screen(dae__text *out, const screen *p)
{
  if (p->title)
    text_plot_add_line(out, p, 0, p->plot->title);
  text_plot_write_legend(out, p);
  if (p->y_title)
    text_plot_add_line(out, p, 0, p->y_name.text);
  text_plot_write_canvas(out, p);
  text_plot_write_x_axis(out, p);
  if (p->x_title) {
    int length = dae__utf8_length(p->x_name.text);
    int indent = p->label_columns + 1 + (p->canvas_columns - length) / 2;
    text_plot_add_line(out, p, indent > 0 ? indent : 0, p->x_name.text);
  }
}

dae_status dae_plot_text(const dae_plot *plot, const dae_plot_terminal *terminal,
                         const dae_env *env, char **text, dae_error *err)
{
  const int max = TEXT_PLOT_MAX_SIDE;
  dae__frame frame;
  DAE__TRY(dae__frame_create(plot, &frame, err));
  if (!terminal)
    return dae__fail(err, DAE_ERROR_USAGE, NULL, "there is no terminal");
  if (terminal->columns < TEXT_PLOT_MIN_COLUMNS || terminal->rows < TEXT_PLOT_MIN_ROWS ||
      terminal->columns > max || terminal->rows > max)
    return dae__fail(
        err, DAE_ERROR_USAGE, NULL, "a plot as text has %d x %d to %d x %d characters, not %d x %d",
        TEXT_PLOT_MIN_COLUMNS, TEXT_PLOT_MIN_ROWS, max, max, terminal->columns, terminal->rows);
  screen p = {.plot = plot, .terminal = *terminal};
  p.glyphs = terminal->ascii ? &ascii_glyphs : &unicode_glyphs;
  p.letters = terminal->ascii || (!terminal->colour && plot->count > 1);
  text_plot_make_layout(&p, &frame);
  p.across = terminal->ascii ? 1 : 2;
  p.down = terminal->ascii ? 1 : 4;
  dae__arena *arena = dae__arena_create(env);
  char *buffer = NULL;
  p.cells = DAE__ALLOC(arena, cell, p.canvas_columns * p.canvas_rows);
  for (int i = 0; p.cells && i < plot->count; i++) {
    const dae_curve *curve = &plot->curves[i];
    p.curve = i + 1;
    dae__frame_trace(plot, curve, curve->style == DAE_CURVE_POINTS,
                     &(dae__pen){&p, text_plot_draw});
    if (p.letters && !terminal->ascii)
      text_plot_mark(&p, (i + 1.0) / (plot->count + 1), text_plot_letter_of(&p, i));
  }
  if (p.cells) {
    dae__text out = dae__text_in(NULL, 0);
    text_plot_write_screen(&out, &p);
    const dae_env *own = dae__arena_env(arena);
    buffer = own->allocate(own->user, out.length + 1);
    if (buffer) {
      out = dae__text_in(buffer, out.length + 1);
      text_plot_write_screen(&out, &p);
    }
  }
  dae__arena_free(arena);
  if (!buffer)
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the plot");
  *text = buffer;
  return DAE_OK;
}
