/* Creation of a problem with right sides at earlier iterates: weights, input names, patterns,
 * callbacks. iterates_terms.c evaluates f and s of a mechanical base, or f of a semi-explicit one,
 * J and J_in; all other callbacks are forwarded with the inputs in^(n-1), which come first among
 * the inputs. */
#include "wave/variants/iterates.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include <stdio.h>
#include <string.h>

/* rounding of weights that were computed, as by an extrapolation */
#define WEIGHT_SUM_TOLERANCE 1e-12
#define MAX_SIZE 1e8 /* limit of inputs and entries, as in problem/validate.c */
#define NAME_SIZE 80

/* ---- weights ---- */

static dae_status iterates_check_sum(int n, const double *w, const char *what, int term,
                                     dae_error *err)
{
  double sum = 0, size = 0;
  char of_term[32] = "";
  for (int i = 0; i < n; i++)
    sum += w[i], size += fabs(w[i]);
  if (fabs(sum - 1) <= WEIGHT_SUM_TOLERANCE * size)
    return DAE_OK;
  if (term >= 0)
    snprintf(of_term, sizeof of_term, " of term %d", term + 1);
  return dae__fail(err, DAE_ERROR_OPTION, what, "terms: the weights %s%s sum up to %.15g, not to 1",
                   what, of_term, sum);
}

static dae_status iterates_check_linear(const dae_wave_terms *w, dae_error *err)
{
  /* whether there is a single term, at x^(n-1) */
  bool last = w->terms == 1 && w->own[1] == 1;
  for (int i = 0; i <= w->ages && last; i++)
    last = i == 1 || w->own[i] == 0;
  if (!(w->linear >= 0 && w->linear <= 1))
    return dae__fail(err, DAE_ERROR_OPTION, "linear", "linear = %g is not in 0 ... 1", w->linear);
  if (w->linear > 0 && !last)
    return dae__fail(err, DAE_ERROR_OPTION, "linear",
                     "linear is part of the linearisation about the last iterate: it needs one "
                     "term at that iterate, own = (0, 1)");
  return DAE_OK;
}

dae_status dae__iterates_validate(const dae_wave_terms *w, dae_error *err)
{
  if (w->ages < 1)
    return dae__fail(err, DAE_ERROR_OPTION, "ages", "terms: ages = %d, but in^(n-1) is needed",
                     w->ages);
  if (w->terms < 1)
    return dae__fail(err, DAE_ERROR_OPTION, "terms", "terms = %d: at least 1 is needed", w->terms);
  if (!w->b || !w->own || !w->others)
    return dae__fail(err, DAE_ERROR_OPTION, "terms", "terms: the weights %s are missing",
                     !w->b     ? "b"
                     : !w->own ? "own"
                               : "others");
  size_t ages = (size_t)w->ages;
  DAE__TRY(iterates_check_sum(w->terms, w->b, "b", -1, err));
  for (int j = 0; j < w->terms; j++) {
    DAE__TRY(iterates_check_sum(w->ages + 1, w->own + (size_t)j * (ages + 1), "own", j, err));
    DAE__TRY(iterates_check_sum(w->ages, w->others + (size_t)j * ages, "others", j, err));
  }
  return iterates_check_linear(w, err);
}

static const double *iterates_copy(dae__arena *arena, size_t n, const double *from)
{
  double *to = DAE__ALLOC(arena, double, n);
  if (to)
    memcpy(to, from, n * sizeof *to);
  return to;
}

/* ---- inputs and patterns ---- */

/* Names of the inputs, such as "speed^(n-1)". */
static void iterates_name_inputs(dae__iterates *it)
{
  const dae_problem *p = &it->base;
  const char *const *names = p->mechanical ? p->mechanical->in_names : p->semi_explicit->in_names;
  int nin = it->e.nin, ages = it->terms.ages, total = ages * (nin + it->count);
  char *text = DAE__ALLOC(it->arena, char, (size_t)total *NAME_SIZE);
  char name[64];
  it->in_names = DAE__ALLOC(it->arena, const char *, total);
  for (int i = 0; i < total && !dae__arena_failed(it->arena); i++, text += NAME_SIZE) {
    bool input = i < ages * nin;
    int n = input ? nin : it->count, k = input ? i : i - ages * nin;
    if (!input)
      dae_problem_variable(p, it->entry[k % n], name, sizeof name);
    else if (names && names[k % n])
      snprintf(name, sizeof name, "%s", names[k % n]);
    else
      snprintf(name, sizeof name, "in[%d]", k % n + 1);
    snprintf(text, NAME_SIZE, "%.60s^(n-%d)", name, k / n + 1);
    it->in_names[i] = text;
  }
}

/* Appends the first `cols` columns of p, restricted to rows below `rows`; returns cols. */
static int iterates_append_columns(const dae_pattern *p, int cols, int rows, int *start, int *row)
{
  int count = start[0];
  for (int j = 0; j < cols; j++) {
    for (int e = p->start[j]; e < p->start[j + 1] && p->row[e] < rows; e++)
      row[count++] = p->row[e];
    start[j + 1] = count;
  }
  return cols;
}

static void iterates_create_J_in(dae__iterates *it)
{
  int ages = it->terms.ages, nin = it->e.nin, cols = ages * (nin + it->count), col = 0;
  int entries = ages * (dae__pattern_count(&it->e.J_in) + dae__pattern_count(it->J_base));
  int *start = DAE__ALLOC(it->arena, int, cols + 1), *row = DAE__ALLOC(it->arena, int, entries);
  if (dae__arena_failed(it->arena))
    return;
  for (int age = 1; age <= ages; age++)
    col +=
        iterates_append_columns(&it->e.J_in, nin, age == 1 ? it->e.nr : it->rows, start + col, row);
  for (int age = 1; age <= ages; age++)
    col += iterates_append_columns(it->J_base, it->count, it->rows, start + col, row);
  it->J_in = (dae_pattern){it->e.nr, cols, start, row};
}

/* ---- description of a mechanical problem ---- */

static int iterates_f(void *user, const dae_mechanical_at *at, double *f)
{
  return dae__iterates_rows(user, at, false, f);
}

static int iterates_s(void *user, const dae_mechanical_at *at, double *s)
{
  return dae__iterates_rows(user, at, true, s);
}

static int iterates_c(void *user, const dae_mechanical_at *at, double *c)
{
  dae__forward *w = user;
  return dae__forward_result(w, w->to->c(w->to->user, at, c), "c", at->t);
}

/* Combined callback: f and s from iterates, everything else from one call of the base's eval. */
static int iterates_eval_all(void *user, const dae_mechanical_at *at,
                             const dae_mechanical_wanted *wanted)
{
  dae__forward *w = user;
  const dae_mechanical_wanted none = {0};
  dae_mechanical_wanted rest = *wanted;
  int code = 0;
  rest.f = rest.s = NULL;
  if (memcmp(&rest, &none, sizeof none) != 0)
    code = dae__forward_result(w, w->to->eval(w->to->user, at, &rest), "eval", at->t);
  if (!code && wanted->f)
    code = dae__iterates_rows(user, at, false, wanted->f);
  if (!code && wanted->s)
    code = dae__iterates_rows(user, at, true, wanted->s);
  return code;
}

static int iterates_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  dae__forward *w = user;
  return dae__forward_result(w, w->to->energy(w->to->user, at, T, V), "energy", at->t);
}

static int iterates_energy_rate(void *user, const dae_mechanical_at *at, const double *in_rate,
                                double *T_rate, double *V_rate)
{
  dae__forward *w = user;
  const double *own = w->to->nin > 0 ? in_rate : NULL;
  int code = w->to->energy_rate(w->to->user, at, own, T_rate, V_rate);
  return dae__forward_result(w, code, "energy_rate", at->t);
}

/* Describes the mechanical problem. Where the base gives both f and F, only f is given: F = f +
 * p_rate is evaluated by the caller, with p_rate at the present point. J is given for linear >
 * 0, since differences of a linear part that is itself computed by differences would be noise.
 * energy_rate is given without extra states only: the base's holds for u' = s at the present
 * point. */
static void iterates_describe_mechanical(dae__iterates *it)
{
  dae_mechanical *p = &it->mechanical;
  *p = *it->base.mechanical;
  p->user = it;
  p->nin = it->J_in.cols;
  p->in_names = it->in_names;
  p->F = p->f ? NULL : iterates_f;
  p->f = p->f ? iterates_f : NULL;
  p->s = p->s ? iterates_s : NULL;
  p->c = p->c ? iterates_c : NULL;
  p->J = p->J || it->terms.linear > 0 ? dae__iterates_J : NULL;
  p->J_in = dae__iterates_J_in;
  p->J_in_pattern = &it->J_in;
  p->eval = p->eval ? iterates_eval_all : NULL;
  p->energy = p->energy ? iterates_energy : NULL;
  p->energy_rate = p->energy_rate && p->nu == 0 ? iterates_energy_rate : NULL;
  dae__forward_callbacks(p);
  it->problem = (dae_problem){.mechanical = p, .why = &it->forward.last};
}

/* ---- description of a semi-explicit problem ---- */

/* Callbacks of the semi-explicit problem by those of the mechanical one, with x = u, y = w. */
#define AS_MECHANICAL(name, call)                                                                  \
  static int iterates_semi_##name(void *user, const dae_semi_explicit_at *at, double *out)         \
  {                                                                                                \
    dae_mechanical_at point = {.t = at->t, .u = at->x, .w = at->y, .in = at->in};                  \
    return call;                                                                                   \
  }
AS_MECHANICAL(f, dae__iterates_rows(user, &point, true, out))
AS_MECHANICAL(J, dae__iterates_J(user, &point, out))
AS_MECHANICAL(J_in, dae__iterates_J_in(user, &point, out))
#undef AS_MECHANICAL

#define FORWARD(name)                                                                              \
  static int iterates_semi_##name(void *user, const dae_semi_explicit_at *at, double *out)         \
  {                                                                                                \
    dae__iterates *it = user;                                                                      \
    const dae_semi_explicit *s = it->base.semi_explicit;                                           \
    return dae__forward_result(&it->forward, s->name(s->user, at, out), #name, at->t);             \
  }
FORWARD(F)
FORWARD(F_t)
FORWARD(M)
#undef FORWARD

static int iterates_semi_Ms_x(void *user, const dae_semi_explicit_at *at, const double *a,
                              double *Ms)
{
  dae__iterates *it = user;
  const dae_semi_explicit *s = it->base.semi_explicit;
  return dae__forward_result(&it->forward, s->Ms_x(s->user, at, a, Ms), "Ms_x", at->t);
}

static void iterates_describe_semi(dae__iterates *it)
{
  dae_semi_explicit *p = &it->semi_explicit;
  *p = *it->base.semi_explicit;
  p->user = it;
  p->nin = it->J_in.cols;
  p->in_names = it->in_names;
  p->f = p->f ? iterates_semi_f : NULL;
  p->F = p->F ? iterates_semi_F : NULL;
  p->F_t = p->F_t ? iterates_semi_F_t : NULL;
  p->M = p->M ? iterates_semi_M : NULL;
  p->Ms_x = p->Ms_x ? iterates_semi_Ms_x : NULL;
  p->J = p->J || it->terms.linear > 0 ? iterates_semi_J : NULL;
  p->J_in = iterates_semi_J_in;
  p->J_in_pattern = &it->J_in;
  it->problem = (dae_problem){.semi_explicit = p, .why = &it->forward.last};
}

/* ---- creation ---- */

/* Creates the element that evaluates the base, with the error details of the base. */
static dae_status iterates_create_base(dae__iterates *it, dae_error *err)
{
  dae_part part = {.mechanical = it->base.mechanical, .semi_explicit = it->base.semi_explicit};
  DAE__TRY(dae__element_part(it->arena, &part, "", &it->e, err));
  if (it->e.m)
    it->e.m->why = it->base.why;
  else
    it->e.semi->why = it->base.why;
  it->count = 2 * it->e.n.q + it->e.n.u;
  it->rows = it->e.n.q + it->e.n.u;
  it->J_base = it->e.m ? &it->e.m->J_user : &it->e.semi->J;
  double ages = it->terms.ages, inputs = (double)it->e.nin + it->count;
  double entries = (double)dae__pattern_count(&it->e.J_in) + dae__pattern_count(it->J_base);
  if (ages * inputs > MAX_SIZE || ages * entries > MAX_SIZE)
    return dae__fail(err, DAE_ERROR_OPTION, "ages", "terms: ages = %d makes too many inputs",
                     it->terms.ages);
  return DAE_OK;
}

static dae_status iterates_create(dae__iterates *it, const dae_wave_terms *w, dae_error *err)
{
  size_t terms = (size_t)w->terms, ages = (size_t)w->ages;
  it->terms = *w;
  it->terms.b = iterates_copy(it->arena, terms, w->b);
  it->terms.own = iterates_copy(it->arena, terms * (ages + 1), w->own);
  it->terms.others = iterates_copy(it->arena, terms * ages, w->others);
  if (dae__arena_failed(it->arena))
    return dae__out_of_memory(err);
  DAE__TRY(iterates_create_base(it, err));
  it->entry = DAE__ALLOC(it->arena, int, it->count);
  it->x = DAE__ALLOC(it->arena, double, it->count);
  it->term = DAE__ALLOC(it->arena, double, it->rows);
  it->J = DAE__ALLOC(it->arena, double, dae__pattern_count(it->J_base));
  it->J_in_base = DAE__ALLOC(it->arena, double, dae__pattern_count(&it->e.J_in));
  it->J_forces = DAE__ALLOC(it->arena, double, dae__pattern_count(it->e.J));
  for (int i = 0; it->entry && i < it->count; i++)
    /* differential variables are the first entries of a state vector of either form */
    it->entry[i] = i;
  if (!dae__arena_failed(it->arena))
    iterates_name_inputs(it);
  if (!dae__arena_failed(it->arena))
    iterates_create_J_in(it);
  if (dae__arena_failed(it->arena))
    return dae__out_of_memory(err);
  if (it->base.mechanical)
    iterates_describe_mechanical(it);
  else
    iterates_describe_semi(it);
  return DAE_OK;
}

dae_status dae__iterates_create(dae__arena *arena, const dae_problem *base,
                                const dae_wave_terms *terms, dae__iterates **out, dae_error *err)
{
  *out = NULL;
  DAE__TRY(dae__iterates_validate(terms, err));
  if (!base->mechanical == !base->semi_explicit)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "terms",
                     "right sides at earlier iterates are for mechanical and semi-explicit "
                     "systems");
  dae__iterates *it = DAE__ALLOC(arena, dae__iterates, 1);
  if (!it)
    return dae__out_of_memory(err);
  *it = (dae__iterates){
      .arena = arena,
      .base = *base,
      .forward = {.to = base->mechanical, .name = "", .why = base->why, .last = dae_error_none()}};
  DAE__TRY(iterates_create(it, terms, err));
  *out = it;
  return DAE_OK;
}
