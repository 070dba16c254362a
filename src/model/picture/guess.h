/* A picture for a model without draw statements. */
#ifndef DAEDAL_MODEL_PICTURE_GUESS_H
#define DAEDAL_MODEL_PICTURE_GUESS_H

#include "model/model.h"

/* Fills in shapes and values, none where nothing is recognised. Writes nodes to the graph, and is
 * of no use if that passes a limit (dae__bind_fits). */
void dae__guess(dae__binder *b, const dae__units *units, dae__sketch *out);

#endif
