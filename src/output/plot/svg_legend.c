#include "output/plot/svg_legend.h"

#include "output/plot/svg_curve.h"
#include "output/plot/svg_text.h"

#define KEY 22.0   /* the piece of line */
#define GAP 7.0    /* from it to the name */
#define APART 18.0 /* from a name to the next piece */

static const char *svg_legend_name_of(const dae_curve *curve)
{
  return curve->label ? curve->label : "";
}

static double svg_legend_word_width(const char *word)
{
  return dae__svg_width(word, DAE__SVG_WORD);
}

static double svg_legend_entry_width(const dae_curve *curve)
{
  return KEY + GAP + svg_legend_word_width(svg_legend_name_of(curve));
}

dae__legend dae__svg_legend_fit(const dae_plot *plot, double room, int most)
{
  dae__legend legend = {.plot = plot,
                        .room = room,
                        .apart = APART,
                        .width = svg_legend_entry_width,
                        .word_width = svg_legend_word_width};
  dae__legend_fit(&legend, most);
  return legend;
}

/* a piece of the line, or a point */
static void svg_legend_write_key(dae__text *out, const dae_plot *plot, int i, double x, double y)
{
  bool point = plot->curves[i].style == DAE_CURVE_POINTS;
  dae__text_add(out, "<path");
  dae__svg_stroke(out, i);
  dae__text_add(out, " fill=\"none\" stroke-linecap=\"round\" stroke-width=\"%d\" d=\"",
                point ? 5 : 2);
  dae__svg_move(out, point ? x + KEY / 2 : x, y - 4.5);
  dae__text_add(out, "h%d\"/>\n", point ? 0 : (int)KEY);
}

static void svg_legend_write_word(dae__text *out, const char *word, double x, double y, double room)
{
  dae__svg_open(out, x, y, "start", DAE__SVG_WORD);
  dae__text_add(out, ">");
  dae__svg_add_cut(out, word, DAE__SVG_WORD, room);
  dae__text_add(out, "</text>\n");
}

void dae__svg_legend_write(dae__text *out, const dae__legend *legend, double x, double y)
{
  const dae_plot *plot = legend->plot;
  dae__place at = {0};
  if (legend->rows == 0)
    return;
  for (int i = 0; i < plot->count && i <= legend->shown; i++) {
    at = dae__legend_place(legend, i, at);
    double left = x + at.x, base = y + at.row * DAE__SVG_ROW;
    if (i == legend->shown) {
      svg_legend_write_word(out, dae__legend_others(legend).text, left, base, legend->room);
    } else {
      svg_legend_write_key(out, plot, i, left, base);
      svg_legend_write_word(out, svg_legend_name_of(&plot->curves[i]), left + KEY + GAP, base,
                            at.width - KEY - GAP);
    }
  }
}
