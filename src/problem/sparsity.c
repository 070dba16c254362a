/* Sparsity pattern of a problem's iteration matrix: the union of the derivatives of its equations,
 * by blocks of unknowns.
 *
 *   mechanical      q u w lambda psi   [M + f_q + f_v + (G'lambda)_q ... G' K'; ...; G; K + k_q]
 *   semi-explicit   x y                [M - f_x, -f_y; -F_x, -F_y]
 *   momentum        y z lambda psi     [I - v_y, -v_z;
 *                                       p_y - f_y - r_y, p_z - f_z, -r_lambda, -f_psi;
 *                                       g_y; k_y, k_z]
 *   coupled         its assembly, with the unknowns of each system and joint side by side
 *
 * A velocity is no unknown of its own: an implicit step makes it a multiple of the position. The
 * entries of a matrix without a pattern are those with nonzero values at the given state or at a
 * perturbed one: an entry may vanish at a start by chance (a pendulum held level). */
#include "core/error.h"
#include "core/vec.h"
#include "problem/coupled/assembly.h"
#include "problem/coupled/scatter.h"
#include "problem/mechanical/mech.h"
#include "problem/momentum/momentum.h"
#include "problem/problem.h"
#include "problem/semi_explicit/semi.h"
#include <daedal/sparsity.h>
#include <stdio.h>

enum { MAX_PIECES = 16 };
/* Size of an entry, relative to the largest, below which a derivative by differences of differences
 * counts as zero: differences are accurate to about 1e-12, differences of differences to 1e-6. */
#define DIFFERENCE_NOISE 1e-4

/* The sparsity pattern under construction. */
typedef struct builder {
  dae__arena *scratch;
  const dae_problem *problem; /* the problem; of a coupled problem the assembled one */
  dae__mech *m;               /* form of the problem: one of m, s and n, the others are NULL */
  dae__semi *semi;
  dae__momentum *n;
  double t;
  double *y, *beside; /* given state vector, and a perturbed one */
  double *s;          /* vector s of contracted derivatives such as (G's)_q, without zero entries */
  int *unknown;       /* row and column of the matrix for each entry of the state vector */
  int size;           /* number of rows and columns of the matrix */
  dae_pattern matrix[MAX_PIECES];
  dae__piece piece[MAX_PIECES];
  int pieces;
  bool given; /* whether the user gave a pattern of any matrix */
} builder;

/* One matrix of a problem form; its rows and columns belong to the entries of the state vector from
 * `row` and `col` on. */
typedef struct term {
  int which;
  const dae_pattern *full; /* pattern of the matrix, dense where none was given */
  bool given;
  int row, col;
  bool twice; /* values are differences of differences, in which zeros appear as noise */
} term;

/* ---- pattern of one matrix ---- */

static void sparsity_add(builder *k, const dae_pattern *p, int row, int col)
{
  k->matrix[k->pieces] = *p;
  k->piece[k->pieces] = (dae__piece){
      .pattern = &k->matrix[k->pieces], .row = k->unknown + row, .col = k->unknown + col};
  k->pieces++;
}

/* Matrices of the forms; those of the momentum form are its derivatives. */
enum { M_, J_, MS_, GTS_, KTS_, BTS_, KQ_, B_, G_, K_ };

/* Values of the matrix `which` at the state vector y. */
static dae_status sparsity_values(const builder *k, int which, const double *y, double *out,
                                  dae_error *err)
{
  static const dae__mech_part part[] = {[MS_] = DAE__MS_QV,
                                        [GTS_] = DAE__GTS_Q,
                                        [KTS_] = DAE__KTS_QV,
                                        [BTS_] = DAE__BTS_QV,
                                        [KQ_] = DAE__K_Q};
  if (k->n) {
    dae_momentum_at at = {k->t, y, y + k->n->at.z};
    return dae__momentum_jacobian(k->n, (dae__momentum_part)which, &at, k->s, out, err);
  }
  if (k->semi && which == MS_)
    return dae__semi_Ms(k->semi, k->t, y, k->s, out, err);
  if (k->semi)
    return which == M_ ? dae__semi_M(k->semi, k->t, y, out, err)
                       : dae__semi_J(k->semi, NULL, k->t, y, out, err);
  dae_mechanical_at at = dae__mech_at(k->m, k->t, y);
  dae_mechanical_wanted want = {.M = which == M_ ? out : NULL,
                                .G = which == G_ ? out : NULL,
                                .K = which == K_ ? out : NULL,
                                .B = which == B_ ? out : NULL};
  if (which == J_)
    return dae__mech_J(k->m, &at, out, err);
  return want.M || want.G || want.K || want.B
             ? dae__mech_eval(k->m, &at, &want, err)
             : dae__mech_derivative(k->m, part[which], &at, k->s, out, err);
}

/* Pattern of the entries of a matrix above the noise level at y or at the perturbed state. */
static dae_status sparsity_pattern_of(builder *k, const term *of, dae_pattern *out, dae_error *err)
{
  const dae_pattern *p = of->full;
  int count = dae__pattern_count(p), n = 0;
  int *start = DAE__ALLOC(k->scratch, int, (size_t)p->cols + 1);
  int *row = DAE__ALLOC(k->scratch, int, count);
  double *here = DAE__ALLOC(k->scratch, double, count);
  double *beside = DAE__ALLOC(k->scratch, double, count);
  DAE__TRY(dae__arena_status(k->scratch, err));
  DAE__TRY(sparsity_values(k, of->which, k->y, here, err));
  dae_status status = sparsity_values(k, of->which, k->beside, beside, err);
  if (status == DAE_ERROR_RECOVERABLE) /* the matrix is not defined at the perturbed state */
    dae__copy(count, here, beside);
  else if (status)
    return status;
  double noise = of->twice ? DIFFERENCE_NOISE * dae__max_abs(count, here) : 0;
  for (int j = 0; j < p->cols; j++) {
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (fabs(here[e]) > noise || fabs(beside[e]) > noise)
        row[n++] = p->row[e];
    start[j + 1] = n;
  }
  *out = (dae_pattern){p->rows, p->cols, start, row};
  return DAE_OK;
}

static dae_status sparsity_add_terms(builder *k, const term *terms, int count, dae_error *err)
{
  for (int i = 0; i < count; i++) {
    dae_pattern known = *terms[i].full;
    bool by_values = !terms[i].given && dae__pattern_count(&known) > 0;
    DAE__TRY(by_values ? sparsity_pattern_of(k, &terms[i], &known, err) : DAE_OK);
    k->given = k->given || terms[i].given;
    sparsity_add(k, &known, terms[i].row, terms[i].col);
  }
  return DAE_OK;
}

/* ---- matrices of the problem forms ---- */

static dae_status sparsity_mechanical(builder *k, dae_error *err)
{
  const dae_mechanical *p = k->problem->mechanical;
  dae__mech *m;
  DAE__TRY(dae__mech_create(k->scratch, k->problem, &m, err));
  /* rows of (f, s, c) are the rows of (v, u, w), and v shares its rows with q */
  int f = m->at.v, lambda = m->at.lambda, psi = m->at.psi;
  const term terms[] = {{M_, &m->M, p->M_pattern, f, 0, false},
                        {J_, &m->J, p->J_pattern && (p->f || p->M_pattern), f, 0, false},
                        {MS_, &m->Ms, p->Ms_pattern, f, 0, !p->M && !p->Ms_qv},
                        {GTS_, &m->Gts, p->Gts_pattern || p->G_pattern, f, 0, !p->G && !p->Gts_q},
                        {KTS_, &m->Kts, p->Kts_pattern || p->K_pattern, f, 0, !p->K && !p->Kts_qv},
                        {BTS_, &m->Bts, p->Bts_pattern, f, 0, false},
                        {KQ_, &m->kq, p->k_q_pattern || p->K_pattern, psi, 0, false},
                        {G_, &m->G, p->G_pattern, lambda, 0, false},
                        {K_, &m->K, p->K_pattern, psi, 0, false}};
  k->m = m;
  DAE__TRY(sparsity_add_terms(k, terms, sizeof terms / sizeof *terms, err));
  /* forces of the constraints along [G; K], or along B */
  const term directions = {B_, &m->B, p->B_pattern, 0, 0, false};
  dae_pattern G = k->matrix[k->pieces - 2], K = k->matrix[k->pieces - 1], B = m->B;
  if (m->directed && !p->B_pattern)
    DAE__TRY(sparsity_pattern_of(k, &directions, &B, err));
  dae_pattern Gt = dae__pattern_transpose(k->scratch, m->directed ? &B : &G, NULL);
  dae_pattern Kt = dae__pattern_transpose(k->scratch, &K, NULL);
  dae_pattern identity = dae__pattern_diagonal(k->scratch, m->nu);
  DAE__TRY(dae__arena_status(k->scratch, err));
  sparsity_add(k, &Gt, 0, lambda);
  if (!m->directed)
    sparsity_add(k, &Kt, 0, psi);
  sparsity_add(k, &identity, m->at.u, m->at.u);
  return DAE_OK;
}

static dae_status sparsity_semi(builder *k, dae_error *err)
{
  const dae_semi_explicit *p = k->problem->semi_explicit;
  dae__semi *s;
  DAE__TRY(dae__semi_create(k->scratch, k->problem, &s, err));
  const term terms[] = {{J_, &s->J, p->J_pattern, 0, 0, false},
                        {M_, &s->M, p->M_pattern, 0, 0, false},
                        {MS_, &s->Ms, p->Ms_pattern, 0, 0, false}};
  k->semi = s;
  return sparsity_add_terms(k, terms, sizeof terms / sizeof *terms, err);
}

static dae_status sparsity_momentum(builder *k, dae_error *err)
{
  dae__momentum *m;
  DAE__TRY(dae__momentum_create(k->scratch, k->problem, &m, err));
  int z = m->at.z, lambda = m->at.lambda, psi = m->at.psi;
  k->n = m;
  const struct {
    dae__momentum_part part;
    int row, col;
  } all[] = {{DAE__V_Y, 0, 0},      {DAE__V_Z, 0, z},   {DAE__P_Y, z, 0},
             {DAE__P_Z, z, z},      {DAE__F_Y, z, 0},   {DAE__F_Z, z, z},
             {DAE__F_PSI, z, psi},  {DAE__R_Y, z, 0},   {DAE__R_LAMBDA, z, lambda},
             {DAE__G_Y, lambda, 0}, {DAE__K_Y, psi, 0}, {DAE__K_Z, psi, z}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    bool given = dae__momentum_given_of(m->p, all[i].part).pattern;
    term one = {(int)all[i].part, &m->pattern[all[i].part], given, all[i].row, all[i].col, false};
    DAE__TRY(sparsity_add_terms(k, &one, 1, err));
  }
  dae_pattern identity = dae__pattern_diagonal(k->scratch, m->ny);
  DAE__TRY(dae__arena_status(k->scratch, err));
  sparsity_add(k, &identity, 0, 0);
  return DAE_OK;
}

static dae_status sparsity_assemble(builder *k, const double *y, dae_error *err)
{
  const int *order = NULL; /* index in the assembled state vector; NULL: identity */
  if (k->problem->coupled) {
    dae__assembly *assembly;
    DAE__TRY(dae__assembly_create(k->scratch, k->problem, &assembly, err));
    k->problem = dae__assembly_problem(assembly);
    order = dae__assembly_order(assembly);
  }
  int n = dae_problem_size(k->problem);
  int nq = k->problem->mechanical ? k->problem->mechanical->nq : 0;
  k->unknown = DAE__ALLOC(k->scratch, int, n);
  DAE__VECTORS(k->scratch, n, &k->y, &k->beside, &k->s);
  DAE__TRY(dae__arena_status(k->scratch, err));
  for (int i = 0; i < n; i++) {
    int e = order ? order[i] : i;
    bool velocity = e >= nq && e < 2 * nq; /* entry e is the velocity of coordinate e - nq */
    k->unknown[e] = velocity ? k->unknown[e - nq] : k->size++;
    k->y[e] = y[i];
    k->s[e] = 1 + 0.1 * (e % 7);
    k->beside[e] = y[i] + (e % 2 ? -1e-4 : 1e-4) * (1 + fabs(y[i])) * k->s[e];
  }
  if (k->problem->mechanical)
    return sparsity_mechanical(k, err);
  return k->problem->semi_explicit ? sparsity_semi(k, err) : sparsity_momentum(k, err);
}

/* ---- blocks of unknowns, result ---- */

typedef struct handle {
  dae_sparsity sparsity; /* public part, first member: its address is that of the handle */
  dae__arena *arena;
  int *block;
  const char **names;
} handle;

/* Appends a block of unknowns; without a name it is called kind[i + 1]. */
static void sparsity_add_block(handle *p, int size, const char *name, const char *kind, int i)
{
  char text[64];
  if (name && name[0])
    snprintf(text, sizeof text, "%s", name);
  else
    snprintf(text, sizeof text, "%s[%d]", kind, i + 1);
  char *copy = size > 0 ? DAE__ALLOC(p->arena, char, sizeof text) : NULL;
  if (!copy)
    return;
  memcpy(copy, text, sizeof text);
  p->block[p->sparsity.blocks] = size;
  p->names[p->sparsity.blocks++] = copy;
}

static void sparsity_add_blocks(handle *p, const dae_problem *problem)
{
  const dae_mechanical *m = problem->mechanical;
  const dae_semi_explicit *s = problem->semi_explicit;
  const dae_momentum *o = problem->momentum;
  const dae_coupled *c = problem->coupled;
  const struct {
    const char *name;
    int size;
  } all[] = {{"q", m ? m->nq : 0},
             {"u", m ? m->nu : 0},
             {"w", m ? m->nw : 0},
             {"x", s ? s->nx : 0},
             {"y", s   ? s->ny
                   : o ? o->ny
                       : 0},
             {"z", o ? o->nz : 0},
             {"lambda", m   ? m->ng
                        : o ? o->ng
                            : 0},
             {"psi", m   ? m->nk
                     : o ? o->nk
                         : 0}};
  int capacity = c ? c->parts + c->joints : (int)(sizeof all / sizeof *all);
  p->block = DAE__ALLOC(p->arena, int, capacity);
  p->names = DAE__ALLOC(p->arena, const char *, capacity);
  if (dae__arena_failed(p->arena))
    return;
  for (int i = 0; !c && i < capacity; i++)
    sparsity_add_block(p, all[i].size, all[i].name, NULL, 0);
  for (int i = 0; c && i < c->parts; i++) {
    const dae_part *part = &c->part[i];
    dae_problem one = dae__problem_of_part(part);
    int velocities = part->mechanical ? part->mechanical->nq : 0;
    sparsity_add_block(p, dae_problem_size(&one) - velocities, part->name, "part", i);
  }
  for (int i = 0; c && i < c->joints; i++)
    sparsity_add_block(p, c->joint[i].ng, c->joint[i].name, "joint", i);
}

static dae_status sparsity_build(handle *p, const dae_problem *problem, double t, const double *y,
                                 dae_error *err)
{
  builder k = {.scratch = dae__arena_create(dae__arena_env(p->arena)), .problem = problem, .t = t};
  dae_status status = dae_problem_validate(problem, err);
  if (!status)
    status = sparsity_assemble(&k, y, err);
  if (!status) {
    p->sparsity.pattern = dae__pieces_merge(p->arena, k.size, k.size, false, k.piece, k.pieces);
    p->sparsity.dense = !k.given;
    sparsity_add_blocks(p, problem);
    p->sparsity.block = p->block;
    p->sparsity.names = p->names;
    status = dae__arena_status(p->arena, err);
  }
  dae__arena_free(k.scratch);
  return status;
}

dae_status dae_sparsity_create(const dae_problem *problem, double t, const double *y,
                               const dae_env *env, dae_sparsity **out, dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  handle *p = DAE__ALLOC(arena, handle, 1);
  dae_status status = p ? DAE_OK : dae__out_of_memory(err);
  *out = NULL;
  if (p) {
    p->arena = arena;
    status = sparsity_build(p, problem, t, y, err);
  }
  if (status)
    dae__arena_free(arena);
  else
    *out = &p->sparsity;
  return status;
}

void dae_sparsity_free(dae_sparsity *sparsity)
{
  if (sparsity)
    dae__arena_free(((handle *)sparsity)->arena);
}
