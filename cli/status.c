/* Exit codes of library statuses, and messages. */
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>

/* Success and notifications have exit code 0. A refused option or method is an error of the command
 * line: settings.c turns those caused by the model into DAE_ERROR_MODEL. */
static const struct {
  dae_status status;
  cli_exit code;
} codes[] = {
    {DAE_ERROR_MEMORY, CLI_STEP},       {DAE_ERROR_USAGE, CLI_USAGE},
    {DAE_ERROR_OPTION, CLI_USAGE},      {DAE_ERROR_PROBLEM, CLI_MODEL},
    {DAE_ERROR_UNSUPPORTED, CLI_USAGE}, {DAE_ERROR_START, CLI_START},
    {DAE_ERROR_SINGULAR, CLI_STEP},     {DAE_ERROR_CALLBACK, CLI_STEP},
    {DAE_ERROR_RECOVERABLE, CLI_STEP},  {DAE_ERROR_STEP, CLI_STEP},
    {DAE_ERROR_COUPLING, CLI_COUPLING}, {DAE_ERROR_CHECK, CLI_CHECK},
    {DAE_ERROR_FILE, CLI_FILE},         {DAE_ERROR_INTERRUPTED, CLI_INTERRUPTED},
    {DAE_ERROR_MODEL, CLI_MODEL},       {DAE_ERROR_NATIVE, CLI_FILE},
};

cli_exit cli_exit_code(dae_status status)
{
  if (status >= 0)
    return CLI_OK;
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i].status == status)
      return codes[i].code;
  return CLI_STEP;
}

dae_status cli_fail(dae_error *err, dae_status status, const char *format, ...)
{
  *err = dae_error_none();
  err->status = status;
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  return status;
}

cli_exit cli_report(const char *command, const dae_error *err)
{
  if (cli_interrupted() && err->status == DAE_ERROR_MEMORY) {
    dae_error stopped; /* of an allocation that was refused */
    cli_fail(&stopped, DAE_ERROR_INTERRUPTED, "interrupted");
    return cli_report(command, &stopped);
  }
  char text[2048]; /* larger than all fields of the record together */
  cli_exit code = cli_exit_code(err->status);
  dae_error_text(err, text, sizeof text);
  fflush(stdout);
  fputs("daedal: error: ", stderr);
  cli_put_clean(stderr, text[0] ? text : dae_status_text(err->status));
  fputc('\n', stderr);
  if (code == CLI_USAGE)
    fprintf(stderr, "`daedal %s%s--help` explains the command.\n", command ? command : "",
            command ? " " : "");
  if (code == CLI_INTERRUPTED)
    cli_interrupt_end();
  return code;
}

void cli_note(const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fflush(stdout);
  fputs("daedal: note: ", stderr);
  cli_put_clean(stderr, text);
  fputc('\n', stderr);
}
