/* Vector kernels for long vectors. */
#include "core/vec.h"

#include <string.h>

void dae__copy_long(int n, const double *x, double *y)
{
  memcpy(y, x, (size_t)n * sizeof *y);
}

void dae__zero_long(int n, double *y)
{
  memset(y, 0, (size_t)n * sizeof *y);
}
