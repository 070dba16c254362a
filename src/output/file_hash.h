/* Hash of the bytes of a growing file, independent of the blocks in which they come: words of eight
 * bytes in turn in four sequences. */
#ifndef DAEDAL_OUTPUT_FILE_HASH_H
#define DAEDAL_OUTPUT_FILE_HASH_H

#include "core/hash.h"

enum { DAE__FILE_HASH_BLOCK = 8 * DAE__HASH_LANES };

typedef struct dae__file_hash {
  uint64_t lane[DAE__HASH_LANES];
  uint64_t bytes;                  /* number of bytes so far */
  char rest[DAE__FILE_HASH_BLOCK]; /* bytes behind the last whole block */
} dae__file_hash;

static inline dae__file_hash dae__file_hash_start(void)
{
  const uint64_t h = DAE__HASH_START;
  return (dae__file_hash){.lane = {h, h + 1, h + 2, h + 3}};
}

static inline void dae__file_hash_blocks(dae__file_hash *hash, const char *from, size_t blocks)
{
  for (; blocks > 0; blocks--, from += DAE__FILE_HASH_BLOCK)
    for (size_t i = 0; i < DAE__HASH_LANES; i++)
      hash->lane[i] = dae__hash_word(hash->lane[i], from + 8 * i);
}

static inline void dae__file_hash_add(dae__file_hash *hash, const void *bytes, size_t count)
{
  const char *from = bytes;
  size_t held = hash->bytes % DAE__FILE_HASH_BLOCK, taken = 0;
  hash->bytes += count;
  if (held > 0) {
    taken = DAE__FILE_HASH_BLOCK - held < count ? DAE__FILE_HASH_BLOCK - held : count;
    memcpy(hash->rest + held, from, taken);
    if (held + taken < DAE__FILE_HASH_BLOCK)
      return;
    dae__file_hash_blocks(hash, hash->rest, 1);
  }
  size_t blocks = (count - taken) / DAE__FILE_HASH_BLOCK;
  dae__file_hash_blocks(hash, from + taken, blocks);
  memcpy(hash->rest, from + taken + blocks * DAE__FILE_HASH_BLOCK,
         (count - taken) % DAE__FILE_HASH_BLOCK);
}

/* Hash of the bytes so far. */
static inline uint64_t dae__file_hash_value(const dae__file_hash *hash)
{
  uint64_t h = dae__hash(DAE__HASH_START, hash->lane, sizeof hash->lane);
  h = dae__hash(h, hash->rest, hash->bytes % DAE__FILE_HASH_BLOCK);
  return dae__hash(h, &hash->bytes, sizeof hash->bytes);
}

#endif
