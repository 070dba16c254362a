/* Numbers as text, with a decimal point in every locale. */
#ifndef DAEDAL_CORE_NUMBER_H
#define DAEDAL_CORE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* Value of a text that is, as a whole, a finite decimal number; false: it is none. */
bool dae__parse_double(const char *text, double *value);
bool dae__parse_int(const char *text, int *value);

/* Text of a number with this many significant digits; nan, inf. */
typedef struct dae__number {
  char text[40];
} dae__number;
dae__number dae__number_text(double value, int digits);

/* Replaces the decimal separator of the locale by a point, in a finite number that printf wrote. */
void dae__number_point(char *text);

/* Writes the shortest text that reads back as the same number. */
void dae__format_double(double value, char *text, size_t size);

/* The same in fixed notation up to 17 digits before the point, fast; nan, inf. Returns the length.
 */
size_t dae__number_shortest(double value, char text[40]);

/* Writes an integer into the end of text; returns the address of its first character. */
enum { DAE__INT_SIZE = 12 };
const char *dae__format_int(int value, char text[DAE__INT_SIZE]);

/* Conversion of decimal numbers without printf and strtod, about twenty times as fast. */

/* Writes the text of %.*g in the C locale, with 1 to 17 digits. False, and text undefined, where
 * printf is needed: NaN and infinity, numbers with more digits before the point than requested,
 * numbers below 10^-37, and one in thirty of the numbers below 10^-11. */
bool dae__decimal(double value, int digits, char text[40]);

/* Writes the shortest text that reads back as the same number, the nearest of them, and returns its
 * length; 0, and text undefined, where printf is needed: NaN, infinity, numbers from 10^17 on and
 * below 10^-37, and one in ten of the numbers below 10^-11. */
size_t dae__decimal_shortest(double value, char text[40]);

/* Value that strtod gives in the C locale for the whole text, such as 12, -1.5, .5e-3. False where
 * strtod is needed: more than 15 digits, powers of ten beyond 22, and texts that are no number. */
bool dae__decimal_value(const char *text, double *value);

#endif
