/* The assumptions of [J09 section 2] on a tableau, in the order in which they depend on each other.
 *
 * Conditions on both kinds of tableaux
 *   b_i != 0, c_i != c_j;  b' 1 = bh' 1 = bt' 1 = 1;  c = A 1;  ct = Ab 1
 *   ab_0j = 0: the first point is y0;  ab_sj = b_j: the last one is y1
 *
 * Conditions on (s,s) tableaux, nt = s + 1
 *   A is invertible         gamma' = (-b' A^-1, 1) annihilates alpha
 *   Ac is invertible        (ab_ij), i,j = 1..s: g at the tilde points determines v
 *   alphat is invertible    lambda is determined
 *   M is invertible         k in moments and at t1 is k transformed by Qt
 *   gamma' alphah = 0       psi does not enter the last row
 *   Qt alphah is invertible psi is determined
 *
 * Tableaux with the same nodes, nt = s: ct = c and Ab = A, so that A is singular and the unknowns
 * are found without these transformations. As h goes to 0, lambda and psi are determined if
 *
 *   (Ab At without its first row; bt')   is invertible: g at the stages, g' at t1
 *   (b' q_i(C) Ah, i = 1..s-1; bh')      is invertible: moments of k, k at t1
 *
 * where q_i are the Legendre polynomials on [0,1], which span the same space as the monomials of
 * [J09] and are better conditioned. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/spark/transform.h"
#include "quadrature/nodes.h"
#include <math.h>

/* Deviation, relative to the coefficient or to 1, up to which a relation between coefficients
 * holds: satisfied by coefficients given with 13 digits. */
#define RELATION_TOLERANCE 1e-12
/* Reciprocal condition number below which a matrix counts as singular, since it may be due to
 * rounding of the coefficients: up to 12 stages the families have 7e-5 and more, singular matrices
 * less than 1e-16. */
#define SINGULAR_RCOND 1e-13L

#define REFUSE(err, field, ...) dae__fail((err), DAE_ERROR_OPTION, (field), __VA_ARGS__)

static bool spark_validate_differ(double a, double b)
{
  return fabs(a - b) > RELATION_TOLERANCE * fmax(1, fabs(b));
}

static double spark_validate_sum(int n, const double *x)
{
  long double total = 0;
  for (int i = 0; i < n; i++)
    total += x[i];
  return (double)total;
}

static bool spark_validate_singular(const dae__small *A)
{
  dae__small inverse;
  return !(dae__small_inverse(A, &inverse) > SINGULAR_RCOND);
}

/* ---- conditions on both kinds of tableaux ---- */

static dae_status spark_validate_arrays(const dae_spark_tableau *t, dae_error *err)
{
  int s = t->s, nt = t->nt;
  if (s < 1 || s > DAE_SPARK_MAX_STAGES)
    return REFUSE(err, "s", "a tableau has 1 to %d stages, this one has s = %d",
                  DAE_SPARK_MAX_STAGES, s);
  if (nt != s && nt != s + 1)
    return REFUSE(err, "nt",
                  "nt is %d, but there are s + 1 = %d tilde stages in an (s,s) method, and s = %d "
                  "where they are the stages themselves (Lobatto IIIA-x-IIIB)",
                  nt, s + 1, s);
  if (nt < 2)
    return REFUSE(err, "nt", "nt is 1: the tilde points are at least t0 and t1");
  const struct {
    const char *name;
    const double *values;
    int count;
  } arrays[] = {{"c", t->c, s},    {"b", t->b, s},        {"A", t->A, s * s},
                {"bh", t->bh, s},  {"Ah", t->Ah, s * s},  {"ct", t->ct, nt},
                {"bt", t->bt, nt}, {"Ab", t->Ab, nt * s}, {"At", t->At, s * nt}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    if (!arrays[i].values)
      return REFUSE(err, arrays[i].name, "%s of the tableau is missing: NULL", arrays[i].name);
    if (!dae__all_finite(arrays[i].count, arrays[i].values))
      return REFUSE(err, arrays[i].name, "%s of the tableau has an entry that is not finite",
                    arrays[i].name);
  }
  return DAE_OK;
}

/* conditions on the quadrature rules: b_i != 0 and c_i != c_j, needed by M and the moments of k;
 * sums of the weights */
static dae_status spark_validate_rule(const dae_spark_tableau *t, dae_error *err)
{
  const char *names[] = {"b", "bh", "bt"};
  const double *weights[] = {t->b, t->bh, t->bt};
  for (int i = 0; i < t->s; i++) {
    if (t->b[i] == 0)
      return REFUSE(err, "b", "b[%d] is 0: every weight must be different from 0", i);
    for (int j = 0; j < i; j++)
      if (!spark_validate_differ(t->c[i], t->c[j]))
        return REFUSE(err, "c", "c[%d] and c[%d] are both %g: the nodes must be distinct", j, i,
                      t->c[i]);
  }
  for (int k = 0; k < 3; k++) {
    double total = spark_validate_sum(k < 2 ? t->s : t->nt, weights[k]);
    if (spark_validate_differ(total, 1))
      return REFUSE(err, names[k],
                    "the weights %s add up to %.15g instead of 1: not a quadrature rule; are "
                    "digits missing?",
                    names[k], total);
  }
  return DAE_OK;
}

static dae_status spark_validate_row_sums(int rows, int cols, const double *A, const double *c,
                                          const char *A_name, const char *c_name, dae_error *err)
{
  for (int i = 0; i < rows; i++) {
    double total = spark_validate_sum(cols, A + i * cols);
    if (spark_validate_differ(total, c[i]))
      return REFUSE(err, A_name,
                    "%s = %s 1 does not hold: row %d of %s adds up to %.15g, %s[%d] is %.15g; are "
                    "the matrices stored by rows?",
                    c_name, A_name, i, A_name, total, c_name, i, c[i]);
  }
  return DAE_OK;
}

static dae_status spark_validate_psi_undetermined(const dae_spark_tableau *t, const char *matrix,
                                                  dae_error *err)
{
  bool iiia = dae__max_abs(t->s, t->Ah) == 0;
  return REFUSE(err, "Ah",
                "%s is singular, so that the multipliers psi of a step are not determined%s",
                matrix,
                iiia ? ": the first row of Ah is zero, as in Lobatto IIIA, so that "
                       "k at the first stage depends on no psi; take another Ah"
                     : "");
}

/* ---- conditions on (s,s) tableaux ---- */

static dae_status spark_validate_A_and_lambda(const dae_spark_tableau *t, dae_error *err)
{
  int s = t->s;
  dae__small A = dae__small_of(s, s, t->A), Ac = dae__small_of(s, s, t->Ab + s);
  dae__small alphat = dae__spark_alpha(s, t->nt, t->At, t->bt);
  if (spark_validate_singular(&A))
    return REFUSE(err, "A",
                  "A is singular%s; Lobatto IIIA-x-IIIB methods, with g at the stages themselves, "
                  "go by nt = s",
                  dae__max_abs(s, t->A) == 0 ? ": its first row is zero, as in Lobatto IIIA" : "");
  if (spark_validate_singular(&Ac))
    return REFUSE(err, "Ab",
                  "Ab without its zero row is singular, so that g at the tilde points does not "
                  "determine the motion: are two of the ct equal?");
  if (!spark_validate_singular(&alphat))
    return DAE_OK;
  for (int j = 0; j < t->nt; j++) {
    bool zero = t->bt[j] == 0;
    for (int i = 0; i < s; i++)
      zero = zero && t->At[i * t->nt + j] == 0;
    if (zero)
      return REFUSE(err, "At",
                    "alpha-tilde = (At; bt') is singular: its column %d is zero, so that stage %d "
                    "of lambda enters nowhere. Tilde nodes (0, c) with weights (0, b), for a Radau "
                    "rule c, are impossible for that reason; take a Lobatto rule of s + 1 nodes",
                    j, j);
  }
  return REFUSE(err, "At",
                "alpha-tilde = (At; bt') is singular, so that the multipliers lambda of a step are "
                "not determined");
}

static dae_status spark_validate_psi(const dae_spark_tableau *t, dae_error *err)
{
  dae__small M = dae__spark_M(t);
  if (spark_validate_singular(&M))
    return REFUSE(
        err, "A",
        "M, with rows b' and b' - i b' C^(i-1) A for i = 1..s-1, is singular: the moments "
        "of k do not go over into k at the stages. It is regular for methods with D(s-1)");
  dae__small gamma, w, Qt = dae__spark_Qt(t, &gamma, &w);
  dae__small alphah = dae__spark_alpha(t->s, t->s, t->Ah, t->bh);
  dae__small last = dae__small_times(&gamma, &alphah), Qah = dae__small_times(&Qt, &alphah);
  long double scale = dae__small_norm(&gamma) * dae__small_norm(&alphah);
  for (int j = 0; j < t->s; j++)
    if (fabsl(last.at[0][j]) > RELATION_TOLERANCE * scale)
      return REFUSE(
          err, "Ah",
          "bh' = b' A^-1 Ah does not hold (column %d is off by %.3g): the last row of the "
          "transformed equations would contain f; Ah = A is always valid",
          j, (double)last.at[0][j]);
  return spark_validate_singular(&Qah) ? spark_validate_psi_undetermined(t, "Qt alpha-hat", err)
                                       : DAE_OK;
}

/* ---- conditions on tableaux with nt = s ---- */

static dae_status spark_validate_same_nodes(const dae_spark_tableau *t, dae_error *err)
{
  int s = t->s;
  for (int i = 0; i < s * s; i++)
    if (spark_validate_differ(t->Ab[i], t->A[i]))
      return REFUSE(err, "Ab",
                    "with nt = s the points where g holds are the stages, Ab = A, but row %d of "
                    "them differs; an (s,s) method has nt = s + 1",
                    i / s);
  dae__small Ab = dae__small_of(s, s, t->Ab), At = dae__small_of(s, s, t->At);
  dae__small AbAt = dae__small_times(&Ab, &At), bt = dae__small_of(1, s, t->bt);
  dae__small later = dae__small_rows(&AbAt, 1, s - 1);
  dae__small lambda = dae__small_stacked(&later, &bt);
  if (spark_validate_singular(&lambda))
    return REFUSE(err, "At",
                  "(Ab At without its first row; bt') is singular, so that the multipliers lambda "
                  "of a step are not determined; Lobatto IIIB is the right At for A = IIIA");
  dae__small bq = dae__small_zero(s - 1, s), Ah = dae__small_of(s, s, t->Ah);
  for (int i = 0; i < s - 1; i++)
    for (int j = 0; j < s; j++) {
      long double P, dP;
      dae__legendre(i, 2 * (long double)t->c[j] - 1, &P, &dP);
      bq.at[i][j] = t->b[j] * P;
    }
  dae__small moments = dae__small_times(&bq, &Ah), bh = dae__small_of(1, s, t->bh);
  dae__small psi = dae__small_stacked(&moments, &bh);
  return spark_validate_singular(&psi)
             ? spark_validate_psi_undetermined(t, "(b' C^(i-1) Ah, i = 1..s-1; bh')", err)
             : DAE_OK;
}

dae_status dae_spark_tableau_validate(const dae_spark_tableau *tableau, dae_error *err)
{
  const dae_spark_tableau *t = tableau;
  if (!t)
    return dae__fail(err, DAE_ERROR_USAGE, NULL, "there is no tableau: NULL");
  DAE__TRY(spark_validate_arrays(t, err));
  DAE__TRY(spark_validate_rule(t, err));
  DAE__TRY(spark_validate_row_sums(t->s, t->s, t->A, t->c, "A", "c", err));
  DAE__TRY(spark_validate_row_sums(t->nt, t->s, t->Ab, t->ct, "Ab", "ct", err));
  const double *last = t->Ab + (t->nt - 1) * t->s;
  for (int j = 0; j < t->s; j++) {
    if (t->Ab[j] != 0)
      return REFUSE(err, "Ab",
                    "row 0 of Ab is not zero (column %d has %g): the first tilde point is the "
                    "start of the step",
                    j, t->Ab[j]);
    if (spark_validate_differ(last[j], t->b[j]))
      return REFUSE(err, "Ab",
                    "the last row of Ab is not b' (column %d has %.15g, b has %.15g): the last "
                    "tilde point is the end of the step",
                    j, last[j], t->b[j]);
  }
  if (t->nt == t->s)
    return spark_validate_same_nodes(t, err);
  DAE__TRY(spark_validate_A_and_lambda(t, err));
  return spark_validate_psi(t, err);
}
