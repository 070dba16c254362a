/* The chain of tests/problems: how time grows with the number of links, beside IDA with KLU. */
#ifndef DAEDAL_BENCH_CHAINS_H
#define DAEDAL_BENCH_CHAINS_H

#include "contender.h"
#include "sheet.h"

typedef struct chain_run {
  test_chain_shape shape;
  int n;
  solver solver;
  const char *name; /* of the method */
  bool automatic;
  peer_counts counts; /* steps 0: not tried, since a shorter chain took too long */
  double seconds, tip_error, megabytes; /* NaN: not known, not measured */
} chain_run;

#define MOST_CHAIN_RUNS 40

typedef struct chain_results {
  chain_run run[MOST_CHAIN_RUNS];
  int count;
} chain_results;

/* quick: fewer and shorter chains */
void chains_measure(bool quick, chain_results *out);
/* All runs, and what they say of the targets. */
void chains_show(const chain_results *r, sheet *s);

#endif
