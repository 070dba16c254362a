/* The settings of simulate and of systems: names, and values that are words or constants. */
#include "core/number.h"
#include "model/expand/value.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

static bool settings_is_number(const char *setting)
{
  static const char *const names[] = {"to",   "from",   "every", "rtol",  "atol",
                                      "step", "window", "order", "stages"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(setting, names[i]))
      return true;
  return false;
}

/* a plain name that stands for no constant of the model: on, off, plain, schur */
static bool settings_is_word(const dae__context *c, const dae__expr *e)
{
  int instance;
  if (e->kind != DAE__EXPR_NAME || e->rate || e->member || e->count > 0 ||
      dae__is_reserved(e->name))
    return false;
  int symbol = dae__look_up(c, e->name, &instance);
  if (symbol < 0)
    return true;
  dae__statement_kind kind = c->x->symbols.item[symbol].kind;
  return kind != DAE__STATEMENT_PARAM && kind != DAE__STATEMENT_LET;
}

static void settings_add_setting(const dae__context *c, dae_model *model, const char *system,
                                 const dae__setting *s)
{
  dae__load *l = c->x->l;
  dae_model_setting out = {.system = system, .name = s->name, .place = s->place, .value = NAN};
  if (s->word) {
    out.text = s->word;
  } else if (!settings_is_number(s->name) && settings_is_word(c, s->value)) {
    out.text = s->value->name;
  } else {
    char text[40];
    out.value = dae__evaluate_constant(c, s->value);
    dae__format_double(out.value, text, sizeof text);
    out.text = dae__pool_text(l->keep, text, strlen(text));
  }
  for (int i = model->settings.count - 1; i >= 0; i--) {
    const dae_model_setting *other = &model->settings.item[i];
    if (other->system != system)
      break;
    if (!strcmp(other->name, s->name))
      dae__complain(l, s->place, "%s is set twice", s->name);
  }
  if (!system && !strcmp(s->name, "from"))
    model->t_start = out.value;
  *DAE__PUSH(l->keep, &model->settings) = out;
}

dae_status dae__build_settings(dae__expander *x, dae_model *model)
{
  dae__context c = {.x = x, .what = "a setting"};
  if (x->simulate)
    for (const dae__setting *s = x->simulate->setting; s && !x->l->status; s = s->next)
      settings_add_setting(&c, model, NULL, s);
  for (int i = 1; i < x->instances.count; i++) {
    dae__frame index;
    dae__context own = dae__context_of(x, i, &index);
    own.what = "a setting";
    const dae__statement *s = x->scopes.item[x->instances.item[i].scope].body;
    for (; s && !x->l->status; s = s->next) {
      const dae__setting *setting = s->kind == DAE__STATEMENT_SETTING ? s->setting : NULL;
      for (; setting && !x->l->status; setting = setting->next)
        settings_add_setting(&own, model, x->instances.item[i].name, setting);
    }
  }
  dae__load_ok(x->l);
  return x->l->status;
}
