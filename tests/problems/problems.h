/* The problems that tests, benches and examples share: a const description, a start, an end time
 * and the state vector there from a source that does not use this library (a closed form, a
 * published value, or references/).
 *
 * Sign convention: M v' + G' lambda + K' psi = f. Everything is static and const, except what the
 * chain allocates; test_problem_free is harmless for the others. */
#ifndef DAEDAL_TEST_PROBLEMS_H
#define DAEDAL_TEST_PROBLEMS_H

#include <daedal/event.h>
#include <daedal/problem.h>
#include <stdbool.h>

typedef struct test_problem {
  const char *name;
  dae_problem problem;
  dae_start start;
  double to;
  int size;                /* entries of the state vector */
  const double *reference; /* state vector at `to`, NaN: not known; NULL: nothing known */
  double accuracy;         /* of the reference, relative to 1 + |value| */
  bool consistent;         /* the start meets g, g_t + G v, k and c (or F) to round-off;
                              multipliers of mechanical starts are always guesses */
  bool conservative;       /* the sum of kinetic and potential energy is constant */
  const dae_event *events;
  int event_count;
  long hits; /* events between start and `to` */
  void *memory;
} test_problem;

/* All problems below with fixed size, and two small chains; false past the last one. The caller
 * frees each. */
bool test_problem_at(int i, test_problem *out);
void test_problem_free(test_problem *problem);

/* -- holonomic -- */
test_problem test_pendulum(void);       /* x^2 + y^2 = 1 to t = 10, every derivative given */
test_problem test_pendulum_bare(void);  /* the same with M, f, g only */
test_problem test_pendulum_eval(void);  /* the same with one call for everything */
test_problem test_pendulum2(void);      /* (x^2 + y^2 - 1)/2 to t = 2 [YP96] */
test_problem test_pendulum_light(void); /* the same under unit gravity [J09] */
test_problem test_track(void);          /* driven round a circle, lambda = 4 t^2 [J09] */
test_problem test_bead(void);           /* M(q) [YP96 test set] */
test_problem test_spring(void);         /* stiff spring, k = 1e4 [YP96 section 5.1] */
test_problem test_curvilinear(void);    /* pendulum in skew coordinates by momenta (p, F) [J09] */
test_problem test_slider_crank(void);   /* five coordinates, four constraints */
test_problem test_parallel_bars(void);  /* three bars, one of them redundant */

/* -- rheonomic -- */
test_problem test_rheonomic_length(void); /* pendulum of length sqrt(1 + t^2) without force */
test_problem test_car_axis(void);
test_problem test_car_axis_bare(void);
test_problem test_car_axis_eval(void); /* with one call for everything */

/* -- nonholonomic -- */
test_problem test_knife_edge(void);
test_problem test_sleigh(void);
test_problem test_cylinder_skate(void); /* with a holonomic constraint besides */

/* -- extra states and algebraic variables -- */
test_problem test_motor(void);

/* -- events -- */
test_problem test_bouncing_ball(void);
test_problem test_pendulum_wall(void);

/* -- semi-explicit and quasi-linear -- */
test_problem test_transistor_amplifier(void);
test_problem test_akzo_nobel(void);
test_problem test_hessenberg2(void);
test_problem test_van_der_pol(void);

/* -- coupled -- */
test_problem test_two_circuits(void); /* a = 0.9: plain iteration contracts by a^2 */
test_problem test_structures(void);   /* two structures and a joint, x2 = 2 y1 [WHM11 (19)] */

/* -- momentum form, with every derivative or with none; not in the list -- */
test_problem test_curv_ham(bool derivatives); /* pendulum in skew coordinates, Hamiltonian [J09] */
test_problem test_curv_lag(bool derivatives); /* the same by its Lagrangian [J09] */
test_problem test_mixed(bool derivatives);    /* cylinder_skate: g and k [J09] */

/* -- sparse, of any size; memory NULL if none was left -- */
typedef enum test_chain_shape { TEST_CHAIN_MODE, TEST_CHAIN_HORIZONTAL } test_chain_shape;
test_problem test_chain(int n, test_chain_shape shape);

/* -- not to be run: two rods of lengths 1 and 2 between the same points; not in the list -- */
test_problem test_contradiction(void);

#endif
