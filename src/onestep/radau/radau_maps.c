#include "onestep/radau/radau_maps.h"
#include <stddef.h>

/* two entries of all rows at a time, which stay in registers */
static inline void radau_map_load(const int s, const double *X, int n, dae__pair *x)
{
  for (int j = 0; j < s; j++)
    x[j] = dae__pair_from_anywhere(X + j * n);
}

/* the last one, where their number is odd */
static inline void radau_map_load_one(const int s, const double *X, int n, dae__pair *x)
{
  for (int j = 0; j < s; j++)
    x[j] = (dae__pair){X[j * n], 0};
}

static inline dae__pair radau_map_sum(const int s, const dae__pair *m, const dae__pair *x)
{
  dae__pair even = m[0] * x[0], odd = m[1] * x[1];
  for (int j = 2; j < s; j += 2) {
    even += m[j] * x[j];
    if (j + 1 < s)
      odd += m[j + 1] * x[j + 1];
  }
  return even + odd;
}

static inline void radau_map_map_rows(const int s, const dae__radau_map *map, int count,
                                      const double *X, int n, double *to, int stride)
{
  dae__pair x[DAE__RADAU_STAGES];
  int e = 0;
  for (; e + 2 <= count; e += 2) {
    radau_map_load(s, X + e, n, x);
    for (int i = 0; i < s; i++)
      dae__pair_to(to + i * stride + e, radau_map_sum(s, map->m[i], x));
  }
  if (e == count)
    return;
  radau_map_load_one(s, X + e, n, x);
  for (int i = 0; i < s; i++)
    to[i * stride + e] = radau_map_sum(s, map->m[i], x)[0];
}

/* base + at_i slope, where there is a slope */
static inline dae__pair radau_map_start(const dae__radau_integral *o, int i, dae__pair base,
                                        dae__pair slope)
{
  if (o->slope)
    base += o->at[i] * slope;
  return base;
}

static inline void radau_map_integrate(const int s, const dae__radau_integral *o, int n,
                                       const double *X, int stride, double *to)
{
  dae__pair x[DAE__RADAU_STAGES];
  int e = 0;
  for (; e + 2 <= o->count; e += 2) {
    dae__pair base = dae__pair_from_anywhere(o->base + e);
    dae__pair slope = {0, 0};
    if (o->slope)
      slope = dae__pair_from_anywhere(o->slope + e);
    radau_map_load(s, X + e, n, x);
    for (int i = 0; i < s; i++)
      dae__pair_to(to + i * stride + e, radau_map_start(o, i, base, slope) +
                                            o->factor * radau_map_sum(s, o->map->m[i], x));
  }
  if (e == o->count)
    return;
  dae__pair base = {o->base[e], 0}, slope = {o->slope ? o->slope[e] : 0, 0};
  radau_map_load_one(s, X + e, n, x);
  for (int i = 0; i < s; i++)
    to[i * stride + e] =
        (radau_map_start(o, i, base, slope) + o->factor * radau_map_sum(s, o->map->m[i], x))[0];
}

void dae__radau_map_rows(int s, const dae__radau_map *map, int count, const double *X, int n,
                         double *to, int stride)
{
  if (s == 3)
    radau_map_map_rows(3, map, count, X, n, to, stride);
  else if (s == 5)
    radau_map_map_rows(5, map, count, X, n, to, stride);
  else
    radau_map_map_rows(7, map, count, X, n, to, stride);
}

void dae__radau_integrate(int s, const dae__radau_integral *what, int n, const double *X,
                          int stride, double *to)
{
  if (s == 3)
    radau_map_integrate(3, what, n, X, stride, to);
  else if (s == 5)
    radau_map_integrate(5, what, n, X, stride, to);
  else
    radau_map_integrate(7, what, n, X, stride, to);
}
