/** @file
 * daedal: constrained dynamics. This header includes the whole public interface. */
#ifndef DAEDAL_DAEDAL_H
#define DAEDAL_DAEDAL_H

#include <daedal/bdf.h>
#include <daedal/checkpoint.h>
#include <daedal/compare.h>
#include <daedal/coupled.h>
#include <daedal/drawing.h>
#include <daedal/env.h>
#include <daedal/event.h>
#include <daedal/file.h>
#include <daedal/import.h>
#include <daedal/integrator.h>
#include <daedal/lie.h>
#include <daedal/mechanical.h>
#include <daedal/model.h>
#include <daedal/momentum.h>
#include <daedal/options.h>
#include <daedal/page.h>
#include <daedal/pattern.h>
#include <daedal/plot.h>
#include <daedal/problem.h>
#include <daedal/report.h>
#include <daedal/results.h>
#include <daedal/rk.h>
#include <daedal/run.h>
#include <daedal/semi_explicit.h>
#include <daedal/simulation.h>
#include <daedal/spark.h>
#include <daedal/sparsity.h>
#include <daedal/status.h>
#include <daedal/stepper.h>
#include <daedal/text.h>
#include <daedal/version.h>
#include <daedal/wave.h>

#endif
