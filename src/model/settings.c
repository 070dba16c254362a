/* The settings of simulate and of systems: names, and values that are words or constants. */
#include "core/number.h"
#include "model/model.h"
#include "model/value.h"
#include <math.h>
#include <string.h>

/* a plain name that stands for nothing in the model: on, off, plain, schur */
static bool is_word(const dae__context *c, const dae__expr *e)
{
  int instance;
  return e->kind == DAE__EXPR_NAME && !e->rate && !e->member && e->count == 0 &&
         !dae__is_reserved(e->name) && dae__look_up(c, e->name, &instance) < 0;
}

static void add_setting(const dae__context *c, dae_model *model, const char *system,
                        const dae__setting *s)
{
  dae__load *l = c->x->l;
  dae_model_setting out = {.system = system, .name = s->name, .place = s->place, .value = NAN};
  if (s->word) {
    out.text = s->word;
  } else if (is_word(c, s->value)) {
    out.text = s->value->name;
  } else {
    char text[40];
    out.value = dae__evaluate_constant(c, s->value);
    dae__format_double(out.value, text, sizeof text);
    out.text = dae__pool_text(l->keep, text, strlen(text));
  }
  if (!strcmp(s->name, "from") && !l->status) {
    if (isnan(out.value))
      dae__complain(l, s->place, "from needs a number, the start time");
    model->t_start = out.value;
  }
  *DAE__PUSH(l->keep, &model->settings) = out;
}

dae_status dae__build_settings(dae__expander *x, dae_model *model)
{
  dae__context c = {.x = x, .what = "a setting"};
  if (x->simulate)
    for (const dae__setting *s = x->simulate->setting; s && !x->l->status; s = s->next)
      add_setting(&c, model, NULL, s);
  for (int i = 1; i < x->instances.count; i++) {
    dae__frame index;
    dae__context own = dae__context_of(x, i, &index);
    own.what = "a setting";
    const dae__statement *s = x->scopes.item[x->instances.item[i].scope].body;
    for (; s && !x->l->status; s = s->next)
      if (s->kind == DAE__STATEMENT_SETTING)
        add_setting(&own, model, x->instances.item[i].name, s->setting);
  }
  dae__load_ok(x->l);
  return x->l->status;
}
