/* Mutations: deliberate mistakes, one of which a test run of the build `mutants` switches on, to
 * see whether a test notices (tests/mutants/mutants.py). In all other builds the macro is its
 * second argument.
 *
 * DAE__MUTATE(name, original, mutated): value of `original`, with the mutation of this name that of
 * `mutated`. */
#ifndef DAEDAL_CORE_MUTANT_H
#define DAEDAL_CORE_MUTANT_H

#ifdef DAE_WITH_MUTANTS
#include <stdbool.h>

/* Whether the mutation is the one of the environment variable DAEDAL_MUTANT. */
bool dae__mutant(const char *name);
/* Notes in the file DAEDAL_MUTANT_CHANGED that the mutation has changed a value. */
void dae__mutant_changed(void);

#define DAE__MUTATE(name, original, mutated)                                                       \
  (__extension__({                                                                                 \
    __typeof__((original) + 0) mutant_of_##name = (original);                                      \
    if (dae__mutant(#name)) {                                                                      \
      __typeof__((original) + 0) mutated_by_##name = (mutated);                                    \
      if (mutated_by_##name != mutant_of_##name)                                                   \
        dae__mutant_changed();                                                                     \
      mutant_of_##name = mutated_by_##name;                                                        \
    }                                                                                              \
    mutant_of_##name;                                                                              \
  }))
#else
#define DAE__MUTATE(name, original, mutated) (original)
#endif

#endif
