/* The reproduction of [J09]: orders, and the energy over long times. */
#include "j09.h"

const char j09_notes[] =
    "The paper prints no numbers, so there is no column for it. Gauss: Gauss-Lobatto, order 2s; "
    "Radau: Radau IIA-Lobatto, order 2s - 1; Lobatto: order 2s - 2; all with fixed steps and "
    "without projection.";

dae_status j09_run(rep_report *report)
{
  j09_orders(report);
  j09_energies(report);
  return rep_status(report);
}
