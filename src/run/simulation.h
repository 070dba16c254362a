/* A run as its files see it: simulation_start.c creates it, simulation_rows.c writes its rows,
 * simulation.c is its loop, simulation_saved.c saves it, simulation_end.c ends it. */
#ifndef DAEDAL_RUN_SIMULATION_H
#define DAEDAL_RUN_SIMULATION_H

#include "core/arena.h"
#include "core/env.h"
#include "core/error.h"
#include "core/text.h"
#include "run/columns.h"
#include "run/monitor.h"
#include "run/plan.h"
#include "run/trust.h"
#include "run/verify.h"
#include "step/events.h"

#include <daedal/simulation.h>
#include <time.h>

/* What is left to do of the last step. */
typedef enum dae__stage {
  DAE__STEP_COMPLETE,
  DAE__STEP_TAKEN,   /* events behind dae_simulation.t are to be searched for */
  DAE__STEP_EVENT,   /* the next event, at t_found, is to be applied */
  DAE__STEP_SEARCHED /* no further events: the rows at its end */
} dae__stage;

struct dae_simulation {
  dae_run_plan plan;
  dae_env env;
  dae_summary summary;
  dae__arena *arena;
  dae__columns columns;
  dae__monitor monitor;
  dae__events *events;
  dae_integrator *it;
  const void *options; /* of the method: those of the plan, or its defaults */
  double *y, *dy;      /* extended state vector and derivative of the state vector */
  dae__text moves;     /* values that actions have moved */
  double t;            /* time up to which the run is completed */
  double last_row;     /* time of the last row */
  bool unverified;     /* rows are not kept for a comparison with a second run */
  long planned;        /* index of the next row at an output time of the plan */
  double *stops;       /* stops of the plan */
  int stop_count, stop_capacity;
  int next_stop;      /* index of the next one */
  double stops_known; /* time up to which they are known */
  bool held_changed;  /* held values have changed since the stops were found */
  dae__verify verify;
  dae__trust_facts trust;
  /* the step in progress */
  dae__stage stage;
  dae_view view;        /* its integrator's view */
  bool due;             /* no step was taken: a time event is at the end of the last one */
  double t_found;       /* time of the event found */
  void *events_before;  /* state of the events before their last search */
  bool searched_before; /* it is that of the step in progress */
  double reached;       /* time of the last advance, within the step; r->t: none */
  double *state;        /* extended state vector there */
  bool read;            /* it is known */
  void *unread;         /* state of the integrator while it is read */
  /* progress of the run */
  bool opened;       /* sinks are open, the first row is written */
  bool broken;       /* a step failed: the run can be finished only */
  bool between;      /* the run was interrupted between two steps, and can be advanced on */
  dae_status status; /* of the last step */
  dae_error error;   /* of the last failure */
  bool running;      /* a call advances the run */
  double seconds;    /* CPU time before it */
  clock_t begin;     /* its beginning */
};

/* Allocates the memory of a run; the only failure is a lack of it. */
dae_status dae__simulation_allocate(const dae_run_plan *plan, const dae_env *env,
                                    dae_simulation **out, dae_error *err);
/* Checks the plan, creates columns, monitor and events, a consistent start and the integrator. */
dae_status dae__simulation_start(dae_simulation *r, dae_error *err);
/* Writes the held values behind the state vector r->y. */
void dae__simulation_extend(dae_simulation *r);
/* Finds the times between from and to at which steps end without an event. */
dae_status dae__simulation_find_stops(dae_simulation *r, double from, double to, dae_error *err);
/* Memory for `count` stops. */
dae_status dae__simulation_stop_memory(dae_simulation *r, int count, dae_error *err);

/* The status of a failure: that of a callback which had no memory for a tape made late is
 * DAE_ERROR_MEMORY, recorded in err. */
dae_status dae__simulation_cause(const dae_simulation *r, dae_status status, dae_error *err);
/* Records and returns DAE_ERROR_INTERRUPTED. */
dae_status dae__simulation_interrupted(double t, dae_error *err);
/* Writes a row. */
dae_status dae__simulation_write_row(dae_simulation *r, double t, const double *y, dae_error *err);
/* Writes rows up to t, within the last step: rows at the output times of the plan, except the end
 * time; or, in a plan without output times, rows after r->t for the sinks that request them. If the
 * dense output of a requested row fails the run continues without it, as it would without this
 * sink. */
dae_status dae__simulation_rows_until(dae_simulation *r, double t, dae_error *err);
/* Reports the last step, up to its event if it had one, to the sinks that request steps. */
dae_status dae__simulation_record_step(const dae_simulation *r, dae_error *err);

/* Lets the events list the moved values in the summary, whose list has a length so far. */
void dae__simulation_list_moves(dae_simulation *r, size_t length);
/* CPU time of the run so far. */
double dae__simulation_seconds(const dae_simulation *r);

#endif
