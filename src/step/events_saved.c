/* Saved state of an event detector: all that the next steps depend on, without pointers. */
#include "step/events_private.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

/* Piece of the state. */
typedef struct saved_piece {
  void *first;
  size_t bytes;
} saved_piece;

enum { SAVED_PIECES = 6 };

static void saved_list_pieces(const dae__events *ev, saved_piece piece[SAVED_PIECES])
{
  size_t n = (size_t)ev->count;
  piece[0] = (saved_piece){ev->memory, sizeof *ev->memory};
  piece[1] = (saved_piece){ev->watches, n * sizeof *ev->watches};
  piece[2] = (saved_piece){ev->counts, n * sizeof *ev->counts};
  piece[3] = (saved_piece){ev->next, n * sizeof *ev->next};
  piece[4] = (saved_piece){ev->truth, n * sizeof *ev->truth};
  piece[5] = (saved_piece){ev->opposed, n * sizeof *ev->opposed};
}

size_t dae__events_state_size(const dae__events *ev)
{
  saved_piece piece[SAVED_PIECES];
  size_t bytes = 0;
  saved_list_pieces(ev, piece);
  for (int i = 0; i < SAVED_PIECES; i++)
    bytes += piece[i].bytes;
  return bytes;
}

void dae__events_copy_state(const dae__events *ev, void *buffer)
{
  saved_piece piece[SAVED_PIECES];
  char *to = buffer;
  saved_list_pieces(ev, piece);
  for (int i = 0; i < SAVED_PIECES; to += piece[i++].bytes)
    if (piece[i].bytes > 0)
      memcpy(to, piece[i].first, piece[i].bytes);
}

static bool saved_is_truth(const char *byte)
{
  return *byte == 0 || *byte == 1;
}

/* Whether the integers and truth values of a saved watch are possible. */
static bool saved_check_watch(const char *watch)
{
  int side, rebound;
  long near;
  memcpy(&side, watch + offsetof(dae__watch, side), sizeof side);
  memcpy(&rebound, watch + offsetof(dae__watch, rebound), sizeof rebound);
  memcpy(&near, watch + offsetof(dae__watch, near), sizeof near);
  return side >= -1 && side <= 1 && rebound >= -1 && rebound <= 1 && near >= 0 &&
         near < LONG_MAX / 2 && saved_is_truth(watch + offsetof(dae__watch, armed)) &&
         saved_is_truth(watch + offsetof(dae__watch, rebounded));
}

static bool saved_check(const dae__events *ev, const char *from)
{
  dae__events_memory m;
  dae__event_count n;
  memcpy(&m, from, sizeof m);
  bool possible =
      m.simultaneous >= 0 && m.simultaneous < INT_MAX / 2 && m.moved >= 0 && m.moved < LONG_MAX / 2;
  const char *watches = from + sizeof m, *counts = watches + (size_t)ev->count * sizeof(dae__watch);
  for (size_t i = 0; i < (size_t)ev->count; i++) {
    memcpy(&n, counts + i * sizeof n, sizeof n);
    possible = possible && saved_check_watch(watches + i * sizeof(dae__watch)) && n.fired >= 0 &&
               n.fired < LONG_MAX / 2;
  }
  return possible;
}

dae_status dae__events_restore_state(dae__events *ev, const void *buffer, dae_error *err)
{
  saved_piece piece[SAVED_PIECES];
  const char *from = buffer;
  if (!saved_check(ev, buffer))
    return dae__fail(err, DAE_ERROR_USAGE, "buffer", "load: the saved state of events is damaged");
  saved_list_pieces(ev, piece);
  for (int i = 0; i < SAVED_PIECES; from += piece[i++].bytes)
    if (piece[i].bytes > 0)
      memcpy(piece[i].first, from, piece[i].bytes);
  return DAE_OK;
}
