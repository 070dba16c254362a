/* Pairs of doubles: one vector register on all 64-bit processors, two numbers elsewhere. Arrays of
 * pairs are aligned, as the arena allocates them, and have an even number of rows. */
#ifndef DAEDAL_LINALG_PAIR_H
#define DAEDAL_LINALG_PAIR_H

#include <stddef.h>

typedef double dae__pair __attribute__((vector_size(16), may_alias));
typedef double dae__pair_anywhere __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long dae__pair_mask __attribute__((vector_size(16), may_alias));

static inline dae__pair *dae__pair_at(double *a)
{
  return (dae__pair *)a;
}

static inline dae__pair dae__pair_of(const double *a)
{
  return *(const dae__pair *)a;
}

/* Load and store of a[0], a[1] without alignment. */
static inline dae__pair dae__pair_from_anywhere(const double *a)
{
  return *(const dae__pair_anywhere *)a;
}

static inline void dae__pair_to(double *a, dae__pair x)
{
  *(dae__pair_anywhere *)a = x;
}

/* Entries i and i + 1 of an array of n doubles, without alignment; 0 beyond its end. */
static inline dae__pair dae__pair_from(size_t n, const double *a, size_t i)
{
  return (dae__pair){a[i], i + 1 < n ? a[i + 1] : 0};
}

static inline double dae__pair_sum(dae__pair a)
{
  return a[0] + a[1];
}

static inline dae__pair dae__pair_abs(dae__pair a)
{
  const long long magnitude = 0x7fffffffffffffff;
  return (dae__pair)((dae__pair_mask)a & magnitude);
}

static inline dae__pair dae__pair_larger(dae__pair a, dae__pair b)
{
  dae__pair_mask first = a > b;
  return (dae__pair)((first & (dae__pair_mask)a) | (~first & (dae__pair_mask)b));
}

/* Whether a <= b fails in one of the two entries, by a NaN included. */
static inline int dae__pair_exceeds(dae__pair a, dae__pair b)
{
  dae__pair_mask holds = a <= b;
  return (holds[0] & holds[1]) == 0;
}

/* n rounded up to an even number. */
static inline size_t dae__pair_rows(int n)
{
  return ((size_t)n + 1) / 2 * 2;
}

#endif
