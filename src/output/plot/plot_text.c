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
 * All of it takes as many lines as the terminal has rows; a low one has fewer of them, a narrow one
 * shorter ones. Curves differ in colour; without colours letters on them tell which is which, and
 * in ASCII the characters that they are drawn with. The text is made twice: first it is only
 * measured. */
#include "core/arena.h"
#include "core/env.h"
#include "core/error.h"
#include "output/plot/canvas.h"
#include "output/plot/legend.h"
#include "output/text.h"

#include <daedal/plot.h>
#include <math.h>
#include <string.h>

#define SMALLEST_COLUMNS 20
#define SMALLEST_ROWS 6
#define LARGEST 10000
#define LEAST_CANVAS 9 /* columns that numbers at the y axis leave */
#define KEY 3          /* columns before a name in the legend */

typedef struct screen {
  const dae_plot *plot;
  dae_plot_terminal terminal;
  dae__frame frame;
  dae__legend legend;
  bool title, y_title, x_title;
  int numbers; /* columns of those at the y axis */
  int canvas_columns, canvas_rows;
  dae__ticks x, y;
  dae__axis_name x_name, y_name;
  dae__canvas canvas;
} screen;

/* what is drawn with other characters in ASCII */
typedef struct glyphs {
  const char *key, *side, *side_tick, *corner, *floor, *floor_tick;
} glyphs;

static const glyphs unicode_glyphs = {"\u2500\u2500", "\u2502", "\u2524",
                                      "\u2514",       "\u2500", "\u252c"};
static const glyphs ascii_glyphs = {"--", "|", "+", "+", "-", "+"};

static const glyphs *text_plot_glyphs_of(const screen *p)
{
  return p->terminal.ascii ? &ascii_glyphs : &unicode_glyphs;
}

/* ---- words ---- */

static void text_plot_add_blanks(dae__text *out, int count)
{
  if (count > 0)
    dae__text_add(out, "%*s", count, "");
}

static void text_plot_add_word(dae__text *out, const screen *p, const char *word, int room)
{
  int length = dae__utf8_length(word), shown = length <= room ? length : room - 3;
  for (int i = 0; i < shown; i++) {
    int c = dae__utf8_next(&word);
    if (p->terminal.ascii && c >= 0x80)
      c = '?';
    dae__utf8_add(out, c);
  }
  if (shown < length)
    dae__text_add(out, "%.*s", room < 3 ? room : 3, "...");
}

static void text_plot_add_line(dae__text *out, const screen *p, int indent, const char *word)
{
  text_plot_add_blanks(out, indent);
  text_plot_add_word(out, p, word, p->terminal.columns - indent);
  dae__text_add(out, "\n");
}

/* curve: counted from 0; negative: back to the terminal's own */
static void text_plot_add_colour(dae__text *out, const screen *p, int curve)
{
  if (!p->terminal.colour)
    return;
  if (curve < 0)
    dae__text_add(out, "\033[0m");
  else
    dae__text_add(out, "\033[38;5;%dm", dae__frame_colour(curve).terminal);
}

/* How a curve looks where colours do not tell: characters in ASCII, else letters put onto it. */
static char text_plot_letter_of(const screen *p, int curve)
{
  static const char drawn[] = "*+xo#@%&=$";
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (p->terminal.ascii)
    return drawn[curve % (int)(sizeof drawn - 1)];
  return letters[curve % (int)(sizeof letters - 1)];
}

static bool text_plot_has_letters(const screen *p)
{
  return p->terminal.ascii || (!p->terminal.colour && p->plot->count > 1);
}

/* ---- where things are ---- */

static double text_plot_word_width(const char *word)
{
  return dae__utf8_length(word);
}

static double text_plot_entry_width(const dae_curve *curve)
{
  return KEY + text_plot_word_width(curve->label ? curve->label : "");
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

static void text_plot_make_x_ticks(screen *p)
{
  int columns = p->canvas_columns;
  dae__axis_ticks(&p->frame.x, columns / 10, &p->x);
  int wanted = text_plot_widest_label(&p->x, columns) + 2;
  if (wanted > 10)
    dae__axis_ticks(&p->frame.x, columns / wanted, &p->x);
}

static bool text_plot_is_named(const char *label)
{
  return label && label[0];
}

/* lines around the canvas, from what matters most on: axis and numbers, names without which these
 * would be wrong, the legend, other names, the title */
static void text_plot_place_rows(screen *p)
{
  int rows = p->terminal.rows;
  const dae_plot *plot = p->plot;
  bool x_needed = dae__axis_needs_name(&p->frame.x), y_needed = dae__axis_needs_name(&p->frame.y);
  p->legend = (dae__legend){.plot = plot,
                            .room = p->terminal.columns,
                            .apart = 3,
                            .width = text_plot_entry_width,
                            .word_width = text_plot_word_width};
  dae__legend_fit(&p->legend, rows >= 10 ? rows / 5 : !x_needed && !y_needed);
  p->y_title = y_needed || (rows >= 8 && text_plot_is_named(plot->y_label));
  p->title = rows >= 9 && text_plot_is_named(plot->title);
  p->x_title = x_needed || (rows >= 12 && text_plot_is_named(plot->x_label));
  p->canvas_rows = rows - 2 - p->legend.rows - p->y_title - p->title - p->x_title;
}

static void text_plot_make_layout(screen *p, const dae__frame *frame)
{
  p->frame = *frame;
  text_plot_place_rows(p);
  int most = p->terminal.columns - LEAST_CANVAS - 1;
  /* numbers at the y axis take columns from the canvas, whose width may decide on the numbers */
  for (int round = 0; round < 3; round++) {
    p->numbers = text_plot_widest_label(&p->y, most);
    p->canvas_columns = p->terminal.columns - p->numbers - 1;
    p->frame = *frame;
    if (p->plot->equal) /* a character is twice as high as wide */
      dae__frame_equal(&p->frame, p->canvas_columns, 2 * p->canvas_rows);
    dae__axis_ticks(&p->frame.y, p->canvas_rows / 3, &p->y);
  }
  text_plot_make_x_ticks(p);
  p->x_name = dae__frame_name(p->plot->x_label, &p->x);
  p->y_name = dae__frame_name(p->plot->y_label, &p->y);
}

/* ---- curves ---- */

static void text_plot_draw(void *self, bool line, double x, double y)
{
  screen *p = self;
  dae__canvas_to(&p->canvas, line, dae__canvas_x(&p->canvas, dae__axis_share(&p->frame.x, x)),
                 dae__canvas_y(&p->canvas, dae__axis_share(&p->frame.y, y)));
}

static void text_plot_draw_curves(screen *p)
{
  const dae_plot *plot = p->plot;
  for (int i = 0; i < plot->count; i++) {
    const dae_curve *curve = &plot->curves[i];
    p->canvas.curve = i + 1;
    dae__frame_trace(plot, curve, curve->style == DAE_CURVE_POINTS, &(dae__pen){p, text_plot_draw});
    if (text_plot_has_letters(p) && !p->terminal.ascii)
      dae__canvas_mark(&p->canvas, i + 1, (i + 1.0) / (plot->count + 1), text_plot_letter_of(p, i));
  }
}

/* ---- lines ---- */

static void text_plot_write_legend(dae__text *out, const screen *p)
{
  dae__place at = {0}, before = {0};
  if (p->legend.rows == 0)
    return;
  for (int i = 0; i < p->plot->count && i <= p->legend.shown; i++, before = at) {
    at = dae__legend_place(&p->legend, i, before);
    if (at.row > before.row)
      dae__text_add(out, "\n");
    else if (i > 0)
      text_plot_add_blanks(out, (int)p->legend.apart);
    if (i == p->legend.shown) {
      text_plot_add_word(out, p, dae__legend_others(&p->legend).text, (int)at.width);
      break;
    }
    const char *label = p->plot->curves[i].label;
    text_plot_add_colour(out, p, i);
    if (text_plot_has_letters(p))
      dae__text_add(out, "%c  ", text_plot_letter_of(p, i));
    else
      dae__text_add(out, "%s ", text_plot_glyphs_of(p)->key);
    text_plot_add_colour(out, p, -1);
    text_plot_add_word(out, p, label ? label : "", (int)at.width - KEY);
  }
  dae__text_add(out, "\n");
}

/* the tick in this row of the canvas, NULL: none */
static const dae__tick *text_plot_tick_of_row(const screen *p, int row)
{
  for (int i = 0; i < p->y.count; i++)
    if (p->y.at[i].label[0] && dae__canvas_y(&p->canvas, p->y.at[i].share) / p->canvas.down == row)
      return &p->y.at[i];
  return NULL;
}

static int text_plot_column_of(const screen *p, const dae__tick *tick)
{
  return dae__canvas_x(&p->canvas, tick->share) / p->canvas.across;
}

static void text_plot_write_cells(dae__text *out, const screen *p, int row)
{
  int last = p->canvas_columns - 1, colour = 0;
  while (last >= 0 && dae__canvas_cell(&p->canvas, last, row)->curve == 0)
    last--;
  for (int column = 0; column <= last; column++) {
    const dae__cell *cell = dae__canvas_cell(&p->canvas, column, row);
    if (cell->curve != colour && cell->curve > 0)
      text_plot_add_colour(out, p, cell->curve - 1);
    colour = cell->curve > 0 ? cell->curve : colour;
    if (cell->curve == 0)
      dae__text_add(out, " ");
    else if (p->terminal.ascii)
      dae__text_add(out, "%c", text_plot_letter_of(p, cell->curve - 1));
    else if (cell->letter)
      dae__text_add(out, "%c", cell->letter);
    else
      dae__utf8_add(out, 0x2800 + cell->dots);
  }
  if (colour > 0)
    text_plot_add_colour(out, p, -1);
  dae__text_add(out, "\n");
}

static void text_plot_write_nothing(dae__text *out, const screen *p)
{
  static const char nothing[] = "nothing to show";
  int room = p->canvas_columns - (int)sizeof nothing + 1;
  text_plot_add_blanks(out, room / 2);
  text_plot_add_word(out, p, nothing, p->canvas_columns);
  dae__text_add(out, "\n");
}

static void text_plot_write_canvas(dae__text *out, const screen *p)
{
  for (int row = 0; row < p->canvas_rows; row++) {
    const dae__tick *tick = text_plot_tick_of_row(p, row);
    bool fits = tick && (int)strlen(tick->label) <= p->numbers;
    dae__text_add(out, "%*s%s", p->numbers, fits ? tick->label : "",
                  tick ? text_plot_glyphs_of(p)->side_tick : text_plot_glyphs_of(p)->side);
    if (p->frame.empty && row == p->canvas_rows / 2)
      text_plot_write_nothing(out, p);
    else
      text_plot_write_cells(out, p, row);
  }
}

static void text_plot_write_floor(dae__text *out, const screen *p)
{
  text_plot_add_blanks(out, p->numbers);
  dae__text_add(out, "%s", text_plot_glyphs_of(p)->corner);
  for (int column = 0; column < p->canvas_columns; column++) {
    bool tick = false;
    for (int i = 0; i < p->x.count; i++)
      tick = tick || (p->x.at[i].label[0] && text_plot_column_of(p, &p->x.at[i]) == column);
    dae__text_add(out, "%s",
                  tick ? text_plot_glyphs_of(p)->floor_tick : text_plot_glyphs_of(p)->floor);
  }
  dae__text_add(out, "\n");
}

/* labels below their ticks, as far as there is room */
static void text_plot_write_numbers(dae__text *out, const screen *p)
{
  int end = 0; /* of what was written */
  for (int i = 0; i < p->x.count; i++) {
    const dae__tick *tick = &p->x.at[i];
    int length = (int)strlen(tick->label);
    int from = p->numbers + 1 + text_plot_column_of(p, tick) - length / 2;
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
  text_plot_write_floor(out, p);
  text_plot_write_numbers(out, p);
  if (p->x_title) {
    int length = dae__utf8_length(p->x_name.text);
    int indent = p->numbers + 1 + (p->canvas_columns - length) / 2;
    text_plot_add_line(out, p, indent > 0 ? indent : 0, p->x_name.text);
  }
}

/* ---- the whole ---- */

static char *text_plot_screen_text(const screen *p, const dae_env *env)
{
  dae__text out = dae__text_in(NULL, 0);
  text_plot_write_screen(&out, p);
  char *buffer = env->allocate(env->user, out.length + 1);
  if (!buffer)
    return NULL;
  out = dae__text_in(buffer, out.length + 1);
  text_plot_write_screen(&out, p);
  return buffer;
}

static dae_status text_plot_check(const dae_plot_terminal *t, dae_error *err)
{
  if (!t)
    return dae__fail(err, DAE_ERROR_USAGE, NULL, "there is no terminal");
  if (t->columns >= SMALLEST_COLUMNS && t->rows >= SMALLEST_ROWS && t->columns <= LARGEST &&
      t->rows <= LARGEST)
    return DAE_OK;
  return dae__fail(err, DAE_ERROR_USAGE, NULL,
                   "a plot as text has %d x %d to %d x %d characters, not %d x %d",
                   SMALLEST_COLUMNS, SMALLEST_ROWS, LARGEST, LARGEST, t->columns, t->rows);
}

dae_status dae_plot_text(const dae_plot *plot, const dae_plot_terminal *terminal,
                         const dae_env *env, char **text, dae_error *err)
{
  dae__frame frame;
  dae_status status = dae__frame_create(plot, &frame, err);
  if (status >= 0)
    status = text_plot_check(terminal, err);
  if (status < 0)
    return status;
  screen p = {.plot = plot, .terminal = *terminal};
  text_plot_make_layout(&p, &frame);
  dae__arena *arena = dae__arena_create(env);
  char *buffer = NULL;
  if (arena &&
      dae__canvas_create(arena, p.canvas_columns, p.canvas_rows, !terminal->ascii, &p.canvas)) {
    text_plot_draw_curves(&p);
    buffer = text_plot_screen_text(&p, dae__arena_env(arena));
  }
  dae__arena_free(arena);
  if (!buffer)
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the plot");
  *text = buffer;
  return DAE_OK;
}
