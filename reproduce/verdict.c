/* The rule of the verdicts, and their comparison with the recorded ones.
 *
 * A table, figure or theorem (item) may have several readings, where the paper leaves room for
 * them; its verdict is that of the best one. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#define SHARE 0.8 /* share of values, and of pairs, as in rep__rule */
#define PAIRS 3   /* least number of pairs */

const int rep__levels[REP_LEVELS] = {1, 2, 5, 10, 25};

const char rep__rule[] =
    "A verdict is derived from the values. Reproduced: of the paper's numbers four fifths are met "
    "within 1, 2, 5, 10 or 25 %; where it prints none, all its statements hold. Order only: of the "
    "pairs of its numbers that differ by more than 25 %, three at least, four fifths have the same "
    "order by size. Mechanism only: not the numbers, but all its statements hold. Data missing: "
    "none of these, and the paper omits what the result depends on. Refuted: none of these, "
    "although nothing is missing. Of several readings of the paper the best one counts.";

rep_verdict rep__verdict_of(const rep__evidence *e, int *percent)
{
  *percent = 0;
  if (e->shortened)
    return REP_NOT_RUN;
  for (int i = 0; i < REP_LEVELS && e->values > 0; i++)
    if (e->within[i] >= SHARE * e->values) {
      *percent = rep__levels[i];
      return REP_REPRODUCED;
    }
  if (e->pairs >= PAIRS && e->ordered >= SHARE * e->pairs)
    return REP_ORDER_ONLY;
  if (e->claims > 0 && e->held == e->claims)
    return e->values > 0 ? REP_MECHANISM_ONLY : REP_REPRODUCED;
  return e->missing || e->values + e->claims == 0 ? REP_DATA_MISSING : REP_REFUTED;
}

/* ---- items ---- */

static const rep_record *verdict_record(const rep_paper *paper, const char *item)
{
  for (const rep_record *r = paper->records; r && r->item; r++)
    if (strcmp(r->item, item) == 0)
      return r;
  return NULL;
}

static rep__judgement *verdict_item(rep__judgement *list, int count, const char *item)
{
  for (int i = 0; i < count; i++)
    if (strcmp(list[i].item, item) == 0)
      return &list[i];
  return NULL;
}

/* A reading that was not run in full leaves the item without a verdict. */

/* Share of the evidence that agrees with the paper. */
static double verdict_share(const rep__evidence *e)
{
  int all = REP_LEVELS * e->values + e->pairs + e->claims, agree = e->ordered + e->held;
  for (int i = 0; i < REP_LEVELS; i++)
    agree += e->within[i];
  return all ? (double)agree / all : 0;
}

/* Whether a reading is better than the best one so far. One that was not run in full leaves the
 * item without a verdict. */
static bool verdict_better(const rep__evidence *e, rep_verdict verdict, int percent,
                           const rep__judgement *than)
{
  if (than->verdict == REP_NOT_RUN || verdict == REP_NOT_RUN)
    return verdict == REP_NOT_RUN;
  if (verdict != than->verdict)
    return verdict < than->verdict;
  if (percent != than->percent)
    return percent < than->percent;
  return verdict_share(e) > verdict_share(than->best);
}

static void verdict_add(rep__judgement *list, int *count, const rep__evidence *e)
{
  int percent;
  rep_verdict verdict = rep__verdict_of(e, &percent);
  rep__judgement *j = verdict_item(list, *count, e->item);
  if (j && !verdict_better(e, verdict, percent, j))
    return;
  j = j ? j : &list[(*count)++];
  *j = (rep__judgement){e, e->paper, e->item, verdict, percent, verdict_record(e->paper, e->item)};
}

rep__judgement *rep__judge(const rep_paper *paper, const rep__evidences *evidences, int *count)
{
  int records = 0;
  while (paper->records && paper->records[records].item)
    records++;
  rep__judgement *list = calloc((size_t)(evidences->count + records) + 1, sizeof *list);
  *count = 0;
  for (int i = 0; list && i < evidences->count; i++)
    if (evidences->list[i].paper == paper)
      verdict_add(list, count, &evidences->list[i]);
  for (int i = 0; list && i < records; i++) {
    const rep_record *r = &paper->records[i];
    if (!verdict_item(list, *count, r->item))
      list[(*count)++] = (rep__judgement){NULL, paper, r->item, REP_NOT_RUN, 0, r};
  }
  return list;
}

bool rep__verdict_changed(const rep__judgement *j)
{
  if (j->verdict == REP_NOT_RUN)
    return false;
  return !j->record || j->verdict != j->record->verdict || j->percent != j->record->percent;
}

/* ---- words ---- */

void rep__verdict_text(rep_verdict verdict, int percent, char *text, size_t size)
{
  static const char *const words[] = {[REP_REPRODUCED] = "reproduced",
                                      [REP_ORDER_ONLY] = "order only",
                                      [REP_MECHANISM_ONLY] = "mechanism only",
                                      [REP_DATA_MISSING] = "data missing",
                                      [REP_REFUTED] = "refuted",
                                      [REP_NOT_RUN] = "not run in full"};
  if (percent > 0)
    snprintf(text, size, "%s (within %d %%)", words[verdict], percent);
  else
    snprintf(text, size, "%s", words[verdict]);
}

static void verdict_append(char *text, size_t size, const char *label, const char *words)
{
  size_t used = strlen(text);
  if (words && words[0] && used < size)
    snprintf(text + used, size - used, "%s%s%s", used ? ". " : "", label, words);
}

void rep__judgement_text(const rep__judgement *j, char *text, size_t size)
{
  char recorded[64] = "";
  const rep__evidence *e = j->best;
  text[0] = '\0';
  if (j->record)
    rep__verdict_text(j->record->verdict, j->record->percent, recorded, sizeof recorded);
  if (j->verdict == REP_NOT_RUN || rep__verdict_changed(j))
    verdict_append(text, size, j->verdict == REP_NOT_RUN ? "recorded: " : "CHANGED, recorded: ",
                   j->record ? recorded : "nothing");
  if (!e || j->verdict == REP_NOT_RUN)
    return;
  verdict_append(text, size, "reading: ", e->reading);
  verdict_append(text, size, "not so: ", e->failed);
  if (j->verdict == REP_DATA_MISSING)
    verdict_append(text, size, "missing: ", e->missing);
  if (j->verdict != REP_REPRODUCED)
    verdict_append(text, size, "why: ", e->why);
}
