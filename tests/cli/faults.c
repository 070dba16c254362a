/* A library that is loaded before the command: the n-th allocation, or the n-th call that writes,
 * fails.
 *
 * DAEDAL_FAIL_ALLOCATION=n, DAEDAL_FAIL_WRITE=n: the call, counted from 1, that fails; with
 * DAEDAL_FAIL_ON=1 all later ones, too. Counted calls are those after the start of the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long allocations, writes;         /* calls so far */
static long fail_allocation, fail_write; /* 0: none */
static bool fail_on, ready;

__attribute__((constructor)) static void faults_begin(void)
{
  const char *a = getenv("DAEDAL_FAIL_ALLOCATION"), *w = getenv("DAEDAL_FAIL_WRITE");
  fail_allocation = a ? atol(a) : 0;
  fail_write = w ? atol(w) : 0;
  fail_on = getenv("DAEDAL_FAIL_ON") != NULL;
  ready = strcmp(program_invocation_short_name, "daedal") == 0; /* not the shell that starts it */
}

static bool faults_hits(long *count, long at)
{
  if (!ready || at == 0)
    return false;
  long n = ++*count;
  return n == at || (fail_on && n > at);
}

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);

void *malloc(size_t bytes)
{
  if (faults_hits(&allocations, fail_allocation)) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
  if (faults_hits(&allocations, fail_allocation)) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
  if (faults_hits(&allocations, fail_allocation)) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_realloc(memory, bytes);
}

static bool faults_full(int fd)
{
  if (fd <= STDERR_FILENO || !faults_hits(&writes, fail_write))
    return false;
  errno = ENOSPC;
  return true;
}

/* the function behind this one */
#define NEXT(name, type)                                                                           \
  static type next;                                                                                \
  if (!next)                                                                                       \
  *(void **)&next = dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *bytes, size_t count)
{
  typedef ssize_t fn(int, const void *, size_t);
  NEXT("write", fn *);
  return faults_full(fd) ? -1 : next(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at)
{
  typedef ssize_t fn(int, const void *, size_t, off_t);
  NEXT("pwrite", fn *);
  return faults_full(fd) ? -1 : next(fd, bytes, count, at);
}

int fsync(int fd)
{
  typedef int fn(int);
  NEXT("fsync", fn *);
  return faults_full(fd) ? -1 : next(fd);
}

int fdatasync(int fd)
{
  typedef int fn(int);
  NEXT("fdatasync", fn *);
  return faults_full(fd) ? -1 : next(fd);
}

int rename(const char *from, const char *to)
{
  typedef int fn(const char *, const char *);
  NEXT("rename", fn *);
  return faults_full(STDERR_FILENO + 1) ? -1 : next(from, to);
}
