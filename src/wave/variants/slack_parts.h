/* The inside of a slack form, shared by its files. */
#ifndef DAEDAL_WAVE_VARIANTS_SLACK_PARTS_H
#define DAEDAL_WAVE_VARIANTS_SLACK_PARTS_H

#include "problem/coupled/element.h"
#include "problem/coupled/scatter.h"
#include "wave/subsystems/pass.h"
#include "wave/variants/slack.h"

/* Sizes of a part as its element has them: (q, u, w), inputs. */
typedef struct dae__part_sizes {
  int q, u, w, in;
} dae__part_sizes;
dae__part_sizes dae__part_sizes_of(const dae_part *part);

/* Those entries of a part's J or J_in that go to J, or to J_in. */
typedef struct dae__excerpt {
  dae_pattern pattern;
  int *entry; /* of the part's matrix, for each entry of the pattern */
  int *row, *col;
} dae__excerpt;

/* A part whose equations are taken: the base with all of them, others with those of a loop.
 * Variables and inputs have places: column j of J as j, input k as -1 - k. */
typedef struct dae__lender {
  int part;
  dae__element e;
  int *row; /* place of each equation (f, s, c), -1: not taken */
  int *z, *in;
  double *z_values; /* its z in one piece */
  double *rows;     /* its F, or c */
  const dae_pattern *J_pattern;
  double *J, *J_in;        /* values */
  dae__excerpt excerpt[4]; /* J in J, J_in in J; J in J_in, J_in in J_in */
} dae__lender;

/* Algebraic variables of all parts, one part after the other, and then their equations, in blocks
 * connected by dF/dy. */
typedef struct dae__loops {
  int *first;    /* of each part; then their number */
  int *block_of; /* another one of the block, or itself */
  bool *taken;   /* of each block: it is in a loop with the part */
} dae__loops;

struct dae__slack {
  dae__pass pass; /* to a mechanical base */
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
  int lenders; /* the base first */
  dae__lender *lender;

  dae_pattern J, J_in;
  dae__piece *J_piece, *J_in_piece; /* two for each lender */
  double *excerpt_values;
};

/* ---- slack_loop.c: algebraic variables and equations of other parts in a loop with the part ----
 */

dae_status dae__slack_find(dae__slack *s, dae_error *err);
bool dae__slack_takes(const dae__slack *s, int part, int algebraic);
bool dae__slack_takes_row(const dae__slack *s, int part, int row);

/* ---- slack_problem.c: the description of the extended problem, all places being known ---- */

dae_status dae__slack_describe(dae__slack *s, dae_error *err);

#endif
