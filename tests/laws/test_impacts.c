/* Laws of impacts of random constrained mechanisms with 1 to 4 contacts: constraints, unilateral
 * conditions, cones of friction, and energy that does not grow. Everything is recomputed from M, A,
 * N, J and the velocities before and after; impulses follow from the momentum balance. */
#include "linalg/nnls.h"
#include "problem/impact.h"
#include "support.h"

#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NQ = 9, NG = 4, CONTACTS = 4, LAWS = DAE__IMPACT_PLASTIC_SMOOTH + 1, FACETS = 8 };
enum { ROWS = NQ + CONTACTS, UNKNOWNS = CONTACTS * (FACETS + 1) + 2 * NG };

/* A mechanism with constant M and A: q'' is not needed here, and the constraint A q = 0. */
typedef struct mechanism {
  int nq, ng;
  double M[NQ * NQ], A[NG * NQ];
} mechanism;

static unsigned long long seed = 88172645463325252ull;

/* Uniform in (-1, 1). */
static double draw(void)
{
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static int mass(void *user, const dae_mechanical_at *at, double *M)
{
  const mechanism *s = user;
  (void)at;
  memcpy(M, s->M, sizeof(double) * (size_t)(s->nq * s->nq));
  return 0;
}

static int force(void *user, const dae_mechanical_at *at, double *f)
{
  (void)at;
  for (int i = 0; i < ((const mechanism *)user)->nq; i++)
    f[i] = 0;
  return 0;
}

static int constraint(void *user, const dae_mechanical_at *at, double *g)
{
  const mechanism *s = user;
  for (int i = 0; i < s->ng; i++) {
    g[i] = 0;
    for (int j = 0; j < s->nq; j++)
      g[i] += s->A[j * s->ng + i] * at->q[j];
  }
  return 0;
}

static int jacobian(void *user, const dae_mechanical_at *at, double *G)
{
  const mechanism *s = user;
  (void)at;
  memcpy(G, s->A, sizeof(double) * (size_t)(s->nq * s->ng));
  return 0;
}

/* M = L L' + 0.1, masses over two decades. */
static void draw_mechanism(mechanism *s)
{
  double L[NQ][NQ] = {{0}};
  s->nq = 3 + (int)(3.49 * (1 + draw()));
  s->ng = (int)((double)(s->nq < NG + 2 ? s->nq - 2 : NG) * 0.49 * (1 + draw()) + 0.5);
  for (int i = 0; i < s->nq; i++) {
    for (int j = 0; j <= i; j++)
      L[i][j] = draw();
    double size = pow(10, draw());
    for (int j = 0; j <= i; j++)
      L[i][j] *= size;
  }
  for (int i = 0; i < s->nq; i++)
    for (int j = 0; j < s->nq; j++) {
      s->M[j * s->nq + i] = i == j ? 0.1 : 0;
      for (int k = 0; k < s->nq; k++)
        s->M[j * s->nq + i] += L[i][k] * L[j][k];
    }
  for (int k = 0; k < s->nq * s->ng; k++)
    s->A[k] = draw();
}

typedef struct scene {
  mechanism mechanism;
  dae_mechanical form;
  int contacts;
  dae__impact_contact contact[CONTACTS];
  double row[CONTACTS][3][2 * NQ + NG]; /* over the state vector */
  double y[2 * NQ + NG], v[NQ], impulse[CONTACTS];
} scene;

/* A random impact. slides: sliding coordinates of each contact; different: restitution differs from
 * contact to contact. Velocities before satisfy A v = 0 and close the first contact. */
static void draw_scene(scene *s, int slides, bool different)
{
  mechanism *m = &s->mechanism;
  draw_mechanism(m);
  int nq = m->nq;
  s->form = (dae_mechanical){.name = "random",
                             .nq = nq,
                             .ng = m->ng,
                             .user = m,
                             .M = mass,
                             .f = force,
                             .g = m->ng > 0 ? constraint : NULL,
                             .G = m->ng > 0 ? jacobian : NULL};
  s->contacts = 1 + (int)(1.99 * (1 + draw()));
  double e = fabs(draw());
  for (int i = 0; i < s->contacts; i++) {
    dae__impact_contact *c = &s->contact[i];
    *c = (dae__impact_contact){
        .name = "c", .slides = slides, .friction = slides > 0 ? fabs(draw()) : 0};
    c->restitution = different ? fabs(draw()) : e;
    memset(s->row[i], 0, sizeof s->row[i]);
    for (int r = 0; r <= slides; r++) {
      for (int j = 0; j < nq; j++)
        s->row[i][r][j] = draw();
      *(r == 0 ? &c->normal : &c->slide[r - 1]) = s->row[i][r];
    }
  }
  memset(s->y, 0, sizeof s->y);
  for (int j = 0; j < nq; j++)
    s->y[nq + j] = draw();
  dae_problem problem = dae_problem_mechanical(&s->form);
  dae_start start = {.y = s->y};
  assert_int_equal(dae_consistent_start(&problem, &start, NULL, s->y, NULL, NULL, NULL), DAE_OK);
  double speed = 0;
  for (int j = 0; j < nq; j++)
    speed += s->row[0][0][j] * s->y[nq + j];
  for (int j = 0; j < nq; j++) {
    s->y[nq + j] *= speed > 0 ? -1 : 1;
    s->v[j] = s->y[nq + j];
  }
}

static double product(int n, const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static double kinetic(const mechanism *m, const double *v)
{
  double T = 0;
  for (int i = 0; i < m->nq; i++)
    for (int j = 0; j < m->nq; j++)
      T += v[i] * m->M[j * m->nq + i] * v[j] / 2;
  return T;
}

/* Least squares by normal equations of [N', J', A'] x = M (v+ - v-): the residual of the momentum
 * balance, relative; the generalised impulses that act are in the span of the contacts and
 * constraints. */
static double unbalanced(const scene *s, const double *after)
{
  const mechanism *m = &s->mechanism;
  int nq = m->nq, n = 0;
  double B[3 * CONTACTS + NG][NQ], b[NQ], size = 0, rest = 0;
  for (int i = 0; i < s->contacts; i++)
    for (int r = 0; r <= s->contact[i].slides; r++)
      memcpy(B[n++], s->row[i][r], sizeof(double) * (size_t)nq);
  for (int i = 0; i < m->ng; i++, n++)
    for (int j = 0; j < nq; j++)
      B[n][j] = m->A[j * m->ng + i];
  for (int i = 0; i < nq; i++) {
    b[i] = 0;
    for (int j = 0; j < nq; j++)
      b[i] += m->M[j * nq + i] * (after[j] - s->v[j]);
    size = fmax(size, fabs(b[i]));
  }
  /* Gram-Schmidt, twice */
  for (int k = 0; k < n; k++) {
    double before = sqrt(product(nq, B[k], B[k]));
    for (int twice = 0; twice < 2; twice++)
      for (int l = 0; l < k; l++) {
        double c = product(nq, B[k], B[l]);
        for (int j = 0; j < nq; j++)
          B[k][j] -= c * B[l][j];
      }
    double left = sqrt(product(nq, B[k], B[k]));
    for (int j = 0; j < nq; j++)
      B[k][j] = left > 1e-9 * before ? B[k][j] / left : 0;
    double c = product(nq, B[k], b);
    for (int j = 0; j < nq; j++)
      b[j] -= c * B[k][j];
  }
  for (int j = 0; j < nq; j++)
    rest = fmax(rest, fabs(b[j]));
  return size > 0 ? rest / size : 0;
}

/* ---- infeasibility ---- */

/* Change of the velocities by a generalised impulse D: M x + A'y = D, A x = 0, by elimination with
 * row exchanges. */
static void comply(const mechanism *m, const double *D, double *x)
{
  int n = m->nq + m->ng;
  double S[NQ + NG][NQ + NG] = {{0}}, b[NQ + NG] = {0};
  for (int i = 0; i < m->nq; i++) {
    b[i] = D[i];
    for (int j = 0; j < m->nq; j++)
      S[i][j] = m->M[j * m->nq + i];
    for (int k = 0; k < m->ng; k++)
      S[i][m->nq + k] = S[m->nq + k][i] = m->A[i * m->ng + k];
  }
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      p = fabs(S[i][k]) > fabs(S[p][k]) ? i : p;
    for (int j = 0; j < n; j++) {
      double t = S[k][j];
      S[k][j] = S[p][j], S[p][j] = t;
    }
    double t = b[k];
    b[k] = b[p], b[p] = t;
    for (int i = k + 1; i < n; i++) {
      double l = S[i][k] / S[k][k];
      for (int j = k; j < n; j++)
        S[i][j] -= l * S[k][j];
      b[i] -= l * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      b[i] -= S[i][j] * b[j];
    b[i] /= S[i][i];
  }
  memcpy(x, b, sizeof(double) * (size_t)m->nq);
}

/* Whether impulses without friction open all contacts as restitution asks for: the least distance
 * of H x + b, x >= 0, from the nonnegative numbers by coordinate descent. Its rest is a certificate
 * by Farkas' lemma. */
static bool feasible(const scene *s)
{
  const mechanism *m = &s->mechanism;
  double H[CONTACTS][CONTACTS], b[CONTACTS], x[CONTACTS] = {0}, rest[CONTACTS], worst = 0;
  int k = s->contacts;
  for (int i = 0; i < k; i++) {
    const dae__impact_contact *c = &s->contact[i];
    double change[NQ];
    comply(m, c->normal, change);
    for (int r = 0; r < k; r++)
      H[r][i] = product(m->nq, s->contact[r].normal, change);
    double gone = product(m->nq, c->normal, s->v);
    b[i] = gone + c->restitution * fmin(gone, 0);
  }
  for (int round = 0; round < 200000; round++) {
    double moved = 0;
    for (int a = 0; a < k; a++) {
      double g = 0, h = 0;
      for (int r = 0; r < k; r++) {
        double w = b[r];
        for (int c = 0; c < k; c++)
          w += H[r][c] * x[c];
        rest[r] = fmin(w, 0);
        g += rest[r] * H[r][a];
        h += H[r][a] * H[r][a];
      }
      double to = h > 0 ? fmax(x[a] - g / h, 0) : 0;
      moved = fmax(moved, fabs(to - x[a]) * sqrt(h));
      x[a] = to;
    }
    if (moved < 1e-15)
      break;
  }
  for (int r = 0; r < k; r++)
    worst = fmax(worst, -rest[r]);
  return worst < 1e-8;
}

/* ---- friction ---- */

static dae__arena *memory;
static dae__nnls least;

/* |A x - b| of the least squares problem over x >= 0. */
static double distance(int m, int n, double (*A)[ROWS], const double *b)
{
  double flat[ROWS * UNKNOWNS], x[UNKNOWNS], rest = 0;
  for (int j = 0; j < n; j++)
    memcpy(flat + (size_t)(j * m), A[j], sizeof(double) * (size_t)m);
  dae__nnls_solve(&least, m, n, flat, b, x);
  for (int i = 0; i < m; i++) {
    double r = -b[i];
    for (int j = 0; j < n; j++)
      r += A[j][i] * x[j];
    rest = fmax(rest, fabs(r));
  }
  return rest;
}

/* Component k of facet f of a cone of friction: two directions along a line, eight in a plane. */
static double facet(int slides, int f, int k)
{
  const double pi = 3.14159265358979323846;
  return slides == 1 ? (f == 0 ? 1 : -1) : k == 0 ? cos(f * pi / 4) : sin(f * pi / 4);
}

/* Speed of sliding of contact i along a facet. */
static double sliding(const scene *s, int i, int f, const double *v)
{
  double along = 0;
  for (int k = 0; k < s->contact[i].slides; k++)
    along += facet(s->contact[i].slides, f, k) * product(s->mechanism.nq, s->row[i][1 + k], v);
  return along;
}

/* Largest distance of the change of momentum, less that by the normal impulses, from what impulses
 * of friction in their cones and of the constraints can give, relative. against: those of contacts
 * that slide stand against the sliding, on the border of the cone. */
static double outside_cones(const scene *s, const double *after, bool against)
{
  const mechanism *m = &s->mechanism;
  int nq = m->nq, rows = nq + s->contacts, n = 0;
  double A[UNKNOWNS][ROWS] = {{0}}, b[ROWS], momentum = 0, speed = sqrt(product(nq, s->v, s->v));
  for (int i = 0; i < nq; i++) {
    b[i] = 0;
    for (int j = 0; j < nq; j++)
      b[i] += m->M[j * nq + i] * (after[j] - s->v[j]);
    momentum = fmax(momentum, fabs(b[i]));
    for (int c = 0; c < s->contacts; c++)
      b[i] -= s->row[c][0][i] * s->impulse[c];
  }
  for (int c = 0; c < s->contacts; c++) {
    int slides = s->contact[c].slides, facets = slides == 1 ? 2 : FACETS;
    double fastest = 0;
    for (int f = 0; f < facets; f++)
      fastest = fmax(fastest, -sliding(s, c, f, after));
    bool moves = against && fastest > 1e-7 * speed;
    for (int f = 0; f < facets; f++) {
      if (moves && sliding(s, c, f, after) + fastest > 1e-7 * speed)
        continue;
      for (int j = 0; j < nq; j++)
        for (int k = 0; k < slides; k++)
          A[n][j] += facet(slides, f, k) * s->row[c][1 + k][j];
      A[n++][nq + c] = 1;
    }
    if (!moves)
      A[n++][nq + c] = 1; /* within the cone */
    b[nq + c] = s->contact[c].friction * s->impulse[c];
    momentum = fmax(momentum, s->impulse[c]);
  }
  for (int g = 0; g < 2 * m->ng; g++, n++)
    for (int j = 0; j < nq; j++)
      A[n][j] = (g % 2 ? -1 : 1) * m->A[j * m->ng + g / 2];
  return momentum > 0 ? distance(rows, n, A, b) / momentum : 0;
}

/* Whether the laws of restitution and of friction along one line have a solution with each contact
 * in a mode: 0 open, 1 sticks, 2 and 3 slides. Unknown are the impulses along the borders of the
 * cones and the speeds that may be positive; the rest of the least squares problem is a certificate
 * by Farkas' lemma. */
static bool solves(const scene *s, const int *mode)
{
  const mechanism *m = &s->mechanism;
  int rows = 0, n = 0, nq = m->nq;
  double A[UNKNOWNS][ROWS] = {{0}}, b[ROWS] = {0}, change[2 * CONTACTS][NQ];
  for (int i = 0; i < s->contacts; i++)
    for (int side = -1; side <= 1; side += 2) {
      bool acts = mode[i] == 1 || (mode[i] == 2 && side < 0) || (mode[i] == 3 && side > 0);
      double D[NQ];
      if (!acts)
        continue;
      for (int j = 0; j < nq; j++)
        D[j] = s->row[i][0][j] + side * s->contact[i].friction * s->row[i][1][j];
      comply(m, D, change[n++]);
    }
  int forces = n;
  for (int i = 0; i < s->contacts; i++)
    for (int r = 0; r <= (mode[i] > 0); r++, rows++) {
      double gone = product(nq, s->row[i][r], s->v);
      for (int k = 0; k < forces; k++)
        A[k][rows] = product(nq, s->row[i][r], change[k]);
      b[rows] = -gone - (r == 0 ? s->contact[i].restitution * fmin(gone, 0) : 0);
      bool free = r == 0 ? mode[i] == 0 : mode[i] > 1;
      if (free) /* opens; slides against the impulse of friction */
        A[n++][rows] = r == 0 || mode[i] == 2 ? -1 : 1;
    }
  return distance(rows, n, A, b) < 1e-8;
}

/* Whether any of the modes of the contacts obeys the laws. */
static bool feasible_with_friction(const scene *s)
{
  for (int all = 0; all < 1 << (2 * s->contacts); all++) {
    int mode[CONTACTS];
    for (int i = 0; i < s->contacts; i++)
      mode[i] = all >> (2 * i) & 3;
    if (solves(s, mode))
      return true;
  }
  return false;
}

typedef struct count {
  int law[LAWS], reduced, missed;
  double gain, drift, opening, balance, account, cone, against;
} count;

/* Solves the impact of a scene and checks its laws. */
static void check(scene *s, count *n)
{
  const mechanism *m = &s->mechanism;
  dae_problem problem = dae_problem_mechanical(&s->form);
  double gone[CONTACTS], left[CONTACTS];
  dae__impact_outcome out = {.impulse = s->impulse, .before = gone, .after = left};
  dae_error err;
  dae_status status = dae__impact(&problem, 0, s->y, s->contacts, s->contact, NULL, &out, &err);
  if (status)
    print_message("%s\n", err.text);
  assert_int_equal(status, DAE_OK);
  const double *v = s->y + m->nq;
  double before = kinetic(m, s->v), after = kinetic(m, v), size = sqrt(before);
  n->law[out.law]++;
  n->missed += out.law != DAE__IMPACT_AS_GIVEN && s->contact[0].slides == 0 && feasible(s);
  if (out.law != DAE__IMPACT_AS_GIVEN && s->contact[0].slides == 1)
    n->missed += feasible_with_friction(s);
  n->reduced += out.reduced < 1;
  n->gain = fmax(n->gain, (after - before) / before);
  double off = fabs(before - after - out.lost) / before;
  n->account = fmax(n->account, off);
  for (int i = 0; i < m->ng; i++) {
    double drift = 0;
    for (int j = 0; j < m->nq; j++)
      drift += m->A[j * m->ng + i] * v[j];
    n->drift = fmax(n->drift, fabs(drift) / size);
  }
  bool plastic = out.law == DAE__IMPACT_PLASTIC || out.law == DAE__IMPACT_PLASTIC_SMOOTH;
  for (int i = 0; i < s->contacts; i++) {
    const dae__impact_contact *c = &s->contact[i];
    double closing = product(m->nq, c->normal, s->v), comes = product(m->nq, c->normal, v);
    assert_true(fabs(closing - gone[i]) + fabs(comes - left[i]) <= 1e-12 * size * 100);
    double e = plastic ? 0 : c->restitution * out.reduced;
    double opening = comes + e * fmin(closing, 0), p = s->impulse[i];
    double change[NQ]; /* a gap rate is at most sqrt(2 T H_nn) */
    comply(m, c->normal, change);
    double most = size * sqrt(2 * product(m->nq, c->normal, change));
    n->opening = fmax(n->opening, -opening / fmax(most, size));
    assert_true(p >= 0);
    /* complementarity; of a combination of two answers both are complementary, not their mean */
    if (out.reduced == 1)
      assert_true(fmin(p, fabs(opening)) <= 1e-9 * fmax(size, p));
  }
  n->balance = fmax(n->balance, unbalanced(s, v));
  bool rubs = s->contact[0].slides > 0 && out.law <= DAE__IMPACT_PLASTIC;
  if (rubs)
    n->cone = fmax(n->cone, outside_cones(s, v, false));
  if (rubs && out.reduced == 1)
    n->against = fmax(n->against, outside_cones(s, v, true));
}

static void check_family(int slides, bool different, int number, count *n)
{
  static scene s;
  *n = (count){.gain = 0};
  for (int i = 0; i < number; i++) {
    draw_scene(&s, slides, different);
    check(&s, n);
  }
  print_message(
      "slides %d, %s e: as given %d, plastic %d, frictionless %d, both %d, feasible "
      "among these %d, reduced %d; gain %.1e, "
      "constraints %.1e, opening %.1e, balance %.1e, cones %.1e, against the sliding %.1e, "
      "loss %.1e\n",
      slides, different ? "different" : "equal", n->law[0], n->law[1], n->law[2], n->law[3],
      n->missed, n->reduced, n->gain, n->drift, n->opening, n->balance, n->cone, n->against,
      n->account);
  /* with friction there are few problems whose answer the complementarity problem does not show */
  assert_true(n->missed <= (slides == 0 ? 0 : (number - n->law[0]) / 50));
  assert_true(n->gain <= 1e-13);
  assert_true(n->account <= 1e-12);
  assert_true(n->drift <= 1e-12);
  /* of 20000 draws the worst rows depend on each other but for 1e-7 */
  assert_true(n->opening <= 1e-8);
  assert_true(n->balance <= 1e-8);
  assert_true(n->cone <= 1e-8);
  assert_true(n->against <= 1e-6);
}

static void test_impacts_keep_constraints_and_gain_no_energy(void **state)
{
  int number = getenv("DAEDAL_LONG") ? 20000 : 2500;
  count n;
  (void)state;
  memory = dae__arena_create(NULL);
  dae__nnls_create(memory, ROWS, UNKNOWNS, &least);
  check_family(0, false, number, &n);
  check_family(0, true, number, &n);
  check_family(1, true, number, &n);
  assert_true(n.law[DAE__IMPACT_AS_GIVEN] > 0.85 * number);
  check_family(2, true, number, &n);
  assert_true(n.law[DAE__IMPACT_AS_GIVEN] > 0.85 * number);
  dae__arena_free(memory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_impacts_keep_constraints_and_gain_no_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
