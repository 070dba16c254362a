/* Text that grows, for the C source of native code. Failure is sticky. */
#ifndef DAEDAL_MODEL_NATIVE_NATIVE_TEXT_H
#define DAEDAL_MODEL_NATIVE_NATIVE_TEXT_H

#include "model/pool.h"
#include <stdbool.h>

typedef struct dae__source {
  dae_env env;
  char *text; /* not ended by a zero */
  int length, room;
  bool failed; /* out of memory */
} dae__source;

static inline void dae__source_free(dae__source *s)
{
  if (s->text)
    s->env.release(s->env.user, s->text);
  s->text = NULL;
}

static inline void dae__put_bytes(dae__source *s, const char *bytes, size_t count)
{
  if (s->failed || count > (size_t)(INT_MAX - s->length)) {
    s->failed = true;
    return;
  }
  if ((size_t)(s->room - s->length) < count) {
    void *larger = dae__grown(&s->env, s->text, &s->room, s->length, s->length + (int)count, 1);
    s->failed = !larger;
    if (!larger)
      return;
    s->text = larger;
  }
  memcpy(s->text + s->length, bytes, count);
  s->length += (int)count;
}

static inline void dae__put(dae__source *s, const char *text)
{
  dae__put_bytes(s, text, strlen(text));
}

static inline void dae__put_number(dae__source *s, int number) /* not negative */
{
  char digits[16];
  size_t at = sizeof digits;
  do
    digits[--at] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  dae__put_bytes(s, digits + at, sizeof digits - at);
}

/* before, number, after: "x", 3, "; " */
static inline void dae__put_numbered(dae__source *s, const char *before, int number,
                                     const char *after)
{
  dae__put(s, before);
  dae__put_number(s, number);
  dae__put(s, after);
}

#endif
