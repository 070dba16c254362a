/* Decimal digits without printf and strtod, which take twenty times as long. */
#ifndef DAEDAL_CORE_DECIMAL_H
#define DAEDAL_CORE_DECIMAL_H

#include <stdbool.h>

/* What printf gives for %.*g in the C locale, with 1 to 17 digits. False, with nothing of use in
 * text: ask printf. That is so for NaN and infinity, for numbers with more digits before the point
 * than are asked for, for those below 10^-37, and for one in thirty of those below 10^-11. */
bool dae__decimal(double value, int digits, char text[40]);

/* What strtod gives for the whole text in the C locale: 12, -1.5, .5e-3. False: ask strtod. That is
 * so for more than 15 digits, beyond powers of ten of 22, and for what is no number. */
bool dae__decimal_value(const char *text, double *value);

#endif
