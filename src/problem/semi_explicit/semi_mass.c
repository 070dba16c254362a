#include "problem/semi_explicit/semi_mass.h"

dae__semi_mass dae__semi_mass_create(dae__arena *arena, dae__semi *s)
{
  int count = dae__pattern_count(&s->M), constant = s->constant_mass ? count : 0;
  return (dae__semi_mass){.s = s,
                          .values = DAE__ALLOC(arena, double, count),
                          .entry = DAE__ALLOC(arena, dae__semi_mass_entry, constant)};
}

static void semi_leave_out_zeros(dae__semi_mass *m)
{
  const dae_pattern *p = &m->s->M;
  m->count = 0;
  for (int j = 0; j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (m->values[e] != 0)
        m->entry[m->count++] = (dae__semi_mass_entry){m->values[e], p->row[e], j, e};
}

dae_status dae__semi_mass_at(dae__semi_mass *m, double t, const double *z, dae_error *err)
{
  if (m->known)
    return DAE_OK;
  dae_status status = dae__semi_M(m->s, t, z, m->values, err);
  if (!status && m->s->constant_mass) {
    semi_leave_out_zeros(m);
    m->known = true;
  }
  return status;
}

void dae__semi_mass_times(const dae__semi_mass *m, double a, const double *x, double *r)
{
  if (!m->known) {
    dae__matrix_times(&m->s->M, m->values, a, x, r);
    return;
  }
  for (int i = 0; i < m->count; i++) {
    dae__semi_mass_entry e = m->entry[i];
    r[e.row] += a * x[e.col] * e.value;
  }
}

void dae__semi_mass_add(const dae__semi_mass *m, double a, const dae__block *block, double *matrix)
{
  if (!m->known) {
    dae__block_add(block, a, m->values, matrix);
    return;
  }
  for (int i = 0; i < m->count; i++)
    matrix[block->map[m->entry[i].at]] += a * m->entry[i].value;
}
