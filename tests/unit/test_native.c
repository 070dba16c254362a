/* Native code gives the bits of the interpreter: on random expressions with all operators, on tapes
 * of one function and of several, and on every tape of the examples. */
#include "model/graph/walk.h"
#include "model/model.h"
#include "model/tape/tape_code.h"

#include "expressions.h"
#include "native_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ENTRIES = 2000 }; /* of the arrays of inputs, and of outputs */

/* Tapes that are compiled together, as those of a model are. */
typedef struct bundle {
  dae_model model;
  dae__pool *pool;
  double *in[DAE__CLASSES], *out[2][16];
} bundle;

static bundle *bundle_create(void)
{
  bundle *b = calloc(1, sizeof *b);
  b->pool = dae__pool_create(NULL);
  b->model.name = "bundle";
  b->model.arena = dae__arena_create(NULL);
  b->model.tapes = DAE__NEW(b->pool, dae__tape_set);
  for (int i = 0; i < DAE__CLASSES; i++) {
    b->in[i] = malloc(ENTRIES * sizeof(double));
    for (int k = 0; k < ENTRIES; k++) {
      double real = draw_real(-2, 2); /* of each class: draws sin(atan(NaN)) */
      b->in[i][k] = i == DAE__CLASS_D ? k % 2 : real;
    }
  }
  for (int way = 0; way < 2; way++)
    for (int i = 0; i < 16; i++)
      b->out[way][i] = malloc(ENTRIES * sizeof(double));
  return b;
}

static void bundle_free(bundle *b)
{
  dae__native_unload(&b->model);
  dae__arena_free(b->model.arena);
  dae__pool_free(b->pool);
  for (int i = 0; i < DAE__CLASSES; i++)
    free(b->in[i]);
  for (int way = 0; way < 2; way++)
    for (int i = 0; i < 16; i++)
      free(b->out[way][i]);
  free(b);
}

static void add(bundle *b, dae__tape *tape)
{
  assert_non_null(tape);
  *DAE__PUSH(b->pool, &b->model.tapes->notes) =
      (dae__tape_note){.tape = tape, .system = "bundle", .what = "a tape", .native = true};
}

static void run(bundle *b, dae__tape *tape, int way)
{
  for (int i = 0; i < 16; i++)
    for (int k = 0; k < ENTRIES; k++)
      b->out[way][i][k] = 7;
  dae__tape_run(tape, (const double *const *)b->in, b->out[way]);
}

/* NaNs are the same whatever their bits */
static bool same(const double *a, const double *b)
{
  for (int k = 0; k < ENTRIES; k++)
    if (memcmp(&a[k], &b[k], sizeof *a) != 0 && !(isnan(a[k]) && isnan(b[k])))
      return false;
  return true;
}

/* All tapes in native code and by the interpreter, on the same inputs. */
static void check(bundle *b)
{
  native_fixture f = native_fixture_create();
  dae_native_options options = native_fixture_options(&f);
  dae_error err;
  int whole = 0;
  if (dae_model_compile(&b->model, &options, &err) < 0)
    fail_msg("%s", err.text);
  for (int i = 0; i < b->model.tapes->notes.count; i++) {
    dae__tape *tape = b->model.tapes->notes.item[i].tape;
    dae__tape interpreted = *tape;
    interpreted.native = NULL;
    interpreted.whole = false;
    assert_non_null(tape->native);
    run(b, tape, 0);
    run(b, &interpreted, 1);
    for (int group = 0; group < 16; group++)
      if (!same(b->out[0][group], b->out[1][group]))
        fail_msg("tape %d of %s, %s: group %d", i, b->model.tapes->notes.item[i].system,
                 b->model.tapes->notes.item[i].what, group);
    whole += tape->whole;
  }
  assert_true(whole > 0);
  native_fixture_free(&f);
}

/* ---- random expressions ---- */

static dae__tape *tape_of(bundle *b, const dae__graph *g, int outputs, const dae__node *node,
                          const int *zeroed)
{
  dae__tape_output *output = malloc((size_t)outputs * sizeof *output);
  static const dae__tape_input input[LEAVES] = {{0, 0}, {1, 3}, {1, 4}, {-1, 0}, {6, 2}};
  for (int i = 0; i < outputs; i++)
    output[i] = (dae__tape_output){i % 3, 2 * (i / 3) + 1, node[i]};
  dae__tape *tape = dae__tape_create(b->model.arena, &(dae__tape_plan){.graph = g,
                                                                       .input = input,
                                                                       .output = output,
                                                                       .outputs = outputs,
                                                                       .classes = DAE__CLASSES,
                                                                       .groups = 3,
                                                                       .zeroed = zeroed});
  free(output);
  return tape;
}

/* a gradient beside its functions, and all nodes of the graph as outputs */
static void add_random(bundle *b, int size)
{
  static const unsigned char kind[LEAVES] = {1, 1, 1, 1, 1};
  static const int zeroed[] = {6, 0, 300};
  dae__graph *g = dae__graph_create(NULL, 1000000);
  dae__walker *walker = dae__walker_create(g, NULL);
  dae__node root[2 + LEAVES] = {random_expression(g, size), random_expression(g, size)};
  dae__gradient gradient = dae__gradient_of(walker, root[1], (dae__kinds){kind, 1});
  for (int i = 0; i < gradient.count; i++)
    root[2 + i] = gradient.value[i];
  add(b, tape_of(b, g, 2 + gradient.count, root, zeroed));
  int count = g->count;
  dae__node *node = malloc((size_t)count * sizeof *node);
  for (int i = 0; i < count; i++)
    node[i] = count - 1 - i;
  add(b, tape_of(b, g, count, node, NULL));
  free(node);
  dae__walker_free(walker);
  dae__graph_free(g);
}

static void test_random_expressions_give_the_same_bits(void **state)
{
  (void)state;
  bundle *b = bundle_create();
  for (int i = 0; i < 20; i++)
    add_random(b, 30);
  check(b);
  bundle_free(b);
}

/* Far more instructions than a function has: values, and inputs, pass from part to part. */
static void test_long_tapes_give_the_same_bits(void **state)
{
  (void)state;
  bundle *b = bundle_create();
  int longest = 0;
  add_random(b, 10);
  for (int size = 300; size <= 600; size += 300)
    add_random(b, size);
  for (int i = 0; i < b->model.tapes->notes.count; i++)
    if (b->model.tapes->notes.item[i].tape->length > longest)
      longest = b->model.tapes->notes.item[i].tape->length;
  assert_true(longest > 1000);
  check(b);
  bundle_free(b);
}

/* ---- the examples ---- */

enum { MOST_MODELS = 100, LARGE = 500 };

static void test_every_tape_of_the_examples_gives_the_same_bits(void **state)
{
  (void)state;
  bundle *b = bundle_create();
  dae_model *model[MOST_MODELS];
  int models = 0, large = 0;
  DIR *folder = opendir(MODELS);
  assert_non_null(folder);
  for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
    char path[1024];
    const char *end = strrchr(e->d_name, '.');
    if (!end || strcmp(end, ".dae") != 0)
      continue;
    assert_true(models < MOST_MODELS);
    snprintf(path, sizeof path, MODELS "/%s", e->d_name);
    dae_error err;
    if (dae_model_load(path, NULL, NULL, &model[models], &err) < 0)
      fail_msg("%s", err.text);
    dae_model *m = model[models++];
    assert_true(dae__tapes_compile(m->tapes, dae__arena_env(m->arena)));
    large += m->tapes->instructions > LARGE; /* they would take the compiler long */
    for (int i = 0; i < m->tapes->notes.count && m->tapes->instructions <= LARGE; i++)
      add(b, m->tapes->notes.item[i].tape);
  }
  closedir(folder);
  assert_true(models - large > 30);
  check(b);
  bundle_free(b); /* before the tapes */
  for (int i = 0; i < models; i++)
    dae_model_free(model[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_expressions_give_the_same_bits),
      cmocka_unit_test(test_long_tapes_give_the_same_bits),
      cmocka_unit_test(test_every_tape_of_the_examples_gives_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
