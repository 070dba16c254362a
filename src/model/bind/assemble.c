/* Assembly of the problem of a whole model: one system, or several with wires and joints between
 * them. */
#include "core/error.h"
#include "linalg/solver.h"
#include "model/model.h"

/* ---- bound systems ---- */

static void assemble_create_systems(dae__binder *b, dae__layout *out)
{
  dae__expander *x = b->x;
  int instances = x->systems, values = 0;
  for (int i = 0; i < x->leaves.count; i++) {
    bool coordinate = x->leaf_kind.item[i] == DAE__LEAF_COORD;
    b->coordinates = b->coordinates || coordinate;
    values += coordinate ? 2 : (x->leaf_kind.item[i] & DAE__LEAF_VALUES) != 0;
  }
  b->sparse = values > DAE__DENSE_UP_TO;
  out->system = DAE__NEW_ARRAY(x->l->scratch, dae__system, instances);
  out->of_instance = DAE__NEW_ARRAY(x->l->scratch, int, instances);
  if (!dae__load_ok(x->l))
    return;
  for (int i = 0; i < instances && !x->l->status; i++) {
    out->of_instance[i] = -1;
    bool empty = i == 0 && instances > 1; /* the top level of the model beside its systems */
    const dae__instance *own = &x->instances.item[i];
    for (int k = 0; k < own->variables.count && empty; k++)
      empty = x->symbols.item[own->variables.item[k].symbol].kind == DAE__STATEMENT_DISCRETE;
    if (empty && x->instances.item[0].energy_place > 0)
      dae__load_fail(x->l, x->instances.item[0].energy_place,
                     "energies and constraints must be in a system with their variables; use joint "
                     "between systems");
    if (empty)
      continue;
    out->of_instance[i] = out->count;
    dae__system_create(b, i, &out->system[out->count++]);
  }
}

/* ---- layout of the state vector ---- */

static void assemble_place_all(dae__binder *b, dae__layout *out)
{
  dae__expander *x = b->x;
  out->leaves = x->leaves.count;
  out->entry = DAE__NEW_ARRAY(x->l->scratch, int, out->leaves);
  if (!dae__load_ok(x->l))
    return;
  for (int i = 0; i < out->leaves; i++)
    out->entry[i] = -1;
  for (int k = 0; k < out->count; k++) {
    dae__system *u = &out->system[k];
    const dae__instance *own = &x->instances.item[u->instance];
    const dae__ints *variables[] = {&u->q, &u->q, &u->u, &u->w};
    const dae__constraints *constraints[] = {&own->holonomic, &own->nonholonomic};
    u->first = out->size;
    for (int j = 0; j < 4; j++) /* q, then v, the rates of q, u, w */
      for (int i = 0; i < variables[j]->count; i++) {
        int leaf = variables[j]->item[i];
        out->entry[j == 1 ? dae__rate_leaf(x, leaf) : leaf] = out->size++;
      }
    for (int j = 0; j < 2; j++) /* multipliers */
      for (int i = 0; i < constraints[j]->count; i++)
        out->entry[constraints[j]->item[i].leaf] = out->size++;
  }
  for (int i = 0; i < x->joints.count; i++)
    out->entry[x->joints.item[i].leaf] = out->size++;
  for (int i = 0; i < b->held.count; i++)
    out->entry[b->held.item[i]] = out->size + i;
}

/* ---- systems, wires and joints of the coupled problem ---- */

static void assemble_create_wires(dae__binder *b, dae_model *model, const dae__layout *layout)
{
  dae__expander *x = b->x;
  int count = 0;
  for (int i = 0; i < layout->count; i++)
    count += layout->system[i].in.count;
  dae_wire *wire = DAE__ALLOC(b->arena, dae_wire, count);
  model->coupled.wire = wire;
  model->coupled.wires = count;
  if (!dae__bind_ok(b))
    return;
  for (int i = 0; i < layout->count; i++) {
    const dae__system *u = &layout->system[i];
    for (int k = 0; k < u->in.count; k++) {
      int leaf = u->in.item[k];
      int from = layout->of_instance[dae__leaf_home(x, leaf)];
      *wire++ = (dae_wire){i, k, {from, layout->entry[leaf] - layout->system[from].first}};
    }
  }
}

static void assemble_bind_all(dae__binder *b, dae_model *model, dae__layout *layout)
{
  dae__expander *x = b->x;
  dae_part *part = DAE__ALLOC(b->arena, dae_part, layout->count);
  if (!dae__bind_ok(b))
    return;
  for (int i = 0; i < layout->count && !x->l->status; i++) {
    dae__system *u = &layout->system[i];
    const char *name = x->systems > 1 ? x->instances.item[u->instance].name : model->name;
    part[i].name = b->system = name;
    if (u->mechanical)
      part[i].mechanical = dae__bind_mechanical(b, u, name);
    else
      part[i].semi_explicit = dae__bind_semi(b, u, name);
  }
  if (x->systems == 1) {
    model->problem = part[0].mechanical ? dae_problem_mechanical(part[0].mechanical)
                                        : dae_problem_semi_explicit(part[0].semi_explicit);
    return;
  }
  model->coupled.name = model->name;
  model->coupled.part = part;
  model->coupled.parts = layout->count;
  assemble_create_wires(b, model, layout);
  dae_joint *joint = DAE__ALLOC(b->arena, dae_joint, x->joints.count);
  model->coupled.joint = joint;
  model->coupled.joints = x->joints.count;
  if (!dae__bind_ok(b))
    return;
  for (int i = 0; i < x->joints.count && !x->l->status; i++) {
    b->system = x->joints.item[i].name;
    dae__bind_joint(b, &x->joints.item[i], layout->of_instance, layout->system, &joint[i]);
  }
  int *offset = DAE__ALLOC(b->arena, int, layout->count + x->joints.count + 1);
  if (!dae__bind_ok(b))
    return;
  dae_coupled_offsets(&model->coupled, offset);
  model->coupled.offset = offset;
  model->problem = dae_problem_coupled(&model->coupled);
}

/* Names of the held values, and the number of discrete variables among them. */
static void assemble_describe_held(dae__binder *b, dae_model *model)
{
  dae__expander *x = b->x;
  const char **names = DAE__ALLOC(b->arena, const char *, b->held.count);
  for (int i = 0; names && i < b->held.count && dae__load_ok(x->l); i++) {
    names[i] = dae__leaf_name(x, b->held.item[i]);
    model->count.discretes += x->leaves.item[b->held.item[i]].symbol >= 0;
  }
  model->problem.held = (dae_held){.count = b->held.count, .value = b->held_value, .names = names};
}

dae_status dae__build_problem(dae__binder *b, dae_model *model, dae__layout *layout)
{
  dae__expander *x = b->x;
  *layout = (dae__layout){.count = 0};
  if (x->joints.count > 0 && x->systems == 1)
    dae__load_fail(x->l, x->joints.item[0].place,
                   "a joint connects systems, but the model has none; write constraint");
  dae__bind_held(b);
  assemble_create_systems(b, layout);
  if (!dae__bind_ok(b))
    return x->l->status;
  assemble_place_all(b, layout);
  if (dae__bind_ok(b))
    assemble_bind_all(b, model, layout);
  b->system = model->name;
  if (!dae__bind_ok(b))
    return x->l->status;
  dae_model_counts *n = &model->count;
  n->systems = x->systems - 1;
  n->joints = x->joints.count;
  n->outputs = x->outputs.count;
  for (int i = x->guard_events; i < x->events.count;
       i++) /* with friction a contact has two events */
    n->events += !x->events.item[i].rubs;
  for (int i = 0; i < x->guards.count; i++)
    n->guards += !x->guards.item[i].contact;
  model->event_count = x->events.count;
  model->unwatched = x->unwatched;
  for (int i = 0; i < layout->count; i++) {
    const dae__system *u = &layout->system[i];
    const dae__instance *own = &x->instances.item[u->instance];
    n->coordinates += u->q.count;
    n->holonomic += own->holonomic.count;
    n->nonholonomic += own->nonholonomic.count;
    n->algebraic += u->w.count - u->hidden;
    for (int k = 0; k < u->u.count; k++)
      *(x->leaf_kind.item[u->u.item[k]] == DAE__LEAF_ALG ? &n->algebraic : &n->states) += 1;
  }
  assemble_describe_held(b, model);
  dae_status status = dae_problem_validate(&model->problem, x->l->err);
  return x->l->status = status;
}
