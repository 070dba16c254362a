/* Codes that no package has, by factors that were measured beside codes that are available. */
#ifndef DAEDAL_BENCH_FACTORS_H
#define DAEDAL_BENCH_FACTORS_H

#include "results.h"

typedef struct peer_factor {
  const char *problem, *name;
  solver base;               /* whose best time is multiplied */
  double factor[ACCURACIES]; /* 0: it is not faster */
} peer_factor;

/* false past the last one */
bool factor_at(int i, peer_factor *out);

#endif
