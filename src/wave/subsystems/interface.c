/* Linear system of the direct unknowns: pattern and values of G, residuals of joints. */
#include "wave/subsystems/interface.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "linalg/solver.h"
#include <stdio.h>

/* ---- pattern of G ---- */

/* Block of G for subsystem p: rows for its direct outputs, columns for its inputs that are direct
 * unknowns. */
static void interface_describe_system(dae__arena *arena, dae__interface *f, int p,
                                      dae_pattern *pattern)
{
  const dae_subsystem *s = f->sub[p];
  int *row = DAE__ALLOC(arena, int, s->outputs), *col = DAE__ALLOC(arena, int, s->inputs);
  int *output = DAE__ALLOC(arena, int, s->outputs), *input = DAE__ALLOC(arena, int, s->inputs);
  int rows = 0, cols = 0;
  if (dae__arena_failed(arena))
    return;
  for (int i = 0; i < s->outputs; i++)
    if (f->direct[f->first[p] + i]) {
      output[rows] = i;
      row[rows++] = f->direct_of[f->first[p] + i];
    }
  for (int j = 0; j < s->inputs && rows > 0; j++) {
    int u = f->source[f->first_input[p] + j];
    if (u >= 0 && f->direct[u]) {
      input[cols] = j;
      col[cols++] = f->direct_of[u];
    }
  }
  *pattern = dae__pattern_dense(arena, rows, cols);
  f->piece[p] = (dae__piece){.pattern = pattern, .row = row, .col = col};
  f->piece_input[p] = input;
  f->piece_output[p] = output;
}

static void interface_describe_loop(dae__arena *arena, dae__interface *f)
{
  int pieces = f->systems + 1 + f->joints, outputs = f->directs - f->multipliers, largest = 0;
  dae_pattern *pattern = DAE__ALLOC(arena, dae_pattern, pieces);
  int *diagonal = DAE__ALLOC(arena, int, outputs);
  f->piece = DAE__ALLOC(arena, dae__piece, pieces);
  f->piece_input = DAE__ALLOC(arena, int *, f->systems);
  f->piece_output = DAE__ALLOC(arena, int *, f->systems);
  if (dae__arena_failed(arena))
    return;
  for (int p = 0; p < f->systems; p++)
    interface_describe_system(arena, f, p, &pattern[p]);
  for (int i = 0; i < outputs; i++) /* multipliers of joints come last */
    diagonal[i] = i;
  pattern[f->systems] = dae__pattern_diagonal(arena, outputs);
  f->piece[f->systems] =
      (dae__piece){.pattern = &pattern[f->systems], .row = diagonal, .col = diagonal};
  for (int j = 0; j < f->joints; j++) {
    const dae__link_joint *joint = &f->joint[j];
    int at = f->systems + 1 + j;
    int *row = DAE__ALLOC(arena, int, joint->ng), *col = DAE__ALLOC(arena, int, joint->nz);
    pattern[at] = dae__pattern_dense(arena, joint->ng, joint->nz);
    for (int i = 0; row && i < joint->ng; i++)
      row[i] = f->direct_of[joint->first + i];
    for (int i = 0; col && i < joint->nz; i++)
      col[i] = f->direct_of[joint->zddot[i]];
    f->piece[at] = (dae__piece){.pattern = &pattern[at], .row = row, .col = col};
  }
  if (dae__arena_failed(arena))
    return;
  f->G = dae__pieces_merge(arena, f->directs, f->directs, f->directs <= DAE__DENSE_UP_TO, f->piece,
                           pieces);
  for (int i = 0; i < pieces; i++)
    if (dae__pattern_count(&pattern[i]) > largest)
      largest = dae__pattern_count(&pattern[i]);
  f->block = DAE__ALLOC(arena, double, largest);
}

dae_status dae__interface_alloc(dae__arena *arena, dae__interface *f, int systems, int multipliers,
                                dae_error *err)
{
  f->systems = systems;
  f->multipliers = multipliers;
  f->first = DAE__ALLOC(arena, int, systems + 1);
  f->first_input = DAE__ALLOC(arena, int, systems + 1);
  DAE__TRY(dae__arena_status(arena, err));
  for (int p = 0; p < systems; p++) {
    f->first[p + 1] = f->first[p] + f->sub[p]->outputs;
    f->first_input[p + 1] = f->first_input[p] + f->sub[p]->inputs;
  }
  int inputs = f->first_input[systems];
  f->unknowns = f->first[systems] + multipliers;
  f->source = DAE__ALLOC(arena, int, inputs);
  f->age = DAE__ALLOC(arena, int, inputs);
  f->owner = DAE__ALLOC(arena, int, f->unknowns);
  f->direct = DAE__ALLOC(arena, bool, f->unknowns);
  f->in_end_norm = DAE__ALLOC(arena, bool, f->unknowns);
  f->name = DAE__ALLOC(arena, const char *, f->unknowns);
  f->entry = DAE__ALLOC(arena, int, f->unknowns);
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < inputs; i++) {
    f->source[i] = -1;
    f->age[i] = 1;
  }
  return DAE_OK;
}

dae_status dae__interface_complete(dae__arena *arena, dae__interface *f, dae_error *err)
{
  f->direct_of = DAE__ALLOC(arena, int, f->unknowns);
  f->unknown_of = DAE__ALLOC(arena, int, f->unknowns);
  f->first_D = DAE__ALLOC(arena, int, f->systems + 1);
  DAE__TRY(dae__arena_status(arena, err));
  for (int p = 0; p < f->systems; p++)
    f->first_D[p + 1] = f->first_D[p] + f->sub[p]->outputs * f->sub[p]->inputs;
  f->directs = 0;
  f->has_feedthrough = true;
  for (int i = 0; i < f->unknowns; i++) {
    f->direct_of[i] = f->direct[i] ? f->directs : -1;
    if (!f->direct[i])
      continue;
    f->unknown_of[f->directs++] = i;
    if (i < f->first[f->systems] && !f->sub[f->owner[i]]->gain)
      f->has_feedthrough = false;
  }
  interface_describe_loop(arena, f);
  return dae__arena_status(arena, err);
}

void dae__order_names(const dae__interface *f, const int *order, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < f->systems && used < size; i++) {
    const char *name = f->sub[order[i]]->name;
    used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                             name && name[0] ? name : "the model itself");
  }
}

/* ---- inputs, residuals and values of G ---- */

void dae__interface_inputs(const dae__interface *f, int p, const double *z, double *in)
{
  const int *source = f->source + f->first_input[p];
  for (int j = 0; j < f->first_input[p + 1] - f->first_input[p]; j++)
    in[j] = source[j] >= 0 ? z[source[j]] : 0;
}

/* Evaluates J and gamma of a joint at the unknowns z. */
static dae_status interface_evaluate_joint(dae__link_joint *j, double t, const double *z,
                                           dae_error *err)
{
  for (int i = 0; i < j->nz; i++) {
    j->at[i] = z[j->z[i]];
    j->rate[i] = z[j->zdot[i]];
    j->acceleration[i] = z[j->zddot[i]];
  }
  dae_mechanical_at at = {.t = t, .q = j->at, .v = j->rate};
  DAE__TRY(dae__mech_G(j->element.m, &at, j->G, err));
  return dae__mech_gamma(j->element.m, &at, j->gamma, err);
}

dae_status dae__interface_residual(dae__interface *f, double t, const double *z, double *r,
                                   dae_error *err)
{
  for (int k = 0, row = 0; k < f->joints; k++) {
    dae__link_joint *j = &f->joint[k];
    DAE__TRY(interface_evaluate_joint(j, t, z, err));
    for (int i = 0; i < j->ng; i++, row++) {
      r[row] = j->gamma[i];
      for (int c = 0; c < j->nz; c++)
        r[row] += j->G[i + c * j->ng] * j->acceleration[c];
    }
  }
  return DAE_OK;
}

dae_status dae__interface_matrix(dae__interface *f, double t, const double *feedthrough,
                                 const double *z, double *G, dae_error *err)
{
  dae__zero(dae__pattern_count(&f->G), G);
  for (int p = 0; p < f->systems; p++) { /* block -D */
    const double *D = feedthrough + f->first_D[p];
    const dae_pattern *b = f->piece[p].pattern;
    int outputs = f->sub[p]->outputs;
    for (int c = 0; c < b->cols; c++)
      for (int r = 0; r < b->rows; r++)
        f->block[r + c * b->rows] = D[f->piece_output[p][r] + f->piece_input[p][c] * outputs];
    dae__piece_add(&f->piece[p], -1, f->block, G);
  }
  for (int i = 0; i < f->directs - f->multipliers; i++)
    f->block[i] = 1;
  dae__piece_add(&f->piece[f->systems], 1, f->block, G);
  for (int k = 0; k < f->joints; k++) {
    DAE__TRY(interface_evaluate_joint(&f->joint[k], t, z, err));
    dae__piece_add(&f->piece[f->systems + 1 + k], 1, f->joint[k].G, G);
  }
  return DAE_OK;
}
