/* Statements of the picture: draw and camera. A point is a vector, (E, E) or (E, E, E), or the name
 * of one; whether it lies in the plane or in space is known when it is evaluated. */
#include "model/text/parse.h"

void dae__parser_string(dae__parser *p, dae__statement *s)
{
  if (!dae__parser_at(p, DAE__TOKEN_STRING))
    return;
  s->text = dae__parser_text(p);
  dae__parser_advance(p);
}

/* Parses a point; NULL after an error. */
static dae__expr *draw_point(dae__parser *p)
{
  bool list = p->points;
  if (dae__token_ends_statement(p->at.kind))
    dae__parser_unexpected(p, "a point: (E, E), in space (E, E, E), or the name of a vector");
  p->points = true; /* P (E, E) are two points */
  dae__expr *point = p->l->status ? NULL : dae__parser_expression(p);
  p->points = list;
  if (point && point->kind == DAE__EXPR_NUMBER)
    dae__load_fail(p->l, point->place, "a point needs brackets and two coordinates: (E, E)");
  return p->l->status ? NULL : point;
}

/* Parses the radius of a circle or sphere, and the axis of a circle. */
static void draw_radius(dae__parser *p, dae__statement *s)
{
  bool sphere = s->shape == DAE_SHAPE_SPHERE;
  if (dae__parser_accept_word(p, "radius"))
    s->a = dae__parser_expression(p);
  else
    dae__parser_unexpected(p, sphere ? "radius: draw sphere (E,E,E) radius E"
                                     : "radius: draw circle (E,E) radius E");
  if (!sphere && dae__parser_accept_word(p, "axis"))
    s->b = dae__parser_expression(p);
}

/* Parses points up to the last one, with `to` between them where wanted. */
static void draw_points(dae__parser *p, dae__statement *s, const char *word, int least, int most)
{
  dae__expr *first = NULL, **last = &first;
  int count = 0;
  do {
    *last = draw_point(p);
    if (!*last)
      break;
    last = &(*last)->next;
    count++;
    if (count != most)
      dae__parser_accept_word(p, "to");
  } while (count != most && !dae__token_ends_statement(p->at.kind) &&
           p->at.kind != DAE__TOKEN_STRING);
  s->point = first;
  if (!p->l->status && count < least)
    dae__load_fail(p->l, s->place, "a %s needs at least two points: draw %s (E,E) (E,E)", word,
                   word);
}

/* ---- shapes on bodies ---- */

static dae__clause *draw_clause(dae__parser *p, dae__clause ***last)
{
  dae__clause *c = DAE__NEW(p->l->scratch, dae__clause);
  if (!dae__load_ok(p->l))
    return NULL;
  c->word = dae__parser_text(p);
  c->place = p->at.place;
  dae__parser_advance(p);
  c->a = dae__parser_expression(p);
  **last = c;
  *last = &c->next;
  return c;
}

/* Parses `on B`, `at P`, `turned A about V` after the size of a shape. */
static void draw_on_body(dae__parser *p, dae__statement *s)
{
  dae__clause **last = &s->clause, *c;
  bool at = false;
  if (!dae__parser_at_word(p, "on"))
    dae__parser_unexpected(p, "on and a body: draw box (a, b, c) on B");
  if (p->l->status || !draw_clause(p, &last))
    return;
  while (!p->l->status) {
    if (dae__parser_at_word(p, "turned")) {
      c = draw_clause(p, &last);
      if (!p->l->status && !dae__parser_accept_word(p, "about"))
        dae__parser_unexpected(p, "about: turned A about (x, y, z)");
      if (!p->l->status)
        c->b = dae__parser_expression(p);
    } else if (dae__parser_at_word(p, "at") && !at) {
      at = true;
      draw_clause(p, &last);
    } else {
      return;
    }
  }
}

/* Parses the size of a shape, then its body, or for a sphere the radius beside a point. */
static void draw_solid(dae__parser *p, dae__statement *s)
{
  bool points = p->points;
  p->points = true;
  s->a = dae__parser_expression(p);
  p->points = points;
  if (s->shape == DAE_SHAPE_CYLINDER && !p->l->status) {
    if (dae__parser_accept_word(p, "length"))
      s->b = dae__parser_expression(p);
    else
      dae__parser_unexpected(p, "length: draw cylinder R length H on B");
  }
  if (s->shape == DAE_SHAPE_SPHERE && !dae__parser_at_word(p, "on")) {
    s->point = s->a;
    s->a = NULL;
    if (!p->l->status)
      draw_radius(p, s);
  } else if (!p->l->status) {
    draw_on_body(p, s);
  }
}

/* ---- statements ---- */

void dae__parser_draw(dae__parser *p, dae__statement *s)
{
  static const struct {
    const char *word;
    dae_shape_kind kind;
    int least, most; /* number of points; most = 0: any number */
  } shapes[] = {{"line", DAE_SHAPE_LINE, 2, 0},         {"point", DAE_SHAPE_POINT, 1, 1},
                {"circle", DAE_SHAPE_CIRCLE, 1, 1},     {"spring", DAE_SHAPE_SPRING, 2, 2},
                {"sphere", DAE_SHAPE_SPHERE, 0, 0},     {"box", DAE_SHAPE_BOX, 0, 0},
                {"cylinder", DAE_SHAPE_CYLINDER, 0, 0}, {"ellipsoid", DAE_SHAPE_ELLIPSOID, 0, 0}};
  const int count = sizeof shapes / sizeof *shapes;
  int k = 0;
  s->bodies = dae__parser_accept_word(p, "bodies");
  if (s->bodies)
    return;
  while (k < count && !dae__parser_at_word(p, shapes[k].word))
    k++;
  if (k == count) {
    dae__parser_unexpected(
        p, "line, point, circle, sphere, spring, box, cylinder, ellipsoid or bodies");
    return;
  }
  s->shape = shapes[k].kind;
  dae__parser_advance(p);
  if (shapes[k].least == 0)
    draw_solid(p, s);
  else
    draw_points(p, s, shapes[k].word, shapes[k].least, shapes[k].most);
  if (!p->l->status && s->shape == DAE_SHAPE_CIRCLE)
    draw_radius(p, s);
  dae__parser_string(p, s);
}

void dae__parser_camera(dae__parser *p, dae__statement *s)
{
  static const char *const words[] = {"from", "to", "up"};
  dae__expr *first = NULL, **last = &first;
  for (int i = 0; i < 3 && !p->l->status; i++) {
    if (!dae__parser_accept_word(p, words[i])) {
      if (i < 2)
        dae__parser_unexpected(p, "to: camera from (E,E,E) to (E,E,E)");
      break;
    }
    *last = draw_point(p);
    if (*last)
      last = &(*last)->next;
  }
  s->point = first;
}
