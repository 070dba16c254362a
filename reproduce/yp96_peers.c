/* DASPK, the successor of DASSL, and RADAU5 on the GGL form (1.3) of the problems of [YP96], beside
 * the rules of DASSL in daedal: from the shared object of R's package deSolve (Debian:
 * r-cran-desolve), skipped with a note where that is not installed. The codes run in a process of
 * their own, since what they print on trouble needs a session of R. */
#include "yp96.h"

#include <daedal/model.h>
#include <daedal/problem.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))
#define MOST 8           /* largest number of unknowns: two coordinates, one constraint */
#define WORK 4000        /* entries of the work arrays, more than both codes need for MOST */
#define ROUNDS 400       /* calls of DASPK of 500 steps each */
#define MAX_STEPS 200000 /* of RADAU5 */

/* ---- the GGL form of a problem with unit masses ---- */

typedef struct form {
  const dae_mechanical *p;
  int n, m, size; /* coordinates, constraints, unknowns (q, v, mu, lambda) */
} form;

static form *current; /* of the process: the callbacks of DASPK have no argument for it */

/* f(y) of D y' = f(y), D = 1 for q and v, 0 for the multipliers; whether the point is refused */
static int form_right_side(const form *o, const double *y, double *out)
{
  const dae_mechanical_at at = {.q = y, .v = y + o->n};
  const double *mu = y + 2 * o->n, *lambda = mu + o->m;
  double f[MOST], g[MOST], G[MOST * MOST];
  const dae_mechanical_wanted wanted = {.f = f, .g = g, .G = G};
  if (o->p->eval(o->p->user, &at, &wanted) != 0)
    return 1;
  for (int j = 0; j < o->n; j++) {
    out[j] = y[o->n + j];
    out[o->n + j] = f[j];
    for (int i = 0; i < o->m; i++) { /* G is full for these problems, by columns */
      out[j] -= G[j * o->m + i] * mu[i];
      out[o->n + j] -= G[j * o->m + i] * lambda[i];
    }
  }
  for (int i = 0; i < o->m; i++) {
    double *gv = &out[2 * o->n + i];
    *gv = 0;
    for (int j = 0; j < o->n; j++)
      *gv += G[j * o->m + i] * y[o->n + j];
    out[2 * o->n + o->m + i] = g[i];
  }
  return 0;
}

/* ---- DASPK ---- */

typedef void daspk_residual(double *t, double *y, double *yp, double *cj, double *delta, int *ires,
                            double *rpar, int *ipar);
typedef void nothing(void);
typedef void daspk_solver(daspk_residual *res, int *neq, double *t, double *y, double *yp,
                          double *tout, int *info, double *rtol, double *atol, int *idid,
                          double *rwork, int *lrw, int *iwork, int *liw, double *rpar, int *ipar,
                          nothing *jac, nothing *psol);

static void unused(void) {}

static void daspk_res(double *t, double *y, double *yp, double *cj, double *delta, int *ires,
                      double *rpar, int *ipar)
{
  const form *o = current;
  (void)t, (void)cj, (void)rpar, (void)ipar;
  if (form_right_side(o, y, delta))
    *ires = -1;
  for (int i = 0; i < o->size; i++)
    delta[i] = (i < 2 * o->n ? yp[i] : 0) - delta[i];
}

/* Integrates with the positions alone in the error test; counts as in yp96_counts. */
static bool daspk_run(daspk_solver *daspk, const form *o, int order, double tol, double to,
                      double *y, double *yp, double *counts)
{
  int info[30] = {0}, iwork[WORK] = {0}, size = o->size, idid = 0, lrw = WORK, liw = WORK;
  int ipar = 0;
  double rwork[WORK] = {0}, t = 0, rtol = tol, atol = tol, rpar = 0;
  info[8] = 1, iwork[2] = order;
  info[15] = 1; /* error test without the unknowns marked by -1 */
  for (int i = 0; i < size; i++)
    iwork[40 + i] = i < o->n ? 1 : -1;
  for (int k = 0; k < ROUNDS; k++) {
    daspk(daspk_res, &size, &t, y, yp, &to, info, &rtol, &atol, &idid, rwork, &lrw, iwork, &liw,
          &rpar, &ipar, unused, unused);
    if (idid != -1)
      break;
    info[0] = 1; /* 500 steps more */
  }
  const int at[YP96_COUNTS] = {10, 18, 12, 13, 14}; /* steps, iterations, Jacobians, etf, ctf */
  for (int i = 0; i < YP96_COUNTS; i++)
    counts[i] = iwork[at[i]];
  return idid > 0;
}

/* ---- RADAU5 ---- */

typedef void radau_function(const int *n, const double *t, const double *y, double *f, void *rpar,
                            int *ipar);
typedef void radau_mass(const int *n, double *A, const int *ld, void *rpar, int *ipar);
typedef void radau_solver(const int *n, radau_function *f, double *t, double *y, const double *to,
                          double *h, double *rtol, double *atol, const int *itol, nothing *jac,
                          const int *ijac, int *mljac, int *mujac, radau_mass *mass,
                          const int *imas, int *mlmas, int *mumas, nothing *out, const int *iout,
                          double *work, const int *lwork, int *iwork, const int *liwork, void *rpar,
                          int *ipar, int *idid);

static void radau_f(const int *n, const double *t, const double *y, double *f, void *rpar,
                    int *ipar)
{
  (void)t, (void)rpar, (void)ipar;
  if (form_right_side(current, y, f))
    for (int i = 0; i < *n; i++)
      f[i] = NAN; /* halves the step */
}

static void radau_m(const int *n, double *A, const int *ld, void *rpar, int *ipar)
{
  (void)rpar, (void)ipar;
  for (int i = 0; i < *n; i++)
    A[i * *ld] = i < 2 * current->n;
}

static bool radau_run(radau_solver *radau, const form *o, double tol, double to, double *y,
                      double *counts)
{
  const int size = o->size, itol = 0, ijac = 0, imas = 1, iout = 0, lwork = WORK, liwork = WORK;
  int iwork[WORK] = {0}, mljac = size, mujac = size, mlmas = 0, mumas = 0, ipar = 0, idid = 0;
  double work[WORK] = {0}, t = 0, h = 1e-6, rtol = tol, atol = tol;
  iwork[1] = MAX_STEPS;
  iwork[4] = 2 * o->n, iwork[5] = 2 * o->m; /* variables of index 1 and 2 */
  radau(&size, radau_f, &t, y, &to, &h, &rtol, &atol, &itol, unused, &ijac, &mljac, &mujac, radau_m,
        &imas, &mlmas, &mumas, unused, &iout, work, &lwork, iwork, &liwork, NULL, &ipar, &idid);
  counts[0] = iwork[16];
  counts[3] = iwork[17];
  return idid > 0;
}

/* ---- a process for one run ---- */

typedef struct peer_result {
  bool good;
  double counts[YP96_COUNTS], x; /* x: first coordinate at the end */
} peer_result;

typedef struct peer_case {
  const yp96_setting *setting;
  yp96_case run;
  bool radau;
} peer_case;

static const char *peer_library(void)
{
  static const char *const paths[] = {"/usr/lib/R/site-library/deSolve/libs/deSolve.so",
                                      "/usr/lib/R/library/deSolve/libs/deSolve.so",
                                      "/usr/local/lib/R/site-library/deSolve/libs/deSolve.so"};
  for (int i = 0; i < COUNT(paths); i++)
    if (access(paths[i], R_OK) == 0)
      return paths[i];
  return NULL;
}

/* Function of the shared object; C has no cast of a pointer to an object for it. */
static bool peer_symbol(void *library, const char *name, void *function)
{
  void *symbol = library ? dlsym(library, name) : NULL;
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

static void peer_child(const peer_case *c, form *o, double *y, double *yp, peer_result *r)
{
  daspk_solver *daspk;
  radau_solver *radau;
  double tol = strtod(c->run.tolerance, NULL) * (1 + c->setting->shift);
  void *library = dlopen(peer_library(), RTLD_LAZY | RTLD_LOCAL);
  current = o;
  if (c->radau && peer_symbol(library, "radau5_", &radau))
    r->good = radau_run(radau, o, tol, c->setting->to, y, r->counts);
  else if (!c->radau && peer_symbol(library, "ddaspk_", &daspk))
    r->good = daspk_run(daspk, o, c->setting->order, tol, c->setting->to, y, yp, r->counts);
  r->x = y[0];
}

/* The result of a process; not good if it ends in any other way. */
static peer_result peer_fork(const peer_case *c, form *o, double *y, double *yp)
{
  peer_result r = {.good = false};
  int ends[2];
  if (pipe(ends) != 0)
    return r;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
      _exit(1);
    peer_child(c, o, y, yp, &r);
    _exit(write(ends[1], &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1);
  }
  close(ends[1]);
  if (child < 0 || read(ends[0], &r, sizeof r) != (ssize_t)sizeof r)
    r.good = false;
  close(ends[0]);
  if (child > 0)
    waitpid(child, NULL, 0);
  return r;
}

static bool peer_run(rep_report *report, const peer_case *c, peer_result *r)
{
  dae_model *model;
  dae_error err;
  double y[MOST] = {0}, yp[MOST] = {0};
  if (!rep_good(report))
    return false;
  if (yp96_model(c->setting, &c->run, &model, &err) < 0) {
    rep_fail(report, &err);
    return false;
  }
  const dae_problem *problem = dae_model_problem(model);
  form o = {.p = problem->mechanical, .n = problem->mechanical->nq, .m = problem->mechanical->ng};
  o.size = 2 * (o.n + o.m);
  double state[MOST], rate[MOST];
  dae_start start = dae_model_start(model);
  if (dae_consistent_start(problem, &start, NULL, state, rate, NULL, &err) < 0)
    rep_fail(report, &err);
  memcpy(y, state, (size_t)(2 * o.n) * sizeof *y);
  memcpy(yp, rate, (size_t)(2 * o.n) * sizeof *yp);
  memcpy(y + 2 * o.n + o.m, state + 2 * o.n, (size_t)o.m * sizeof *y); /* lambda */
  if (rep_good(report))
    *r = peer_fork(c, &o, y, yp);
  dae_model_free(model);
  return rep_good(report);
}

/* ---- DASPK beside the rules of DASSL ---- */

typedef struct count_row {
  int table, row; /* row of GGL in yp96_tables */
  const char *label;
} count_row;

static const count_row count_rows[] = {
    {YP96_TABLE_5_1, 0, "5.1  1e-3 1e-4"}, {YP96_TABLE_5_1, 4, "5.1  1e-3 1e-5"},
    {YP96_TABLE_5_1, 8, "5.1  1e-3 1e-6"}, {YP96_TABLE_5_2, 0, "5.2  1e-3 1e-4"},
    {YP96_TABLE_5_2, 4, "5.2  1e-3 1e-5"}, {YP96_TABLE_5_2, 8, "5.2  1e-4 1e-4"},
};

static const rep_table count_text = {
    .name = "DASPK",
    .title = "GGL by DASPK, the successor of DASSL, and by its rules in daedal",
    .setting = "the rows of GGL in Tables 5.1 and 5.2, medians; q in the error test",
    .label = "     TOL  eps",
    .quantities = 6,
    .quantity = {"steps", "DASPK", "J-evals", "DASPK", "ctf", "DASPK"},
    .reason = "DASPK from R's package deSolve, with differences for its Jacobians. The multipliers "
              "are in its convergence test, as in that of GGL. Its norm is a mean over all six "
              "unknowns, also over those outside the test, so that it takes larger steps.",
};

static bool measure_peer(rep_report *report, const void *user, double shift, double *values,
                         char trouble[256])
{
  peer_case c = *(const peer_case *)user;
  yp96_setting setting = *c.setting;
  peer_result r;
  setting.shift = shift;
  c.setting = &setting;
  trouble[0] = '\0';
  if (!peer_run(report, &c, &r))
    return false;
  memcpy(values, r.counts, sizeof r.counts);
  values[YP96_COUNTS] = r.x;
  if (!r.good)
    snprintf(trouble, 256, "%s gives up", c.radau ? "RADAU5" : "DASPK");
  return true;
}

static bool measure_ours(rep_report *report, const void *user, double shift, double *values,
                         char trouble[256])
{
  const peer_case *c = user;
  yp96_setting setting = *c->setting;
  dae_summary summary;
  setting.shift = shift;
  if (!yp96_case_run(report, &setting, &c->run, NULL, &summary, trouble))
    return false;
  yp96_counts(&summary.stats, values);
  return true;
}

static void show_counts(rep_report *report)
{
  rep_table_begin(report, &count_text);
  bool single = rep_quick(report);
  for (int i = 0; i < COUNT(count_rows) && rep_good(report); i++) {
    const yp96_table *table = &yp96_tables[count_rows[i].table];
    const yp96_row *row = &table->rows[count_rows[i].row];
    const peer_case c = {&table->setting, row->run, false};
    yp96_sample ours, peer;
    if (!yp96_sample_run(report, single, measure_ours, &c, &ours) ||
        !yp96_sample_run(report, single, measure_peer, &c, &peer))
      break;
    static const int shown[] = {0, 2, 4}; /* steps, Jacobians, failures to converge */
    rep_value values[6];
    rep_spread spread[6];
    for (int k = 0; k < 3; k++) {
      values[2 * k] = (rep_value){row->paper[shown[k]], ours.median[shown[k]], NAN, REP_SHOWN, 0};
      values[2 * k + 1] = (rep_value){NAN, peer.median[shown[k]], NAN, REP_SHOWN, 0};
      spread[2 * k] = ours.spread[shown[k]];
      spread[2 * k + 1] = peer.spread[shown[k]];
    }
    rep_table_add(report, &(rep_row){.label = count_rows[i].label,
                                     .values = values,
                                     .spread = spread,
                                     .note = peer.trouble});
  }
  rep_table_end(report);
}

/* ---- errors of all three ---- */

static const rep_table error_text = {
    .name = "DASPK, RADAU5",
    .title = "the spring that can be resolved, eps = 1e-2: error of x at 0.5 s",
    .setting = "GGL form; BDF of order 5 at most with q in the error test; RADAU5 as it is",
    .label = "TOL",
    .quantities = 6,
    .quantity = {"steps", "error", "DASPK", "error", "RADAU5", "error"},
    .reason = "Both from R's package deSolve.",
};

static double ours_at_end(rep_report *report, const peer_case *c, double *steps)
{
  static const char *const columns[] = {"x"};
  double x = NAN;
  yp96_watch watch = {columns, 1, yp96_keep_last, &x};
  dae_summary summary;
  char trouble[256];
  if (!yp96_case_run(report, c->setting, &c->run, &watch, &summary, trouble))
    return NAN;
  *steps = (double)summary.stats.steps;
  return trouble[0] ? NAN : x;
}

static void show_errors(rep_report *report)
{
  static const char *const tolerances[] = {"1e-4", "1e-6", "1e-8"};
  yp96_setting setting = yp96_tables[YP96_TABLE_5_2].setting;
  setting.to = 0.5;
  setting.order = 5;
  rep_table_begin(report, &error_text);
  for (int i = 0; i < COUNT(tolerances) && rep_good(report); i++) {
    peer_case c = {&setting, {YP96_GGL, tolerances[i], "1e-2"}, false};
    peer_result peer[2];
    double steps = NAN, x = ours_at_end(report, &c, &steps);
    rep_value values[6] = {{NAN, steps, NAN, REP_SHOWN, 0},
                           {NAN, fabs(x - yp96_spring_x), NAN, REP_SHOWN, 0}};
    for (int k = 0; k < 2; k++) {
      c.radau = k == 1;
      if (!peer_run(report, &c, &peer[k]))
        return;
      double error = peer[k].good ? fabs(peer[k].x - yp96_spring_x) : NAN;
      values[2 + 2 * k] = (rep_value){NAN, peer[k].counts[0], NAN, REP_SHOWN, 0};
      values[3 + 2 * k] = (rep_value){NAN, error, NAN, REP_SHOWN, 0};
    }
    rep_table_row(report, tolerances[i], values, NULL);
  }
  rep_table_end(report);
}

void yp96_peers(rep_report *report)
{
  if (!peer_library()) {
    rep_note(report, "DASPK and RADAU5 are not compared: R's package deSolve (r-cran-desolve) is "
                     "not installed.");
    return;
  }
  show_counts(report);
  show_errors(report);
}
