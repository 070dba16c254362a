/* Contracts between functions of the library that no caller from outside can break: sizes, members
 * of tables, factored before solved, finite states. Checked in the dev preset
 * (DAEDAL_ASSERTIONS), where a broken one ends the process; without a trace elsewhere. */
#ifndef DAEDAL_CORE_ASSERT_H
#define DAEDAL_CORE_ASSERT_H

#ifdef DAE_WITH_ASSERTIONS
#include <stdio.h>
#include <stdlib.h>
#define DAE__ASSERT(condition)                                                                     \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition);            \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)
#else
#define DAE__ASSERT(condition) ((void)sizeof(condition))
#endif

#endif
