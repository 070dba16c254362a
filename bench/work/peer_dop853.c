/* DOP853 of Hairer and Wanner from the extension module of Python's SciPy, which exports no symbol
 * but its own entry: the address of the routine is in a capsule of the module. Python is started
 * for that alone, and is not part of any run. */
#include "peer.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <wchar.h>

#define MAX_STEPS 100000 /* as by default */
#define PARAMETERS 21    /* at the head of work and iwork */

typedef void fcn(const int *n, const double *t, const double *y, double *f, void *form, int *count);
typedef void solout(void);
typedef void dop853(const int *n, fcn *f, double *t, double *y, const double *to,
                    const double *rtol, const double *atol, const int *itol, solout *out,
                    const int *iout, double *work, const int *lwork, int *iwork, const int *liwork,
                    void *form, int *count, int *idid);

/* ---- the routine ---- */

typedef struct python {
  void *library;
  void (*set_name)(const wchar_t *);
  void (*start)(int);
  void *(*import)(const char *);
  void *(*attribute)(void *, const char *);
  void *(*pointer)(void *, const char *);
} python;

static bool python_open(python *p)
{
  p->library = dlopen(BENCH_LIBPYTHON, RTLD_LAZY | RTLD_GLOBAL);
  if (!p->library)
    return false;
  *(void **)&p->set_name = dlsym(p->library, "Py_SetProgramName");
  *(void **)&p->start = dlsym(p->library, "Py_InitializeEx");
  *(void **)&p->import = dlsym(p->library, "PyImport_ImportModule");
  *(void **)&p->attribute = dlsym(p->library, "PyObject_GetAttrString");
  *(void **)&p->pointer = dlsym(p->library, "PyCapsule_GetPointer");
  return p->set_name && p->start && p->import && p->attribute && p->pointer;
}

static dop853 *find_routine(void)
{
  dop853 *found = NULL;
  python p;
  if (!python_open(&p))
    return NULL;
  p.set_name(L"/usr/bin/python3"); /* whose packages are Debian's */
  p.start(0);
  void *module = p.import("scipy.integrate._dop");
  void *object = module ? p.attribute(module, "dop853") : NULL;
  void *capsule = object ? p.attribute(object, "_cpointer") : NULL;
  if (capsule)
    *(void **)&found = p.pointer(capsule, NULL);
  return found;
}

static dop853 *routine(void)
{
  static dop853 *found;
  static bool searched;
  if (!searched)
    found = find_routine();
  searched = true;
  return found;
}

bool peer_dop853_present(void)
{
  return routine() != NULL;
}

/* ---- a run ---- */

static void phi(const int *n, const double *t, const double *y, double *f, void *form, int *count)
{
  (void)n;
  ++*count;
  ((const peer_form *)form)->phi(*t, y, f);
}

static void no_output(void) {}

peer_counts peer_dop853(const peer_form *form, double t, double to, double tol, double *y,
                        double *dy)
{
  (void)dy;
  const int n = form->n, lwork = 11 * n + PARAMETERS, liwork = PARAMETERS, itol = 0, iout = 0;
  int iwork[PARAMETERS] = {MAX_STEPS}, evaluations = 0, idid = 0;
  double *work = calloc((size_t)lwork, sizeof *work);
  if (!work)
    exit(1);
  routine()(&n, phi, &t, y, &to, &tol, &tol, &itol, no_output, &iout, work, &lwork, iwork, &liwork,
            (void *)form, &evaluations, &idid);
  free(work);
  return (peer_counts){
      .steps = iwork[17], .rejected = iwork[19], .evaluations = evaluations, .reached = idid > 0};
}
