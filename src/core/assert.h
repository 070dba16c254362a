/* Assertions on contracts inside the library, which no caller of its interface can break: sizes,
 * indices of tables, a factorisation before each solution, finite states. The dev preset
 * (DAEDAL_ASSERTIONS) checks them and aborts on failure; other builds contain no code for them. */
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
