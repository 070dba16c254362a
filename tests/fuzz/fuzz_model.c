/* Any bytes as a model: either a mistake that is described, or a problem whose callbacks can be
 * called. Every array that a callback writes has exactly the size that the description says, so
 * that the address sanitizer sees whatever is written beside it; and every entry must be written.
 *
 * The limits are small ones, and the text has no folder to import from. */
#include "fuzz_model.h"

#include <daedal/daedal.h>
#include <stdlib.h>
#include <string.h>

static void check(int holds)
{
  if (!holds)
    abort();
}

static double *numbers(size_t count)
{
  double *x = malloc(count > 0 ? count * sizeof *x : 1);
  check(x != NULL);
  for (size_t i = 0; i < count; i++)
    x[i] = 0.5;
  return x;
}

/* room for results: filled with a number that no callback writes */
static const double UNWRITTEN = 1.2345678901234567e-300;

static double *room(size_t count)
{
  double *x = numbers(count);
  for (size_t i = 0; i < count; i++)
    x[i] = UNWRITTEN;
  return x;
}

static void check_written(const double *x, size_t count)
{
  for (size_t i = 0; i < count; i++)
    check(memcmp(&x[i], &UNWRITTEN, sizeof UNWRITTEN) != 0);
}

static size_t entries(const dae_pattern *pattern, int rows, int cols)
{
  return pattern ? (size_t)pattern->start[pattern->cols] : (size_t)rows * (size_t)cols;
}

/* ---- mechanical ---- */

static void call(const dae_mechanical *p, dae_mechanical_fn *fn, const dae_mechanical_at *at,
                 size_t count)
{
  double *out = room(count);
  if (fn) {
    check(fn(p->user, at, out) == 0);
    check_written(out, count);
  }
  free(out);
}

static void call_s(const dae_mechanical *p, dae_mechanical_fn_s *fn, const dae_mechanical_at *at,
                   int length, size_t count)
{
  double *out = room(count), *s = numbers((size_t)length);
  if (fn) {
    check(fn(p->user, at, s, out) == 0);
    check_written(out, count);
  }
  free(s);
  free(out);
}

static void call_derivatives(const dae_mechanical *p, const dae_mechanical_at *at)
{
  int nq = p->nq, rows = nq + p->nu + p->nw;
  call(p, p->g_t, at, (size_t)p->ng);
  call(p, p->gamma, at, (size_t)p->ng);
  call(p, p->kappa, at, (size_t)p->nk);
  call(p, p->p_rate, at, (size_t)nq);
  call(p, p->G, at, entries(p->G_pattern, p->ng, nq));
  call(p, p->K, at, entries(p->K_pattern, p->nk, nq));
  call(p, p->J, at, entries(p->J_pattern, rows, 2 * nq + p->nu + p->nw));
  call(p, p->J_in, at, entries(p->J_in_pattern, rows, p->nin));
  call(p, p->gdot_q, at, entries(p->G_pattern, p->ng, nq));
  call(p, p->k_q, at, entries(p->k_q_pattern, p->nk, nq));
  call_s(p, p->Ms_qv, at, nq, entries(p->Ms_pattern, nq, 2 * nq));
  call_s(p, p->Gts_q, at, p->ng, entries(p->Gts_pattern, nq, nq));
  call_s(p, p->Kts_qv, at, p->nk, entries(p->Kts_pattern, nq, 2 * nq));
}

/* all that one evaluation may be asked for, in one call */
static void call_together(const dae_mechanical *p, const dae_mechanical_at *at)
{
  const size_t size[] = {entries(p->M_pattern, p->nq, p->nq),
                         (size_t)p->nq,
                         (size_t)p->nu,
                         (size_t)p->nw,
                         (size_t)p->ng,
                         (size_t)p->ng,
                         entries(p->G_pattern, p->ng, p->nq),
                         (size_t)p->ng,
                         (size_t)p->nk,
                         entries(p->K_pattern, p->nk, p->nq),
                         (size_t)p->nk,
                         p->B ? entries(p->B_pattern, p->ng + p->nk, p->nq) : 0};
  double *x[sizeof size / sizeof *size];
  for (size_t i = 0; i < sizeof size / sizeof *size; i++)
    x[i] = room(size[i]);
  const dae_mechanical_wanted wanted = {x[0], x[1], x[2], x[3], x[4],  x[5],
                                        x[6], x[7], x[8], x[9], x[10], x[11]};
  check(p->eval(p->user, at, &wanted) == 0);
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    check_written(x[i], size[i]);
    free(x[i]);
  }
}

static void try_mechanical(const dae_mechanical *p, double t, const double *y, const double *in)
{
  double T, V, *in_rate = numbers((size_t)p->nin);
  dae_mechanical_at at = {.t = t, .q = y, .v = y + p->nq, .in = in};
  at.u = at.v + p->nq;
  at.w = at.u + p->nu;
  call(p, p->M, &at, entries(p->M_pattern, p->nq, p->nq));
  call(p, p->f, &at, (size_t)p->nq);
  call(p, p->p, &at, (size_t)p->nq);
  call(p, p->F, &at, (size_t)p->nq);
  call(p, p->s, &at, (size_t)p->nu);
  call(p, p->c, &at, (size_t)p->nw);
  call(p, p->g, &at, (size_t)p->ng);
  call(p, p->k, &at, (size_t)p->nk);
  call_derivatives(p, &at);
  call_together(p, &at);
  check(p->energy(p->user, &at, &T, &V) == 0);
  check(p->energy_rate(p->user, &at, in_rate, &T, &V) == 0);
  free(in_rate);
}

/* ---- semi-explicit ---- */

static void call_semi(const dae_semi_explicit *p, dae_semi_explicit_fn *fn,
                      const dae_semi_explicit_at *at, size_t count)
{
  double *out = room(count);
  if (fn) {
    check(fn(p->user, at, out) == 0);
    check_written(out, count);
  }
  free(out);
}

static void try_semi(const dae_semi_explicit *p, double t, const double *y, const double *in)
{
  dae_semi_explicit_at at = {.t = t, .x = y, .y = y + p->nx, .in = in};
  int n = p->nx + p->ny;
  call_semi(p, p->f, &at, (size_t)p->nx);
  call_semi(p, p->F, &at, (size_t)p->ny);
  call_semi(p, p->F_t, &at, (size_t)p->ny);
  call_semi(p, p->M, &at, entries(p->M_pattern, p->nx, p->nx));
  call_semi(p, p->J, &at, entries(p->J_pattern, n, n));
  call_semi(p, p->J_in, &at, entries(p->J_in_pattern, n, p->nin));
  if (!p->Ms_x)
    return;
  size_t count = entries(p->Ms_pattern, p->nx, p->nx);
  double *s = numbers((size_t)p->nx), *out = room(count);
  check(p->Ms_x(p->user, &at, s, out) == 0);
  check_written(out, count);
  free(out);
  free(s);
}

/* ---- coupled ---- */

static int part_size(const dae_part *part)
{
  dae_problem alone = part->mechanical ? dae_problem_mechanical(part->mechanical)
                                       : dae_problem_semi_explicit(part->semi_explicit);
  return dae_problem_size(&alone);
}

static void try_part(const dae_coupled *p, int i, double t, const double *y, const int *first)
{
  const dae_part *part = &p->part[i];
  int nin = part->mechanical ? part->mechanical->nin : part->semi_explicit->nin;
  double *in = numbers((size_t)nin);
  for (int k = 0; k < p->wires; k++)
    if (p->wire[k].part == i) {
      const dae_wire *wire = &p->wire[k];
      check(wire->input >= 0 && wire->input < nin);
      check(wire->from.variable < first[wire->from.part + 1] - first[wire->from.part]);
      in[wire->input] = y[first[wire->from.part] + wire->from.variable];
    }
  if (part->mechanical)
    try_mechanical(part->mechanical, t, y + first[i], in);
  else
    try_semi(part->semi_explicit, t, y + first[i], in);
  free(in);
}

static void try_joint(const dae_coupled *p, const dae_joint *joint, double t, const double *y,
                      const int *first)
{
  size_t nz = (size_t)joint->nz;
  double *z = numbers(nz), *s = numbers(nz), *square = room(nz * nz), g = 0.5;
  for (int i = 0; i < joint->nz; i++) {
    const dae_part *part = &p->part[joint->z[i].part];
    check(part->mechanical && joint->z[i].variable < part->mechanical->nq);
    z[i] = y[first[joint->z[i].part] + joint->z[i].variable];
  }
  check(joint->g(joint->user, t, z, &g) == 0);
  check(joint->gamma(joint->user, t, z, s, &g) == 0);
  check(joint->time_free || joint->g_t(joint->user, t, z, &g) == 0);
  check(joint->G(joint->user, t, z, s) == 0);
  check(joint->gdot_z(joint->user, t, z, z, s) == 0);
  check(joint->Gts_z(joint->user, t, z, &g, square) == 0);
  check_written(square, nz * nz);
  free(square);
  free(s);
  free(z);
}

static void try_coupled(const dae_coupled *p, double t, const double *y)
{
  int *first = calloc((size_t)p->parts + 1, sizeof *first);
  check(first != NULL);
  for (int i = 0; i < p->parts; i++)
    first[i + 1] = first[i] + part_size(&p->part[i]);
  for (int i = 0; i < p->parts; i++)
    try_part(p, i, t, y, first);
  for (int i = 0; i < p->joints; i++)
    try_joint(p, &p->joint[i], t, y, first);
  free(first);
}

/* ---- the whole ---- */

static void try_results(const dae_run_plan *plan, size_t size)
{
  const double *y = plan->start.y;
  double t = plan->start.t, number;
  double *out = room((size_t)plan->outputs), *dy = numbers(size), *after = numbers(size);
  check(plan->output(plan->output_user, t, y, out) == 0);
  check_written(out, (size_t)plan->outputs);
  for (int i = 0; i < plan->column_count; i++)
    check(plan->columns[i].name[0] && (size_t)plan->columns[i].entry < size);
  for (int i = 0; i < plan->event_count; i++) {
    const dae_event *event = &plan->events[i];
    check(event->value || event->next);
    check(!event->value || event->value(event->user, t, y, &number) == 0);
    check(!event->rate || event->rate(event->user, t, y, dy, &number) == 0);
    if (!event->action)
      continue;
    memcpy(after, y, size * sizeof *after);
    check(event->action(event->user, t, y, after) == 0);
  }
  free(after);
  free(dy);
  free(out);
}

static void try_model(const dae_model *model)
{
  const dae_problem *problem = dae_model_problem(model);
  dae_run_plan plan = {.to = 0};
  dae_model_plan(model, &plan);
  size_t size = (size_t)dae_problem_extended_size(problem);
  if (problem->mechanical)
    try_mechanical(problem->mechanical, plan.start.t, plan.start.y, NULL);
  else if (problem->semi_explicit)
    try_semi(problem->semi_explicit, plan.start.t, plan.start.y, NULL);
  else
    try_coupled(problem->coupled, plan.start.t, plan.start.y);
  try_results(&plan, size);
}

static void check_error(const dae_error *err)
{
  char text[2048];
  size_t length = strlen(err->source);
  check(err->status == DAE_ERROR_MODEL);
  check(err->text[0] != 0);
  check(err->line >= 0 && err->column >= 0);
  check(err->caret >= 0 && (size_t)err->caret <= length);
  check(dae_error_text(err, text, sizeof text) < sizeof text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  dae_model_options options = dae_model_defaults();
  dae_model *model = NULL;
  dae_error err;
  options.max_bytes = 64000;
  options.max_work = 200000;
  options.max_nodes = 100000;
  dae_status status =
      dae_model_parse("fuzz", (const char *)data, size, &options, NULL, &model, &err);
  check((status == DAE_OK) == (model != NULL));
  if (model)
    try_model(model);
  else
    check_error(&err);
  dae_model_free(model);
  return 0;
}
