/* CSV files of numbers, RFC 4180: fields separated by commas, lines that end in LF or CR LF, names
 * and numbers quoted or not, blanks around them ignored. The first line has names, or numbers
 * already. Files are read in pieces: memory holds a line and the numbers that are wanted. */
#ifndef DAEDAL_MODEL_TEXT_CSV_H
#define DAEDAL_MODEL_TEXT_CSV_H

#include <daedal/env.h>
#include <daedal/status.h>
#include <stdbool.h>

enum { DAE__CSV_COLUMNS = 1000, DAE__CSV_LINE = 65536 };

typedef struct dae__csv dae__csv;

/* Opens a file and reads its first line. shown: name in messages; failure: status of errors in the
 * contents. Close it also after a failure. */
dae_status dae__csv_open(const char *path, const char *shown, dae_status failure,
                         const dae_env *env, dae__csv **out, dae_error *err);
void dae__csv_close(dae__csv *csv); /* csv may be NULL */

/* Number of columns, and name of one in the first line; NULL: that line has numbers. */
int dae__csv_columns(const dae__csv *csv);
const char *dae__csv_name(const dae__csv *csv, int column);
/* Records an error at a name of the first line, or at the first line. */
__attribute__((format(printf, 4, 5))) dae_status
dae__csv_fail_name(const dae__csv *csv, int column, dae_error *err, const char *format, ...);

/* Reads all rows, at most `most`: column[k] of row i becomes values[i * count + k], finite, and
 * column[0] rises strictly. *values: memory of env, to be released by the caller, also after a
 * failure. */
dae_status dae__csv_read(dae__csv *csv, int most, int count, const int *column, int *rows,
                         double **values, dae_error *err);

#endif
