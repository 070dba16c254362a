/* What is known of the coupled example models, from sources that do not use this library. */
#include "problems/coupled_models.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define MODEL(label)                                                                               \
  .name = #label, .path = MODELS "/" #label ".dae", .columns = COUNT(label##_columns),             \
  .column = label##_columns, .times = COUNT(label##_times), .time = label##_times,                 \
  .value = label##_values[0]
#define SWEEPS(in_order, in_best_order, at_once)                                                   \
  .gauss_seidel = (in_order), .best = (in_best_order), .jacobi = (at_once), .on_first = NAN,       \
  .on_second = NAN
#define JOINTS(first, second)                                                                      \
  .gauss_seidel = NAN, .best = NAN, .jacobi = NAN, .on_first = (first), .on_second = (second)

/* ---- index 1: systems that exchange algebraic variables ---- */

static const char *const two_circuits_columns[] = {"one.y", "one.z", "two.y", "two.z"};
static const double two_circuits_times[] = {3.14159265358979323846};
static const double two_circuits_values[][4] = {{-1, -1 / (1 - 0.81), 0, -0.9 / (1 - 0.81)}};

/* [E07 example 3.7] */
static void two_circuits_exact(double t, double *value)
{
  const double a = 0.9, y1 = cos(t), y2 = sin(t);
  value[0] = y1;
  value[1] = (y1 + a * y2) / (1 - a * a);
  value[2] = y2;
  value[3] = (y2 + a * y1) / (1 - a * a);
}

static const char *const three_circuits_columns[] = {"one.y", "two.y", "three.y",
                                                     "one.z", "two.z", "three.z"};
static const double three_circuits_times[] = {1, 4};
static const double three_circuits_values[][6] = {
    {0.76840409981820229508, -0.12306363973088312482, 0.089127371309903605582,
     0.69614333695516653545, 0.10465850202575073326, -0.48507238093687090969},
    {-0.0098208732431111353369, -0.043275346387814058073, 0.030372921985955957405,
     -0.043357510573521705642, -0.063947107977703785941, 0.037421127513273599512}};

static const char *const diode_columns[] = {"source.v", "load.u", "source.i", "load.v"};
static const double diode_times[] = {10};
static const double diode_values[][4] = {{0.078358309094784006269, 0.35392778260580738495,
                                          -0.18077581932930087828, 0.16874621875943444541}};

static const char *const two_pendula_columns[] = {
    "left.theta", "right.phi", "left.omega", "right.omega", "left.a", "right.a", "right.lambda"};
static const double two_pendula_times[] = {0, 2};
static const double two_pendula_values[][7] = {
    {0.6, 0.2, 0, 0, -3.9901247278874363795, -1.8062444859592765234, 1.4523717240674858516},
    {0.44817612768869630136, 0.12503986371856695963, 0.93968344674419092147, 0.49841719718789542023,
     -2.004743758228222531, -1.4430011522296670494, 1.6937187170902593012}};

/* five lines that stand for all: the ring repeats them */
static const char *const circuits_ring_columns[] = {"line[1].z",   "line[2].z", "line[3].z",
                                                    "line[4].z",   "line[5].z", "line[1].i[8]",
                                                    "line[1].v[1]"};
static const double circuits_ring_times[] = {5, 10};
static const double circuits_ring_values[][7] = {
    {0.6852281062322, -0.0582531160264, -0.1328123711624, 0.5511067479500, 0.9750949350193,
     -0.4406250864506, -0.4264027775096},
    {0.5736291183883, 1.0208537531341, 0.7900580036080, 0.0691654253683, -0.0739678114532,
     1.1744822802515, 1.2089728087395}};

/* ---- index 3: mechanical systems and joints ---- */

/* the motion of two_pendula */
static const char *const linked_pendula_columns[] = {"left.theta", "right.phi", "der(left.theta)",
                                                     "der(right.phi)", "lambda(bar)"};
static const double linked_pendula_times[] = {0, 2};
static const double linked_pendula_values[][5] = {{0.6, 0.2, 0, 0, 1.4523717240674858516},
                                                  {0.44817612768869630136, 0.12503986371856695963,
                                                   0.93968344674419092147, 0.49841719718789542023,
                                                   1.6937187170902593012}};

static const char *const structures_joint_columns[] = {"x.x1",      "x.x2",      "y.y1",
                                                       "y.y2",      "der(x.x1)", "der(x.x2)",
                                                       "der(y.y1)", "der(y.y2)", "lambda(bolt)"};
static const double structures_joint_times[] = {2, 3, 10};
static const double structures_joint_values[][9] = {
    {2.23895256499251767, 6.1579155643490351, 3.07895778217451755, 0.573007435875819099,
     2.79401404182394129, 7.33331821346625103, 3.66665910673312551, 0.380821211485886588,
     0.366500358743428632},
    {6.79234393875623533, 17.4843496105093432, 8.7421748052546716, 0.62052617244048853,
     6.88022656172851458, 16.4181975635607693, 8.20909878178038466, -0.554265566936323529,
     4.16535198491696616},
    {2962.27397210786452, 4358.88743041058025, 2179.44371520529013, -2203.20403937521832,
     2425.25788763524134, 3262.72262975083426, 1631.36131487541713, -1975.24374435841806,
     2436.36278266829306}};

/* [WHM11 (19), signs corrected] */
static void structures_joint_exact(double t, double *value)
{
  const double a = sqrt(7.0 / 15), b = sqrt(0.5), r = 5 * sqrt(2) / 4;
  const double c1 = cosh(a * t), d1 = a * sinh(a * t), c2 = cosh(b * t), s2 = sinh(b * t);
  const double d2 = b * s2, e = s2 + t * b * c2; /* (c2)' and (t s2)' */
  value[0] = 64 * c1 - 63 * c2 + r * t * s2 - 1;
  value[2] = -8 * c1 + 10 * c2 - 2;
  value[1] = 2 * value[2];
  value[3] = -56 * c1 + 58 * c2 - r * t * s2 - 2;
  value[4] = 64 * d1 - 63 * d2 + r * e;
  value[6] = -8 * d1 + 10 * d2;
  value[5] = 2 * value[6];
  value[7] = -56 * d1 + 58 * d2 - r * e;
  value[8] = 368 * c1 / 15 - 24 * c2 + r * t * s2 / 2 - 2;
}

static const char *const two_chains_columns[] = {
    "x.x[1]",      "x.x[2]",      "x.x[3]",      "y.y[2]",        "der(x.x[1])",
    "der(x.x[2])", "der(x.x[3])", "der(y.y[2])", "lambda(first)", "lambda(last)"};
static const double two_chains_times[] = {5};
static const double two_chains_values[][10] = {{0.24873750814464213003, -0.17679574264072663746,
                                                0.21094296779000342453, 0.80563769650359676688,
                                                -0.22021719305627612409, -0.24526759873584987224,
                                                0.024467209474487809766, -0.62088716601097638284,
                                                -2.2761786571598698222, -0.47789166950417916608}};

static const char *const moving_joint_columns[] = {
    "x.x", "y.y1", "y.y2", "der(x.x)", "der(y.y1)", "der(y.y2)", "lambda(gear)"};
static const double moving_joint_times[] = {6};
static const double moving_joint_values[][7] = {
    {1.1092370830030765635, 0.81544027194798939383, 0.11295210024484855369, 0.28797287803318635206,
     -0.076092385095604517289, 1.2033610950653139916, 0.67011173257205764075}};

static const char *const nonlinear_joint_columns[] = {
    "x.x", "y.y1", "y.y2", "der(x.x)", "der(y.y1)", "der(y.y2)", "lambda(cam)"};
static const double nonlinear_joint_times[] = {6};
static const double nonlinear_joint_values[][7] = {
    {1.0650735093374533378, 0.91290921217319922158, -0.18135614570003308164, 0.44843930026561111711,
     0.29895117527352722291, 0.37100876613811442543, 1.1541383919473694518}};

/* ---- the list ---- */

static const coupled_model models[] = {
    {MODEL(two_circuits), .to = 3.14159265358979323846, .accuracy = 1e-15,
     .exact = two_circuits_exact, SWEEPS(0.81, 0.81, 0.9)},
    {MODEL(three_circuits), .to = 4, .accuracy = 1e-16,
     SWEEPS(1.384526337405987, 0.2121320343559643, 1.067594025064464)},
    {MODEL(diode), .to = 10, .accuracy = 1e-16,
     SWEEPS(1.9801980198019802, 1.9801980198019802, 1.4071950894605837)},
    {MODEL(two_pendula), .to = 2, .accuracy = 1e-16,
     SWEEPS(1.383196553986218, 1.383196553986218, 1.176093769214946)},
    {MODEL(circuits_ring), .to = 10, .accuracy = 5e-13, SWEEPS(0.3211875633327947, 0.25, 0.5)},
    {MODEL(linked_pendula), .to = 2, .accuracy = 1e-16,
     JOINTS(0.722963050419777, 1.383196553986218)},
    {MODEL(structures_joint), .to = 10, .accuracy = 1e-15, .exact = structures_joint_exact,
     JOINTS(11.0 / 4, 4.0 / 11)},
    {MODEL(two_chains), .to = 5, .accuracy = 1e-16, JOINTS(4, 2)},
    {MODEL(moving_joint), .to = 6, .accuracy = 1e-16, JOINTS(10.0 / 3, 0.3)},
    {MODEL(nonlinear_joint), .to = 6, .accuracy = 1e-16,
     JOINTS(1.779579259259259, 0.5619305770152912)},
};

const coupled_model *coupled_model_at(int i)
{
  return i >= 0 && i < COUNT(models) ? &models[i] : NULL;
}

const coupled_model *coupled_model_find(const char *name)
{
  for (int i = 0; i < COUNT(models); i++)
    if (!strcmp(models[i].name, name))
      return &models[i];
  return NULL;
}
