/* The summary of a run as text: problem, method, work, accuracy, and the files of results. */
#include "output/summary.h"

#include <daedal/run.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_LISTED 6 /* number of events in the summary with their times */
#define WIDTH 90        /* column at which reasons are wrapped */
#define LONG_RUN 100    /* least number of oscillations whose phase is reported; chosen */

static const char *summary_plural(long count)
{
  return count == 1 ? "" : "s";
}

const char *dae_trust_name(dae_trust trust)
{
  static const char *const names[] = {"green", "amber", "red"};
  return trust >= DAE_TRUST_GREEN && trust <= DAE_TRUST_RED ? names[trust] : "?";
}

size_t dae_native_text(const dae_native *native, char *text, size_t size)
{
  dae__text t = dae__text_in(text, size);
  if (native->instructions == 0)
    dae__text_add(&t, "none");
  else if (native->cached)
    dae__text_add(&t, "found in the cache");
  else
    dae__text_add(&t, "compiled in %s s", dae__number_text(native->seconds, 2).text);
  if (native->interpreted > 0)
    dae__text_add(&t, ", %ld of %ld instructions", native->instructions,
                  native->instructions + native->interpreted);
  return t.length;
}

/* Adds the interval of time, the end of the run, index and constraints, method and tolerances. */
static void summary_add_problem(dae__text *t, const dae_summary *s)
{
  const dae_diagnosis *d = &s->diagnosis;
  dae__text_add(t, "%s: t = %s to %s with %s%s\n", s->problem ? s->problem : "problem",
                dae__number_text(s->t_start, 10).text, dae__number_text(s->t_end, 10).text,
                s->method ? s->method : "no method", s->status < 0 ? ", not finished" : "");
  if (s->status < 0 || s->status == DAE_STOPPED)
    dae__text_add(t, LABEL "%s%s%s\n", s->status < 0 ? "failed" : "stopped",
                  s->status < 0 && s->message[0] ? "" : dae_status_text(s->status),
                  s->status == DAE_STOPPED && s->message[0] ? ": " : "", s->message);
  bool diagnosed = d->dof != 0 || d->constraints != 0 || d->index != 0;
  if (diagnosed) {
    dae__text_add(t, LABEL "index %d, %d degree%s of freedom, ", "problem", d->index, d->dof,
                  summary_plural(d->dof));
    if (d->constraints == 0)
      dae__text_add(t, "no constraints\n");
    else if (d->rank < d->constraints)
      dae__text_add(t, "%d constraints, %d of them independent\n", d->constraints, d->rank);
    else
      dae__text_add(t, "%d constraint%s\n", d->constraints, summary_plural(d->constraints));
    for (const char *line = d->text; *line; line += strcspn(line, "\n"), line += *line == '\n')
      if (*line != '\n')
        dae__text_add(t, INDENT "%.*s\n", (int)strcspn(line, "\n"), line);
  }
  if (!s->method || s->order == 0)
    return;
  dae__text_add(t, LABEL "%s, order up to %d", "method", s->method, s->order);
  if (s->step > 0)
    dae__text_add(t, ", steps of %s", dae__number_text(s->step, 6).text);
  if (!isnan(s->rtol))
    dae__text_add(t, ", rtol %s", dae__number_text(s->rtol, 6).text);
  if (!isnan(s->atol))
    dae__text_add(t, ", atol %s", dae__number_text(s->atol, 6).text);
  dae__text_add(t, "\n");
}

/* Adds the first names of a list, as many as fit into the line, then "...". */
static void summary_add_names(dae__text *t, const char *names, size_t room)
{
  size_t length = strlen(names);
  if (length > room)
    for (length = room; length > 0 && names[length] != ',';)
      length--;
  dae__text_add(t, "%.*s%s", (int)length, names, names[length] ? ", ..." : "");
}

static void summary_add_coupling(dae__text *t, const dae_summary *s)
{
  const dae_contraction *c = &s->contraction;
  if (s->systems == 0)
    return;
  dae__text_add(t, LABEL "%d systems in the order ", "coupling", s->systems);
  summary_add_names(t, c->order, 50);
  dae__text_add(t, "\n" INDENT "%ld window%s, %ld sweep%s", c->windows, summary_plural(c->windows),
                c->sweeps, summary_plural(c->sweeps));
  if (c->windows > 0)
    dae__text_add(t, ": %s in a window, %d at most",
                  dae__number_text((double)c->sweeps / (double)c->windows, 3).text, c->most_sweeps);
  dae__text_add(t, "\n");
  bool loop = c->loop[0] && c->gauss_seidel > 0, known = !isnan(c->gauss_seidel);
  if (!known && isnan(c->observed))
    return;
  dae__text_add(t, LABEL, "contraction");
  if (loop) {
    dae__text_add(t, "of a plain sweep, by the derivatives: up to %s, in the loop of\n" INDENT,
                  dae__number_text(c->gauss_seidel, 3).text);
    summary_add_names(t, c->loop, 70);
  } else if (known) {
    dae__text_add(t, "no algebraic loop: sweeps converge faster than geometrically");
  }
  if (known)
    dae__text_add(t, "\n");
  if (!isnan(c->observed))
    dae__text_add(t, "%sobserved, with the update in use: up to %s\n", known ? INDENT : "",
                  dae__number_text(c->observed, 3).text);
}

/* Adds a line of the list of events: how often and when, and near misses. */
static void summary_add_event(dae__text *t, const char *line)
{
  char kind[16], name[256], count[24], first[32], last[32], near[24];
  if (sscanf(line, "%15[^\t]\t%255[^\t\n]\t%23[^\t]\t%31[^\t]\t%31[^\t]\t%23[^\n]", kind, name,
             count, first, last, near) < 6)
    return;
  if (strcmp(count, "0") != 0) {
    dae__text_add(t, INDENT "%s %s time%s, t = %s", name, count, strcmp(count, "1") ? "s" : "",
                  dae__number_text(strtod(first, NULL), 6).text);
    if (strcmp(count, "1") != 0)
      dae__text_add(t, " to %s", dae__number_text(strtod(last, NULL), 6).text);
    dae__text_add(t, "\n");
  }
  if (strcmp(near, "0") != 0)
    dae__text_add(t, INDENT "%s: %s near miss%s, their number depends on the tolerance\n", name,
                  near, strcmp(near, "1") ? "es" : "");
}

/* Adds the first events, or changes of branches, of the list. kind: first word of their lines. */
static void summary_add_event_list(dae__text *t, const char *list, const char *kind)
{
  int listed = 0;
  for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    bool ours = strncmp(line, kind, strlen(kind)) == 0 && line[strlen(kind)] == '\t';
    if (ours && listed++ < EVENTS_LISTED)
      summary_add_event(t, line);
  }
  if (listed > EVENTS_LISTED)
    dae__text_add(t, INDENT "... and others: see JSON\n");
}

/* Adds a line of the list of impacts and contacts. */
static void summary_add_contact(dae__text *t, const char *line)
{
  char name[256];
  double impulse, closed, force;
  long reduced, left_out, slips;
  int fields = sscanf(line, "%255[^\t]\t%lf\t%ld\t%ld\t%lf\t%lf\t%ld", name, &impulse, &reduced,
                      &left_out, &closed, &force, &slips);
  if (fields < 4)
    return;
  dae__text_add(t, INDENT "%s: ", name);
  if (fields >= 6)
    dae__text_add(t, "closed %s %% of the time, force up to %s, ",
                  dae__number_text(100 * closed, 3).text, dae__number_text(force, 4).text);
  if (fields == 7)
    dae__text_add(t, "%ld slip%s, ", slips, summary_plural(slips));
  dae__text_add(t, "impulse up to %s\n", dae__number_text(impulse, 4).text);
  if (reduced > 0)
    dae__text_add(t, INDENT "  restitution reduced %ld time%s, so that no energy is gained\n",
                  reduced, summary_plural(reduced));
  if (left_out > 0)
    dae__text_add(t,
                  INDENT "  no velocities obey the law %ld time%s: restitution or friction left "
                         "out\n",
                  left_out, summary_plural(left_out));
}

/* Adds the energy that impacts have taken away, and each of them. */
static void summary_add_impacts(dae__text *t, const dae_summary *s)
{
  if (!s->impact_list[0])
    return;
  dae__text_add(t, LABEL "energy lost %s\n", "impacts", dae__number_text(s->energy_lost, 6).text);
  for (const char *line = s->impact_list; *line; line += strcspn(line, "\n"), line += *line == '\n')
    summary_add_contact(t, line);
}

/* Adds the values that moved at events without having been set. */
static void summary_add_action_moves(dae__text *t, const dae_summary *s)
{
  if (s->action_moved == 0)
    return;
  dae__text_add(t, LABEL "%ld value%s moved to make states after events consistent:\n", "actions",
                s->action_moved, s->action_moved == 1 ? " was" : "s were");
  for (const char *line = s->action_moves; *line;
       line += strcspn(line, "\n"), line += *line == '\n') {
    char event[128], time[32], name[128], from[32], to[32];
    if (sscanf(line, "%127[^\t]\t%31[^\t]\t%127[^\t]\t%31[^\t]\t%31[^\n]", event, time, name, from,
               to) == 5)
      dae__text_add(t, INDENT "  %s at t = %s: %s %s -> %s\n", event, time, name, from, to);
  }
}

/* Adds the number of events and of changes of branches, for the first ones how often and when they
 * happened, and what nothing watches. */
static void summary_add_events(dae__text *t, const dae_summary *s)
{
  if (s->events > 0 || s->near_misses > 0)
    dae__text_add(t, LABEL "%ld\n", "events", s->events);
  summary_add_event_list(t, s->event_list, "event");
  summary_add_event_list(t, s->event_list, "impact");
  summary_add_impacts(t, s);
  if (s->switchings > 0)
    dae__text_add(t, LABEL "%ld change%s\n", "branches", s->switchings,
                  summary_plural(s->switchings));
  summary_add_event_list(t, s->event_list, "branch");
  if (s->unwatched > 0)
    dae__text_add(t, LABEL "%d condition%s not watched (noevent)\n", "", s->unwatched,
                  s->unwatched == 1 ? " is" : "s are");
  summary_add_action_moves(t, s);
}

/* Adds the numbers of steps and rejections, and the work. The steps of a coupled problem are the
 * steps of its systems in all sweeps. */
static void summary_add_work(dae__text *t, const dae_summary *s)
{
  const dae_stats *n = &s->stats;
  const long rejected[] = {n->rejected_by_error, n->rejected_by_convergence,
                           n->rejected_by_callback};
  static const char *const by[] = {"by the error test", "by the convergence test", "by a callback"};
  const char *comma = "";
  dae__text_add(t, LABEL "%ld taken%s; rejected: ", "steps",
                s->systems > 0 ? n->inner_steps : n->steps,
                s->systems > 0 ? " by the systems in all sweeps" : "");
  for (int i = 0; i < 3; i++)
    if (rejected[i] != 0) {
      dae__text_add(t, "%s%ld %s", comma, rejected[i], by[i]);
      comma = ", ";
    }
  dae__text_add(t, "%s\n", *comma ? "" : "none");
  dae__text_add(t, LABEL "%ld evaluation%s, %ld Jacobian%s, %ld factorisation%s,\n", "work",
                n->evaluations, summary_plural(n->evaluations), n->jacobians,
                summary_plural(n->jacobians), n->factorisations, summary_plural(n->factorisations));
  dae__text_add(t, INDENT "%ld iteration%s, %ld projection%s, %ld restart%s; %s s\n", n->iterations,
                summary_plural(n->iterations), n->projections, summary_plural(n->projections),
                n->restarts, summary_plural(n->restarts), dae__number_text(s->seconds, 3).text);
  if (n->decoupled > 0)
    dae__text_add(t, INDENT "%ld step%s by the decoupled Newton iteration, for stiff forces\n",
                  n->decoupled, summary_plural(n->decoupled));
  if (n->switches > 0)
    dae__text_add(t, INDENT "%ld switch%s between explicit and implicit steps\n", n->switches,
                  n->switches == 1 ? "" : "es");
  if (n->full > 0)
    dae__text_add(t, INDENT "%ld step%s by the full Newton iteration\n", n->full,
                  summary_plural(n->full));
  summary_add_events(t, s);
  char native[128];
  dae_native_text(&s->native, native, sizeof native);
  if (s->native.instructions > 0)
    dae__text_add(t, LABEL "%s\n", "native code", native);
}

/* Adds the drift, the energy and its balance. */
static void summary_add_accuracy(dae__text *t, const dae_summary *s)
{
  bool position = !isnan(s->position_drift), velocity = !isnan(s->velocity_drift);
  /* whether the constraints are algebraic equations 0 = F of a semi-explicit problem */
  bool equations = position && !velocity;
  if (s->rows > 0 && (position || velocity))
    dae__text_add(t, LABEL "largest %s over %ld row%s: ", "constraints",
                  equations ? "residual of the algebraic equations" : "drift", s->rows,
                  summary_plural(s->rows));
  else if (s->rows > 0)
    dae__text_add(t, LABEL "none\n", "constraints");
  if (s->rows > 0 && position)
    dae__text_add(t, "%s%s", dae__number_text(s->position_drift, 3).text,
                  equations ? "\n" : " in position");
  if (s->rows > 0 && velocity)
    dae__text_add(t, "%s%s in velocity\n", position ? ", " : "",
                  dae__number_text(s->velocity_drift, 3).text);
  if (!isnan(s->energy_start)) {
    dae__text_add(t, LABEL "%s at the start, ", "energy",
                  dae__number_text(s->energy_start, 6).text);
    if (isnan(s->energy_change))
      dae__text_add(t, "but not known all along\n");
    else
      dae__text_add(t, "changed by %s\n", dae__number_text(s->energy_change, 3).text);
    if (isnan(s->energy_balance))
      dae__text_add(t, INDENT "balance not known: the work of forces could not be measured\n");
    else
      dae__text_add(
          t, INDENT "balance %s: the change less the work of forces and moving constraints\n",
          dae__number_text(s->energy_balance, 3).text);
    if (s->energy_supplied != 0)
      dae__text_add(t, INDENT "and less %s by which steps kept it constant\n",
                    dae__number_text(s->energy_supplied, 3).text);
    if (!s->energy_has_potential)
      dae__text_add(t,
                    INDENT "kinetic energy only: no potential is known, so the work of every\n" //
                    INDENT "force counts, gravity and springs included\n");
  }
}

/* Adds the differences to the second run, column by column. */
static void summary_add_check(dae__text *t, const dae_error_check *c)
{
  if (!c->method)
    return;
  dae__text_add(t, LABEL "by %s at ", "error check", c->method);
  if (c->step > 0)
    dae__text_add(t, "steps of %s", dae__number_text(c->step, 3).text);
  else
    dae__text_add(t, "rtol %s", dae__number_text(c->rtol, 3).text);
  dae__text_add(t, ", %ld row%s; largest differences in\n" INDENT "tolerances, %s:\n", c->rows,
                summary_plural(c->rows), c->step > 0 ? "1e-4 max|y| + 1e-6" : "rtol max|y| + atol");
  if (c->message[0])
    dae__text_add(t, INDENT "not to the end: %s\n", c->message);
  if (c->other_events[0])
    dae__text_add(t, INDENT "another number of events: %s\n", c->other_events);
  for (const char *line = c->columns; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    const char *word[4] = {line};
    int length[4] = {0};
    for (int i = 0; i < 4; i++) {
      length[i] = (int)strcspn(word[i], "\t\n");
      if (i < 3)
        word[i + 1] = word[i] + length[i] + (word[i][length[i]] == '\t');
    }
    if (line[length[0]] == '\t')
      dae__text_add(t, INDENT "%-20.*s %.*s (at t = %.*s: %.*s)\n", length[0], word[0], length[1],
                    word[1], length[3], word[3], length[2], word[2]);
    else
      dae__text_add(t, INDENT "%.*s\n", length[0], line);
  }
}

/* Adds the number of oscillations of a long run and the error of their phase. */
static void summary_add_phase(dae__text *t, const dae_summary *s)
{
  if (!(s->oscillations >= LONG_RUN))
    return;
  dae__text_add(t, LABEL "about %s oscillations; ", "phase",
                dae__number_text(s->oscillations, 3).text);
  if (isnan(s->phase_error))
    dae__text_add(t, "their phase error is not known\n");
  else
    dae__text_add(t, "phase error by the energy balance: about %s rad\n",
                  dae__number_text(s->phase_error, 2).text);
  if (!isnan(s->phase_error) && s->step == 0)
    dae__text_add(t, INDENT "--conserve with --step serves such runs: its energy does not drift\n");
}

/* Adds words up to the end of the line, wrapped at WIDTH columns; `column` is the first free one.
 */
static void summary_add_words(dae__text *t, int column, const char *line)
{
  const char *end = line + strcspn(line, "\n"), *blank = "";
  while (line < end) {
    int length = (int)strcspn(line, " \n");
    bool wrap = column + length > WIDTH;
    dae__text_add(t, "%s%.*s", wrap ? "\n" INDENT : blank, length, line);
    column = (wrap ? (int)strlen(INDENT) : column) + length + 1;
    blank = " ";
    line += length + (line + length < end);
  }
}

/* Adds the verdict with its reasons, one line or more for each. */
static void summary_add_trust(dae__text *t, const dae_summary *s)
{
  const char *name = dae_trust_name(s->trust), *line = s->reasons;
  if (s->rows == 0)
    return;
  dae__text_add(t, LABEL "%s%s", "trust:", name, *line ? ": " : "");
  int column = (int)(strlen(INDENT) + strlen(name)) + 2;
  for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    if (line > s->reasons) {
      dae__text_add(t, "\n" INDENT);
      column = (int)strlen(INDENT);
    }
    summary_add_words(t, column, line);
  }
  dae__text_add(t, "\n");
}

/* Unit of a name in a list of lines; its length is 0 without one. */
static const char *summary_unit_of(const char *units, const char *name, size_t length, int *size)
{
  for (const char *line = units ? units : ""; *line;
       line += strcspn(line, "\n"), line += *line == '\n')
    if (strcspn(line, "\t") == length && !strncmp(line, name, length)) {
      *size = (int)strcspn(line + length + 1, "\n");
      return line + length + 1;
    }
  *size = 0;
  return "";
}

/* Adds the inputs: where their data come from, and where they are constant. */
static void summary_add_inputs(dae__text *t, const dae_summary *s)
{
  const char *label = "inputs";
  for (const char *line = s->inputs ? s->inputs : ""; *line;
       line += strcspn(line, "\n"), line += *line == '\n') {
    char name[256], how[16], source[256] = "", count[16];
    double first, last;
    const char *p = line;
    char *const to[] = {name, how, source, count};
    const size_t room[] = {sizeof name, sizeof how, sizeof source, sizeof count};
    for (int i = 0; i < 4; i++) {
      size_t length = strcspn(p, "\t");
      snprintf(to[i], room[i], "%.*s", (int)length, p);
      p += length + 1;
    }
    first = strtod(p, NULL);
    last = strtod(p + strcspn(p, "\t") + 1, NULL);
    dae__text_add(t, LABEL, label);
    label = "";
    if (strcmp(count, "0") == 0) {
      dae__text_add(t, "%s: %s\n", name, *source ? "a function" : "the value of the model");
      continue;
    }
    dae__text_add(t, "%s: %s samples%s%s, %s, t = %s to %s\n", name, count,
                  strcmp(source, "samples") ? " of " : "", strcmp(source, "samples") ? source : "",
                  how, dae__number_text(first, 6).text, dae__number_text(last, 6).text);
    if (s->t_start < first)
      dae__text_add(t, INDENT "constant before its first sample, t < %s\n",
                    dae__number_text(first, 6).text);
    if (s->t_end > last)
      dae__text_add(t, INDENT "constant after its last sample, t > %s\n",
                    dae__number_text(last, 6).text);
  }
}

/* Adds the start values that were changed: name, old and new value in columns. */
static void summary_add_moves(dae__text *t, const dae_summary *s)
{
  if (s->moved == 0)
    return;
  dae__text_add(t, LABEL "%d value%s moved to make it consistent%s", "start", s->moved,
                s->moved == 1 ? " was" : "s were",
                s->damping.kind == DAE_DAMPING_REMOVED || s->damping.kind == DAE_DAMPING_ALL
                    ? " and slow"
                    : "");
  dae__text_add(t, s->moved_given > 0 ? "; `fixed` holds a value:\n"
                                      : "; no given value was changed:\n");
  int width = 0;
  for (const char *line = s->moves; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    int name = (int)strcspn(line, "\t\n");
    width = name > width ? name : width;
  }
  for (const char *line = s->moves; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    size_t name = strcspn(line, "\t\n"), end = strcspn(line, "\n");
    if (line[name] != '\t') {
      dae__text_add(t, INDENT "  %.*s\n", (int)end, line);
      continue;
    }
    const char *from = line + name + 1, *to = from + strcspn(from, "\t\n");
    int size;
    const char *unit = summary_unit_of(s->units, line, name, &size);
    dae__text_add(t, INDENT "  %-*.*s  %.*s -> %.*s%s%.*s\n", width, (int)name, line,
                  (int)(to - from), from, (int)(line + end - to) - (*to == '\t'),
                  to + (*to == '\t'), size > 0 ? " " : "", size, unit);
  }
}

size_t dae_summary_text(const dae_summary *s, char *text, size_t size)
{
  static const char *const kinds[DAE_VARIABLE_KINDS] = {
      [DAE_VARIABLE_COORDINATE] = "positions",   [DAE_VARIABLE_RATE] = "velocities",
      [DAE_VARIABLE_STATE] = "states",           [DAE_VARIABLE_ALGEBRAIC] = "algebraic variables",
      [DAE_VARIABLE_MULTIPLIER] = "multipliers", [DAE_VARIABLE_HELD] = "held values"};
  const dae_verification *v = &s->verification;
  dae__text t = dae__text_in(text, size);
  summary_add_problem(&t, s);
  summary_add_coupling(&t, s);
  summary_add_work(&t, s);
  summary_add_accuracy(&t, s);
  dae__summary_add_damping(&t, s);
  summary_add_phase(&t, s);
  if (s->caution)
    dae__text_add(&t, LABEL "%s\n", "caution", s->caution);
  if (v->method)
    dae__text_add(&t,
                  LABEL "by %s on all systems as one, %ld row%s; largest differences in\n" INDENT
                        "tolerances, rtol max|y| + atol:\n",
                  "verified", v->method, v->rows, summary_plural(v->rows));
  if (v->method && v->message[0])
    dae__text_add(&t, INDENT "not to the end: %s\n", v->message);
  for (int i = 0; v->method && i < DAE_VARIABLE_KINDS; i++)
    if (!isnan(v->most[i].tolerances))
      dae__text_add(&t, INDENT "%-20s %s (%s, at t = %s: %s)\n", kinds[i],
                    dae__number_text(v->most[i].tolerances, 3).text, v->most[i].name,
                    dae__number_text(v->most[i].t, 6).text,
                    dae__number_text(v->most[i].absolute, 3).text);
  summary_add_check(&t, &s->check);
  summary_add_inputs(&t, s);
  summary_add_moves(&t, s);
  summary_add_trust(&t, s);
  dae__text_add(&t, LABEL "%ld row%s%s%s\n", "results", s->rows, summary_plural(s->rows),
                s->files[0] ? " in " : "", s->files);
  return t.length;
}
