/* Putting a problem with earlier iterates together: weights, inputs and their names, patterns. */
#include "wave/variants/iterates.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "wave/variants/iterates_parts.h"
#include <stdio.h>

/* rounding of weights that were computed, such as those of an extrapolation */
#define SUM_TOLERANCE 1e-12
/* what validate.c takes for the largest size */
#define LARGEST 1e8
#define NAME_SIZE 80

/* ---- weights ---- */

static dae_status iterates_check_sum(int n, const double *w, const char *what, int term,
                                     dae_error *err)
{
  double sum = 0, size = 0;
  for (int i = 0; i < n; i++)
    sum += w[i], size += fabs(w[i]);
  if (fabs(sum - 1) <= SUM_TOLERANCE * size)
    return DAE_OK;
  if (term < 0)
    return dae__fail(err, DAE_ERROR_OPTION, what, "terms: the weights %s sum up to %.15g, not to 1",
                     what, sum);
  return dae__fail(err, DAE_ERROR_OPTION, what,
                   "terms: the weights %s of term %d sum up to %.15g, not to 1", what, term + 1,
                   sum);
}

/* one term, at x^(n-1) */
static bool iterates_from_last_sweep(const dae_wave_terms *w)
{
  bool last = w->terms == 1 && w->own[1] == 1;
  for (int i = 0; i <= w->ages && last; i++)
    last = i == 1 || w->own[i] == 0;
  return last;
}

static dae_status iterates_check_linear(const dae_wave_terms *w, dae_error *err)
{
  if (!(w->linear >= 0 && w->linear <= 1))
    return dae__fail(err, DAE_ERROR_OPTION, "linear", "linear = %g is not in 0 ... 1", w->linear);
  if (w->linear > 0 && !iterates_from_last_sweep(w))
    return dae__fail(err, DAE_ERROR_OPTION, "linear",
                     "linear is part of the linearisation about the last iterate: it goes with one "
                     "term at that iterate, own = (0, 1)");
  return DAE_OK;
}

dae_status dae__iterates_validate(const dae_wave_terms *w, dae_error *err)
{
  if (w->ages < 1)
    return dae__fail(err, DAE_ERROR_OPTION, "ages", "terms: ages = %d, but in^(n-1) is needed",
                     w->ages);
  if (w->terms < 1)
    return dae__fail(err, DAE_ERROR_OPTION, "terms", "terms = %d: there is at least one term",
                     w->terms);
  if (!w->b || !w->own || !w->others)
    return dae__fail(err, DAE_ERROR_OPTION, "terms", "terms: the weights %s are missing",
                     !w->b     ? "b"
                     : !w->own ? "own"
                               : "others");
  dae_status status = iterates_check_sum(w->terms, w->b, "b", -1, err);
  for (int j = 0; j < w->terms && !status; j++) {
    status =
        iterates_check_sum(w->ages + 1, w->own + (size_t)j * ((size_t)w->ages + 1), "own", j, err);
    if (!status)
      status =
          iterates_check_sum(w->ages, w->others + (size_t)j * (size_t)w->ages, "others", j, err);
  }
  return status ? status : iterates_check_linear(w, err);
}

static const double *iterates_copy(dae__arena *arena, size_t n, const double *from)
{
  double *to = DAE__ALLOC(arena, double, n);
  if (to)
    memcpy(to, from, n * sizeof *to);
  return to;
}

static void iterates_copy_terms(dae__iterates *it, const dae_wave_terms *w)
{
  size_t terms = (size_t)w->terms, ages = (size_t)w->ages;
  it->terms = *w;
  it->terms.b = iterates_copy(it->arena, terms, w->b);
  it->terms.own = iterates_copy(it->arena, terms * (ages + 1), w->own);
  it->terms.others = iterates_copy(it->arena, terms * ages, w->others);
}

/* ---- inputs ---- */

static void iterates_base_input_name(const dae__iterates *it, int i, char *name, size_t size)
{
  const dae_problem *p = &it->base;
  const char *const *names = p->mechanical ? p->mechanical->in_names : p->semi_explicit->in_names;
  if (names && names[i])
    snprintf(name, size, "%s", names[i]);
  else
    snprintf(name, size, "in[%d]", i + 1);
}

/* "speed^(n-1)" */
static void iterates_name_inputs(dae__iterates *it)
{
  int nin = it->e.nin, ages = it->terms.ages, total = ages * (nin + it->count);
  char *text = DAE__ALLOC(it->arena, char, (size_t)total *NAME_SIZE);
  char name[64];
  it->in_names = DAE__ALLOC(it->arena, const char *, total);
  for (int i = 0; i < total && !dae__arena_failed(it->arena); i++, text += NAME_SIZE) {
    int k = i < ages * nin ? i : i - ages * nin, n = i < ages * nin ? nin : it->count;
    if (i < ages * nin)
      iterates_base_input_name(it, k % n, name, sizeof name);
    else
      dae_problem_variable(&it->base, it->entry[k % n], name, sizeof name);
    snprintf(text, NAME_SIZE, "%.60s^(n-%d)", name, k / n + 1);
    it->in_names[i] = text;
  }
}

/* ---- patterns ---- */

/* columns of p with their rows below `rows` */
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
  int ages = it->terms.ages, nin = it->e.nin, cols = ages * (nin + it->count);
  int entries = ages * (dae__pattern_count(&it->e.J_in) + dae__pattern_count(it->J_base));
  int *start = DAE__ALLOC(it->arena, int, cols + 1), *row = DAE__ALLOC(it->arena, int, entries);
  int col = 0;
  if (dae__arena_failed(it->arena))
    return;
  for (int age = 1; age <= ages; age++)
    col +=
        iterates_append_columns(&it->e.J_in, nin, age == 1 ? it->e.nr : it->rows, start + col, row);
  for (int age = 1; age <= ages; age++)
    col += iterates_append_columns(it->J_base, it->count, it->rows, start + col, row);
  it->J_in = (dae_pattern){it->e.nr, cols, start, row};
}

static dae_status iterates_check_size(const dae__iterates *it, dae_error *err)
{
  double ages = it->terms.ages;
  double inputs = (double)it->e.nin + it->count;
  double entries = (double)dae__pattern_count(&it->e.J_in) + dae__pattern_count(it->J_base);
  if (ages * inputs <= LARGEST && ages * entries <= LARGEST)
    return DAE_OK;
  return dae__fail(err, DAE_ERROR_OPTION, "ages", "terms: ages = %d makes too many inputs",
                   it->terms.ages);
}

/* ---- creating ---- */

/* the base as an element, whose callbacks say more at the same place */
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
  return iterates_check_size(it, err);
}

static void iterates_alloc_memory(dae__iterates *it)
{
  it->entry = DAE__ALLOC(it->arena, int, it->count);
  it->x = DAE__ALLOC(it->arena, double, it->count);
  it->term = DAE__ALLOC(it->arena, double, it->rows);
  it->J = DAE__ALLOC(it->arena, double, dae__pattern_count(it->J_base));
  it->J_in_base = DAE__ALLOC(it->arena, double, dae__pattern_count(&it->e.J_in));
  it->J_forces = DAE__ALLOC(it->arena, double, dae__pattern_count(it->e.J));
  for (int i = 0; it->entry && i < it->count; i++)
    it->entry[i] = i; /* they come first in either form */
}

static dae_status iterates_create(dae__iterates *it, const dae_wave_terms *terms, dae_error *err)
{
  iterates_copy_terms(it, terms);
  if (dae__arena_failed(it->arena))
    return dae__out_of_memory(err);
  DAE__TRY(iterates_create_base(it, err));
  iterates_alloc_memory(it);
  if (!dae__arena_failed(it->arena))
    iterates_name_inputs(it);
  if (!dae__arena_failed(it->arena))
    iterates_create_J_in(it);
  if (dae__arena_failed(it->arena))
    return dae__out_of_memory(err);
  dae__iterates_describe(it);
  return DAE_OK;
}

dae_status dae__iterates_create(dae__arena *arena, const dae_problem *base,
                                const dae_wave_terms *terms, dae__iterates **out, dae_error *err)
{
  *out = NULL;
  DAE__TRY(dae__iterates_validate(terms, err));
  if (!base->mechanical == !base->semi_explicit)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "terms",
                     "right sides at earlier iterates are for mechanical and semi-explicit parts");
  dae__iterates *it = DAE__ALLOC(arena, dae__iterates, 1);
  if (!it)
    return dae__out_of_memory(err);
  *it = (dae__iterates){
      .arena = arena,
      .base = *base,
      .pass = {.to = base->mechanical, .name = "", .why = base->why, .last = dae_error_none()}};
  dae_status status = iterates_create(it, terms, err);
  if (!status)
    *out = it;
  return status;
}

/* ---- what it is ---- */

const dae_problem *dae__iterates_problem(const dae__iterates *it)
{
  return &it->problem;
}

int dae__iterates_count(const dae__iterates *it)
{
  return it->count;
}

const int *dae__iterates_entries(const dae__iterates *it)
{
  return it->entry;
}
