/* The options of the dynamic iteration. */
#include <daedal/wave.h>
#include <float.h>
#include <math.h>

#define ROW(type, name, min, max, words, help)                                                     \
  {                                                                                                \
#name, type, offsetof(dae_wave_options, name), min, max, words, help                           \
  }

static const char *const updates[] = {"auto",  "plain",  "xi",       "slack", "schur",
                                      "relax", "aitken", "anderson", NULL};
static const char *const splittings[] = {"optimal", "first", "second", "weighted", NULL};
static const char *const begins[] = {"extrapolate", "constant", NULL};
static const char *const stops[] = {"error", "increment", "end", NULL};
static const char *const interpolations[] = {"hermite", "quadratic", "linear", "hold", NULL};

/* clang-format off */
#define COMMON                                                                                     \
  ROW(DAE_OPTION_DOUBLE, rtol, 0, 1, NULL, "relative tolerance of the coupled waveforms"),         \
  ROW(DAE_OPTION_DOUBLE, atol, DBL_MIN, INFINITY, NULL, "absolute tolerance"),                     \
  ROW(DAE_OPTION_DOUBLE, window, 0, INFINITY, NULL, "fixed size of the windows, 0: chosen"),       \
  ROW(DAE_OPTION_DOUBLE, max_window, 0, INFINITY, NULL, "largest window, 0: no limit"),            \
  ROW(DAE_OPTION_INT, nodes, 0, 100000, NULL,                                                      \
      "intervals of the exchange grid in a window, 0: chosen"),                                    \
  ROW(DAE_OPTION_CHOICE, update, 0, 0, updates, "how the next waveforms are formed"),              \
  ROW(DAE_OPTION_CHOICE, splitting, 0, 0, splittings,                                              \
      "of joints: weight (S1 + S2)^-1, constraint on the first system, on the last, weighted"),    \
  ROW(DAE_OPTION_DOUBLE, theta, -1e6, 1e6, NULL, "weight of the last system, splitting weighted"), \
  ROW(DAE_OPTION_DOUBLE, omega, 0, 2, NULL, "of update relax; 0: from the contraction"),           \
  ROW(DAE_OPTION_INT, depth, 1, 50, NULL, "sweeps that anderson remembers"),                       \
  ROW(DAE_OPTION_CHOICE, begin, 0, 0, begins, "waveforms that a window begins with"),              \
  ROW(DAE_OPTION_CHOICE, stop, 0, 0, stops,                                                        \
      "test of sweeps: q/(1 - q) times the change, the change, that at the end of the window"),    \
  ROW(DAE_OPTION_INT, max_sweeps, 0, 100000, NULL, "in one window; 0: 40, without auto 200"),      \
  ROW(DAE_OPTION_INT, sweeps, 0, 100000, NULL, "exactly so many, untested; 0: until converged"),   \
  ROW(DAE_OPTION_CHOICE, interpolation, 0, 0, interpolations, "of waveforms between nodes"),       \
  ROW(DAE_OPTION_BOOL, picard, 0, 0, NULL, "own variables, too, from the last sweep"),             \
  ROW(DAE_OPTION_BOOL, lagged, 0, 0, NULL, "forces from the last sweep, linearised"),              \
  ROW(DAE_OPTION_DOUBLE, linear, 0, 1, NULL, "part of the linearisation that is added, lagged"),   \
  ROW(DAE_OPTION_BOOL, project, 0, 0, NULL, "positions and velocities onto joints")

static const dae_option gauss_seidel[] = {
    COMMON,
    ROW(DAE_OPTION_BOOL, reorder, 0, 0, NULL, "systems in the order that contracts best"),
};

static const dae_option jacobi[] = {
    COMMON,
    ROW(DAE_OPTION_INT, workers, 0, 1024, NULL, "threads, 0: as many as there are processors"),
};
/* clang-format on */

#define TABLE(name, text, rows)                                                                    \
  const dae_option_table name = {                                                                  \
      .owner = text, .options = rows, .count = sizeof rows / sizeof *rows}

TABLE(dae_gauss_seidel_option_table, "gauss-seidel", gauss_seidel);
TABLE(dae_jacobi_option_table, "jacobi", jacobi);
TABLE(dae_joint_option_table, "joint", gauss_seidel);

dae_wave_options dae_wave_defaults(void)
{
  return (dae_wave_options){.rtol = 1e-6,
                            .atol = 1e-8,
                            .theta = 0.5,
                            .depth = 8,
                            .linear = 1,
                            .reorder = true,
                            .project = true};
}
