/* Whole powers by repeated squaring, one definition for folding and for tapes. */
#ifndef DAEDAL_MODEL_GRAPH_POWER_H
#define DAEDAL_MODEL_GRAPH_POWER_H

static inline double dae__whole_power(double a, int power)
{
  unsigned n = power < 0 ? 0u - (unsigned)power : (unsigned)power;
  double product = 1;
  for (double square = a; n > 0; n >>= 1) {
    if (n & 1)
      product *= square;
    if (n > 1)
      square *= square;
  }
  return power < 0 ? 1 / product : product;
}

#endif
