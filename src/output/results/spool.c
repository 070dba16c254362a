/* The rows are transposed in passes over the file, each for as many columns as fit into memory; a
 * column that does not fit is given in parts. */
#include "output/results/spool.h"

#include "core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Bytes of the columns of one pass, and of a block of rows that is read at once. Chosen: a file of
 * a gigabyte takes four passes. */
#define PASS_BYTES ((size_t)256 << 20)
#define BLOCK_BYTES ((size_t)1 << 20)

long dae__spool_count(const dae__spool *spool)
{
  return spool->file ? dae_file_records(spool->file) : 0;
}

dae_status dae__spool_row(dae__spool *spool, const double *values, dae_error *err)
{
  dae_file_write(spool->file, values, (size_t)spool->columns * sizeof *values);
  return dae_file_end_record(spool->file, err);
}

int dae__spool_reopen(const dae__spool *spool)
{
  return open(dae_file_part(spool->file), O_RDONLY | O_CLOEXEC);
}

bool dae__spool_read(const dae__spool *spool, int fd, long first, long count, double *values)
{
  size_t width = (size_t)spool->columns * sizeof(double), bytes = (size_t)count * width, got = 0;
  while (got < bytes) {
    ssize_t n =
        pread(fd, (char *)values + got, bytes - got, (off_t)((uint64_t)first * width + got));
    if (n <= 0 && !(n < 0 && errno == EINTR))
      return false;
    got += n > 0 ? (size_t)n : 0;
  }
  return true;
}

dae_status dae__spool_rows(dae__spool *spool, dae__row_block *block, void *user, dae_error *err)
{
  const dae_env *env = spool->env;
  size_t width = (size_t)spool->columns * sizeof(double);
  long rows = dae__spool_count(spool), most = width < BLOCK_BYTES ? (long)(BLOCK_BYTES / width) : 1;
  DAE__TRY(dae_file_sync(spool->file, NULL, err));
  int fd = dae__spool_reopen(spool);
  if (fd < 0)
    return dae__fail_file(err, dae_file_part(spool->file), "read");
  double *values = env->allocate(env->user, (size_t)most * width);
  dae_status status = values ? DAE_OK : dae__out_of_memory(err);
  for (long row = 0; row < rows && !status; row += most) {
    long count = rows - row < most ? rows - row : most;
    status = dae__spool_read(spool, fd, row, count, values)
                 ? block(user, count, values, err)
                 : dae__fail_file(err, dae_file_part(spool->file), "read");
  }
  close(fd);
  env->release(env->user, values);
  return status;
}

/* ---- columns ---- */

/* Columns of one pass. */
typedef struct pass {
  dae__spool *spool;
  int first, count;
  long rows, done; /* rows of the file; rows before the block */
  long room;       /* rows of a column in memory: all of them, or those of a block */
  double *column;
  dae__column_part *part;
  void *user;
} pass;

static dae_status spool_take_block(void *user, long count, const double *values, dae_error *err)
{
  pass *p = user;
  bool whole = p->room >= p->rows;
  for (int j = 0; j < p->count; j++) {
    double *to = p->column + (size_t)j * (size_t)p->room + (whole ? p->done : 0);
    for (long i = 0; i < count; i++)
      to[i] = values[(size_t)i * (size_t)p->spool->columns + (size_t)(p->first + j)];
  }
  p->done += count;
  return whole ? DAE_OK : p->part(p->user, p->first, p->done - count, count, p->column, err);
}

static dae_status spool_pass(pass *p, dae_error *err)
{
  p->done = 0;
  DAE__TRY(dae__spool_rows(p->spool, spool_take_block, p, err));
  for (int j = 0; p->room >= p->rows && j < p->count; j++)
    DAE__TRY(
        p->part(p->user, p->first + j, 0, p->rows, p->column + (size_t)j * (size_t)p->room, err));
  return DAE_OK;
}

dae_status dae__spool_columns(dae__spool *spool, dae__column_part *part, void *user, dae_error *err)
{
  const dae_env *env = spool->env;
  pass p = {.spool = spool, .rows = dae__spool_count(spool), .part = part, .user = user};
  if (p.rows == 0)
    return DAE_OK;
  size_t fit = PASS_BYTES / sizeof(double) / (size_t)p.rows;
  int most = fit == 0 ? 1 : fit > (size_t)spool->columns ? spool->columns : (int)fit;
  long block = (long)(BLOCK_BYTES / sizeof(double));
  p.room = fit > 0 ? p.rows : block; /* a block of rows has less values of a column */
  p.column = env->allocate(env->user, (size_t)most * (size_t)p.room * sizeof(double));
  dae_status status = p.column ? DAE_OK : dae__out_of_memory(err);
  for (; !status && p.first < spool->columns; p.first += most) {
    p.count = spool->columns - p.first < most ? spool->columns - p.first : most;
    status = spool_pass(&p, err);
  }
  env->release(env->user, p.column);
  return status;
}
