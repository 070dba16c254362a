/* Save and load of a run: header, the run's own memory, events, integrator, sinks.
 *
 * The integrator recognises its problem and options (step/saved.c); the header recognises the plan.
 * All is checked before anything is restored, but the files of sinks, which come last. */
#include "run/simulation.h"

#include "core/hash.h"
#include "core/vec.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct saved_header {
  char magic[8];
  int version;
  int columns, events, sinks; /* of the plan */
  char library[16];           /* version of the library */
  uint64_t checksum;          /* of all other bytes */
  uint64_t bytes;             /* number of bytes after the header */
  uint64_t plan;              /* hash of the plan */
  uint64_t at, integrator;    /* offset and number of bytes of the integrator's state */
  double t;
} saved_header;

/* Numbers of the run that are restored as they are. */
typedef struct saved_numbers {
  dae_summary summary; /* without its pointers */
  dae__monitor monitor;
  dae__trust_facts trust;
  double t, last_row, stops_known, reached, seconds;
  dae_view view;
  long planned, verified;
  int stop_count, next_stop;
  size_t moves;
  int stage, status;
  int held_changed, due, opened;
} saved_numbers;

/* ---- pieces ---- */

typedef enum saved_mode { SAVED_SIZE, SAVED_SAVE, SAVED_LOAD } saved_mode;

/* Pieces of memory one after the other in a buffer. */
typedef struct saved_stream {
  saved_mode mode;
  char *at;
} saved_stream;

static void saved_add(saved_stream *s, void *memory, size_t bytes)
{
  if (s->mode == SAVED_SAVE && bytes > 0)
    memcpy(s->at, memory, bytes);
  else if (s->mode == SAVED_LOAD && bytes > 0)
    memcpy(memory, s->at, bytes);
  s->at += bytes;
}

/* The arrays of the run. */
static void saved_add_arrays(saved_stream *s, dae_simulation *r)
{
  const dae__turns *turns = &r->monitor.turns;
  size_t n = (size_t)turns->n;
  saved_add(s, turns->low, n * sizeof *turns->low);
  saved_add(s, turns->high, n * sizeof *turns->high);
  saved_add(s, turns->extreme, n * sizeof *turns->extreme);
  saved_add(s, turns->count, n * sizeof *turns->count);
  saved_add(s, turns->direction, n * sizeof *turns->direction);
  saved_add(s, r->stops, (size_t)r->stop_count * sizeof *r->stops);
  saved_add(s, r->verify.rows,
            (size_t)r->verify.count * (size_t)r->verify.columns * sizeof *r->verify.rows);
}

/* Bytes of all that precedes the sinks, without the header. */
static size_t saved_own_bytes(const dae_simulation *r)
{
  saved_stream s = {SAVED_SIZE, NULL};
  char origin = 0;
  s.at = &origin;
  saved_add_arrays(&s, (dae_simulation *)r);
  return (size_t)(s.at - &origin) + sizeof(saved_numbers) + dae__events_state_size(r->events) +
         dae_integrator_save_size(r->it);
}

static size_t saved_sink_bytes(const dae_sink *sink)
{
  return sizeof(uint64_t) + (sink->save_size ? sink->save_size(sink->self) : 0);
}

size_t dae_simulation_save_size(const dae_simulation *r)
{
  size_t bytes = sizeof(saved_header) + saved_own_bytes(r);
  for (int i = 0; i < r->plan.sink_count; i++)
    bytes += saved_sink_bytes(&r->plan.sinks[i]);
  return bytes;
}

/* ---- header ---- */

static uint64_t saved_hash_plan(const dae_simulation *r)
{
  const dae_run_plan *p = &r->plan;
  const double numbers[] = {p->start.t,
                            p->to,
                            p->every,
                            (double)p->time_count,
                            (double)p->verify,
                            (double)p->check_error,
                            (double)p->unmeasured};
  uint64_t h = dae__hash(DAE__HASH_START, numbers, sizeof numbers);
  if (p->times)
    h = dae__hash_large(h, p->times, (size_t)p->time_count * sizeof *p->times);
  for (int i = 0; i < r->columns.count; i++)
    h = dae__hash_text(h, r->columns.names[i]);
  for (int i = 0; i < p->event_count; i++)
    h = dae__hash_text(h, p->events[i].name);
  return h;
}

static saved_header saved_make_header(const dae_simulation *r)
{
  saved_header header;
  memset(&header, 0, sizeof header); /* zeroed padding, so that equal states give equal bytes */
  memcpy(header.magic, "daerun\r\n", sizeof header.magic);
  header.version = 2;
  header.columns = r->columns.count;
  header.events = r->plan.event_count;
  header.sinks = r->plan.sink_count;
  snprintf(header.library, sizeof header.library, "%s", dae_version());
  header.plan = saved_hash_plan(r);
  header.integrator = dae_integrator_save_size(r->it);
  header.t = r->reached;
  return header;
}

/* Checksum of a saved buffer of `size` bytes, but for the state of the integrator, which has its
 * own. */
static uint64_t saved_checksum(const char *buffer, size_t size, const saved_header *header)
{
  size_t it = (size_t)header->at, bytes = (size_t)header->integrator;
  const size_t at = offsetof(saved_header, checksum), after = at + sizeof(uint64_t);
  uint64_t sum = dae__hash(DAE__HASH_START, buffer, at);
  sum = dae__hash_large(sum, buffer + after, it - after);
  return dae__hash_large(sum, buffer + it + bytes, size - it - bytes);
}

/* ---- save ---- */

static saved_numbers saved_collect(const dae_simulation *r)
{
  saved_numbers n;
  memset(&n, 0, sizeof n);
  n.summary = r->summary;
  n.summary.problem = n.summary.method = n.summary.caution = NULL;
  n.summary.provenance = NULL;
  n.summary.inputs = n.summary.units = n.summary.verification.method = n.summary.check.method =
      NULL;
  n.monitor = r->monitor;
  n.monitor.measure = NULL;
  n.monitor.y = NULL;
  n.monitor.turns = (dae__turns){.n = r->monitor.turns.n};
  n.trust = r->trust;
  n.t = r->t;
  n.last_row = r->last_row;
  n.stops_known = r->stops_known;
  n.reached = r->reached;
  n.seconds = dae__simulation_seconds(r);
  n.view = r->view;
  n.view.method = NULL;
  n.planned = r->planned;
  n.verified = r->verify.count;
  n.stop_count = r->stop_count;
  n.next_stop = r->next_stop;
  n.moves = r->moves.length;
  n.stage = r->stage == DAE__STEP_COMPLETE ? DAE__STEP_COMPLETE : DAE__STEP_TAKEN;
  n.status = r->status > 0 ? (int)r->status : DAE_OK;
  n.held_changed = r->held_changed;
  n.due = r->due;
  n.opened = r->opened;
  return n;
}

static dae_status saved_save_sinks(const dae_simulation *r, char *to, dae_error *err)
{
  for (int i = 0; i < r->plan.sink_count; i++) {
    const dae_sink *sink = &r->plan.sinks[i];
    uint64_t bytes = saved_sink_bytes(sink) - sizeof bytes;
    memcpy(to, &bytes, sizeof bytes);
    to += sizeof bytes;
    if (sink->save)
      DAE__TRY(sink->save(sink->self, to, err));
    to += bytes;
  }
  return DAE_OK;
}

dae_status dae_simulation_save(dae_simulation *r, void *buffer, size_t size, dae_error *err)
{
  size_t needed = dae_simulation_save_size(r);
  if (r->broken || !r->opened)
    return dae__fail(err, DAE_ERROR_USAGE, "run",
                     r->broken ? "save: the run has failed within a step, or is finished"
                               : "save: the run has not begun: step or advance it");
  if (!buffer || size < needed)
    return dae__fail(err, DAE_ERROR_USAGE, "size",
                     "save: the buffer has %zu bytes, %zu are needed (dae_simulation_save_size)",
                     buffer ? size : 0, needed);
  saved_header header = saved_make_header(r);
  saved_numbers numbers = saved_collect(r);
  saved_stream s = {SAVED_SAVE, (char *)buffer + sizeof header};
  saved_add(&s, &numbers, sizeof numbers);
  saved_add_arrays(&s, r);
  if (r->searched_before)
    memcpy(s.at, r->events_before, dae__events_state_size(r->events));
  else
    dae__events_copy_state(r->events, s.at);
  s.at += dae__events_state_size(r->events);
  header.at = (uint64_t)(s.at - (char *)buffer);
  DAE__TRY(dae_integrator_save(r->it, s.at, (size_t)header.integrator, err));
  s.at += header.integrator;
  DAE__TRY(saved_save_sinks(r, s.at, err));
  header.bytes = needed - sizeof header;
  memcpy(buffer, &header, sizeof header);
  header.checksum = saved_checksum(buffer, needed, &header);
  memcpy(buffer, &header, sizeof header);
  return DAE_OK;
}

/* ---- load ---- */

static dae_status saved_damaged(dae_error *err)
{
  return dae__fail(err, DAE_ERROR_USAGE, "buffer",
                   "load: the saved run is damaged: its checksum or one of its numbers is wrong");
}

/* Refuses a buffer that is not a whole and undamaged saved run, or that of another plan. */
static dae_status saved_check_header(const dae_simulation *r, const void *buffer, size_t size,
                                     saved_header *header, dae_error *err)
{
  const saved_header expected = saved_make_header(r);
  if (!buffer || size < sizeof *header + sizeof(saved_numbers))
    return dae__fail(err, DAE_ERROR_USAGE, "buffer", "load: %zu bytes cannot be a saved run",
                     buffer ? size : 0);
  memcpy(header, buffer, sizeof *header);
  if (memcmp(header->magic, expected.magic, sizeof header->magic) != 0 ||
      header->version != expected.version ||
      strncmp(header->library, expected.library, sizeof header->library) != 0)
    return dae__fail(err, DAE_ERROR_USAGE, "buffer",
                     "load: the buffer was not written by dae_simulation_save of version %s",
                     dae_version());
  if (header->bytes != size - sizeof *header)
    return dae__fail(err, DAE_ERROR_USAGE, "buffer",
                     "load: the saved run has %zu bytes after its header instead of %zu",
                     size - sizeof *header, (size_t)header->bytes);
  if (header->plan != expected.plan || header->columns != expected.columns ||
      header->events != expected.events || header->sinks != expected.sinks ||
      header->integrator != expected.integrator)
    return dae__fail(err, DAE_ERROR_USAGE, "plan",
                     "load: the saved run, at t = %.10g, has another plan: times, columns, events, "
                     "method and sinks must be the same",
                     header->t);
  bool fits = header->at >= sizeof *header && header->at <= size &&
              header->integrator <= size - (size_t)header->at;
  return fits && saved_checksum(buffer, size, header) == header->checksum ? DAE_OK
                                                                          : saved_damaged(err);
}

/* Whether the numbers that index memory are possible. */
static bool saved_possible(const dae_simulation *r, const saved_numbers *n)
{
  const double most = (double)(SIZE_MAX / 16);
  return n->stop_count >= 0 && n->stop_count < INT_MAX / 2 && n->next_stop >= 0 &&
         n->next_stop <= n->stop_count && n->planned >= 0 && n->planned < LONG_MAX / 2 &&
         n->verified >= 0 && (double)n->verified * r->verify.columns < most &&
         n->monitor.turns.n == r->monitor.turns.n &&
         (n->stage == DAE__STEP_COMPLETE || n->stage == DAE__STEP_TAKEN) &&
         (n->status == DAE_OK || n->status == DAE_END || n->status == DAE_STOPPED) &&
         n->summary.rows >= 0 && n->summary.rows < LONG_MAX / 2 &&
         (n->stage == DAE__STEP_COMPLETE || n->t <= n->view.t);
}

/* Restores numbers, with the pointers of this run. */
static void saved_restore(dae_simulation *r, const saved_numbers *n)
{
  const dae_summary own = r->summary;
  const dae__monitor monitor = r->monitor;
  r->summary = n->summary;
  r->summary.problem = own.problem;
  r->summary.method = own.method;
  r->summary.caution = own.caution;
  r->summary.inputs = own.inputs;
  r->summary.units = own.units;
  r->summary.provenance = own.provenance;
  r->monitor = n->monitor;
  r->monitor.measure = monitor.measure;
  r->monitor.y = monitor.y;
  r->monitor.turns = monitor.turns;
  r->monitor.rule.n = 0; /* is made anew */
  r->trust = n->trust;
  r->t = n->t;
  r->last_row = n->last_row;
  r->stops_known = n->stops_known;
  r->reached = n->reached;
  r->seconds = n->seconds;
  r->view = n->view;
  r->view.method = own.method;
  r->planned = n->planned;
  r->stop_count = n->stop_count;
  r->next_stop = n->next_stop;
  r->stage = (dae__stage)n->stage;
  r->status = (dae_status)n->status;
  r->held_changed = n->held_changed != 0;
  r->due = n->due != 0;
  r->searched_before = r->read = false;
  dae__events_set_tolerances(r->events, r->monitor.rtol, r->monitor.atol);
  dae__simulation_list_moves(r, n->moves);
  dae__simulation_extend(r);
}

static dae_status saved_load_sinks(dae_simulation *r, const char *from, const char *end,
                                   dae_error *err)
{
  for (int i = 0; i < r->plan.sink_count; i++) {
    const dae_sink *sink = &r->plan.sinks[i];
    uint64_t bytes;
    if ((size_t)(end - from) < sizeof bytes)
      return saved_damaged(err);
    memcpy(&bytes, from, sizeof bytes);
    from += sizeof bytes;
    if ((size_t)(end - from) < bytes)
      return saved_damaged(err);
    if (sink->load)
      DAE__TRY(
          sink->load(sink->self, r->columns.count, r->columns.names, from, (size_t)bytes, err));
    else if (sink->open && !r->opened)
      DAE__TRY(sink->open(sink->self, r->columns.count, r->columns.names, err));
    from += bytes;
  }
  return DAE_OK;
}

/* Restores the events, whose state is at `from`, and the integrator behind it. */
static dae_status saved_load_motion(dae_simulation *r, const char *from, size_t bytes,
                                    dae_error *err)
{
  const char *it = from + dae__events_state_size(r->events);
  void *before = r->events_before;
  dae__events_copy_state(r->events, before);
  DAE__TRY(dae__events_restore_state(r->events, from, err));
  dae_status status = dae_integrator_load(r->it, it, bytes, err);
  if (status < 0)
    (void)dae__events_restore_state(r->events, before, NULL);
  return status;
}

dae_status dae_simulation_load(dae_simulation *r, const void *buffer, size_t size, dae_error *err)
{
  saved_header header;
  saved_numbers numbers;
  DAE__TRY(saved_check_header(r, buffer, size, &header, err));
  saved_stream s = {SAVED_LOAD, (char *)buffer + sizeof header};
  const char *end = (const char *)buffer + size;
  saved_add(&s, &numbers, sizeof numbers);
  if (!saved_possible(r, &numbers))
    return saved_damaged(err);
  DAE__TRY(dae__simulation_stop_memory(r, numbers.stop_count, err));
  DAE__TRY(dae__verify_reserve(&r->verify, numbers.verified, err));
  r->stop_count = numbers.stop_count;
  r->verify.count = numbers.verified;
  size_t own = saved_own_bytes(r);
  if (own > (size_t)header.bytes)
    return saved_damaged(err);
  const char *sinks = (const char *)buffer + sizeof header + own;
  const char *motion = sinks - header.integrator - dae__events_state_size(r->events);
  DAE__TRY(saved_load_motion(r, motion, (size_t)header.integrator, err));
  saved_add_arrays(&s, r);
  saved_restore(r, &numbers);
  dae_status status = saved_load_sinks(r, sinks, end, err);
  r->opened = true;
  r->broken = status < 0;
  return status;
}
