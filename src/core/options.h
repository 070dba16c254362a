/* Numbers of option structs by name, for methods whose struct is not known, and the edit distance
 * of names: see options.h of the interface. */
#ifndef DAEDAL_CORE_OPTIONS_H
#define DAEDAL_CORE_OPTIONS_H

#include <daedal/options.h>

/* Value of the option of this name, truth values as 0 and 1; NaN: the table has none. */
double dae__options_number(const dae_option_table *table, const void *opts, const char *name);
/* Value of an option in a struct of its table, truth values as 0 and 1. */
double dae__options_value(const dae_option *option, const void *opts);
/* Sets the option of this name; a table without it leaves the struct unchanged. */
dae_status dae__options_set_number(const dae_option_table *table, void *opts, const char *name,
                                   double value, dae_error *err);

/* Absolute tolerance of options with these tolerances: atol, or by default, 0, rtol/100. */
static inline double dae__options_atol(double rtol, double atol)
{
  return atol == 0 ? rtol / 100 : atol;
}

/* Number of insertions, deletions, replacements and swaps of neighbouring letters that turn one
 * word into the other; upper and lower case, and - and _, are the same. INT_MAX for words over 63
 * letters. */
int dae__edit_distance(const char *a, const char *b);

#endif
