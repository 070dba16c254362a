/* Texts for the summary: the data of inputs, the units of columns and params, and where the model
 * comes from. */
#include "core/hash.h"
#include "core/sha256.h"
#include "model/expand/value.h"
#include "model/model.h"
#include <ctype.h>
#include <string.h>

typedef DAE__LIST(char) describe_text;

static void describe_add(dae__pool *pool, describe_text *to, const char *text)
{
  for (; text && *text; text++)
    *DAE__PUSH(pool, to) = *text;
}

static const char *describe_end(dae__pool *pool, describe_text *text)
{
  if (text->count == 0)
    return NULL;
  *DAE__PUSH(pool, text) = 0;
  return text->item;
}

static void describe_inputs(dae__expander *x, dae_model *model)
{
  static const char *const how[] = {"hold", "linear", "cubic"};
  dae__pool *keep = x->l->keep;
  describe_text text = {0};
  for (int i = 0; i < x->inputs.count && dae__load_ok(x->l); i++) {
    const dae__input *input = &x->inputs.item[i];
    const char *source = input->source       ? input->source
                         : input->count > 0  ? "samples"
                         : input->curve >= 0 ? "function"
                                             : "";
    describe_add(keep, &text,
                 dae__pool_print(x->l->scratch, "%s\t%s\t%s\t%d\t%.17g\t%.17g\n", input->name,
                                 how[input->how], source, input->count, input->from, input->to));
  }
  model->inputs = describe_end(keep, &text);
}

/* Unit of a rate: m/s, (N/m)/s. */
static const char *describe_rate_unit(dae__expander *x, const char *unit)
{
  bool word = true;
  for (const char *p = unit; *p; p++)
    word = word && (isalnum((unsigned char)*p) || (unsigned char)*p > 127);
  return dae__pool_print(x->l->scratch, word ? "%s/s" : "(%s)/s", unit);
}

static void describe_add_unit(dae__expander *x, describe_text *text, bool rate, const char *name,
                              const char *unit)
{
  dae__pool *keep = x->l->keep;
  describe_add(keep, text, rate ? "der(" : "");
  describe_add(keep, text, name);
  describe_add(keep, text, rate ? ")\t" : "\t");
  describe_add(keep, text, rate ? describe_rate_unit(x, unit) : unit);
  describe_add(keep, text, "\n");
}

static void describe_units(dae__expander *x, dae_model *model)
{
  describe_text text = {0};
  for (int i = 0; i < x->instances.count; i++) {
    int s = x->scopes.item[x->instances.item[i].scope].first;
    for (; s >= 0 && !x->l->status; s = x->symbols.item[s].next) {
      const dae__symbol *symbol = &x->symbols.item[s];
      const dae__elements *e = symbol->d->unit ? dae__elements_of(x, s, i, symbol->d->place) : NULL;
      for (int k = 0; e && k < e->count * e->width && dae__load_ok(x->l); k++) {
        const char *name = dae__element_name(x, s, i, k);
        describe_add_unit(x, &text, false, name, symbol->d->unit);
        if (symbol->kind == DAE__STATEMENT_COORD)
          describe_add_unit(x, &text, true, name, symbol->d->unit);
      }
    }
  }
  model->units = describe_end(x->l->keep, &text);
}

/* Hash of the knots of all tables and samples. */
static uint64_t describe_hash_curves(const dae__graph *graph)
{
  uint64_t h = DAE__HASH_START;
  for (int i = 0; i < graph->curves.count; i++) {
    const dae__curve *c = graph->curves.item[i];
    h = dae__hash(h, &c->count, sizeof c->count);
    if (!c->call)
      h = dae__hash_large(h, c->knot, (size_t)c->count * (size_t)c->stride * sizeof *c->knot);
  }
  return h;
}

/* The files of the model, the values of params set from outside, and the data. Such a value is
 * three texts: NAME=EXPRESSION and its two sides. */
static void describe_provenance(dae__expander *x, dae_model *model)
{
  dae__pool *keep = x->l->keep, *scratch = x->l->scratch;
  const dae__files *files = &x->l->files;
  describe_text text = {0};
  for (int i = 0; i < files->count && dae__load_ok(x->l); i++) {
    const dae__file *file = &files->item[i];
    char hash[DAE__SHA256_TEXT];
    if (i > 0 && !file->path && i + 2 < files->count) {
      describe_add(keep, &text,
                   dae__pool_print(scratch, "set\t%s\t%s\n", files->item[i + 1].text,
                                   files->item[i + 2].text));
      i += 2;
      continue;
    }
    dae__sha256(file->text, (size_t)file->length, hash);
    describe_add(
        keep, &text,
        dae__pool_print(scratch, "%s\t%s\t%s\n", i == 0 ? "model" : "import", file->name, hash));
  }
  if (x->graph->curves.count > 0)
    describe_add(keep, &text,
                 dae__pool_print(scratch, "data\t\t%016llx\n",
                                 (unsigned long long)describe_hash_curves(x->graph)));
  model->provenance = describe_end(keep, &text);
}

dae_status dae__describe_data(dae__expander *x, dae_model *model)
{
  describe_inputs(x, model);
  describe_units(x, model);
  describe_provenance(x, model);
  return dae__load_ok(x->l) ? DAE_OK : x->l->status;
}
