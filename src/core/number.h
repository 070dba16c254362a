/* Numbers as text, with a decimal point in every locale. */
#ifndef DAEDAL_CORE_NUMBER_H
#define DAEDAL_CORE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* The whole text as a finite decimal number, and nothing else. */
bool dae__parse_double(const char *text, double *value);
bool dae__parse_int(const char *text, int *value);

/* The shortest text that reads back as the same number. */
void dae__format_double(double value, char *text, size_t size);

/* A whole number; gives where it begins in text. */
enum { DAE__INT_SIZE = 12 };
const char *dae__format_int(int value, char text[DAE__INT_SIZE]);

#endif
