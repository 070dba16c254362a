/* Errors and observed orders of SPARK methods at fixed step, compared with tabulated ones. */
#ifndef DAEDAL_TESTS_SPARK_ORDERS_H
#define DAEDAL_TESTS_SPARK_ORDERS_H

#include "support.h"

#include <daedal/spark.h>

enum { SPARK_MOST = 16 }; /* entries of a state vector */

/* what is measured apart */
enum { COORDINATES, RATES, LAMBDA, PSI, KINDS };

#define NONE (-1.0)  /* there is no such variable */
#define EXACT (-2.0) /* exact to round-off: no order can be read off */

/* a row of a table: the errors after n steps */
typedef struct spark_row {
  int n;
  double error[KINDS];
} spark_row;

/* A run to the end; y: the state there. */
void spark_run(const char *method, const test_problem *p, const dae_spark_options *opts, double *y);

/* Orders within 0.15 of the given one (0.3 from s = 4 on), errors at most 20 % above the table's.
 * opts: stages and what else says which method. */
void spark_check(const char *method, const test_problem *p, const dae_spark_options *opts,
                 int order, const spark_row *tabulated);

#endif
