/* The monolithic assembly: a coupled problem as one mechanical or one semi-explicit problem, so
 * that any one-system method can run it and iterated results can be verified.
 *
 * Semi-explicit parts alone give one semi-explicit problem, x = (x of all parts), y likewise. With
 * a mechanical part among them the result is mechanical: q, v, u and w of all parts one after the
 * other, where x of a semi-explicit part stands among u and its y among w; joints are further
 * holonomic constraints. Inputs are taken from the variables they are wired to, and enter the
 * Jacobian there.
 *
 * Unsupported, each refused with DAE_ERROR_UNSUPPORTED naming the part: inputs wired to
 * multipliers, and, beside mechanical parts, semi-explicit ones with a mass matrix or of declared
 * index 2 or 3.
 */
#ifndef DAEDAL_PROBLEM_COUPLED_ASSEMBLY_H
#define DAEDAL_PROBLEM_COUPLED_ASSEMBLY_H

#include "core/arena.h"
#include <daedal/problem.h>

typedef struct dae__assembly dae__assembly;

/* Creates the assembly of a coupled problem in memory of the arena. The parts must outlive it. */
dae_status dae__assembly_create(dae__arena *arena, const dae_problem *coupled, dae__assembly **out,
                                dae_error *err);

/* The assembled problem, which gives every derivative. Unlike a user's problem it belongs to one
 * thread: its callbacks work in memory of the assembly. */
const dae_problem *dae__assembly_problem(const dae__assembly *a);

/* Entry i of the coupled state vector is entry order[i] of the assembled one. */
const int *dae__assembly_order(const dae__assembly *a);
void dae__assembly_gather(const dae__assembly *a, const double *coupled, double *assembled);
void dae__assembly_scatter(const dae__assembly *a, const double *assembled, double *coupled);

#endif
