/* One run of the scheme (3), (4) of [WHM11]: y with the force of the joint eliminated, then x with
 * that force; windows begin with constant waveforms (23), and end by (10). */
#include "whm11.h"

#define ROUND_OFF 1e-14

static bool run_whole(rep_report *report, const whm11_case *run, whm11_result *result)
{
  waves_result r;
  waves_case c = {.model = WAVES_WHOLE,
                  .set = run->printed ? "s=-1" : NULL,
                  .kind = WAVES_ONE,
                  .to = run->to,
                  .child = {{"trapezoid", run->step}}};
  bool good = waves_run(report, &c, &r);
  for (int i = 0; i < 4; i++)
    result->values[i] = r.state[i];
  result->values[4] = r.state[12];
  return good;
}

static bool run_parts(rep_report *report, const whm11_case *run, whm11_result *result)
{
  static const int y_first[2] = {1, 0};
  const char *method = run->x ? run->x : "trapezoid";
  waves_result r;
  waves_case c = {.model = run->printed ? WAVES_PRINTED : WAVES_STRUCTURES,
                  .kind = WAVES_JOINT,
                  .to = run->to,
                  .child = {{method, run->step}, {run->y ? run->y : method, run->step}},
                  .options = waves_plain(run->tolerance, run->window),
                  .look = run->look,
                  .user = run->user};
  c.options.rtol = ROUND_OFF;
  c.options.stop = DAE_WAVE_STOP_END;
  c.options.splitting = DAE_WAVE_SPLIT_SECOND;
  c.options.order = y_first;
  c.options.sweeps = run->sweeps;
  bool good = waves_run(report, &c, &r);
  for (int i = 0; i < 2; i++) {
    result->values[i] = r.state[i];
    result->values[2 + i] = r.state[4 + i];
  }
  result->values[4] = r.unknowns[WHM11_LAMBDA];
  result->sweeps = r.failed ? NAN : r.last;
  return good;
}

bool whm11_iterate(rep_report *report, const whm11_case *run, whm11_result *result)
{
  *result = (whm11_result){.sweeps = NAN};
  bool good = (run->whole ? run_whole : run_parts)(report, run, result);
  result->violation = result->values[1] - 2 * result->values[2];
  return good;
}

static double distance(const whm11_result *a, const whm11_result *b, int first, int count)
{
  double sum = 0;
  for (int i = first; i < first + count; i++)
    sum += pow(a->values[i] - b->values[i], 2);
  return sqrt(sum);
}

void whm11_quotients(const whm11_result runs[3], double R[3])
{
  static const int first[3] = {0, 2, 4}, count[3] = {2, 2, 1};
  for (int k = 0; k < 3; k++)
    R[k] = distance(&runs[0], &runs[1], first[k], count[k]) /
           distance(&runs[1], &runs[2], first[k], count[k]);
}
