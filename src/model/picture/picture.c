/* The picture of a motion: the shapes of the draw statements, else an automatic picture, as one
 * tape of the time and the state vector. */
#include "model/picture/picture.h"

#include "model/space/space.h"
#include <math.h>

/* ---- the drawing of a model ---- */

/* The tape of a picture, and the number of its values. */
typedef struct picture_tape {
  dae__result_tape result;
  int values;
} picture_tape;

static int picture_eval(void *user, double t, const double *y, double *values)
{
  const picture_tape *p = user;
  if (dae__result_run(&p->result, t, y, NULL, values))
    return -1;
  for (int i = 0; i < p->values; i++)
    if (!isfinite(values[i]))
      return 1;
  return 0;
}

/* Vertical of the first view: against gravity, where no camera gives another one. */
static void picture_find_vertical(dae__expander *x, dae_camera *camera)
{
  const dae__statement *gravity = x->instances.item[0].gravity;
  if (x->picture.camera_place > 0 || !gravity)
    return;
  dae__context c = dae__context_of(x, 0);
  dae__value g = dae__evaluate_value(&c, gravity->a);
  for (int k = 0; g.size == 3 && k < 3 && dae__load_ok(x->l); k++)
    camera->up[k] = 0.0 - dae__start_value(x, g.at[k], gravity->place);
}

/* Shapes of the draw statements, of the bodies, or of point masses and rods. */
static const dae__picture *picture_find(dae__binder *b, const dae__layout *layout,
                                        dae__picture *found, bool *guessed)
{
  dae__expander *x = b->x;
  *guessed = false;
  if (x->picture.shapes.count == 0 && !x->picture.bodies) {
    *guessed = !dae__picture_bodies(x, found);
    if (*guessed)
      dae__picture_points(b, layout, found);
    return found;
  }
  if (x->picture.bodies && dae__picture_in_space(x))
    dae__picture_raise(x);
  if (x->picture.bodies)
    dae__picture_bodies(x, &x->picture);
  return &x->picture;
}

dae_status dae__build_drawing(dae__binder *b, dae_model *model, const dae__layout *layout)
{
  dae__load *l = b->x->l;
  dae__picture found = {0};
  bool guessed;
  const dae__picture *picture = picture_find(b, layout, &found, &guessed);
  if (picture == &found && dae__bind_exceeded(b, NULL))
    /* a picture beyond the limits is left out, without an error */
    return dae__load_ok(l) ? DAE_OK : l->status;
  if (picture->shapes.count > 0) {
    dae__nodes values = {.item = picture->values.item, .count = picture->values.count};
    for (int i = 0; i < values.count && !l->status; i++)
      values.item[i] = dae__relative_reduced(b->x, values.item[i]);
    dae_camera camera = b->x->picture.camera;
    picture_find_vertical(b->x, &camera);
    picture_tape *p = DAE__ALLOC(b->arena, picture_tape, 1);
    if (!dae__bind_ok(b))
      return l->status;
    *p = (picture_tape){{dae__bind_vector_tape(b, "drawing", &values), layout->size}, values.count};
    model->drawing = (dae_drawing){.shapes = picture->shapes.count,
                                   .shape = picture->shapes.item,
                                   .values = values.count,
                                   .eval = picture_eval,
                                   .user = p,
                                   .guessed = guessed,
                                   .space = picture->space,
                                   .camera = camera};
  }
  dae__bind_ok(b);
  return l->status;
}

dae_drawing dae_model_drawing(const dae_model *model)
{
  return model->drawing;
}
