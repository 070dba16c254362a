/* The closing account for machines: dae_summary_json, and the sink that writes it into a file. */
#include "core/arena.h"
#include "core/error.h"
#include "output/native.h"

#include <daedal/run.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void json_key(dae__text *text, const char *name)
{
  dae__text_add(text, "  \"%s\": ", name);
}

static void json_string_field(dae__text *text, const char *name, const char *value)
{
  json_key(text, name);
  dae__text_quote(text, value, value ? strlen(value) : 0);
  dae__text_add(text, ",\n");
}

static void json_number_field(dae__text *text, const char *name, double value)
{
  json_key(text, name);
  dae__text_number(text, value);
  dae__text_add(text, ",\n");
}

static void json_integer_field(dae__text *text, const char *name, long value)
{
  json_key(text, name);
  dae__text_add(text, "%ld,\n", value);
}

static void json_add_stats(dae__text *text, const dae_stats *stats)
{
  const char *comma = "";
  json_key(text, "stats");
  dae__text_add(text, "{");
#define ADD(name, help)                                                                            \
  dae__text_add(text, "%s\"%s\": %ld", comma, #name, stats->name);                                 \
  comma = ", ";
  DAE_STATS_LIST(ADD)
#undef ADD
#define ADD(deprecated, field) dae__text_add(text, ", \"" #deprecated "\": %ld", stats->field);
  DAE_STATS_ALIASES(ADD)
#undef ADD
  dae__text_add(text, "},\n");
}

static void json_add_diagnosis(dae__text *text, const dae_diagnosis *d)
{
  json_key(text, "diagnosis");
  dae__text_add(text, "{\"index\": %d, \"dof\": %d, \"constraints\": %d, \"rank\": %d, \"text\": ",
                d->index, d->dof, d->constraints, d->rank);
  dae__text_quote(text, d->text, sizeof d->text);
  dae__text_add(text, "},\n");
}

/* {"name": ..., "from": ..., "to": ...} for each line of the table */
static void json_add_moves(dae__text *text, const char *moves)
{
  const char *comma = "";
  json_key(text, "moves");
  dae__text_add(text, "[");
  for (const char *line = moves; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    size_t name = strcspn(line, "\t\n");
    if (line[name] != '\t')
      continue; /* "... and 3 more" */
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

static void json_add_measures(dae__text *text, const dae_summary *s)
{
  json_number_field(text, "position_drift", s->position_drift);
  json_number_field(text, "velocity_drift", s->velocity_drift);
  json_number_field(text, "energy_start", s->energy_start);
  json_number_field(text, "energy_change", s->energy_change);
  json_number_field(text, "energy_balance", s->energy_balance);
  json_key(text, "damped");
  dae__text_add(text, "%s,\n", s->damped ? "true" : "false");
  json_number_field(text, "energy_removed_at_start", s->energy_removed_at_start);
  json_number_field(text, "energy_settled", s->energy_removed_at_start); /* deprecated name */
  json_key(text, "energy_has_potential");
  dae__text_add(text, "%s,\n", s->energy_has_potential ? "true" : "false");
}

/* one field of an object that goes on; comma: "" for the first */
static void json_add_member(dae__text *text, const char *comma, const char *name, double value)
{
  dae__text_add(text, "%s\"%s\": ", comma, name);
  dae__text_number(text, value);
}

static void json_add_coupling(dae__text *text, const dae_summary *s)
{
  const dae_contraction *c = &s->contraction;
  json_integer_field(text, "systems", s->systems);
  json_key(text, "contraction");
  if (s->systems == 0) {
    dae__text_add(text, "null,\n");
    return;
  }
  dae__text_add(text, "{\"windows\": %ld, \"sweeps\": %ld, \"most_sweeps\": %d, ", c->windows,
                c->sweeps, c->most_sweeps);
  json_add_member(text, "", "predicted", c->gauss_seidel);
  json_add_member(text, ", ", "observed", c->observed);
  dae__text_add(text, ", \"order\": ");
  dae__text_quote(text, c->order, sizeof c->order);
  dae__text_add(text, ", \"loop\": ");
  dae__text_quote(text, c->loop, sizeof c->loop);
  dae__text_add(text, "},\n");
}

static void json_add_difference(dae__text *text, const char *kind, const dae_difference *d)
{
  dae__text_add(text, ", \"%s\": ", kind);
  if (isnan(d->tolerances)) {
    dae__text_add(text, "null");
    return;
  }
  dae__text_add(text, "{\"name\": ");
  dae__text_quote(text, d->name, sizeof d->name);
  json_add_member(text, ", ", "tolerances", d->tolerances);
  json_add_member(text, ", ", "absolute", d->absolute);
  json_add_member(text, ", ", "t", d->t);
  dae__text_add(text, "}");
}

static void json_add_verification(dae__text *text, const dae_verification *v)
{
  static const char *const kinds[DAE_VARIABLE_KINDS] = {[DAE_VARIABLE_COORDINATE] = "positions",
                                                        [DAE_VARIABLE_RATE] = "velocities",
                                                        [DAE_VARIABLE_STATE] = "states",
                                                        [DAE_VARIABLE_ALGEBRAIC] = "algebraic",
                                                        [DAE_VARIABLE_MULTIPLIER] = "multipliers"};
  json_key(text, "verification");
  if (!v->method) {
    dae__text_add(text, "null,\n");
    return;
  }
  dae__text_add(text, "{\"method\": ");
  dae__text_quote(text, v->method, strlen(v->method));
  dae__text_add(text, ", \"rows\": %ld, \"message\": ", v->rows);
  dae__text_quote(text, v->message[0] ? v->message : NULL, sizeof v->message);
  for (int i = 0; i < DAE_VARIABLE_KINDS; i++)
    json_add_difference(text, kinds[i], &v->most[i]);
  dae__text_add(text, "},\n");
}

size_t dae_summary_json(const dae_summary *s, char *text, size_t size)
{
  dae__text t = dae__text_in(text, size);
  dae__text_add(&t, "{\n");
  json_string_field(&t, "status", dae_status_name(s->status));
  json_string_field(&t, "message", s->message[0] ? s->message : NULL);
  json_string_field(&t, "caution", s->caution);
  json_string_field(&t, "problem", s->problem);
  json_string_field(&t, "method", s->method);
  json_number_field(&t, "rtol", s->rtol);
  json_number_field(&t, "atol", s->atol);
  json_number_field(&t, "step", s->step);
  json_number_field(&t, "t_start", s->t_start);
  json_number_field(&t, "t_end", s->t_end);
  json_integer_field(&t, "order", s->order);
  json_integer_field(&t, "rows", s->rows);
  json_integer_field(&t, "events", s->events);
  json_number_field(&t, "seconds", s->seconds);
  json_key(&t, "native_code");
  dae__native_json(&t, &s->native);
  dae__text_add(&t, ",\n");
  json_add_stats(&t, &s->stats);
  json_add_diagnosis(&t, &s->diagnosis);
  json_add_measures(&t, s);
  json_add_coupling(&t, s);
  json_add_verification(&t, &s->verification);
  json_integer_field(&t, "moved", s->moved);
  json_add_moves(&t, s->moves);
  json_key(&t, "files");
  dae__text_quote(&t, s->files, sizeof s->files);
  dae__text_add(&t, "\n}\n");
  return t.length;
}

/* ---- the sink ---- */

/* room for an account: every character of its texts escaped, and 4 KB for names and keys */
#define ROOM (6 * sizeof(dae_summary) + 4096)

typedef struct json {
  dae__arena *arena;
  char *path;
  char *text;
} json;

static dae_status json_write_file(const json *self, dae_error *err)
{
  errno = 0;
  FILE *file = fopen(self->path, "wb");
  bool failed = !file || fputs(self->text, file) < 0;
  if (file)
    failed = fclose(file) != 0 || failed;
  if (!failed)
    return DAE_OK;
  return dae__fail(err, DAE_ERROR_FILE, self->path, "%s could not be written: %s", self->path,
                   errno ? strerror(errno) : "unknown reason");
}

static dae_status json_close(void *sink, dae_summary *summary, dae_error *err)
{
  json *self = sink;
  size_t others = strlen(summary->files);
  dae__list_add(summary->files, sizeof summary->files, self->path);
  size_t length = dae_summary_json(summary, self->text, ROOM);
  dae_status status =
      length < ROOM ? json_write_file(self, err)
                    : dae__fail(err, DAE_ERROR_FILE, self->path,
                                "%s was not written: the problem's name is too long", self->path);
  if (status < 0)
    summary->files[others] = '\0';
  return status;
}

static void json_free(void *sink)
{
  json *self = sink;
  if (self)
    dae__arena_free(self->arena);
}

dae_status dae_json_sink(const char *path, const dae_env *env, dae_sink *out, dae_error *err)
{
  if (!path || !*path)
    return dae__fail(err, DAE_ERROR_USAGE, "path", "the JSON file has no name");
  dae__arena *arena = dae__arena_create(env);
  json *self = arena ? DAE__ALLOC(arena, json, 1) : NULL;
  if (self) {
    self->path = DAE__ALLOC(arena, char, strlen(path) + 1);
    self->text = DAE__ALLOC(arena, char, ROOM);
  }
  if (!self || dae__arena_failed(arena)) {
    dae__arena_free(arena);
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the JSON file");
  }
  self->arena = arena;
  memcpy(self->path, path, strlen(path) + 1);
  *out = (dae_sink){.self = self, .close = json_close, .free = json_free};
  return DAE_OK;
}
