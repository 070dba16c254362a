/* Models of the reproductions, embedded in the program. */
#include "reproduce.h"

#include <string.h>

typedef struct embedded {
  const char *name;
  const unsigned char *text;
  size_t length;
} embedded;

#include "models.inc"

dae_status rep_model_load(const char *name, const dae_model_options *options, dae_model **out,
                          dae_error *err)
{
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    if (strcmp(models[i].name, name) == 0)
      return dae_model_parse(name, (const char *)models[i].text, models[i].length, options, NULL,
                             out, err);
  *out = NULL;
  *err = dae_error_none();
  snprintf(err->text, sizeof err->text, "the model %s is not embedded", name);
  return err->status = DAE_ERROR_USAGE;
}
