/* The complementarity problem of an impact, with unknowns scaled by the compliances. */
#include "core/vec.h"
#include "problem/mechanical/impact_private.h"

/* Largest violation of the complementarity problem, relative to its speeds, by an answer that is
 * taken. Impulses are scaled to the speeds that they alone would give. Chosen. */
#define ANSWER_ERROR 1e-9
/* Speed of sliding, relative to the speeds of the problem, that is none: ANSWER_ERROR, and this of
 * a contact that has come to the end of its friction at rest. Chosen. */
#define BREAKS_AT 1e-12
/* Number of paths of Lemke's method, which with friction ends on a ray for some problems that have
 * a solution. Of 248 random ones without an answer 10 have one; 4 paths leave 5, 8 to 64 leave 2.
 */
#define ATTEMPTS 8
/* Its multiples are far from each other in the unit interval. */
#define GOLDEN 0.6180339887498949

static int impact_facets(const dae__impact_contact *c)
{
  return c->slides == 2 ? DAE__FACETS : 2 * c->slides;
}

/* Component of slide k in direction f of the cone of friction. */
static double impact_direction(const dae__impact_contact *c, int f, int k)
{
  if (c->slides == 1)
    return f == 0 ? 1 : -1;
  static const double r = 0.70710678118654752440;
  static const double cosine[DAE__FACETS] = {1, r, 0, -r, -1, -r, 0, r};
  return cosine[(f - 2 * k + DAE__FACETS) % DAE__FACETS];
}

int dae__impact_unknowns(const dae__impact_contact *c)
{
  return c->slides > 0 ? 2 + impact_facets(c) : 1;
}

/* Entry of H between rows a and b, scaled. */
static double impact_scaled(const dae__impact_system *s, int a, int b)
{
  return s->scale[a] * s->H[b * s->rows + a] * s->scale[b];
}

/* Whether friction of a contact is to be found; that of a contact that slides in a known direction
 * goes with its normal force. */
static bool impact_rubs(const dae__impact_system *s, int i, bool friction)
{
  const dae__impact_contact *c = &s->contact[i];
  bool determined = c->slides == 0 || s->scale[s->first[i] + 1] == 0;
  return friction && !determined && c->friction > 0 && c->slip == 0;
}

/* Lists the unknowns of the problem: for each contact its normal impulse, and with friction the
 * impulses along the directions of its cone and the speed of sliding. */
static int impact_list(dae__impact_system *s, bool friction)
{
  dae__impact_unknown *list = s->unknown;
  int n = 0;
  for (int i = 0; i < s->contacts; i++) {
    if (s->scale[s->first[i]] == 0)
      continue;
    list[n++] = (dae__impact_unknown){i, -1};
    int facets = impact_rubs(s, i, friction) ? impact_facets(&s->contact[i]) : 0;
    for (int f = 0; f < facets; f++)
      list[n++] = (dae__impact_unknown){i, f};
    if (facets > 0)
      list[n++] = (dae__impact_unknown){i, -2};
  }
  return n;
}

/* Weights of an unknown impulse on the rows of its contact; returns the number of rows. */
static int impact_weights(const dae__impact_system *s, dae__impact_unknown u, int *row,
                          double *weight)
{
  const dae__impact_contact *c = &s->contact[u.contact];
  int first = s->first[u.contact];
  if (u.kind < 0) {
    *row = first;
    *weight = 1;
    return u.kind == -1;
  }
  *row = first + 1;
  for (int k = 0; k < c->slides; k++)
    weight[k] = impact_direction(c, u.kind, k);
  return c->slides;
}

/* Weights of an unknown impulse as a column: with the friction of a contact that slides in a known
 * direction. */
static int impact_forces(const dae__impact_system *s, dae__impact_unknown u, int *row,
                         double weight[1 + DAE_SLIDES])
{
  const dae__impact_contact *c = &s->contact[u.contact];
  int rows = impact_weights(s, u, row, weight);
  if (u.kind != -1 || c->slip == 0)
    return rows;
  double scale = s->scale[*row + 1]; /* both impulses are scaled */
  weight[1] = scale > 0 ? -c->friction * c->slip * s->scale[*row] / scale : 0;
  return 2;
}

/* Entry (a, b) of the matrix of the problem. */
static double impact_entry(const dae__impact_system *s, dae__impact_unknown a,
                           dae__impact_unknown b)
{
  double left[1 + DAE_SLIDES], right[1 + DAE_SLIDES], sum = 0;
  int row, column, m = impact_weights(s, a, &row, left), n = impact_forces(s, b, &column, right);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      sum += left[i] * right[j] * impact_scaled(s, row + i, column + j);
  if (a.contact != b.contact)
    return sum;
  int normal = s->first[a.contact];
  if (a.kind >= 0 && b.kind == -2)
    return 1;
  if (a.kind == -2)
    return b.kind >= 0    ? -1
           : b.kind == -1 ? s->contact[a.contact].friction * s->scale[normal] / s->scale[normal + 1]
                          : 0;
  return sum;
}

/* Forms the problem, and returns the largest of its speeds. */
static double impact_form(dae__impact_system *s, bool restitution, int n)
{
  const dae__impact_unknown *list = s->unknown;
  int row;
  double weight[1 + DAE_SLIDES], size = 0;
  for (int a = 0; a < n; a++) {
    int m = impact_weights(s, list[a], &row, weight);
    s->q[a] = 0;
    for (int k = 0; k < m; k++)
      s->q[a] += weight[k] * s->scale[row + k] * s->before[row + k];
    if (list[a].kind == -1 && restitution)
      s->q[a] += s->contact[list[a].contact].restitution * fmin(s->q[a], 0);
    size = fmax(size, fabs(s->q[a]));
    for (int b = 0; b < n; b++)
      s->M[b * n + a] = impact_entry(s, list[a], list[b]);
  }
  return size;
}

/* Weight of row a in an attempt: positive weights of the rows leave the solutions as they are, and
 * lead Lemke's method along another path. */
static double impact_weight(int a, int attempt)
{
  return attempt == 0 ? 1 : 0.25 + fmod((a + 1) * attempt * GOLDEN, 1);
}

/* Solves the problem into s->z; *size: the largest of its speeds. False: no path of Lemke's method
 * leads to an answer. */
static bool impact_complement(dae__impact_system *s, bool restitution, bool friction, int n,
                              double *size)
{
  int attempts = friction ? ATTEMPTS : 1; /* without friction the first path ends at an answer */
  for (int attempt = 0; attempt < attempts; attempt++) {
    *size = impact_form(s, restitution, n);
    for (int a = 0; a < n; a++) {
      double weight = impact_weight(a, attempt);
      s->q[a] *= weight;
      for (int b = 0; b < n; b++)
        s->M[b * n + a] *= weight;
    }
    if (dae__lcp_solve(&s->lcp, n, s->M, s->q, s->z) &&
        dae__lcp_error(n, s->M, s->q, s->z) <= ANSWER_ERROR * *size)
      return true;
  }
  return false;
}

bool dae__impact_solve(dae__impact_system *s, bool restitution, bool friction, double *impulse)
{
  const dae__impact_unknown *list = s->unknown;
  int n = impact_list(s, friction), row;
  double weight[1 + DAE_SLIDES], size = 0;
  dae__zero(s->rows, impulse);
  if (!impact_complement(s, restitution, friction, n, &size))
    return false;
  for (int i = 0; i < s->contacts; i++)
    s->sliding[i] = true; /* without friction */
  for (int a = 0; a < n; a++) {
    int m = impact_forces(s, list[a], &row, weight);
    if (list[a].kind == -2) /* speed of sliding */
      s->sliding[list[a].contact] =
          s->z[a] > (s->contact[list[a].contact].breaks ? BREAKS_AT : ANSWER_ERROR) * size;
    for (int k = 0; k < m; k++)
      impulse[row + k] += weight[k] * s->scale[row + k] * s->z[a];
  }
  return true;
}
