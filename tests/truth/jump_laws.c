/* Exact solutions by superposition (jumps of time), by trigonometric pieces between crossings
 * (jumps of position and velocity in an oscillator), and by single closed forms (one crossing). */
#include "jump_laws.h"

#include <math.h>
#include <stddef.h>

#define INTERVAL 0.7  /* of alternating jumps: longer than the gaps of the stages of a step */
#define DISTANCE 0.03 /* of two equal jumps */
#define PI 3.14159265358979323846

static const jump_kind kinds[] = {
    {"time-value", JUMP_OF_TIME, 0, JUMP_SINE, JUMP_ONCE, 4, {0.01, 1, 10}},
    {"time-slope", JUMP_OF_TIME, 1, JUMP_SINE, JUMP_ONCE, 4, {0.01, 1, 10}},
    {"time-curvature", JUMP_OF_TIME, 2, JUMP_SINE, JUMP_ONCE, 4, {0.1, 1, 10}},
    {"time-value-quiet", JUMP_OF_TIME, 0, JUMP_PARABOLA, JUMP_ONCE, 4, {0.01, 1, 10}},
    {"time-slope-quiet", JUMP_OF_TIME, 1, JUMP_PARABOLA, JUMP_ONCE, 4, {0.01, 1, 10}},
    {"time-curvature-quiet", JUMP_OF_TIME, 2, JUMP_PARABOLA, JUMP_ONCE, 4, {0.1, 1, 10}},
    {"time-value-many", JUMP_OF_TIME, 0, JUMP_SINE, JUMP_MANY, 8, {0.1, 3}},
    {"time-slope-many", JUMP_OF_TIME, 1, JUMP_SINE, JUMP_MANY, 8, {0.1, 3}},
    {"time-value-twice", JUMP_OF_TIME, 0, JUMP_SINE, JUMP_TWICE, 4, {0.1, 2}},
    {"time-slope-twice", JUMP_OF_TIME, 1, JUMP_SINE, JUMP_TWICE, 4, {0.1, 5}},
    {"position-value", JUMP_OF_POSITION, 0, JUMP_SINE, JUMP_ONCE, 8, {0.3, 2, -0.3, -5}},
    {"position-slope", JUMP_OF_POSITION, 1, JUMP_SINE, JUMP_ONCE, 8, {0.3, 10, 1000}},
    {"position-curvature", JUMP_OF_POSITION, 2, JUMP_LINE, JUMP_ONCE, 4, {0.1, 3}},
    {"velocity-value", JUMP_OF_VELOCITY, 0, JUMP_PARABOLA, JUMP_ONCE, 4, {0.1, 3, -0.5}},
    {"velocity-slope", JUMP_OF_VELOCITY, 1, JUMP_PARABOLA, JUMP_ONCE, 4, {0.5, 20}},
    {"velocity-curvature", JUMP_OF_VELOCITY, 2, JUMP_PARABOLA, JUMP_ONCE, 4, {0.5, 10}},
    {"friction", JUMP_OF_VELOCITY, 0, JUMP_COSINE, JUMP_ONCE, 8, {0.01, 0.05}},
};

const jump_kind *jump_kind_at(int i)
{
  return i < (int)(sizeof kinds / sizeof *kinds) ? &kinds[i] : NULL;
}

/* ---- smooth motion ---- */

static void jump_smooth(const jump_law *law, double t, double *s, double *v)
{
  double phase = t - JUMP_MIDDLE, r = 1 + law->size;
  switch (law->kind->base) {
  case JUMP_SINE:
    *s = sin(phase), *v = cos(phase);
    break;
  case JUMP_COSINE:
    *s = r * cos(phase) - law->size, *v = -r * sin(phase);
    break;
  case JUMP_PARABOLA:
    *s = t / 2 + t * t / 2, *v = 0.5 + t;
    break;
  case JUMP_LINE:
    *s = t / 2, *v = 0.5;
    break;
  }
}

static double jump_smooth_force(jump_base base, double s)
{
  switch (base) {
  case JUMP_PARABOLA:
    return 1;
  case JUMP_LINE:
    return 0;
  default:
    return -s;
  }
}

jump_law jump_law_at(const jump_kind *kind, double size, double place)
{
  jump_law law = {.kind = kind, .size = size, .place = place};
  jump_smooth(&law, place, &law.s, &law.v);
  return law;
}

jump_law jump_law_smooth(const jump_kind *kind, double size)
{
  double never = kind->base == JUMP_COSINE ? -INFINITY : INFINITY;
  return (jump_law){.kind = kind, .size = size, .place = INFINITY, .s = never, .v = never};
}

/* ---- forces ---- */

/* x^n/n! where x > 0 */
static double jump_ramp(int n, double x)
{
  if (x <= 0)
    return 0;
  return n == 0 ? 1 : n == 1 ? x : x * x / 2;
}

/* Sign and time of jump i of a series; false: there is none. */
static bool jump_of_series(const jump_law *law, int i, double *at, double *sign)
{
  bool many = law->kind->series == JUMP_MANY;
  *at = law->place + i * (many ? INTERVAL : DISTANCE);
  *sign = many && i % 2 ? -1 : 1;
  return many || i <= (law->kind->series == JUMP_TWICE);
}

static double jump_time_force(const jump_law *law, double t)
{
  double sum = 0, sign, at;
  for (int i = 0; jump_of_series(law, i, &at, &sign) && at <= t; i++)
    sum += sign * law->size * jump_ramp(law->kind->derivative, t - at);
  return sum;
}

static double jump_position_force(const jump_law *law, double s)
{
  double u = s - law->s;
  if (u <= 0)
    return 0;
  if (law->kind->derivative == 0)
    return law->size;
  if (law->kind->derivative == 1)
    return -law->size * u;
  double d = 1 + law->size * u * u * u; /* velocity law->v / d behind the jump */
  return -3 * law->size * law->v * law->v * u * u / (d * d * d);
}

static double jump_velocity_force(const jump_law *law, double v)
{
  double u = v - law->v;
  if (law->kind->base == JUMP_COSINE)
    return u > 0 ? -law->size : law->size; /* friction */
  if (u <= 0)
    return 0;
  return law->kind->derivative == 0   ? law->size
         : law->kind->derivative == 1 ? -law->size * u
                                      : -law->size * u * u;
}

double jump_force(const jump_law *law, double t, double s, double v)
{
  double a = jump_smooth_force(law->kind->base, s);
  switch (law->kind->of) {
  case JUMP_OF_TIME:
    return a + jump_time_force(law, t);
  case JUMP_OF_POSITION:
    return a + jump_position_force(law, s);
  default:
    return a + jump_velocity_force(law, v);
  }
}

/* ---- jumps of time: superposition ---- */

/* motion from rest under the force x^n/n! from time 0 on, of an oscillator of frequency 1 or freely
 */
static void jump_response(bool oscillator, int n, double x, double *s, double *v)
{
  static const double factorial[] = {1, 1, 2, 6, 24};
  double free_s = pow(x, n + 2) / factorial[n + 2], free_v = pow(x, n + 1) / factorial[n + 1];
  if (!oscillator)
    *s = free_s, *v = free_v;
  else if (n == 0)
    *s = 2 * sin(x / 2) * sin(x / 2), *v = sin(x);
  else if (n == 1)
    *s = x - sin(x), *v = 2 * sin(x / 2) * sin(x / 2);
  else
    *s = x * x / 2 - 2 * sin(x / 2) * sin(x / 2), *v = x - sin(x);
}

static void jump_exact_time(const jump_law *law, double t, double *s, double *v)
{
  double sign, at;
  jump_smooth(law, t, s, v);
  for (int i = 0; jump_of_series(law, i, &at, &sign) && at < t; i++) {
    double ds, dv;
    jump_response(law->kind->base == JUMP_SINE, law->kind->derivative, t - at, &ds, &dv);
    *s += sign * law->size * ds;
    *v += sign * law->size * dv;
  }
}

/* ---- jumps of position and velocity in an oscillator: pieces ---- */

/* s'' = c - w^2 s on one side of the jump */
typedef struct jump_piece {
  double w, c;
} jump_piece;

static jump_piece jump_piece_of(const jump_law *law, bool above)
{
  jump_piece piece = {1, 0};
  if (law->kind->of == JUMP_OF_VELOCITY)
    piece.c = above ? -law->size : law->size;
  else if (above && law->kind->derivative == 0)
    piece.c = law->size;
  else if (above)
    piece = (jump_piece){sqrt(1 + law->size), law->size * law->s};
  return piece;
}

static void jump_advance(jump_piece p, double x, double *s, double *v)
{
  double centre = p.c / (p.w * p.w), a = *s - centre, b = *v / p.w;
  *s = centre + a * cos(p.w * x) + b * sin(p.w * x);
  *v = p.w * (b * cos(p.w * x) - a * sin(p.w * x));
}

/* time until the position or velocity is again that of the jump; INFINITY: never */
static double jump_until(const jump_law *law, jump_piece p, double s, double v)
{
  double centre = p.c / (p.w * p.w), a = s - centre, b = v / p.w, r = hypot(a, b), x = INFINITY;
  double level = law->kind->of == JUMP_OF_POSITION ? law->s - centre : law->v / p.w;
  double phase = law->kind->of == JUMP_OF_POSITION ? atan2(b, a) : atan2(-a, b);
  if (fabs(level) >= r)
    return x;
  for (int side = -1; side <= 1; side += 2) {
    double angle = fmod(phase + side * acos(level / r), 2 * PI);
    for (angle -= 2 * PI; angle < 1e-9; angle += 2 * PI) /* a root at 0 is the jump itself */
      ;
    x = fmin(x, angle / p.w);
  }
  return x;
}

static bool jump_exact_pieces(const jump_law *law, double t, double *s, double *v)
{
  bool above = law->kind->of == JUMP_OF_POSITION ? law->v > 0 : false;
  double at = law->place;
  if (law->kind->of == JUMP_OF_POSITION && fabs(law->v) < 0.7)
    return false;
  *s = law->s, *v = law->v;
  for (;;) {
    jump_piece p = jump_piece_of(law, above), other = jump_piece_of(law, !above);
    double a = p.c - p.w * p.w * *s, b = other.c - other.w * other.w * *s;
    if (law->kind->of == JUMP_OF_VELOCITY && a * b <= 0)
      return false;
    double x = jump_until(law, p, *s, *v);
    jump_advance(p, fmin(x, t - at), s, v);
    if (x >= t - at)
      return true;
    at += x, above = !above;
  }
}

/* ---- jumps of position and velocity that are crossed once ---- */

/* x = (u + size u^4/4)/v: motion with the velocity v/(1 + size u^3) */
static void jump_exact_curved(const jump_law *law, double x, double *s, double *v)
{
  double u = law->v * x;
  for (int i = 0; i < 100; i++) {
    double cube = law->size * u * u * u, residual = u + cube * u / 4 - law->v * x;
    u -= residual / (1 + cube);
  }
  *s = law->s + u;
  *v = law->v / (1 + law->size * u * u * u);
}

/* u' = 1 + size, 1 - size u or 1 - size u^2 from u = 0, with u = s' - v */
static void jump_exact_velocity(const jump_law *law, double x, double *s, double *v)
{
  double c = law->size, u, integral;
  if (law->kind->derivative == 0) {
    u = (1 + c) * x, integral = (1 + c) * x * x / 2;
  } else if (law->kind->derivative == 1) {
    u = -expm1(-c * x) / c, integral = (x - u) / c;
  } else {
    double k = sqrt(c);
    u = tanh(k * x) / k, integral = (k * x + log1p(exp(-2 * k * x)) - log(2)) / c;
  }
  *s = law->s + law->v * x + integral;
  *v = law->v + u;
}

bool jump_exact(const jump_law *law, double t, double *s, double *v)
{
  const jump_kind *kind = law->kind;
  if (t <= law->place)
    jump_smooth(law, t, s, v);
  else if (kind->of == JUMP_OF_TIME)
    jump_exact_time(law, t, s, v);
  else if (kind->base == JUMP_SINE || kind->base == JUMP_COSINE)
    return jump_exact_pieces(law, t, s, v);
  else if (kind->of == JUMP_OF_POSITION)
    jump_exact_curved(law, t - law->place, s, v);
  else
    jump_exact_velocity(law, t - law->place, s, v);
  return true;
}
