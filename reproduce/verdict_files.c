/* The verdicts on all papers as text, CSV and JSON. */
#include "report.h"

#include <daedal/file.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPLAINED 900 /* size of an explanation */
#define WIDEST (REP_LEVELS - 1)

rep__tally rep__tally_of(const rep__judgement *judgements, int count)
{
  rep__tally t = {.items = judgements ? count : 0};
  for (int i = 0; i < t.items; i++) {
    const rep__judgement *j = &judgements[i];
    t.verdict[j->verdict]++;
    t.changed += rep__verdict_changed(j);
    if (j->best && j->verdict != REP_NOT_RUN) {
      t.values += j->best->values;
      t.within += j->best->within[WIDEST];
    }
  }
  return t;
}

int rep__verdicts_changes(FILE *list, const rep__verdicts *v)
{
  int changed = 0, count;
  for (int i = 0; i < v->count; i++) {
    rep__judgement *all = rep__judge(&v->papers[i], v->evidences, &count);
    for (int k = 0; all && k < count; k++) {
      char now[64], then[64] = "no verdict";
      if (!rep__verdict_changed(&all[k]))
        continue;
      changed++;
      rep__verdict_text(all[k].verdict, all[k].percent, now, sizeof now);
      if (all[k].record)
        rep__verdict_text(all[k].record->verdict, all[k].record->percent, then, sizeof then);
      fprintf(list, "  verdict: %s, %s: %s, recorded: %s\n", v->papers[i].key, all[k].item, now,
              then);
    }
    free(all);
  }
  return changed;
}

/* ---- text ---- */

#define ITEM 28 /* columns of the item */

static void text_share(FILE *out, int width, int part, int whole)
{
  char text[32] = "-";
  if (whole > 0)
    snprintf(text, sizeof text, "%d/%d", part, whole);
  fprintf(out, " %*s", width, text);
}

static void text_judgement(FILE *out, const rep__judgement *j)
{
  static const rep__evidence none;
  char verdict[64], text[EXPLAINED];
  const rep__evidence *e = j->verdict != REP_NOT_RUN ? j->best : &none;
  rep__verdict_text(j->verdict, j->percent, verdict, sizeof verdict);
  rep__judgement_text(j, text, sizeof text);
  fprintf(out, "%-6s%-*.*s", j->paper->key, ITEM, ITEM, j->item);
  text_share(out, 6, e->within[WIDEST], e->values);
  text_share(out, 7, e->ordered, e->pairs);
  text_share(out, 4, e->held, e->claims);
  fprintf(out, "  %s\n", verdict);
  rep__wrap(out, 8, text);
}

static void text_tally(FILE *out, const rep__verdicts *v, int paper, const rep__tally *t)
{
  const char *key = v->papers[paper].key, *folder = v->settings->folder;
  bool slash = folder[0] && folder[strlen(folder) - 1] == '/';
  char text[400];
  snprintf(text, sizeof text,
           "%s: %d of %d numbers of the paper within 25 %%; %d items: %d reproduced, %d order "
           "only, %d mechanism only, %d data missing, %d refuted, %d not run in full",
           key, t->within, t->values, t->items, t->verdict[REP_REPRODUCED],
           t->verdict[REP_ORDER_ONLY], t->verdict[REP_MECHANISM_ONLY], t->verdict[REP_DATA_MISSING],
           t->verdict[REP_REFUTED], t->verdict[REP_NOT_RUN]);
  rep__wrap(out, 0, text);
  fprintf(out, "%s: regression: %d of %d values as before; files in %s%s\n", key,
          v->checked[paper] - v->wrong[paper], v->checked[paper], folder, slash ? "" : "/");
}

static void text_changes(FILE *out, const rep__verdicts *v, int changed, const rep__tally *sum)
{
  if (v->count > 1)
    fprintf(out, "all: %d of %d numbers of the papers within 25 %%\n", sum->within, sum->values);
  if (changed > 0)
    fprintf(out, "%d verdict%s changed\n", changed, changed == 1 ? "" : "s");
  else
    fprintf(out, "verdicts as recorded%s\n",
            v->settings->quick ? "; those not run in full (--quick) are not compared" : "");
}

void rep__verdicts_print(FILE *out, const rep__verdicts *v)
{
  int changed = 0, count;
  rep__tally sum = {0};
  fprintf(out, "\nVerdicts on the papers\n");
  rep__wrap(out, 2, rep__rule);
  fprintf(out, "%-6s%-*s %6s %7s %4s  verdict\n", "paper", ITEM, "item", "<25 %", "order", "st.");
  for (int i = 0; i < v->count; i++) {
    rep__judgement *all = rep__judge(&v->papers[i], v->evidences, &count);
    for (int k = 0; all && k < count; k++)
      text_judgement(out, &all[k]);
    free(all);
  }
  rep__wrap(out, 2,
            "<25 %: numbers of the paper within 25 %; order: pairs of them in the same order by "
            "size; st.: statements that hold");
  fputc('\n', out);
  for (int i = 0; i < v->count; i++) {
    rep__judgement *all = rep__judge(&v->papers[i], v->evidences, &count);
    rep__tally t = rep__tally_of(all, count);
    text_tally(out, v, i, &t);
    changed += t.changed;
    sum.values += t.values;
    sum.within += t.within;
    free(all);
  }
  text_changes(out, v, changed, &sum);
  fflush(out);
}

/* ---- files that are whole or not there ---- */

/* A file whose text is made in memory and written when it is complete. */
typedef struct output {
  FILE *text; /* the stream in memory */
  char *bytes;
  size_t size;
  dae_file *file;
} output;

/* Creates the file, so that one that cannot be written is known at once. */
static dae_status output_open(output *out, const char *path, dae_error *err)
{
  *out = (output){0};
  dae_status status = dae_file_create(path, NULL, &out->file, err);
  if (status < 0)
    return status;
  out->text = open_memstream(&out->bytes, &out->size);
  if (out->text)
    return DAE_OK;
  dae_file_discard(out->file);
  snprintf(err->text, sizeof err->text, "out of memory for a file");
  return err->status = DAE_ERROR_MEMORY;
}

/* Writes the text, and frees the memory also after a failure. */
static dae_status output_close(output *out, dae_error *err)
{
  bool failed = ferror(out->text) != 0;
  failed = fclose(out->text) != 0 || failed;
  dae_status status = DAE_ERROR_MEMORY;
  if (failed) {
    dae_file_discard(out->file);
    snprintf(err->text, sizeof err->text, "out of memory for a file");
    err->status = status;
  } else {
    dae_file_write(out->file, out->bytes, out->size);
    status = dae_file_commit(out->file, NULL, err);
  }
  free(out->bytes);
  return status;
}

/* ---- CSV: one record per reading ---- */

static void csv_text(FILE *file, const char *text)
{
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"')
      fputc('"', file);
    fputc(*text, file);
  }
  fputs("\",", file);
}

static void csv_record(FILE *file, const rep__judgement *j, const rep__evidence *e)
{
  static const rep__evidence none = {.reading = ""};
  char verdict[64], of_item[64], recorded[64] = "";
  int percent = 0;
  e = e ? e : &none;
  rep_verdict own = e->item ? rep__verdict_of(e, &percent) : REP_NOT_RUN;
  rep__verdict_text(own, percent, verdict, sizeof verdict);
  rep__verdict_text(j->verdict, j->percent, of_item, sizeof of_item);
  if (j->record)
    rep__verdict_text(j->record->verdict, j->record->percent, recorded, sizeof recorded);
  const char *texts[] = {j->paper->key,
                         j->item,
                         e->reading,
                         verdict,
                         of_item,
                         recorded,
                         e->failed,
                         e->missing ? e->missing : "",
                         e->why ? e->why : ""};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    csv_text(file, texts[i]);
  fprintf(file, "%d,", e->values);
  for (int i = 0; i < REP_LEVELS; i++)
    fprintf(file, "%d,", e->within[i]);
  fprintf(file, "%d,%d,%d,%d,%s\r\n", e->pairs, e->ordered, e->claims, e->held,
          rep__verdict_changed(j) ? "yes" : "no");
}

static void csv_item(FILE *file, const rep__judgement *j, const rep__evidences *evidences)
{
  bool any = false;
  for (int i = 0; i < evidences->count; i++) {
    const rep__evidence *e = &evidences->list[i];
    if (e->paper != j->paper || strcmp(e->item, j->item) != 0)
      continue;
    csv_record(file, j, e);
    any = true;
  }
  if (!any)
    csv_record(file, j, NULL);
}

dae_status rep__verdicts_csv(const rep__verdicts *v, dae_error *err)
{
  char path[512];
  int count;
  snprintf(path, sizeof path, "%s/verdicts.csv", v->settings->folder);
  output out;
  dae_status status = output_open(&out, path, err);
  if (status < 0)
    return status;
  FILE *file = out.text;
  fputs("paper,item,reading,verdict,verdict_of_item,recorded,not_so,missing,why,values,within_1,"
        "within_2,within_5,within_10,within_25,pairs,ordered,statements,hold,changed\r\n",
        file);
  for (int i = 0; i < v->count; i++) {
    rep__judgement *all = rep__judge(&v->papers[i], v->evidences, &count);
    for (int k = 0; all && k < count; k++)
      csv_item(file, &all[k], v->evidences);
    free(all);
  }
  return output_close(&out, err);
}

/* ---- JSON ---- */

static void json_text(FILE *file, const char *name, const char *text)
{
  fprintf(file, "\"%s\": \"", name);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      fputc('\\', file);
    fputc(*text, file);
  }
  fputs("\", ", file);
}

static void json_verdict(FILE *file, const char *name, rep_verdict verdict, int percent)
{
  char text[64];
  rep__verdict_text(verdict, 0, text, sizeof text);
  json_text(file, name, text);
  if (percent > 0)
    fprintf(file, "\"%s_within_percent\": %d, ", name, percent);
}

static void json_reading(FILE *file, const rep__evidence *e)
{
  int percent;
  rep_verdict verdict = rep__verdict_of(e, &percent);
  fputs("{", file);
  json_text(file, "reading", e->reading);
  json_verdict(file, "verdict", verdict, percent);
  json_text(file, "not_so", e->failed);
  json_text(file, "missing", e->missing ? e->missing : "");
  json_text(file, "why", e->why ? e->why : "");
  fprintf(file, "\"values\": %d, ", e->values);
  for (int i = 0; i < REP_LEVELS; i++)
    fprintf(file, "\"within_%d\": %d, ", rep__levels[i], e->within[i]);
  fprintf(file, "\"pairs\": %d, \"ordered\": %d, \"statements\": %d, \"hold\": %d}", e->pairs,
          e->ordered, e->claims, e->held);
}

static void json_item(FILE *file, const rep__judgement *j, const rep__evidences *evidences)
{
  const char *comma = "";
  fputs("    {", file);
  json_text(file, "item", j->item);
  json_verdict(file, "verdict", j->verdict, j->percent);
  if (j->record)
    json_verdict(file, "recorded", j->record->verdict, j->record->percent);
  fprintf(file, "\"changed\": %s, \"readings\": [", rep__verdict_changed(j) ? "true" : "false");
  for (int i = 0; i < evidences->count; i++) {
    const rep__evidence *e = &evidences->list[i];
    if (e->paper != j->paper || strcmp(e->item, j->item) != 0)
      continue;
    fprintf(file, "%s\n      ", comma);
    json_reading(file, e);
    comma = ",";
  }
  fputs("]}", file);
}

static void json_paper(FILE *file, const rep__verdicts *v, int paper)
{
  int count;
  rep__judgement *all = rep__judge(&v->papers[paper], v->evidences, &count);
  rep__tally t = rep__tally_of(all, count);
  fputs("  {", file);
  json_text(file, "paper", v->papers[paper].key);
  fprintf(file,
          "\"values\": %d, \"within_25\": %d, \"changed\": %d, \"regression_values\": %d, "
          "\"regression_deviations\": %d, \"items\": [\n",
          t.values, t.within, t.changed, v->checked[paper], v->wrong[paper]);
  for (int k = 0; all && k < count; k++) {
    json_item(file, &all[k], v->evidences);
    fputs(k + 1 < count ? ",\n" : "", file);
  }
  fputs("]}", file);
  free(all);
}

dae_status rep__verdicts_json(const rep__verdicts *v, dae_error *err)
{
  output out;
  dae_status status = output_open(&out, v->settings->json, err);
  if (status < 0)
    return status;
  FILE *file = out.text;
  fputs("{", file);
  json_text(file, "rule", rep__rule);
  fprintf(file, "\"quick\": %s, \"papers\": [\n", v->settings->quick ? "true" : "false");
  for (int i = 0; i < v->count; i++) {
    json_paper(file, v, i);
    fputs(i + 1 < v->count ? ",\n" : "", file);
  }
  fputs("]}\n", file);
  return output_close(&out, err);
}
