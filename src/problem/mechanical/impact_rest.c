/* The impact without restitution and friction as a projection: of all velocities at which no
 * contact closes v+ is next to v- in the norm of M. With coordinates E of the normals in an
 * orthonormal basis Q of their compliances, N M^-1 N' = E'E, it is min |E p + beta| over p >= 0. E
 * is formed by orthogonalisation and not from the compliance, which squares its condition. */
#include "core/vec.h"
#include "problem/mechanical/impact_private.h"

/* Remainder of a normal after orthogonalisation, relative to its size, that is no direction of its
 * own. Chosen. */
#define DEPENDENT 1e-12

/* Removes the basis from x and its gradient d, and adds the coordinates to e. */
static void rest_orthogonalise(const dae__impact_system *s, int rank, const double *rates,
                               double *x, double *d, double *rate, double *e)
{
  for (int j = 0; j < rank; j++) {
    double c = dae__dot(s->nq, s->dual + (size_t)j * (size_t)s->nq, x);
    dae__axpy(s->nq, -c, s->basis + (size_t)j * (size_t)s->nq, x);
    dae__axpy(s->nq, -c, s->dual + (size_t)j * (size_t)s->nq, d);
    *rate -= c * rates[j];
    e[j] += c;
  }
}

void dae__impact_rest(dae__impact_system *s, const double *v, double *impulse)
{
  int n = s->contacts, rank = 0;
  size_t nq = (size_t)s->nq;
  double *rates = s->q; /* rates of the basis in time, at fixed q */
  dae__zero(n * n, s->E);
  for (int i = 0; i < n; i++) {
    double rate, scale = s->scale[s->first[i]], *x = s->basis + (size_t)rank * nq;
    double *d = s->dual + (size_t)rank * nq, *e = s->E + i * n;
    dae__copy(s->nq, dae__impact_row(s, i, 0, &rate), d);
    dae__copy(s->nq, s->X + (size_t)s->first[i] * nq, x);
    dae__scale(s->nq, scale, d);
    dae__scale(s->nq, scale, x);
    rate *= scale;
    for (int twice = 0; twice < 2; twice++)
      rest_orthogonalise(s, rank, rates, x, d, &rate, e);
    double square = dae__dot(s->nq, d, x);
    if (!(square > DEPENDENT * DEPENDENT))
      continue;
    double size = sqrt(square);
    dae__scale(s->nq, 1 / size, d);
    dae__scale(s->nq, 1 / size, x);
    rates[rank] = rate / size;
    s->beta[rank] = -dae__dot(s->nq, d, v) - rates[rank];
    e[rank++] = size;
  }
  /* n coordinates, of which those behind the rank are zero */
  dae__zero(n - rank, s->beta + rank);
  dae__nnls_solve(&s->nnls, n, n, s->E, s->beta, s->p);
  dae__zero(s->rows, impulse);
  for (int i = 0; i < n; i++)
    impulse[s->first[i]] = s->scale[s->first[i]] * s->p[i];
}
