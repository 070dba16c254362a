/* Numbers as text, with a decimal point in every locale. */
#ifndef DAEDAL_CORE_NUMBER_H
#define DAEDAL_CORE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* The whole text as a finite decimal number; false: it is none. */
bool dae__parse_double(const char *text, double *value);
bool dae__parse_int(const char *text, int *value);

/* The shortest text that reads back as the same number. */
void dae__format_double(double value, char *text, size_t size);

/* An integer; returns the address of its first character in text. */
enum { DAE__INT_SIZE = 12 };
const char *dae__format_int(int value, char text[DAE__INT_SIZE]);

/* Decimal digits without printf and strtod, about twenty times as fast. */

/* Text of %.*g in the C locale, with 1 to 17 digits. False, and text undefined, where printf is
 * needed: NaN and infinity, numbers with more digits before the point than asked for, those below
 * 10^-37, and one in thirty of those below 10^-11. */
bool dae__decimal(double value, int digits, char text[40]);

/* Value that strtod gives for the whole text in the C locale: 12, -1.5, .5e-3. False where strtod
 * is needed: more than 15 digits, powers of ten beyond 22, and texts that are no number. */
bool dae__decimal_value(const char *text, double *value);

#endif
