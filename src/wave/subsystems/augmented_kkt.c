/* Accelerations and multipliers of a system with its eliminated joints [WHM11 (63)-(71)], the KKT
 * system
 *
 *   [ M    G_own'  K'  G_z' ] [ v'         ]   [ f                        ]
 *   [ G_own                 ] [ lambda_own ] = [ -gamma_own               ]
 *   [ K                     ] [ psi        ]   [ -kappa                   ]
 *   [ G_z                   ] [ lambda     ]   [ -gamma - G_z,others z''  ]
 *
 * Neither M^-1 nor G_z M^-1 G_z' is formed. Rows that depend on earlier rows are found by
 * elimination at the first point: dependent constraints of the system are dropped, dependent joints
 * are refused. A factorisation depends on its matrix alone, not on earlier factorisations, and is
 * not repeated for the same matrix. */
#include "core/assert.h"
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "linalg/rank.h"
#include "wave/subsystems/augmented.h"
#include <string.h>

/* ---- creation ---- */

/* Patterns of A = [G_own; K; G_z,own], with a piece for each block, and of the KKT matrix; its
 * diagonal D is 1 for dropped rows. */
static void kkt_create_patterns(dae__augmented *m)
{
  dae__kkt *b = &m->kkt;
  const dae__mech *own = m->element.m;
  int count = 2, n = b->nq + b->rows;
  b->piece = DAE__ALLOC(m->arena, dae__piece, 2 + m->joints);
  if (!b->piece)
    return;
  b->piece[0] = (dae__piece){&own->G, m->range, m->range, NULL};
  b->piece[1] = (dae__piece){&own->K, m->range + own->ng, m->range, NULL};
  for (int k = 0; k < m->joints; k++) {
    const dae__attached_joint *h = &m->joint[k];
    if (h->eliminated)
      b->piece[count++] =
          (dae__piece){&h->G_block, m->range + b->nc + h->lambda, h->coordinate, NULL};
  }
  if (!dae__arena_failed(m->arena))
    b->A = dae__pieces_merge(m->arena, b->rows, b->nq, !own->sparse, b->piece, count);
  if (!dae__arena_failed(m->arena))
    b->diagonal = dae__pattern_diagonal(m->arena, n);
  if (dae__arena_failed(m->arena))
    return;
  b->block[0] = (dae__block){0, 0, &own->M, false, NULL};
  b->block[1] = (dae__block){b->nq, 0, &b->A, false, NULL};
  b->block[2] = (dae__block){0, b->nq, &b->A, true, NULL};
  b->block[3] = (dae__block){0, 0, &b->diagonal, false, NULL};
  b->pattern = dae__blocks_merge(m->arena, n, n, b->block, 4);
}

dae_status dae__kkt_create(dae__augmented *m, dae_error *err)
{
  dae__kkt *b = &m->kkt;
  const dae__mech *own = m->element.m;
  b->nq = own->nq;
  b->nc = own->nc;
  b->rows = b->nc + m->eliminated;
  kkt_create_patterns(m);
  DAE__TRY(dae__arena_status(m->arena, err));
  int entries = dae__pattern_count(&b->pattern), n = b->nq + b->rows;
  b->active = DAE__ALLOC(m->arena, bool, b->rows);
  b->M = DAE__ALLOC(m->arena, double, dae__pattern_count(&own->M));
  b->G = DAE__ALLOC(m->arena, double, dae__pattern_count(&own->G));
  b->K = DAE__ALLOC(m->arena, double, dae__pattern_count(&own->K));
  b->A_values = DAE__ALLOC(m->arena, double, dae__pattern_count(&b->A));
  DAE__VECTORS(m->arena, n, &b->D, &b->x);
  DAE__VECTORS(m->arena, entries, &b->values, &b->last);
  DAE__VECTORS(m->arena, b->nq, &b->v_dot, &b->top);
  DAE__VECTORS(m->arena, b->rows, &b->y, &b->bottom);
  DAE__TRY(dae__arena_status(m->arena, err));
  return dae__solver_create(m->arena, &b->pattern, &b->solver, err);
}

/* ---- messages ---- */

/* Error for a row of A that belongs to an eliminated joint and depends on the other rows. */
static dae_status kkt_dependent_joint(const dae__augmented *m, int row, dae_error *err)
{
  const dae__attached_joint *h = m->joint;
  row -= m->kkt.nc;
  while (!h->eliminated || row < h->lambda || row >= h->lambda + h->joint->ng)
    h++;
  const char *const *names = h->joint->g_names;
  const char *name = names && names[row - h->lambda] ? names[row - h->lambda] : h->name;
  return dae__fail(err, DAE_ERROR_SINGULAR, name,
                   "the joint %s cannot be eliminated in %s alone: on the coordinates of that "
                   "system the constraint %s depends on its own constraints or on those of other "
                   "joints; eliminate it in another system",
                   h->name, m->forward.name[0] ? m->forward.name : "this system", name);
}

static dae_status kkt_singular(const dae__augmented *m, dae_error *err)
{
  const dae__kkt *b = &m->kkt;
  int column = dae__solver_column(b->solver), row = column - b->nq;
  char name[64];
  if (row >= b->nc)
    return kkt_dependent_joint(m, row, err);
  if (row >= 0) {
    dae__mech_constraint_name(m->element.m->p, row, name, sizeof name);
    return dae__fail(err, DAE_ERROR_SINGULAR, name,
                     "constraint %s depends on the others here, or cannot be satisfied: the matrix "
                     "[M A'; A 0] is singular",
                     name);
  }
  dae_problem_variable(&(dae_problem){.mechanical = m->element.m->p}, column > 0 ? column : 0, name,
                       sizeof name);
  return dae__fail(err, DAE_ERROR_SINGULAR, name,
                   "neither mass nor constraints determine the motion of %s: "
                   "give it kinetic energy, or check the constraints that contain it",
                   name);
}

/* ---- factorisation ---- */

static void kkt_fill_A(dae__augmented *m)
{
  dae__kkt *b = &m->kkt;
  int piece = 2;
  dae__zero(dae__pattern_count(&b->A), b->A_values);
  dae__piece_add(&b->piece[0], 1, b->G, b->A_values);
  dae__piece_add(&b->piece[1], 1, b->K, b->A_values);
  for (int k = 0; k < m->joints; k++) {
    dae__attached_joint *h = &m->joint[k];
    int ng = h->joint->ng;
    if (!h->eliminated)
      continue;
    for (int c = 0; c < h->count; c++)
      dae__copy(ng, h->G + ng * h->entry[c], h->block + ng * c);
    dae__piece_add(&b->piece[piece++], 1, h->block, b->A_values);
  }
}

/* Selects linearly independent rows of A, earlier rows first. */
static dae_status kkt_pick(dae__augmented *m, dae_error *err)
{
  dae__kkt *b = &m->kkt;
  int rank;
  for (int i = 0; i < b->rows; i++)
    b->active[i] = true;
  dae_status status = dae__rank_rows(&b->A, b->A_values, DAE__RANK_TOLERANCE,
                                     dae__arena_env(m->arena), b->active, NULL, &rank, NULL);
  if (status)
    return dae__fail(err, status, NULL, "the rank of the constraints cannot be computed: %s",
                     dae_status_text(status));
  for (int i = b->nc; i < b->rows; i++)
    if (!b->active[i])
      return kkt_dependent_joint(m, i, err);
  b->dependent = b->rows - rank;
  b->picked = true;
  return DAE_OK;
}

static dae_status kkt_factor(dae__augmented *m, dae_error *err)
{
  dae__kkt *b = &m->kkt;
  int entries = dae__pattern_count(&b->pattern);
  for (int i = 0; i < b->rows; i++)
    b->D[b->nq + i] = b->active[i] ? 0 : 1;
  for (int e = 0; b->dependent > 0 && e < dae__pattern_count(&b->A); e++)
    if (!b->active[b->A.row[e]])
      b->A_values[e] = 0;
  dae__zero(entries, b->values);
  dae__block_add(&b->block[0], 1, b->M, b->values);
  dae__block_add(&b->block[1], 1, b->A_values, b->values);
  dae__block_add(&b->block[2], 1, b->A_values, b->values);
  dae__block_add(&b->block[3], 1, b->D, b->values);
  if (b->factored && memcmp(b->values, b->last, (size_t)entries * sizeof *b->values) == 0)
    return DAE_OK;
  dae__solver_reset(b->solver);
  dae_status status = dae__solver_factor(b->solver, b->values);
  b->factored = status == DAE_OK;
  dae__copy(entries, b->values, b->last);
  if (status == DAE_ERROR_SINGULAR)
    return kkt_singular(m, err);
  return status ? dae__fail(err, status, NULL, "the KKT matrix [M A'; A 0]: %s",
                            dae_status_text(status))
                : DAE_OK;
}

/* ---- solution ---- */

void dae__kkt_solve(dae__kkt *b, double *x, double *y)
{
  DAE__ASSERT(b->factored);
  for (int i = 0; i < b->rows; i++)
    if (!b->active[i])
      y[i] = 0;
  dae__copy(b->nq, x, b->x);
  dae__copy(b->rows, y, b->x + b->nq);
  dae__solver_solve(b->solver, b->x);
  dae__copy(b->nq, b->x, x);
  dae__copy(b->rows, b->x + b->nq, y);
}

dae_status dae__kkt_accelerate(dae__augmented *m, const dae_mechanical_at *at, const double *f,
                               dae_error *err)
{
  dae__kkt *b = &m->kkt;
  dae__mech *own = m->element.m;
  dae_mechanical_wanted want = {
      .M = b->M, .G = b->G, .gamma = b->y, .K = b->K, .kappa = b->y + own->ng};
  DAE__TRY(dae__forward_diagnose(m->forward.name, dae__mech_eval(own, at, &want, err), err));
  dae__scale(b->nc, -1, b->y);
  for (int k = 0; k < m->joints; k++) {
    /* right side of an eliminated joint: -gamma - G_z,others z'' */
    const dae__attached_joint *h = &m->joint[k];
    int nz = h->joint->nz, ng = h->joint->ng;
    const double *zddot = at->in + h->first + 2 * nz + ng;
    double *side = b->y + b->nc + h->lambda;
    for (int r = 0; r < ng && h->eliminated; r++)
      side[r] = -h->gamma[r];
    for (int i = 0; i < nz && h->eliminated; i++)
      if (h->own[i] < 0)
        dae__axpy(ng, -zddot[i], h->G + ng * i, side);
  }
  dae__copy(b->nq, f, b->v_dot);
  kkt_fill_A(m);
  bool repick = b->picked && b->nc > 0;
  if (!b->picked && b->rows > 0)
    DAE__TRY(kkt_pick(m, err));
  dae_status status = kkt_factor(m, err);
  if (status == DAE_ERROR_SINGULAR &&
      repick) { /* rows that were independent at the first point are dependent */
    kkt_fill_A(m);
    DAE__TRY(kkt_pick(m, err));
    status = kkt_factor(m, err);
  }
  if (!status)
    dae__kkt_solve(b, b->v_dot, b->y);
  return status;
}
