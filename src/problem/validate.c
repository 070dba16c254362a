/* Bad descriptions are refused here, with the field named, before anything is evaluated. */
#include "problem/validate.h"
#include "core/arena.h"
#include "core/error.h"
#include "linalg/pattern.h"
#include "problem/mechanical/mech.h"
#include "problem/momentum/momentum.h"
#include <stdio.h>

static dae_status validate_bad(dae_error *err, const char *field, const char *why)
{
  return dae__fail(err, DAE_ERROR_PROBLEM, field, "%s: %s", field, why);
}

static dae_status validate_check_size(int n, const char *field, dae_error *err)
{
  if (n >= 0 && n <= 100000000)
    return DAE_OK;
  return dae__fail(err, DAE_ERROR_PROBLEM, field, "%s = %d is not a size", field, n);
}

static dae_status validate_check_pattern(const dae_pattern *p, int rows, int cols,
                                         const char *field, dae_error *err)
{
  return p ? dae__pattern_validate(p, rows, cols, field, err) : DAE_OK;
}

static dae_status validate_mechanical_sizes(const dae_mechanical *p, dae_error *err)
{
  const struct {
    int n;
    const char *field;
  } sizes[] = {{p->nq, "nq"}, {p->ng, "ng"}, {p->nk, "nk"},
               {p->nu, "nu"}, {p->nw, "nw"}, {p->nin, "nin"}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (validate_check_size(sizes[i].n, sizes[i].field, err))
      return DAE_ERROR_PROBLEM;
  if (p->nq == 0)
    return validate_bad(err, "nq",
                        "a mechanical problem has coordinates; use the semi-explicit form");
  return DAE_OK;
}

static dae_status validate_mechanical_callbacks(const dae_mechanical *p, dae_error *err)
{
  if (!p->f && !p->F)
    return validate_bad(err, "f", "give the forces f, or momenta p and F");
  if (p->f && !p->M)
    return validate_bad(err, "M", "the mass matrix is missing");
  if (p->F && !p->p)
    return validate_bad(err, "p", "F needs the momenta p");
  if (p->ng > 0 && !p->g)
    return validate_bad(err, "g", "the problem has holonomic constraints but no callback g");
  if (p->nk > 0 && !p->k)
    return validate_bad(err, "k", "the problem has nonholonomic constraints but no callback k");
  if (p->nu > 0 && !p->s)
    return validate_bad(err, "s", "the problem has extra states but no callback s");
  if (p->nw > 0 && !p->c)
    return validate_bad(err, "c", "the problem has algebraic variables but no callback c");
  if (p->energy_rate && !p->energy)
    return validate_bad(err, "energy_rate",
                        "it is the rate of an energy, but there is no callback energy");
  return DAE_OK;
}

static dae_status validate_mechanical_patterns(const dae_mechanical *p, dae_error *err)
{
  int nq = p->nq, nr = nq + p->nu + p->nw, nz = 2 * nq + p->nu + p->nw;
  const struct {
    const dae_pattern *pattern;
    int rows, cols;
    const char *field;
  } all[] = {
      {p->M_pattern, nq, nq, "M_pattern"},           {p->G_pattern, p->ng, nq, "G_pattern"},
      {p->K_pattern, p->nk, nq, "K_pattern"},        {p->J_pattern, nr, nz, "J_pattern"},
      {p->J_in_pattern, nr, p->nin, "J_in_pattern"}, {p->Ms_pattern, nq, 2 * nq, "Ms_pattern"},
      {p->Gts_pattern, nq, nq, "Gts_pattern"},       {p->k_q_pattern, p->nk, nq, "k_q_pattern"},
      {p->Kts_pattern, nq, 2 * nq, "Kts_pattern"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (validate_check_pattern(all[i].pattern, all[i].rows, all[i].cols, all[i].field, err))
      return DAE_ERROR_PROBLEM;
  /* a sparse problem must not become dense by omission */
  if (!p->M_pattern)
    return DAE_OK;
  if (!p->J_pattern)
    return validate_bad(err, "J_pattern",
                        "M has a pattern, so the problem is sparse: J needs one too");
  if (p->ng > 0 && !p->G_pattern)
    return validate_bad(err, "G_pattern",
                        "M has a pattern, so the problem is sparse: G needs one too");
  if (p->nk > 0 && !p->K_pattern)
    return validate_bad(err, "K_pattern",
                        "M has a pattern, so the problem is sparse: K needs one too");
  if (!p->constant_mass && !p->Ms_pattern)
    return validate_bad(err, "Ms_pattern",
                        "M has a pattern and is not constant_mass: d(M s)/d(q,v) needs a "
                        "pattern too");
  return DAE_OK;
}

dae_status dae__mechanical_validate(const dae_mechanical *p, dae_error *err)
{
  DAE__TRY(validate_mechanical_sizes(p, err));
  DAE__TRY(validate_mechanical_callbacks(p, err));
  return validate_mechanical_patterns(p, err);
}

dae_status dae__semi_explicit_validate(const dae_semi_explicit *p, dae_error *err)
{
  int n;
  DAE__TRY(validate_check_size(p->nx, "nx", err));
  DAE__TRY(validate_check_size(p->ny, "ny", err));
  DAE__TRY(validate_check_size(p->nin, "nin", err));
  n = p->nx + p->ny;
  if (n == 0)
    return validate_bad(err, "nx", "the problem has no variables");
  if (p->index < 0 || p->index > 3)
    return dae__fail(err, DAE_ERROR_PROBLEM, "index", "index = %d is not in 0 ... 3", p->index);
  if (p->nx > 0 && !p->f)
    return validate_bad(err, "f", "the callback f is missing");
  if (p->ny > 0 && !p->F)
    return validate_bad(err, "F", "the problem has algebraic variables but no callback F");
  if (p->M_pattern && !p->J_pattern)
    return validate_bad(err, "J_pattern",
                        "M has a pattern, so the problem is sparse: J needs one too");
  if (p->M && p->J_pattern && !p->M_pattern)
    return validate_bad(err, "M_pattern",
                        "J has a pattern, so the problem is sparse: M needs one too");
  if (p->M && p->M_pattern && !p->constant_mass && !p->Ms_pattern)
    return validate_bad(err, "Ms_pattern",
                        "M has a pattern and is not constant_mass: d(M s)/dx needs a pattern "
                        "too");
  dae_status status = validate_check_pattern(p->M_pattern, p->nx, p->nx, "M_pattern", err);
  if (!status)
    status = validate_check_pattern(p->J_pattern, n, n, "J_pattern", err);
  if (!status)
    status = validate_check_pattern(p->J_in_pattern, n, p->nin, "J_in_pattern", err);
  if (!status)
    status = validate_check_pattern(p->Ms_pattern, p->nx, p->nx, "Ms_pattern", err);
  return status;
}

/* ---- momentum form ---- */

static dae_status validate_momentum_sizes(const dae_momentum *p, dae_error *err)
{
  const struct {
    int n;
    const char *field;
  } sizes[] = {{p->ny, "ny"}, {p->nz, "nz"}, {p->ng, "ng"}, {p->nk, "nk"}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (validate_check_size(sizes[i].n, sizes[i].field, err))
      return DAE_ERROR_PROBLEM;
  if (p->ny == 0)
    return validate_bad(err, "ny", "a problem in the momentum form has variables y");
  if (p->nz == 0)
    return validate_bad(err, "nz", "a problem in the momentum form has variables z");
  if (p->ng + p->nk > p->nz)
    return dae__fail(err, DAE_ERROR_PROBLEM, "ng",
                     "ng + nk = %d constraints cannot be independent: there are only nz = %d "
                     "variables z",
                     p->ng + p->nk, p->nz);
  return DAE_OK;
}

static dae_status validate_momentum_callbacks(const dae_momentum *p, dae_error *err)
{
  if (!p->v)
    return validate_bad(err, "v", "the callback v, the rate of y, is missing");
  if (!p->f)
    return validate_bad(err, "f", "the callback f is missing");
  if (p->ng > 0 && !p->g)
    return validate_bad(err, "g", "the problem has holonomic constraints but no callback g");
  if (p->ng > 0 && !p->r)
    return validate_bad(err, "r",
                        "the problem has holonomic constraints but no callback r for their force");
  if (p->nk > 0 && !p->k)
    return validate_bad(err, "k", "the problem has nonholonomic constraints but no callback k");
  if (!p->p && p->p_y)
    return validate_bad(err, "p_y", "it is a derivative of p, but there is no callback p");
  if (!p->p && p->p_z)
    return validate_bad(err, "p_z", "it is a derivative of p, but there is no callback p");
  return DAE_OK;
}

dae_status dae__momentum_validate(const dae_momentum *p, dae_error *err)
{
  dae_status status = validate_momentum_sizes(p, err);
  char field[32];
  if (!status)
    status = validate_momentum_callbacks(p, err);
  for (int part = 0; part < DAE__MOMENTUM_PARTS && !status; part++) {
    dae__momentum_given given = dae__momentum_given_of(p, (dae__momentum_part)part);
    snprintf(field, sizeof field, "%s_pattern", given.name);
    status = validate_check_pattern(given.pattern, given.rows, given.cols, field, err);
  }
  return status;
}

/* ---- coupled ---- */

static int validate_part_size(const dae_part *part)
{
  if (part->mechanical)
    return dae__mech_layout_of(part->mechanical).size;
  return part->semi_explicit->nx + part->semi_explicit->ny;
}

static dae_status validate_check_part(const dae_part *part, int i, dae_error *err)
{
  dae_error inner = dae_error_none();
  char field[64];
  if (part->name && part->name[0])
    snprintf(field, sizeof field, "%s", part->name);
  else
    snprintf(field, sizeof field, "part[%d]", i + 1);
  if (!part->mechanical == !part->semi_explicit)
    return validate_bad(err, field, "a part is either mechanical or semi-explicit");
  dae_status status = part->mechanical ? dae__mechanical_validate(part->mechanical, &inner)
                                       : dae__semi_explicit_validate(part->semi_explicit, &inner);
  if (status)
    dae__fail(err, status, inner.equation, "in part %s: %s", field, inner.text);
  return status;
}

static bool validate_port_ok(const dae_coupled *p, dae_port port)
{
  return port.part >= 0 && port.part < p->parts && port.variable >= 0 &&
         port.variable < validate_part_size(&p->part[port.part]);
}

static int validate_part_inputs(const dae_part *part)
{
  return part->mechanical ? part->mechanical->nin : part->semi_explicit->nin;
}

/* marks the input each wire leads to; first[i] is the number of part i's first input */
static dae_status validate_mark_inputs(const dae_coupled *p, const long *first, bool *wired,
                                       dae_error *err)
{
  for (int i = 0; i < p->wires; i++) {
    const dae_wire *w = &p->wire[i];
    int nin = w->part >= 0 && w->part < p->parts ? validate_part_inputs(&p->part[w->part]) : -1;
    if (w->input < 0 || w->input >= nin || !validate_port_ok(p, w->from))
      return dae__fail(err, DAE_ERROR_PROBLEM, "wire",
                       "wire %d names a part, input or variable "
                       "that does not exist",
                       i + 1);
    bool *mark = &wired[first[w->part] + w->input];
    if (*mark)
      return dae__fail(err, DAE_ERROR_PROBLEM, "wire",
                       "wire %d leads to an input that has one "
                       "already",
                       i + 1);
    *mark = true;
  }
  return DAE_OK;
}

static dae_status validate_check_inputs(dae__arena *arena, const dae_coupled *p, dae_error *err)
{
  long *first = DAE__ALLOC(arena, long, p->parts + 1), inputs = 0;
  if (!first)
    return dae__out_of_memory(err);
  for (int i = 0; i < p->parts; i++) {
    first[i] = inputs;
    inputs += validate_part_inputs(&p->part[i]);
  }
  bool *wired = DAE__ALLOC(arena, bool, inputs);
  if (!wired)
    return dae__out_of_memory(err);
  dae_status status = validate_mark_inputs(p, first, wired, err);
  if (!status && inputs != p->wires)
    status = dae__fail(err, DAE_ERROR_PROBLEM, "wire",
                       "the parts have %ld inputs but there are %d wires: every input needs one",
                       inputs, p->wires);
  return status;
}

static dae_status validate_check_wires(const dae_coupled *p, dae_error *err)
{
  dae__arena *arena = dae__arena_create(NULL);
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = validate_check_inputs(arena, p, err);
  dae__arena_free(arena);
  return status;
}

static dae_status validate_check_joints(const dae_coupled *p, dae_error *err)
{
  for (int i = 0; i < p->joints; i++) {
    const dae_joint *j = &p->joint[i];
    const char *name = j->name ? j->name : "joint";
    if (j->ng <= 0 || j->nz <= 0 || !j->g || !j->z)
      return validate_bad(err, name,
                          "a joint has at least one constraint, coordinates and a callback g");
    for (int k = 0; k < j->nz; k++) {
      const dae_part *part = validate_port_ok(p, j->z[k]) ? &p->part[j->z[k].part] : NULL;
      if (!part || !part->mechanical || j->z[k].variable >= part->mechanical->nq)
        return validate_bad(err, name, "a joint holds coordinates of mechanical parts together");
    }
  }
  return DAE_OK;
}

dae_status dae__coupled_validate(const dae_coupled *p, dae_error *err)
{
  dae_status status = DAE_OK;
  if (p->parts <= 0 || !p->part)
    return validate_bad(err, "parts", "a coupled problem has at least one part");
  if (validate_check_size(p->wires, "wires", err) || validate_check_size(p->joints, "joints", err))
    return DAE_ERROR_PROBLEM;
  if (p->wires > 0 && !p->wire)
    return validate_bad(err, "wire", "the problem has wires but no list of them");
  if (p->joints > 0 && !p->joint)
    return validate_bad(err, "joint", "the problem has joints but no list of them");
  for (int i = 0; i < p->parts && !status; i++)
    status = validate_check_part(&p->part[i], i, err);
  if (!status)
    status = validate_check_wires(p, err);
  return status ? status : validate_check_joints(p, err);
}

dae_status dae_problem_validate(const dae_problem *p, dae_error *err)
{
  int forms = (p->mechanical != NULL) + (p->semi_explicit != NULL) + (p->momentum != NULL) +
              (p->coupled != NULL);
  int nin = p->mechanical ? p->mechanical->nin : p->semi_explicit ? p->semi_explicit->nin : 0;
  if (forms != 1)
    return validate_bad(err, "problem", "exactly one of the four forms is to be given");
  if (nin > 0 && !p->input)
    return validate_bad(err, "input", "the problem has inputs but no function that gives them");
  if (p->mechanical)
    return dae__mechanical_validate(p->mechanical, err);
  if (p->semi_explicit)
    return dae__semi_explicit_validate(p->semi_explicit, err);
  if (p->momentum)
    return dae__momentum_validate(p->momentum, err);
  return dae__coupled_validate(p->coupled, err);
}
