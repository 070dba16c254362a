/* The reproduction of [E07]: Table 1 and its dependence on settings, windows, further loops. */
#include "e07.h"

const char e07_notes[] =
    "A sweep integrates every subsystem over the window once; [E07] calls it an iteration step. "
    "Table 1 is the only one of the paper; the others test its theorems.";

dae_status e07_run(rep_report *report)
{
  e07_table(report);
  e07_windows(report);
  e07_loops(report);
  return rep_status(report);
}
