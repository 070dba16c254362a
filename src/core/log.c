#include "core/log.h"

#include <stdarg.h>
#include <stdio.h>

void dae__log_line(const dae_env *env, dae_log_level level, const char *format, ...)
{
  char line[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  env->log(env->user, level, line);
}
