/* Pieces are cut from chunks that double in size. Under the address sanitizer a poisoned gap
 * follows every piece, so that running past its end is noticed although the chunk goes on. */
#include "core/arena.h"

#include "core/env.h"

#include <stdint.h>
#include <string.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define GAP 64
#define POISON(memory, size) __asan_poison_memory_region((memory), (size))
#define UNPOISON(memory, size) __asan_unpoison_memory_region((memory), (size))
#else
#define GAP 0
#define POISON(memory, size) ((void)0)
#define UNPOISON(memory, size) ((void)0)
#endif

#define ALIGNMENT ((size_t)64)              /* a cache line, and the widest vector register */
#define FIRST_CHUNK ((size_t)8192)          /* a small problem's handle fits into two or three */
#define LARGEST_CHUNK ((size_t)1024 * 1024) /* larger pieces get a chunk of their own */
/* From here on chunks grow with an eighth of all there is: memory managers tidy up where 64 KiB or
 * more become free at once, which takes longer than creating a small handle does. */
#define SLOWER ((size_t)32768)
#define LISTED 31 /* kept pieces a list has room for */

/* pieces up to here are zeroed in place, in whole lines, most of them in one; a call takes longer.
 * Under the sanitizer nothing beyond their end may be written. */
#define SMALL ((size_t)(GAP ? 0 : 256))

typedef struct chunk {
  struct chunk *next;
  size_t bytes; /* as allocated, this header included */
} chunk;

typedef struct kept {
  size_t bytes;
  void *memory;
} kept;

typedef struct kept_list {
  struct kept_list *next;
  int count;
  kept piece[LISTED];
} kept_list;

/* It lies in its first chunk. */
struct dae__arena {
  chunk first;
  dae_env env;
  chunk *others;    /* chunks, the newest first: */
  char *free, *end; /* only it is cut from; both aligned */
  kept_list *kept, *last;
  size_t kept_size;
  size_t next_chunk, total; /* bytes of the next one, and of all */
  bool failed;
};

/* the first aligned place of a chunk after so many bytes of header */
static char *arena_begin_of(chunk *c, size_t header)
{
  char *p = (char *)c + header;
  return p + (ALIGNMENT - (uintptr_t)p % ALIGNMENT) % ALIGNMENT;
}

/* pieces are cut from c from now on */
static void arena_cut_from(dae__arena *arena, chunk *c, size_t header)
{
  arena->free = arena_begin_of(c, header);
  arena->end = (char *)c + c->bytes;
  POISON(arena->free, (size_t)(arena->end - arena->free));
}

dae__arena *dae__arena_create(const dae_env *env)
{
  dae_env own = dae__env_of(env);
  dae__arena *arena = own.allocate(own.user, FIRST_CHUNK);
  if (!arena)
    return NULL;
  *arena = (dae__arena){
      .first.bytes = FIRST_CHUNK, .env = own, .next_chunk = 2 * FIRST_CHUNK, .total = FIRST_CHUNK};
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

/* A new chunk with room for a piece of this many bytes; false where there is none. */
static bool arena_add_chunk(dae__arena *arena, size_t piece)
{
  size_t bytes = sizeof(chunk) + ALIGNMENT + piece;
  if (bytes < arena->next_chunk)
    bytes = arena->next_chunk;
  chunk *c = arena->failed ? NULL : arena->env.allocate(arena->env.user, bytes);
  if (!c) {
    arena->failed = true;
    arena->free = arena->end; /* no room: whatever is asked for comes here */
    return false;
  }
  *c = (chunk){.next = arena->others, .bytes = bytes};
  arena->others = c;
  arena_cut_from(arena, c, sizeof *c);
  arena->total += bytes;
  if (arena->next_chunk < SLOWER ||
      (arena->next_chunk < LARGEST_CHUNK && arena->total >= 8 * arena->next_chunk))
    arena->next_chunk *= 2;
  return true;
}

static void arena_clear(char *memory, size_t bytes)
{
  if (bytes > SMALL)
    memset(memory, 0, bytes);
  else
    for (char *end = memory + bytes; memory < end; memory += ALIGNMENT)
      memset(memory, 0, ALIGNMENT);
}

/* The next piece; NULL: there is none. */
static inline char *arena_cut(dae__arena *arena, size_t count, size_t size)
{
  /* round up, so that the free end stays aligned and no two pieces share an address */
  size_t bytes = count * size;
  size_t piece = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + GAP;
  if (dae__too_many(count, size)) {
    arena->failed = true;
    arena->free = arena->end;
    return NULL;
  }
  if (piece == 0)
    piece = ALIGNMENT;
  if ((size_t)(arena->end - arena->free) < piece && !arena_add_chunk(arena, piece))
    return NULL;
  char *memory = arena->free;
  arena->free += piece;
  UNPOISON(memory, bytes);
  return memory;
}

void *dae__arena_alloc(dae__arena *arena, size_t count, size_t size)
{
  char *memory = arena_cut(arena, count, size);
  if (memory) /* now, not with its chunk: what is never used is never touched */
    arena_clear(memory, count * size);
  return memory;
}

void *dae__arena_uninit(dae__arena *arena, size_t count, size_t size)
{
  char *memory = arena_cut(arena, count, size);
  if (GAP && memory)
    memset(memory, 0xa5, count * size); /* reading it before it is written shows */
  return memory;
}

/* Room in the list of kept pieces; NULL: none. */
static kept *arena_list_one(dae__arena *arena)
{
  kept_list *list = arena->last;
  if (!list || list->count == LISTED) {
    list = dae__arena_alloc(arena, 1, sizeof *list);
    if (!list)
      return NULL;
    *(arena->last ? &arena->last->next : &arena->kept) = list;
    arena->last = list;
  }
  return &list->piece[list->count++];
}

void *dae__arena_state(dae__arena *arena, size_t count, size_t size)
{
  void *memory = dae__arena_alloc(arena, count, size);
  if (!memory || count == 0 || size == 0)
    return memory;
  kept *k = arena_list_one(arena);
  if (!k)
    return NULL;
  *k = (kept){.bytes = count * size, .memory = memory};
  arena->kept_size += k->bytes;
  return memory;
}

bool dae__arena_failed(const dae__arena *arena)
{
  return arena->failed;
}

const dae_env *dae__arena_env(const dae__arena *arena)
{
  return &arena->env;
}

size_t dae__arena_kept_size(const dae__arena *arena)
{
  return arena->kept_size;
}

void dae__arena_save(const dae__arena *arena, void *buffer)
{
  char *to = buffer;
  for (const kept_list *list = arena->kept; list; list = list->next)
    for (int i = 0; i < list->count; i++) {
      const kept *k = &list->piece[i];
      memcpy(to, k->memory, k->bytes);
      to += k->bytes;
    }
}

void dae__arena_load(dae__arena *arena, const void *buffer)
{
  const char *from = buffer;
  for (kept_list *list = arena->kept; list; list = list->next)
    for (int i = 0; i < list->count; i++) {
      const kept *k = &list->piece[i];
      memcpy(k->memory, from, k->bytes);
      from += k->bytes;
    }
}
