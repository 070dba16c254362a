/* Fingerprints of the four problem forms. Fields are hashed one by one: structs have padding. */
#include "problem/fingerprint.h"
#include "core/hash.h"
#include "problem/mechanical/mech.h"
#include "problem/momentum/momentum.h"
#include "problem/problem.h"
#include <math.h>

/* ---- structure ---- */

static uint64_t fingerprint_pattern(uint64_t h, const dae_pattern *p)
{
  if (!p)
    return dae__hash_text(h, NULL);
  h = dae__hash(h, &p->rows, sizeof p->rows);
  h = dae__hash(h, p->start, (size_t)(p->cols + 1) * sizeof *p->start);
  return dae__hash(h, p->row, (size_t)dae__pattern_count(p) * sizeof *p->row);
}

/* Sizes, given callbacks and flags, and patterns of one form, arrays of the caller. */
#define ADD_STRUCTURE(h, sizes, given, patterns)                                                   \
  do {                                                                                             \
    h = dae__hash(dae__hash(h, sizes, sizeof sizes), given, sizeof given);                         \
    for (size_t i_ = 0; i_ < sizeof patterns / sizeof *patterns; i_++)                             \
      h = fingerprint_pattern(h, patterns[i_]);                                                    \
  } while (0)

static uint64_t fingerprint_mechanical(uint64_t h, const dae_mechanical *p)
{
  const int sizes[] = {p->nq, p->ng, p->nk, p->nu, p->nw, p->nin};
  const bool given[] = {p->M,           p->f,      p->p,
                        p->F,           p->p_rate, p->s,
                        p->c,           p->g,      p->k,
                        p->G,           p->g_t,    p->K,
                        p->gamma,       p->kappa,  p->J,
                        p->J_in,        p->Ms_qv,  p->Gts_q,
                        p->k_q,         p->eval,   p->Kts_qv,
                        p->B,           p->Bts_qv, p->constant_mass,
                        p->time_free_g, p->gdot_q, p->conservative,
                        p->accelerate};
  const dae_pattern *const patterns[] = {
      p->M_pattern,   p->G_pattern,   p->K_pattern,   p->J_pattern, p->J_in_pattern, p->Ms_pattern,
      p->Gts_pattern, p->k_q_pattern, p->Kts_pattern, p->B_pattern, p->Bts_pattern};
  ADD_STRUCTURE(h, sizes, given, patterns);
  return h;
}

static uint64_t fingerprint_semi(uint64_t h, const dae_semi_explicit *p)
{
  const int sizes[] = {p->nx, p->ny, p->nin, p->index};
  const bool given[] = {p->f, p->F, p->M, p->J, p->J_in, p->F_t, p->Ms_x, p->constant_mass};
  const dae_pattern *const patterns[] = {p->M_pattern, p->J_pattern, p->J_in_pattern,
                                         p->Ms_pattern};
  ADD_STRUCTURE(h, sizes, given, patterns);
  return h;
}

static uint64_t fingerprint_momentum(uint64_t h, const dae_momentum *p)
{
  const int sizes[] = {p->ny, p->nz, p->ng, p->nk};
  const bool given[] = {p->v, p->p, p->f, p->r, p->g, p->k, p->g_t, p->time_free_g};
  ADD_STRUCTURE(h, sizes, given, ((const dae_pattern *const[]){NULL}));
  for (int i = 0; i < DAE__MOMENTUM_PARTS; i++) {
    dae__momentum_given d = dae__momentum_given_of(p, (dae__momentum_part)i);
    const bool known[] = {d.fn, d.fn_s};
    h = fingerprint_pattern(dae__hash(h, known, sizeof known), d.pattern);
  }
  return h;
}

static uint64_t fingerprint_coupled(uint64_t h, const dae_coupled *p)
{
  const int sizes[] = {p->parts, p->wires, p->joints};
  h = dae__hash(h, sizes, sizeof sizes);
  for (int i = 0; i < p->parts; i++)
    h = p->part[i].mechanical ? fingerprint_mechanical(h, p->part[i].mechanical)
                              : fingerprint_semi(h, p->part[i].semi_explicit);
  for (int i = 0; i < p->wires; i++) {
    const dae_wire *w = &p->wire[i];
    const int ends[] = {w->part, w->input, w->from.part, w->from.variable};
    h = dae__hash(h, ends, sizeof ends);
  }
  for (int i = 0; i < p->joints; i++) {
    const dae_joint *j = &p->joint[i];
    const bool given[] = {j->g, j->g_t, j->G, j->gamma, j->gdot_z, j->Gts_z, j->time_free};
    h = dae__hash(h, given, sizeof given);
    for (int z = 0; z < j->nz; z++)
      h = dae__hash(dae__hash(h, &j->z[z].part, sizeof(int)), &j->z[z].variable, sizeof(int));
  }
  return h;
}

uint64_t dae__problem_structure(const dae_problem *p)
{
  const bool form[] = {p->mechanical, p->semi_explicit, p->momentum, p->coupled, p->input};
  uint64_t h = dae__hash(DAE__HASH_START, form, sizeof form);
  char name[256];
  for (int i = 0, n = dae_problem_size(p); i < n; i++) {
    dae_problem_variable(p, i, name, sizeof name);
    h = dae__hash_text(h, name);
    if (p->atol)
      h = dae__hash(h, &p->atol[i], sizeof *p->atol);
  }
  return p->mechanical      ? fingerprint_mechanical(h, p->mechanical)
         : p->semi_explicit ? fingerprint_semi(h, p->semi_explicit)
         : p->momentum      ? fingerprint_momentum(h, p->momentum)
                            : fingerprint_coupled(h, p->coupled);
}

/* ---- values ---- */

/* Point of evaluation, and where values and fingerprints are written. */
typedef struct evaluation {
  double t;
  const double *y;  /* state vector of the problem or part */
  const double *in; /* inputs */
  double *out;      /* workspace: values of one quantity */
  uint64_t *hash;
} evaluation;

/* Adds n values of a quantity, which a callback has written with the return value `code`. */
static void fingerprint_add(const evaluation *e, int quantity, int code, int n)
{
  int outcome = code > 0 ? 1 : code < 0 ? -1 : 0;
  uint64_t h = dae__hash(e->hash[quantity], &outcome, sizeof outcome);
  for (int i = 0; i < n && code == 0; i++) {
    double value = isnan(e->out[i]) ? NAN : e->out[i];
    h = dae__hash(h, &value, sizeof value);
  }
  e->hash[quantity] = h;
}

static int fingerprint_count(const dae_pattern *pattern, int n)
{
  return pattern ? dae__pattern_count(pattern) : n * n;
}

static void fingerprint_momentum_values(const dae_momentum *p, const evaluation *e)
{
  dae__momentum_layout at = dae__momentum_layout_of(p);
  const dae_momentum_at point = {e->t, e->y, e->y + at.z};
  dae_momentum_fn *const fn[] = {p->v, NULL, p->p, NULL, NULL, NULL, p->g, p->k};
  const int count[] = {p->ny, 0, p->nz, 0, 0, 0, p->ng, p->nk};
  for (int i = 0; i < DAE__QUANTITIES; i++)
    if (fn[i])
      fingerprint_add(e, i, fn[i](p->user, &point, e->out), count[i]);
  if (p->f)
    fingerprint_add(e, 1, p->f(p->user, &point, p->nk > 0 ? e->y + at.psi : NULL, e->out), p->nz);
  if (p->r)
    fingerprint_add(e, 3, p->r(p->user, &point, p->ng > 0 ? e->y + at.lambda : NULL, e->out),
                    p->nz);
}

const char *dae__problem_quantity(const dae_problem *problem, int i)
{
  static const char *const general[] = {"M", "f", "p", "F", "s", "c", "g", "k"};
  static const char *const momentum[] = {"v", "f", "p", "r", "s", "c", "g", "k"};
  return (problem->momentum ? momentum : general)[i];
}

/* Largest numbers of values of one quantity, and of inputs of a part or coordinates of a joint. */
static void fingerprint_sizes(const dae_problem *p, int *values, int *inputs)
{
  const dae_mechanical *m = p->mechanical;
  const dae_semi_explicit *s = p->semi_explicit;
  int M = m && m->M   ? fingerprint_count(m->M_pattern, m->nq)
          : s && s->M ? fingerprint_count(s->M_pattern, s->nx)
                      : 0;
  int size = dae_problem_size(p), own_values, own_inputs;
  *values = M > size ? M : size;
  *inputs = m ? m->nin : s ? s->nin : 0;
  for (int i = 0; p->coupled && i < p->coupled->parts; i++) {
    dae_problem part = dae__problem_of_part(&p->coupled->part[i]);
    fingerprint_sizes(&part, &own_values, &own_inputs);
    *values = own_values > *values ? own_values : *values;
    *inputs += own_inputs;
  }
  for (int i = 0; p->coupled && i < p->coupled->joints; i++)
    *inputs = p->coupled->joint[i].nz > *inputs ? p->coupled->joint[i].nz : *inputs;
}

size_t dae__problem_values_work(const dae_problem *p)
{
  int values, inputs;
  fingerprint_sizes(p, &values, &inputs);
  return (size_t)values + (size_t)inputs + (p->coupled ? 2 * (size_t)p->coupled->parts : 0);
}

static void fingerprint_part_values(const dae_problem *p, const evaluation *e)
{
  const dae_mechanical *m = p->mechanical;
  const dae_semi_explicit *s = p->semi_explicit;
  if (m) {
    dae__mech_layout at = dae__mech_layout_of(m);
    const dae_mechanical_at point = {e->t, e->y, e->y + at.v, e->y + at.u, e->y + at.w, e->in};
    dae_mechanical_fn *const fn[] = {m->M, m->f, m->p, m->F, m->s, m->c, m->g, m->k};
    const int count[] = {
        fingerprint_count(m->M_pattern, m->nq), m->nq, m->nq, m->nq, m->nu, m->nw, m->ng, m->nk};
    for (int i = 0; i < DAE__QUANTITIES; i++)
      if (fn[i])
        fingerprint_add(e, i, fn[i](m->user, &point, e->out), count[i]);
  } else if (s) {
    const dae_semi_explicit_at point = {e->t, e->y, e->y + s->nx, e->in};
    dae_semi_explicit_fn *const fn[] = {s->M, s->f, NULL, s->F};
    const int count[] = {fingerprint_count(s->M_pattern, s->nx), s->nx, 0, s->ny};
    for (int i = 0; i < 4; i++)
      if (fn[i])
        fingerprint_add(e, i, fn[i](s->user, &point, e->out), count[i]);
  } else {
    fingerprint_momentum_values(p->momentum, e);
  }
}

/* Parts with the inputs that their wires give, then joints. in, first: workspace of the inputs of
 * all parts, and of the offsets of the parts in the state vector and among the inputs. */
static void fingerprint_coupled_values(const dae_coupled *p, evaluation e, double *in,
                                       double *first)
{
  const double *y = e.y;
  double *first_in = first + p->parts;
  for (int i = 0, n = 0, nin = 0; i < p->parts; i++) {
    const dae_part *part = &p->part[i];
    first[i] = n;
    first_in[i] = nin;
    n += dae__coupled_element_size(p, i);
    nin += part->mechanical ? part->mechanical->nin : part->semi_explicit->nin;
  }
  for (int k = 0; k < p->wires; k++) {
    const dae_wire *w = &p->wire[k];
    in[(int)first_in[w->part] + w->input] = y[(int)first[w->from.part] + w->from.variable];
  }
  for (int i = 0; i < p->parts; i++) {
    dae_problem part = dae__problem_of_part(&p->part[i]);
    e.y = y + (int)first[i];
    e.in = in + (int)first_in[i];
    fingerprint_part_values(&part, &e);
  }
  for (int i = 0; i < p->joints; i++) {
    const dae_joint *j = &p->joint[i];
    for (int k = 0; k < j->nz; k++)
      in[k] = y[(int)first[j->z[k].part] + j->z[k].variable];
    fingerprint_add(&e, 6, j->g(j->user, e.t, in, e.out), j->ng);
  }
}

void dae__problem_values(const dae_problem *p, double t, const double *y, double *work,
                         uint64_t *hash)
{
  int values, inputs;
  fingerprint_sizes(p, &values, &inputs);
  double *in = work + values;
  memset(work, 0, (size_t)(values + inputs) * sizeof *work);
  evaluation e = {t, y, in, work, hash};
  for (int i = 0; i < inputs; i++)
    in[i] = 1; /* inputs of a single problem may change between save and load */
  if (p->coupled)
    fingerprint_coupled_values(p->coupled, e, in, in + inputs);
  else
    fingerprint_part_values(p, &e);
}
