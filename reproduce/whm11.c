/* The reproduction of [WHM11]: convergence, accuracy, and the questions of section 6. */
#include "whm11.h"

const char whm11_notes[] =
    "(22) and (24) have a wrong sign, from C in (62): the scheme as printed solves (19) with the "
    "stiffness of y negated. \"printed\" stands for that, everything else is (19) itself. Windows "
    "are the paper's steps dt, each of M = 10 steps of the trapezoidal rule unless said.";

dae_status whm11_run(rep_report *report)
{
  whm11_convergence(report);
  whm11_accuracy(report);
  whm11_variants(report);
  return rep_status(report);
}
