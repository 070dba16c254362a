/* The known families of tableaux, from their formulas [J09 2]:
 *
 *   a_ij = int_0^(c_i) l_j,   ab_ij = int_0^(ct_i) l_j,   at_ij = bt_j (1 - ab_ji / b_i)
 *
 * with l_j the Lagrange polynomials of c, and (bt, ct) the Lobatto rule of s + 1 nodes; A is taken
 * from IIIC or IIID instead for Lobatto (s,s) methods. Lobatto A-x-B is on one rule of s nodes. */
#include "core/arena.h"
#include "core/error.h"
#include "quadrature/nodes.h"
#include <stddef.h>

typedef struct recipe {
  const char *name;
  dae__rule (*rule)(int n);
  dae_spark_hat A; /* of Lobatto nodes; SAME: collocation */
  bool same_nodes; /* ct = c, At = IIIB */
  int least;       /* stages */
} recipe;

static const recipe families[] = {
    [DAE_SPARK_GAUSS] = {"Gauss-Lobatto", dae__rule_gauss, DAE_SPARK_HAT_SAME, false, 1},
    [DAE_SPARK_RADAU] = {"Radau IIA-Lobatto", dae__rule_radau, DAE_SPARK_HAT_SAME, false, 1},
    [DAE_SPARK_LOBATTO_C] = {"Lobatto IIIC-Lobatto", dae__rule_lobatto, DAE_SPARK_HAT_C, false, 2},
    [DAE_SPARK_LOBATTO_D] = {"Lobatto IIID-Lobatto", dae__rule_lobatto, DAE_SPARK_HAT_D, false, 2},
    [DAE_SPARK_LOBATTO_A_X_B] = {"Lobatto IIIA-x-IIIB", dae__rule_lobatto, DAE_SPARK_HAT_A, true,
                                 2},
};

/* Everything of one tableau before it is rounded. */
typedef struct coefficients {
  dae__rule rule, tilde;
  dae__small A, Ah, Ab, At;
} coefficients;

static coefficients spark_compute(const recipe *f, dae_spark_hat hat, int s)
{
  coefficients k = {.rule = f->rule(s)};
  k.tilde = f->same_nodes ? k.rule : dae__rule_lobatto(s + 1);
  k.A = f->A == DAE_SPARK_HAT_SAME ? dae__collocation(&k.rule, s, k.rule.c)
                                   : dae__lobatto(&k.rule, f->A);
  k.Ah = hat == DAE_SPARK_HAT_SAME ? k.A : dae__lobatto(&k.rule, hat);
  k.Ab = dae__collocation(&k.rule, k.tilde.n, k.tilde.c);
  k.At = dae__partner(&k.Ab, k.rule.b, k.tilde.b);
  return k;
}

typedef struct owned {
  dae_spark_tableau tableau; /* first: it is what the caller frees */
  dae__arena *arena;
} owned;

static const double *spark_vector(dae__arena *arena, int n, const long double *x)
{
  double *y = DAE__ALLOC(arena, double, n);
  for (int i = 0; y && i < n; i++)
    y[i] = (double)x[i];
  return y;
}

static const double *spark_matrix(dae__arena *arena, const dae__small *A)
{
  double *values = DAE__ALLOC(arena, double, A->rows * A->cols);
  if (values)
    dae__small_round(A, values);
  return values;
}

static void spark_store(dae__arena *arena, const coefficients *k, dae_spark_tableau *t)
{
  t->s = k->rule.n;
  t->nt = k->tilde.n;
  t->c = spark_vector(arena, t->s, k->rule.c);
  t->b = t->bh = spark_vector(arena, t->s, k->rule.b);
  t->ct = spark_vector(arena, t->nt, k->tilde.c);
  t->bt = spark_vector(arena, t->nt, k->tilde.b);
  t->A = spark_matrix(arena, &k->A);
  t->Ah = spark_matrix(arena, &k->Ah);
  t->Ab = spark_matrix(arena, &k->Ab);
  t->At = spark_matrix(arena, &k->At);
}

static dae_status spark_check(dae_spark_family family, dae_spark_hat hat, int s, dae_error *err)
{
  if ((int)family < 0 || family >= DAE_SPARK_FAMILIES)
    return dae__fail(err, DAE_ERROR_OPTION, "family", "there is no SPARK family number %d",
                     (int)family);
  if ((int)hat < 0 || hat >= DAE_SPARK_HATS)
    return dae__fail(err, DAE_ERROR_OPTION, "hat", "there is no hat matrix number %d", (int)hat);
  const char *name = families[family].name;
  int least = families[family].least;
  if (s < least || s > DAE_SPARK_MAX_STAGES)
    return dae__fail(err, DAE_ERROR_OPTION, "s", "%s methods have %d to %d stages, not %d", name,
                     least, DAE_SPARK_MAX_STAGES, s);
  if (hat != DAE_SPARK_HAT_SAME && families[family].rule != dae__rule_lobatto)
    return dae__fail(err, DAE_ERROR_OPTION, "hat",
                     "%s methods have Ah = A: the Lobatto III matrices belong to Lobatto nodes; "
                     "take the hat SAME",
                     name);
  return DAE_OK;
}

dae_status dae_spark_tableau_create(dae_spark_family family, dae_spark_hat hat, int s,
                                    const dae_env *env, dae_spark_tableau **out, dae_error *err)
{
  *out = NULL;
  dae_status status = spark_check(family, hat, s, err);
  if (status < 0)
    return status;
  dae__arena *arena = dae__arena_create(env);
  owned *o = arena ? DAE__ALLOC(arena, owned, 1) : NULL;
  status = DAE_ERROR_MEMORY;
  if (!o)
    goto fail;
  coefficients k = spark_compute(&families[family], hat, s);
  o->arena = arena;
  o->tableau.name = families[family].name;
  spark_store(arena, &k, &o->tableau);
  if (dae__arena_failed(arena))
    goto fail;
  status = dae_spark_tableau_validate(&o->tableau, err);
  if (status < 0)
    goto fail;
  *out = &o->tableau;
  return DAE_OK;

fail:
  dae__arena_free(arena);
  return status == DAE_ERROR_MEMORY ? dae__out_of_memory(err) : status;
}

void dae_spark_tableau_free(dae_spark_tableau *tableau)
{
  if (tableau)
    dae__arena_free(((owned *)tableau)->arena);
}
