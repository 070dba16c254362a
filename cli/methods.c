/* daedal methods: list of methods, and options of one method. */
#include "cli.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define NAMES 15   /* columns for the name of a method */
#define OPTIONS 24 /* columns for an option with its argument */

static void methods_list_names(const dae_method *method)
{
  if (method) {
    for (int i = 0; i < method->options->count; i++)
      printf("%s\n", cli_dashes(method->options->options[i].name).text + 2);
    return;
  }
  for (int i = 0; dae_method_at(i); i++)
    printf("%s\n", dae_method_at(i)->name);
}

static void methods_list(void)
{
  const dae_method *method;
  printf("%-*s", NAMES, "auto");
  cli_wrap(stdout, NAMES, NAMES,
           "selection by the kind of problem; `daedal check FILE` reports it with the reason");
  for (int i = 0; (method = dae_method_at(i)); i++) {
    char text[512];
    const char *key = method->reference;
    snprintf(text, sizeof text, "%s%s%s%s", method->summary, key ? " [" : "", key ? key : "",
             key ? "]" : "");
    printf("%-*s", NAMES, method->name);
    cli_wrap(stdout, NAMES, NAMES, text);
  }
  printf("\n`daedal methods NAME` shows the options of a method.\n");
}

/* ---- one method ---- */

/* range of a numeric option: "0 to 1", "at least 0", "greater than 0" */
static void methods_range_text(const dae_option *option, char *text, size_t size)
{
  bool positive = option->min > 0 && option->min <= DBL_MIN;
  bool below = option->max<DBL_MAX, above = option->min> - DBL_MAX;
  char low[40];
  snprintf(low, sizeof low, "%.10g", positive ? 0 : option->min);
  if (above && below)
    snprintf(text, size, positive ? "above %s, up to %.10g" : "%s to %.10g", low, option->max);
  else if (above)
    snprintf(text, size, "%s %s", positive ? "greater than" : "at least", low);
  else if (below)
    snprintf(text, size, "at most %.10g", option->max);
  else
    snprintf(text, size, "any");
}

/* placeholder of the value; text: admissible values */
static const char *methods_type_text(const dae_option *option, char *text, size_t size)
{
  size_t used = 0;
  switch (option->type) {
  case DAE_OPTION_DOUBLE:
    methods_range_text(option, text, size);
    return "NUMBER";
  case DAE_OPTION_INT:
    methods_range_text(option, text, size);
    return "INTEGER";
  case DAE_OPTION_BOOL:
    snprintf(text, size, "on or off");
    return "SWITCH";
  case DAE_OPTION_CHOICE:
    for (int i = 0; option->choices[i] && used < size; i++)
      used +=
          (size_t)snprintf(text + used, size - used, "%s%s", i ? " or " : "", option->choices[i]);
    return "WORD";
  }
  text[0] = '\0';
  return "VALUE";
}

static void methods_print_option(const dae_method *method, const void *defaults, int i)
{
  const dae_option *option = &method->options->options[i];
  char range[256], value[64], text[1024];
  const char *type = methods_type_text(option, range, sizeof range);
  dae_options_get(method->options, defaults, i, value, sizeof value);
  snprintf(text, sizeof text, "%s (%s; default %s)", option->help ? option->help : "", range,
           value);
  int column = printf("  %s %s", cli_dashes(option->name).text, type);
  if (column > OPTIONS - 1) {
    printf("\n");
    column = 0;
  }
  printf("%*s", OPTIONS - column, "");
  cli_wrap(stdout, OPTIONS, OPTIONS, text);
}

static dae_status methods_show(const dae_method *method, dae_error *err)
{
  void *defaults = calloc(1, method->options_size);
  if (!defaults)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  method->defaults(defaults);
  int column = printf("%s: ", method->name);
  cli_wrap(stdout, column, 2, method->summary);
  if (method->reference)
    printf("reference: %s\n", method->reference);
  printf("\nOptions, as `--NAME VALUE` on the command line or `NAME VALUE` in simulate:\n");
  for (int i = 0; i < method->options->count; i++)
    methods_print_option(method, defaults, i);
  free(defaults);
  return DAE_OK;
}

static void methods_show_auto(void)
{
  printf("auto: the method is selected by the kind of problem:\n"
         "  mechanics, ordinary differential equations      switching\n"
         "  mechanics with algebraic variables              radau\n"
         "  other algebraic variables, M(t, x) x' = f       radau\n"
         "    rtol from 1e-7 on, index 1, few unknowns      rosenbrock\n"
         "    rtol from 1e-5 on, others                     bdf\n"
         "  mechanics with --conserve                       spark-gauss\n"
         "  coupled systems                                 as one of these, assembled\n"
         "  systems with a method or step of their own      gauss-seidel\n"
         "`daedal check FILE` reports the method for a model, and the reason. If a given\n"
         "option is missing in the method, the first method that has it is used.\n");
}

cli_exit cli_methods(const cli_arguments *args)
{
  dae_error err = dae_error_none();
  const dae_method *method = NULL;
  bool names = cli_flag(args, "names"), automatic = false;
  dae_status status = DAE_OK;
  if (args->operand) {
    automatic = strcmp(args->operand, "auto") == 0;
    method = automatic ? NULL : dae_method_find(args->operand, &err);
    status = method || automatic ? DAE_OK : err.status;
  }
  if (status < 0)
    return cli_report("methods", &err);
  if (automatic && !names)
    methods_show_auto();
  else if (names && !automatic)
    methods_list_names(method);
  else if (method)
    status = methods_show(method, &err);
  else if (!automatic)
    methods_list();
  return status < 0 ? cli_report("methods", &err) : CLI_OK;
}
