/* The error of a Gauss step. Its estimate, gamma h (k_0 - p(0)), see gauss.c, is compared with a
 * tolerance that is mapped.
 *
 * That holds where forces are smooth. Where they jump or bend within a step, its error is of the
 * size of the estimate. It shows in e_(s-1) and e_(s-2), the same with fewer stages: those of
 * smooth forces shrink from one to the next by rho = e_s / max(e_(s-1), e_(s-2)) or more, and the
 * step is in error by less than e_s rho^(s-1), while rho is near 1 where they are not smooth. So
 * e_s rho^(s-1) has to be below the tolerance itself, too: with 4 to 6 stages and one jump or bend,
 * wherever it is, the error is at most 4.5 times the larger of that and of the same at the end.
 *
 * The nodes leave out the last few hundredths of a step: what begins to act there shows in k at the
 * end, which is evaluated once the step has been accepted. Where gamma h (k - p(1)) is several
 * times what these tolerances allow, the step is given up after all. */
#include "onestep/gauss/gauss.h"

#define SURPRISE 5 /* error at the end, relative to the mapped tolerance, */
#define MISSED 2   /* and of what is not smooth, at which a step is not taken */

/* |sum_j w_j k_j - k| over v and u, relative to the tolerance; k = NULL: 0 */
static double gauss_slopes_apart(const dae__gauss *o, int n, const double *w, const double *K,
                                 const double *k)
{
  size_t i = (size_t)o->n2, nx = (size_t)o->adapter->nx, all = nx - i;
  dae__pair sum = {0, 0};
  for (; i + 2 <= nx; i += 2) {
    dae__pair d = {0, 0};
    if (k)
      d -= dae__pair_from_anywhere(k + i);
    for (int j = 0; j < n; j++)
      d += w[j] * dae__pair_from_anywhere(K + (size_t)j * o->stride + i);
    d *= dae__pair_from_anywhere(o->inverse + i);
    sum += d * d;
  }
  double rest = i < nx && k ? -k[i] : 0;
  for (int j = 0; i < nx && j < n; j++)
    rest += w[j] * K[(size_t)j * o->stride + i];
  rest *= i < nx ? o->inverse[i] : 0;
  return all > 0 ? sqrt((dae__pair_sum(sum) + rest * rest) / (double)all) : 0;
}

/* rho^(s-1) */
static double gauss_smoothness(const dae__gauss *o, double fine, double rough)
{
  double rho = fine < rough ? fine / rough : 1, power = 1;
  for (int i = 1; i < o->s; i++)
    power *= rho;
  return power;
}

/* relative to the mapped tolerance, or where forces are not smooth to the tolerance */
double dae__gauss_estimate(dae__gauss *o, double h, const double *K)
{
  o->move_start(o, h, o->zero, K, &o->start, o->error);
  double size = dae__gauss_norm(o->adapter->nx, o->error, o->zero, o->inverse),
         mapped = o->scale * size;
  if (o->s < 3 || o->gamma * size <= fmax(mapped, 1))
    return mapped;
  int n2 = o->n2;
  double fine = dae__gauss_norm(o->adapter->nx - n2, o->error + n2, o->zero, o->inverse + n2),
         rough = 0;
  for (int d = 1; d <= 2; d++)
    rough = fmax(rough, h * gauss_slopes_apart(o, o->s + 1 - d, o->rough_start[d - 1], K, NULL));
  double plain = o->gamma * size * gauss_smoothness(o, fine, rough);
  return plain <= mapped ? mapped : plain; /* a NaN stays */
}

/* whether k at the end is not what the stages led to expect */
bool dae__gauss_surprises(dae__gauss *o, double h, const double *dz)
{
  double *K = o->K[!o->memory->last];
  if (o->fixed)
    return false;
  double fine = h * gauss_slopes_apart(o, o->s, o->at_end, dae__gauss_slope(o, K, 1), dz);
  if (!(o->scale * fine <= SURPRISE))
    return true;
  if (o->s < 3 || o->gamma * fine <= MISSED)
    return false;
  double rough = 0;
  for (int d = 1; d <= 2; d++)
    rough = fmax(rough, h * gauss_slopes_apart(o, o->s - d, o->rough_end[d - 1],
                                               dae__gauss_slope(o, K, d + 1), dz));
  return o->gamma * fine * gauss_smoothness(o, fine, rough) > MISSED;
}
