/* Hash of the bytes of a growing file, independent of the blocks in which they come: words of eight
 * bytes in turn, in steps of FNV-1a with the high bits mixed into the low ones. */
#ifndef DAEDAL_OUTPUT_FILE_HASH_H
#define DAEDAL_OUTPUT_FILE_HASH_H

#include "core/hash.h"

typedef struct dae__file_hash {
  uint64_t value; /* hash of all whole words */
  uint64_t bytes; /* number of bytes so far */
  char rest[8];   /* bytes behind the last whole word */
} dae__file_hash;

static inline dae__file_hash dae__file_hash_start(void)
{
  return (dae__file_hash){.value = DAE__HASH_START};
}

static inline void dae__file_hash_add(dae__file_hash *hash, const void *bytes, size_t count)
{
  const char *from = bytes;
  size_t held = hash->bytes % sizeof hash->rest;
  hash->bytes += count;
  if (held > 0) {
    size_t taken = sizeof hash->rest - held < count ? sizeof hash->rest - held : count;
    memcpy(hash->rest + held, from, taken);
    if (held + taken < sizeof hash->rest)
      return;
    hash->value = dae__hash_words(hash->value, hash->rest, 1);
    from += taken;
    count -= taken;
  }
  hash->value = dae__hash_words(hash->value, from, count / sizeof hash->rest);
  memcpy(hash->rest, from + count / sizeof hash->rest * sizeof hash->rest,
         count % sizeof hash->rest);
}

/* Hash of the bytes so far. */
static inline uint64_t dae__file_hash_value(const dae__file_hash *hash)
{
  uint64_t h = dae__hash(hash->value, hash->rest, hash->bytes % sizeof hash->rest);
  return dae__hash(h, &hash->bytes, sizeof hash->bytes);
}

#endif
