/* Coefficients of Radau IIA, and linear maps of its stages with a constant number of stages for the
 * compiler. Eigenvalues and eigenvectors of A are tabulated, because computing them by
 * quadrature/eigen.h in extended precision takes as long as some runs (tests/unit/test_radau_rule.c
 * compares both). */
#include "core/assert.h"
#include "onestep/radau/radau.h"
#include "quadrature/nodes.h"
#include <math.h>

/* Error of a step relative to the tolerance, beside the factor 0.1 of the mapped tolerance. In
 * first-order problems errors of steps add up. In mechanical ones the phase of a spinning body is
 * their second sum: this is the share of the first step, and that of later ones decreases with the
 * number of steps (share.h), so that the error of the phase grows in proportion to the time.
 * Measured: evaluations for equal accuracy do not depend on it (0.03 to 1). With singular M,
 * circuits without such sums, the error has no share. */
#define STEP_SHARE 0.1

/* ---- coefficients ---- */

/* Eigenvalues and eigenvectors of A; complex numbers as pairs of real and imaginary part. */
typedef struct eigen {
  double mu, T[DAE__RADAU_STAGES], Ti[DAE__RADAU_STAGES];
  double zmu[DAE__REDUCED_PAIRS][2];
  double zT[DAE__REDUCED_PAIRS][DAE__RADAU_STAGES][2];
  double zTi[DAE__REDUCED_PAIRS][DAE__RADAU_STAGES][2];
} eigen;

static const eigen radau_table[DAE__RADAU_RULES] = {
    {.mu = 0.27488882959567737,
     .T = {0.094438762488975242, 0.25021312296533331, 1},
     .Ti = {4.1787185915519047, 0.32768282076106239, 0.52337644549944955},
     .zmu = {{0.16255558520216132, 0.18494932440714078}},
     .zT = {{{-0.14125529502095421, -0.030029194105147424},
             {0.20412935229379993, 0.38294211275726194},
             {1, 1.0750952968583611e-20}}},
     .zTi = {{{-2.0893592957759524, 0.25143631747289344},
              {-0.16384141038053119, -1.2859634749278027},
              {0.23831177725027523, 0.29801960241411246}}}},
    {.mu = 0.15906584442746912,
     .T = {0.013576867344947943, 0.0016179004017190879, 0.079157853347447208, 0.41225608268046145,
           1},
     .Ti = {27.697693775684088, 12.783337911304406, 3.2084893867134298, -0.95149041224891618,
            0.7415504960259896},
     .zmu = {{0.1331790770182996, 0.074994511835818523},
             {0.065065778545743619, 0.11646852774031708}},
     .zT = {{{-0.011478515255229515, -0.014019858892875411},
             {-0.0076688307491801629, 0.024708578426518527},
             {0.01939846399882895, 0.081800353703751171},
             {0.40760117128019907, 0.19968242788680253},
             {1, 0}},
            {{-0.010242047817908827, 0.047673877290295724},
             {0.050172864517371058, -0.094331819181611437},
             {-0.23053953404341795, 0.1027030453801259},
             {0.37789390224886125, 0.46674413033249436},
             {1, 0}}},
     .zTi = {{{-16.5209401067595, 4.3057219899376462},
              {-8.6884767395317835, -4.849995704764404},
              {-0.08606453162700277, -0.95736431984843712},
              {-0.049584888991271343, -1.20934600304247},
              {0.26561405791915334, 0.52373174396766871}},
             {{2.6720932189174558, -1.8740299037199024},
              {2.2968077838795805, 1.9924828681719423},
              {-1.5181801617297122, 0.5222078208040094},
              {0.52533009511572944, -0.59204928406897424},
              {-0.13638930593214814, 0.22495888507839018}}}},
    {.mu = 0.11189646530003507,
     .T = {0.0024435843048706119, -0.0018153396483193176, 0.0046053393311618746,
           0.017870023342853066, 0.1281810080772839, 0.52006514974882468, 1},
     .Ti = {227.51530596268073, 166.64802246760977, 43.265145884526219, 3.6230900613410154,
            3.5726748329387985, -2.7435563656033679, 1.4514535402547506},
     .zmu = {{0.10228556649689874, 0.039427496438063532},
             {0.075280411819775111, 0.069819600780833306},
             {0.035716558264077841, 0.082953154313331608}},
     .zT = {{{-0.0012386461879528735, -0.0027606174805438523},
             {-6.6666353393963752e-05, 0.0031854748251662099},
             {-0.0023521809829433374, 0.00041690777252975672},
             {0.0031150711523461778, 0.025116604913438821},
             {0.10171773248171515, 0.09504502035604622},
             {0.52175194527476529, 0.12807194463554388},
             {1, 0}},
            {{-0.0040551614523310237, 0.0044272327532682859},
             {0.0084155682765595894, -0.0040319495702245498},
             {-0.0085604310616034321, -0.0069232126650239092},
             {-0.037371242302384459, 0.0082390072985077186},
             {0.0053667613791817682, 0.19321111610126202},
             {0.52657422645844927, 0.27553439498962582},
             {1, 0}},
            {{0.021567551351320774, 0.0087835679251441447},
             {-0.038131648134411547, -0.021525560594006876},
             {0.057396508939381715, 0.058850529208426792},
             {-0.03821469359696835, -0.16573681127294385},
             {-0.24917421246526369, 0.27356330579866232},
             {0.53158464908362843, 0.4863228366175729},
             {1, 0}}},
     .zTi = {{{-149.59312401412607, 46.538251448717639},
              {-121.52037268437241, -11.940815528140583},
              {-24.388552039018936, -19.639440365406924},
              {-1.0193359528709667, -7.1944578427455405},
              {0.83678011993054206, 1.7552191996996805},
              {-0.54368701602855261, -2.4316424427830904},
              {0.45096912464804951, 1.12324136479562}},
             {{37.339166117511347, -29.178264425953285},
              {43.704294489950405, 5.0343869789000912},
              {2.0120793686899983, 15.183194421283335},
              {-1.8574031575791822, 0.51001043259243283},
              {-1.7150469929911585, 0.056208750189212497},
              {1.348302404882656, -0.94532041550018881},
              {-0.46934637180377302, 0.48582431969157412}},
             {{-1.5036950847256461, 4.2209815941605423},
              {-5.5079330393828857, 0.32526263702875752},
              {0.7438997280658281, -3.4703353651849382},
              {1.0651940797796413, 1.6025237627989492},
              {-0.90807054340878282, -0.53564047177323929},
              {0.56716279394758056, 0.17742537456081109},
              {-0.20734952297165177, -0.045992745663932768}}}},
    {.mu = 1, .T = {1}, .Ti = {1}},
    {.mu = 0.40824829046386302, /* |zmu| */
     .zmu = {{0.33333333333333333, 0.23570226039551584}},
     .zT = {{{0.11111111111111111, 0.31426968052735446}, {1, 0}}},
     .zTi = {{{0, -1.5909902576697319}, {0.5, 0.17677669529663688}}}},
};

static dae__pair radau_rule_both_lanes(double x)
{
  return (dae__pair){x, x};
}

int dae__radau_stages_of(int rule)
{
  static const int stages[DAE__RADAU_RULES] = {3, 5, 7, 1, 2};
  return stages[rule];
}

int dae__radau_rule_of(int s)
{
  int rule = 0;
  while (rule < DAE__RADAU_RULES - 1 && dae__radau_stages_of(rule) != s)
    rule++;
  DAE__ASSERT(dae__radau_stages_of(rule) == s);
  return rule;
}

dae__radau_rule dae__radau_rule_create(int stages)
{
  const eigen *e = &radau_table[dae__radau_rule_of(stages)];
  int reals = stages % 2;
  dae__radau_rule rule = {.c = dae__collocation_tabulated(stages, true),
                          .s = stages,
                          .reals = reals,
                          .pairs = stages / 2,
                          .mu = e->mu};
  for (int d = 0; d < DAE__RADAU_RATIOS + 2; d++)
    for (int j = 0; j < stages - d; j++)
      rule.start[d][j] = dae__lagrange_weight(stages - d, rule.c->c, j, 0);
  for (int d = 0; d < DAE__RADAU_END_ESTIMATES; d++)
    for (int j = d; j < stages - 1; j++)
      rule.end[j][d] = dae__lagrange_weight(stages - 1 - d, rule.c->c + d, j - d, 1);
  for (int j = 0; j < stages; j++) {
    double others = j > 0 ? dae__lagrange_weight(stages - 1, rule.c->c + 1, j - 1, 0) : 0;
    rule.low_order[j] = rule.start[0][j] - others;
    if (reals) {
      rule.to_eigen.m[0][j] = radau_rule_both_lanes(e->Ti[j]);
      rule.from_eigen.m[j][0] = radau_rule_both_lanes(e->T[j]);
    }
    for (int i = 0; i < stages; i++) {
      rule.A.m[i][j] = radau_rule_both_lanes(rule.c->A[i][j]);
      rule.A2.m[i][j] = radau_rule_both_lanes(rule.c->A2[i][j]);
    }
  }
  for (int p = 0; p < rule.pairs; p++) {
    rule.zmu[p] = e->zmu[p][0] + e->zmu[p][1] * I;
    for (int j = 0; j < stages; j++)
      for (int part = 0; part < 2; part++) { /* sum of a conjugate pair: T w + T' w' = 2 Re T w */
        rule.to_eigen.m[reals + 2 * p + part][j] = radau_rule_both_lanes(e->zTi[p][j][part]);
        rule.from_eigen.m[j][reals + 2 * p + part] =
            radau_rule_both_lanes((part ? -2 : 2) * e->zT[p][j][part]);
      }
  }
  return rule;
}

const dae__radau_rule *dae__radau_rule_at(const dae__radau *o, int i)
{
  dae__radau_rule *rule = o->rule[i];
  if (rule->s > 0)
    return rule;
  *rule = dae__radau_rule_create(dae__radau_stages_of(i));
  double s = rule->s, part = (s + 1) / (2 * s); /* powers of h in estimate and error */
  double share = o->fixed || o->adapter->singular ? 1 : STEP_SHARE;
  double rtol = 0.1 * pow(share * o->rtol, part);
  rule->tolerance = (dae__radau_tolerance){
      .rtol = rtol,
      .atol = rtol * o->atol / o->rtol,
      .stop = (o->smooth ? DAE__RADAU_SMOOTH_STOP : 1) * pow(rtol, 1 / part - 1),
      .stagnation = fmin(10 * o->rtol, DAE__RADAU_STAGNATION) / rtol,
      .fixed = o->fixed,
      .damp = o->smooth != NULL};
  return rule;
}

int dae__radau_fine_nodes(int s)
{
  int wanted = s > 2 ? 2 * s - 2 : s;
  return wanted < DAE__COLLOCATION_STAGES_MAX ? wanted : DAE__COLLOCATION_STAGES_MAX;
}

const dae__collocation_rule *dae__radau_fine_rule(const dae__radau *o, int s)
{
  int nodes = dae__radau_fine_nodes(s);
  if (o->fine_rule->s != nodes)
    *o->fine_rule = dae__collocation_create(nodes, true);
  return o->fine_rule;
}

/* ---- linear maps: two entries of all rows at a time stay in registers ---- */

static inline void radau_map_load(const int s, const double *X, int n, dae__pair *x)
{
  for (int j = 0; j < s; j++)
    x[j] = dae__pair_from_anywhere(X + j * n);
}

/* Loads the last entry of each row, for rows of odd length. */
static inline void radau_map_load_one(const int s, const double *X, int n, dae__pair *x)
{
  for (int j = 0; j < s; j++)
    x[j] = (dae__pair){X[j * n], 0};
}

static inline dae__pair radau_map_sum(const int s, const dae__pair *m, const dae__pair *x)
{
  dae__pair even = m[0] * x[0], odd = {0, 0};
  if (s > 1)
    odd = m[1] * x[1];
  for (int j = 2; j < s; j += 2) {
    even += m[j] * x[j];
    if (j + 1 < s)
      odd += m[j + 1] * x[j + 1];
  }
  return even + odd;
}

static inline void radau_map_all_rows(const int s, const dae__radau_map *map, int count,
                                      const double *X, int n, double *to, int stride)
{
  dae__pair x[DAE__RADAU_STAGES];
  int e = 0;
  for (; e + 2 <= count; e += 2) {
    radau_map_load(s, X + e, n, x);
    for (int i = 0; i < s; i++)
      dae__pair_to(to + i * stride + e, radau_map_sum(s, map->m[i], x));
  }
  if (e == count)
    return;
  radau_map_load_one(s, X + e, n, x);
  for (int i = 0; i < s; i++)
    to[i * stride + e] = radau_map_sum(s, map->m[i], x)[0];
}

/* base + at_i slope; without a slope: base */
static inline dae__pair radau_map_start(const dae__radau_integral *o, int i, dae__pair base,
                                        dae__pair slope)
{
  if (o->slope)
    base += o->at[i] * slope;
  return base;
}

static inline void radau_map_integrate_rows(const int s, const dae__radau_integral *o, int n,
                                            const double *X, int stride, double *to)
{
  dae__pair x[DAE__RADAU_STAGES];
  int e = 0;
  for (; e + 2 <= o->count; e += 2) {
    dae__pair base = dae__pair_from_anywhere(o->base + e);
    dae__pair slope = {0, 0};
    if (o->slope)
      slope = dae__pair_from_anywhere(o->slope + e);
    radau_map_load(s, X + e, n, x);
    for (int i = 0; i < s; i++)
      dae__pair_to(to + i * stride + e, radau_map_start(o, i, base, slope) +
                                            o->factor * radau_map_sum(s, o->map->m[i], x));
  }
  if (e == o->count)
    return;
  dae__pair base = {o->base[e], 0}, slope = {o->slope ? o->slope[e] : 0, 0};
  radau_map_load_one(s, X + e, n, x);
  for (int i = 0; i < s; i++)
    to[i * stride + e] =
        (radau_map_start(o, i, base, slope) + o->factor * radau_map_sum(s, o->map->m[i], x))[0];
}

void dae__radau_map_rows(int s, const dae__radau_map *map, int count, const double *X, int n,
                         double *to, int stride)
{
  if (s == 3)
    radau_map_all_rows(3, map, count, X, n, to, stride);
  else if (s == 5)
    radau_map_all_rows(5, map, count, X, n, to, stride);
  else if (s < 3)
    radau_map_all_rows(s, map, count, X, n, to, stride);
  else
    radau_map_all_rows(7, map, count, X, n, to, stride);
}

void dae__radau_integrate(int s, const dae__radau_integral *integral, int n, const double *X,
                          int stride, double *to)
{
  if (s == 3)
    radau_map_integrate_rows(3, integral, n, X, stride, to);
  else if (s == 5)
    radau_map_integrate_rows(5, integral, n, X, stride, to);
  else if (s < 3)
    radau_map_integrate_rows(s, integral, n, X, stride, to);
  else
    radau_map_integrate_rows(7, integral, n, X, stride, to);
}
