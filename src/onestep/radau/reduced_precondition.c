#include "onestep/radau/reduced_precondition.h"
#include "linalg/backend.h"

void dae__divisor_take(dae__divisor *o, dae__arena *arena, const dae__mech *m, int n, int stages)
{
  *o = (dae__divisor){.m = m, .stages = stages};
  if (m->nc == 0 || m->nc > DAE__UNPIVOTED_ROWS || m->nw > 0 || n > DAE__SMALL_N)
    return;
  o->M = DAE__ALLOC(arena, double, m->nq * m->nq);
  o->rough = dae__unpivoted_create(arena, m->nq, m->nc, stages + 1);
  if (o->rough)
    o->A = DAE__ALLOC(arena, double, dae__unpivoted_stride(o->rough) * m->nq);
}

/* the entries of a matrix to rows of `to` from `first` on */
static void reduced_put_rows(const dae_pattern *p, const double *values, int first, int stride,
                             double *to)
{
  for (int j = 0; j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      to[j * stride + first + p->row[e]] = values[e];
}

/* A is G itself, where that has all entries and an even number of rows */
bool dae__divisor_set(dae__divisor *o, int stage, const double *G, const double *K)
{
  const dae__mech *m = o->m;
  int stride = dae__unpivoted_stride(o->rough);
  o->which = stage;
  if (m->ng == stride && dae__pattern_count(&m->G) == m->ng * m->nq)
    return dae__unpivoted_factor(o->rough, stage, G);
  reduced_put_rows(&m->G, G, 0, stride, o->A);
  reduced_put_rows(&m->K, K, m->ng, stride, o->A);
  return dae__unpivoted_factor(o->rough, stage, o->A);
}

bool dae__divisor_prepare(dae__divisor *o, const double *M, const double *G, const double *K)
{
  const dae__mech *m = o->m;
  if (m->count->dependent > 0)
    return false;
  reduced_put_rows(&m->M, M, 0, m->nq, o->M);
  return dae__unpivoted_mass(o->rough, o->M) && dae__divisor_set(o, o->stages, G, K);
}

void dae__divisor_take_up(dae__divisor *o, int stage)
{
  o->which = stage;
}

void dae__divisor_divide(const dae__divisor *o, double *b)
{
  dae__unpivoted_solve(o->rough, o->which, b, b + o->m->nq + o->m->nu);
}
