/* Tolerances common to several layers, all relative. Constants of one algorithm are in its own
 * file. */
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

/* Reciprocal condition number below which a matrix counts as singular. Chosen: 50 units of
 * round-off, at which no digit of a solution is left. */
#define DAE__SINGULAR_RCOND 1e-14

#endif
