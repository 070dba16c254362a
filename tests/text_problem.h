/* Test problems from the text of a model, and those that more than one test needs. */
#ifndef DAEDAL_TESTS_TEXT_PROBLEM_H
#define DAEDAL_TESTS_TEXT_PROBLEM_H

#include "problems/problems.h"

#include <daedal/model.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A pendulum pulled by a spring of stiffness k towards a point at a times its own distance from the
 * middle; it starts in that direction with speed w. Off the circle, the spring makes lambda of the
 * size of k, and the curvature of the circle times lambda is as stiff as the spring. */
__attribute__((unused)) static const char text_pulled[] =
    "model pulled\n"
    "param k = 1e4, a = 1.5, w = 1\n"
    "coord x = 0.6 rate 0.8*w, y = -0.8 rate 0.6*w\n"
    "kinetic (x'^2 + y'^2)/2\n"
    "potential y + k*((x - 0.6*a)^2 + (y + 0.8*a)^2)/2\n"
    "constraint rod: (x^2 + y^2 - 1)/2 = 0\n"
    "output g = (x^2 + y^2 - 1)/2\n";

/* The same N times, which makes it sparse. */
__attribute__((unused)) static const char text_many_pulled[] =
    "model many\n"
    "param N = 12, k = 1e4, a = 1.5\n"
    "coord x[1..N] = 0.6 rate 0.8, y[1..N] = -0.8 rate 0.6\n"
    "for i in 1..N {\n"
    "  kinetic (x[i]'^2 + y[i]'^2)/2\n"
    "  potential y[i] + k*((x[i] - 0.6*a)^2 + (y[i] + 0.8*a)^2)/2\n"
    "  constraint (x[i]^2 + y[i]^2 - 1)/2 = 0\n"
    "}\n";

/* A pendulum whose drag is a state of its own that follows the speed with the rate nu. */
__attribute__((unused)) static const char text_lagged[] = "model lagged\n"
                                                          "param nu = 1e4, d = 0.5\n"
                                                          "coord x = 1 rate 0, y = 0 rate 0.3\n"
                                                          "state drag = 0, slip = 0.1\n"
                                                          "kinetic (x'^2 + y'^2)/2\n"
                                                          "potential y\n"
                                                          "force x = -drag\n"
                                                          "force y = -d*y' + slip\n"
                                                          "drag' = -nu*(drag - d*x')\n"
                                                          "slip' = -nu*(slip - 0.1*x)\n"
                                                          "constraint rod: (x^2 + y^2 - 1)/2 = 0\n";

/* set: `count` parameters, "k=100"; the model is to be freed after the problem. */
static inline dae_model *text_problem(const char *text, const char *const *set, int count,
                                      double to, test_problem *out)
{
  dae_model_options values = dae_model_defaults();
  dae_model *model = NULL;
  dae_error err = dae_error_none();
  values.set = set;
  values.set_count = count;
  if (dae_model_parse("model", text, strlen(text), &values, NULL, &model, &err))
    fail_msg("%s", err.text);
  *out = (test_problem){.name = dae_model_name(model),
                        .problem = *dae_model_problem(model),
                        .start = dae_model_start(model),
                        .to = to};
  out->size = dae_problem_size(&out->problem);
  return model;
}

#endif
