/* Multifrontal LU of a sparse matrix with a structurally symmetric elimination and an order of
 * pivots that is known before the values [DR83]:
 *
 *   fronts      the unknowns are divided into fronts, nodes of a tree. The matrix of a front has
 * its w pivots first, then the r unknowns that occur in the same equations and are eliminated
 * later; eliminating the pivots leaves an r x r matrix, which is added to the front of the parent.
 *   order       minimum degree [ADD96]; unknowns with a zero on the diagonal, as multipliers, come
 *               after all unknowns of the equation with their number. With M positive definite,
 *               every pivot of [M A'; A 0] is then different from zero.
 *
 * Pivots are not exchanged: a pivot that loses digits is for another solver, such as KLU. Chains
 * and trees of bodies take a work proportional to their number, a diagonal, block-diagonal or
 * banded Schur complement is one without being detected. */
#ifndef DAEDAL_LINALG_FRONTS_PLAN_H
#define DAEDAL_LINALG_FRONTS_PLAN_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct dae__front {
  int width, size;      /* numbers w of pivots, and w + r of all unknowns */
  int children;         /* number of fronts whose parent this is */
  int unknowns, places; /* begin of its unknowns; begin of places of its rest in the parent */
  int entries;          /* begin of its matrix entries; those of the next front end them */
} dae__front;

typedef struct dae__fronts_plan {
  bool symmetric;    /* whether the entries are those of the lower triangle only */
  int n, count;      /* numbers of unknowns and of fronts */
  dae__front *front; /* count + 1 fronts, children before their parents */
  int *unknown;      /* unknowns of each front, pivots first */
  int *place;        /* place of each remaining unknown of a front in its parent */
  int *diagonal;     /* entry of the matrix on the diagonal, -1: none */
  int *entry;        /* entries of the matrix, front by front */
  int pairs, *pair; /* symmetric: entries (i, j) and (j, i) with i, j < late, one after the other */
  int *entry_place; /* place of each of these entries in the matrix of its front, by columns */
  size_t factors, stack; /* largest numbers of entries: of all factors, of matrices that wait */
  int largest;           /* size of the largest front */
} dae__fronts_plan;

/* Creates the plan for a square pattern. Unknowns from `late` on may have a zero on the diagonal.
 * symmetric: a matrix has this structure, and equal entries (i, j) and (j, i) with i >= late. NULL:
 * out of memory, which the arena records, or elimination would fill in the matrix. */
dae__fronts_plan *dae__fronts_plan_create(dae__arena *arena, const dae_pattern *pattern, int late,
                                          bool symmetric);

/* ---- order of elimination ---- */

/* Order and structure of the elimination, in the memory of its arena. */
typedef struct dae__fronts_order {
  int *pivot;          /* n unknowns in the order of their elimination */
  int *position;       /* position of each unknown in it */
  int **rest, *length; /* unknowns of each column of L below the pivot, by unknown */
} dae__fronts_order;

/* False: out of memory, or the columns of L have more than `most` entries. */
bool dae__fronts_order_create(dae__arena *arena, const dae_pattern *pattern, int late, size_t most,
                              dae__fronts_order *out);

#endif
