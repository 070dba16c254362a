/* What a call of a table of 10,000 knots costs beside formulas written by hand: nanoseconds for one
 * call, by the interpreter and, with --jit, in native code. The argument of a call moves from one
 * evaluation to the next by a part of a knot (slow), by some knots (fast), or to any place
 * (random). Counts of instructions: valgrind --tool=callgrind bench_tables FORMULA ARGUMENT CALLS.
 */
#include "measure.h"

#include <daedal/daedal.h>
#include <daedal/model.h>
#include <string.h>

enum { KNOTS = 10000, CALLS = 64 };

/* Calls of f(x), as many outputs as CALLS, with x moved by a hundredth from one to the next. */
static const struct {
  const char *name, *formula;
} formulas[] = {{"none", "E"},
                {"sine", "0.02*sin(6.2*(E))"},
                {"polynomial", "0.1 + 0.3*(E) - 0.2*(E)^2 + 0.05*(E)^3"},
                {"wave", "0.02*sin(6.2*(E)) + 0.01*cos(1.7*(E))"},
                {"linear", "line(E)"},
                {"cubic", "spline(E)"},
                {"cubic, derivative", "spline(E)'"}};
enum { FORMULAS = sizeof formulas / sizeof *formulas };

static const char *const moves[] = {"slow", "fast", "random"};

static dae_model *load(const char *folder, const char *formula, bool jit)
{
  static char text[65536];
  char path[300];
  int length = snprintf(text, sizeof text,
                        "model calls\ntable line \"knots.csv\"\ntable spline \"knots.csv\" cubic\n"
                        "state x = 0\nx' = 1\n");
  for (int i = 0; i < CALLS; i++) {
    length += snprintf(text + length, sizeof text - (size_t)length, "output r%d = ", i);
    for (const char *p = formula; *p; p++)
      length += *p == 'E'
                    ? snprintf(text + length, sizeof text - (size_t)length, "x + %g", i / 100.)
                    : snprintf(text + length, sizeof text - (size_t)length, "%c", *p);
    length += snprintf(text + length, sizeof text - (size_t)length, "\n");
  }
  snprintf(path, sizeof path, "%s/calls.dae", folder);
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0)
    return NULL;
  dae_error err;
  dae_model *model = NULL;
  if (dae_model_load(path, NULL, NULL, &model, &err) ||
      (jit && dae_model_compile(model, NULL, &err)))
    fprintf(stderr, "%s\n", err.text);
  return model;
}

static double argument(int move, long i)
{
  static unsigned long seed = 1;
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return move == 0   ? fmod(1e-4 * (double)i, 99)
         : move == 1 ? fmod(0.037 * (double)i, 99)
                     : 99 * (double)(seed >> 40) / (double)(1u << 24);
}

/* Nanoseconds for one call, the least of five. */
static double measure(const dae_model *model, int move, long count)
{
  dae_run_plan plan = {.to = 1};
  double out[CALLS], least = INFINITY;
  dae_model_plan(model, &plan);
  for (int trial = 0; trial < 5; trial++) {
    double begin = bench_now();
    for (long i = 0; i < count; i++) {
      double x = argument(move, i);
      plan.output(plan.output_user, 0, &x, out);
    }
    least = fmin(least, bench_since(begin));
  }
  return least / (double)count / CALLS * 1e9;
}

static bool write_knots(const char *folder)
{
  char path[300];
  snprintf(path, sizeof path, "%s/knots.csv", folder);
  FILE *file = fopen(path, "w");
  for (int i = 0; file && i < KNOTS; i++)
    fprintf(file, "%.17g,%.17g\n", i * 0.01, 0.02 * sin(0.062 * i) + 0.001 * sin(i));
  return file && fclose(file) == 0;
}

int main(int argc, char **argv)
{
  char folder[] = "/tmp/daedal-bench-XXXXXX";
  bool jit = argc == 2 && strcmp(argv[1], "--jit") == 0;
  long count = argc == 4 ? atol(argv[3]) : 20000;
  if (!mkdtemp(folder) || !write_knots(folder))
    return 1;
  printf("%-20s %8s %8s %8s   ns for one call, less that of an output alone\n", "", moves[0],
         moves[1], moves[2]);
  double none[3] = {0};
  for (int k = 0; k < FORMULAS; k++) {
    if (argc == 4 && strcmp(formulas[k].name, argv[1]) != 0)
      continue;
    dae_model *model = load(folder, formulas[k].formula, jit);
    if (!model)
      return 1;
    printf("%-20s", formulas[k].name);
    for (int move = 0; move < 3; move++) {
      if (argc == 4 && strcmp(moves[move], argv[2]) != 0)
        continue;
      double ns = measure(model, move, count);
      printf(" %8.2f", ns - none[move]);
      none[move] = k == 0 ? ns : none[move];
    }
    printf("\n");
    dae_model_free(model);
  }
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command) != 0;
}
