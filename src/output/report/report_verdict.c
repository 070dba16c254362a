/* The verdict on a run: one sentence, and a table of checks. */
#include "output/report/report.h"

#include "core/assert.h"
#include "output/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Residual up to which constraints count as satisfied: a thousand times the tolerance 1e-12 of the
 * projection, for terms of order 1. Chosen, not measured. */
#define VERDICT_MAX_RESIDUAL 1e-9

typedef struct finding {
  dae_page_mood mood;
  const char *check;
  char text[1400];
} finding;

typedef struct findings {
  finding item[12];
  int count;
} findings;

__attribute__((format(printf, 4, 5))) static void
verdict_add(findings *all, dae_page_mood mood, const char *check, const char *format, ...)
{
  DAE__ASSERT(all->count < (int)(sizeof all->item / sizeof *all->item));
  finding *f = &all->item[all->count++];
  va_list arguments;
  va_start(arguments, format);
  f->mood = mood;
  f->check = check;
  vsnprintf(f->text, sizeof f->text, format, arguments);
  va_end(arguments);
}

/* ---- checks ---- */

/* Checks end time, tolerances and residuals of constraints: algebraic equations 0 = F hold up to
 * the tolerance of the iteration, constraints of mechanical systems up to that of the projection.
 */
static void verdict_check_accuracy(findings *all, const dae_summary *s)
{
  bool interrupted = s->status == DAE_ERROR_INTERRUPTED;
  const char *how = s->status == DAE_STOPPED ? ", where an event ended the run: "
                    : s->status < 0          ? ", not further: "
                                             : "";
  verdict_add(all,
              interrupted     ? DAE_PAGE_WARNING
              : s->status < 0 ? DAE_PAGE_BAD
                              : DAE_PAGE_GOOD,
              "reached", "t = %s, from %s%s%s", dae__number_text(s->t_end, 3).text,
              dae__number_text(s->t_start, 3).text, how, s->message);
  if (s->rows == 0)
    return;
  if (s->step > 0 || isnan(s->rtol))
    verdict_add(
        all, DAE_PAGE_WARNING, "tolerance",
        "none: fixed steps, whose error is not estimated; --check-error compares with a tenth "
        "of the step");
  else
    verdict_add(
        all, DAE_PAGE_PLAIN, "tolerance",
        "rtol %s, atol %s for the error of each step; --check-error compares the whole run with "
        "one at a tenth of the tolerance",
        dae__number_text(s->rtol, 3).text, dae__number_text(s->atol, 3).text);
  bool position = !isnan(s->position_drift), velocity = !isnan(s->velocity_drift);
  bool equations = position && !velocity;
  double worst = fmax(s->position_drift, s->velocity_drift);
  double limit = equations && s->rtol > VERDICT_MAX_RESIDUAL ? s->rtol : VERDICT_MAX_RESIDUAL;
  dae_page_mood mood = worst <= limit ? DAE_PAGE_GOOD : DAE_PAGE_WARNING;
  if (equations)
    verdict_add(all, mood, "algebraic equations", "off by at most %s, over %ld rows",
                dae__number_text(worst, 3).text, s->rows);
  else if (position)
    verdict_add(all, mood, "constraints",
                "off by at most %s in position, %s in velocity, over %ld rows",
                dae__number_text(s->position_drift, 3).text,
                dae__number_text(s->velocity_drift, 3).text, s->rows);
  else if (velocity)
    verdict_add(all, mood, "constraints", "off by at most %s in velocity, over %ld rows",
                dae__number_text(worst, 3).text, s->rows);
}

static void verdict_check_energy_and_start(findings *all, const dae_summary *s)
{
  const dae_diagnosis *d = &s->diagnosis;
  const dae_verification *v = &s->verification;
  bool energy = !isnan(s->energy_start), balance = !isnan(s->energy_balance);
  if (energy && !balance)
    verdict_add(all, DAE_PAGE_PLAIN, "energy",
                "%s at the start; what became of it is not known all along",
                dae__number_text(s->energy_start, 3).text);
  else if (energy)
    verdict_add(
        all, DAE_PAGE_PLAIN, "energy",
        "%s at the start, changed by %s; less the work of forces and moving constraints: %s",
        dae__number_text(s->energy_start, 3).text, dae__number_text(s->energy_change, 3).text,
        dae__number_text(s->energy_balance, 3).text);
  if (s->moved > 0)
    verdict_add(all, DAE_PAGE_WARNING, "start",
                "%d value%s moved to make it consistent: see the summary", s->moved,
                s->moved == 1 ? " was" : "s were");
  if (d->rank < d->constraints)
    verdict_add(all, DAE_PAGE_WARNING, "redundancy",
                "%d constraints, %d of them independent: see the summary", d->constraints, d->rank);
  double worst = NAN;
  for (int i = 0; i < DAE_VARIABLE_KINDS; i++)
    worst = fmax(worst, v->most[i].tolerances);
  if (v->method)
    verdict_add(all, v->message[0] ? DAE_PAGE_WARNING : DAE_PAGE_PLAIN, "verified",
                "by %s on all systems as one: differs by at most %s tolerances", v->method,
                dae__number_text(worst, 3).text);
}

/* Adds the verdict of the summary with its reasons, and the comparison with a second run. */
static void verdict_add_trust(findings *all, const dae_summary *s)
{
  static const dae_page_mood moods[] = {DAE_PAGE_GOOD, DAE_PAGE_WARNING, DAE_PAGE_BAD};
  const dae_error_check *c = &s->check;
  char reasons[sizeof s->reasons + 2];
  snprintf(reasons, sizeof reasons, "%s%s", s->reasons[0] ? ": " : "", s->reasons);
  for (char *end = reasons; (end = strchr(end, '\n')) != NULL;)
    *end = end[1] ? ';' : '\0';
  verdict_add(all, moods[s->trust], "trust", "%s%s", dae_trust_name(s->trust), reasons);
  if (c->method && c->message[0])
    verdict_add(all, DAE_PAGE_WARNING, "error check", "by %s, which failed: %s", c->method,
                c->message);
  else if (c->method)
    verdict_add(all, DAE_PAGE_PLAIN, "error check",
                "differs by at most %s tolerances (%s) from a run by %s at a tenth of the %s: see "
                "the summary",
                dae__number_text(c->most.tolerances, 3).text, c->most.name, c->method,
                c->step > 0 ? "step" : "tolerance");
}

/* Adds the variables that limited steps or iterations, with their shares. */
static void verdict_add_limits(findings *all, const char *what, const char *of, const char *limits)
{
  char names[700];
  dae__text t = dae__text_in(names, sizeof names);
  for (const char *line = limits; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    const char *steps = line + strcspn(line, "\t");
    dae__text_add(&t, "%s%.*s in %.*s of the %s", line > limits ? ", " : "", (int)(steps - line),
                  line, (int)strcspn(steps + 1, "\t"), steps + 1, of);
  }
  if (*limits)
    verdict_add(all, DAE_PAGE_PLAIN, what, "limited by %s", names);
}

/* ---- verdict ---- */

void dae__report_verdict(const dae__report *r, const dae_summary *s)
{
  static const char *const header[] = {"check", "found"};
  findings all = {.count = 0};
  verdict_add_trust(&all, s);
  verdict_add_limits(&all, "step size", "steps", s->limits);
  verdict_add_limits(&all, "iteration", "iterations", s->iteration_limits);
  verdict_check_accuracy(&all, s);
  if (s->rows > 0)
    verdict_check_energy_and_start(&all, s);
  dae_page_mood worst = s->caution ? DAE_PAGE_WARNING : DAE_PAGE_GOOD;
  for (int i = 0; i < all.count; i++)
    worst = all.item[i].mood > worst ? all.item[i].mood : worst;
  char sentence[700], held[120] = "";
  double drift = fmax(s->position_drift, s->velocity_drift);
  if (!isnan(drift))
    snprintf(held, sizeof held, "; %s hold to %s",
             isnan(s->velocity_drift) ? "algebraic equations" : "constraints",
             dae__number_text(drift, 3).text);
  if (s->status < 0)
    snprintf(sentence, sizeof sentence, "%s at t = %s: %s",
             s->status == DAE_ERROR_INTERRUPTED ? "Interrupted" : "Failed",
             dae__number_text(s->t_end, 3).text,
             s->message[0] ? s->message : dae_status_text(s->status));
  else
    snprintf(sentence, sizeof sentence, "Integrated from t = %s to %s by %s%s.",
             dae__number_text(s->t_start, 3).text, dae__number_text(s->t_end, 3).text,
             s->method ? s->method : "?", held);
  dae_page_verdict(r->page, worst, sentence, s->caution);
  dae_page_table_begin(r->page, NULL, 2, header);
  for (int i = 0; i < all.count; i++) {
    const char *const cells[] = {all.item[i].check, all.item[i].text};
    dae_page_table_row(r->page, all.item[i].mood, cells);
  }
  dae_page_table_end(r->page);
}
