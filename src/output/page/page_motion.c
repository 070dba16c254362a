/* Animated motions of a page. Values of a drawing are written as integers of 16 bits on scales of
 * their own for x, y, z, radii and rotations: finer than the pixels of a screen, in a quarter of
 * the size of doubles. */
#include "output/page/motion.h"

#include <math.h>

#define MOTION_STEPS 65534   /* integer at the upper end of a scale */
#define MOTION_MISSING 65535 /* integer for a missing value */

/* Role of the k-th value of a shape. */
static dae__motion_role page_motion_role(const dae_shape *shape, bool space, int k)
{
  int axes = space ? 3 : 2, coordinates = axes * shape->points;
  if (shape->kind >= DAE_SHAPE_BOX)
    return k < 3 ? (dae__motion_role)k : DAE__ROLE_TURN;
  if (k < coordinates)
    return (dae__motion_role)(k % axes);
  return k == coordinates ? DAE__ROLE_RADIUS : DAE__ROLE_TURN;
}

double dae__motion_reach(const dae_shape *shape, const dae_drawing *drawing, const double *value)
{
  const double *s = shape->size, *p = shape->place;
  double offset = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  switch (shape->kind) {
  case DAE_SHAPE_CIRCLE:
  case DAE_SHAPE_SPHERE:
    return fabs(value[drawing->space ? 3 : 2]);
  case DAE_SHAPE_BOX:
    return offset + sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) / 2;
  case DAE_SHAPE_CYLINDER:
    return offset + hypot(s[0], s[1] / 2);
  case DAE_SHAPE_ELLIPSOID:
    return offset + fmax(fabs(s[0]), fmax(fabs(s[1]), fabs(s[2])));
  default:
    return shape->kind > DAE_SHAPE_ELLIPSOID ? offset + fabs(s[0]) : 0.0;
  }
}

static void page_motion_include(dae__motion_scale *s, double value)
{
  if (!isfinite(value))
    return;
  s->first = fmin(s->first, value);
  s->last = fmax(s->last, value);
}

/* Finds scales that contain all shapes in all frames; a scale without values contains 0 only. */
static void page_motion_scales(dae__motion *m, const double *values, long frames)
{
  for (int i = 0; i < DAE__ROLES; i++)
    m->scale[i] = (dae__motion_scale){INFINITY, -INFINITY};
  for (long f = 0; f < frames; f++)
    for (int i = 0; i < m->drawing->shapes; i++) {
      const dae_shape *shape = &m->drawing->shape[i];
      const double *value = values + f * m->drawing->values + shape->first;
      double reach = dae__motion_reach(shape, m->drawing, value);
      for (int k = 0; k < dae_shape_values(shape, m->drawing->space); k++) {
        dae__motion_role role = page_motion_role(shape, m->drawing->space, k);
        double around = role < DAE__ROLE_RADIUS ? reach : 0.0;
        double of = role == DAE__ROLE_RADIUS ? fabs(value[k]) : value[k];
        page_motion_include(&m->scale[role], of - around);
        page_motion_include(&m->scale[role], of + around);
      }
    }
  for (int i = 0; i < DAE__ROLES; i++)
    if (!(m->scale[i].first <= m->scale[i].last))
      m->scale[i] = (dae__motion_scale){0.0, 0.0};
}

/* Assigns slots of a frame to the values of a shape: those of the drawing, which shapes share, or
 * where another shape gives one of them another role, further ones. */
static void page_motion_place(dae__motion *m, int i)
{
  const dae_shape *shape = &m->drawing->shape[i];
  int count = dae_shape_values(shape, m->drawing->space), first = shape->first;
  for (int k = 0; k < count; k++) {
    dae__motion_role role = page_motion_role(shape, m->drawing->space, k);
    if (m->role[first + k] != DAE__ROLES && m->role[first + k] != role)
      first = m->slots;
  }
  if (first == m->slots)
    m->slots += count;
  for (int k = 0; k < count; k++) {
    m->role[first + k] = page_motion_role(shape, m->drawing->space, k);
    m->source[first + k] = shape->first + k;
  }
  m->first[i] = first;
}

static bool page_motion_layout(dae__motion *m)
{
  const dae_drawing *d = m->drawing;
  dae__arena *arena = m->page->arena;
  int room = d->values;
  for (int i = 0; i < d->shapes; i++)
    room += dae_shape_values(&d->shape[i], d->space);
  m->role = DAE__ALLOC(arena, dae__motion_role, room);
  m->source = DAE__ALLOC(arena, int, room);
  m->first = DAE__ALLOC(arena, int, d->shapes);
  if (!m->role || !m->source || !m->first) {
    dae__page_fail(m->page, DAE_ERROR_MEMORY, "%s: no memory for the motion", m->page->path);
    return false;
  }
  for (int k = 0; k < room; k++)
    m->role[k] = DAE__ROLES;
  m->slots = d->values;
  for (int i = 0; i < d->shapes; i++)
    page_motion_place(m, i);
  return true;
}

/* Adds a value as an integer on its scale, computed with half ranges, because whole ranges may
 * overflow. */
static void page_motion_add(dae__base64 *out, dae__motion_scale s, double value)
{
  double width = s.last / 2 - s.first / 2;
  double share = width > 0.0 ? (value / 2 - s.first / 2) / width : 0.0;
  dae__base64_add(out, isfinite(value) ? (uint64_t)lround(share * MOTION_STEPS) : MOTION_MISSING,
                  2);
}

/* Writes the array of all values and returns its number in the page. */
static int page_motion_write_values(const dae__motion *m, const double *values, long frames)
{
  dae__base64 out;
  int id = dae__base64_begin(&out, m->page, "u2");
  for (long f = 0; f < frames; f++)
    for (int k = 0; k < m->slots; k++) {
      double value = m->role[k] < DAE__ROLES ? values[f * m->drawing->values + m->source[k]] : NAN;
      page_motion_add(&out, m->scale[m->role[k] % DAE__ROLES],
                      m->role[k] == DAE__ROLE_RADIUS ? fabs(value) : value);
    }
  dae__base64_end(&out);
  return id;
}

/* ---- description ---- */

/* Writes ,"name":[numbers] unless all are 0. */
static void page_motion_write_numbers(dae_page *page, const char *name, const double *number,
                                      int count)
{
  bool zero = true;
  for (int k = 0; k < count; k++)
    zero = zero && number[k] == 0.0;
  for (int k = 0; k < count && !zero; k++) {
    if (k == 0)
      dae__page_print(page, ",\"%s\":[", name);
    dae__page_number(page, number[k]);
    dae__page_put(page, k < count - 1 ? "," : "]");
  }
}

static void page_motion_write_shape(const dae__motion *m, int i)
{
  static const char *const kinds[] = {
      [DAE_SHAPE_LINE] = "line",         [DAE_SHAPE_POINT] = "point",
      [DAE_SHAPE_CIRCLE] = "circle",     [DAE_SHAPE_SPRING] = "spring",
      [DAE_SHAPE_SPHERE] = "sphere",     [DAE_SHAPE_BOX] = "box",
      [DAE_SHAPE_CYLINDER] = "cylinder", [DAE_SHAPE_ELLIPSOID] = "ellipsoid",
      [DAE_SHAPE_BALL] = "ball",         [DAE_SHAPE_HINGE] = "hinge",
      [DAE_SHAPE_SLIDER] = "slider"};
  const dae_shape *shape = &m->drawing->shape[i];
  dae__page_print(m->page, "%s{\"kind\":\"%s\",\"points\":%d,\"first\":%d", i > 0 ? "," : "",
                  kinds[shape->kind], shape->points, m->first[i]);
  if (shape->label) {
    dae__page_put(m->page, ",\"label\":");
    dae__page_json(m->page, shape->label);
  }
  if (shape->group > 0)
    dae__page_print(m->page, ",\"group\":%d", shape->group);
  page_motion_write_numbers(m->page, "size", shape->size, 3);
  page_motion_write_numbers(m->page, "place", shape->place, 3);
  page_motion_write_numbers(m->page, "turn", shape->turn, 4);
  dae__page_put(m->page, "}");
}

static void page_motion_write_scales(const dae__motion *m)
{
  char digits[256];
  size_t length = 0;
  dae__page_put(m->page, ",\"scales\":[");
  for (int i = 0; i < DAE__ROLES; i++) {
    dae__page_put(m->page, i > 0 ? ",[" : "[");
    dae__page_number(m->page, m->scale[i].first);
    dae__page_put(m->page, ",");
    dae__page_number(m->page, m->scale[i].last);
    dae__page_put(m->page, "]");
  }
  dae__page_put(m->page, "],\"roles\":\"");
  for (int k = 0; k < m->slots; k++) {
    digits[length++] = (char)('0' + (int)m->role[k] % DAE__ROLES);
    if (length == sizeof digits || k == m->slots - 1) {
      dae__page_write(m->page, digits, length);
      length = 0;
    }
  }
  dae__page_put(m->page, "\"");
}

static void page_motion_write_camera(const dae__motion *m)
{
  const dae_camera *c = &m->drawing->camera;
  dae__page_put(m->page, ",\"camera\":{\"space\":true");
  page_motion_write_numbers(m->page, "up", c->up, 3);
  if (c->from[0] != c->to[0] || c->from[1] != c->to[1] || c->from[2] != c->to[2]) {
    page_motion_write_numbers(m->page, "from", c->from, 3);
    page_motion_write_numbers(m->page, "to", c->to, 3);
  }
  dae__page_put(m->page, "}");
}

/* Error of a drawing; NULL: none. */
static const char *page_motion_mistake(const dae_drawing *drawing, long frames)
{
  if (frames < 1)
    return "a motion without frames";
  for (int i = 0; i < drawing->shapes; i++) {
    const dae_shape *s = &drawing->shape[i];
    if (s->kind < DAE_SHAPE_LINE || s->kind > DAE_SHAPE_SLIDER)
      return "a shape of no kind";
    if (s->kind >= DAE_SHAPE_SPHERE && !drawing->space)
      return "a shape of space in a drawing of the plane";
    bool wrong = s->points != 1 && s->kind != DAE_SHAPE_LINE && s->kind != DAE_SHAPE_SPRING;
    if (wrong || s->points < 1 || (s->kind == DAE_SHAPE_SPRING && s->points != 2))
      return "a shape has a wrong number of points";
    if (s->points > drawing->values || s->first < 0 ||
        s->first > drawing->values - dae_shape_values(s, drawing->space))
      return "a shape takes its place from values that the drawing does not have";
  }
  return NULL;
}

void dae_page_motion(dae_page *page, const dae_drawing *drawing, const double *times,
                     const double *values, long frames)
{
  if (drawing->shapes < 1)
    return;
  const char *mistake = page_motion_mistake(drawing, frames);
  dae__motion m = {.page = page, .drawing = drawing};
  if (mistake)
    dae__page_fail(page, DAE_ERROR_USAGE, "%s: %s", page->path, mistake);
  if (mistake || !page_motion_layout(&m))
    return;
  page_motion_scales(&m, values, frames);
  int time = dae__page_array_of(page, times, frames, DAE__EITHER);
  int positions = page_motion_write_values(&m, values, frames);
  dae__page_print(page,
                  "<figure class=\"motion\"><script type=\"application/json\">{\"frames\":%ld,"
                  "\"times\":%d,\"positions\":%d",
                  frames, time, positions);
  page_motion_write_scales(&m);
  if (drawing->space)
    page_motion_write_camera(&m);
  dae__page_put(page, ",\"shapes\":[");
  for (int i = 0; i < drawing->shapes; i++)
    page_motion_write_shape(&m, i);
  dae__page_put(page, "]}</script>");
  if (drawing->space)
    dae__motion_still(&m, values);
  if (drawing->guessed)
    dae__page_put(page, "<figcaption>Made up from masses and constraints: draw statements in the "
                        "model say what to show."
                        "</figcaption>");
  dae__page_put(page, "</figure>\n");
}
