/* The smallest program that needs headers and library. */
#include <daedal/status.h>
#include <daedal/version.h>
#include <stdio.h>

int main(void)
{
  printf("daedal %s: %s\n", dae_version(), dae_status_text(DAE_OK));
  return 0;
}
