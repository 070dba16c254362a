/* A system that solves algebraic equations of others along with its own [E07 Remarks 3.2, 3.6]:
 *
 *   its equations,  0 = F_p(x_p, s, z)  for every algebraic loop between system p and this one
 *
 * where the slack variables s stand for algebraic variables of the donors p, which replace the
 * inputs that are wired to them, and z are the system's own variables. The values of s are not
 * exchanged: an iteration that exchanges z contracts as if there were no loop. Loops are found from
 * the patterns of the systems and the wires; semi-explicit systems take part with F, mechanical
 * ones with c.
 *
 * The problem's state vector is that of the system with s after its algebraic variables. Its inputs
 * are those of the system (those replaced by s are not read), then the other variables that the
 * donor equations depend on, given as ports: differential variables of the donors, and the sources
 * of their wires; with `lagged` also the system's own differential variables, which are otherwise
 * the present ones. */
#ifndef DAEDAL_WAVE_VARIANTS_SLACK_H
#define DAEDAL_WAVE_VARIANTS_SLACK_H

#include "problem/coupled/element.h"
#include "problem/coupled/scatter.h"
#include "wave/subsystems/forward.h"

/* Sizes of a system in the layout of its element: (q, u, w), inputs. */
typedef struct dae__system_sizes {
  int q, u, w, in;
} dae__system_sizes;

/* Entries of a donor's J or J_in that belong to J, or to J_in. */
typedef struct dae__submatrix {
  dae_pattern pattern;
  int *entry; /* of the donor's matrix, for each entry of the pattern */
  int *row, *col;
} dae__submatrix;

/* A system whose equations are taken: the base with all of them, others with those of a loop.
 * Places of variables and inputs: column j of J as j, input k as -1 - k. */
typedef struct dae__donor {
  int system;
  dae__element e;
  int *row; /* place of each equation (f, s, c), -1: not taken */
  int *z, *in;
  double *z_values; /* its z in one vector */
  double *rows;     /* its F, or c */
  const dae_pattern *J_pattern;
  double *J, *J_in;            /* values */
  dae__submatrix submatrix[4]; /* J in J, J_in in J; J in J_in, J_in in J_in */
} dae__donor;

/* Algebraic variables of all systems, one system after the other, and then their equations, in
 * blocks connected by dF/dy. */
typedef struct dae__loops {
  int *first;    /* of each system; then their number */
  int *block_of; /* another one of the block, or itself (union-find) */
  bool *taken;   /* blocks in a loop with the system */
} dae__loops;

typedef struct dae__slack {
  dae__forward forward; /* to a mechanical base */
  dae__arena *arena;
  const dae_coupled *coupled;
  int system;
  const bool *from;
  bool lagged;
  bool unused; /* the base sees its inputs as given */
  dae_problem base, problem;
  dae_mechanical mechanical;
  dae_semi_explicit semi_explicit;
  dae__loops loops;

  dae__system_sizes n; /* of the system; its inputs are those of the base */
  int nz;              /* its (q, v, u, w) */
  int count;           /* of the slack variables */
  dae_port *variable;  /* that each slack variable stands for: their start values */
  int inputs;          /* after those of the base */
  dae_port *port;      /* variable of each of these inputs */
  int donors;          /* the base first */
  dae__donor *donor;

  dae_pattern J, J_in;
  dae__piece *J_piece, *J_in_piece; /* two for each donor */
  double *submatrix_values;
} dae__slack;

typedef struct dae__slack_options {
  const bool *from;        /* systems that may be donors; NULL: all others */
  bool lagged;             /* own differential variables in donor equations from inputs: Remark 3.6,
                              corrected */
  const dae_problem *base; /* the augmented system, with further inputs; NULL: the system itself */
  const dae_error *why;    /* of the coupled problem, see dae_problem */
} dae__slack_options;

/* All memory is the arena's. The coupled problem and the base must outlive the result, which must
 * stay at its address. It calls callbacks of the donors, which no other thread may be using then.
 * Its problem has no `input` and `input_user`, and belongs to one thread; without a loop it is the
 * base. DAE_ERROR_UNSUPPORTED names a donor whose algebraic equations are not of index 1. */
dae_status dae__slack_create(dae__arena *arena, const dae_coupled *coupled, int system,
                             const dae__slack_options *opts, dae__slack **out, dae_error *err);

/* Whether the slack variables replace inputs, as they do after create: else the system's own
 * equations see its inputs as given [E07 Remark 3.6: in every other sweep]. */
void dae__slack_use(dae__slack *s, bool use);

/* The entry of the problem's state vector that is entry i of the system's. */
int dae__slack_entry(const dae__slack *s, int i);

/* ---- slack_problem.c ---- */

/* The description of the extended problem, from all places. */
dae_status dae__slack_describe(dae__slack *s, dae_error *err);

#endif
