/* The summary as text, in several files. */
#ifndef DAEDAL_OUTPUT_SUMMARY_H
#define DAEDAL_OUTPUT_SUMMARY_H

#include "output/text.h"
#include <daedal/run.h>

#define LABEL "  %-12s " /* format of the subject at the beginning of a line */
#define INDENT "               "

/* Adds where the results come from: {"version": ..., "build": ..., "model": {"pendulum.dae":
 * SHA-256}, "set": {"L": "2"}, ..., "options": {"rtol": "1e-06"}}. */
void dae__provenance_json(dae__text *text, const dae_summary *s);

/* Adds what the option `damp` removed, from where, and whether it would have mattered to the slow
 * motion. */
void dae__summary_add_damping(dae__text *t, const dae_summary *s);

/* Why `damp` has kept an oscillation with the period d->kept. */
const char *dae__damping_kept(const dae_damping *d);

#endif
