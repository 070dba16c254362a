/* A part that solves the algebraic equations of others along with its own [E07 Remarks 3.2, 3.6]:
 *
 *   its equations,  0 = F_p(x_p, s, z)  for every algebraic loop between p and the part
 *
 * where the slack variables s stand for algebraic variables of the other parts, which take the
 * place of the inputs that are wired to them, and z are the part's own variables. What is found for
 * s is not used: an iteration that exchanges z contracts as if there were no loop. A loop is found
 * from the patterns of the parts and the wires; semi-explicit parts take part with F, mechanical
 * ones with c.
 *
 * The problem's state vector is that of the part with s after its algebraic variables. Its inputs
 * are those of the part (where s takes the place of one, it is not looked at), then what else the
 * equations of the others depend on. They are given as ports: differential variables of the others,
 * and whatever they are wired to; with `lagged` also the part's own differential variables, which
 * are otherwise taken as they are. */
#ifndef DAEDAL_WAVE_VARIANTS_SLACK_H
#define DAEDAL_WAVE_VARIANTS_SLACK_H

#include "core/arena.h"
#include <daedal/problem.h>

typedef struct dae__slack dae__slack;

typedef struct dae__slack_options {
  const bool *from; /* of each part: its equations may be taken; NULL: of all others */
  bool lagged;      /* own differential variables in them from inputs: Remark 3.6, corrected */
  const dae_problem *base; /* the part as a member has it, with further inputs; NULL: as it is */
  const dae_error *why;    /* of the coupled problem, see dae_problem */
} dae__slack_options;

/* All memory is the arena's. The coupled problem and the base must outlive the slack form, which
 * must stay where it is. It calls callbacks of the other parts, which no other thread may be using
 * then. DAE_ERROR_UNSUPPORTED names a part in the loop whose algebraic equations are not of
 * index 1.
 */
dae_status dae__slack_create(dae__arena *arena, const dae_coupled *coupled, int part,
                             const dae__slack_options *opts, dae__slack **out, dae_error *err);

/* The problem without `input` and `input_user`; it belongs to one thread. Without a loop it is the
 * base. */
const dae_problem *dae__slack_problem(const dae__slack *s);

/* Whether the slack variables take the place of inputs, as they do to begin with: else the part's
 * own equations see its inputs as they are given [E07 Remark 3.6: in every other sweep]. */
void dae__slack_use(dae__slack *s, bool use);

/* How many slack variables there are, and which variables they stand for: their start values. */
int dae__slack_count(const dae__slack *s);
const dae_port *dae__slack_variables(const dae__slack *s);

/* How many inputs there are after those of the base, and which variables they are. */
int dae__slack_inputs(const dae__slack *s);
const dae_port *dae__slack_ports(const dae__slack *s);

/* Where entry i of the part's state vector stands in that of the problem. */
int dae__slack_entry(const dae__slack *s, int i);

#endif
