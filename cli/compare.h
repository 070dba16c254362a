/* Declarations shared by the files of `daedal compare`. */
#ifndef DAEDAL_CLI_COMPARE_H
#define DAEDAL_CLI_COMPARE_H

#include "cli.h"

/* Text of one table cell. */
typedef struct compare_cell {
  char text[40];
} compare_cell;

/* Digits of an error: "6.3"; "> 9.8" below the resolvable floor; "-" for NaN. */
compare_cell compare_digits(double error, double floor);
/* Number with three figures: 0.134, 13.4, 1340; "-" for NaN. */
compare_cell compare_number(double value);
/* Tolerance or step size of a run: "1e-06", "h 0.01". */
compare_cell compare_asked(const dae_compare_run *run);
/* Whether any run has algebraic variables or multipliers. */
bool compare_has_algebraic(const dae_comparison *c);
/* Whether any run has an energy. */
bool compare_has_energy(const dae_comparison *c);
/* Rank of a method in an order, from 1; 0: not in it. */
int compare_place(const dae_method *const *order, int count, const dae_method *method);

/* Methods that reach the wanted error or one of the goals, the fastest first; returns their number.
 * The size of both arrays is the number of methods. */
int compare_order(const dae_comparison *c, const dae_method **order, const dae_method **scratch);

/* compare_table.c: prints tables, reference and recommendation on stdout. */
void compare_print(const dae_comparison *c, const dae_model *model, const cli_arguments *args);

/* compare_page.c: writes tables, reference and recommendation into the page, and closes it. */
dae_status compare_write_page(dae_page *page, const dae_comparison *c, const dae_model *model,
                              const char *command, dae_error *err);

/* Digits of the columns "time to reach". */
#define COMPARE_GOALS 3
extern const int compare_goals[COMPARE_GOALS];

#endif
