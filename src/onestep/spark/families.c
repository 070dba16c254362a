/* Families of SPARK tableaux [J09 section 2]:
 *
 *   a_ij = int_0^(c_i) l_j,   ab_ij = int_0^(ct_i) l_j,   at_ij = bt_j (1 - ab_ji / b_i)
 *
 * with l_j the Lagrange polynomials of c, and (bt, ct) the Lobatto rule of s + 1 nodes; in Lobatto
 * (s,s) methods A is the matrix of Lobatto IIIC or IIID instead. Lobatto A-x-B uses one rule of s
 * nodes. */
#include "core/arena.h"
#include "core/error.h"
#include "onestep/spark/transform.h"
#include "quadrature/nodes.h"
#include <stddef.h>

typedef struct descriptor {
  const char *name;
  dae__rule (*rule)(int n);
  dae_spark_hat A; /* coefficients A on Lobatto nodes; SAME: collocation */
  bool same_nodes; /* tilde nodes equal to the stages: ct = c, At of Lobatto IIIB */
  int min_stages;
} descriptor;

static const descriptor families[] = {
    [DAE_SPARK_GAUSS] = {"Gauss-Lobatto", dae__rule_gauss, DAE_SPARK_HAT_SAME, false, 1},
    [DAE_SPARK_RADAU] = {"Radau IIA-Lobatto", dae__rule_radau, DAE_SPARK_HAT_SAME, false, 1},
    [DAE_SPARK_LOBATTO_C] = {"Lobatto IIIC-Lobatto", dae__rule_lobatto, DAE_SPARK_HAT_C, false, 2},
    [DAE_SPARK_LOBATTO_D] = {"Lobatto IIID-Lobatto", dae__rule_lobatto, DAE_SPARK_HAT_D, false, 2},
    [DAE_SPARK_LOBATTO_A_X_B] = {"Lobatto IIIA-x-IIIB", dae__rule_lobatto, DAE_SPARK_HAT_A, true,
                                 2},
};

typedef struct owned {
  /* first member, since the caller frees the structure by the address of the tableau */
  dae_spark_tableau tableau;
  dae__arena *arena;
} owned;

static const double *spark_round_vector(dae__arena *arena, int n, const long double *x)
{
  double *y = DAE__ALLOC(arena, double, n);
  for (int i = 0; y && i < n; i++)
    y[i] = (double)x[i];
  return y;
}

/* computes the coefficients of an s-stage tableau in extended precision, rounded to double */
static dae_spark_tableau spark_compute_tableau(dae__arena *arena, const descriptor *f,
                                               dae_spark_hat hat, int s)
{
  dae__rule rule = f->rule(s), tilde = f->same_nodes ? rule : dae__rule_lobatto(s + 1);
  dae__small A = f->A == DAE_SPARK_HAT_SAME ? dae__collocation_matrix(&rule, s, rule.c)
                                            : dae__lobatto_matrix(&rule, f->A);
  dae__small Ah = hat == DAE_SPARK_HAT_SAME ? A : dae__lobatto_matrix(&rule, hat);
  dae__small Ab = dae__collocation_matrix(&rule, tilde.n, tilde.c);
  dae__small At = dae__symplectic_partner(&Ab, rule.b, tilde.b);
  const double *b = spark_round_vector(arena, s, rule.b);
  return (dae_spark_tableau){.name = f->name,
                             .s = s,
                             .nt = tilde.n,
                             .c = spark_round_vector(arena, s, rule.c),
                             .b = b,
                             .bh = b,
                             .ct = spark_round_vector(arena, tilde.n, tilde.c),
                             .bt = spark_round_vector(arena, tilde.n, tilde.b),
                             .A = dae__spark_round(arena, &A),
                             .Ah = dae__spark_round(arena, &Ah),
                             .Ab = dae__spark_round(arena, &Ab),
                             .At = dae__spark_round(arena, &At)};
}

dae_status dae_spark_tableau_create(dae_spark_family family, dae_spark_hat hat, int s,
                                    const dae_env *env, dae_spark_tableau **out, dae_error *err)
{
  *out = NULL;
  if ((int)family < 0 || family >= DAE_SPARK_FAMILIES)
    return dae__fail(err, DAE_ERROR_OPTION, "family", "there is no SPARK family number %d",
                     (int)family);
  if ((int)hat < 0 || hat >= DAE_SPARK_HATS)
    return dae__fail(err, DAE_ERROR_OPTION, "hat", "there is no hat matrix number %d", (int)hat);
  const descriptor *f = &families[family];
  if (s < f->min_stages || s > DAE_SPARK_MAX_STAGES)
    return dae__fail(err, DAE_ERROR_OPTION, "s", "%s methods have %d to %d stages, not %d", f->name,
                     f->min_stages, DAE_SPARK_MAX_STAGES, s);
  if (hat != DAE_SPARK_HAT_SAME && f->rule != dae__rule_lobatto)
    return dae__fail(err, DAE_ERROR_OPTION, "hat",
                     "%s methods have Ah = A: the Lobatto III matrices belong to Lobatto nodes; "
                     "take the hat SAME",
                     f->name);
  dae__arena *arena = dae__arena_create(env);
  owned *o = DAE__ALLOC(arena, owned, 1);
  dae_status status = o ? DAE_OK : dae__out_of_memory(err);
  if (!status) {
    *o = (owned){spark_compute_tableau(arena, f, hat, s), arena};
    status = dae__arena_failed(arena) ? dae__out_of_memory(err)
                                      : dae_spark_tableau_validate(&o->tableau, err);
  }
  if (status)
    dae__arena_free(arena);
  else
    *out = &o->tableau;
  return status;
}

void dae_spark_tableau_free(dae_spark_tableau *tableau)
{
  if (tableau)
    dae__arena_free(((owned *)tableau)->arena);
}
