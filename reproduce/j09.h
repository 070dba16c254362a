/* [J09]: orders of SPARK methods, and what becomes of the energy. The paper prints no numbers: the
 * references are those of a prototype with the corrected equations, whose problems these are.
 *
 * Multipliers have daedal's sign, M v' + G'lambda + K'psi = f. */
#ifndef DAEDAL_REPRODUCE_J09_H
#define DAEDAL_REPRODUCE_J09_H

#include "reproduce.h"

#include <daedal/run.h>

/* ---- j09_runs.c: one run ---- */

typedef enum j09_problem {
  J09_PENDULUM,
  J09_SAND,        /* on a circle, driven round */
  J09_RHEO_LENGTH, /* on a circle that grows */
  J09_KNIFE,       /* skate on an inclined plane: nonholonomic */
  J09_SLEIGH,      /* Chaplygin's: nonholonomic */
  J09_MIXED,       /* skate on a cylinder: holonomic and nonholonomic */
  J09_CURV_LAG,    /* the pendulum in curved coordinates */
  J09_CURV_HAM,    /* the same by its Hamiltonian, in the momentum form */
  J09_SPRING_PENDULUM,
  J09_NHPARTICLE, /* nonholonomic */
  J09_PROBLEMS
} j09_problem;

const char *j09_name(j09_problem problem);

typedef enum j09_method {
  J09_GAUSS, /* Gauss-Lobatto */
  J09_RADAU, /* Radau IIA-Lobatto */
  J09_AB_B,  /* Lobatto IIIA-x-IIIB, x = B, ... */
  J09_AB_C,
  J09_AB_C_STAR,
  J09_AB_D,
  J09_IIIC, /* Lobatto IIIC, g at s + 1 Lobatto points */
  J09_IIID, /* Lobatto IIID, the same */
  J09_METHODS
} j09_method;

const char *j09_method_name(j09_method method);

typedef struct j09_case {
  j09_problem problem;
  j09_method method;
  int stages;
  double step; /* fixed */
  long steps;
} j09_case;

/* Where a run stands after a step, and at its start. */
typedef struct j09_point {
  double t;
  int n, ng, nk; /* coordinates, and as many velocities or momenta; constraints */
  const double *y, *z, *lambda, *psi;
  double energy, g, gdot, k; /* as the model's outputs say, NaN: not among them */
} j09_point;

typedef void j09_look(void *user, const j09_point *at);

/* Runs it without projection, since the method keeps the constraints by itself. False if the report
 * is at its end. A run that gives up says why in trouble. */
bool j09_case_run(rep_report *report, const j09_case *run, j09_look *look, void *user,
                  char trouble[256]);

/* ---- j09_curv_ham.c ---- */

void j09_curv_ham(dae_run_plan *plan); /* the problem and its start */

/* ---- j09_exact.c ---- */

/* y, z, lambda and psi, one after the other, at the end time of the problem. */
#define J09_VALUES 10
typedef struct j09_exact {
  double t;
  double values[J09_VALUES];
} j09_exact;

j09_exact j09_solution(j09_problem problem);

/* ---- j09_orders.c, j09_energy.c, j09.c ---- */

void j09_orders(rep_report *report);
void j09_energies(rep_report *report);

extern const char j09_notes[];
dae_status j09_run(rep_report *report);

#endif
