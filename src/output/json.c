/* The summary of a run as JSON. */
#include "output/summary.h"
#include "output/text.h"

#include <daedal/run.h>
#include <math.h>
#include <string.h>

/* Adds a key and a string value; a NULL string becomes null. */
static void json_string_field(dae__text *text, const char *name, const char *value)
{
  dae__text_add(text, "  \"%s\": ", name);
  dae__text_quote(text, value, value ? strlen(value) : 0);
  dae__text_add(text, ",\n");
}

/* Adds a key and a number, whole numbers without a decimal point. */
static void json_number_field(dae__text *text, const char *name, double value)
{
  dae__text_add(text, "  \"%s\": ", name);
  dae__text_number(text, value);
  dae__text_add(text, ",\n");
}

/* Adds the report of the option `damp`; null without it. */
static void json_add_damping(dae__text *text, const dae_summary *s)
{
  static const char *const kinds[] = {"none", "removed", "kept", "all", "fixed"};
  const dae_damping *d = &s->damping;
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"scale", d->scale},
                 {"cut", d->cut},
                 {"amount", d->amount},
                 {"shortest_period", d->period[0]},
                 {"longest_period", d->period[1]},
                 {"kept_period", d->kept > 0 ? d->kept : NAN},
                 {"distance", d->distance},
                 {"restarts", (double)d->restarts},
                 {"energy_removed_at_events", s->energy_removed_at_events},
                 {"lowest_frequency", d->frequency[0]},
                 {"highest_frequency", d->frequency[1]},
                 {"exchange", d->exchange},
                 {"drift", d->drift},
                 {"drift_size", d->drift_size}};
  if (!s->damped) {
    dae__text_add(text, "  \"damping\": null,\n");
    return;
  }
  dae__text_add(text, "  \"damping\": {\"kind\": \"%s\", \"name\": ", kinds[d->kind]);
  dae__text_quote(text, d->name, sizeof d->name);
  dae__text_add(text, ", \"drift_name\": ");
  dae__text_quote(text, d->drift_name, sizeof d->drift_name);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    dae__text_add(text, ", \"%s\": ", numbers[i].name);
    dae__text_number(text, numbers[i].value);
  }
  dae__text_add(text, "},\n");
}

/* Adds the index, constraints, drift and energy of the problem. */
static void json_add_problem(dae__text *text, const dae_summary *s)
{
  const dae_diagnosis *d = &s->diagnosis;
  dae__text_add(text,
                "  \"diagnosis\": {\"index\": %d, \"dof\": %d, \"constraints\": %d, \"rank\": %d, "
                "\"text\": ",
                d->index, d->dof, d->constraints, d->rank);
  dae__text_quote(text, d->text, sizeof d->text);
  dae__text_add(text, "},\n");
  json_number_field(text, "position_drift", s->position_drift);
  json_number_field(text, "velocity_drift", s->velocity_drift);
  json_number_field(text, "energy_start", s->energy_start);
  json_number_field(text, "energy_change", s->energy_change);
  json_number_field(text, "energy_balance", s->energy_balance);
  json_number_field(text, "energy_error", s->energy_error);
  json_number_field(text, "energy_tolerance", s->energy_tolerance);
  json_number_field(text, "energy_supplied", s->energy_supplied);
  json_number_field(text, "oscillations", s->oscillations);
  json_number_field(text, "phase_error", s->phase_error);
  dae__text_add(text, "  \"damped\": %s,\n", s->damped ? "true" : "false");
  json_number_field(text, "energy_removed_at_start", s->energy_removed_at_start);
  json_add_damping(text, s);
  /* deprecated key of energy_removed_at_start */
  json_number_field(text, "energy_settled", s->energy_removed_at_start);
  dae__text_add(text, "  \"energy_has_potential\": %s,\n",
                s->energy_has_potential ? "true" : "false");
}

static void json_add_coupling(dae__text *text, const dae_summary *s)
{
  const dae_contraction *c = &s->contraction;
  json_number_field(text, "systems", s->systems);
  if (s->systems == 0) {
    dae__text_add(text, "  \"contraction\": null,\n");
    return;
  }
  dae__text_add(text,
                "  \"contraction\": {\"windows\": %ld, \"sweeps\": %ld, \"most_sweeps\": %d, "
                "\"predicted\": ",
                c->windows, c->sweeps, c->most_sweeps);
  dae__text_number(text, c->gauss_seidel);
  dae__text_add(text, ", \"observed\": ");
  dae__text_number(text, c->observed);
  dae__text_add(text, ", \"order\": ");
  dae__text_quote(text, c->order, sizeof c->order);
  dae__text_add(text, ", \"loop\": ");
  dae__text_quote(text, c->loop, sizeof c->loop);
  dae__text_add(text, "},\n");
}

static void json_add_verification(dae__text *text, const dae_verification *v)
{
  static const char *const kinds[DAE_VARIABLE_KINDS] = {
      [DAE_VARIABLE_COORDINATE] = "positions",   [DAE_VARIABLE_RATE] = "velocities",
      [DAE_VARIABLE_STATE] = "states",           [DAE_VARIABLE_ALGEBRAIC] = "algebraic",
      [DAE_VARIABLE_MULTIPLIER] = "multipliers", [DAE_VARIABLE_HELD] = "held"};
  if (!v->method) {
    dae__text_add(text, "  \"verification\": null,\n");
    return;
  }
  dae__text_add(text, "  \"verification\": {\"method\": ");
  dae__text_quote(text, v->method, strlen(v->method));
  dae__text_add(text, ", \"rows\": %ld, \"message\": ", v->rows);
  dae__text_quote(text, v->message[0] ? v->message : NULL, sizeof v->message);
  for (int i = 0; i < DAE_VARIABLE_KINDS; i++) {
    const dae_difference *d = &v->most[i];
    if (isnan(d->tolerances)) {
      dae__text_add(text, ", \"%s\": null", kinds[i]);
      continue;
    }
    dae__text_add(text, ", \"%s\": {\"name\": ", kinds[i]);
    dae__text_quote(text, d->name, sizeof d->name);
    dae__text_add(text, ", \"tolerances\": ");
    dae__text_number(text, d->tolerances);
    dae__text_add(text, ", \"absolute\": ");
    dae__text_number(text, d->absolute);
    dae__text_add(text, ", \"t\": ");
    dae__text_number(text, d->t);
    dae__text_add(text, "}");
  }
  dae__text_add(text, "},\n");
}

/* Adds {"name": ..., "from": ..., "to": ...} for each start value that was changed. The line "...
 * and 3 more", recognised by its lack of tabs, is left out. */
static void json_add_moves(dae__text *text, const char *moves)
{
  const char *comma = "";
  dae__text_add(text, "  \"moves\": [");
  for (const char *line = moves; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    size_t name = strcspn(line, "\t\n");
    if (line[name] != '\t')
      continue;
    const char *from = line + name + 1;
    size_t from_length = strcspn(from, "\t\n");
    if (from[from_length] != '\t')
      continue;
    const char *to = from + from_length + 1;
    dae__text_add(text, "%s{\"name\": ", comma);
    dae__text_quote(text, line, name);
    dae__text_add(text, ", \"from\": %.*s, \"to\": %.*s}", (int)from_length, from,
                  (int)strcspn(to, "\n"), to);
    comma = ", ";
  }
  dae__text_add(text, "],\n");
}

/* Adds the differences to the second run: {"x": {"tolerances": ..., "absolute": ..., "t": ...}}. */
static void json_add_check(dae__text *text, const dae_error_check *c)
{
  const char *comma = "";
  if (!c->method) {
    dae__text_add(text, "  \"check_error\": null,\n");
    return;
  }
  dae__text_add(text, "  \"check_error\": {\"method\": ");
  dae__text_quote(text, c->method, strlen(c->method));
  dae__text_add(text, ", \"rtol\": ");
  dae__text_number(text, c->rtol);
  dae__text_add(text, ", \"step\": ");
  dae__text_number(text, c->step);
  dae__text_add(text, ", \"rows\": %ld, \"message\": ", c->rows);
  dae__text_quote(text, c->message[0] ? c->message : NULL, sizeof c->message);
  dae__text_add(text, ", \"other_events\": ");
  dae__text_quote(text, c->other_events[0] ? c->other_events : NULL, sizeof c->other_events);
  dae__text_add(text, ", \"tolerances\": ");
  dae__text_number(text, c->most.tolerances);
  dae__text_add(text, ", \"columns\": {");
  for (const char *line = c->columns; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    static const char *const keys[] = {"tolerances", "absolute", "t"};
    size_t name = strcspn(line, "\t\n");
    const char *word = line + name;
    if (*word != '\t')
      continue;
    dae__text_add(text, "%s", comma);
    dae__text_quote(text, line, name);
    for (int i = 0; i < 3; i++) {
      word += *word == '\t';
      size_t length = strcspn(word, "\t\n");
      bool finite = memchr(word, 'n', length) == NULL; /* not nan, inf */
      dae__text_add(text, "%s\"%s\": %.*s", i == 0 ? ": {" : ", ", keys[i],
                    finite ? (int)length : 4, finite ? word : "null");
      word += length;
    }
    dae__text_add(text, "}");
    comma = ", ";
  }
  dae__text_add(text, "}},\n");
}

/* Adds variables that limited steps or iterations: {"x": {"steps": 0.7, "rejected": 0.9}}. */
static void json_add_limits(dae__text *text, const char *key, const char *passed,
                            const char *failed, const char *limits)
{
  const char *comma = "";
  dae__text_add(text, "  \"%s\": {", key);
  for (const char *line = limits; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    const char *first = line + strcspn(line, "\t"), *second = first + 1 + strcspn(first + 1, "\t");
    dae__text_add(text, "%s", comma);
    dae__text_quote(text, line, (size_t)(first - line));
    dae__text_add(text, ": {\"%s\": %.*s, \"%s\": %.*s}", passed, (int)(second - first - 1),
                  first + 1, failed, (int)strcspn(second + 1, "\n"), second + 1);
    comma = ", ";
  }
  dae__text_add(text, "},\n");
}

/* Adds {"floor": {"count": 7, "first": 0.4, "last": 2.9, "near_misses": 0}}, of the lines whose
 * first word is `kind`. */
static void json_add_events(dae__text *text, const char *key, const char *kind, const char *list)
{
  static const char *const names[] = {"count", "first", "last", "near_misses"};
  const char *comma = "";
  dae__text_add(text, "  \"%s\": {", key);
  for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    size_t length = strlen(kind);
    if (strncmp(line, kind, length) != 0 || line[length] != '\t')
      continue;
    const char *name = line + length + 1, *field = name + strcspn(name, "\t\n");
    dae__text_add(text, "%s", comma);
    dae__text_quote(text, name, (size_t)(field - name));
    for (int k = 0; k < 4; k++) {
      size_t digits = strcspn(field + 1, "\t\n");
      dae__text_add(text, "%s\"%s\": %.*s", k == 0 ? ": {" : ", ", names[k], (int)digits,
                    field + 1);
      field += 1 + digits;
    }
    dae__text_add(text, "}");
    comma = ", ";
  }
  dae__text_add(text, "},\n");
}

/* Adds {"floor": {"impulse": 1.2, "reduced": 0, "left_out": 0, "closed": 0.3, "force": 9.8,
 * "slips": 2}} of the impacts and contacts; closed and force of contacts that hold, slips of those
 * that rub. */
static void json_add_impacts(dae__text *text, const char *list)
{
  static const char *const names[] = {"impulse", "reduced", "left_out", "closed", "force", "slips"};
  const char *comma = "";
  dae__text_add(text, "  \"impacts\": {");
  for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    const char *field = line + strcspn(line, "\t\n");
    dae__text_add(text, "%s", comma);
    dae__text_quote(text, line, (size_t)(field - line));
    for (int k = 0; k < 6 && *field == '\t'; k++) {
      size_t digits = strcspn(field + 1, "\t\n");
      dae__text_add(text, "%s\"%s\": %.*s", k == 0 ? ": {" : ", ", names[k], (int)digits,
                    field + 1);
      field += 1 + digits;
    }
    dae__text_add(text, "}");
    comma = ", ";
  }
  dae__text_add(text, "},\n");
}

/* Adds [{"event": "stop", "t": 0.4, "name": "der(psi)", "from": 2, "to": -1.6}], the values that
 * moved at events without having been set. */
static void json_add_action_moves(dae__text *text, const char *list)
{
  static const char *const keys[] = {"event", "t", "name", "from", "to"};
  const char *comma = "";
  dae__text_add(text, "  \"action_moves\": [");
  for (const char *line = list; *line; line += *line == '\n') {
    dae__text_add(text, "%s{", comma);
    for (int k = 0; k < 5; k++) {
      size_t length = strcspn(line, "\t\n");
      dae__text_add(text, "%s\"%s\": ", k == 0 ? "" : ", ", keys[k]);
      if (k % 2 == 0 && k < 4)
        dae__text_quote(text, line, length);
      else
        dae__text_add(text, "%.*s", (int)length, line);
      line += length + (k < 4 && line[length] == '\t');
    }
    dae__text_add(text, "}");
    comma = ", ";
  }
  dae__text_add(text, "],\n");
}

/* Adds {"verdict": "amber", "reasons": [...]}. */
static void json_add_trust(dae__text *text, const dae_summary *s)
{
  const char *comma = "";
  dae__text_add(text, "  \"trust\": {\"verdict\": \"%s\", \"reasons\": [",
                dae_trust_name(s->trust));
  for (const char *line = s->reasons; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    dae__text_add(text, "%s", comma);
    dae__text_quote(text, line, strcspn(line, "\n"));
    comma = ", ";
  }
  dae__text_add(text, "]},\n");
}

/* Adds [{"name": ..., "interpolation": ..., "source": ..., "samples": n, "from": a, "to": b}]. */
static void json_add_inputs(dae__text *text, const char *lines)
{
  static const char *const keys[] = {"name", "interpolation", "source", "samples", "from", "to"};
  const char *comma = "";
  dae__text_add(text, "  \"inputs\": [");
  for (const char *line = lines ? lines : ""; *line; line += *line == '\n') {
    dae__text_add(text, "%s{", comma);
    comma = ", ";
    for (int k = 0; k < 6; k++) {
      size_t length = strcspn(line, "\t\n");
      dae__text_add(text, "%s\"%s\": ", k == 0 ? "" : ", ", keys[k]);
      if (k < 3)
        dae__text_quote(text, line, length);
      else
        dae__text_add(text, "%.*s", (int)length, line);
      line += length + (line[length] == '\t');
    }
    dae__text_add(text, "}");
  }
  dae__text_add(text, "],\n");
}

/* Adds {"x": "m", "der(x)": "m/s"}. */
static void json_add_units(dae__text *text, const char *lines)
{
  const char *comma = "";
  dae__text_add(text, "  \"units\": {");
  for (const char *line = lines ? lines : ""; *line; line += *line == '\n') {
    size_t length = strcspn(line, "\t");
    dae__text_add(text, "%s", comma);
    dae__text_quote(text, line, length);
    dae__text_add(text, ": ");
    line += length + 1;
    length = strcspn(line, "\n");
    dae__text_quote(text, line, length);
    line += length;
    comma = ", ";
  }
  dae__text_add(text, "},\n");
}

/* Adds "name": "value" for every line with these two, separated by a tab, behind the word `kind`
 * and a tab (NULL: none). */
static void json_add_pairs(dae__text *text, const char *lines, const char *kind)
{
  const char *comma = "";
  for (const char *line = lines; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    const char *name = line;
    size_t length = kind ? strlen(kind) : 0;
    if (kind && (strncmp(line, kind, length) != 0 || line[length] != '\t'))
      continue;
    name += kind ? length + 1 : 0;
    size_t size = strcspn(name, "\t\n");
    if (name[size] != '\t')
      continue;
    dae__text_add(text, "%s", comma);
    dae__text_quote(text, name, size);
    dae__text_add(text, ": ");
    dae__text_quote(text, name + size + 1, strcspn(name + size + 1, "\n"));
    comma = ", ";
  }
}

void dae__provenance_json(dae__text *text, const dae_summary *s)
{
  static const char *const kinds[] = {"model", "import", "set", "data"};
  dae__text_add(text, "{\"version\": \"%s\", \"build\": ", dae_version());
  dae__text_quote(text, dae_build(), strlen(dae_build()));
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    dae__text_add(text, ", \"%s\": {", kinds[i]);
    json_add_pairs(text, s->provenance ? s->provenance : "", kinds[i]);
    dae__text_add(text, "}");
  }
  dae__text_add(text, ", \"method\": ");
  dae__text_quote(text, s->method, s->method ? strlen(s->method) : 0);
  dae__text_add(text, ", \"options\": {");
  json_add_pairs(text, s->options, NULL);
  dae__text_add(text, "}}");
}

size_t dae_summary_json(const dae_summary *s, char *text, size_t size)
{
  dae__text t = dae__text_in(text, size);
  dae__text_add(&t, "{\n");
  json_string_field(&t, "status", dae_status_name(s->status));
  json_string_field(&t, "message", s->message[0] ? s->message : NULL);
  json_string_field(&t, "caution", s->caution);
  json_add_trust(&t, s);
  json_string_field(&t, "problem", s->problem);
  json_string_field(&t, "method", s->method);
  json_number_field(&t, "rtol", s->rtol);
  json_number_field(&t, "atol", s->atol);
  json_number_field(&t, "step", s->step);
  json_number_field(&t, "t_start", s->t_start);
  json_number_field(&t, "t_end", s->t_end);
  json_number_field(&t, "order", s->order);
  json_number_field(&t, "rows", (double)s->rows);
  json_number_field(&t, "events", (double)s->events);
  json_number_field(&t, "near_misses", (double)s->near_misses);
  json_add_events(&t, "event_list", "event", s->event_list);
  json_add_events(&t, "impact_events", "impact", s->event_list);
  json_add_impacts(&t, s->impact_list);
  json_number_field(&t, "energy_lost", s->energy_lost);
  json_number_field(&t, "switchings", (double)s->switchings);
  json_add_events(&t, "branches", "branch", s->event_list);
  json_number_field(&t, "unwatched", s->unwatched);
  json_number_field(&t, "action_moved", (double)s->action_moved);
  json_add_action_moves(&t, s->action_moves);
  json_number_field(&t, "seconds", s->seconds);
  dae__text_add(&t, "  \"native_code\": ");
  dae__native_json(&t, &s->native);
  dae__text_add(&t, ",\n  \"stats\": {");
  const char *comma = "";
#define ADD(name, help)                                                                            \
  dae__text_add(&t, "%s\"%s\": %ld", comma, #name, s->stats.name);                                 \
  comma = ", ";
  DAE_STATS_LIST(ADD)
#undef ADD
#define ADD(deprecated, field) dae__text_add(&t, ", \"" #deprecated "\": %ld", s->stats.field);
  DAE_STATS_ALIASES(ADD)
#undef ADD
  dae__text_add(&t, "},\n");
  json_add_problem(&t, s);
  json_add_coupling(&t, s);
  json_add_verification(&t, &s->verification);
  json_add_limits(&t, "limits", "steps", "rejected", s->limits);
  json_add_limits(&t, "iteration_limits", "iterations", "failed", s->iteration_limits);
  json_add_check(&t, &s->check);
  json_number_field(&t, "moved", s->moved);
  json_number_field(&t, "moved_given", s->moved_given);
  json_add_moves(&t, s->moves);
  json_add_inputs(&t, s->inputs);
  json_add_units(&t, s->units);
  dae__text_add(&t, "  \"provenance\": ");
  dae__provenance_json(&t, s);
  dae__text_add(&t, ",\n");
  dae__text_add(&t, "  \"files\": ");
  dae__text_quote(&t, s->files, sizeof s->files);
  dae__text_add(&t, "\n}\n");
  return t.length;
}
