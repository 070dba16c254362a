/* Validation of problem descriptions: an invalid one is refused before any evaluation, with its
 * field named. */
#include "core/arena.h"
#include "core/error.h"
#include "linalg/pattern.h"
#include "problem/mechanical/mech.h"
#include "problem/momentum/momentum.h"
#include "problem/problem.h"
#include <math.h>
#include <stdio.h>

/* Largest accepted size of a vector. Chosen: sums of sizes do not overflow. */
#define MAX_SIZE 100000000

typedef struct named_size {
  int n;
  const char *field;
} named_size;

/* Condition under which a problem description is refused. */
typedef struct defect {
  bool found;
  const char *field, *why;
} defect;

/* Pattern of a matrix, NULL where the user gave none. */
typedef struct named_pattern {
  const dae_pattern *pattern;
  int rows, cols;
  const char *field;
} named_pattern;

static dae_status validate_patterns(const named_pattern *patterns, size_t count, dae_error *err)
{
  for (size_t i = 0; i < count; i++)
    if (patterns[i].pattern)
      DAE__TRY(dae__pattern_validate(patterns[i].pattern, patterns[i].rows, patterns[i].cols,
                                     patterns[i].field, err));
  return DAE_OK;
}

static dae_status validate_sizes(const named_size *sizes, size_t count, dae_error *err)
{
  for (size_t i = 0; i < count; i++)
    if (sizes[i].n < 0 || sizes[i].n > MAX_SIZE)
      return dae__fail(err, DAE_ERROR_PROBLEM, sizes[i].field, "%s = %d is not a size",
                       sizes[i].field, sizes[i].n);
  return DAE_OK;
}

/* Refuses the description with the first defect found. */
static dae_status validate_defects(const defect *defects, size_t count, dae_error *err)
{
  for (size_t i = 0; i < count; i++)
    if (defects[i].found)
      return dae__fail(err, DAE_ERROR_PROBLEM, defects[i].field, "%s: %s", defects[i].field,
                       defects[i].why);
  return DAE_OK;
}

#define SIZES(table, err) validate_sizes(table, sizeof table / sizeof *table, err)
#define PATTERNS(table, err) validate_patterns(table, sizeof table / sizeof *table, err)
#define DEFECTS(table, err) validate_defects(table, sizeof table / sizeof *table, err)
#define SPARSE_M "M has a pattern, so the problem is sparse: "

static dae_status validate_mechanical(const dae_mechanical *p, dae_error *err)
{
  const named_size sizes[] = {{p->nq, "nq"}, {p->ng, "ng"}, {p->nk, "nk"},
                              {p->nu, "nu"}, {p->nw, "nw"}, {p->nin, "nin"}};
  DAE__TRY(SIZES(sizes, err));
  int nq = p->nq, nr = nq + p->nu + p->nw, nz = 2 * nq + p->nu + p->nw;
  const defect callbacks[] = {
      {p->nq == 0, "nq", "a mechanical problem has coordinates; use the semi-explicit form"},
      {!p->f && !p->F, "f", "give the forces f, or momenta p and F"},
      {p->f && !p->M, "M", "the mass matrix is missing"},
      {p->F && !p->p, "p", "F needs the momenta p"},
      {p->ng > 0 && !p->g, "g", "the problem has holonomic constraints but no callback g"},
      {p->nk > 0 && !p->k, "k", "the problem has nonholonomic constraints but no callback k"},
      {p->nu > 0 && !p->s, "s", "the problem has extra states but no callback s"},
      {p->nw > 0 && !p->c, "c", "the problem has algebraic variables but no callback c"},
      {p->B && p->ng + p->nk == 0, "B",
       "it has the directions of constraint forces, but there are no constraints"},
      {p->B && p->conservative, "conservative",
       "constraint forces with directions B of their own do work"},
      {p->energy_rate && !p->energy, "energy_rate",
       "it is the rate of an energy, but there is no callback energy"}};
  const named_pattern patterns[] = {
      {p->M_pattern, nq, nq, "M_pattern"},           {p->G_pattern, p->ng, nq, "G_pattern"},
      {p->K_pattern, p->nk, nq, "K_pattern"},        {p->J_pattern, nr, nz, "J_pattern"},
      {p->J_in_pattern, nr, p->nin, "J_in_pattern"}, {p->Ms_pattern, nq, 2 * nq, "Ms_pattern"},
      {p->Gts_pattern, nq, nq, "Gts_pattern"},       {p->k_q_pattern, p->nk, nq, "k_q_pattern"},
      {p->Kts_pattern, nq, 2 * nq, "Kts_pattern"},   {p->B_pattern, p->ng + p->nk, nq, "B_pattern"},
      {p->Bts_pattern, nq, 2 * nq, "Bts_pattern"}};
  /* where M has a pattern the other matrices need one too: omission would make a sparse problem
   * dense */
  bool sparse = p->M_pattern != NULL;
  const defect missing[] = {
      {sparse && !p->J_pattern, "J_pattern", SPARSE_M "J needs one too"},
      {sparse && p->ng > 0 && !p->G_pattern, "G_pattern", SPARSE_M "G needs one too"},
      {sparse && p->nk > 0 && !p->K_pattern, "K_pattern", SPARSE_M "K needs one too"},
      {sparse && !p->constant_mass && !p->Ms_pattern, "Ms_pattern",
       "M has a pattern and is not constant_mass: d(M s)/d(q,v) needs a pattern too"},
      {sparse && p->B && !(p->B_pattern && p->Bts_pattern), "B_pattern",
       SPARSE_M "B and d(B's)/d(q,v) need one each too"}};
  DAE__TRY(DEFECTS(callbacks, err));
  DAE__TRY(PATTERNS(patterns, err));
  return DEFECTS(missing, err);
}

static dae_status validate_semi_explicit(const dae_semi_explicit *p, dae_error *err)
{
  const named_size sizes[] = {{p->nx, "nx"}, {p->ny, "ny"}, {p->nin, "nin"}};
  DAE__TRY(SIZES(sizes, err));
  int n = p->nx + p->ny;
  if (n > 0 && (p->index < 0 || p->index > 3))
    return dae__fail(err, DAE_ERROR_PROBLEM, "index", "index = %d is not in 0 ... 3", p->index);
  const defect defects[] = {
      {n == 0, "nx", "the problem has no variables"},
      {p->nx > 0 && !p->f, "f", "the callback f is missing"},
      {p->ny > 0 && !p->F, "F", "the problem has algebraic variables but no callback F"},
      {p->M_pattern && !p->J_pattern, "J_pattern", SPARSE_M "J needs one too"},
      {p->M && p->J_pattern && !p->M_pattern, "M_pattern",
       "J has a pattern, so the problem is sparse: M needs one too"},
      {p->M && p->M_pattern && !p->constant_mass && !p->Ms_pattern, "Ms_pattern",
       "M has a pattern and is not constant_mass: d(M s)/dx needs a pattern too"}};
  const named_pattern patterns[] = {{p->M_pattern, p->nx, p->nx, "M_pattern"},
                                    {p->J_pattern, n, n, "J_pattern"},
                                    {p->J_in_pattern, n, p->nin, "J_in_pattern"},
                                    {p->Ms_pattern, p->nx, p->nx, "Ms_pattern"}};
  DAE__TRY(DEFECTS(defects, err));
  return PATTERNS(patterns, err);
}

static dae_status validate_momentum(const dae_momentum *p, dae_error *err)
{
  const named_size sizes[] = {{p->ny, "ny"}, {p->nz, "nz"}, {p->ng, "ng"}, {p->nk, "nk"}};
  const defect variables[] = {{p->ny == 0, "ny", "a problem in the momentum form has variables y"},
                              {p->nz == 0, "nz", "a problem in the momentum form has variables z"}};
  const defect callbacks[] = {
      {!p->v, "v", "the callback v, the rate of y, is missing"},
      {!p->f, "f", "the callback f is missing"},
      {p->ng > 0 && !p->g, "g", "the problem has holonomic constraints but no callback g"},
      {p->ng > 0 && !p->r, "r",
       "the problem has holonomic constraints but no callback r for their force"},
      {p->nk > 0 && !p->k, "k", "the problem has nonholonomic constraints but no callback k"},
      {!p->p && p->p_y, "p_y", "it is a derivative of p, but there is no callback p"},
      {!p->p && p->p_z, "p_z", "it is a derivative of p, but there is no callback p"}};
  char field[32];
  DAE__TRY(SIZES(sizes, err));
  DAE__TRY(DEFECTS(variables, err));
  if (p->ng + p->nk > p->nz)
    return dae__fail(
        err, DAE_ERROR_PROBLEM, "ng",
        "ng + nk = %d constraints cannot be independent: there are only nz = %d variables z",
        p->ng + p->nk, p->nz);
  DAE__TRY(DEFECTS(callbacks, err));
  for (int part = 0; part < DAE__MOMENTUM_PARTS; part++) {
    dae__momentum_given given = dae__momentum_given_of(p, (dae__momentum_part)part);
    snprintf(field, sizeof field, "%s_pattern", given.name);
    if (given.pattern)
      DAE__TRY(dae__pattern_validate(given.pattern, given.rows, given.cols, field, err));
  }
  return DAE_OK;
}

/* ---- coupled ---- */

static dae_status validate_part(const dae_part *part, int i, dae_error *err)
{
  dae_error inner = dae_error_none();
  char name[64];
  if (part->name && part->name[0])
    snprintf(name, sizeof name, "%s", part->name);
  else
    snprintf(name, sizeof name, "part[%d]", i + 1);
  if (!part->mechanical == !part->semi_explicit)
    return dae__fail(err, DAE_ERROR_PROBLEM, name,
                     "%s: a part is either mechanical or semi-explicit", name);
  dae_status status = part->mechanical ? validate_mechanical(part->mechanical, &inner)
                                       : validate_semi_explicit(part->semi_explicit, &inner);
  if (status)
    dae__fail(err, status, inner.equation, "in part %s: %s", name, inner.text);
  if (!status && part->mechanical && part->mechanical->B)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "in part %s: constraint forces with directions of their own are not supported "
                     "in coupled problems; write the model as one system",
                     name);
  return status;
}

static bool validate_port_exists(const dae_coupled *p, dae_port port)
{
  if (port.part < 0 || port.part >= p->parts || port.variable < 0)
    return false;
  const dae_part *part = &p->part[port.part];
  dae_problem one = dae__problem_of_part(part);
  return port.variable < dae_problem_size(&one);
}

/* Checks that every input of every part is the end of exactly one wire. */
static dae_status validate_wires(dae__arena *arena, const dae_coupled *p, dae_error *err)
{
  long *first = DAE__ALLOC(arena, long, p->parts + 1), inputs = 0; /* first input of a part */
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < p->parts; i++) {
    const dae_part *part = &p->part[i];
    inputs += part->mechanical ? part->mechanical->nin : part->semi_explicit->nin;
    first[i + 1] = inputs;
  }
  bool *wired = DAE__ALLOC(arena, bool, inputs);
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < p->wires; i++) {
    const dae_wire *w = &p->wire[i];
    bool known = w->part >= 0 && w->part < p->parts;
    if (!known || w->input < 0 || w->input >= first[w->part + 1] - first[w->part] ||
        !validate_port_exists(p, w->from))
      return dae__fail(err, DAE_ERROR_PROBLEM, "wire",
                       "wire %d names a part, input or variable that does not exist", i + 1);
    bool *mark = &wired[first[w->part] + w->input];
    if (*mark)
      return dae__fail(err, DAE_ERROR_PROBLEM, "wire",
                       "wire %d leads to an input that is connected already", i + 1);
    *mark = true;
  }
  if (inputs != p->wires)
    return dae__fail(err, DAE_ERROR_PROBLEM, "wire",
                     "the parts have %ld inputs but there are %d wires: every input needs one",
                     inputs, p->wires);
  return DAE_OK;
}

static dae_status validate_joint(const dae_coupled *p, const dae_joint *j, dae_error *err)
{
  const char *name = j->name ? j->name : "joint";
  if (j->ng <= 0 || j->nz <= 0 || !j->g || !j->z)
    return dae__fail(err, DAE_ERROR_PROBLEM, name,
                     "%s: a joint has at least one constraint, coordinates and a callback g", name);
  for (int k = 0; k < j->nz; k++) {
    const dae_part *part = validate_port_exists(p, j->z[k]) ? &p->part[j->z[k].part] : NULL;
    if (!part || !part->mechanical || j->z[k].variable >= part->mechanical->nq)
      return dae__fail(err, DAE_ERROR_PROBLEM, name,
                       "%s: a joint connects coordinates of mechanical parts only", name);
  }
  return DAE_OK;
}

/* Refuses offsets that are not those of dae_coupled_offsets. */
static dae_status validate_offsets(const dae_coupled *p, dae_error *err)
{
  bool right = p->offset[0] == 0;
  for (int i = 0; right && i < p->parts + p->joints; i++)
    right = p->offset[i + 1] - p->offset[i] == dae__coupled_element_size(p, i);
  return right ? DAE_OK
               : dae__fail(err, DAE_ERROR_PROBLEM, "offset",
                           "the offsets are not those that dae_coupled_offsets counts");
}

dae_status dae__coupled_validate(const dae_coupled *p, dae_error *err)
{
  const named_size sizes[] = {{p->wires, "wires"}, {p->joints, "joints"}};
  const defect parts[] = {
      {p->parts <= 0 || !p->part, "parts", "a coupled problem has at least one part"}};
  const defect lists[] = {
      {p->wires > 0 && !p->wire, "wire", "the problem has wires but no list of them"},
      {p->joints > 0 && !p->joint, "joint", "the problem has joints but no list of them"}};
  DAE__TRY(DEFECTS(parts, err));
  DAE__TRY(SIZES(sizes, err));
  DAE__TRY(DEFECTS(lists, err));
  for (int i = 0; i < p->parts; i++)
    DAE__TRY(validate_part(&p->part[i], i, err));
  dae__arena *arena = dae__arena_create(NULL);
  dae_status status = validate_wires(arena, p, err);
  dae__arena_free(arena);
  for (int i = 0; i < p->joints && !status; i++)
    status = validate_joint(p, &p->joint[i], err);
  return status || !p->offset ? status : validate_offsets(p, err);
}

dae_status dae_problem_validate(const dae_problem *p, dae_error *err)
{
  int forms = (p->mechanical != NULL) + (p->semi_explicit != NULL) + (p->momentum != NULL) +
              (p->coupled != NULL);
  int nin = p->mechanical ? p->mechanical->nin : p->semi_explicit ? p->semi_explicit->nin : 0;
  const defect defects[] = {
      {forms != 1, "problem", "exactly one of the four forms must be given"},
      {nin > 0 && !p->input, "input", "the problem has inputs but no function that gives them"},
      {p->held.count < 0 || (p->held.count > 0 && !p->held.value), "held",
       "the problem has held values but no memory for them"}};
  DAE__TRY(DEFECTS(defects, err));
  DAE__TRY(p->mechanical      ? validate_mechanical(p->mechanical, err)
           : p->semi_explicit ? validate_semi_explicit(p->semi_explicit, err)
           : p->momentum      ? validate_momentum(p->momentum, err)
                              : dae__coupled_validate(p->coupled, err));
  /* Refuses an absolute tolerance of a variable that is negative or not finite */
  char name[128];
  for (int i = 0, n = p->atol ? dae_problem_size(p) : 0; i < n; i++)
    if (!(p->atol[i] >= 0 && isfinite(p->atol[i]))) {
      dae_problem_variable(p, i, name, sizeof name);
      return dae__fail(
          err, DAE_ERROR_PROBLEM, name,
          "atol: the absolute tolerance %g of %s is not positive and finite; 0: that of "
          "the options",
          p->atol[i], name);
    }
  return DAE_OK;
}
