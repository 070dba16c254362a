/* [J09]: orders of SPARK methods, and long-time behaviour of the energy. The paper prints no
 * numbers: problems and references are those of a prototype with the corrected equations.
 * Multipliers have the signs of daedal, M v' + G'lambda + K'psi = f. */
#ifndef DAEDAL_REPRODUCE_J09_H
#define DAEDAL_REPRODUCE_J09_H

#include "reproduce.h"

#include <daedal/run.h>

/* ---- j09_runs.c: one run ---- */

typedef enum j09_problem {
  J09_PENDULUM,
  J09_SAND,        /* particle on a circle, driven round */
  J09_RHEO_LENGTH, /* particle on a circle that grows */
  J09_KNIFE,       /* skate on an inclined plane: nonholonomic */
  J09_SLEIGH,      /* Chaplygin's sleigh: nonholonomic */
  J09_MIXED,       /* skate on a cylinder: holonomic and nonholonomic */
  J09_CURV_LAG,    /* the pendulum in curved coordinates */
  J09_CURV_HAM,    /* the curvilinear pendulum by its Hamiltonian, in the momentum form */
  J09_SPRING_PENDULUM,
  J09_NHPARTICLE, /* nonholonomic particle */
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
  J09_IIID, /* Lobatto IIID, g at s + 1 Lobatto points */
  J09_METHODS
} j09_method;

const char *j09_method_name(j09_method method);

typedef struct j09_case {
  j09_problem problem;
  j09_method method;
  int stages;
  double step; /* fixed step size */
  long steps;
} j09_case;

/* State of a run at its start and after a step. */
typedef struct j09_point {
  double t;
  int n, ng, nk; /* numbers of coordinates (and of velocities or momenta) and of constraints */
  const double *y, *z, *lambda, *psi;
  double energy, g, gdot, k; /* outputs of the model, NaN: none */
} j09_point;

typedef void j09_look(void *user, const j09_point *at);

/* Runs a case without projection, since the method satisfies the constraints by itself. False
 * after a failure of the report. trouble: reason of a failed run. */
bool j09_case_run(rep_report *report, const j09_case *run, j09_look *look, void *user,
                  char trouble[256]);

/* ---- j09_curv_ham.c ---- */

void j09_curv_ham(dae_run_plan *plan); /* sets the problem and its start */

/* ---- j09_exact.c ---- */

/* Exact y, z, lambda and psi, one after the other, at the end time of the problem. */
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
