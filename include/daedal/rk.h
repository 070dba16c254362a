/* Classical one-step methods with fixed steps: explicit Euler, Heun, the classical Runge-Kutta
 * method, the trapezoidal rule and Radau IIA. They keep no history and begin anew at no cost, as
 * the parts of a dynamic iteration want it, and they are what textbooks begin with.
 *
 * They take semi-explicit problems of index 1, plain differential equations among them, with
 * regular M (radau-iia: singular M too), mechanical ones (the implicit methods: without
 * constraints), and coupled ones that assemble into one of these. */
#ifndef DAEDAL_RK_H
#define DAEDAL_RK_H

#include <daedal/integrator.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dae_rk_options {
  double rtol, atol; /* of iterations inside a step, which go to round-off where they can: one that
                        ends above 1e-3 rtol (|y| + atol/rtol) has failed */
  double step;       /* size of the steps; has to be given */
  bool project;      /* explicit methods: states onto the constraints after every step */
  int stages;        /* radau-iia: 1 to 3 */
} dae_rk_options;

dae_rk_options dae_rk_defaults(void);
extern const dae_option_table dae_rk_option_table; /* euler, heun, rk4 */
extern const dae_option_table dae_trapezoid_option_table;
extern const dae_option_table dae_radau_iia_option_table;

/* They make the start consistent themselves. opts NULL is refused like a step size of 0: it has to
 * be given. */
dae_status dae_euler_create(const dae_problem *problem, const dae_start *start,
                            const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                            dae_error *err);
dae_status dae_heun_create(const dae_problem *problem, const dae_start *start,
                           const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                           dae_error *err);
dae_status dae_rk4_create(const dae_problem *problem, const dae_start *start,
                          const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                          dae_error *err);
dae_status dae_trapezoid_create(const dae_problem *problem, const dae_start *start,
                                const dae_rk_options *opts, const dae_env *env,
                                dae_integrator **out, dae_error *err);
dae_status dae_radau_iia_create(const dae_problem *problem, const dae_start *start,
                                const dae_rk_options *opts, const dae_env *env,
                                dae_integrator **out, dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
