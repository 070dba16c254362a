/* Times of the fastest code among DDEABM, ODEX, RADAU of variable order, RODAS, MEBDFI, BIMD and
 * GAMD, over the time of RADAU5 in its best form (stiff) or of DOP853 (non-stiff): measured once in
 * one process, with the same functions, for a mescd of 4, 6 and 8. The seven bodies and the damped
 * crank are other mechanisms here, of the same sizes and structure. */
#include "factors.h"

static const peer_factor factors[] = {
    {"pendulum", "ODEX", DOP853, {0, 0, 0.91}},
    {"car_axis", "DDEABM", DOP853, {0, 0.85, 0.83}},
    {"seven_bodies", "DDEABM", DOP853, {0.98, 0.83, 0.76}},
    {"stiff_crank", "MEBDFI", RADAU5, {0.51, 0.43, 0.45}},
    {"stiff_load", "RODAS", RADAU5, {0.69, 0, 0}},
    {"stiff_load", "RADAU", RADAU5, {0, 0.94, 0.89}},
    {"damped_crank", "RODAS", RADAU5, {0.89, 0, 0}},
    {"damped_crank", "RADAU", RADAU5, {0, 0, 0.74}},
    {"transistor_amplifier", "MEBDFI", RADAU5, {0, 0.83, 0.72}},
    {"akzo_nobel", "RODAS", RADAU5, {0.38, 0.7, 0}},
    {"robertson", "RODAS", RADAU5, {0.32, 0.63, 0}},
    {"robertson", "BIMD", RADAU5, {0, 0, 0.6}},
};

bool factor_at(int i, peer_factor *out)
{
  if (i >= (int)(sizeof factors / sizeof *factors))
    return false;
  *out = factors[i];
  return true;
}
