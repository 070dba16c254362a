#ifndef DAEDAL_WAVE_VARIANTS_SLACK_H
#define DAEDAL_WAVE_VARIANTS_SLACK_H

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

/* The inside of a slack form, shared by its files. */

#include "problem/coupled/element.h"
#include "problem/coupled/scatter.h"
#include "wave/subsystems/forward.h"
#include "wave/variants/slack.h"

/* Sizes of a part as its element has them: (q, u, w), inputs. */
typedef struct dae__part_sizes {
  int q, u, w, in;
} dae__part_sizes;
dae__part_sizes dae__part_sizes_of(const dae_part *part);

/* Those entries of a part's J or J_in that go to J, or to J_in. */
typedef struct dae__submatrix {
  dae_pattern pattern;
  int *entry; /* of the part's matrix, for each entry of the pattern */
  int *row, *col;
} dae__submatrix;

/* A part whose equations are taken: the base with all of them, others with those of a loop.
 * Variables and inputs have places: column j of J as j, input k as -1 - k. */
typedef struct dae__donor {
  int part;
  dae__element e;
  int *row; /* place of each equation (f, s, c), -1: not taken */
  int *z, *in;
  double *z_values; /* its z in one piece */
  double *rows;     /* its F, or c */
  const dae_pattern *J_pattern;
  double *J, *J_in;            /* values */
  dae__submatrix submatrix[4]; /* J in J, J_in in J; J in J_in, J_in in J_in */
} dae__donor;

/* Algebraic variables of all parts, one part after the other, and then their equations, in blocks
 * connected by dF/dy. */
typedef struct dae__loops {
  int *first;    /* of each part; then their number */
  int *block_of; /* another one of the block, or itself */
  bool *taken;   /* of each block: it is in a loop with the part */
} dae__loops;

struct dae__slack {
  dae__forward forward; /* to a mechanical base */
  dae__arena *arena;
  const dae_coupled *coupled;
  int part;
  const bool *from;
  bool lagged;
  bool unused; /* the base sees its inputs as they are */
  dae_problem base, problem;
  dae_mechanical mechanical;
  dae_semi_explicit semi_explicit;
  dae__loops loops;

  dae__part_sizes n;  /* of the part; its inputs are those of the base */
  int nz;             /* its (q, v, u, w) */
  int count;          /* of the slack variables */
  dae_port *variable; /* what they stand for */
  int inputs;         /* after those of the base */
  dae_port *port;
  int donors; /* the base first */
  dae__donor *donor;

  dae_pattern J, J_in;
  dae__piece *J_piece, *J_in_piece; /* two for each donor */
  double *submatrix_values;
};

/* ---- slack_loop.c: algebraic variables and equations of other parts in a loop with the part ----
 */

dae_status dae__slack_find(dae__slack *s, dae_error *err);
bool dae__slack_takes(const dae__slack *s, int part, int algebraic);
bool dae__slack_takes_row(const dae__slack *s, int part, int row);

/* ---- slack_problem.c: the description of the extended problem, all places being known ---- */

dae_status dae__slack_describe(dae__slack *s, dae_error *err);

#endif
