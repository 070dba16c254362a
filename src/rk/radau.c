#include "rk/radau.h"
#include "core/error.h"
#include "core/vec.h"

/* the matrices are formed anew where the last iteration contracted by less: 0.02 as in prototypes is
 * as good, and this takes fewest evaluations of Akzo Nobel where derivatives are differences */
#define REFRESH 0.03