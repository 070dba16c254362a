/** @file
 * SPARK methods: specialised partitioned additive Runge-Kutta methods for [J09 (1)]
 *
 *     y' = v(t,y,z),  d/dt p(t,y,z) = f(t,y,z,psi) + r(t,y,lambda),  0 = g(t,y),  0 = k(t,y,z).
 *
 * A method is a tableau of coefficients: A for v, Ah (hat) for f, At (tilde) for r, and Ab (bar)
 * for the points where g holds. There are constructors for the known families; a tableau may as
 * well be filled in by hand. */
#ifndef DAEDAL_SPARK_H
#define DAEDAL_SPARK_H

#include <daedal/integrator.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Largest number of stages: order 24 is beyond what doubles can show. */
#define DAE_SPARK_MAX_STAGES 12

/** A method. Matrices are stored by rows: entry (i,j) of A is A[i * s + j], of At it is At[i * nt +
 * j].
 *
 * With nt = s + 1 it is an (s,s) method: A is invertible, the multipliers lambda have one stage
 * more than the others. With nt = s the points where g holds are the stages themselves, ct = c and
 * Ab = A, as for Lobatto IIIA-x-IIIB: A is singular there. */
typedef struct dae_spark_tableau {
  const char *name; /**< for messages, may be NULL */
  int s;            /**< stages Y, Z, Psi */
  int nt;           /**< tilde stages, of lambda: s + 1, or s */
  const double *c;  /**< s: nodes, c = A 1 */
  const double *b;  /**< s: weights of y, from v */
  const double *A;  /**< s x s: stages of y, from v */
  const double *bh; /**< s: weights of p, from f */
  const double *Ah; /**< s x s: stages of p, from f */
  const double *ct; /**< nt: nodes of the points where g holds, ct = Ab 1 */
  const double *bt; /**< nt: weights of p, from r */
  const double *Ab; /**< nt x s: those points, from v; first row 0, last row b' */
  const double *At; /**< s x nt: stages of p, from r */
} dae_spark_tableau;

/** Known tableaux. */
typedef enum dae_spark_family {
  DAE_SPARK_GAUSS,         /**< Gauss-Lobatto: order 2s, symmetric, symplectic; s >= 1 */
  DAE_SPARK_RADAU,         /**< Radau IIA-Lobatto: order 2s - 1, dissipative; s >= 1 */
  DAE_SPARK_LOBATTO_C,     /**< A = Lobatto IIIC, g at s + 1 Lobatto points: order 2s - 2; s >= 2 */
  DAE_SPARK_LOBATTO_D,     /**< A = Lobatto IIID, the same */
  DAE_SPARK_LOBATTO_A_X_B, /**< A = IIIA, Ah = IIIx, At = IIIB on the same s Lobatto points: order
                              2s - 2, RATTLE for s = 2; s >= 2 */
  DAE_SPARK_FAMILIES       /**< their number */
} dae_spark_family;

/** Ah, on Lobatto nodes. */
typedef enum dae_spark_hat {
  DAE_SPARK_HAT_SAME,   /**< Ah = A: for all but Lobatto A-x-B */
  DAE_SPARK_HAT_A,      /**< IIIA */
  DAE_SPARK_HAT_B,      /**< IIIB */
  DAE_SPARK_HAT_C,      /**< IIIC */
  DAE_SPARK_HAT_C_STAR, /**< IIIC* */
  DAE_SPARK_HAT_D,      /**< IIID */
  DAE_SPARK_HATS        /**< their number */
} dae_spark_hat;

/** A member of a family, correct to the last digits; refused where dae_spark_tableau_validate
 * refuses it. Its arrays live until it is freed. */
dae_status dae_spark_tableau_create(dae_spark_family family, dae_spark_hat hat, int s,
                                    const dae_env *env, dae_spark_tableau **out, dae_error *err);
/** Of created tableaux only. NULL is allowed. */
void dae_spark_tableau_free(dae_spark_tableau *tableau);

/** Refuses a tableau that does not make steps for all problems of the form above, naming the
 * assumption of [J09] that fails: relations between the coefficients, which must hold to 1e-12, and
 * that the matrices which determine the multipliers lambda and psi are invertible. */
dae_status dae_spark_tableau_validate(const dae_spark_tableau *tableau, dae_error *err);

/* Integrators: spark-gauss, spark-radau, spark-lobatto, and any tableau. They take mechanical
 * problems without algebraic variables, coupled ones that assemble into one, and problems in the
 * momentum form. */

/** How the error of a step is estimated. */
typedef enum dae_spark_estimate {
  DAE_SPARK_ESTIMATE_EMBEDDED, /**< by the derivative at the start of the step: costs nothing */
  DAE_SPARK_ESTIMATE_DOUBLING  /**< by two steps of half the size, which are what is taken */
} dae_spark_estimate;

/** Which tableau spark-lobatto takes. */
typedef enum dae_spark_member {
  DAE_SPARK_MEMBER_AB, /**< IIIA-x-IIIB, x being the hat */
  DAE_SPARK_MEMBER_C,  /**< IIIC, g at s + 1 Lobatto points */
  DAE_SPARK_MEMBER_D   /**< IIID, the same */
} dae_spark_member;

/** Options of all of them. */
typedef struct dae_spark_options {
  double rtol;                 /**< relative tolerance */
  double atol;                 /**< absolute tolerance */
  int stages;                  /**< s; 0: by tolerance and cost */
  double step;                 /**< fixed step size, 0: variable */
  double first_step;           /**< first step size to try, 0: chosen */
  double max_step;             /**< largest step size, 0: no limit */
  dae_spark_estimate estimate; /**< of the error of variable steps */
  bool project;                /**< project accepted and interpolated states onto the constraints */
  int max_failures;            /**< failed attempts at one step before giving up */
  dae_spark_member member;     /**< of spark-lobatto only: the tableau */
  dae_spark_hat hat; /**< of spark-lobatto only; DAE_SPARK_HAT_SAME: B, or that of the member */
} dae_spark_options;

/** The options as they are without further words. */
dae_spark_options dae_spark_defaults(void);
extern const dae_option_table dae_spark_option_table;         /**< of spark-gauss, spark-radau */
extern const dae_option_table dae_spark_lobatto_option_table; /**< of spark-lobatto */

/** @name Constructors
 * They make the start consistent themselves. opts NULL: defaults.
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
/** One with a tableau of the user's, which has to live as long as the integrator; `stages` is its
 * own. */
dae_status dae_spark_create(const dae_problem *problem, const dae_start *start,
                            const dae_spark_tableau *tableau, const dae_spark_options *opts,
                            const dae_env *env, dae_integrator **out, dae_error *err);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
