/* Native code in accounts for machines. */
#ifndef DAEDAL_OUTPUT_NATIVE_H
#define DAEDAL_OUTPUT_NATIVE_H

#include "output/text.h"
#include <daedal/native.h>

/* An object, or null where everything is interpreted. */
void dae__native_json(dae__text *text, const dae_native *native);

#endif
