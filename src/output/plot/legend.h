/* The legend of a plot as rows of entries, one for each curve, in whatever unit widths have. Where
 * there are more than fit, the last row tells how many. */
#ifndef DAEDAL_OUTPUT_PLOT_LEGEND_H
#define DAEDAL_OUTPUT_PLOT_LEGEND_H

#include "output/plot/frame.h"

typedef struct dae__legend {
  const dae_plot *plot;
  double room;  /* width of a row */
  double apart; /* between two entries */
  /* of an entry, and of a word that stands in the place of one */
  double (*width)(const dae_curve *curve);
  double (*word_width)(const char *word);
  int rows;  /* 0: there is none */
  int shown; /* curves */
} dae__legend;

/* Finds rows and shown; most: of the rows, none where it is below 1. */
void dae__legend_fit(dae__legend *legend, int most);

/* Where an entry stands. */
typedef struct dae__place {
  double x, width;
  int row;
} dae__place;

/* The place of entry i behind that of the one before, for i = 0 any; of i = shown that of what is
 * said of the others. */
dae__place dae__legend_place(const dae__legend *legend, int i, dae__place before);

/* "... and 12 more" */
typedef struct dae__legend_more {
  char text[32]; /* empty: all are shown */
} dae__legend_more;
dae__legend_more dae__legend_others(const dae__legend *legend);

#endif
