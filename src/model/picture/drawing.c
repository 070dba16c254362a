/* The picture of a motion: the shapes of the draw statements, or else those that guess.c makes up,
 * as one tape over the time and the state vector. */
#include "model/picture/guess.h"
#include <math.h>

/* What the callback works with. */
typedef struct picture {
  dae__tape *tape;
  int values;
} picture;

static int drawing_eval(void *user, double t, const double *y, double *values)
{
  const picture *p = user;
  const double *in[DAE__CLASSES] = {[DAE__CLASS_T] = &t, [DAE__CLASS_Q] = y};
  if (!dae__tape_run(p->tape, in, &values))
    return -1;
  for (int i = 0; i < p->values; i++)
    if (!isfinite(values[i]))
      return 1;
  return 0;
}

static void drawing_build(dae__binder *b, dae_model *model, const dae__sketch *sketch)
{
  dae__outputs out = {0};
  picture *p = DAE__ALLOC(b->arena, picture, 1);
  for (int i = 0; i < sketch->values.count; i++)
    *DAE__PUSH(b->x->l->scratch, &out) = (dae__tape_output){0, i, sketch->values.item[i]};
  if (!dae__bind_ok(b))
    return;
  *p = (picture){dae__bind_tape(b, "drawing", &out, 1, NULL), out.count};
  model->drawing = (dae_drawing){.shapes = sketch->shapes.count,
                                 .shape = sketch->shapes.item,
                                 .values = out.count,
                                 .eval = drawing_eval,
                                 .user = p};
}

dae_status dae__build_drawing(dae__binder *b, dae_model *model, const dae__units *units)
{
  dae__load *l = b->x->l;
  dae__sketch guessed = {0};
  bool written = b->x->sketch.shapes.count > 0;
  if (!written)
    dae__guess(b, units, &guessed);
  if (!written && !dae__bind_fits(b))
    return dae__load_ok(l) ? DAE_OK : l->status; /* a model is not refused for a guess */
  if (written || guessed.shapes.count > 0)
    drawing_build(b, model, written ? &b->x->sketch : &guessed);
  model->drawing.guessed = !written && guessed.shapes.count > 0;
  dae__bind_ok(b);
  return l->status;
}

dae_drawing dae_model_drawing(const dae_model *model)
{
  return model->drawing;
}
