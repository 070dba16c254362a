/* Command line parser, driven by the option table of the command.
 *
 * --name value and --name=value are equivalent, - and _ in names are equivalent, `--` ends the
 * options. Options of methods are stored as text until the method is known. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Remaining words of the command line. */
typedef struct reader {
  int left;
  char **at;
} reader;

static const cli_option *arguments_find_option(const cli_syntax *syntax, const char *name)
{
  for (int i = 0; i < syntax->count; i++)
    if (cli_same_name(syntax->options[i].name, name))
      return &syntax->options[i];
  return NULL;
}

static bool arguments_method_option(const char *name)
{
  for (int i = 0; dae_method_at(i); i++)
    if (cli_option_index(dae_method_at(i)->options, name) >= 0)
      return true;
  return false;
}

static dae_status arguments_refuse_option(const cli_syntax *syntax, const char *name,
                                          dae_error *err)
{
  const char *near = cli_nearest_option(syntax, NULL, name);
  if (near)
    return cli_fail(err, DAE_ERROR_USAGE, "there is no option --%.60s: did you mean %s?", name,
                    cli_dashes(near).text);
  return cli_fail(err, DAE_ERROR_USAGE, "there is no option --%.60s", name);
}

/* Whether a switch of a method has no value, which turns it on. */
static bool arguments_switch_alone(const reader *in, const char *name)
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

/* Whether the next word is the file name of a page. */
static bool arguments_page_follows(const reader *in)
{
  size_t length = in->left > 0 ? strlen(in->at[0]) : 0;
  return length > 5 && strcmp(in->at[0] + length - 5, ".html") == 0;
}

/* Value after =, or else the next word. */
static dae_status arguments_read_value(reader *in, char *equals, cli_given *given, dae_error *err)
{
  if (equals) {
    given->value = equals + 1;
    return DAE_OK;
  }
  bool own = !given->option || given->option->kind == CLI_SWITCH;
  if (own && arguments_switch_alone(in, given->name)) {
    given->value = "on";
    return DAE_OK;
  }
  if (given->option && given->option->kind == CLI_PAGE && !arguments_page_follows(in))
    return DAE_OK;
  if (in->left == 0 || strncmp(in->at[0], "--", 2) == 0)
    return cli_fail(err, DAE_ERROR_USAGE, "%s needs a value", cli_dashes(given->name).text);
  given->value = in->at[0];
  in->at++, in->left--;
  return DAE_OK;
}

static dae_status arguments_check_value(const cli_given *given, dae_error *err)
{
  double number;
  const cli_option *option = given->option;
  if (option && option->kind == CLI_PAGE && !given->value)
    return DAE_OK;
  if (!given->value || !given->value[0])
    return cli_fail(err, DAE_ERROR_USAGE, "%s needs a value", cli_dashes(given->name).text);
  bool numeric = option && (option->kind == CLI_NUMBER || option->kind == CLI_METHOD);
  if (numeric && !cli_parse_number(given->value, &number))
    return cli_fail(err, DAE_ERROR_USAGE, "--%s %.60s: not a number", option->name, given->value);
  if (option && strcmp(option->name, "set") == 0 && !strchr(given->value, '='))
    return cli_fail(err, DAE_ERROR_USAGE, "--set %.60s: expected a param and its value, as in %s",
                    given->value, "--set a=3");
  return DAE_OK;
}

/* One option, with its name at word + 2; the word is cut at the = sign. */
static dae_status arguments_read_option(reader *in, char *word, cli_arguments *out, dae_error *err)
{
  char *name = word + 2, *equals = strchr(name, '=');
  if (equals)
    *equals = '\0';
  cli_given *given = &out->given[out->count];
  *given = (cli_given){.option = arguments_find_option(out->syntax, name), .name = name};
  if (!given->option && !(out->syntax->takes_method_options && arguments_method_option(name)))
    return arguments_refuse_option(out->syntax, name, err);
  if (given->option)
    given->name = given->option->name;
  out->count++;
  if (given->option && given->option->kind == CLI_FLAG)
    return equals ? cli_fail(err, DAE_ERROR_USAGE, "--%s takes no value", given->name) : DAE_OK;
  dae_status status = arguments_read_value(in, equals, given, err);
  return status < 0 ? status : arguments_check_value(given, err);
}

static dae_status arguments_read_operand(char *word, cli_arguments *out, dae_error *err)
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

static dae_status arguments_read_words(reader *in, cli_arguments *out, dae_error *err)
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
    dae_status status =
        option ? arguments_read_option(in, word, out, err) : arguments_read_operand(word, out, err);
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
  dae_status status = arguments_read_words(&in, out, err);
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

static const cli_given *arguments_last(const cli_arguments *args, const char *name)
{
  for (int i = args->count - 1; i >= 0; i--)
    if (args->given[i].option && strcmp(args->given[i].name, name) == 0)
      return &args->given[i];
  return NULL;
}

const char *cli_value(const cli_arguments *args, const char *name)
{
  const cli_given *given = arguments_last(args, name);
  return given ? given->value : NULL;
}

bool cli_flag(const cli_arguments *args, const char *name)
{
  return arguments_last(args, name) != NULL;
}

const char *cli_page(const cli_arguments *args, const char *name, const char *fallback)
{
  const cli_given *given = arguments_last(args, name);
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

/* The model parser reports an error in a value of --set with the file name `set`: it becomes a
 * usage error. */
static dae_status arguments_set_error(const cli_arguments *args, dae_status status, dae_error *err)
{
  if (status != DAE_ERROR_MODEL || strcmp(err->file, "set") != 0 || !cli_value(args, "set") ||
      strcmp(args->operand, "set") == 0)
    return status;
  snprintf(err->file, sizeof err->file, "--set");
  err->line = err->column = 0;
  err->status = DAE_ERROR_USAGE;
  return err->status;
}

int cli_values(const cli_arguments *args, const char *name, const char **out)
{
  int count = 0;
  for (int i = 0; i < args->count; i++)
    if (args->given[i].option && strcmp(args->given[i].name, name) == 0)
      out[count++] = args->given[i].value;
  return count;
}

/* Prints the warnings about a model. */
static void arguments_on_log(void *user, dae_log_level level, const char *line)
{
  (void)user;
  if (level != DAE_LOG_WARNING)
    return;
  fputs("daedal: warning: ", stderr);
  cli_put_clean(stderr, line);
  fputc('\n', stderr);
}

dae_status cli_load(const cli_arguments *args, const dae_env *env, dae_model **out, dae_error *err)
{
  dae_env own = env ? *env : dae_env_defaults();
  if (!own.log && !cli_flag(args, "quiet"))
    own.log = arguments_on_log;
  size_t most = (size_t)args->count + 1;
  const char **values = calloc(3 * most, sizeof *values);
  if (!values)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  dae_model_options options = dae_model_defaults();
  options.set = values;
  options.set_count = cli_values(args, "set", values);
  options.set_files = values + most;
  options.set_file_count = cli_values(args, "set-from", values + most);
  options.input_files = values + 2 * most;
  options.input_file_count = cli_values(args, "input", values + 2 * most);
  dae_status status = dae_model_load(args->operand, &options, &own, out, err);
  free(values);
  return arguments_set_error(args, status, err);
}
