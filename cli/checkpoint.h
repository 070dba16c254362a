/* Checkpoints of runs of the command: what they are of, when they are written, how they are
 * resumed.
 *
 * A checkpoint holds the folder in which the run was begun, where its problem comes from (hashes of
 * the model text, values set from outside), method and options, and the words of its command line.
 * A resumed run is the run of these words, from the saved state. */
#ifndef DAEDAL_CLI_CHECKPOINT_H
#define DAEDAL_CLI_CHECKPOINT_H

#include "cli.h"

typedef struct cli_checkpoint {
  char *path;     /* file of the checkpoints, absolute; NULL: none are written */
  double every;   /* seconds between them */
  double written; /* wall time of the last one */
  double next;    /* wall time at which the next one may be due */
  double spent;   /* CPU time that it took */
  double worked;  /* CPU time of the process at its end */
  char *about;    /* what they are of */
  size_t about_bytes;
  void *state; /* memory of the saved run */
  size_t room;
  bool failing; /* the last one could not be written */
} cli_checkpoint;

/* Reads --checkpoint and --checkpoint-every; a file that is no checkpoint is not replaced. */
dae_status cli_checkpoint_begin(const cli_arguments *args, cli_checkpoint *out, dae_error *err);
/* Prepares what the checkpoints of a plan are of. */
dae_status cli_checkpoint_describe(cli_checkpoint *c, const cli_arguments *args,
                                   const dae_run_plan *plan, dae_error *err);
/* Writes a checkpoint now. */
dae_status cli_checkpoint_write(cli_checkpoint *c, dae_simulation *run, dae_error *err);
/* Writes one if it is time, or `now`. A failure is a note: the run goes on, and the last checkpoint
 * stays. */
void cli_checkpoint_tick(cli_checkpoint *c, dae_simulation *run, bool now);
/* Frees the memory; `complete`: removes the checkpoints of a run that needs them no more. */
void cli_checkpoint_end(cli_checkpoint *c, bool complete);

/* A checkpoint that is resumed. */
typedef struct cli_resumed {
  dae_checkpoint file;
  char *path;         /* absolute name of the file */
  const char *folder; /* in which the run was begun */
  const char *origin; /* what it is of */
  char **words;       /* command line behind `daedal run` */
  int count;
} cli_resumed;

/* Reads a checkpoint and enters its folder. Free with cli_resumed_free, also after a failure. */
dae_status cli_resumed_read(const char *path, cli_resumed *out, dae_error *err);
void cli_resumed_free(cli_resumed *resumed);
/* Refuses the checkpoint of another model, method or options than those of the run. */
dae_status cli_resumed_check(const cli_resumed *resumed, const cli_checkpoint *now, dae_error *err);

#endif
