/* Tableaux that a step cannot be made with are refused, each with its reason. */
#include <daedal/spark.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 3 };

/* A tableau filled in by hand. */
typedef struct draft {
  dae_spark_tableau t;
  double c[MOST], b[MOST], A[MOST * MOST], bh[MOST], Ah[MOST * MOST];
  double ct[MOST + 1], bt[MOST + 1], Ab[(MOST + 1) * MOST], At[MOST * (MOST + 1)];
} draft;

static void copy(int n, const double *from, double *to)
{
  memcpy(to, from, (size_t)n * sizeof *to);
}

static void draft_of(dae_spark_family family, dae_spark_hat hat, int s, draft *d)
{
  dae_spark_tableau *t;
  assert_int_equal(dae_spark_tableau_create(family, hat, s, NULL, &t, NULL), DAE_OK);
  int nt = t->nt;
  copy(s, t->c, d->c);
  copy(s, t->b, d->b);
  copy(s * s, t->A, d->A);
  copy(s, t->bh, d->bh);
  copy(s * s, t->Ah, d->Ah);
  copy(nt, t->ct, d->ct);
  copy(nt, t->bt, d->bt);
  copy(nt * s, t->Ab, d->Ab);
  copy(s * nt, t->At, d->At);
  d->t = (dae_spark_tableau){.s = s, .nt = nt, .c = d->c, .b = d->b, .A = d->A, .bh = d->bh};
  d->t.Ah = d->Ah;
  d->t.ct = d->ct;
  d->t.bt = d->bt;
  d->t.Ab = d->Ab;
  d->t.At = d->At;
  dae_spark_tableau_free(t);
}

/* What is done to Gauss-Lobatto with two stages. */
static void no_stages(draft *d)
{
  d->t.s = 0;
}
static void too_many_stages(draft *d)
{
  d->t.s = DAE_SPARK_MAX_STAGES + 1;
  d->t.nt = d->t.s + 1;
}
static void odd_nt(draft *d)
{
  d->t.nt = 4;
}
static void one_tilde_stage(draft *d)
{
  d->t.s = d->t.nt = 1;
}
static void missing_At(draft *d)
{
  d->t.At = NULL;
}
static void infinite_Ah(draft *d)
{
  d->Ah[3] = INFINITY;
}
static void not_a_number_ct(draft *d)
{
  d->ct[1] = NAN;
}
static void zero_weight(draft *d)
{
  d->b[0] = 0;
  d->b[1] = 1;
}
static void equal_nodes(draft *d)
{
  d->c[1] = d->c[0];
}
static void few_digits(draft *d)
{
  d->bt[0] = 0.16666667;
}
static void wrong_bh(draft *d)
{
  d->bh[0] = 0.25;
}
static void by_columns(draft *d)
{
  double keep = d->A[1];
  d->A[1] = d->A[2];
  d->A[2] = keep;
}
static void wrong_ct(draft *d)
{
  d->ct[1] = 0.4;
}
static void first_point_inside(draft *d)
{
  d->Ab[0] = 0.1;
  d->ct[0] = 0.1;
}
static void last_point_not_y1(draft *d)
{
  d->Ab[4] = 0.6;
  d->Ab[5] = 0.4;
}
static void explicit_A(draft *d)
{
  d->A[0] = d->A[1] = d->c[0] = 0;
}
static void rank_one_A(draft *d)
{
  double A[] = {0.1, 0.2, 0.2, 0.4};
  copy(4, A, d->A);
  d->c[0] = 0.1 + 0.2;
  d->c[1] = 0.2 + 0.4;
}
static void equal_tilde_nodes(draft *d)
{
  copy(2, d->b, d->Ab + 2);
  d->ct[1] = 1;
}
/* ct = (0, c), bt = (0, b) of Radau IIA, with at_ij = bt_j (1 - ab_ji / b_i) */
static void radau_on_its_own_nodes(draft *d)
{
  draft_of(DAE_SPARK_RADAU, DAE_SPARK_HAT_SAME, 2, d);
  d->bt[0] = d->ct[0] = 0;
  for (int j = 0; j < 2; j++) {
    d->ct[j + 1] = d->c[j];
    d->bt[j + 1] = d->b[j];
    for (int i = 0; i < 2; i++) {
      d->Ab[(i + 1) * 2 + j] = d->A[i * 2 + j];
      d->At[i * 3] = 0;
      d->At[i * 3 + j + 1] = d->b[j] * (1 - d->A[j * 2 + i] / d->b[i]);
    }
  }
}
static void dependent_At(draft *d)
{
  copy(3, d->bt, d->At);
}
/* M = (b'; b' - b' A): singular for b' A = 0.5 b', with c = A 1 and A regular */
static void singular_M(draft *d)
{
  double A[] = {0.3, 0.1, 0.2, 0.4};
  copy(4, A, d->A);
  copy(4, A, d->Ah);
  d->c[0] = 0.4;
  d->c[1] = 0.6;
}
static void hat_off(draft *d)
{
  d->Ah[0] += 0.1;
}
static void iiic_with_iiia(draft *d)
{
  draft_of(DAE_SPARK_LOBATTO_C, DAE_SPARK_HAT_SAME, 2, d);
  copy(4, (double[]){0, 0, 0.5, 0.5}, d->Ah);
}
static void same_nodes_with_other_Ab(draft *d)
{
  draft_of(DAE_SPARK_LOBATTO_A_X_B, DAE_SPARK_HAT_B, 3, d);
  d->Ab[3] += 0.1;
  d->ct[1] += 0.1;
}
static void same_nodes_with_At_iiia(draft *d)
{
  draft_of(DAE_SPARK_LOBATTO_A_X_B, DAE_SPARK_HAT_B, 3, d);
  copy(9, d->A, d->At);
}
static void same_nodes_with_hat_iiia(draft *d)
{
  draft_of(DAE_SPARK_LOBATTO_A_X_B, DAE_SPARK_HAT_B, 3, d);
  copy(9, d->A, d->Ah);
}

static const struct {
  void (*spoil)(draft *d);
  const char *field, *reason;
} broken[] = {
    {no_stages, "s", "1 to 12 stages, this one has s = 0"},
    {too_many_stages, "s", "this one has s = 13"},
    {odd_nt, "nt", "nt is 4, but there are s + 1 = 3"},
    {one_tilde_stage, "nt", "at least t0 and t1"},
    {missing_At, "At", "missing"},
    {infinite_Ah, "Ah", "not finite"},
    {not_a_number_ct, "ct", "not finite"},
    {zero_weight, "b", "b[0] is 0"},
    {equal_nodes, "c", "distinct"},
    {few_digits, "bt", "add up to 1.00000000"},
    {wrong_bh, "bh", "add up to 0.75"},
    {by_columns, "A", "c = A 1 does not hold: row 0"},
    {wrong_ct, "Ab", "ct = Ab 1 does not hold: row 1"},
    {first_point_inside, "Ab", "row 0 of Ab is not zero"},
    {last_point_not_y1, "Ab", "last row of Ab is not b'"},
    {explicit_A, "A", "first row is zero"},
    {rank_one_A, "A", "A is singular; Lobatto IIIA-x-IIIB methods"},
    {equal_tilde_nodes, "Ab", "without its zero row is singular"},
    {radau_on_its_own_nodes, "At", "for a Radau rule c, are impossible"},
    {dependent_At, "At", "lambda of a step are not determined"},
    {singular_M, "A", "M, with rows"},
    {hat_off, "Ah", "bh' = b' A^-1 Ah does not hold (column 0"},
    {iiic_with_iiia, "Ah", "Qt alpha-hat is singular"},
    {same_nodes_with_other_Ab, "Ab", "Ab = A, but row 1"},
    {same_nodes_with_At_iiia, "At", "Lobatto IIIB is the right At"},
    {same_nodes_with_hat_iiia, "Ah", "k at the first stage depends on no psi"},
};

static void test_broken_tableaux_are_refused_with_the_reason(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
    draft d;
    dae_error err = dae_error_none();
    draft_of(DAE_SPARK_GAUSS, DAE_SPARK_HAT_SAME, 2, &d);
    broken[k].spoil(&d);
    dae_status status = dae_spark_tableau_validate(&d.t, &err);
    if (status != DAE_ERROR_OPTION || err.status != status ||
        strcmp(err.equation, broken[k].field) || !strstr(err.text, broken[k].reason))
      fail_msg("number %zu, %s: status %d, %s: %s", k, broken[k].reason, status, err.equation,
               err.text);
    assert_true(strlen(err.text) < sizeof err.text - 1);
    assert_int_equal(dae_spark_tableau_validate(&d.t, NULL), DAE_ERROR_OPTION);
  }
}

static void test_no_tableau_is_refused(void **state)
{
  (void)state;
  assert_int_equal(dae_spark_tableau_validate(NULL, NULL), DAE_ERROR_USAGE);
}

static void test_tableaux_filled_in_by_hand_pass(void **state)
{
  (void)state;
  draft d;
  for (int s = 1; s <= MOST; s++) {
    draft_of(DAE_SPARK_GAUSS, DAE_SPARK_HAT_SAME, s, &d);
    assert_int_equal(dae_spark_tableau_validate(&d.t, NULL), DAE_OK);
  }
  draft_of(DAE_SPARK_LOBATTO_A_X_B, DAE_SPARK_HAT_C, MOST, &d);
  assert_int_equal(dae_spark_tableau_validate(&d.t, NULL), DAE_OK);
  /* typed with 14 digits */
  draft_of(DAE_SPARK_GAUSS, DAE_SPARK_HAT_SAME, 2, &d);
  d.c[0] = 0.21132486540519;
  d.bt[1] = 0.66666666666667;
  assert_int_equal(dae_spark_tableau_validate(&d.t, NULL), DAE_OK);
}

static bool expected(dae_spark_family family, dae_spark_hat hat)
{
  switch (family) {
  case DAE_SPARK_LOBATTO_A_X_B:
    return hat != DAE_SPARK_HAT_SAME && hat != DAE_SPARK_HAT_A;
  case DAE_SPARK_LOBATTO_C:
    return hat == DAE_SPARK_HAT_SAME || hat == DAE_SPARK_HAT_C;
  case DAE_SPARK_LOBATTO_D:
    return hat == DAE_SPARK_HAT_SAME || hat == DAE_SPARK_HAT_D;
  default:
    return hat == DAE_SPARK_HAT_SAME;
  }
}

static void test_families_have_the_hats_that_work(void **state)
{
  (void)state;
  for (dae_spark_family f = DAE_SPARK_GAUSS; f < DAE_SPARK_FAMILIES; f++)
    for (dae_spark_hat hat = DAE_SPARK_HAT_SAME; hat < DAE_SPARK_HATS; hat++)
      for (int s = 0; s <= DAE_SPARK_MAX_STAGES + 1; s++) {
        dae_spark_tableau *t;
        dae_error err = dae_error_none();
        int least = f <= DAE_SPARK_RADAU ? 1 : 2;
        bool fits = s >= least && s <= DAE_SPARK_MAX_STAGES;
        dae_status status = dae_spark_tableau_create(f, hat, s, NULL, &t, &err);
        assert_int_equal(status, fits && expected(f, hat) ? DAE_OK : DAE_ERROR_OPTION);
        assert_string_equal(err.equation, status == DAE_OK       ? ""
                                          : !fits                ? "s"
                                          : f <= DAE_SPARK_RADAU ? "hat"
                                                                 : "Ah");
        dae_spark_tableau_free(t);
      }
}

static void test_unknown_families_and_hats_are_refused(void **state)
{
  (void)state;
  dae_spark_tableau *t;
  dae_error err;
  assert_int_equal(
      dae_spark_tableau_create(DAE_SPARK_FAMILIES, DAE_SPARK_HAT_SAME, 2, NULL, &t, &err),
      DAE_ERROR_OPTION);
  assert_string_equal(err.equation, "family");
  assert_int_equal(dae_spark_tableau_create(DAE_SPARK_GAUSS, DAE_SPARK_HATS, 2, NULL, &t, &err),
                   DAE_ERROR_OPTION);
  assert_string_equal(err.equation, "hat");
  assert_null(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_broken_tableaux_are_refused_with_the_reason),
      cmocka_unit_test(test_no_tableau_is_refused),
      cmocka_unit_test(test_tableaux_filled_in_by_hand_pass),
      cmocka_unit_test(test_families_have_the_hats_that_work),
      cmocka_unit_test(test_unknown_families_and_hats_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
