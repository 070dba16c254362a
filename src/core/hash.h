/* FNV-1a hash of 64 bits, by bytes and by words: checksum of buffers, key of caches, fingerprint of
 * problems. */
#ifndef DAEDAL_CORE_HASH_H
#define DAEDAL_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DAE__HASH_START UINT64_C(14695981039346656037)

/* Hash of bytes, continued from the hash h. Every change of a single byte changes the result. */
static inline uint64_t dae__hash(uint64_t h, const void *bytes, size_t count)
{
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < count; i++)
    h = (h ^ byte[i]) * UINT64_C(1099511628211);
  return h;
}

/* Hash of words of eight bytes, faster than that of bytes; the high bits of every product are mixed
 * into the low ones. */
static inline uint64_t dae__hash_words(uint64_t h, const void *words, size_t count)
{
  const char *from = words;
  for (size_t i = 0; i < count; i++, from += sizeof h) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    h = (h ^ word) * UINT64_C(1099511628211);
    h ^= h >> 32;
  }
  return h;
}

/* Hash of a text with its end; NULL counts as a text of its own. */
static inline uint64_t dae__hash_text(uint64_t h, const char *text)
{
  return text ? dae__hash(h, text, strlen(text) + 1) : dae__hash(h, "\1", 2);
}

#endif
