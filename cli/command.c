/* The command line as text, quoted for a shell. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* characters without special meaning in any shell */
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "-_./:,+@%=";

static void command_put_word(FILE *out, const char *before, const char *word)
{
  fputs(before, out);
  if (*word && word[strspn(word, plain)] == '\0') {
    fputs(word, out);
    return;
  }
  fputc('\'', out);
  for (; *word; word++)
    fputs(*word == '\'' ? "'\\''" : (const char[]){*word, '\0'}, out);
  fputc('\'', out);
}

char *cli_command_text(const cli_arguments *args)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  fprintf(out, "daedal %s", args->syntax->command);
  if (args->operand)
    command_put_word(out, args->operand[0] == '-' ? " ./" : " ", args->operand);
  for (int i = 0; i < args->other_count; i++)
    command_put_word(out, " ", args->others[i]);
  for (int i = 0; i < args->count; i++) {
    fprintf(out, " %s", cli_dashes(args->given[i].name).text);
    if (args->given[i].value)
      command_put_word(out, " ", args->given[i].value);
  }
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}
