/* The reproduction of [L13]: its figures, and tables of open questions. */
#include "l13.h"

const char l13_notes[] =
    "The paper shows errors as curves and counts as text; what it says stands under the tables. "
    "Figures are made with its own nested iteration, theta = 1/2, kappa = 0 where it can start, "
    "the "
    "rest with Newton's. Its bounds eps1 on the change of x and eps2 on that of y are absolute: "
    "inner_tol = eps1/(1 + |x|), outer_tol = h eps2, since y is known to round-off/h only.";

dae_status l13_run(rep_report *report)
{
  l13_figures(report);
  l13_tables(report);
  return rep_status(report);
}
