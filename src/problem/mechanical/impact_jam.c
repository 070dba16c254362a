/* Contacts that friction jams. While contact i slides its force p moves its gap with the
 * acceleration (H_nn - f s H_ns) p, s the direction of sliding: where this share of H_nn falls to
 * zero the force grows without bound. */
#include "core/error.h"
#include "problem/mechanical/impact_private.h"

double dae__impact_own_share(const dae__impact_system *s, int i)
{
  const dae__impact_contact *c = &s->contact[i];
  int n = s->first[i];
  return c->slip == 0 || s->scale[n] == 0
             ? 1
             : 1 - c->friction * c->slip * s->H[(n + 1) * s->rows + n] / s->H[n * s->rows + n];
}

dae_status dae__motion_jam(dae__motion *motion, dae__arena *arena, double t, const double *y,
                           int count, const dae__impact_contact *contact, const double *v,
                           dae__jam *out, dae_error *err)
{
  dae__impact_system s;
  *out = (dae__jam){.contact = -1, .share = 1};
  DAE__TRY(dae__impact_begin(motion, arena, t, y, count, contact, v, &s, err));
  for (int i = 0; i < count; i++) {
    int n = s.first[i];
    double share = dae__impact_own_share(&s, i);
    if (share < out->share)
      *out = (dae__jam){.contact = i,
                        .share = share,
                        .safe = s.H[n * s.rows + n] / fabs(s.H[(n + 1) * s.rows + n])};
  }
  return DAE_OK;
}
