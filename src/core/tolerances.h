/* Tolerances that several layers share, all relative. Constants of one algorithm stand in its own
 * file. */
#ifndef DAEDAL_CORE_TOLERANCES_H
#define DAEDAL_CORE_TOLERANCES_H

/* Residual of a constraint over the sum of its terms, at and below which a state lies on it and is
 * not projected. Chosen: about 5000 units of round-off, well below the tolerances asked for. */
#define DAE__ON_CONSTRAINT 1e-12

/* Relative residual at which the consistent start accepts a constraint that its iteration cannot
 * reduce further. Chosen, not measured; Newton usually ends at round-off. */
#define DAE__START_MET 1e-10

/* Part of a constraint row that is independent of the rows before it, below which the row counts as
 * dependent. Chosen, not measured; differenced Jacobians are good to about 1e-12. */
#define DAE__RANK_TOLERANCE 1e-9

/* Reciprocal condition number below which a matrix counts as singular. Chosen: 50 units of
 * round-off, no digit of a solution is left. */
#define DAE__SINGULAR_RCOND 1e-14

#endif
