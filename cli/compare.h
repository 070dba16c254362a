/* What the files of `daedal compare` share. */
#ifndef DAEDAL_CLI_COMPARE_H
#define DAEDAL_CLI_COMPARE_H

#include "cli.h"

/* A few characters of a table. */
typedef struct compare_cell {
  char text[40];
} compare_cell;

/* "6.3" digits; "> 9.8" where less than the floor is not known; "-" for no error at all. */
compare_cell compare_digits(double error, double floor);
/* Three figures: 0.134, 13.4, 1340; "-" for NaN. */
compare_cell compare_number(double value);
/* "1e-06", "h 0.01" */
compare_cell compare_asked(const dae_compare_run *run);
/* Whether any run has algebraic variables or multipliers; an energy. */
bool compare_has_algebraic(const dae_comparison *c);
bool compare_has_energy(const dae_comparison *c);
/* Place of a method in an order, from 1; 0: it is not there. */
int compare_place(const dae_method *const *order, int count, const dae_method *method);

/* Methods that reach the error wanted, or one of the goals, the fastest first; their number. Both
 * have room for all methods. */
int compare_order(const dae_comparison *c, const dae_method **order, const dae_method **scratch);

/* compare_table.c: tables, reference and recommendation on stdout. */
void compare_print(const dae_comparison *c, const dae_model *model, const cli_arguments *args);

/* compare_page.c: the same as a page, which is closed. */
dae_status compare_write_page(dae_page *page, const dae_comparison *c, const dae_model *model,
                              const char *command, dae_error *err);

/* Errors that the tables tell the time for. */
#define COMPARE_GOALS 3
extern const int compare_goals[COMPARE_GOALS]; /* digits */

#endif
