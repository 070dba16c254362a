/* The list of problems. */
#include "cases.h"

const char *const bench_kind_names[KINDS] = {"non-stiff", "stiff", "index-1", "coupled"};

static bench_case (*const cases[])(void) = {
    case_pendulum,      case_car_axis,     case_double_pendulum,
    case_four_bar,      case_seven_bodies, case_triple_pendulum,
    case_sphere_points, case_knife_edge,   case_cylinder_skate,
    case_stiff_crank,   case_stiff_load,   case_damped_crank,
    case_amplifier,     case_akzo,         case_robertson,
    case_two_circuits,  case_structures,
};

bool case_at(int i, bench_case *out)
{
  if (i >= (int)(sizeof cases / sizeof *cases))
    return false;
  *out = cases[i]();
  return true;
}
