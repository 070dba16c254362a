/* Output files. */
#include "cli.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_same_file(const char *a, const char *b)
{
  struct stat x, y;
  bool there = stat(a, &x) == 0;
  if (there && !S_ISREG(x.st_mode))
    return false;
  if (strcmp(a, b) == 0)
    return true;
  return there && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

dae_status cli_try_file(const char *path, dae_error *err)
{
  dae_file *file;
  dae_status status = dae_file_create(path, NULL, &file, err);
  if (status >= 0)
    dae_file_discard(file);
  return status;
}

bool cli_is_stdout(const char *path)
{
  struct stat file, out;
  return strcmp(path, "-") == 0 || (stat(path, &file) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
                                    file.st_dev == out.st_dev && file.st_ino == out.st_ino);
}

dae_status cli_write_file(const char *path, const char *text, dae_error *err)
{
  dae_file *file;
  fflush(stdout);
  errno = 0;
  dae_status status = dae_file_create(path, NULL, &file, err);
  if (status < 0)
    return status;
  dae_file_put(file, text);
  status = dae_file_commit(file, NULL, err);
  return errno == EPIPE ? DAE_OK : status; /* a closed pipe is not a failure */
}
