/* Creation, factorisation and solution of the blocks of the decoupled iteration. */
#include "onestep/spark/decoupled.h"
#include "core/error.h"
#include "core/vec.h"

/* Rows and columns of the derivatives: those of W in y, of the coordinates in y, of z, lambda and
 * psi. */
enum { OF_W, OF_Q, OF_Z, OF_G, OF_K, RANGES };

/* Terms of a block: weight (h mu)^power times rows and columns of a matrix. Where W = D is
 * eliminated, its columns are added to the columns of D. */
static const struct {
  int matrix, rows, cols;
  double weight;
  int power;
} decoupled_terms[] = {{DAE__SPARK_ONE, OF_W, OF_W, 1, 0},
                       {DAE__V_Y, OF_W, OF_W, -1, 1},
                       {DAE__V_Y, OF_W, OF_Q, -1, 1},
                       {DAE__V_Z, OF_W, OF_Z, -1, 0},
                       {DAE__P_Y, OF_Z, OF_W, 1, 1},
                       {DAE__P_Y, OF_Z, OF_Q, 1, 1},
                       {DAE__P_Z, OF_Z, OF_Z, 1, 0},
                       {DAE__F_Y, OF_Z, OF_W, -1, 2},
                       {DAE__F_Y, OF_Z, OF_Q, -1, 2},
                       {DAE__F_Z, OF_Z, OF_Z, -1, 1},
                       {DAE__R_LAMBDA, OF_Z, OF_G, -1, 0},
                       {DAE__F_PSI, OF_Z, OF_K, -1, 0},
                       {DAE__G_Y, OF_G, OF_W, 1, 0},
                       {DAE__G_Y, OF_G, OF_Q, 1, 0},
                       {DAE__K_Y, OF_K, OF_W, 1, 1},
                       {DAE__K_Y, OF_K, OF_Q, 1, 1},
                       {DAE__K_Z, OF_K, OF_Z, 1, 0},
                       {DAE__SPARK_REDUNDANT_G, OF_G, OF_G, 1, 0},
                       {DAE__SPARK_REDUNDANT_K, OF_K, OF_K, 1, 0}};
enum { TERMS = sizeof decoupled_terms / sizeof *decoupled_terms };

dae_status dae__decoupled_create(dae__arena *arena, const dae__spark_equations *eq, int count,
                                 dae__decoupled *out, dae_error *err)
{
  dae__decoupled *o = out;
  int nq = eq->coordinates, D = eq->ny - nq, L = D + eq->nz, psi = L + eq->ng, n = psi + eq->nk;
  *o = (dae__decoupled){.equations = eq,
                        .nq = nq,
                        .nw = D,
                        .n = n,
                        .solver = DAE__ALLOC(arena, dae__zsolver *, count),
                        .x = DAE__ALLOC(arena, double, 2 * n),
                        .W = DAE__ALLOC(arena, double complex, eq->ny),
                        .d = DAE__ALLOC(arena, double complex, eq->ny),
                        .delta = DAE__ALLOC(arena, double complex, eq->nz),
                        .terms = dae__terms_create(arena, TERMS)};
  /* first and last index of each range, and its first index in the block */
  const int range[RANGES][3] = {[OF_W] = {nq, eq->ny, 0},
                                [OF_Q] = {0, nq, D},
                                [OF_Z] = {0, eq->nz, D},
                                [OF_G] = {0, eq->ng, L},
                                [OF_K] = {0, eq->nk, psi}};
  for (int i = 0; i < TERMS; i++) {
    int matrix = decoupled_terms[i].matrix;
    const int *rows = range[decoupled_terms[i].rows], *cols = range[decoupled_terms[i].cols];
    dae__terms_list(&o->terms, arena,
                    (dae__term){matrix, 0, decoupled_terms[i].weight, decoupled_terms[i].power},
                    (dae__block){rows[2], cols[2], &eq->pattern[matrix], false, NULL},
                    (int[]){rows[0], rows[1], cols[0], cols[1]});
  }
  DAE__TRY(dae__terms_merge(&o->terms, arena, n, n, err));
  o->matrix = DAE__ALLOC(arena, double complex, dae__pattern_count(&o->terms.pattern));
  DAE__TRY(dae__arena_status(arena, err));
  /* o->count is the number of solvers that the caller frees after a failure */
  for (; o->count < count; o->count++)
    DAE__TRY(dae__zsolver_create(arena, &o->terms.pattern, &o->solver[o->count], err));
  return DAE_OK;
}

/* ---- factorisation ---- */

dae_status dae__decoupled_factor(dae__decoupled *o, const dae_momentum_at *at, const double *lambda,
                                 const double *psi, const double complex *hmu, dae_error *err)
{
  const dae__spark_equations *eq = o->equations;
  const unsigned of_r = DAE__SPARK_SET(DAE__R_LAMBDA);
  int entries = dae__pattern_count(&o->terms.pattern);
  dae_status status = DAE_OK;
  unsigned parts = 0;
  for (int k = 0; k < TERMS; k++)
    if (decoupled_terms[k].matrix < DAE__MOMENTUM_PARTS)
      parts |= DAE__SPARK_SET(decoupled_terms[k].matrix);
  DAE__TRY(eq->table->linearise(eq->self, at, psi, parts & ~of_r, err));
  if (eq->ng > 0)
    DAE__TRY(eq->table->linearise(eq->self, at, lambda, of_r, err));
  for (int i = 0; i < o->count && !status; i++) {
    const double real[] = {1, creal(hmu[i]), creal(hmu[i] * hmu[i])};
    const double imaginary[] = {0, cimag(hmu[i]), cimag(hmu[i] * hmu[i])};
    dae__terms_add(&o->terms, 0, real, eq->values);
    for (int e = 0; e < entries; e++)
      o->matrix[e] = o->terms.values[e];
    dae__terms_add(&o->terms, 0, imaginary, eq->values);
    for (int e = 0; e < entries; e++)
      o->matrix[e] += o->terms.values[e] * I;
    status = dae__zsolver_factor(o->solver[i], o->matrix);
  }
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status)
    dae__fail(err, status, NULL, "a block of the decoupled Newton iteration is singular");
  return status;
}

/* ---- solution ---- */

/* out += factor * derivative * x, with the derivative `part` */
static void decoupled_multiply_add(const dae__decoupled *o, dae__momentum_part part,
                                   double complex factor, const double complex *x,
                                   double complex *out)
{
  const dae_pattern *p = &o->equations->pattern[part];
  const double *values = o->equations->values[part];
  for (int j = 0; j < p->cols; j++)
    for (int i = p->start[j]; i < p->start[j + 1]; i++)
      out[p->row[i]] += factor * values[i] * x[j];
}

void dae__decoupled_solve(dae__decoupled *o, int i, double complex hmu, double complex w,
                          const double *delta, double complex *e, double complex *x)
{
  const dae__spark_equations *eq = o->equations;
  int n = o->n, nw = o->nw, ny = eq->ny, nz = eq->nz;
  double complex *W = o->W, *d = o->d; /* d includes the factor w: w v_z delta */
  double *re = o->x, *im = o->x + n;
  for (int k = 0; k < ny; k++)
    W[k] = d[k] = 0;
  for (int k = 0; k < nz; k++)
    o->delta[k] = w * delta[k];
  decoupled_multiply_add(o, DAE__V_Z, 1, o->delta, d);
  decoupled_multiply_add(o, DAE__V_Y, -hmu, d, W);
  decoupled_multiply_add(o, DAE__V_Y, 1, e, W);
  decoupled_multiply_add(o, DAE__P_Y, hmu, d, x);
  decoupled_multiply_add(o, DAE__F_Z, -hmu, o->delta, x);
  decoupled_multiply_add(o, DAE__F_Y, -hmu * hmu, d, x);
  decoupled_multiply_add(o, DAE__K_Y, hmu, d, x + nz + eq->ng);
  for (int k = 0; k < n; k++) {
    double complex value = k < nw ? W[o->nq + k] : x[k - nw];
    re[k] = creal(value), im[k] = cimag(value);
  }
  dae__zsolver_solve(o->solver[i], re, im);
  for (int k = nw; k < n; k++)
    x[k - nw] = re[k] + im[k] * I;
  for (int k = 0; k < o->nq; k++)
    W[k] = x[k];
  for (int k = 0; k < nw; k++)
    W[o->nq + k] = re[k] + im[k] * I;
  for (int k = 0; k < ny; k++)
    e[k] = hmu * (W[k] - d[k]);
}
