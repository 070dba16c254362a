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
  FILE *file = fopen(path, "ab");
  if (!file)
    return cli_fail(err, DAE_ERROR_FILE, "%.200s could not be created: %s", path, strerror(errno));
  fclose(file);
  return DAE_OK;
}

bool cli_is_stdout(const char *path)
{
  struct stat file, out;
  return stat(path, &file) == 0 && fstat(STDOUT_FILENO, &out) == 0 && file.st_dev == out.st_dev &&
         file.st_ino == out.st_ino;
}

dae_status cli_write_file(const char *path, const char *text, dae_error *err)
{
  errno = 0;
  FILE *file = fopen(path, "wb");
  bool failed = !file || fputs(text, file) < 0;
  failed = (file && fclose(file) != 0) || failed;
  failed = failed && errno != EPIPE; /* a closed pipe is not a failure */
  return failed ? cli_fail(err, DAE_ERROR_FILE, "%.200s could not be written: %s", path,
                           errno ? strerror(errno) : "unknown reason")
                : DAE_OK;
}
