/* Place of a file: its part, which is opened, locked, and renamed. */
#define _XOPEN_SOURCE 700
#include "output/file_place.h"

#include "core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define OPEN_ATTEMPTS 10 /* of a part that other processes rename meanwhile */

static char *file_copy(dae__arena *arena, const char *a, const char *b)
{
  size_t size = (a ? strlen(a) : 0) + strlen(b) + 1;
  char *copy = DAE__ALLOC(arena, char, size);
  if (copy)
    snprintf(copy, size, "%s%s", a ? a : "", b);
  return copy;
}

static bool file_is_standard_output(const char *path)
{
  struct stat file, out;
  return strcmp(path, "-") == 0 || (stat(path, &file) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
                                    file.st_dev == out.st_dev && file.st_ino == out.st_ino);
}

/* Finds out whether the target is written directly, and where its part lies. */
static dae_status file_find_place(dae__file_place *f, dae_error *err)
{
  struct stat old, link, null;
  bool out = file_is_standard_output(f->path);
  bool system = strncmp(f->path, "/dev/", 5) == 0 || strncmp(f->path, "/proc/", 6) == 0;
  f->existed = !out && stat(f->path, &old) == 0;
  f->mode = f->existed ? old.st_mode & 07777 : 0;
  errno = EISDIR;
  if (f->existed && S_ISDIR(old.st_mode))
    return dae__fail_file(err, f->path, "created");
  bool linked = lstat(f->path, &link) == 0 && S_ISLNK(link.st_mode);
  bool dangling = linked && !f->existed;
  f->direct = out || system || dangling || (f->existed && !S_ISREG(old.st_mode));
  f->null = f->existed && S_ISCHR(old.st_mode) && stat("/dev/null", &null) == 0 &&
            old.st_rdev == null.st_rdev;
  if (f->existed && !f->direct && access(f->path, W_OK) != 0)
    return dae__fail_file(err, f->path, "written");
  char *real = linked && !f->direct ? realpath(f->path, NULL) : NULL;
  f->target = file_copy(f->arena, real ? real : f->path, "");
  f->part = file_copy(f->arena, f->target, f->direct ? "" : ".part");
  free(real);
  return dae__arena_status(f->arena, err);
}

static void file_open_directly(dae__file_place *f)
{
  f->fd = file_is_standard_output(f->path)
              ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
              : open(f->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
}

/* Opens and locks the part; only a regular file of this name, no link planted there. A part that
 * was renamed between the two is opened again. Returns false, with the reason in errno. */
static bool file_open_part(dae__file_place *f)
{
  const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  struct stat opened, named;
  for (int i = 0; i < OPEN_ATTEMPTS; i++) {
    f->fd = open(f->part, flags, 0666);
    if (f->fd < 0 || fstat(f->fd, &opened) != 0)
      return false;
    errno = EINVAL;
    if (!S_ISREG(opened.st_mode))
      return false;
    /* file systems without locks go without */
    if (flock(f->fd, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR))
      return false;
    if (stat(f->part, &named) == 0 && named.st_ino == opened.st_ino &&
        named.st_dev == opened.st_dev)
      return true;
    close(f->fd);
    f->fd = -1;
  }
  errno = EBUSY;
  return false;
}

dae_status dae__file_open(dae__arena *arena, const char *path, dae__file_place *f, dae_error *err)
{
  *f = (dae__file_place){.arena = arena, .fd = -1, .path = file_copy(arena, path, "")};
  DAE__TRY(dae__arena_status(arena, err));
  DAE__TRY(file_find_place(f, err));
  errno = 0;
  if (f->direct)
    file_open_directly(f);
  else if (!file_open_part(f)) {
    bool busy = errno == EWOULDBLOCK;
    dae__fail_file(err, f->path, "created");
    return busy ? dae__fail(err, DAE_ERROR_FILE, f->part,
                            "%s is being written by another run: give the results another name",
                            f->part)
                : DAE_ERROR_FILE;
  }
  return f->fd < 0 ? dae__fail_file(err, f->path, "created") : DAE_OK;
}

bool dae__file_synchronise(int fd)
{
  return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

/* Writes the folder of the target to the disk, with the new name in it. */
static void file_sync_folder(dae__file_place *f)
{
  char *slash = strrchr(f->part, '/'); /* the name of the part is not needed any more */
  if (slash)
    slash[slash == f->part] = '\0';
  int fd = open(slash ? f->part : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    (void)dae__file_synchronise(fd);
    close(fd);
  }
}

bool dae__file_rename(dae__file_place *f)
{
  struct stat ours, named;
  if (f->existed)
    (void)fchmod(f->fd, f->mode);
  if (!dae__file_synchronise(f->fd))
    return false;
  errno = ENOENT;
  if (fstat(f->fd, &ours) != 0 || lstat(f->part, &named) != 0 || ours.st_ino != named.st_ino ||
      ours.st_dev != named.st_dev || rename(f->part, f->target) != 0)
    return false;
  file_sync_folder(f);
  return true;
}
