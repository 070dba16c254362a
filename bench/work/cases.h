/* The problems of bench_work: daedal's side as it is declared in C, the forms of the peers, and
 * what is known of the end. */
#ifndef DAEDAL_BENCH_CASES_H
#define DAEDAL_BENCH_CASES_H

#include "form.h"
#include "problems/problems.h"

#define MOST_UNKNOWNS 140 /* of a case, and of a form */

/* What summaries are made for. */
typedef enum bench_kind { NON_STIFF, STIFF, INDEX_1, COUPLED, KINDS } bench_kind;
extern const char *const bench_kind_names[KINDS];

typedef struct bench_case {
  const char *title;
  bench_kind kind;
  test_problem problem; /* its name is that of the case */
  const char *text;     /* of a model that says the same, or */
  const char *model;    /* its name in examples/models; NULL: neither */
  int scored;           /* the first entries of the state vector: q and v, or all */
  const peer_form *forms;
  int form_count;
} bench_case;

/* All of them, in the order they are shown; false past the last one. */
bool case_at(int i, bench_case *out);
#define MOST_CASES 20

bench_case case_pendulum(void);
bench_case case_car_axis(void);
bench_case case_double_pendulum(void);
bench_case case_four_bar(void);
bench_case case_seven_bodies(void);
bench_case case_triple_pendulum(void);
bench_case case_sphere_points(void);
bench_case case_stiff_crank(void);
bench_case case_stiff_load(void);
bench_case case_damped_crank(void);
bench_case case_knife_edge(void);
bench_case case_cylinder_skate(void);
bench_case case_amplifier(void);
bench_case case_akzo(void);
bench_case case_robertson(void);
bench_case case_two_circuits(void);
bench_case case_structures(void);

#endif
