/* Numbers of option structs by name, for methods whose struct is not known: see options.h of the
 * interface. */
#ifndef DAEDAL_CORE_OPTIONS_H
#define DAEDAL_CORE_OPTIONS_H

#include <daedal/options.h>

/* Value of the option of this name, truth values as 0 and 1; NaN: the table has none. */
double dae__options_number(const dae_option_table *table, const void *opts, const char *name);
/* Sets the option of this name; a table without it leaves the struct unchanged. */
dae_status dae__options_set_number(const dae_option_table *table, void *opts, const char *name,
                                   double value, dae_error *err);

#endif
