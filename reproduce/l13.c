/* The reproduction of [L13]: its figures, and tables of open questions. */
#include "l13.h"

const char l13_notes[] =
    "The paper shows errors as curves and counts as text; its statements are under the tables. "
    "Figures use its nested iteration, theta = 1/2, kappa = 0 where the start allows it; "
    "tables use Newton's iteration. Its bounds eps1 on the change of x and eps2 on that of y are "
    "absolute: "
    "inner_tol = eps1/(1 + |x|), outer_tol = h eps2, since y has the accuracy round-off/h.";

dae_status l13_run(rep_report *report)
{
  l13_figures(report);
  l13_tables(report);
  return rep_status(report);
}
