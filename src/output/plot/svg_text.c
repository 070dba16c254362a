#include "output/plot/svg_text.h"

#include "output/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* in letter sizes, of sans-serif fonts such as Helvetica, on the wide side */
static double svg_width_of(int c)
{
  if (c >= 0x1100) /* scripts whose characters are squares, mostly */
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
    width += svg_width_of(c);
  return width * size;
}

static void svg_add_character(dae__text *out, int c)
{
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

void dae__svg_add(dae__text *out, const char *text)
{
  for (int c = dae__utf8_next(&text); c; c = dae__utf8_next(&text))
    svg_add_character(out, c);
}

void dae__svg_add_cut(dae__text *out, const char *text, double size, double room)
{
  if (dae__svg_width(text, size) <= room) {
    dae__svg_add(out, text);
    return;
  }
  room -= dae__svg_width("...", size);
  for (int c = dae__utf8_next(&text); c; c = dae__utf8_next(&text)) {
    room -= svg_width_of(c) * size;
    if (room < 0)
      break;
    svg_add_character(out, c);
  }
  dae__text_add(out, "...");
}

void dae__svg_tenths(dae__text *out, const char *part, long tenths)
{
  const char *sign = tenths < 0 ? "-" : part;
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
  dae__svg_tenths(out, "", lround(10 * value));
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
