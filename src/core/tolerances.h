/* Tolerances common to several layers, all relative, and the constants of projections and
 * consistent starts. Constants of one method are in its own file. */
#ifndef DAEDAL_CORE_TOLERANCES_H
#define DAEDAL_CORE_TOLERANCES_H

/* Largest residual of a constraint, over the sum of its terms, at which a state counts as
 * consistent and is not projected. Chosen: about 5000 units of round-off, well below the tolerances
 * of runs. */
#define DAE__ON_CONSTRAINT 1e-12

/* Largest relative residual of a constraint at which the consistent start accepts it once its
 * iteration stagnates. Chosen, not measured; Newton usually ends at round-off. */
#define DAE__START_MET 1e-10

/* Remainder of a constraint row after elimination of the rows before it, relative to the row, below
 * which the row counts as dependent. Chosen, not measured; differenced Jacobians are good to about
 * 1e-12. */
#define DAE__RANK_TOLERANCE 1e-9
/* Tolerance of the rank for derivatives by first-order differences, which are accurate to about
 * 1e-8. */
#define DAE__RANK_TOLERANCE_COARSE 1e-6
/* Such a remainder of a row below which it counts as nearly dependent. Chosen, not measured. */
#define DAE__NEARLY_DEPENDENT 1e-5
/* Residual of a constraint masked as dependent, relative to its terms, above which it no longer
 * depends on the others. Chosen, not measured. */
#define DAE__STILL_DEPENDENT 1e-7
/* Coefficient of an independent row in the combination that equals a dependent row, above which the
 * two are exchanged; its reciprocal follows, so that they are not exchanged back at once. Chosen,
 * not measured. */
#define DAE__EXCHANGE_COEFFICIENT 2
/* Coefficient of a row in the linear combination that equals a dependent row, relative to the
 * largest coefficient, above which a message names the row. */
#define DAE__NAMED_COEFFICIENT 1e-6

/* Reciprocal condition number below which a matrix counts as singular. Chosen: 50 units of
 * round-off, at which no digit of a solution is left. */
#define DAE__SINGULAR_RCOND 1e-14

/* Projection: largest number of iterations, and ratio of successive residuals above which the
 * matrix is factored anew. Chosen, not measured. */
#define DAE__PROJECTION_ITERATIONS 12
/* Largest last correction, relative to x, of a projection whose residual stagnates: next to a
 * position where rows vanish or become dependent at a distance d, round-off of the residual moves x
 * by its part 1/d. Chosen: half of the digits. */
#define DAE__PROJECTION_NOISE 1e-8
#define DAE__PROJECTION_REDUCTION 0.1

/* Levenberg-Marquardt iteration of consistent starts: largest number of iterations; smallest shift,
 * relative to A M^-1 A'; bounds of the damping factor. Chosen, not measured. */
#define DAE__START_ITERATIONS 60
#define DAE__START_MIN_SHIFT 1e-15
#define DAE__START_MIN_DAMPING 1e-3
#define DAE__START_MAX_DAMPING 1e12

#endif
