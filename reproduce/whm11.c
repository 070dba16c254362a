/* The reproduction of [WHM11]: convergence, accuracy, and the questions of section 6. */
#include "whm11.h"

const char whm11_notes[] =
    "(22) and (24) have a wrong sign, from C in (62): the scheme as printed solves (19) with the "
    "stiffness of y negated. \"printed\" denotes these runs, all others solve (19). Windows are "
    "the "
    "steps dt of the paper, each of M = 10 steps of the trapezoidal rule unless stated otherwise.";

dae_status whm11_run(rep_report *report)
{
  whm11_convergence(report);
  whm11_accuracy(report);
  whm11_variants(report);
  return rep_status(report);
}
