/* Members of mechanical parts: their callbacks against differences, their answers against the
 * coupled problem as a whole, their gains against differences of the answers. */
#include "augmented_fixture.h"
#include "problem/mechanical/motion.h"
#include "trio.h"
#include "wave/iteration/workers.h"

#include <stdatomic.h>

#define MAX 32
#define NOW 0.7

typedef struct held {
  int n;
  const double *in;
} held;

static int held_inputs(void *user, double t, double *in)
{
  const held *h = user;
  (void)t;
  memcpy(in, h->in, sizeof *in * (size_t)h->n);
  return 0;
}

/* ---- the trio at a consistent point ---- */

typedef struct point {
  trio t;
  double y[TRIO_SIZE], dy[TRIO_SIZE];
} point;

static void make_point(point *p, bool derivatives)
{
  make_trio(&p->t, derivatives);
  trio_state(&p->t, NOW, p->y, p->dy);
}

/* inputs of a member of the coupled problem at (y, dy) */
static void inputs_at(const dae_coupled *c, const dae__augmented *m, int part, const double *y,
                      const double *dy, double *in)
{
  for (int i = 0; i < c->wires; i++)
    if (c->wire[i].part == part)
      in[c->wire[i].input] = y[trio_first[c->wire[i].from.part] + c->wire[i].from.variable];
  for (int j = 0; j < c->joints; j++) {
    const dae_joint *joint = &c->joint[j];
    int first = joint_inputs(m, j), nz = joint->nz;
    for (int i = 0; first >= 0 && i < nz; i++) {
      int nq = c->part[joint->z[i].part].mechanical->nq;
      int q = trio_first[joint->z[i].part] + joint->z[i].variable;
      in[first + i] = y[q];
      in[first + nz + i] = y[q + nq];
      in[first + 2 * nz + joint->ng + i] = dy[q + nq];
    }
    for (int i = 0; first >= 0 && i < joint->ng; i++)
      in[first + 2 * nz + i] = y[trio_lambda[j] + i];
  }
}

static bool touches(const dae_coupled *c, int joint, int part)
{
  for (int i = 0; i < c->joint[joint].nz; i++)
    if (c->joint[joint].z[i].part == part)
      return true;
  return false;
}

/* ways to carry joints: bit j of which is joint j; false where the part does not touch one, or has
 * as many constraints of its own as the arm, which can carry one joint only */
static bool carry(const dae_coupled *c, int part, int which, bool *carried)
{
  if (part == ARM && which == 3)
    return false;
  for (int j = 0; j < JOINTS; j++) {
    carried[j] = which >> j & 1;
    if (carried[j] && !touches(c, j, part))
      return false;
  }
  return true;
}

/* what to do with each member there is */
typedef void each_fn(const point *p, int part, const bool *carried, dae__augmented *m);

static void for_each_member(each_fn *fn)
{
  point p;
  for (int derivatives = 0; derivatives < 2; derivatives++) {
    make_point(&p, derivatives);
    for (int part = 0; part < PARTS; part++)
      for (int which = 0; which < 1 << JOINTS; which++) {
        bool carried[JOINTS];
        if (!carry(&p.t.coupled, part, which, carried))
          continue;
        dae__augmented *m = augmented_of(&p.t.coupled, part, carried);
        fn(&p, part, carried, m);
        dae__augmented_free(m);
      }
  }
}

/* ---- callbacks ---- */

/* (f or F, s, c) of the member at the point (q, v, u, w) = z */
static void rhs(const dae_mechanical *p, const double *z, const double *in, double *out)
{
  dae_mechanical_at at = {NOW, z, z + p->nq, z + 2 * p->nq, z + 2 * p->nq + p->nu, in};
  assert_int_equal((p->f ? p->f : p->F)(p->user, &at, out), 0);
  if (p->s)
    assert_int_equal(p->s(p->user, &at, out + p->nq), 0);
  if (p->c)
    assert_int_equal(p->c(p->user, &at, out + p->nq + p->nu), 0);
}

/* differences of fourth order: what is differenced inside is good to about 1e-9 */
#define WIDTH 2e-3
static const double where[4] = {1, -1, 2, -2}, weight[4] = {8. / 12, -8. / 12, -1. / 12, 1. / 12};

/* column of d(f,s,c) by differences in x[j], z or in */
static void difference(const dae_mechanical *p, double *z, double *in, double *x, int j,
                       double *column)
{
  double moved[MAX], keep = x[j];
  int rows = p->nq + p->nu + p->nw;
  memset(column, 0, sizeof *column * (size_t)rows);
  for (int k = 0; k < 4; k++) {
    x[j] = keep + where[k] * WIDTH;
    rhs(p, z, in, moved);
    for (int i = 0; i < rows; i++)
      column[i] += weight[k] * moved[i] / WIDTH;
  }
  x[j] = keep;
}

/* a column of a matrix of derivatives near that by differences: the round-off of nested differences
 * is relative to the largest derivative, that of the others included */
static void assert_near_column(int rows, int cols, const double *A, int j, const double *column,
                               double tolerance)
{
  double largest = 0;
  for (int e = 0; e < rows * cols; e++)
    largest = fmax(largest, fabs(A[e]));
  for (int i = 0; i < rows; i++)
    if (!(fabs(A[i + rows * j] - column[i]) <= tolerance * (1 + largest)))
      fail_msg("column %d: %.12g is not near %.12g", j, A[i + rows * j], column[i]);
}

static void check_derivatives(const point *pt, int part, const bool *carried, dae__augmented *m)
{
  const dae_mechanical *p = m->problem.mechanical;
  int rows = p->nq + p->nu + p->nw, cols = 2 * p->nq + p->nu + p->nw;
  double z[MAX], in[MAX], values[MAX * MAX], A[MAX * MAX], column[MAX];
  bool any = carried[HOOK] || carried[RAIL];
  assert_int_equal(
      dae_problem_validate(&(dae_problem){.mechanical = p, .input = held_inputs}, NULL), DAE_OK);
  memcpy(z, pt->y + trio_first[part], sizeof *z * (size_t)cols);
  inputs_at(&pt->t.coupled, m, part, pt->y, pt->dy, in);
  dae_mechanical_at at = {NOW, z, z + p->nq, z + 2 * p->nq, z + 2 * p->nq + p->nu, in};
  assert_int_equal(p->J_in(p->user, &at, values), 0);
  spread(p->J_in_pattern, rows, p->nin, values, A);
  for (int j = 0; j < p->nin; j++) {
    difference(p, z, in, in, j, column);
    assert_near_column(rows, p->nin, A, j, column, 3e-6);
  }
  if (!p->J)
    return;
  assert_int_equal(p->J(p->user, &at, values), 0);
  spread(p->J_pattern, rows, cols, values, A);
  /* with a joint carried J leaves out derivatives of M, and of the arm's own constraints */
  int first = any && part != CART ? 2 * p->nq : 0;
  for (int j = first; j < cols; j++) {
    difference(p, z, in, z, j, column);
    assert_near_column(rows, cols, A, j, column, 3e-6);
  }
}

static void test_derivatives_of_members_are_those_of_their_callbacks(void **state)
{
  (void)state;
  for_each_member(check_derivatives);
}

/* ---- answers ---- */

static void check_answers(const point *pt, int part, const bool *carried, dae__augmented *m)
{
  const dae_mechanical *own = pt->t.part[part].mechanical;
  const double *y = pt->y + trio_first[part], *dy = pt->dy + trio_first[part];
  double in[MAX], value[MAX];
  dae__output answers[MAX];
  int count = 0, lambdas = 0;
  inputs_at(&pt->t.coupled, m, part, pt->y, pt->dy, in);
  for (int i = 0; i < own->nq; i++)
    answers[count++] = (dae__output){DAE__OUTPUT_ACCELERATION, i};
  for (int j = 0; j < JOINTS; j++) {
    int first = joint_inputs(m, j);
    assert_int_equal(first >= 0, touches(&pt->t.coupled, j, part));
    if (carried[j]) {
      in[first + 2 * pt->t.joint[j].nz] = 1e3; /* lambda is no input */
      answers[count++] = (dae__output){DAE__OUTPUT_MULTIPLIER, lambdas++};
    }
  }
  for (int i = 0; i < trio_size[part]; i++)
    answers[count++] = (dae__output){DAE__OUTPUT_VARIABLE, i};
  assert_int_equal(dae__augmented_outputs(m, NOW, y, in, count, answers, value, NULL, NULL),
                   DAE_OK);
  for (int i = 0; i < own->nq; i++)
    assert_close(value[i], dy[own->nq + i], 1e-8);
  for (int j = 0, n = own->nq; j < JOINTS; j++)
    if (carried[j])
      assert_close(value[n++], pt->y[trio_lambda[j]], 1e-8);
  for (int i = 0; i < trio_size[part]; i++)
    assert_true(value[count - trio_size[part] + i] == y[i]);
}

static void test_members_move_as_the_whole(void **state)
{
  (void)state;
  for_each_member(check_answers);
}

/* ---- gains ---- */

/* w of the arm, where the part has one */
static void solve_w(int part, double *y, const double *in)
{
  for (int i = 0; part == ARM && i < 50; i++)
    y[7] -= (y[7] + 0.1 * pow(y[7], 3) - y[3] * y[1] - in[0]) / (1 + 0.3 * y[7] * y[7]);
}

/* all answers; own multipliers by the acceleration of the member's problem */
static int all_answers(const dae_mechanical *own, int carried, int size, dae__output *answers)
{
  int count = 0;
  for (int i = 0; i < own->nq; i++)
    answers[count++] = (dae__output){DAE__OUTPUT_ACCELERATION, i};
  for (int i = 0; i < carried; i++)
    answers[count++] = (dae__output){DAE__OUTPUT_MULTIPLIER, i};
  for (int i = 0; i < size; i++)
    answers[count++] = (dae__output){DAE__OUTPUT_VARIABLE, i};
  return count;
}

static void answer_moved(dae__motion *motion, dae__augmented *m, int part, const double *y,
                         const double *in, held *h, int count, const dae__output *answers,
                         double *value)
{
  double moved[MAX], dy[MAX];
  memcpy(moved, y, sizeof *y * (size_t)trio_size[part]);
  solve_w(part, moved, in);
  h->in = in;
  assert_int_equal(dae__motion_accelerate(motion, NOW, moved, dy, NULL), DAE_OK);
  assert_int_equal(dae__augmented_outputs(m, NOW, moved, in, count, answers, value, NULL, NULL),
                   DAE_OK);
  for (int i = 0; i < motion->m->nq; i++)
    assert_close(value[i], dy[motion->m->nq + i], 1e-9);
  for (int i = 0; i < count; i++)
    if (answers[i].kind == DAE__OUTPUT_VARIABLE)
      value[i] = moved[answers[i].index]; /* own multipliers as accelerate has them */
}

static void check_gains(const point *pt, int part, const bool *carried, dae__augmented *m)
{
  const dae_mechanical *own = pt->t.part[part].mechanical;
  double in[MAX], value[MAX], D[MAX * MAX], column[MAX], y[MAX];
  dae__output answers[MAX];
  int inputs = m->inputs;
  int count = all_answers(own, carried[HOOK] + carried[RAIL], trio_size[part], answers);
  held h = {inputs, in};
  dae_problem problem = m->problem;
  problem.input = held_inputs;
  problem.input_user = &h;
  dae__mech *mech;
  dae__motion *motion;
  assert_int_equal(dae__mech_create(arena, &problem, &mech, NULL), DAE_OK);
  assert_int_equal(dae__motion_create(arena, mech, &motion, NULL), DAE_OK);
  memcpy(y, pt->y + trio_first[part], sizeof *y * (size_t)trio_size[part]);
  inputs_at(&pt->t.coupled, m, part, pt->y, pt->dy, in);
  assert_int_equal(dae__augmented_outputs(m, NOW, y, in, count, answers, value, D, NULL), DAE_OK);
  for (int j = 0; j < inputs; j++) {
    double keep = in[j];
    memset(column, 0, sizeof column);
    for (int k = 0; k < 4; k++) {
      in[j] = keep + where[k] * WIDTH;
      answer_moved(motion, m, part, y, in, &h, count, answers, value);
      for (int i = 0; i < count; i++)
        column[i] += weight[k] * value[i] / WIDTH;
    }
    in[j] = keep;
    assert_near_column(count, inputs, D, j, column, 3e-6);
  }
  dae__motion_free(motion);
}

static void test_gains_are_derivatives_of_answers(void **state)
{
  (void)state;
  for_each_member(check_gains);
}

/* ---- threads ---- */

/* a joint that notices when two are in it at once */
typedef struct crowd {
  dae_joint joint;
  atomic_int inside, most;
} crowd;

static int crowded_G(void *user, double t, const double *z, double *G)
{
  crowd *c = user;
  int inside = atomic_fetch_add(&c->inside, 1) + 1;
  if (inside > atomic_load(&c->most))
    atomic_store(&c->most, inside);
  for (int i = 0; i < 2000; i++) /* stay a while */
    c->joint.G(c->joint.user, t, z, G);
  atomic_fetch_sub(&c->inside, 1);
  return 0;
}

typedef struct team {
  dae__augmented *member[2];
  const point *p;
  double value[2];
  dae_status status[2];
} team;

static void ask(void *context, int i)
{
  team *t = context;
  double in[MAX];
  inputs_at(&t->p->t.coupled, t->member[i], i, t->p->y, t->p->dy, in);
  for (int k = 0; k < 20 && !t->status[i]; k++)
    t->status[i] = dae__augmented_outputs(t->member[i], NOW, t->p->y + trio_first[i], in, 1,
                                          accelerations, &t->value[i], NULL, NULL);
}

static void test_a_joint_is_called_by_one_thread_at_a_time(void **state)
{
  (void)state;
  point p;
  make_point(&p, true);
  crowd c = {.joint = p.t.joint[HOOK]};
  p.t.joint[HOOK].user = &c;
  p.t.joint[HOOK].G = crowded_G;
  p.t.joint[HOOK].Gts_z = NULL;
  dae__lock *locks[JOINTS];
  for (int j = 0; j < JOINTS; j++)
    assert_non_null(locks[j] = dae__lock_create(arena));
  team t = {.p = &p};
  for (int i = 0; i < 2; i++)
    assert_int_equal(dae__augmented_create(arena, &p.t.coupled, i,
                                           &(dae__augmented_options){.locks = locks}, &t.member[i],
                                           NULL),
                     DAE_OK);
  dae__workers *workers;
  assert_int_equal(dae__workers_create(NULL, 2, &workers, NULL), DAE_OK);
  dae__workers_run(workers, 2, ask, &t);
  dae__workers_free(workers);
  assert_int_equal(c.most, 1);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(t.status[i], DAE_OK);
    assert_close(t.value[i], p.dy[trio_first[i] + p.t.part[i].mechanical->nq], 1e-8);
    dae__augmented_free(t.member[i]);
  }
  for (int j = 0; j < JOINTS; j++)
    dae__lock_free(locks[j]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_derivatives_of_members_are_those_of_their_callbacks),
      TEST(test_members_move_as_the_whole),
      TEST(test_gains_are_derivatives_of_answers),
      TEST(test_a_joint_is_called_by_one_thread_at_a_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
