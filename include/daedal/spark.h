/** @file
 * SPARK methods: specialised partitioned additive Runge-Kutta methods for [J09 (1)]
 *
 *     y' = v(t,y,z),  d/dt p(t,y,z) = f(t,y,z,psi) + r(t,y,lambda),  0 = g(t,y),  0 = k(t,y,z).
 *
 * A method is a tableau of coefficients: A for v, Ah (hat) for f, At (tilde) for r, and Ab (bar)
 * for the points at which g = 0. There are constructors for the known families; a user may also
 * define a tableau. */
#ifndef DAEDAL_SPARK_H
#define DAEDAL_SPARK_H

#include <daedal/integrator.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Largest number of stages: higher orders than 24 exceed double precision. */
#define DAE_SPARK_MAX_STAGES 12

/** Tableau of a method. Matrices are stored by rows: entry (i,j) of A is A[i * s + j], of At it is
 * At[i * nt + j].
 *
 * nt = s + 1 is an (s,s) method: A is invertible, the multipliers lambda have one stage more than
 * the other unknowns. With nt = s the points at which g = 0 are the stages themselves, ct = c and
 * Ab = A, as for Lobatto IIIA-x-IIIB, with singular A. */
typedef struct dae_spark_tableau {
  const char *name; /**< name in messages, may be NULL */
  int s;            /**< number of stages Y, Z, Psi */
  int nt;           /**< number of tilde stages, of lambda: s + 1, or s */
  const double *c;  /**< s: nodes, c = A 1 */
  const double *b;  /**< s: weights of y, from v */
  const double *A;  /**< s x s: stages of y, from v */
  const double *bh; /**< s: weights of p, from f */
  const double *Ah; /**< s x s: stages of p, from f */
  const double *ct; /**< nt: nodes of the points at which g = 0, ct = Ab 1 */
  const double *bt; /**< nt: weights of p, from r */
  const double *Ab; /**< nt x s: points at which g = 0, from v; first row 0, last row b' */
  const double *At; /**< s x nt: stages of p, from r */
} dae_spark_tableau;

/** Families of tableaux. */
typedef enum dae_spark_family {
  DAE_SPARK_GAUSS,         /**< Gauss-Lobatto: order 2s, symmetric, symplectic; s >= 1 */
  DAE_SPARK_RADAU,         /**< Radau IIA-Lobatto: order 2s - 1, dissipative; s >= 1 */
  DAE_SPARK_LOBATTO_C,     /**< A = Lobatto IIIC, g at s + 1 Lobatto points: order 2s - 2; s >= 2 */
  DAE_SPARK_LOBATTO_D,     /**< A = Lobatto IIID, g at s + 1 Lobatto points: order 2s - 2; s >= 2 */
  DAE_SPARK_LOBATTO_A_X_B, /**< A = IIIA, Ah = IIIx, At = IIIB on the same s Lobatto points: order
                              2s - 2, RATTLE for s = 2; s >= 2 */
  DAE_SPARK_FAMILIES       /**< number of families */
} dae_spark_family;

/** Coefficients Ah on Lobatto nodes. */
typedef enum dae_spark_hat {
  DAE_SPARK_HAT_SAME,   /**< Ah = A: for all families except Lobatto A-x-B */
  DAE_SPARK_HAT_A,      /**< IIIA */
  DAE_SPARK_HAT_B,      /**< IIIB */
  DAE_SPARK_HAT_C,      /**< IIIC */
  DAE_SPARK_HAT_C_STAR, /**< IIIC* */
  DAE_SPARK_HAT_D,      /**< IIID */
  DAE_SPARK_HATS        /**< number of hats */
} dae_spark_hat;

/** Creates a tableau of a family, accurate to round-off; refused if dae_spark_tableau_validate
 * refuses it. Its arrays are valid until it is freed. */
dae_status dae_spark_tableau_create(dae_spark_family family, dae_spark_hat hat, int s,
                                    const dae_env *env, dae_spark_tableau **out, dae_error *err);
/** Frees a tableau of dae_spark_tableau_create; NULL is allowed. */
void dae_spark_tableau_free(dae_spark_tableau *tableau);

/** Refuses a tableau that does not apply to all problems [J09 (1)], with the name of the failed
 * assumption of [J09]: relations between the coefficients, which must hold to 1e-12, and regularity
 * of the matrices that determine the multipliers lambda and psi. */
dae_status dae_spark_tableau_validate(const dae_spark_tableau *tableau, dae_error *err);

/* Integrators: spark-gauss, spark-radau, spark-lobatto, and any tableau. They apply to mechanical
 * problems without algebraic variables, coupled problems that assemble into one, and problems in
 * the momentum form. */

/** Error estimate of a step. */
typedef enum dae_spark_estimate {
  DAE_SPARK_ESTIMATE_EMBEDDED, /**< derivative at the start of the step: no further evaluations */
  DAE_SPARK_ESTIMATE_DOUBLING  /**< two steps of half the size, whose result is used */
} dae_spark_estimate;

/** Tableau of spark-lobatto. */
typedef enum dae_spark_member {
  DAE_SPARK_MEMBER_AB, /**< IIIA-x-IIIB, with x the hat */
  DAE_SPARK_MEMBER_C,  /**< IIIC, g at s + 1 Lobatto points */
  DAE_SPARK_MEMBER_D   /**< IIID, g at s + 1 Lobatto points */
} dae_spark_member;

/** Options of the SPARK methods. */
typedef struct dae_spark_options {
  double rtol;                 /**< relative tolerance */
  double atol;                 /**< absolute tolerance; 0: rtol/100 */
  int stages;                  /**< number of stages s; 0: by tolerance and cost */
  double step;                 /**< fixed step size, 0: variable */
  double first_step;           /**< initial step size, 0: automatic */
  double max_step;             /**< largest step size, 0: no limit */
  dae_spark_estimate estimate; /**< error estimate of variable steps */
  bool project;     /**< projection of accepted and interpolated states onto the constraints */
  int max_failures; /**< failed attempts at one step before the run ends */
  dae_spark_member member; /**< spark-lobatto: the tableau */
  dae_spark_hat hat; /**< spark-lobatto: the hat; DAE_SPARK_HAT_SAME: B, or that of the member */
} dae_spark_options;

/** Default options. */
dae_spark_options dae_spark_defaults(void);
extern const dae_option_table dae_spark_option_table; /**< options of spark-gauss, spark-radau */
extern const dae_option_table dae_spark_lobatto_option_table; /**< options of spark-lobatto */

/** @name Constructors
 * Constructors make the start consistent. opts NULL: defaults.
 * @{ */

/** An integrator `spark-gauss`. */
dae_status dae_spark_gauss_create(const dae_problem *problem, const dae_start *start,
                                  const dae_spark_options *opts, const dae_env *env,
                                  dae_integrator **out, dae_error *err);
/** An integrator `spark-radau`. */
dae_status dae_spark_radau_create(const dae_problem *problem, const dae_start *start,
                                  const dae_spark_options *opts, const dae_env *env,
                                  dae_integrator **out, dae_error *err);
/** An integrator `spark-lobatto`. */
dae_status dae_spark_lobatto_create(const dae_problem *problem, const dae_start *start,
                                    const dae_spark_options *opts, const dae_env *env,
                                    dae_integrator **out, dae_error *err);
/** An integrator with a given tableau, which must outlive it and determines the stages. */
dae_status dae_spark_create(const dae_problem *problem, const dae_start *start,
                            const dae_spark_tableau *tableau, const dae_spark_options *opts,
                            const dae_env *env, dae_integrator **out, dae_error *err);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
