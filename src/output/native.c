/* What became of native code, in words. */
#include "output/native.h"

size_t dae_native_text(const dae_native *native, char *text, size_t size)
{
  char seconds[40];
  dae__text t = dae__text_in(text, size);
  dae__number_text(native->seconds, 2, seconds);
  if (native->instructions == 0)
    dae__text_add(&t, "none");
  else if (native->cached)
    dae__text_add(&t, "found in the cache");
  else
    dae__text_add(&t, "compiled in %s s", seconds);
  return t.length;
}

void dae__native_json(dae__text *text, const dae_native *native)
{
  if (native->instructions == 0) {
    dae__text_add(text, "null");
    return;
  }
  dae__text_add(text, "{\"instructions\": %ld, \"cached\": %s, \"seconds\": ", native->instructions,
                native->cached ? "true" : "false");
  dae__text_number(text, native->seconds);
  dae__text_add(text, "}");
}
