/* The modified Newton iteration in its Gauss-Seidel form [J09 section 3]: Y is refreshed before the
 * residuals; with the transformation Q the increments of Z, L and Psi come from s solves with
 * matrix (2) and one with matrix (3), factored once, at the predicted midpoint. In the richer
 * iteration blocks with the derivatives of the forces take the place of matrix (2). */
#include "onestep/spark/simplified.h"
#include "core/vec.h"
#include "onestep/spark/decoupled.h"

/* out = row . R, vectors of length n */
static void simplified_combine(const double *row, int count, int n, const double *R, double *out)
{
  dae__zero(n, out);
  for (int j = 0; j < count; j++)
    dae__axpy(n, row[j], R + (size_t)j * (size_t)n, out);
}

/* right sides -(q5, q6, q7) of the transformed rows */
static void simplified_right_sides(dae__stages *st)
{
  const dae__spark_transform *tr = st->transform;
  const dae__face *c = &st->face;
  int s = st->s, nz = c->nz, ng = c->ng, nk = c->nk, width = nz + ng + nk;
  for (int i = 0; i <= s; i++)
    dae__stages_residual5(st, i, dae__stage_vector(st->R5, i, nz));
  for (int i = 0; i < s; i++) { /* g / h, then gdot */
    dae__copy(ng, dae__stage_vector(st->g, i + 1, ng), dae__stage_vector(st->R6, i, ng));
    dae__scale(ng, 1 / st->h, dae__stage_vector(st->R6, i, ng));
  }
  dae__copy(ng, st->g, dae__stage_vector(st->R6, s, ng));
  for (int i = 0; i <= s; i++) {
    double *x = dae__stage_vector(st->x, i, width);
    simplified_combine(tr->Q + i * (s + 1), s + 1, nz, st->R5, x);
    simplified_combine(tr->Qc + i * (s + 1), s + 1, ng, st->R6, x + nz);
    if (i < s)
      simplified_combine(tr->Qt + i * (s + 1), s + 1, nk, st->k, x + nz + ng);
    dae__scale(i < s ? width : nz + ng, -1, x);
  }
}

/* xi = row k of Ti times vectors of length n, one for each stage */
static void simplified_combine_complex(const dae__spark_transform *tr, int k, int n,
                                       const double *values, double complex *xi)
{
  for (int i = 0; i < n; i++)
    xi[i] = 0;
  for (int j = 0; j < tr->s; j++)
    for (int i = 0; i < n; i++)
      xi[i] += tr->Ti[k * tr->s + j] * values[(size_t)j * (size_t)n + (size_t)i];
}

/* values += the part of T xi that belongs to block k and, where there is one, its conjugate */
static void simplified_add_back(const dae__spark_transform *tr, int k, int n,
                                const double complex *xi, double *values)
{
  for (int i = 0; i < tr->s; i++) {
    double complex t = (k < tr->reals ? 1 : 2) * tr->T[i * tr->blocks + k];
    for (int j = 0; j < n; j++)
      values[(size_t)i * (size_t)n + (size_t)j] += creal(t * xi[j]);
  }
}

/* the rows but the last by the blocks of A = T diag(mu) Ti; the last one, delta, is solved. Y
 * moves along with them */
static void simplified_solve_richly(dae__stages *st)
{
  const dae__spark_transform *tr = st->transform;
  const dae__face *c = &st->face;
  int s = st->s, width = c->nz + c->ng + c->nk;
  const double *delta = dae__stage_vector(st->x, s, width);
  double *dY = dae__stage_vector(st->D, s, width);
  double complex *e = st->xi + width;
  dae__zero(s * width + s * c->ny, st->D);
  for (int k = 0; k < tr->blocks; k++) {
    double complex w = 0;
    for (int j = 0; j < s; j++)
      w += tr->Ti[k * s + j] * tr->w[j];
    simplified_combine_complex(tr, k, width, st->x, st->xi);
    simplified_combine_complex(tr, k, c->ny, st->moved, e);
    dae__decoupled_solve(c->richer, k, st->h * tr->mu[k], w, delta, e, st->xi);
    simplified_add_back(tr, k, width, st->xi, st->D);
    simplified_add_back(tr, k, c->ny, e, dY);
  }
  dae__copy(s * width, st->D, st->x);
  dae__axpy(s * c->ny, 1, dY, dae__stage_vector(st->now.Y, 1, c->ny));
  for (int i = 0; i < s; i++) /* gamma' (dY; dy1) = 0 */
    dae__axpy(c->ny, -tr->gamma[i], dae__stage_vector(dY, i, c->ny),
              dae__stage_vector(st->now.Y, s + 1, c->ny));
}

static void simplified_solve_rows(dae__stages *st)
{
  const dae__face *c = &st->face;
  int s = st->s, width = c->nz + c->ng + c->nk;
  c->matrices->solve3(c->self, dae__stage_vector(st->x, s, width));
  if (st->way == DAE__STAGES_DECOUPLED)
    simplified_solve_richly(st);
  for (int i = 0; i < s && st->way == DAE__STAGES_SIMPLIFIED; i++)
    c->matrices->solve2(c->self, dae__stage_vector(st->x, i, width));
}

/* Z, L and Psi move by the solutions; the largest change of Z relative to the weights */
static double simplified_move(dae__stages *st, const double *weight)
{
  const dae__spark_transform *tr = st->transform;
  int s = st->s, nz = st->face.nz, ng = st->face.ng, nk = st->face.nk, width = nz + ng + nk;
  const double *delta = dae__stage_vector(st->x, s, width);
  double change = 0;
  for (int n = 0; n < nz; n++) {
    double last = delta[n]; /* dz1 = delta + b' A^-1 dZ = delta - gamma dZ */
    for (int i = 0; i < s; i++) {
      double dZ = st->x[i * width + n] - tr->w[i] * delta[n];
      st->now.Z[(i + 1) * nz + n] += dZ;
      last -= tr->gamma[i] * dZ;
      change = fmax(change, fabs(dZ) / weight[n]);
    }
    st->now.Z[(s + 1) * nz + n] += last;
    change = fmax(change, fabs(last) / weight[n]);
  }
  for (int i = 0; i <= s; i++)
    for (int j = 0; j <= s; j++)
      dae__axpy(ng, tr->Qat_inv[i * (s + 1) + j] / st->h, dae__stage_vector(st->x, j, width) + nz,
                dae__stage_vector(st->now.L, i, ng));
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++)
      dae__axpy(nk, tr->Qah_inv[i * s + j] / st->h, dae__stage_vector(st->x, j, width) + nz + ng,
                dae__stage_vector(st->now.Psi, i, nk));
  return change;
}

double dae__simplified_increment(dae__stages *st, const double *weight)
{
  simplified_right_sides(st);
  simplified_solve_rows(st);
  return simplified_move(st, weight);
}

int dae__simplified_worst(const dae__stages *st)
{
  const dae__face *c = &st->face;
  int nc = c->ng + c->nk, width = c->nz + nc, from = nc > 0 ? c->nz : 0, worst = from;
  double most = -1;
  for (int i = 0; i < st->s; i++)
    for (int n = from; n < width; n++)
      if (fabs(dae__stage_vector(st->x, i, width)[n]) > most) {
        most = fabs(dae__stage_vector(st->x, i, width)[n]);
        worst = n;
      }
  return worst;
}
