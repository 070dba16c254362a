/* Numbers that look random and are the same in every run. */
#ifndef DAEDAL_TESTS_UNIFORM_H
#define DAEDAL_TESTS_UNIFORM_H

#include <stdint.h>

/* in [-1, 1), by the xorshift generator */
static inline double uniform(void)
{
  static uint64_t seed = 88172645463325252u;
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

#endif
