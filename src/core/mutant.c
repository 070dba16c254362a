/* The switch of the mutations, in the build `mutants` alone: the only global state of the library.
 */
#include "core/mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool dae__mutant(const char *name)
{
  static const char *wanted;
  if (!wanted) {
    const char *given = getenv("DAEDAL_MUTANT");
    wanted = given ? given : "";
  }
  return wanted[0] == name[0] && strcmp(wanted, name) == 0;
}

void dae__mutant_changed(void)
{
  static bool noted;
  const char *path = noted ? NULL : getenv("DAEDAL_MUTANT_CHANGED");
  int file = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
  noted = true;
  if (file >= 0)
    close(file);
}
