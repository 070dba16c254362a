/* From the numbers of a curve to pixels of the box, thinned, into a path. Its coordinates are whole
 * tenths of a pixel, each told by its distance from the one before, which is short. */
#include "output/plot/svg_curve.h"

#include "output/plot/svg_text.h"
#include "output/plot/thin.h"

#include <math.h>

#define LONG 4 /* points for each column of pixels from which on a pixel is drawn once */

typedef struct path {
  dae__text *out;
  const dae__frame *frame;
  const dae__svg_box *box;
  dae__thin thin;
  long x, y;  /* where the pen is, in tenths */
  char begun; /* M: at a point that nothing was drawn from so far; l: at the end of a line; or 0 */
} path;

static void svg_end_dot(path *p)
{
  if (p->begun == 'M')
    dae__text_add(p->out, "h0");
}

static void svg_write_point(void *self, bool draw, double x, double y)
{
  path *p = self;
  long to_x = lround(10 * (p->box->left + x));
  long to_y = lround(10 * (p->box->top + y));
  if (!draw) {
    svg_end_dot(p);
    dae__text_add(p->out, "M");
    dae__svg_tenths(p->out, "", to_x);
    dae__svg_tenths(p->out, ",", to_y);
    p->begun = 'M';
  } else if (to_x != p->x || to_y != p->y) {
    if (p->begun == 'M')
      dae__text_add(p->out, "l");
    dae__svg_tenths(p->out, p->begun == 'M' ? "" : " ", to_x - p->x);
    dae__svg_tenths(p->out, ",", to_y - p->y);
    p->begun = 'l';
  }
  p->x = to_x;
  p->y = to_y;
}

static void svg_to_pixels(void *self, bool draw, double x, double y)
{
  path *p = self;
  const dae__svg_box *box = p->box;
  double right = dae__axis_share(&p->frame->x, x) * (box->right - box->left);
  double down = (1 - dae__axis_share(&p->frame->y, y)) * (box->bottom - box->top);
  dae__thin_to(&p->thin, draw, right, down);
}

static void svg_write_path(dae__text *out, const dae_plot *plot, const dae__frame *frame,
                           const dae__svg_box *box, const dae_curve *curve, bool points,
                           unsigned char *pixels)
{
  double width = box->right - box->left, height = box->bottom - box->top;
  path p = {.out = out, .frame = frame, .box = box};
  bool ascends = !points && dae__frame_ascends(plot, curve);
  bool once = !ascends && (double)curve->count > LONG * width;
  p.thin = dae__thin_start((dae__pen){&p, svg_write_point}, ascends, (int)width + 1,
                           (int)height + 1, once ? pixels : NULL);
  dae__text_add(out, "<path%s d=\"", points ? " stroke-width=\"4.5\"" : "");
  dae__frame_trace(plot, curve, points, &(dae__pen){&p, svg_to_pixels});
  dae__thin_end(&p.thin);
  svg_end_dot(&p);
  dae__text_add(out, "\"/>");
}

void dae__svg_stroke(dae__text *out, int curve)
{
  static const char *const dashes[] = {"", "8 5", "2 5", "10 5 2 5"};
  const char *dash = dashes[curve / DAE__COLOURS % 4];
  dae__text_add(out, " class=\"daedal-c%d\" stroke=\"%s\"", curve % DAE__COLOURS,
                dae__frame_colour(curve).light);
  if (dash[0])
    dae__text_add(out, " stroke-dasharray=\"%s\"", dash);
}

void dae__svg_curve(dae__text *out, const dae_plot *plot, const dae__frame *frame,
                    const dae__svg_box *box, int i, unsigned char *pixels)
{
  const dae_curve *curve = &plot->curves[i];
  dae__text_add(out, "<g");
  dae__svg_stroke(out, i);
  dae__text_add(out, "><title>");
  dae__svg_add(out, curve->label ? curve->label : "");
  dae__text_add(out, "</title>");
  if (curve->style != DAE_CURVE_POINTS)
    svg_write_path(out, plot, frame, box, curve, false, pixels);
  if (curve->style == DAE_CURVE_POINTS || curve->style == DAE_CURVE_BOTH)
    svg_write_path(out, plot, frame, box, curve, true, pixels);
  dae__text_add(out, "</g>\n");
}
