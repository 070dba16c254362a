#include "model_site.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- derivatives ---- */

/* direction k: along a leaf, or one of those of the header */
static void direct(const site *c, int k, int leaf)
{
  base *b = c->b;
  base_clear(b, k);
  if (leaf >= 0) {
    base_toward(b, k, leaf, 1);
    return;
  }
  for (int i = 0; i < c->u->q.count; i++) {
    int rate = base_rate(b, c->u->q.item[i]);
    if (leaf == CONTRACTED)
      base_toward(b, k, rate, c->s[i]);
    else
      base_toward(b, k, c->u->q.item[i], b->value[rate]);
  }
  if (leaf != CONTRACTED)
    base_toward(b, k, 0, 1);
  for (int i = 0; leaf == MOTION_IN && i < c->u->in.count; i++)
    base_toward(b, k, c->u->in.item[i], c->in_rate[i]);
}

long double d0(const site *c, dae__node node)
{
  return base_derivative(c->b, node, 0);
}

long double d1(const site *c, dae__node node, int first)
{
  direct(c, 0, first);
  return base_derivative(c->b, node, 1);
}

long double d2(const site *c, dae__node node, int first, int second)
{
  direct(c, 0, first);
  direct(c, 1, second);
  return base_derivative(c->b, node, 2);
}

long double d3(const site *c, dae__node node, int first, int second, int third)
{
  direct(c, 0, first);
  direct(c, 1, second);
  direct(c, 2, third);
  return base_derivative(c->b, node, 3);
}

int q_of(const site *c, int i)
{
  return c->u->q.item[i];
}

int v_of(const site *c, int i)
{
  return base_rate(c->b, c->u->q.item[i]);
}

int column_of(const site *c, int j)
{
  int nq = c->u->q.count, nu = c->u->u.count;
  return j < nq            ? q_of(c, j)
         : j < 2 * nq      ? v_of(c, j - nq)
         : j < 2 * nq + nu ? c->u->u.item[j - 2 * nq]
                           : c->u->w.item[j - 2 * nq - nu];
}

/* ---- numbers ---- */

static uint64_t seed;

void site_begin(void)
{
  seed = 88172645463325252u;
}

double site_random(double low, double high)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

double *site_vector(int n)
{
  double *v = calloc((size_t)(n > 0 ? n : 1), sizeof *v);
  assert_non_null(v);
  return v;
}

double *site_random_vector(int n)
{
  double *v = site_vector(n);
  for (int i = 0; i < n; i++)
    v[i] = site_random(-1, 1);
  return v;
}

static double worst;
static long compared;

void site_compare(const char *model, const char *what, int rows, int cols, const double *got,
                  const double *want)
{
  double all = 0;
  for (int i = 0; i < rows * cols; i++)
    all = fmax(all, fabs(want[i]));
  for (int i = 0; i < rows; i++) {
    double largest = fmax(1, 1e-2 * all); /* terms as large as those of other rows may cancel */
    for (int j = 0; j < cols; j++)
      largest = fmax(largest, fabs(want[j * rows + i]));
    for (int j = 0; j < cols; j++) {
      double off = fabs(got[j * rows + i] - want[j * rows + i]) / largest;
      if (!(off <= SITE_AGREE))
        fail_msg("%s: %s[%d, %d] is %.17g, not %.17g", model, what, i, j, got[j * rows + i],
                 want[j * rows + i]);
      worst = fmax(worst, off);
      compared++;
    }
  }
}

double *site_full(const dae_pattern *pattern, int rows, int cols, const double *values)
{
  double *out = site_vector(rows * cols);
  for (int j = 0; j < cols; j++)
    for (int e = pattern ? pattern->start[j] : j * rows;
         e < (pattern ? pattern->start[j + 1] : (j + 1) * rows); e++)
      out[j * rows + (pattern ? pattern->row[e] : e - j * rows)] = values[e];
  return out;
}

double *site_unwritten(const dae_pattern *pattern, int rows, int cols)
{
  int count = pattern ? pattern->start[cols] : rows * cols;
  double *v = site_vector(count);
  for (int i = 0; i < count; i++)
    v[i] = NAN;
  return v;
}

double *site_values(const base *b, const dae__ints *leaves)
{
  double *v = site_vector(leaves->count);
  for (int i = 0; i < leaves->count; i++)
    v[i] = b->value[leaves->item[i]];
  return v;
}

static double *wanted(const site *c, int rows, int cols, entry_fn *entry)
{
  double *want = site_vector(rows * cols);
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++)
      want[j * rows + i] = (double)entry(c, i, j);
  return want;
}

void site_check(const site *c, const char *what, int rows, int cols, const dae_pattern *pattern,
                const double *values, entry_fn *entry)
{
  double *got = site_full(pattern, rows, cols, values), *want = wanted(c, rows, cols, entry);
  site_compare(c->model, what, rows, cols, got, want);
  free(got), free(want);
}

long site_record(double *out)
{
  long count = compared;
  *out = worst;
  worst = 0;
  compared = 0;
  return count;
}
