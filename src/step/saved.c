/* Identity of an integrator, save and load.
 *
 * A saved buffer has a checksum of all its bytes, and names the integrators that may load it: by
 * method and size, by the values of the options, by fingerprints of the structure of the problem,
 * and by fingerprints of the values of its functions near the saved state. All of this is checked
 * before the load changes anything. */
#include "core/error.h"
#include "core/hash.h"
#include "core/number.h"
#include "core/options.h"
#include "core/vec.h"
#include "problem/fingerprint.h"
#include "step/integrator.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* ---- identity ---- */

uint64_t dae__hash_options(uint64_t h, const dae_option_table *table, const void *options)
{
  for (int i = 0; table && options && i < table->count; i++) {
    double value = dae__options_value(&table->options[i], options);
    h = dae__hash(h, &value, sizeof value);
  }
  return h;
}

dae_status dae__integrator_identify(dae_integrator **handle, const dae__identity *identity,
                                    dae_error *err)
{
  dae_integrator *it = *handle;
  const dae_option_table *table = identity->table;
  it->options = table ? table->count : 0;
  it->table_of_options = table;
  it->other = identity->other;
  it->option = DAE__UNINIT(it->arena, double, it->options);
  for (int i = 0; it->option && i < it->options; i++)
    it->option[i] = dae__options_value(&table->options[i], identity->options);
  if (identity->problem) {
    it->has_problem = true;
    it->problem = *identity->problem;
    it->y =
        DAE__UNINIT(it->arena, double, 2 * dae_integrator_view(it).size + it->problem.held.count);
    it->work = DAE__UNINIT(it->arena, double, dae__problem_values_work(&it->problem));
  }
  if (!dae__arena_failed(it->arena))
    return DAE_OK;
  dae_integrator_free(it);
  *handle = NULL;
  return dae__out_of_memory(err);
}

/* ---- state of an integrator and its children ---- */

static dae_integrator *integrator_child(const dae_integrator *it, int i)
{
  return it->table->child ? it->table->child(it->self, i) : NULL;
}

/* Lets all state of the integrator and its children exist: only then have saved states the same
 * layout. */
static dae_status integrator_complete_state(const dae_integrator *it, dae_error *err)
{
  for (int i = 0; integrator_child(it, i); i++)
    DAE__TRY(integrator_complete_state(integrator_child(it, i), err));
  return it->table->complete_state ? it->table->complete_state(it->self, err) : DAE_OK;
}

/* Where memory for the rest of the state is lacking, save and load fail. */
size_t dae__integrator_state_size(const dae_integrator *it)
{
  (void)integrator_complete_state(it, NULL);
  size_t bytes = dae__arena_state_size(it->arena);
  for (int i = 0; integrator_child(it, i); i++)
    bytes += dae__integrator_state_size(integrator_child(it, i));
  return bytes;
}

void dae__integrator_copy_state(const dae_integrator *it, void *buffer)
{
  char *to = buffer;
  dae__arena_save(it->arena, to);
  to += dae__arena_state_size(it->arena);
  for (int i = 0; integrator_child(it, i); i++) {
    dae__integrator_copy_state(integrator_child(it, i), to);
    to += dae__integrator_state_size(integrator_child(it, i));
  }
}

/* Whether all integers of a saved state are within their limits. */
static bool integrator_within_limits(const dae_integrator *it, const char *from)
{
  bool valid = dae__arena_check(it->arena, from);
  from += dae__arena_state_size(it->arena);
  for (int i = 0; valid && integrator_child(it, i); i++) {
    valid = integrator_within_limits(integrator_child(it, i), from);
    from += dae__integrator_state_size(integrator_child(it, i));
  }
  return valid;
}

static dae_status integrator_damaged(dae_error *err)
{
  return dae__fail(err, DAE_ERROR_USAGE, "buffer",
                   "load: the saved state is damaged: its checksum or one of its numbers is wrong");
}

dae_status dae__integrator_restore_state(dae_integrator *it, const void *buffer, dae_error *err)
{
  const char *from = (const char *)buffer + dae__arena_state_size(it->arena);
  if (!integrator_within_limits(it, buffer))
    return integrator_damaged(err);
  for (int i = 0; integrator_child(it, i); i++) {
    DAE__TRY(dae__integrator_restore_state(integrator_child(it, i), from, err));
    from += dae__integrator_state_size(integrator_child(it, i));
  }
  dae_status status = dae__arena_load(it->arena, buffer);
  if (status)
    return dae__fail(err, status, NULL, "load: a factorisation cannot be rebuilt");
  return it->table->reload ? it->table->reload(it->self, err) : DAE_OK;
}

/* ---- save and load ---- */

/* Relative and absolute size of the perturbations of the saved state at which functions are
 * evaluated, too: parameters without influence at the state itself, as a damping at rest, change
 * the values there. Small, so that the points lie near those of the steps; chosen, not measured. */
#define PERTURBATION 1e-3
#define LEAST_PERTURBATION 1e-6

/* Header of a saved buffer; the options, the extended state vector at t and the state follow. */
typedef struct saved_header {
  char magic[8];
  int version;
  int state_size;
  char method[32];
  char library[16];                /* version of the library */
  uint64_t checksum;               /* of all other bytes */
  uint64_t bytes;                  /* number of bytes after the header */
  uint64_t structure;              /* fingerprint of the problem's structure */
  uint64_t other;                  /* hash of settings of the method that are no options */
  uint64_t value[DAE__QUANTITIES]; /* fingerprints of the quantities near the saved state */
  double t, t_previous;
} saved_header;

static size_t integrator_vector_bytes(const dae_integrator *it)
{
  size_t entries = (size_t)dae_integrator_view(it).size + (size_t)it->problem.held.count;
  return it->has_problem ? entries * sizeof(double) : 0;
}

size_t dae_integrator_save_size(const dae_integrator *it)
{
  return sizeof(saved_header) + (size_t)it->options * sizeof(double) + integrator_vector_bytes(it) +
         dae__integrator_state_size(it);
}

/* Fingerprint of the problem's structure, which does not change. */
static uint64_t integrator_structure(dae_integrator *it)
{
  if (it->has_problem && it->structure == 0)
    it->structure = dae__problem_structure(&it->problem);
  return it->structure;
}

/* Header without checksum and values, for the time of the integrator. */
static saved_header integrator_header(const dae_integrator *it)
{
  saved_header header;
  dae_view view = dae_integrator_view(it);
  memset(&header, 0, sizeof header); /* zeroed padding, so that equal states give equal bytes */
  memcpy(header.magic, "daedal\r\n", sizeof header.magic);
  header.version = 4;
  header.state_size = view.size;
  snprintf(header.method, sizeof header.method, "%s", it->table->method);
  snprintf(header.library, sizeof header.library, "%s", dae_version());
  header.bytes = dae_integrator_save_size(it) - sizeof header;
  header.structure = integrator_structure((dae_integrator *)it);
  header.other = it->other;
  header.t = view.t;
  header.t_previous = view.t_previous;
  return header;
}

/* Fingerprints of the values of the problem's functions at the state vector it->y of a header's
 * time and at two points nearby, at times within the last step. */
static void integrator_values(const dae_integrator *it, const saved_header *at, uint64_t *value)
{
  const double times[] = {at->t, at->t + (at->t_previous - at->t) / 2, at->t_previous};
  const double factor[] = {0, 1, -2};
  double *y = it->y, *nearby = it->y + at->state_size + it->problem.held.count;
  for (int i = 0; i < DAE__QUANTITIES; i++)
    value[i] = it->has_problem ? DAE__HASH_START : 0;
  for (int k = 0; k < 3 && it->has_problem; k++) {
    for (int i = 0; i < at->state_size; i++) {
      double share = PERTURBATION * (1 + i % 7 / 7.0);
      nearby[i] = y[i] + factor[k] * (share * fabs(y[i]) + LEAST_PERTURBATION);
    }
    dae__problem_values(&it->problem, times[k], nearby, it->work, value);
  }
}

/* Checksum of a saved buffer of `size` bytes. */
static uint64_t integrator_checksum(const void *buffer, size_t size)
{
  const size_t at = offsetof(saved_header, checksum), after = at + sizeof(uint64_t);
  uint64_t sum = dae__hash(DAE__HASH_START, buffer, at);
  return dae__hash_large(sum, (const char *)buffer + after, size - after);
}

dae_status dae_integrator_save(const dae_integrator *it, void *buffer, size_t size, dae_error *err)
{
  DAE__TRY(integrator_complete_state(it, err));
  size_t needed = dae_integrator_save_size(it), options = (size_t)it->options * sizeof(double);
  if (!buffer || size < needed)
    return dae__fail(err, DAE_ERROR_USAGE, "size",
                     "save: the buffer has %zu bytes, %zu are needed (dae_integrator_save_size)",
                     buffer ? size : 0, needed);
  saved_header header = integrator_header(it);
  char *option = (char *)buffer + sizeof header, *y = option + options;
  if (options > 0)
    memcpy(option, it->option, options);
  if (it->has_problem) {
    DAE__TRY(dae__integrator_interpolate_raw((dae_integrator *)it, header.t, it->y, NULL, err));
    dae__copy(it->problem.held.count, it->problem.held.value, it->y + header.state_size);
    memcpy(y, it->y, integrator_vector_bytes(it));
    integrator_values(it, &header, header.value);
  }
  dae__integrator_copy_state(it, y + integrator_vector_bytes(it));
  memcpy(buffer, &header, sizeof header);
  header.checksum = integrator_checksum(buffer, needed);
  memcpy(buffer, &header, sizeof header);
  return DAE_OK;
}

/* Refuses a buffer that is not a whole and undamaged saved state. */
static dae_status integrator_check_buffer(const void *buffer, size_t size, saved_header *header,
                                          const saved_header *expected, dae_error *err)
{
  if (!buffer || size < sizeof *header)
    return dae__fail(err, DAE_ERROR_USAGE, "buffer", "load: %zu bytes cannot be a saved integrator",
                     buffer ? size : 0);
  memcpy(header, buffer, sizeof *header);
  if (memcmp(header->magic, expected->magic, sizeof header->magic) != 0 ||
      header->version != expected->version)
    return dae__fail(err, DAE_ERROR_USAGE, "buffer",
                     "load: the buffer was not written by dae_integrator_save of this version");
  if (size - sizeof *header < header->bytes)
    return dae__fail(err, DAE_ERROR_USAGE, "buffer",
                     "load: the buffer is cut off: %zu bytes after the header instead of %zu",
                     size - sizeof *header, (size_t)header->bytes);
  return integrator_checksum(buffer, sizeof *header + (size_t)header->bytes) == header->checksum
             ? DAE_OK
             : integrator_damaged(err);
}

/* Refuses a state saved with another value of an option. */
static dae_status integrator_check_options(const dae_integrator *it, const char *saved,
                                           dae_error *err)
{
  char theirs[40], ours[40];
  double value;
  for (int i = 0; i < it->options; i++, saved += sizeof value) {
    const dae_option *option = &it->table_of_options->options[i];
    memcpy(&value, saved, sizeof value);
    if (value == it->option[i] || (isnan(value) && isnan(it->option[i])))
      continue;
    dae__format_double(value, theirs, sizeof theirs);
    dae__format_double(it->option[i], ours, sizeof ours);
    return dae__fail(err, DAE_ERROR_USAGE, option->name,
                     "load: the state was saved with %s = %s, this integrator has %s: options must "
                     "be the same",
                     option->name, theirs, ours);
  }
  return DAE_OK;
}

/* Exchanges the held values with those of the saved state in it->y. */
static void integrator_exchange_held(const dae_integrator *it, const saved_header *header)
{
  const dae_held *held = &it->problem.held;
  double *saved = it->y + header->state_size;
  for (int i = 0; it->has_problem && i < held->count; i++) {
    double value = held->value[i];
    held->value[i] = saved[i];
    saved[i] = value;
  }
}

/* Refuses the state of another problem: its functions have other values. */
static dae_status integrator_check_values(const dae_integrator *it, const saved_header *header,
                                          dae_error *err)
{
  uint64_t value[DAE__QUANTITIES];
  integrator_values(it, header, value);
  for (int i = 0; i < DAE__QUANTITIES; i++)
    if (value[i] != header->value[i])
      return dae__fail(err, DAE_ERROR_USAGE, dae__problem_quantity(&it->problem, i),
                       "load: the state belongs to another problem: %s has other values at the "
                       "saved state, t = %.10g; a parameter may have changed",
                       dae__problem_quantity(&it->problem, i), header->t);
  return DAE_OK;
}

dae_status dae_integrator_load(dae_integrator *it, const void *buffer, size_t size, dae_error *err)
{
  DAE__TRY(integrator_complete_state(it, err));
  saved_header expected = integrator_header(it), header;
  DAE__TRY(integrator_check_buffer(buffer, size, &header, &expected, err));
  if (strncmp(header.method, expected.method, sizeof expected.method) != 0 ||
      header.state_size != expected.state_size || header.bytes != expected.bytes ||
      strncmp(header.library, expected.library, sizeof expected.library) != 0)
    return dae__fail(err, DAE_ERROR_USAGE, "buffer",
                     "load: the buffer holds %.31s with %d variables and %zu bytes of version "
                     "%.15s, this is %s with %d and %zu of %s: problem, method and options must be "
                     "the same",
                     header.method, header.state_size, (size_t)header.bytes, header.library,
                     expected.method, expected.state_size, (size_t)expected.bytes,
                     expected.library);
  const char *option = (const char *)buffer + sizeof header;
  const char *y = option + (size_t)it->options * sizeof(double);
  DAE__TRY(integrator_check_options(it, option, err));
  if (header.structure != expected.structure || header.other != expected.other)
    return dae__fail(err, DAE_ERROR_USAGE, "problem",
                     "load: the state belongs to another problem or to other settings of %s: "
                     "names, patterns, callbacks, or solvers of systems differ",
                     expected.method);
  if (it->has_problem)
    memcpy(it->y, y, integrator_vector_bytes(it));
  integrator_exchange_held(it, &header);
  dae_status status = integrator_check_values(it, &header, err);
  if (!status)
    status = dae__integrator_restore_state(it, y + integrator_vector_bytes(it), err);
  if (status)
    integrator_exchange_held(it, &header);
  return status;
}
