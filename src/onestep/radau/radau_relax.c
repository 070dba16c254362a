/* Iterates of the smooth motion, brought back to the equilibrium of stiff forces before matrices
 * are evaluated there.
 *
 * An increment that turns a stiff rod also stretches it, to second order. Its tension is then far
 * from that of the solution and enters the matrix as stiffness across the rod, negative where the
 * rod is compressed: with many rods the iteration diverges. Each stage is therefore moved by
 * -w^2 B(w)\R, B(w) = M - w J_v - w^2 J_q, an increment of a step of size w << h: along stiff
 * forces, with w rate >> 1, it is that of Newton's method, across them M outweighs the tension and
 * leaves the stage where it is. As on the ladder, w goes from small to large sizes, so that each
 * mode is moved by the smallest that can do it. The solution, with R = 0, stays. */
#include "core/vec.h"
#include "linalg/dense.h"
#include "onestep/radau/radau.h"

/* Moves of an iterate, the smallest w relative to h, and the ratio of successive ones. Chosen: two
 * to four moves that end between 3e-3 and 3e-2 take the same steps on chains of 10 to 100 links
 * within two, moves that end at 1e-3 twice as many. */
#define RELAX_MOVES 3
#define RELAX_SMALLEST 1e-3
#define RELAX_RATIO 3

/* D = B(w)\R of all stages, each by its own Jacobians. */
static dae_status relax_solve(dae__radau *o, const dae__radau_rule *rule, const dae_step *step,
                              double w, dae_error *err)
{
  dae__reduced *r = o->r;
  size_t n = (size_t)r->n, size = (size_t)r->n2 + n;
  for (int i = 0; i < rule->s; i++) {
    double *D = o->D + (size_t)i * n;
    dae__reduced_at at = {.t = step->t + rule->c->c[i] * step->h,
                          .z = o->Z + (size_t)i * size,
                          .k = o->K + (size_t)i * n};
    DAE__TRY(r->table->linearise(r->self, &at, err));
    DAE__TRY(dae__reduced_factor(r, w, 0, NULL, err));
    r->memory->jacobians++;
    dae__copy(r->n, o->R + (size_t)i * n, D);
    dae__solver_solve(r->real, D);
  }
  return DAE_OK;
}

/* K -= (h^2 A A)\(w^2 D) for second-order unknowns, K -= D for algebraic ones. */
static void relax_apply(dae__radau *o, int s, const double *A, const int *pivot, double w)
{
  const dae__reduced *r = o->r;
  double d[DAE__RADAU_STAGES];
  for (int k = 0; k < r->n2; k++) {
    for (int i = 0; i < s; i++)
      d[i] = w * w * o->D[i * r->n + k];
    dae__lu_solve(s, A, pivot, d);
    for (int i = 0; i < s; i++)
      o->K[i * r->n + k] -= d[i];
  }
  int first = r->n2 + r->n1;
  for (int i = 0; i < s; i++)
    dae__axpy(r->n - first, -1, o->D + i * r->n + first, o->K + i * r->n + first);
}

dae_status dae__radau_relax(dae__radau *o, const dae__radau_rule *rule, const dae_step *step,
                            dae_error *err)
{
  int s = rule->s, pivot[DAE__RADAU_STAGES];
  double A[DAE__RADAU_STAGES * DAE__RADAU_STAGES], w = RELAX_SMALLEST * step->h;
  if (o->r->n2 == 0)
    return DAE_OK;
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++)
      A[j * s + i] = step->h * step->h * rule->c->A2[i][j];
  if (dae__lu_factor(s, A, pivot))
    return DAE_OK;
  for (int i = 0; i < RELAX_MOVES; i++, w *= RELAX_RATIO) {
    DAE__TRY(dae__radau_residuals(o, rule, step, false, err));
    dae_status status = relax_solve(o, rule, step, w, err);
    if (status == DAE_ERROR_SINGULAR) /* the iterate is kept as it is */
      return DAE_OK;
    DAE__TRY(status);
    relax_apply(o, s, A, pivot, w);
  }
  return DAE_OK;
}
