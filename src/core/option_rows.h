/* Rows of the option tables of a struct, whose type the including file defines as OPTIONS before,
 * and the rows that methods have in common. */
#ifndef DAEDAL_CORE_OPTION_ROWS_H
#define DAEDAL_CORE_OPTION_ROWS_H

#include <daedal/options.h>
#include <math.h>

#define DAE__ROW(type, field, min, max, words, help)                                               \
  {                                                                                                \
#field, type, offsetof(OPTIONS, field), min, max, words, help                                  \
  }
#define NUMBER(field, min, max, help) DAE__ROW(DAE_OPTION_DOUBLE, field, min, max, NULL, help)
#define COUNT(field, min, max, help) DAE__ROW(DAE_OPTION_INT, field, min, max, NULL, help)
#define FLAG(field, help) DAE__ROW(DAE_OPTION_BOOL, field, 0, 0, NULL, help)
#define CHOICE(field, words, help) DAE__ROW(DAE_OPTION_CHOICE, field, 0, 0, words, help)

#define RTOL NUMBER(rtol, 1e-14, 1, "relative tolerance")
#define ATOL NUMBER(atol, 0, INFINITY, "absolute tolerance, 0: rtol/100")
#define STEP NUMBER(step, 0, INFINITY, "fixed step size, 0: variable")
#define FIRST_STEP NUMBER(first_step, 0, INFINITY, "first step size to try, 0: chosen")
#define MAX_STEP NUMBER(max_step, 0, INFINITY, "largest step size, 0: no limit")
#define MAX_FAILURES COUNT(max_failures, 1, 1000, "failed attempts at one step before giving up")
#define PROJECT FLAG(project, "project states onto the constraints after every step")
#define DAMP                                                                                       \
  FLAG(damp, "the smooth motion: what is fast is removed from the start and after events"),        \
      NUMBER(damp_time, 0, INFINITY,                                                               \
             "with damp: time scale below which motion is fast, 0: a "                             \
             "thirtieth of the run, or less where a gap separates both")

/* Table of a static array of rows. */
#define TABLE(name, rows)                                                                          \
  {                                                                                                \
    .owner = name, .options = rows, .count = sizeof(rows) / sizeof *(rows)                         \
  }

#endif
