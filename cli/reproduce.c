/* daedal reproduce: tables and figures of papers, published values beside computed ones, and a
 * verdict on each of them. */
#include "cli.h"

#include "reproduce.h"

#include <stdlib.h>
#include <string.h>

#define KEYS 15 /* columns for the key of a paper */
#define MOST 16 /* papers compared with a mistyped name */

static void reproduce_list(bool names)
{
  const rep_paper *paper;
  for (paper = rep_papers; paper->key; paper++)
    if (names) {
      printf("%s\n", paper->key);
    } else {
      printf("%-*s", KEYS, paper->key);
      cli_wrap(stdout, KEYS, KEYS, paper->title);
    }
  if (names)
    return;
  printf("\n`daedal reproduce NAME` computes the tables and figures of a paper, and shows\n"
         "the published values beside them; `daedal reproduce all` those of all papers.\n");
}

/* Papers of the name, one or all: count of them from *first on. */
static dae_status reproduce_find(const char *name, const rep_paper **first, int *count,
                                 dae_error *err)
{
  const char *words[MOST + 1] = {"all"};
  int papers = 0;
  while (rep_papers[papers].key)
    papers++;
  *first = rep_papers;
  *count = papers;
  if (strcmp(name, "all") == 0)
    return DAE_OK;
  *count = 1;
  for (; (*first)->key; ++*first)
    if (strcmp((*first)->key, name) == 0)
      return DAE_OK;
  int known = papers < MOST ? papers : MOST;
  for (int i = 0; i < known; i++)
    words[i + 1] = rep_papers[i].key;
  const char *near = cli_nearest(name, words, known + 1);
  return near ? cli_fail(err, DAE_ERROR_USAGE, "there is no paper '%.60s': did you mean %s?", name,
                         near)
              : cli_fail(err, DAE_ERROR_USAGE,
                         "there is no paper '%.60s'; `daedal reproduce` lists them", name);
}

static bool go_on(void *user)
{
  (void)user;
  return !cli_interrupted();
}

/* Page of --report, if given; creates the folder of its default name. */
static dae_status reproduce_open_page(const cli_arguments *args, rep_settings *settings,
                                      dae_error *err)
{
  char path[512];
  const char *folder = settings->folder;
  bool slash = folder[0] && folder[strlen(folder) - 1] == '/';
  if (snprintf(path, sizeof path, "%s%sreport.html", folder, slash ? "" : "/") >= (int)sizeof path)
    return cli_fail(err, DAE_ERROR_USAGE, "the name of the folder is too long");
  const char *report = cli_page(args, "report", path);
  if (!report)
    return DAE_OK;
  if (settings->json && cli_same_file(report, settings->json))
    return cli_fail(err, DAE_ERROR_USAGE, "--json and --report need different files, not %.200s",
                    report);
  dae_status status = rep_folder_make(folder, err);
  return status < 0 ? status
                    : dae_page_create(report, "Papers, reproduced", NULL, &settings->page, err);
}

/* Computes the papers, and closes the page also after a failure. */
static dae_status reproduce_papers(const rep_paper *papers, int count, const rep_settings *settings,
                                   rep_result *result, dae_error *err)
{
  dae_error closing = dae_error_none();
  dae_status status = rep_run(papers, count, settings, result, err);
  if (settings->page && dae_page_close(settings->page, &closing) < 0 && status >= 0) {
    *err = closing;
    status = closing.status;
  }
  return status;
}

/* Refuses an iteration that is unknown, or of another paper. */
static dae_status reproduce_check_iteration(const char *name, const rep_paper *papers, int count,
                                            dae_error *err)
{
  char names[128] = "";
  if (!name)
    return DAE_OK;
  if (count != 1 || strcmp(papers->key, "yp96") != 0)
    return cli_fail(err, DAE_ERROR_USAGE, "--iteration is an option of `reproduce yp96`");
  for (int i = 0; yp96_iteration_name(i); i++) {
    if (strcmp(yp96_iteration_name(i), name) == 0)
      return DAE_OK;
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", yp96_iteration_name(i));
  }
  return cli_fail(err, DAE_ERROR_USAGE, "there is no iteration '%.40s': %s", name, names);
}

cli_exit cli_reproduce(const cli_arguments *args)
{
  const char *folder = cli_value(args, "out");
  rep_settings settings = {.out = cli_flag(args, "quiet") ? NULL : stdout,
                           .folder = folder ? folder : "reproduced",
                           .json = cli_value(args, "json"),
                           .quick = cli_flag(args, "quick"),
                           .iteration = cli_value(args, "iteration"),
                           .go_on = go_on};
  rep_result result = {0};
  dae_error err;
  const rep_paper *papers;
  int count;
  cli_interrupt_catch();
  if (!args->operand) {
    reproduce_list(cli_flag(args, "names"));
    return CLI_OK;
  }
  cli_interrupt_keep();
  if (reproduce_find(args->operand, &papers, &count, &err) < 0 ||
      reproduce_check_iteration(settings.iteration, papers, count, &err) < 0 ||
      reproduce_open_page(args, &settings, &err) < 0)
    return cli_report("reproduce", &err);
  if (settings.json && cli_try_file(settings.json, &err) < 0)
    return cli_report("reproduce", &err);
  dae_status status = reproduce_papers(papers, count, &settings, &result, &err);
  cli_exit code = status < 0 ? cli_report("reproduce", &err) : CLI_OK;
  if (result.list)
    fputs(result.list, stderr);
  free(result.list);
  return code;
}
