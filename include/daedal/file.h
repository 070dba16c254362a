/** @file
 * Files that are whole or not there at all.
 *
 * The bytes of FILE are written to FILE.part in the same folder, record by record (a row of
 * results), and the part takes the name FILE at the end, when all of it is on the disk: until then
 * an older FILE stays as it is. FILE.part is locked while it is written, and grows by whole
 * records. Targets that are not regular files (pipes, /dev/stdout) are written directly, "-" is the
 * standard output. A symbolic link stays one: the file it leads to is replaced. */
#ifndef DAEDAL_FILE_H
#define DAEDAL_FILE_H

#include <daedal/env.h>
#include <daedal/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque handle of a file that is being written. */
typedef struct dae_file dae_file;

/** Place in a file up to which it is written, at the end of a record. */
typedef struct dae_file_position {
  uint64_t bytes; /**< number of bytes */
  uint64_t hash;  /**< hash of these bytes */
  long records;   /**< number of records */
} dae_file_position;

/** Creates the file, empty. Refused with DAE_ERROR_FILE: a folder, a file without permission to be
 * written, and one that another process or handle is writing. env may be NULL. */
dae_status dae_file_create(const char *path, const dae_env *env, dae_file **out, dae_error *err);
/** Opens a file that another process has begun, FILE.part or a whole FILE, to write behind a
 * position of dae_file_sync: what follows it is cut off. Bytes other than those written are refused
 * with DAE_ERROR_FILE. */
dae_status dae_file_continue(const char *path, const dae_file_position *at, const dae_env *env,
                             dae_file **out, dae_error *err);

/** Adds bytes. A failure is reported by the next dae_file_end_record, sync or commit. */
void dae_file_write(dae_file *file, const void *bytes, size_t count);
/** Adds a text without its end. */
void dae_file_put(dae_file *file, const char *text);
/** Ends a record: all bytes up to here may go to the file, and do so when there are many, or once a
 * second. */
dae_status dae_file_end_record(dae_file *file, dae_error *err);
/** Replaces bytes already written, of a header with counts, before the file is committed. Positions
 * taken before no longer hold. */
void dae_file_replace(dae_file *file, uint64_t offset, const void *bytes, size_t count);

/** Writes all whole records to the disk; *at (may be NULL): the position behind them. Refused for a
 * file written directly, which cannot be cut back, unless it is /dev/null. */
dae_status dae_file_sync(dae_file *file, dae_file_position *at, dae_error *err);
/** Cuts the file back to an earlier position. */
dae_status dae_file_cut(dae_file *file, const dae_file_position *at, dae_error *err);

/** Number of whole records in the file or on the way to it; after a failure, of those in it. */
long dae_file_records(const dae_file *file);
/** Name of the file that is being written, FILE.part; FILE if it is written directly. */
const char *dae_file_part(const dae_file *file);

/** Gives the file its name and frees the handle; *records (may be NULL): number of whole records in
 * it. After a failure, of this call or of one before,
 * FILE.part keeps its whole records, FILE stays as it was, and the message says so; a part without
 * whole records is removed. */
dae_status dae_file_commit(dae_file *file, long *records, dae_error *err);
/** Frees the handle and leaves the part as it is on the disk, for dae_file_continue. */
void dae_file_leave(dae_file *file);
/** Removes the part and frees the handle; NULL is allowed. */
void dae_file_discard(dae_file *file);

#ifdef __cplusplus
}
#endif
#endif
