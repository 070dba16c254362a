/* Arena: pieces are cut from chunks that double in size. Under the address sanitizer a poisoned gap
 * follows every piece, so that a write past its end is reported although the chunk continues. */
#include "core/arena.h"

#include "core/assert.h"
#include "core/env.h"
#include "core/error.h"
#include "core/mutant.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define GAP_BYTES 64
#define POISON(memory, size) __asan_poison_memory_region((memory), (size))
#define UNPOISON(memory, size) __asan_unpoison_memory_region((memory), (size))
#else
#define GAP_BYTES 0
#define POISON(memory, size) ((void)0)
#define UNPOISON(memory, size) ((void)0)
#endif

/* Sizes of chunks and pieces in bytes; chosen, not measured, unless a reason is given. */
/* alignment of pieces: a cache line, and the widest vector register */
#define ALIGNMENT ((size_t)64)
#define FIRST_CHUNK_BYTES ((size_t)8192)
/* largest regular chunk; a larger piece gets a chunk of its own */
#define LARGEST_CHUNK_BYTES ((size_t)1024 * 1024)
/* Size of pieces from which on a zeroed piece gets a chunk of its own, which is allocated zeroed:
 * that from which on malloc maps memory. */
#define MAPPED_BYTES ((size_t)128 * 1024)
/* Chunk size from which on a chunk is at most an eighth of the arena: malloc trims its heap when
 * 64 KiB or more become free at once, which takes longer than the creation of a small handle. */
#define DOUBLING_END_BYTES ((size_t)32768)
/* Piece size up to which zeroing runs in place over whole cache lines, faster than a call of
 * memset. Under the sanitizer nothing beyond the end of a piece may be written. */
#define INLINE_ZERO_BYTES ((size_t)(GAP_BYTES ? 0 : 256))
/* Bound of doubles with a limit: sums of a few of them do not overflow. */
#define LARGEST_DOUBLE 1e200
#define PIECES_PER_LIST 31 /* number of state pieces in one node of the list of state pieces */

typedef struct chunk {
  struct chunk *next;
  size_t bytes; /* size as allocated, including this header */
} chunk;

typedef struct piece {
  size_t bytes;
  size_t offset; /* offset in a saved buffer */
  char *memory;
} piece;

typedef struct piece_list {
  struct piece_list *next;
  int count;
  piece piece[PIECES_PER_LIST];
} piece_list;

/* Range of integers of a state piece. */
typedef struct limit {
  struct limit *next;
  const char *first; /* the first one, in a state piece */
  size_t size;       /* bytes of one; 0: finite doubles */
  int count;
  long min, max;
} limit;

/* Reload function of an object that lies in the arena. */
typedef struct hook {
  struct hook *next;
  dae__reload *reload;
  void *self;
} hook;

/* Arena, stored at the beginning of its first chunk. */
struct dae__arena {
  chunk first;
  dae_env env;
  chunk *others;    /* chunks after the first, newest first; pieces are cut from the newest only */
  char *free, *end; /* unused rest of the newest chunk; both addresses are aligned */
  piece_list *state, *last_state;
  limit *limits;
  hook *hooks, *last_hook;
  size_t state_size;              /* bytes of all state pieces */
  size_t next_chunk, total_bytes; /* bytes of the next chunk; bytes of all chunks so far */
  bool failed;
};

/* Makes chunk c the one from which pieces are cut, beginning after its header. */
static void arena_cut_from(dae__arena *arena, chunk *c, size_t header)
{
  char *p = (char *)c + header;
  arena->free = p + (ALIGNMENT - (uintptr_t)p % ALIGNMENT) % ALIGNMENT;
  arena->end = (char *)c + c->bytes;
  POISON(arena->free, (size_t)(arena->end - arena->free));
}

dae__arena *dae__arena_create(const dae_env *env)
{
  dae_env own = dae__env_of(env);
  dae__arena *arena = own.allocate(own.user, FIRST_CHUNK_BYTES);
  if (!arena)
    return NULL;
  *arena = (dae__arena){.first.bytes = FIRST_CHUNK_BYTES,
                        .env = own,
                        .next_chunk = 2 * FIRST_CHUNK_BYTES,
                        .total_bytes = FIRST_CHUNK_BYTES};
  arena_cut_from(arena, &arena->first, sizeof *arena);
  return arena;
}

void dae__arena_free(dae__arena *arena)
{
  if (!arena)
    return;
  dae_env env = arena->env;
  for (chunk *c = arena->others, *next; c; c = next) {
    next = c->next;
    UNPOISON(c, c->bytes);
    env.release(env.user, c);
  }
  UNPOISON(arena, arena->first.bytes);
  env.release(env.user, arena);
}

/* Makes every later request fail. */
static void arena_fail(dae__arena *arena)
{
  arena->failed = true;
  arena->free = arena->end;
}

/* Cuts a zeroed piece from a chunk of its own, behind the chunk that pieces are cut from; NULL: out
 * of memory. */
static char *arena_map(dae__arena *arena, size_t bytes)
{
  size_t all = sizeof(chunk) + ALIGNMENT + bytes + GAP_BYTES;
  bool refused = arena->failed || dae__env_stopped(&arena->env);
  chunk *c = refused ? NULL : dae__env_allocate_zeroed(&arena->env, all);
  if (!c) {
    arena_fail(arena);
    return NULL;
  }
  chunk **after = arena->others ? &arena->others->next : &arena->others;
  *c = (chunk){.next = *after, .bytes = all};
  *after = c;
  arena->total_bytes += all;
  char *p = (char *)(c + 1), *memory = p + (ALIGNMENT - (uintptr_t)p % ALIGNMENT) % ALIGNMENT;
  POISON(memory + bytes, (size_t)((char *)c + all - (memory + bytes)));
  return memory;
}

/* Adds a chunk with room for a piece of bytes_of_piece bytes; false: out of memory. */
static bool arena_add_chunk(dae__arena *arena, size_t bytes_of_piece)
{
  size_t bytes = sizeof(chunk) + ALIGNMENT + bytes_of_piece;
  if (bytes < arena->next_chunk)
    bytes = arena->next_chunk;
  bool refused = arena->failed || dae__env_stopped(&arena->env);
  chunk *c = refused ? NULL : arena->env.allocate(arena->env.user, bytes);
  if (!c) {
    arena_fail(arena);
    return false;
  }
  *c = (chunk){.next = arena->others, .bytes = bytes};
  arena->others = c;
  arena_cut_from(arena, c, sizeof *c);
  arena->total_bytes += bytes;
  if (arena->next_chunk < DOUBLING_END_BYTES ||
      (arena->next_chunk < LARGEST_CHUNK_BYTES && arena->total_bytes >= 8 * arena->next_chunk))
    arena->next_chunk *= 2;
  return true;
}

/* Cuts a piece of count * size bytes, not zeroed; NULL: out of memory. */
static inline char *arena_cut(dae__arena *arena, size_t count, size_t size)
{
  /* size rounded up, so that the free end stays aligned and no two pieces share an address */
  size_t bytes = count * size;
  size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + GAP_BYTES;
  if (!arena)
    return NULL;
  if (dae__size_overflows(count, size)) {
    arena_fail(arena);
    return NULL;
  }
  if (rounded == 0)
    rounded = ALIGNMENT;
  if ((size_t)(arena->end - arena->free) < rounded && !arena_add_chunk(arena, rounded))
    return NULL;
  char *memory = arena->free;
  DAE__ASSERT((uintptr_t)memory % ALIGNMENT == 0);
  arena->free += rounded;
  UNPOISON(memory, bytes);
  return memory;
}

/* Cuts a zeroed piece. Pieces are zeroed one by one, not with their chunk, so that unused memory is
 * never touched. */
void *dae_arena_alloc(dae__arena *arena, size_t count, size_t size)
{
  size_t bytes = count * size;
  /* most pieces are small, and the chunk has room for them */
  if (arena && (count | size) <= INLINE_ZERO_BYTES && bytes > 0 && bytes <= INLINE_ZERO_BYTES &&
      (size_t)(arena->end - arena->free) > INLINE_ZERO_BYTES) {
    char *memory = arena->free, *line = memory, *end = memory + bytes;
    for (; line < end; line += ALIGNMENT)
      memset(line, 0, ALIGNMENT);
    arena->free = line;
    return memory;
  }
  if (arena && bytes >= MAPPED_BYTES && !dae__size_overflows(count, size))
    return arena_map(arena, bytes);
  char *memory = arena_cut(arena, count, size);
  if (memory && bytes > INLINE_ZERO_BYTES)
    memset(memory, 0, bytes);
  else if (memory)
    for (char *line = memory, *end = memory + bytes; line < end; line += ALIGNMENT)
      memset(line, 0, ALIGNMENT);
  return memory;
}

void dae__arena_vectors(dae__arena *arena, size_t count, double **const *vectors, size_t n)
{
  for (size_t i = 0; i < n; i++)
    *vectors[i] = DAE__ALLOC(arena, double, count);
}

void *dae__arena_uninit(dae__arena *arena, size_t count, size_t size)
{
  char *memory = arena_cut(arena, count, size);
  if (GAP_BYTES && memory)
    /* pattern that makes a read before the first write visible */
    memset(memory, 0xa5, count * size);
  return memory;
}

void *dae_arena_state(dae__arena *arena, size_t count, size_t size)
{
  void *memory = dae_arena_alloc(arena, count, size);
  if (!memory || count == 0 || size == 0)
    return memory;
  piece_list *list = arena->last_state;
  if (!list || list->count == PIECES_PER_LIST) {
    list = dae_arena_alloc(arena, 1, sizeof *list);
    if (!list)
      return NULL;
    *(arena->last_state ? &arena->last_state->next : &arena->state) = list;
    arena->last_state = list;
  }
  list->piece[list->count++] =
      (piece){.bytes = count * size, .offset = arena->state_size, .memory = memory};
  arena->state_size += count * size;
  return memory;
}

/* State piece that holds an address; NULL: none. */
static const piece *arena_piece_at(const dae__arena *arena, const char *address)
{
  for (const piece_list *list = arena->state; list; list = list->next)
    for (const piece *p = list->piece; p < list->piece + list->count; p++)
      if (address >= p->memory && address < p->memory + p->bytes)
        return p;
  return NULL;
}

/* The piece is searched for by dae__arena_check alone, which most handles never need. */
void dae__arena_limit(dae__arena *arena, const void *first, int count, size_t size, long min,
                      long max)
{
  limit *l = arena->failed || count == 0 ? NULL : DAE__UNINIT(arena, limit, 1);
  if (!l)
    return;
  DAE__ASSERT(arena_piece_at(arena, first) ==
              arena_piece_at(arena, (const char *)first +
                                        (size_t)count * (size ? size : sizeof(double)) - 1));
  *l = (limit){
      .next = arena->limits, .first = first, .size = size, .count = count, .min = min, .max = max};
  arena->limits = l;
}

/* Whether a number of a saved buffer is within its limit. */
static bool arena_within(const limit *l, const char *from)
{
  int number = 0;
  long value = 0;
  double real;
  unsigned char truth; /* a bool with another value than 0 and 1 must not be read as a bool */
  switch (l->size) {
  case 0:
    memcpy(&real, from, sizeof real);
    return fabs(real) < LARGEST_DOUBLE; /* false for NaN */
  case 1:
    memcpy(&truth, from, 1);
    value = truth;
    break;
  case sizeof(int):
    memcpy(&number, from, sizeof number);
    value = number;
    break;
  default:
    memcpy(&value, from, sizeof value);
  }
  return DAE__MUTATE(load_limits, value >= l->min && value <= l->max, true);
}

bool dae__arena_check(const dae__arena *arena, const void *buffer)
{
  for (const limit *l = arena->limits; l; l = l->next) {
    const piece *p = arena_piece_at(arena, l->first);
    const char *saved = (const char *)buffer + p->offset + (l->first - p->memory);
    size_t size = l->size ? l->size : sizeof(double);
    for (int i = 0; i < l->count; i++)
      if (!arena_within(l, saved + (size_t)i * size))
        return false;
  }
  return true;
}

bool dae__arena_failed(const dae__arena *arena)
{
  return !arena || arena->failed;
}

dae_status dae__arena_status(const dae__arena *arena, dae_error *err)
{
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

const dae_env *dae__arena_env(const dae__arena *arena)
{
  return &arena->env;
}

size_t dae__arena_state_size(const dae__arena *arena)
{
  return arena->state_size;
}

void dae__arena_save(const dae__arena *arena, void *buffer)
{
  char *to = buffer;
  for (const piece_list *list = arena->state; list; list = list->next)
    for (int i = 0; i < list->count; i++) {
      const piece *p = &list->piece[i];
      memcpy(to, p->memory, p->bytes);
      to += p->bytes;
    }
}

void dae__arena_on_load(dae__arena *arena, dae__reload *reload, void *self)
{
  hook *h = DAE__UNINIT(arena, hook, 1);
  if (!h)
    return;
  *h = (hook){.reload = reload, .self = self};
  *(arena->last_hook ? &arena->last_hook->next : &arena->hooks) = h;
  arena->last_hook = h;
}

dae_status dae__arena_load(dae__arena *arena, const void *buffer)
{
  const char *from = buffer;
  for (piece_list *list = arena->state; list; list = list->next)
    for (int i = 0; i < list->count; i++) {
      const piece *p = &list->piece[i];
      memcpy(p->memory, from, p->bytes);
      from += p->bytes;
    }
  dae_status status = DAE_OK;
  for (const hook *h = arena->hooks; h && !status; h = h->next)
    status = h->reload(h->self);
  return status;
}
