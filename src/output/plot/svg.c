/* SVG elements. Curves are converted to pixels, thinned, and written as paths with coordinates in
 * tenths of a pixel relative to the previous point, for short files. */
#include "output/plot/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Constants of curves and legend: chosen, not measured. */
/* number of points per column of pixels from which on each pixel is drawn only once */
#define SVG_THIN_POINTS_PER_PIXEL 4
#define SVG_INVISIBLE_DISTANCE 0.7 /* distance in pixels of points that are drawn as one */
#define SVG_KEY 22.0               /* length of a line in the legend, in pixels */
#define SVG_KEY_GAP 7.0            /* pixels between a line of the legend and its name */
#define SVG_ENTRY_GAP 18.0         /* pixels between two entries of the legend */

/* ---- texts and coordinates ---- */

/* Returns the width of a character relative to the font size, an upper estimate for sans-serif
 * fonts. */
static double svg_character_width(int c)
{
  if (c >= 0x1100) /* mostly scripts with characters as wide as high */
    return 1;
  if (c >= 0x80)
    return 0.6;
  if (strchr("fijlrtI.,:;'|!()[]/ ", c))
    return 0.33;
  if (strchr("mwMW@%", c))
    return 0.9;
  return c >= 'A' && c <= 'Z' ? 0.7 : 0.58;
}

double dae__svg_width(const char *text, double size)
{
  double width = 0;
  for (int c = dae__utf8_next(&text); c; c = dae__utf8_next(&text))
    width += svg_character_width(c);
  return width * size;
}

void dae__svg_add(dae__text *out, const char *text, double size, double room)
{
  bool cut = dae__svg_width(text, size) > room;
  room -= dae__svg_width("...", size);
  for (int c = dae__utf8_next(&text); c; c = dae__utf8_next(&text)) {
    room -= svg_character_width(c) * size;
    if (cut && room < 0)
      break;
    if (c == '&')
      dae__text_add(out, "&amp;");
    else if (c == '<')
      dae__text_add(out, "&lt;");
    else if (c == '>')
      dae__text_add(out, "&gt;");
    else if (c == '"')
      dae__text_add(out, "&quot;");
    else
      dae__utf8_add(out, c);
  }
  dae__text_add(out, "%s", cut ? "..." : "");
}

/* Adds a number of tenths of a pixel, after a separator unless its minus sign separates it. */
static void svg_add_tenths(dae__text *out, const char *separator, long tenths)
{
  const char *sign = tenths < 0 ? "-" : separator;
  long size = labs(tenths);
  if (size % 10 == 0)
    dae__text_add(out, "%s%ld", sign, size / 10);
  else if (size < 10)
    dae__text_add(out, "%s.%ld", sign, size);
  else
    dae__text_add(out, "%s%ld.%ld", sign, size / 10, size % 10);
}

void dae__svg_number(dae__text *out, double value)
{
  svg_add_tenths(out, "", lround(10 * value));
}

void dae__svg_move(dae__text *out, double x, double y)
{
  dae__text_add(out, "M");
  dae__svg_number(out, x);
  dae__text_add(out, ",");
  dae__svg_number(out, y);
}

void dae__svg_open(dae__text *out, double x, double y, const char *anchor, double size)
{
  dae__text_add(out, "<text x=\"");
  dae__svg_number(out, x);
  dae__text_add(out, "\" y=\"");
  dae__svg_number(out, y);
  dae__text_add(out, "\" font-size=\"%d\" text-anchor=\"%s\"", (int)size, anchor);
}

/* ---- curves ---- */

/* Point of a curve in pixels of the box, from its left and top. */
typedef struct point {
  double x, y;
  long index; /* index of the point in its run */
} point;

/* Path of a curve, thinned to the resolution of the box.
 *
 * Where x ascends, the points in one column of pixels are reduced to the first, lowest, highest and
 * last one: the line through these covers the same pixels. Of any other curve, points close to the
 * first point of their run, and lines whose pixels have all been drawn already, are left out. */
typedef struct path {
  dae__text *out;
  const dae__frame *frame;
  const dae__svg_box *box;
  long x, y; /* pen, in tenths of a pixel */
  /* Last path command: M after a move without a line, l after a line, 0 at the start. */
  char command;
  bool ascends;
  /* record of drawn pixels, a byte for each; NULL: every line is drawn */
  unsigned char *drawn;
  int width, height;
  /* Run of points: points in one column of pixels, or close to the first point of the run. */
  long count;
  bool joined; /* whether a line ends at the first point of the run */
  point first, lowest, highest, last;
  /* position of the pen, at the end of the last line or move, even of one that was not drawn */
  point at;
  bool lifted; /* whether the pen has to be moved to `at` before a line is drawn */
  bool dot;    /* whether no line starts at `at` yet */
} path;

/* Writes a line to a point of the thinned curve or, if draw is false, a move; a point without lines
 * is written as a line of length 0. */
static void svg_write_point(path *p, bool draw, const point *to)
{
  long to_x = lround(10 * (p->box->left + to->x));
  long to_y = lround(10 * (p->box->top + to->y));
  if (!draw) {
    dae__text_add(p->out, p->command == 'M' ? "h0M" : "M");
    svg_add_tenths(p->out, "", to_x);
    svg_add_tenths(p->out, ",", to_y);
    p->command = 'M';
  } else if (to_x != p->x || to_y != p->y) {
    if (p->command == 'M')
      dae__text_add(p->out, "l");
    svg_add_tenths(p->out, p->command == 'M' ? "" : " ", to_x - p->x);
    svg_add_tenths(p->out, ",", to_y - p->y);
    p->command = 'l';
  }
  p->x = to_x;
  p->y = to_y;
}

/* Marks a pixel as drawn; returns whether it was not drawn before. */
static bool svg_mark_pixel(path *p, double x, double y)
{
  int column = (int)floor(x), row = (int)floor(y);
  column = column < 0 ? 0 : column >= p->width ? p->width - 1 : column;
  row = row < 0 ? 0 : row >= p->height ? p->height - 1 : row;
  unsigned char *pixel = &p->drawn[(size_t)row * (size_t)p->width + (size_t)column];
  bool fresh = !*pixel;
  *pixel = 1;
  return fresh;
}

/* Writes the dot at the position of the pen, if the pen was moved there and no line starts there.
 */
static void svg_end_dot(path *p)
{
  if (p->dot && (!p->drawn || svg_mark_pixel(p, p->at.x, p->at.y)))
    svg_write_point(p, false, &p->at);
  p->dot = false;
}

/* Draws a line to a point unless all of its pixels are drawn already or, if draw is false, moves
 * the pen there. */
static void svg_draw_to(path *p, bool draw, const point *to)
{
  const point at = p->at;
  if (!draw) {
    svg_end_dot(p);
    p->at = *to;
    p->lifted = p->dot = true;
    return;
  }
  bool fresh = !p->drawn;
  int steps = 1 + (int)fmax(fabs(to->x - at.x), fabs(to->y - at.y));
  for (int i = 0; p->drawn && i <= steps; i++) {
    double share = (double)i / steps;
    fresh =
        svg_mark_pixel(p, at.x + share * (to->x - at.x), at.y + share * (to->y - at.y)) || fresh;
  }
  if (fresh && p->lifted)
    svg_write_point(p, false, &at);
  if (fresh)
    svg_write_point(p, true, to);
  p->lifted = !fresh;
  p->dot = false;
  p->at = *to;
}

static void svg_end_run(path *p)
{
  if (p->count == 0)
    return;
  const point *a = &p->lowest, *b = &p->highest;
  if (a->index > b->index)
    a = &p->highest, b = &p->lowest;
  svg_draw_to(p, p->joined, &p->first);
  if (p->ascends && a->index > 0)
    svg_draw_to(p, true, a);
  if (p->ascends && b->index > a->index)
    svg_draw_to(p, true, b);
  if (p->ascends && p->last.index > b->index)
    svg_draw_to(p, true, &p->last);
  p->count = 0;
}

/* Adds a point of the curve, in the coordinates of the plot: a pen of dae__frame_trace. */
static void svg_add_point(void *self, bool draw, double x, double y)
{
  path *p = self;
  const dae__svg_box *box = p->box;
  point to = {.x = dae__axis_share(&p->frame->x, x) * (box->right - box->left),
              .y = (1 - dae__axis_share(&p->frame->y, y)) * (box->bottom - box->top)};
  bool same_run = p->ascends ? floor(to.x) == floor(p->first.x)
                             : fabs(to.x - p->first.x) < SVG_INVISIBLE_DISTANCE &&
                                   fabs(to.y - p->first.y) < SVG_INVISIBLE_DISTANCE;
  if (!draw || p->count == 0 || !same_run) {
    svg_end_run(p);
    p->joined = draw;
  }
  to.index = p->count++;
  if (to.index == 0)
    p->first = p->lowest = p->highest = to;
  p->last = to;
  if (to.y < p->lowest.y)
    p->lowest = to;
  if (to.y > p->highest.y)
    p->highest = to;
}

static void svg_write_path(dae__text *out, const dae_plot *plot, const dae__frame *frame,
                           const dae__svg_box *box, const dae_curve *curve, bool points,
                           unsigned char *pixels)
{
  double width = box->right - box->left, height = box->bottom - box->top;
  bool ascends = !points && dae__frame_ascends(plot, curve);
  bool once = !ascends && (double)curve->count > SVG_THIN_POINTS_PER_PIXEL * width;
  path p = {.out = out,
            .frame = frame,
            .box = box,
            .ascends = ascends,
            .drawn = once ? pixels : NULL,
            .width = (int)width + 1,
            .height = (int)height + 1};
  if (once)
    memset(pixels, 0, (size_t)p.width * (size_t)p.height);
  dae__text_add(out, "<path%s d=\"", points ? " stroke-width=\"4.5\"" : "");
  dae__frame_trace(plot, curve, points, &(dae__pen){&p, svg_add_point});
  svg_end_run(&p);
  svg_end_dot(&p);
  dae__text_add(out, "%s\"/>", p.command == 'M' ? "h0" : "");
}

/* Adds the attributes of a curve: its colour and its dashes. */
static void svg_add_stroke(dae__text *out, int curve)
{
  static const char *const dashes[] = {"", "8 5", "2 5", "10 5 2 5"};
  const char *dash = dashes[curve / DAE__COLOURS % 4];
  dae__text_add(out, " class=\"daedal-c%d\" stroke=\"%s\"", curve % DAE__COLOURS,
                dae__colours[curve % DAE__COLOURS].light);
  if (dash[0])
    dae__text_add(out, " stroke-dasharray=\"%s\"", dash);
}

void dae__svg_curve(dae__text *out, const dae_plot *plot, const dae__frame *frame,
                    const dae__svg_box *box, int i, unsigned char *pixels)
{
  const dae_curve *curve = &plot->curves[i];
  dae__text_add(out, "<g");
  svg_add_stroke(out, i);
  dae__text_add(out, "><title>");
  dae__svg_add(out, curve->label ? curve->label : "", 1, INFINITY);
  dae__text_add(out, "</title>");
  if (curve->style != DAE_CURVE_POINTS)
    svg_write_path(out, plot, frame, box, curve, false, pixels);
  if (curve->style == DAE_CURVE_POINTS || curve->style == DAE_CURVE_BOTH)
    svg_write_path(out, plot, frame, box, curve, true, pixels);
  dae__text_add(out, "</g>\n");
}

/* ---- legend ---- */

dae__legend dae__svg_legend_fit(const dae_plot *plot, double room, int most)
{
  dae__legend legend = {.plot = plot,
                        .room = room,
                        .apart = SVG_ENTRY_GAP,
                        .key = SVG_KEY + SVG_KEY_GAP,
                        .size = DAE__SVG_WORD,
                        .word_width = dae__svg_width};
  dae__legend_fit(&legend, most);
  return legend;
}

void dae__svg_legend_write(dae__text *out, const dae__legend *legend, double x, double y)
{
  const dae_plot *plot = legend->plot;
  dae__place at = {0};
  for (int i = 0; legend->rows > 0 && i < plot->count && i <= legend->entries; i++) {
    at = dae__legend_place(legend, i, at);
    double left = x + at.x, base = y + at.row * DAE__SVG_ROW, room = legend->room;
    dae__legend_more more = dae__legend_remainder(plot->count - legend->entries);
    const char *word = more.text;
    if (i < legend->entries) {
      bool dots = plot->curves[i].style == DAE_CURVE_POINTS;
      dae__text_add(out, "<path");
      svg_add_stroke(out, i);
      dae__text_add(out, " fill=\"none\" stroke-linecap=\"round\" stroke-width=\"%d\" d=\"",
                    dots ? 5 : 2);
      dae__svg_move(out, dots ? left + SVG_KEY / 2 : left, base - 4.5);
      dae__text_add(out, "h%d\"/>\n", dots ? 0 : (int)SVG_KEY);
      word = plot->curves[i].label ? plot->curves[i].label : "";
      left = left + SVG_KEY + SVG_KEY_GAP;
      room = at.width - SVG_KEY - SVG_KEY_GAP;
    }
    dae__svg_open(out, left, base, "start", DAE__SVG_WORD);
    dae__text_add(out, ">");
    dae__svg_add(out, word, DAE__SVG_WORD, room);
    dae__text_add(out, "</text>\n");
  }
}
