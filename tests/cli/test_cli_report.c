/* --report: pages of runs and of reproductions, their names, and what they must not overwrite. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

/* Fails the test unless the file holds all of these words; the last one is NULL. */
static void file_says(const char *path, const char *const *words)
{
  char *text = file_read(path);
  for (; *words; words++)
    if (!strstr(text, *words))
      fail_msg("%s does not say: %s", path, *words);
  free(text);
}

static void test_a_page_is_written_beside_the_results(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  outcome *o = command_exits(0, "run p.dae --report page.html");
  assert_non_null(strstr(o->out, "pendulum.csv, page.html"));
  file_says("page.html",
            (const char *const[]){"<!doctype html>", "daedal run p.dae --report page.html",
                                  "constraint rod", "Motion", "</html>", NULL});
}

static void test_without_a_name_it_has_that_of_the_model(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  command_exits(0, "run --report p.dae --to 1");
  assert_true(file_exists("pendulum.html"));
  command_exits(0, "run p.dae --to 1 --report --quiet");
  command_exits(0, "run p.dae --to 1 --report=other.txt");
  assert_true(file_exists("other.txt"));
}

static void test_results_do_not_depend_on_it(void **state)
{
  (void)state;
  static const char *const methods[] = {"switching", "bdf-ggl", "spark-gauss", "radau"};
  file_write("p.dae", pendulum);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    char line[200];
    snprintf(line, sizeof line, "run p.dae --to 2 --quiet --out a.csv --method %s", methods[i]);
    command_exits(0, line);
    snprintf(line, sizeof line, "run p.dae --to 2 --quiet --out b.csv --report --method %s",
             methods[i]);
    command_exits(0, line);
    char *without = file_read("a.csv"), *with = file_read("b.csv");
    assert_string_equal(without, with);
    free(without);
    free(with);
  }
}

static void test_a_command_is_quoted_for_the_shell(void **state)
{
  (void)state;
  file_write("two words.dae", decay);
  command_exits(0, "run 'two words.dae' --to 1 --report page.html --rtol 1e-5");
  file_says("page.html", (const char *const[]){
                             "two words.dae&#39; --to 1 --report page.html --rtol 1e-5", NULL});
}

static void test_a_page_overwrites_nothing_it_is_made_of(void **state)
{
  (void)state;
  file_write("p.html", pendulum);
  command_refuses(1, "run p.html --report p.html", "overwrite the model");
  command_refuses(1, "run p.html --report a.html --out a.html", "different files");
  command_refuses(1, "run p.html --report a.html --json a.html", "different files");
  command_refuses(7, "run p.html --report no/such/folder.html", "No such file or directory");
  char *text = file_read("p.html");
  assert_string_equal(text, pendulum);
  free(text);
  assert_false(file_exists("pendulum.csv"));
}

static void test_a_failed_run_leaves_its_page(void **state)
{
  (void)state;
  file_write("b.dae", "model blow\nstate x = 1\nx' = x^2\nsimulate to 2\n");
  command_exits(4, "run b.dae --report");
  file_says("blow.html", (const char *const[]){"Failed at t = ", "</html>", NULL});
}

static void test_papers_come_on_one_page(void **state)
{
  (void)state;
  command_exits(0, "reproduce l13 --quick --quiet --report");
  file_says("reproduced/report.html",
            (const char *const[]){"Figure 3", "Stiffness", "values as before",
                                  "Verdicts on the papers", "</html>", NULL});
  command_exits(0, "reproduce l13 --quick --quiet --report papers.html");
  assert_true(file_exists("papers.html"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_a_page_is_written_beside_the_results),
      IN_FOLDER(test_without_a_name_it_has_that_of_the_model),
      IN_FOLDER(test_results_do_not_depend_on_it),
      IN_FOLDER(test_a_command_is_quoted_for_the_shell),
      IN_FOLDER(test_a_page_overwrites_nothing_it_is_made_of),
      IN_FOLDER(test_a_failed_run_leaves_its_page),
      IN_FOLDER(test_papers_come_on_one_page),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
