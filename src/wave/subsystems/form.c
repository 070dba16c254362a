#include "wave/subsystems/form.h"
#include "core/error.h"
#include "core/vec.h"

static int form_part_size(const dae_coupled *coupled, int part)
{
  dae_problem problem = {.mechanical = coupled->part[part].mechanical,
                         .semi_explicit = coupled->part[part].semi_explicit};
  return dae_problem_size(&problem);
}

/* ---- slack ---- */

/* Gauss-Seidel: equations of the parts that come before [E07 Remark 3.2]. Jacobi: of all others,
 * with the part's own differential variables of two sweeps ago [E07 Remark 3.6, corrected]. */
static dae_status form_make_slack(dae__arena *arena, const dae__form_recipe *r, dae__form *form,
                                  dae_error *err)
{
  const dae_coupled *c = r->coupled;
  bool *from = DAE__ALLOC(arena, bool, c->parts);
  int *entry = DAE__ALLOC(arena, int, form_part_size(c, r->part));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < c->parts; i++)
    from[i] = i != r->part && (r->jacobi || r->rank[i] < r->rank[r->part]);
  dae__slack_options opts = {.from = from, .lagged = r->jacobi, .base = form->problem};
  DAE__TRY(dae__slack_create(arena, c, r->part, &opts, &form->slack, err));
  int base = form->inputs, ports = dae__slack_inputs(form->slack);
  form->problem = dae__slack_problem(form->slack);
  form->inputs = base + ports;
  form->extra = DAE__ALLOC(arena, dae__extra, ports);
  if (!form->extra)
    return dae__out_of_memory(err);
  for (int i = 0; i < ports; i++) {
    dae_port port = dae__slack_ports(form->slack)[i];
    int age = port.part == r->part ? 2 : 1;
    form->extra[i] = (dae__extra){port.part, port.variable, age};
    form->ages = age > form->ages ? age : form->ages;
  }
  for (int i = 0; i < form_part_size(c, r->part); i++)
    entry[i] = dae__slack_entry(form->slack, i);
  form->entry = entry;
  return DAE_OK;
}

/* ---- earlier iterates ---- */

static dae_status form_make_iterates(dae__arena *arena, const dae__form_recipe *r, dae__form *form,
                                     dae_error *err)
{
  DAE__TRY(dae__iterates_create(arena, form->problem, r->terms, &form->iterates, err));
  int own = form->inputs, ages = r->terms->ages, count = dae__iterates_count(form->iterates);
  form->problem = dae__iterates_problem(form->iterates);
  form->inputs = ages * (own + count);
  form->ages = ages;
  form->extra = DAE__ALLOC(arena, dae__extra, form->inputs - own);
  if (!form->extra)
    return dae__out_of_memory(err);
  dae__extra *e = form->extra;
  for (int age = 2; age <= ages; age++)
    for (int i = 0; i < own; i++)
      *e++ = (dae__extra){-1, i, age};
  for (int age = 1; age <= ages; age++)
    for (int i = 0; i < count; i++)
      *e++ = (dae__extra){r->part, dae__iterates_entries(form->iterates)[i], age};
  return DAE_OK;
}

dae_status dae__form_create(dae__arena *arena, const dae__form_recipe *r, dae__form *form,
                            dae_error *err)
{
  dae__member_options opts = {.carried = r->carried, .locks = r->locks};
  *form = (dae__form){.ages = 1};
  dae_status status = dae__member_create(arena, r->coupled, r->part, &opts, &form->member, err);
  DAE__TRY(status);
  form->problem = dae__member_problem(form->member);
  form->inputs = dae__member_inputs(form->member);
  if (r->slack)
    status = form_make_slack(arena, r, form, err);
  else if (r->terms)
    status = form_make_iterates(arena, r, form, err);
  return status;
}

void dae__form_start(const dae__form *form, int part, const int *first, const double *coupled,
                     double *y)
{
  int size = first[part + 1] - first[part];
  for (int i = 0; i < size; i++)
    y[form->entry ? form->entry[i] : i] = coupled[first[part] + i];
  if (!form->slack)
    return;
  /* the slack variables stand where no entry of the part's own does */
  int total = dae_problem_size(form->problem), next = 0;
  for (int at = 0, i = 0; at < total; at++) {
    while (i < size && form->entry[i] < at)
      i++;
    if (i < size && form->entry[i] == at)
      continue;
    dae_port port = dae__slack_variables(form->slack)[next++];
    y[at] = coupled[first[port.part] + port.variable];
  }
}
