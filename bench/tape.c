/* Tapes against code an expert would write by hand: the car axis,
 *
 *   f = (L0 - l) p / l for two springs p, l = |p|, and gravity,   g, G = dg/dq,
 *
 * in one function, and df/dq and d(G' lambda)/dq in another. Both are called in turns, with points
 * that change from call to call; times are the least over many rounds. Calls may be independent of
 * each other, so that the processor works on several at a time, or each may need the result of the
 * one before, as in an integrator.
 *
 * Then instructions without a pattern, which the processor cannot foresee, and the making of large
 * graphs and tapes. */
#include "measure.h"
#include "model/graph/walk.h"
#include "model/tape/tape_code.h"

#include <limits.h>
#include <string.h>

#define L 1.0
#define L0 0.5
#define R 0.1
#define W 10.0
#define K (10 * 0.01 * 0.01 / 2)
#define GRAVITY 1.0

enum { POINTS = 64, CALLS = 20000, ROUNDS = 60 };

typedef struct point {
  double t, q[4], lambda[2];
} point;

typedef struct forces {
  double f[4], g[2], G[8]; /* matrices by columns */
} forces;

typedef struct slopes {
  double df[16], dGl[16];
} slopes;

/* ---- by hand ---- */

static void forces_by_hand(const point *at, forces *to)
{
  double xl = at->q[0], yl = at->q[1], xr = at->q[2], yr = at->q[3];
  double yb = R * sin(W * at->t), xb = sqrt(L * L - yb * yb);
  double dx = xr - xb, dy = yr - yb, ex = xl - xr, ey = yl - yr;
  double Ll = sqrt(xl * xl + yl * yl), Lr = sqrt(dx * dx + dy * dy);
  double left = (L0 - Ll) / Ll, right = (L0 - Lr) / Lr;
  to->f[0] = left * xl;
  to->f[1] = left * yl - K * GRAVITY;
  to->f[2] = right * dx;
  to->f[3] = right * dy - K * GRAVITY;
  to->g[0] = xl * xb + yl * yb;
  to->g[1] = ex * ex + ey * ey - L * L;
  to->G[0] = xb;
  to->G[1] = 2 * ex;
  to->G[2] = yb;
  to->G[3] = 2 * ey;
  to->G[4] = 0;
  to->G[5] = -2 * ex;
  to->G[6] = 0;
  to->G[7] = -2 * ey;
}

/* d((L0 - l) p / l)/dp = (L0/l - 1) I - L0/l^3 p p', as a block of a 4x4 matrix */
static inline void spring_by_hand(double x, double y, double *block)
{
  double ll = x * x + y * y, a = L0 / sqrt(ll), c = a / ll;
  block[0] = a - 1 - c * x * x;
  block[1] = block[4] = -c * x * y;
  block[5] = a - 1 - c * y * y;
}

static void slopes_by_hand(const point *at, slopes *to)
{
  double yb = R * sin(W * at->t), xb = sqrt(L * L - yb * yb), twice = 2 * at->lambda[1];
  memset(to, 0, sizeof *to);
  spring_by_hand(at->q[0], at->q[1], to->df);
  spring_by_hand(at->q[2] - xb, at->q[3] - yb, to->df + 10);
  for (int i = 0; i < 4; i++)
    to->dGl[5 * i] = twice;
  to->dGl[2] = to->dGl[7] = to->dGl[8] = to->dGl[13] = -twice;
}

/* ---- by tapes ---- */

enum { T, Q, LAMBDA = Q + 4, LEAVES = LAMBDA + 2 };
enum { KIND_Q = 1 };
static const unsigned char kind[LEAVES] = {0, KIND_Q, KIND_Q, KIND_Q, KIND_Q, 0, 0};

typedef struct car {
  dae__node f[4], g[2], G[8], Gl[4];
} car;

#define ADD(a, b) DAE__ADD(graph, (a), (b))
#define SUB(a, b) DAE__SUB(graph, (a), (b))
#define MUL(a, b) DAE__MUL(graph, (a), (b))
#define DIV(a, b) DAE__DIV(graph, (a), (b))
#define C(value) dae__constant(graph, (value))
#define FN(name, a) dae__unary(graph, DAE__OP_##name, (a))
#define SQUARE(a) dae__powi(graph, (a), 2)

/* f and g as the problem states them */
static car car_of(dae__graph *graph)
{
  dae__node x[LEAVES];
  for (int i = 0; i < LEAVES; i++)
    x[i] = dae__leaf(graph, i);
  dae__node xl = x[Q], yl = x[Q + 1], xr = x[Q + 2], yr = x[Q + 3];
  dae__node yb = MUL(C(R), FN(SIN, MUL(C(W), x[T])));
  dae__node xb = FN(SQRT, SUB(C(L * L), SQUARE(yb)));
  dae__node dx = SUB(xr, xb), dy = SUB(yr, yb);
  dae__node Ll = FN(SQRT, ADD(SQUARE(xl), SQUARE(yl)));
  dae__node Lr = FN(SQRT, ADD(SQUARE(dx), SQUARE(dy)));
  dae__node left = SUB(C(L0), Ll), right = SUB(C(L0), Lr), weight = C(K * GRAVITY);
  car c = {.f = {DIV(MUL(left, xl), Ll), SUB(DIV(MUL(left, yl), Ll), weight),
                 DIV(MUL(right, dx), Lr), SUB(DIV(MUL(right, dy), Lr), weight)},
           .g = {ADD(MUL(xl, xb), MUL(yl, yb)),
                 SUB(ADD(SQUARE(SUB(xl, xr)), SQUARE(SUB(yl, yr))), C(L * L))}};
  return c;
}

/* matrix (rows by 4, by columns) of derivatives by q */
static void differentiate(dae__walker *walker, int rows, const dae__node *f, dae__node *matrix)
{
  memset(matrix, 0, (size_t)(4 * rows) * sizeof *matrix);
  for (int i = 0; i < rows; i++) {
    dae__gradient row = dae__gradient_of(walker, f[i], (dae__kinds){kind, KIND_Q});
    for (int j = 0; j < row.count; j++)
      matrix[(row.leaf[j] - Q) * rows + i] = row.value[j];
  }
}

static int append(dae__tape_output *output, int count, int group, int entries,
                  const dae__node *node)
{
  for (int i = 0; i < entries; i++)
    output[count++] = (dae__tape_output){group, i, node[i]};
  return count;
}

typedef struct tapes {
  dae__tape *forces, *slopes;
} tapes;

static dae__tape_input input_of(int leaf)
{
  return leaf == T       ? (dae__tape_input){0, 0}
         : leaf < LAMBDA ? (dae__tape_input){1, leaf - Q}
                         : (dae__tape_input){2, leaf - LAMBDA};
}

static tapes compile(dae__arena *arena, dae__graph *graph, dae__walker *walker)
{
  car c = car_of(graph);
  dae__node df[16], dGl[16];
  differentiate(walker, 2, c.g, c.G);
  differentiate(walker, 4, c.f, df);
  for (int j = 0; j < 4; j++)
    c.Gl[j] = ADD(MUL(c.G[2 * j], dae__leaf(graph, LAMBDA)),
                  MUL(c.G[2 * j + 1], dae__leaf(graph, LAMBDA + 1)));
  differentiate(walker, 4, c.Gl, dGl);
  dae__tape_input input[LEAVES];
  for (int i = 0; i < LEAVES; i++)
    input[i] = input_of(i);
  dae__tape_output output[32];
  int count = append(output, 0, 0, 4, c.f);
  count = append(output, count, 1, 2, c.g);
  count = append(output, count, 2, 8, c.G);
  tapes made = {0};
  made.forces = dae__tape_create(arena, &(dae__tape_plan){graph, input, output, count, 3, 3,
                                                          (int[]){0, 0, 8}, NULL, false, NULL});
  count = append(output, 0, 0, 16, df);
  count = append(output, count, 1, 16, dGl);
  made.slopes = dae__tape_create(arena, &(dae__tape_plan){graph, input, output, count, 3, 2,
                                                          (int[]){16, 16}, NULL, false, NULL});
  return made;
}

static void forces_by_tape(dae__tape *tape, const point *at, forces *to)
{
  const double *in[] = {&at->t, at->q, at->lambda};
  dae__tape_run(tape, in, (double *[]){to->f, to->g, to->G});
}

static void slopes_by_tape(dae__tape *tape, const point *at, slopes *to)
{
  const double *in[] = {&at->t, at->q, at->lambda};
  dae__tape_run(tape, in, (double *[]){to->df, to->dGl});
}

/* ---- measurement ---- */

static void draw_points(point *at)
{
  for (int i = 0; i < POINTS; i++)
    at[i] = (point){0.1 * i,
                    {0.05 * sin(i), 0.5 + 0.01 * cos(i), 1 + 0.05 * sin(2. * i), 0.4 + 0.001 * i},
                    {-0.005 + 1e-5 * i, -0.001 - 1e-5 * i}};
}

static double largest_difference(const double *a, const double *b, size_t count)
{
  double largest = 0;
  for (size_t i = 0; i < count; i++)
    largest = fmax(largest, fabs(a[i] - b[i]) / (1 + fabs(b[i])));
  return largest;
}

/* The calls go through pointers the compiler cannot see through. */
typedef struct contest {
  void (*volatile forces_by_hand)(const point *, forces *);
  void (*volatile slopes_by_hand)(const point *, slopes *);
  tapes tape;
  point at[POINTS];
  double result; /* of the last call */
} contest;

enum { FORCES_HAND, FORCES_TAPE, SLOPES_HAND, SLOPES_TAPE, CONTESTANTS };

static double call(const contest *c, int who, const point *at, int i)
{
  forces F;
  slopes S;
  if (who == FORCES_HAND)
    c->forces_by_hand(at, &F);
  else if (who == FORCES_TAPE)
    forces_by_tape(c->tape.forces, at, &F);
  else if (who == SLOPES_HAND)
    c->slopes_by_hand(at, &S);
  else
    slopes_by_tape(c->tape.slopes, at, &S);
  return who < SLOPES_HAND ? F.f[i % 4] + F.G[i % 8] : S.df[i % 16] + S.dGl[i % 16];
}

/* seconds per call; `weight` of the result before enters the point: 0, or too little to matter */
static double time_of(contest *c, int who, double weight)
{
  double start = bench_now(), sum = 0;
  for (int i = 0; i < CALLS; i++) {
    point at = c->at[i % POINTS];
    if (weight != 0) {
      double moved = weight * c->result;
      at.t += moved;
      at.q[0] += moved;
      at.q[2] += moved;
    }
    c->result = call(c, who, &at, i);
    sum += c->result;
  }
  c->result = sum / CALLS;
  return (bench_now() - start) / CALLS;
}

static void check_agreement(contest *c)
{
  double worst = 0;
  for (int i = 0; i < POINTS; i++) {
    forces F, Ft;
    slopes S, St;
    c->forces_by_hand(&c->at[i], &F);
    c->slopes_by_hand(&c->at[i], &S);
    forces_by_tape(c->tape.forces, &c->at[i], &Ft);
    slopes_by_tape(c->tape.slopes, &c->at[i], &St);
    worst = fmax(worst, largest_difference(Ft.f, F.f, 4));
    worst = fmax(worst, largest_difference(Ft.g, F.g, 2));
    worst = fmax(worst, largest_difference(Ft.G, F.G, 8));
    worst = fmax(worst, largest_difference(St.df, S.df, 16));
    worst = fmax(worst, largest_difference(St.dGl, S.dGl, 16));
  }
  if (!(worst < 1e-13)) {
    fprintf(stderr, "tape and hand-written code differ by %g\n", worst);
    exit(1);
  }
}

static void print_contest(contest *c, const char *title, double weight)
{
  double least[CONTESTANTS] = {INFINITY, INFINITY, INFINITY, INFINITY};
  for (int round = 0; round < ROUNDS; round++)
    for (int who = 0; who < CONTESTANTS; who++)
      least[who] = fmin(least[who], time_of(c, who, weight));
  dae__tape *tape[] = {c->tape.forces, c->tape.slopes};
  printf("%-18s by hand    by tape   ratio  instructions  registers\n", title);
  for (int i = 0; i < 2; i++)
    printf("%-16s %7.1f ns %7.1f ns %7.2f %13d %10d\n", i ? "df/dq, d(G'l)/dq" : "f, g, G",
           1e9 * least[2 * i], 1e9 * least[2 * i + 1], least[2 * i + 1] / least[2 * i],
           tape[i]->length, tape[i]->registers);
  double hand = least[FORCES_HAND] + least[SLOPES_HAND];
  double by_tape = least[FORCES_TAPE] + least[SLOPES_TAPE];
  printf("%-16s %7.1f ns %7.1f ns %7.2f\n\n", "both", 1e9 * hand, 1e9 * by_tape, by_tape / hand);
}

/* ---- size ---- */

/* A large model under construction. Leaf i is in[0][i], output i goes to out[0][i]. */
typedef struct model {
  dae__graph *graph;
  dae__arena *arena;
  int leaves, outputs;
  dae__tape_input *input;
  dae__tape_output *output;
  double *x, *y;
} model;

static model model_create(int leaves, int most_outputs)
{
  model m = {.graph = dae__graph_create(NULL, INT_MAX), .leaves = leaves};
  m.arena = dae__arena_create(NULL);
  m.input = DAE__ALLOC(m.arena, dae__tape_input, leaves);
  m.output = DAE__ALLOC(m.arena, dae__tape_output, most_outputs);
  m.x = DAE__ALLOC(m.arena, double, leaves);
  m.y = DAE__ALLOC(m.arena, double, most_outputs);
  for (int i = 0; i < leaves; i++) {
    m.input[i] = (dae__tape_input){0, i};
    m.x[i] = 1 + 0.1 * sin(i);
  }
  return m;
}

static void model_free(model *m)
{
  dae__arena_free(m->arena);
  dae__graph_free(m->graph);
}

static void add_output(model *m, dae__node node)
{
  m->output[m->outputs] = (dae__tape_output){0, m->outputs, node};
  m->outputs++;
}

/* compiles and runs */
static void print_tape(model *m)
{
  double start = bench_now();
  dae__tape *tape =
      dae__tape_create(m->arena, &(dae__tape_plan){m->graph, m->input, m->output, m->outputs, 1, 1,
                                                   NULL, NULL, false, NULL});
  double made = bench_now() - start, least = INFINITY;
  const double *in[] = {m->x};
  for (int round = 0; round < 10; round++) {
    int runs = 1 + 1000000 / (1 + tape->length);
    start = bench_now();
    for (int i = 0; i < runs; i++)
      dae__tape_run(tape, in, &m->y);
    least = fmin(least, (bench_now() - start) / runs);
  }
  printf("%9d outputs, %8d instructions, %7d registers, compiled in %.3f s, %5.2f ns each\n",
         m->outputs, tape->length, tape->registers, made, 1e9 * least / tape->length);
}

/* n links (a, b) - (c, d) of a chain, all of the same form, and their gradients */
static void print_chain(int n)
{
  model m = model_create(2 * n + 2, 5 * n);
  dae__graph *graph = m.graph;
  dae__walker *walker = dae__walker_create(graph, NULL);
  dae__node *length = DAE__ALLOC(m.arena, dae__node, n);
  unsigned char *meant = DAE__ALLOC(m.arena, unsigned char, m.leaves);
  memset(meant, 1, (size_t)m.leaves);
  double start = bench_now();
  for (int i = 0; i < n; i++) {
    dae__node a = dae__leaf(graph, 2 * i), b = dae__leaf(graph, 2 * i + 1);
    dae__node c = dae__leaf(graph, 2 * i + 2), d = dae__leaf(graph, 2 * i + 3);
    length[i] = ADD(FN(SQRT, ADD(SQUARE(SUB(c, a)), SQUARE(SUB(d, b)))), MUL(MUL(a, b), MUL(c, d)));
  }
  double built = bench_now();
  for (int i = 0; i < n; i++) {
    add_output(&m, length[i]);
    dae__gradient row = dae__gradient_of(walker, length[i], (dae__kinds){meant, 1});
    for (int j = 0; j < row.count; j++)
      add_output(&m, row.value[j]);
  }
  printf("%d links: %.3f s, gradients %.3f s, %d nodes\n", n, built - start, bench_now() - built,
         graph->count);
  print_tape(&m);
  dae__walker_free(walker);
  model_free(&m);
}

static unsigned draw(unsigned below)
{
  static unsigned long long seed = 88172645463325252u;
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (unsigned)(seed >> 33) % below;
}

/* n expressions of eight random operators, each different */
static void print_random(int n)
{
  static const dae__op ops[] = {DAE__OP_ADD, DAE__OP_SUB, DAE__OP_MUL, DAE__OP_DIV,
                                DAE__OP_ADD, DAE__OP_MUL, DAE__OP_SUB, DAE__OP_MUL};
  model m = model_create(n / 5 + 20, n);
  dae__graph *graph = m.graph;
  for (int i = 0; i < n; i++) {
    dae__node part[12];
    for (unsigned j = 0; j < 4; j++)
      part[j] = dae__leaf(graph, i / 5 + (int)draw(20));
    for (unsigned j = 4; j < 12; j++) {
      dae__node a = part[j - 1 - draw(2)], b = draw(4) ? part[draw(j)] : C(1 + draw(5));
      part[j] = dae__binary(graph, ops[draw(8)], a, b);
    }
    add_output(&m, part[11]);
  }
  print_tape(&m);
  model_free(&m);
}

/* n distinct nodes, each made of the two before it */
static void print_building(int n)
{
  double start = bench_now();
  dae__graph *graph = dae__graph_create(NULL, INT_MAX);
  dae__node a = dae__leaf(graph, 0), b = dae__leaf(graph, 1);
  while (graph->count < n) {
    dae__node next = graph->count % 2 ? ADD(a, b) : MUL(a, b);
    a = b;
    b = next;
  }
  printf("%d nodes in %.2f s\n", graph->count, bench_now() - start);
  dae__graph_free(graph);
}

int main(void)
{
  dae__graph *graph = dae__graph_create(NULL, 1000000);
  dae__walker *walker = dae__walker_create(graph, NULL);
  dae__arena *arena = dae__arena_create(NULL);
  contest c = {.forces_by_hand = forces_by_hand, .slopes_by_hand = slopes_by_hand};
  c.tape = compile(arena, graph, walker);
  draw_points(c.at);
  check_agreement(&c);
  print_contest(&c, "car axis, apart", 0);
  print_contest(&c, "one after another", 1e-300);
  for (int n = 10; n <= 100000; n *= 10)
    print_random(n);
  print_chain(1000);
  print_chain(250000);
  print_building(10000000);
  dae__arena_free(arena);
  dae__walker_free(walker);
  dae__graph_free(graph);
  return isfinite(c.result) ? 0 : 1;
}
