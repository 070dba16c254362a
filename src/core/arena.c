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
#define FIRST_CHUNK ((size_t)4096)          /* a small problem's handle fits into one or two */
#define LARGEST_CHUNK ((size_t)1024 * 1024) /* larger pieces get a chunk of their own */

typedef struct chunk {
  struct chunk *next;
  size_t bytes; /* as allocated, this header included */
  char *free;   /* first byte not handed out, aligned */
  char *end;
} chunk;

typedef struct kept {
  struct kept *next;
  size_t bytes;
  void *memory;
} kept;

struct dae__arena {
  dae_env env;
  chunk *chunks; /* the newest first: only it is cut from */
  kept *first, **last;
  size_t kept_size;
  size_t next_chunk;
  bool failed;
};

dae__arena *dae__arena_create(const dae_env *env)
{
  dae_env own = dae__env_of(env);
  dae__arena *arena = own.allocate(own.user, sizeof *arena);
  if (!arena)
    return NULL;
  *arena = (dae__arena){.env = own, .next_chunk = FIRST_CHUNK};
  arena->last = &arena->first;
  return arena;
}

void dae__arena_free(dae__arena *arena)
{
  if (!arena)
    return;
  dae_env env = arena->env;
  for (chunk *c = arena->chunks, *next; c; c = next) {
    next = c->next;
    UNPOISON(c, c->bytes);
    env.release(env.user, c);
  }
  env.release(env.user, arena);
}

static char *align(char *p)
{
  return p + (ALIGNMENT - (uintptr_t)p % ALIGNMENT) % ALIGNMENT;
}

/* A new chunk with room for a piece of this many bytes. */
static chunk *add_chunk(dae__arena *arena, size_t piece)
{
  size_t bytes = sizeof(chunk) + ALIGNMENT + piece;
  if (bytes < arena->next_chunk)
    bytes = arena->next_chunk;
  chunk *c = arena->env.allocate(arena->env.user, bytes);
  if (!c)
    return NULL;
  c->next = arena->chunks;
  c->bytes = bytes;
  c->free = align((char *)(c + 1));
  c->end = (char *)c + bytes;
  POISON(c->free, (size_t)(c->end - c->free));
  arena->chunks = c;
  if (arena->next_chunk < LARGEST_CHUNK)
    arena->next_chunk *= 2;
  return c;
}

void *dae__arena_take(dae__arena *arena, size_t count, size_t size)
{
  if (arena->failed)
    return NULL;
  if (size > 0 && count > (SIZE_MAX / 2) / size) {
    arena->failed = true;
    return NULL;
  }
  /* round up, so that the free end stays aligned and no two pieces share an address */
  size_t bytes = count * size;
  size_t piece = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + GAP;
  if (piece == 0)
    piece = ALIGNMENT;
  chunk *c = arena->chunks;
  if (!c || (size_t)(c->end - c->free) < piece)
    c = add_chunk(arena, piece);
  if (!c) {
    arena->failed = true;
    return NULL;
  }
  void *memory = c->free;
  c->free += piece;
  UNPOISON(memory, bytes);
  memset(memory, 0, bytes); /* now, not with its chunk: what is never used is never touched */
  return memory;
}

void *dae__arena_keep(dae__arena *arena, size_t count, size_t size)
{
  void *memory = dae__arena_take(arena, count, size);
  if (!memory || count == 0 || size == 0)
    return memory;
  kept *k = dae__arena_take(arena, 1, sizeof *k);
  if (!k)
    return NULL;
  k->bytes = count * size;
  k->memory = memory;
  *arena->last = k;
  arena->last = &k->next;
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
  for (const kept *k = arena->first; k; k = k->next) {
    memcpy(to, k->memory, k->bytes);
    to += k->bytes;
  }
}

void dae__arena_load(dae__arena *arena, const void *buffer)
{
  const char *from = buffer;
  for (const kept *k = arena->first; k; k = k->next) {
    memcpy(k->memory, from, k->bytes);
    from += k->bytes;
  }
}
