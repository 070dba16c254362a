/* Texts for the summary: the data of inputs, the units of columns and params. */
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

dae_status dae__describe_data(dae__expander *x, dae_model *model)
{
  describe_inputs(x, model);
  describe_units(x, model);
  return dae__load_ok(x->l) ? DAE_OK : x->l->status;
}
