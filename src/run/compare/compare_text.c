/* Comparison as machine-readable text: JSON, and its runs as comma-separated values by RFC 4180. */
#include "output/text.h"

#include <daedal/compare.h>
#include <math.h>
#include <string.h>

/* Numbers of a run in JSON and CSV, by name: X(name, value) for a run r. */
#define NUMBERS(X)                                                                                 \
  X("rtol", r->step > 0 ? NAN : r->rtol)                                                           \
  X("step", r->step > 0 ? r->step : NAN)                                                           \
  X("error", r->error)                                                                             \
  X("error_algebraic", r->algebraic)                                                               \
  X("error_coordinates", r->kind[DAE_VARIABLE_COORDINATE])                                         \
  X("error_rates", r->kind[DAE_VARIABLE_RATE])                                                     \
  X("error_states", r->kind[DAE_VARIABLE_STATE])                                                   \
  X("position_drift", r->position_drift)                                                           \
  X("velocity_drift", r->velocity_drift)                                                           \
  X("energy_balance", r->energy_balance)                                                           \
  X("seconds", r->seconds)                                                                         \
  X("seconds_with_rows", r->seconds_rows)                                                          \
  X("t_end", r->t_end)

/* ---- JSON ---- */

static void compare_add_name(dae__text *t, const char *key, const dae_method *method)
{
  dae__text_add(t, "\"%s\": ", key);
  dae__text_quote(t, method ? method->name : NULL, method ? strlen(method->name) : 0);
}

static void compare_add_number(dae__text *t, const char *key, double value)
{
  dae__text_add(t, ", \"%s\": ", key);
  dae__text_number(t, value);
}

/* Method, tolerance and step size of a run. */
static void compare_add_asked(dae__text *t, const char *key, const dae_compare_run *r)
{
  dae__text_add(t, "  \"%s\": {", key);
  compare_add_name(t, "method", r->method);
  compare_add_number(t, "rtol", r->method && !(r->step > 0) ? r->rtol : NAN);
  compare_add_number(t, "step", r->step > 0 ? r->step : NAN);
  dae__text_add(t, "},\n");
}

static void compare_add_run(dae__text *t, const dae_compare_run *r, const char *comma)
{
  dae__text_add(t, "    {");
  compare_add_name(t, "method", r->method);
#define ADD(name, value) compare_add_number(t, name, value);
  NUMBERS(ADD)
#undef ADD
#define ADD(name, text) dae__text_add(t, ", \"" #name "\": %ld", r->stats.name);
  DAE_STATS_LIST(ADD)
#undef ADD
#define ADD(deprecated, field) dae__text_add(t, ", \"" #deprecated "\": %ld", r->stats.field);
  DAE_STATS_ALIASES(ADD)
#undef ADD
  dae__text_add(t, ", \"status\": \"%s\", \"message\": ", dae_status_name(r->status));
  dae__text_quote(t, r->message, sizeof r->message);
  dae__text_add(t, ", \"events\": %ld, \"switchings\": %ld, \"other_events\": ", r->events,
                r->switchings);
  dae__text_quote(t, r->other_events, sizeof r->other_events);
  dae__text_add(t, "}%s\n", comma);
}

/* Costs of all methods at a given number of digits. */
static void compare_add_costs(dae__text *t, const dae_comparison *c, int digits, const char *comma)
{
  static const char *const keys[] = {"seconds", "seconds_with_rows", "evaluations"};
  double error = pow(10, -digits);
  dae__text_add(t, "    {\"digits\": %d", digits);
  for (int cost = DAE_COST_SECONDS; cost <= DAE_COST_EVALUATIONS; cost++) {
    dae__text_add(t, ", \"%s\": {", keys[cost]);
    for (int i = 0; i < c->method_count; i++) {
      dae__text_add(t, "%s\"%s\": ", i > 0 ? ", " : "", c->methods[i]->name);
      dae__text_number(t, dae_comparison_cost(c, c->methods[i], error, (dae_compare_cost)cost));
    }
    dae__text_add(t, "}");
  }
  dae__text_add(t, "}%s\n", comma);
}

size_t dae_comparison_json(const dae_comparison *c, char *text, size_t size)
{
  static const char *const words[] = {"none", "families", "methods", "tolerances"};
  const dae_reference *r = &c->reference;
  bool known = r->run.method != NULL;
  dae__text t = dae__text_in(text, size);
  dae__text_add(&t, "{\n  \"problem\": ");
  dae__text_quote(&t, c->problem, c->problem ? strlen(c->problem) : 0);
  compare_add_number(&t, "from", c->from);
  compare_add_number(&t, "to", c->to);
  compare_add_number(&t, "atol_ratio", c->atol_ratio);
  compare_add_number(&t, "wanted", c->wanted);
  dae__text_add(&t, ",\n  \"native_code\": ");
  dae__native_json(&t, &c->native);
  dae__text_add(&t, ",\n");
  compare_add_asked(&t, "reference", &r->run);
  compare_add_asked(&t, "witness", &r->witness);
  dae__text_add(&t, "  \"independence\": \"%s\"", words[r->kind]);
  compare_add_number(&t, "agreement", r->agreement);
  compare_add_number(&t, "floor", known ? r->floor : NAN);
  compare_add_number(&t, "algebraic_floor", known ? r->algebraic_floor : NAN);
  dae__text_add(&t, ", \"rows\": %d, \"other_events\": ", r->rows);
  dae__text_quote(&t, r->other_events, sizeof r->other_events);
  dae__text_add(&t, ",\n  \"runs\": [\n");
  for (int i = 0; i < c->runs; i++)
    compare_add_run(&t, &c->run[i], i + 1 < c->runs ? "," : "");
  dae__text_add(&t, "  ],\n  \"to_reach\": [\n");
  for (int digits = 3; digits <= 10; digits++)
    compare_add_costs(&t, c, digits, digits < 10 ? "," : "");
  dae__text_add(&t, "  ],\n  ");
  compare_add_name(&t, "recommended", c->recommended);
  dae__text_add(&t, ",\n  \"why\": ");
  dae__text_quote(&t, c->why, sizeof c->why);
  dae__text_add(&t, "\n}\n");
  return t.length;
}

/* ---- CSV ---- */

size_t dae_comparison_csv(const dae_comparison *c, char *text, size_t size)
{
  dae__text t = dae__text_in(text, size);
  dae__text_add(&t, "method");
#define ADD(name, value) dae__text_add(&t, "," name);
  NUMBERS(ADD)
#undef ADD
#define ADD(name, what) dae__text_add(&t, "," #name);
  DAE_STATS_LIST(ADD)
  DAE_STATS_ALIASES(ADD)
#undef ADD
  dae__text_add(&t, ",status,message\r\n");
  for (int i = 0; i < c->runs; i++) {
    const dae_compare_run *r = &c->run[i];
    dae__text_add(&t, "%s", r->method->name);
#define ADD(name, value) dae__text_add(&t, ",%s", dae__number_text(value, 17).text);
    NUMBERS(ADD)
#undef ADD
#define ADD(name, what) dae__text_add(&t, ",%ld", r->stats.name);
    DAE_STATS_LIST(ADD)
#undef ADD
#define ADD(deprecated, field) dae__text_add(&t, ",%ld", r->stats.field);
    DAE_STATS_ALIASES(ADD)
#undef ADD
    dae__text_add(&t, ",%s,\"", dae_status_name(r->status));
    for (const char *m = r->message; *m; m++) /* quotes inside a quoted field are doubled */
      dae__text_add(&t, *m == '"' ? "\"\"" : "%c", *m);
    dae__text_add(&t, "\"\r\n");
  }
  return t.length;
}
