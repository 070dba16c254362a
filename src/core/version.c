#include <daedal/version.h>

#define TEXT(x) #x
#define DOTTED(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *dae_version(void)
{
  return DOTTED(DAE_VERSION_MAJOR, DAE_VERSION_MINOR, DAE_VERSION_PATCH);
}

const char *dae_build(void)
{
  return DAE_BUILD;
}
