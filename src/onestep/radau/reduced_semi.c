/* The reduced form of a semi-explicit problem:
 *
 *            x'    x               y
 *   f rows   M     (M x')_x - f_x  -f_y
 *   F rows         -F_x            -F_y */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/radau/reduced.h"
#include "problem/semi_explicit/semi.h"

typedef struct semi {
  dae__semi *s;
  dae__reduced *r;
  dae__reduced_terms terms;
  dae__semi_mass M0; /* M at the point of the Jacobians */
  double *J, *Ms;
  dae__semi_mass M; /* M at the point of a residual, unless M is constant */
  double *z;        /* state (x, y) of a stage */
} semi;

/* State (x, y), with x of the stage state and y of the unknowns. */
static const double *reduced_semi_point(const semi *o, const dae__reduced_at *at)
{
  dae__copy(o->s->nx, at->z, o->z);
  dae__copy(o->s->ny, at->k + o->s->nx, o->z + o->s->nx);
  return o->z;
}

static dae_status reduced_semi_residual(void *self, const dae__reduced_at *at, double *r,
                                        dae_error *err)
{
  semi *o = self;
  dae__semi *s = o->s;
  const double *z = reduced_semi_point(o, at);
  dae__semi_mass *M = s->constant_mass ? &o->M0 : &o->M;
  DAE__TRY(dae__semi_rhs(s, at->t, z, r, err));
  DAE__TRY(dae__semi_mass_at(M, at->t, z, err));
  dae__scale(s->n, -1, r);
  dae__semi_mass_times(M, 1, at->k, r); /* rows M x' - f */
  return DAE_OK;
}

static dae_status reduced_semi_linearise(void *self, const dae__reduced_at *at, dae_error *err)
{
  semi *o = self;
  dae__semi *s = o->s;
  const double *z = reduced_semi_point(o, at);
  DAE__TRY(dae__semi_mass_at(&o->M0, at->t, z, err));
  DAE__TRY(dae__semi_J(s, NULL, at->t, z, o->J, err));
  if (!s->constant_mass)
    DAE__TRY(dae__semi_Ms(s, at->t, z, at->k, o->Ms, err));
  dae__reduced_gather(&o->terms, o->r);
  return DAE_OK;
}

static void reduced_semi_name(const void *self, int i, char *text, size_t size)
{
  dae__semi_variable_name(((const semi *)self)->s->p, i, text, size);
}

static const dae__reduced_table reduced_semi_verbs = {.residual = reduced_semi_residual,
                                                      .linearise = reduced_semi_linearise,
                                                      .name = reduced_semi_name};

dae_status dae__reduced_semi(dae__arena *arena, const dae_adapter *adapter, dae__reduced *r,
                             dae_error *err)
{
  dae__semi *s = adapter->forms->s;
  semi *o = DAE__ALLOC(arena, semi, 1);
  DAE__TRY(dae__arena_status(arena, err));
  *o = (semi){.s = s, .r = r};
  o->M0 = dae__semi_mass_create(arena, s);
  o->M = dae__semi_mass_create(arena, s);
  o->J = DAE__ALLOC(arena, double, dae__pattern_count(&s->J));
  o->Ms = DAE__ALLOC(arena, double, dae__pattern_count(&s->Ms));
  o->z = DAE__ALLOC(arena, double, s->n);
  r->tested = DAE__ALLOC(arena, bool, s->n);
  DAE__TRY(dae__arena_status(arena, err));
  r->table = &reduced_semi_verbs;
  r->self = o;
  r->powers = 2;
  r->n2 = 0;
  r->n1 = s->nx;
  r->n = s->n;
  r->index_2 = s->hidden_count > 0;
  r->algebraic = s->ny > 0 || adapter->singular;
  for (int i = 0; i < s->n; i++)
    r->tested[i] = true;
#define TERM(pattern, values, ...)                                                                 \
  dae__reduced_term_add(arena, &o->terms, (dae__reduced_place){__VA_ARGS__}, pattern, values)
  TERM(&s->M, o->M0.values, .power = 0, .factor = 1);
  TERM(&s->J, o->J, .power = 1, .factor = -1, .col0 = 0, .col1 = s->nx);
  if (s->ny > 0)
    TERM(&s->J, o->J, .power = 0, .factor = -1, .col = s->nx, .col0 = s->nx, .col1 = s->n);
  if (!s->constant_mass)
    TERM(&s->Ms, o->Ms, .power = 1, .factor = 1);
#undef TERM
  dae__reduced_merge(arena, &o->terms, r);
  return dae__arena_status(arena, err);
}
