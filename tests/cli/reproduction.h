/* Checks of what `daedal reproduce` prints and writes. */
#ifndef DAEDAL_TESTS_CLI_REPRODUCTION_H
#define DAEDAL_TESTS_CLI_REPRODUCTION_H

#include <stddef.h>

/* header of a file of tables, and the kinds of its fields */
#define TABLES                                                                                     \
  "table,row,quantity,paper,ours,reference,check,bound,verdict,regression,low,high,item,reading"
#define TABLE_KINDS "tttoootottooee"

/* Every record has as many fields as the header, of these kinds: t a text, e the same or nothing,
 * n a finite number, o the same or nothing. The number of records. */
int reproduction_records(const char *path, const char *header, const char *kinds);
/* The text has all parts, in 80 columns, and no regression. */
void reproduction_text(const char *out, const char *const *parts, size_t count);
/* All values are as before and all verdicts as recorded. The number of values. */
int reproduction_values(const char *out, const char *key);

#endif
