/* Reading the command line against the table of its command.
 *
 * --name value and --name=value are the same, - and _ in names are the same, `--` ends the options.
 * Options of methods are kept as they are until the method is known. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* What is left to read. */
typedef struct reader {
  int left;
  char **at;
} reader;

static const cli_option *find_option(const cli_syntax *syntax, const char *name)
{
  for (int i = 0; i < syntax->count; i++)
    if (cli_same_name(syntax->options[i].name, name))
      return &syntax->options[i];
  return NULL;
}

static bool some_method_has(const char *name)
{
  for (int i = 0; dae_method_at(i); i++)
    if (cli_option_index(dae_method_at(i)->options, name) >= 0)
      return true;
  return false;
}

static dae_status refuse_option(const cli_syntax *syntax, const char *name, dae_error *err)
{
  const char *near = cli_nearest_option(syntax, NULL, name);
  if (near)
    return cli_fail(err, DAE_ERROR_USAGE, "there is no option --%.60s: did you mean %s?", name,
                    cli_dashes(near).text);
  return cli_fail(err, DAE_ERROR_USAGE, "there is no option --%.60s", name);
}

/* A switch of the methods may stand alone, which turns it on. */
static bool stands_alone(const reader *in, const char *name)
{
  static const char *const words[] = {"on", "off", "true", "false", "yes", "no", "1", "0"};
  bool flag = false;
  for (int i = 0; dae_method_at(i) && !flag; i++) {
    const dae_option_table *table = dae_method_at(i)->options;
    int k = cli_option_index(table, name);
    flag = k >= 0 && table->options[k].type == DAE_OPTION_BOOL;
  }
  for (size_t i = 0; i < sizeof words / sizeof *words && in->left > 0; i++)
    flag = flag && strcmp(in->at[0], words[i]) != 0;
  return flag;
}

/* The next word is the file of a page. */
static bool names_page(const reader *in)
{
  size_t length = in->left > 0 ? strlen(in->at[0]) : 0;
  return length > 5 && strcmp(in->at[0] + length - 5, ".html") == 0;
}

/* The value behind = or, where there is none, the next word. */
static dae_status read_value(reader *in, char *equals, cli_given *given, dae_error *err)
{
  if (equals) {
    given->value = equals + 1;
    return DAE_OK;
  }
  if (!given->option && stands_alone(in, given->name)) {
    given->value = "on";
    return DAE_OK;
  }
  if (given->option && given->option->kind == CLI_PAGE && !names_page(in))
    return DAE_OK;
  if (in->left == 0 || strncmp(in->at[0], "--", 2) == 0)
    return cli_fail(err, DAE_ERROR_USAGE, "%s needs a value", cli_dashes(given->name).text);
  given->value = in->at[0];
  in->at++, in->left--;
  return DAE_OK;
}

static dae_status check_value(const cli_given *given, dae_error *err)
{
  double number;
  const cli_option *option = given->option;
  if (option && option->kind == CLI_PAGE && !given->value)
    return DAE_OK;
  if (!given->value || !given->value[0])
    return cli_fail(err, DAE_ERROR_USAGE, "%s needs a value", cli_dashes(given->name).text);
  bool numeric = option && (option->kind == CLI_NUMBER || option->kind == CLI_METHOD);
  if (numeric && !cli_parse_number(given->value, &number))
    return cli_fail(err, DAE_ERROR_USAGE, "--%s %.60s: this is not a number", option->name,
                    given->value);
  if (option && strcmp(option->name, "set") == 0 && !strchr(given->value, '='))
    return cli_fail(err, DAE_ERROR_USAGE, "--set %.60s: a param and its value are wanted, as in %s",
                    given->value, "--set a=3");
  return DAE_OK;
}

/* One option whose name begins at word + 2; its text is cut at the = sign. */
static dae_status read_option(reader *in, char *word, cli_arguments *out, dae_error *err)
{
  char *name = word + 2, *equals = strchr(name, '=');
  if (equals)
    *equals = '\0';
  cli_given *given = &out->given[out->count];
  *given = (cli_given){.option = find_option(out->syntax, name), .name = name};
  if (!given->option && !(out->syntax->takes_method_options && some_method_has(name)))
    return refuse_option(out->syntax, name, err);
  if (given->option)
    given->name = given->option->name;
  out->count++;
  if (given->option && given->option->kind == CLI_FLAG)
    return equals ? cli_fail(err, DAE_ERROR_USAGE, "--%s takes no value", given->name) : DAE_OK;
  dae_status status = read_value(in, equals, given, err);
  return status < 0 ? status : check_value(given, err);
}

static dae_status read_operand(char *word, cli_arguments *out, dae_error *err)
{
  const char *command = out->syntax->command;
  if (!out->syntax->operand)
    return cli_fail(err, DAE_ERROR_USAGE, "daedal %s takes no '%.60s'", command, word);
  if (out->operand && !out->syntax->others)
    return cli_fail(err, DAE_ERROR_USAGE, "daedal %s takes one %s, not both '%.60s' and '%.60s'",
                    command, out->syntax->operand, out->operand, word);
  if (out->operand)
    out->others[out->other_count++] = word;
  else
    out->operand = word;
  return DAE_OK;
}

static dae_status read_words(reader *in, cli_arguments *out, dae_error *err)
{
  bool options = true;
  while (in->left > 0) {
    char *word = in->at[0];
    in->at++, in->left--;
    if (options && strcmp(word, "--") == 0) {
      options = false;
      continue;
    }
    if (options && word[0] == '-' && word[1] && word[1] != '-')
      return cli_fail(err, DAE_ERROR_USAGE, "there is no option %.60s: options have two dashes",
                      word);
    bool option = options && word[0] == '-' && word[1];
    dae_status status = option ? read_option(in, word, out, err) : read_operand(word, out, err);
    if (status < 0)
      return status;
  }
  return DAE_OK;
}

dae_status cli_arguments_read(const cli_syntax *syntax, int argc, char **argv, cli_arguments *out,
                              dae_error *err)
{
  *out = (cli_arguments){.syntax = syntax};
  out->given = calloc((size_t)argc + 1, sizeof *out->given);
  out->others = calloc((size_t)argc + 1, sizeof *out->others);
  if (!out->given || !out->others)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  reader in = {argc, argv};
  dae_status status = read_words(&in, out, err);
  if (status >= 0 && syntax->needs_operand && !out->operand)
    return cli_fail(err, DAE_ERROR_USAGE, "daedal %s needs a %s", syntax->command, syntax->operand);
  if (status >= 0 && cli_flag(out, "quiet") && cli_flag(out, "verbose"))
    return cli_fail(err, DAE_ERROR_USAGE, "--quiet and --verbose exclude each other");
  return status;
}

void cli_arguments_free(cli_arguments *args)
{
  free(args->given);
  free(args->others);
  args->given = NULL;
  args->others = NULL;
}

static const cli_given *last_given(const cli_arguments *args, const char *name)
{
  for (int i = args->count - 1; i >= 0; i--)
    if (args->given[i].option && strcmp(args->given[i].name, name) == 0)
      return &args->given[i];
  return NULL;
}

const char *cli_value(const cli_arguments *args, const char *name)
{
  const cli_given *given = last_given(args, name);
  return given ? given->value : NULL;
}

bool cli_flag(const cli_arguments *args, const char *name)
{
  return last_given(args, name) != NULL;
}

const char *cli_page(const cli_arguments *args, const char *name, const char *fallback)
{
  const cli_given *given = last_given(args, name);
  return given && given->value ? given->value : given ? fallback : NULL;
}

double cli_number(const cli_arguments *args, const char *name, double fallback)
{
  double value = fallback;
  const char *text = cli_value(args, name);
  if (text)
    cli_parse_number(text, &value);
  return value;
}

/* Values of --set are text of a model, too, which calls itself `set`: their mistakes are those of
 * the command line. */
static dae_status blame_set(const cli_arguments *args, dae_status status, dae_error *err)
{
  if (status != DAE_ERROR_MODEL || strcmp(err->file, "set") != 0 || !cli_value(args, "set") ||
      strcmp(args->operand, "set") == 0)
    return status;
  snprintf(err->file, sizeof err->file, "--set");
  err->line = err->column = 0;
  err->status = DAE_ERROR_USAGE;
  return err->status;
}

dae_status cli_load(const cli_arguments *args, const dae_env *env, dae_model **out, dae_error *err)
{
  const char **set = calloc((size_t)args->count + 1, sizeof *set);
  if (!set)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  dae_model_options options = dae_model_defaults();
  for (int i = 0; i < args->count; i++)
    if (args->given[i].option && strcmp(args->given[i].name, "set") == 0)
      set[options.set_count++] = args->given[i].value;
  options.set = set;
  dae_status status = dae_model_load(args->operand, &options, env, out, err);
  free(set);
  return blame_set(args, status, err);
}
