#include "output/plot/legend.h"

#include <math.h>
#include <stdio.h>

static dae__legend_more legend_more_of(int count)
{
  dae__legend_more more = {""};
  if (count > 0)
    snprintf(more.text, sizeof more.text, "... and %d more", count);
  return more;
}

dae__legend_more dae__legend_others(const dae__legend *legend)
{
  return legend_more_of(legend->plot->count - legend->shown);
}

static double legend_width_of(const dae__legend *legend, int i)
{
  double width = i < legend->shown ? legend->width(&legend->plot->curves[i])
                                   : legend->word_width(dae__legend_others(legend).text);
  return fmin(width, legend->room);
}

dae__place dae__legend_place(const dae__legend *legend, int i, dae__place before)
{
  dae__place place = {.width = legend_width_of(legend, i)};
  if (i == 0)
    return place;
  place.x = before.x + before.width + legend->apart;
  place.row = before.row;
  if (place.x + place.width > legend->room) {
    place.x = 0;
    place.row++;
  }
  return place;
}

/* As many entries as there is room for; the last row keeps some of it. */
static void legend_fill(dae__legend *legend, int most, double kept)
{
  dae__place place = {0};
  int i = 0, count = legend->plot->count;
  legend->shown = count;
  for (; i < count; i++) {
    dae__place next = dae__legend_place(legend, i, place);
    bool last = next.row == most - 1;
    if (next.row == most || (last && next.x + next.width > legend->room - kept))
      break;
    place = next;
  }
  legend->shown = i;
  if (i < count)
    place = dae__legend_place(legend, i, place);
  legend->rows = place.row + 1;
}

void dae__legend_fit(dae__legend *legend, int most)
{
  int count = legend->plot->count;
  legend->rows = legend->shown = 0;
  if (most < 1 || !dae__frame_has_legend(legend->plot))
    return;
  legend_fill(legend, most, 0);
  if (legend->shown < count)
    legend_fill(legend, most, legend->word_width(legend_more_of(count).text) + legend->apart);
}
