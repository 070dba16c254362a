/* Help, manual page and completions know every command and option there is, and the exit codes. */
#include "command.h"
#include "syntax.h"

#include <stdlib.h>
#include <string.h>

typedef struct document {
  const char *path;
  const char *option; /* how an option stands in it */
  const char *command;
} document;

static const document documents[] = {
    {SOURCES "/docs/daedal.1", "Fl -%s\n|Fl -%s ", "daedal %s "},
    {SOURCES "/completions/daedal.bash", "--%s |--%s\"|--%s\n", " %s |\"%s | %s\""},
    {SOURCES "/completions/_daedal", "--%s[", "'%s:"},
};

/* whether the text holds one of the forms, which are parted by |, of the word */
static bool holds(const char *text, const char *forms, const char *word)
{
  char list[128], wanted[160];
  snprintf(list, sizeof list, "%s", forms);
  for (char *form = list, *next; form; form = next) {
    next = strchr(form, '|');
    if (next)
      *next++ = '\0';
    char *place = strstr(form, "%s");
    snprintf(wanted, sizeof wanted, "%.*s%s%s", (int)(place - form), form, word, place + 2);
    if (strstr(text, wanted))
      return true;
  }
  return false;
}

static void check_document(const document *d, const cli_syntax *syntax)
{
  char *text = file_read(d->path);
  if (!holds(text, d->command, syntax->command))
    fail_msg("%s does not know the command %s", d->path, syntax->command);
  for (int i = 0; i < syntax->count; i++)
    if (!holds(text, d->option, syntax->options[i].name))
      fail_msg("%s does not know the option --%s", d->path, syntax->options[i].name);
  free(text);
}

static void test_documents_know_every_command_and_option(void **state)
{
  (void)state;
  for (int i = 0; cli_syntax_at(i); i++)
    for (size_t k = 0; k < sizeof documents / sizeof *documents; k++)
      check_document(&documents[k], cli_syntax_at(i));
}

/* ".Ss daedal run FILE" and what follows it, up to the next heading; cut off there */
static char *section_of(char *manual, const char *command)
{
  char heading[80];
  snprintf(heading, sizeof heading, "\n.Ss daedal %s ", command);
  char *section = strstr(manual, heading);
  if (!section)
    fail_msg("the manual page has no section of %s", command);
  char *end = strstr(section + 1, "\n.S");
  assert_non_null(end);
  *end = '\0';
  return section;
}

static void test_manual_explains_options_with_their_command(void **state)
{
  (void)state;
  for (int i = 0; cli_syntax_at(i); i++) {
    const cli_syntax *syntax = cli_syntax_at(i);
    char *manual = file_read(SOURCES "/docs/daedal.1"),
         *section = section_of(manual, syntax->command);
    for (int k = 0; k < syntax->count; k++) /* help is the same everywhere, and told once */
      if (strcmp(syntax->options[k].name, "help") != 0 &&
          !holds(section, documents[0].option, syntax->options[k].name))
        fail_msg("the manual page does not explain --%s of %s", syntax->options[k].name,
                 syntax->command);
    free(manual);
  }
}

static void test_help_knows_every_command_and_option(void **state)
{
  (void)state;
  for (int i = 0; cli_syntax_at(i); i++) {
    const cli_syntax *syntax = cli_syntax_at(i);
    assert_true(holds(command_exits(0, "--help")->out, "\n  %s ", syntax->command));
    char arguments[64];
    snprintf(arguments, sizeof arguments, "help %s", syntax->command);
    outcome *o = command_exits(0, arguments);
    for (int k = 0; k < syntax->count; k++)
      if (!holds(o->out, "\n  --%s ", syntax->options[k].name))
        fail_msg("daedal %s does not show --%s", arguments, syntax->options[k].name);
  }
}

/* "  130   text" of the help is ".It 130" in the manual page, with the same text */
static void test_exit_codes_are_the_same_in_help_and_manual(void **state)
{
  (void)state;
  char *manual = file_read(SOURCES "/docs/daedal.1");
  char *line = strstr(command_exits(0, "run --help")->out, "\nExit codes\n");
  assert_non_null(line);
  int count = 0;
  for (line = strtok(line + 12, "\n"); line && strncmp(line, "  ", 2) == 0;
       line = strtok(NULL, "\n"), count++) {
    char *text = NULL, entry[160];
    long code = strtol(line, &text, 10);
    text += strspn(text, " ");
    snprintf(entry, sizeof entry, ".It %ld\n%c%s.\n", code, text[0] - 'a' + 'A', text + 1);
    if (!strstr(manual, entry))
      fail_msg("the manual page does not say\n%s", entry);
  }
  assert_int_equal(count, 10);
  free(manual);
}

static void test_help_and_manual_show_the_same_model(void **state)
{
  (void)state;
  char *manual = file_read(SOURCES "/docs/daedal.1"), *lines = strdup(pendulum);
  outcome *o = command_exits(0, "--help");
  assert_non_null(strstr(manual, pendulum));
  for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"))
    assert_true(holds(o->out, "\n  %s\n", line));
  free(manual);
  free(lines);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_documents_know_every_command_and_option),
      IN_FOLDER(test_manual_explains_options_with_their_command),
      IN_FOLDER(test_help_knows_every_command_and_option),
      IN_FOLDER(test_exit_codes_are_the_same_in_help_and_manual),
      IN_FOLDER(test_help_and_manual_show_the_same_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
