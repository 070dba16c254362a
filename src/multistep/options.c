/* Options of the BDF family: one structure for all methods, and a table of options for each
 * method. */
#include "core/option_rows.h"
#include "step/history.h"
#include <daedal/bdf.h>
#include <limits.h>

static const char *const error_tests[] = {"qv", "q", NULL};
static const char *const split_tests[] = {"qv", "q", "x", "xv", NULL};
static const char *const rules[] = {"accurate", "dassl", NULL};
static const char *const multipliers[] = {"least-squares", "split", "qr", NULL};
static const char *const projectors[] = {"fresh", "stale", NULL};

#define OPTIONS dae_bdf_options

/* clang-format off */
#define COMMON(tests, tested)                                                                      \
  RTOL, ATOL,                                                                                      \
  COUNT(order, 1, DAE__MAX_ORDER, "largest order; with a fixed step, the order"),                  \
  STEP, FIRST_STEP, MAX_STEP,                                                                      \
  CHOICE(error_test, tests, "variables in the error test of a mechanical problem: " tested),       \
  FLAG(project, "project accepted and interpolated states onto the constraints"),                  \
  CHOICE(rules, rules, "accurate, or the Newton and error tests of DASSL to the letter: less "       \
                       "accurate"),                                                                \
  FLAG(stability, "leave orders 3 to 5 for a while where not accuracy but their stability limits " \
                  "the step"),                                                                     \
  MAX_FAILURES
#define PLAIN_TEST error_tests, "positions and velocities, or positions"
#define SPLIT_TEST split_tests, "positions and velocities, positions, or the same of the "         \
                                "independent coordinates of a split"
#define COMMON_(tests_and_text) COMMON(tests_and_text)
#define MULTIPLIERS                                                                                \
  CHOICE(multipliers, multipliers, "estimate of multipliers from a residual: least squares, a "    \
                                   "coordinate split, or least squares by QR")
#define INDEPENDENT                                                                                \
  COUNT(independent, 0, INT_MAX, "number of a coordinate that a split keeps independent, 0: any; " \
                                 "a bad choice shows the weakness of a split")
#define FILTER                                                                                     \
  FLAG(filter, "multiply the error estimate by the inverse of the iteration matrix, so that stiff " \
               "components do not limit the step")
/* clang-format on */

static const dae_option bdf_options[] = {COMMON_(PLAIN_TEST)};
static const dae_option ggl_options[] = {COMMON_(PLAIN_TEST), DAMP};
static const dae_option star_options[] = {
    COMMON_(SPLIT_TEST), MULTIPLIERS, INDEPENDENT,
    FLAG(reset, "estimate the multipliers at every prediction from its residual")};
static const dae_option cs_options[] = {COMMON_(SPLIT_TEST), MULTIPLIERS, INDEPENDENT, FILTER,
                                        DAMP};
static const dae_option cm_options[] = {
    COMMON_(SPLIT_TEST),
    MULTIPLIERS,
    INDEPENDENT,
    FILTER,
    DAMP,
    CHOICE(projector, projectors,
           "constraint directions frozen at each prediction, or (stale, not consistent) at the "
           "last Jacobian")};

const dae_option_table dae_bdf_option_table = TABLE("bdf", bdf_options);
const dae_option_table dae_bdf_ggl_option_table = TABLE("bdf-ggl", ggl_options);
const dae_option_table dae_bdf_ggl_star_option_table = TABLE("bdf-ggl-star", star_options);
const dae_option_table dae_bdf_cs_option_table = TABLE("bdf-cs", cs_options);
const dae_option_table dae_bdf_cm_option_table = TABLE("bdf-cm", cm_options);

dae_bdf_options dae_bdf_defaults(void)
{
  return (dae_bdf_options){.rtol = 1e-6,
                           .order = DAE__MAX_ORDER,
                           .error_test = DAE_BDF_TEST_QV,
                           .project = true,
                           .stability = true,
                           .max_failures = 20,
                           .filter = true,
                           .reset = true};
}
