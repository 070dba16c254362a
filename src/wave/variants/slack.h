/* A system extended by algebraic equations of other systems [E07 Remarks 3.2, 3.6]:
 *
 *   its equations,  0 = F_p(x_p, s, z)  for every algebraic loop between system p and this one
 *
 * where the slack variables s stand for algebraic variables of the donors p and replace the inputs
 * that are wired to these, and z are the system's own variables. The values of s are not
 * exchanged: an iteration that exchanges z contracts as if there were no loop. Loops are found from
 * the patterns of the systems and the wires; semi-explicit systems take part with F, mechanical
 * ones with c.
 *
 * The extended state vector is that of the system with s, from index nz, after its algebraic
 * variables. Its inputs
 * are those of the system (those replaced by s are not read), then the other variables that the
 * donor equations depend on, given as ports: differential variables of the donors, and the sources
 * of their wires; with `lagged` also the system's own differential variables, which are otherwise
 * the present ones. */
#ifndef DAEDAL_WAVE_VARIANTS_SLACK_H
#define DAEDAL_WAVE_VARIANTS_SLACK_H

#include "problem/coupled/element.h"
#include "problem/coupled/scatter.h"
#include "wave/subsystems/forward.h"

/* Numbers of coordinates, extra states, algebraic variables and inputs of a system, in the layout
 * (q, u, w) of its element. */
typedef struct dae__system_sizes {
  int q, u, w, in;
} dae__system_sizes;

/* Entries of J or J_in of a donor that belong to J, or to J_in, of the extended problem. */
typedef struct dae__submatrix {
  dae_pattern pattern;
  int *entry; /* index in the donor's matrix of each entry of the pattern */
  int *col;   /* column in the extended problem of each column of the pattern */
} dae__submatrix;

/* A system whose equations the extended problem contains: all equations of the base, the equations
 * of a loop of other donors. Places of variables and inputs are encoded as j for column j of J, and
 * -1 - k for input k. */
typedef struct dae__donor {
  int system;
  dae__element e;
  int *row; /* row of each equation (f, s, c) in the extended problem, -1: not taken */
  int *z, *in;
  double *z_values; /* values of the donor's (q, v, u, w) */
  double *rows;     /* values of the donor's F, or c */
  const dae_pattern *J_pattern;
  double *J, *J_in;            /* values of the donor's matrices */
  dae__submatrix submatrix[4]; /* entries of J and of J_in within J, then within J_in */
} dae__donor;

/* Blocks, connected by dF/dy, of the algebraic variables of all systems, one system after the
 * other, followed by their algebraic equations. */
typedef struct dae__loops {
  int *first;    /* first algebraic variable of each system; at the end their number */
  int *block_of; /* parent in the union-find forest of blocks */
  bool *taken;   /* marks blocks in a loop with the system */
} dae__loops;

typedef struct dae__slack {
  dae__forward forward; /* callbacks of the base */
  dae__arena *arena;
  const dae_coupled *coupled;
  int system;
  const bool *from; /* marks systems that may be donors, and the system itself */
  bool lagged;
  const bool *unused; /* whether the base reads its inputs, not the slack variables; NULL: never */
  dae_problem base, problem;
  dae_mechanical mechanical;
  dae_semi_explicit semi_explicit;
  dae__loops loops;

  dae__system_sizes n; /* sizes of the system, with the inputs of the base */
  int nz;              /* size of the system's (q, v, u, w) */
  int count;           /* number of slack variables */
  dae_port *variable;  /* variable that each slack variable replaces, also its start value */
  int inputs;          /* number of inputs beyond those of the base */
  dae_port *port;      /* variable that each of these inputs is */
  int donors;          /* number of donors, the base being the first */
  dae__donor *donor;

  dae_pattern J, J_in;
  dae__piece *J_piece, *J_in_piece; /* pieces of J and J_in, two for each donor */
  double *submatrix_values;
} dae__slack;

typedef struct dae__slack_options {
  const bool *from; /* marks systems that may be donors; NULL: all others */
  /* own differential variables in donor equations are inputs [E07 Remark 3.6, corrected] */
  bool lagged;
  /* problem to be extended, the augmented system; NULL: the system itself */
  const dae_problem *base;
  /* whether the system's own equations read its inputs at present, not the slack variables, as in
   * every other sweep of [E07 Remark 3.6]; NULL: never */
  const bool *unused;
  const dae_error *why; /* error details of the coupled problem, see dae_problem */
} dae__slack_options;

/* Creates the extended problem, with all memory from the arena. The coupled problem and the base
 * must outlive the result, which must stay at its address. It calls callbacks of the donors, which
 * no other thread may call at the same time. Its problem has no `input` and `input_user`, and
 * belongs to one thread; without a loop it is the base. DAE_ERROR_UNSUPPORTED names a donor whose
 * algebraic equations are not of index 1. */
dae_status dae__slack_create(dae__arena *arena, const dae_coupled *coupled, int system,
                             const dae__slack_options *opts, dae__slack **out, dae_error *err);

/* ---- slack_problem.c ---- */

/* Describes the extended problem, from the places of all equations, variables and inputs. */
dae_status dae__slack_describe(dae__slack *s, dae_error *err);

#endif
