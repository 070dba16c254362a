#include "step/history.h"

#include "core/mutant.h"
#include "core/vec.h"
#include "linalg/pair.h"

dae__history dae__history_create(dae__arena *arena, int n)
{
  return (dae__history){.n = n,
                        .memory = DAE__STATE(arena, dae__history_memory, 1),
                        .phi = DAE__STATE(arena, double, (size_t)n *DAE__HISTORY)};
}

void dae__history_start(dae__history *s, double t, double h, const double *y, const double *dy)
{
  dae__zero(s->n * DAE__HISTORY, s->phi);
  *s->memory = (dae__history_memory){.t = t, .h = h, .order = 1};
  s->memory->psi[0] = h;
  dae__copy(s->n, y, dae__history_phi(s, 0));
  dae__axpy(s->n, h, dy, dae__history_phi(s, 1));
}

void dae__history_start_from(dae__history *s, double t, double h, int order, const double *values)
{
  size_t n = (size_t)s->n;
  dae__zero(s->n * DAE__HISTORY, s->phi);
  *s->memory = (dae__history_memory){
      .t = t, .h = h, .order = order, .h_old = h, .order_old = order, .same = 0};
  /* with equal steps phi_j is the j-th backward difference */
  for (int j = 0; j <= order; j++)
    dae__copy(s->n, values + n * (size_t)(order - j), dae__history_phi(s, j));
  for (int level = 1; level <= order; level++)
    for (int j = order; j >= level; j--)
      for (size_t i = 0; i < n; i++)
        s->phi[(size_t)j * n + i] = s->phi[(size_t)(j - 1) * n + i] - s->phi[(size_t)j * n + i];
  for (int j = 0; j < DAE__HISTORY; j++)
    s->memory->psi[j] = (j + 1) * h;
}

dae__formula dae__history_prepare(dae__history *s, double h, int order)
{
  dae__history_memory *m = s->memory;
  static const double harmonic[] = {0,
                                    1,
                                    1 + 1. / 2,
                                    1 + 1. / 2 + 1. / 3,
                                    1 + 1. / 2 + 1. / 3 + 1. / 4,
                                    1 + 1. / 2 + 1. / 3 + 1. / 4 + 1. / 5};
  double alpha_s = -harmonic[order], alpha_0 = 0;
  memcpy(m->psi_before, m->psi, sizeof m->psi);
  m->h = h;
  m->order = order;
  if (h != m->h_old || order != m->order_old)
    m->same = 0;
  m->same = m->same < m->order_old + 2 ? m->same + 1 : m->order_old + 2;
  if (order + 1 >= m->same) { /* new coefficients psi, alpha, beta, sigma, gamma */
    double sum = m->h;
    m->alpha[0] = m->beta[0] = m->sigma[0] = 1;
    m->gamma[0] = 0;
    for (int i = 1; i <= order; i++) {
      double psi = m->psi[i - 1];
      m->psi[i - 1] = sum;
      m->beta[i] = m->beta[i - 1] * m->psi[i - 1] / psi;
      sum = psi + m->h;
      m->alpha[i] = m->h / sum;
      m->sigma[i] = DAE__MUTATE(history_sigma, i * m->sigma[i - 1], m->sigma[i - 1]) * m->alpha[i];
      m->gamma[i] = m->gamma[i - 1] + m->alpha[i - 1] / m->h;
    }
    m->psi[order] = sum;
  }
  for (int i = 0; i < order; i++)
    alpha_0 -= m->alpha[i];
  for (int j = m->same; j <= order; j++)
    /* difference phi_j scaled to phi*_j of the new step */
    dae__scale(s->n, m->beta[j], dae__history_phi(s, j));
  double error = fabs(m->alpha[order] + alpha_s - alpha_0);
  return (dae__formula){.cj = -alpha_s / h,
                        .error =
                            DAE__MUTATE(history_error, fmax(error, m->alpha[order]), 0.1 * error)};
}

void dae__history_undo(dae__history *s)
{
  dae__history_memory *m = s->memory;
  for (int j = m->same; j <= m->order; j++)
    dae__scale(s->n, 1 / m->beta[j], dae__history_phi(s, j));
  memcpy(m->psi, m->psi_before, sizeof m->psi);
}

/* Predictor by sums over all differences of four entries, or of one, at a time: large systems are
 * limited by memory bandwidth, small ones by loop overhead. */

void dae__history_predict(const dae__history *s, double *restrict y, double *restrict dy)
{
  const double *gamma = s->memory->gamma;
  int n = s->n, order = s->memory->order, i = 0;
  for (; i + 4 <= n; i += 4) {
    const double *phi = s->phi + i;
    double sum[4] = {0}, rate[4] = {0};
    for (int j = 0; j <= order; j++, phi += n)
      for (int k = 0; k < 4; k++) {
        sum[k] += phi[k];
        rate[k] += gamma[j] * phi[k];
      }
    memcpy(y + i, sum, sizeof sum);
    memcpy(dy + i, rate, sizeof rate);
  }
  for (; i < n; i++) {
    y[i] = dy[i] = 0;
    for (int j = 0; j <= order; j++) {
      y[i] += dae__history_phi(s, j)[i];
      dy[i] += gamma[j] * dae__history_phi(s, j)[i];
    }
  }
}

void dae__history_accept(dae__history *s, double t, const double *e)
{
  dae__history_memory *m = s->memory;
  int k = m->order;
  m->t = t;
  m->h_old = m->h;
  m->order_old = k;
  int n = s->n, i = 0;
  for (; i + 4 <= n; i += 4) {
    double *phi = dae__history_phi(s, k + 1) + i, sum[4];
    memcpy(sum, e + i, sizeof sum);
    memcpy(phi, sum, sizeof sum);
    for (int j = k; j >= 0; j--) {
      phi -= n;
      for (int l = 0; l < 4; l++)
        sum[l] = phi[l] += sum[l];
    }
  }
  for (; i < n; i++) {
    double sum = dae__history_phi(s, k + 1)[i] = e[i];
    for (int j = k; j >= 0; j--)
      sum = dae__history_phi(s, j)[i] += sum;
  }
}

/* Sums y_i = sum_j c_j phi_ji and rates dy_i = sum_j d_j phi_ji of four entries. */
static inline void history_sum_four(const double *phi, int n, int order, const double *c,
                                    const double *d, double *restrict y, double *restrict dy)
{
  dae__pair sum[2] = {{0, 0}, {0, 0}}, rate[2] = {{0, 0}, {0, 0}};
  for (int j = 0; j <= order; j++, phi += n) {
    dae__pair first = dae__pair_from_anywhere(phi), second = dae__pair_from_anywhere(phi + 2);
    sum[0] += c[j] * first;
    sum[1] += c[j] * second;
    rate[0] += d[j] * first;
    rate[1] += d[j] * second;
  }
  dae__pair_to(y, sum[0]);
  dae__pair_to(y + 2, sum[1]);
  if (dy) {
    dae__pair_to(dy, rate[0]);
    dae__pair_to(dy + 2, rate[1]);
  }
}

void dae__history_interpolate(const dae__history *s, int n, double t, double *restrict y,
                              double *restrict dy)
{
  const dae__history_memory *m = s->memory;
  int order = m->order_old, i = 0;
  double c[DAE__HISTORY], d[DAE__HISTORY], from = t - m->t, gamma = from / m->psi[0];
  c[0] = 1;
  d[0] = 0;
  for (int j = 1; j <= order; j++) {
    d[j] = d[j - 1] * gamma + c[j - 1] / m->psi[j - 1];
    c[j] = c[j - 1] * gamma;
    gamma = (from + m->psi[j - 1]) / m->psi[j];
  }
  for (; i + 4 <= n; i += 4)
    history_sum_four(s->phi + i, s->n, order, c, d, y + i, dy ? dy + i : NULL);
  for (; i < n; i++) {
    const double *phi = s->phi + i;
    double sum = 0, rate = 0;
    for (int j = 0; j <= order; j++, phi += s->n) {
      sum += c[j] * *phi;
      rate += d[j] * *phi;
    }
    y[i] = sum;
    if (dy)
      dy[i] = rate;
  }
}
