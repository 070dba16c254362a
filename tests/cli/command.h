/* Running the command in a folder of its own, and looking at what came out. */
#ifndef DAEDAL_TEST_COMMAND_H
#define DAEDAL_TEST_COMMAND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <cmocka.h>

/* What the command did. The texts are cut where they are longer. */
typedef struct outcome {
  int code; /* exit code; 128 + number of the signal that ended it */
  char out[1 << 15], err[1 << 15];
} outcome;

/* Every test runs in an empty folder of its own: cmocka_unit_test for such tests. */
int command_enter(void **state);
int command_leave(void **state);
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, command_enter, command_leave)

/* `daedal ARGUMENTS`, words as the shell parts them. */
outcome *command(const char *arguments);
/* Fails the test unless the exit code is this one. */
outcome *command_exits(int code, const char *arguments);
/* The code is this one, and the text stands in what was printed to stderr. */
void command_refuses(int code, const char *arguments, const char *because);

/* Starts it in the background, for a minute at most. stdout and stderr go to descriptors, or, where
 * these are negative, to the files out.txt and err.txt. arguments ends with NULL. */
pid_t command_start(const char *const *arguments, int out, int err);
/* Its exit code, or 128 + the number of the signal that ended it. */
int command_wait(pid_t child);

void file_write(const char *path, const char *text);
char *file_read(const char *path); /* to be freed */
bool file_exists(const char *path);
/* Waits until the file holds something; fails the test after ten seconds, which are an age. */
void file_await(const char *path);

/* A result file. */
typedef struct table {
  int rows, columns;
  char header[512];
  double *values; /* by rows */
} table;

/* Reads it and checks its form: records end in CR LF, all have as many fields as the header, every
 * field is a number as %.17g writes it. */
table table_read(const char *path);
void table_free(table *t);
double table_at(const table *t, int row, int column);

/* A number in the JSON account, by its key; checks that the whole is JSON. */
double json_number(const char *path, const char *key);

/* models */
extern const char pendulum[]; /* as in the manual, to 10, rtol 1e-6 */
extern const char decay[];    /* x' = -x without a simulate statement */

#endif
