#include "damped_runs.h"

const char damped_point[] = "model point\n"
                            "param eps = 1e-4, vx = 1\n"
                            "coord x = 0 rate vx, y = -1\n"
                            "kinetic (x'^2 + y'^2)/2\n"
                            "potential x^2/2/eps + (y + 1)^2/2/eps^2 + y\n"
                            "constraint circle: (x^2 + y^2 - 1)/2 = 0\n"
                            "simulate to 0.25\n";
const char damped_spring[] = "model spring\n"
                             "param eps = 1e-4\n"
                             "param x0 = 0.044710000355444504239, y0 = -0.99900000794205009471\n"
                             "coord x = x0, y = y0\n"
                             "let l = sqrt(x^2 + (y + 0.5)^2)\n"
                             "kinetic (x'^2 + y'^2)/2\n"
                             "potential (l - 0.4)^2/2/eps^2 + y\n"
                             "constraint circle: (x^2 + y^2 - 1)/2 = 0\n"
                             "simulate to 0.05\n";
/* the two bodies of section 5.2 of YP96, of which body 1 is held: one angle, and a damped bushing
 */
const char damped_bushing[] = "model bushing\n"
                              "param eps = 1e-6, c = 10, a = 0.5, start = 1\n"
                              "param x0 = 1 - 1.1e-4*start, u0 = -6.75e-5*start\n"
                              "param y0 = -1.4852e-2*start, v0 = -4.5444e-3*start\n"
                              "coord x = x0 rate u0, y = y0 rate v0\n"
                              "kinetic (x'^2 + y'^2)/2\n"
                              "potential ((x - 2*a)^2 + y^2)/2/eps\n"
                              "force x = -c*x'\n"
                              "force y = -c*y'\n"
                              "constraint distance: x^2 + y^2 = 1\n"
                              "simulate to 1\n";
const char damped_beside[] = "model beside\n"
                             "param k = 1e8\n"
                             "coord x = 1, y = 0\n"
                             "coord s = 1e-3\n"
                             "kinetic (x'^2 + y'^2 + s'^2)/2\n"
                             "potential 9.81*y + k*s^2/2\n"
                             "constraint rod: x^2 + y^2 = 1\n"
                             "simulate to 1\n";
const char damped_elastic[] = "model elastic\n"
                              "param k = 1e8, vr = 0, vt = 0, to = 1\n"
                              "coord x = 1 rate vr, y = 0 rate vt\n"
                              "let l = sqrt(x^2 + y^2)\n"
                              "kinetic (x'^2 + y'^2)/2\n"
                              "potential 9.81*y + k*(l - 1)^2/2\n"
                              "simulate to to\n";
const char damped_pendulum[] = "model pendulum\n"
                               "param vt = 0, vr = 0, k = 0, to = 1\n"
                               "coord x = 1, y = 0 rate vt\n"
                               "kinetic (x'^2 + y'^2)/2\n"
                               "potential 9.81*y\n"
                               "constraint x^2 + y^2 = 1\n"
                               "simulate to to\n";
#define CRANK                                                                                      \
  "model crank\n"                                                                                  \
  "param k = 1e8, w = 10, J1 = 0.0027, J2 = 0.0027, m2 = 0.15, m3 = 0.0755\n"                      \
  "param l1 = 0.15, l2 = 0.3, push = 0.5\n"                                                        \
  "coord phi = 0 rate w, x = l1 + l2/2, y = 0 rate w*l1/2, th = 0 rate -w*l1/l2\n"                 \
  "coord s = l1 + l2 rate push\n"                                                                  \
  "kinetic J1*phi'^2/2 + m2*(x'^2 + y'^2)/2 + J2*th'^2/2 + m3*s'^2/2\n"                            \
  "let ex = x + l2/2*cos(th) - s, ey = y + l2/2*sin(th)\n"                                         \
  "potential 9.81*m2*y\n"                                                                          \
  "constraint x - l2/2*cos(th) = l1*cos(phi)\n"                                                    \
  "constraint y - l2/2*sin(th) = l1*sin(phi)\n"                                                    \
  "simulate to 1\n"
const char damped_crank[] = CRANK "potential k*(ex^2 + ey^2)/2\n";
const char damped_crank_rigid[] = CRANK "constraint ex = 0\nconstraint ey = 0\n";

const char damped_turning[] =
    "model turning\n"
    "param eps = 1e-6, off = 0, w = 1, v = 0.3\n"
    "coord x1 = 0 rate 0, y1 = 0 rate v, t1 = 0 rate w\n"
    "coord x2 = 2 + off rate 0, y2 = 0 rate v + 3*w, t2 = 0 rate 2*w\n"
    "kinetic (x1'^2 + y1'^2)/2 + t1'^2/4 + (x2'^2 + y2'^2)/2 + t2'^2/4\n"
    "let dx = x2 - cos(t2) - x1 - cos(t1), dy = y2 - sin(t2) - y1 - sin(t1)\n"
    "let u = cos(t1)*dx + sin(t1)*dy, s = cos(t1)*dy - sin(t1)*dx\n"
    "potential (u^2 + 2*s^2)/2/eps\n"
    "simulate to 1\n";
const char damped_turning_rigid[] =
    "model turning\n"
    "param eps = 1e-6, off = 0, w = 1, v = 0.3\n"
    "coord x1 = 0 rate 0, y1 = 0 rate v, t1 = 0 rate w\n"
    "coord x2 = 2 + off rate 0, y2 = 0 rate v + 3*w, t2 = 0 rate 2*w\n"
    "kinetic (x1'^2 + y1'^2)/2 + t1'^2/4 + (x2'^2 + y2'^2)/2 + t2'^2/4\n"
    "constraint x2 - cos(t2) - x1 - cos(t1) = 0\n"
    "constraint y2 - sin(t2) - y1 - sin(t1) = 0\n"
    "simulate to 1\n";
/* a bushing in space, and a body turned by Euler parameters */
#define ROTOR                                                                                      \
  "model rotor\n"                                                                                  \
  "param k = 1e8, off = 1e-5, w = 3, a = 0.5\n"                                                    \
  "coord x = a + off rate 0, y = 0 rate 0, z = 0 rate 0\n"                                         \
  "coord e0 = 1, e1 = 0 rate w/4, e2 = 0, e3 = 0 rate w/2\n"                                       \
  "let o1 = 2*(-e1*e0' + e0*e1' + e3*e2' - e2*e3')\n"                                              \
  "let o2 = 2*(-e2*e0' - e3*e1' + e0*e2' + e1*e3')\n"                                              \
  "let o3 = 2*(-e3*e0' + e2*e1' - e1*e2' + e0*e3')\n"                                              \
  "kinetic (x'^2 + y'^2 + z'^2)/2 + (0.1*o1^2 + 0.2*o2^2 + 0.25*o3^2)/2\n"                         \
  "constraint unit: e0^2 + e1^2 + e2^2 + e3^2 = 1\n"                                               \
  "let px = x - a*(e0^2 + e1^2 - e2^2 - e3^2)\n"                                                   \
  "let py = y - a*2*(e1*e2 + e0*e3), pz = z - a*2*(e1*e3 - e0*e2)\n"                               \
  "potential 9.81*z\n"                                                                             \
  "simulate to 1\n"
const char damped_rotor[] = ROTOR "potential k*(px^2 + py^2 + pz^2)/2\n";
const char damped_rotor_rigid[] = ROTOR "constraint px = 0\nconstraint py = 0\nconstraint pz = 0\n";
/* nonholonomic and redundant constraints: a skate that pulls a trolley, which rails hold three
 * times */
#define RAILS                                                                                      \
  "model rails\n"                                                                                  \
  "param off = 1e-5, kick = 0, k = 1e8\n"                                                          \
  "coord x = 0 rate 1, y = 0, th = 0 rate 1\n"                                                     \
  "coord tx = off rate 1 + kick, ty = 0, tz = 0\n"                                                 \
  "kinetic (x'^2 + y'^2)/2 + th'^2/8 + (tx'^2 + ty'^2 + tz'^2)/4\n"                                \
  "potential 3*y\n"                                                                                \
  "constraint left: ty - tz = 0\n"                                                                 \
  "constraint right: ty + tz = 0\n"                                                                \
  "constraint again: ty = 0\n"                                                                     \
  "constraint blade: x'*sin(th) - y'*cos(th) = 0\n"                                                \
  "simulate to 1\n"
const char damped_rails[] = RAILS "potential k*(tx - x)^2/2\n";
const char damped_rails_rigid[] = RAILS "constraint tx = x\n";
/* a constraint that time moves */
#define SUPPORT                                                                                    \
  "model support\n"                                                                                \
  "param off = 1e-4\n"                                                                             \
  "coord sx = 0, x = 1 + off, y = 0\n"                                                             \
  "kinetic (sx'^2 + x'^2 + y'^2)/2\n"                                                              \
  "let l = sqrt((x - sx)^2 + y^2)\n"                                                               \
  "potential 9.81*y\n"                                                                             \
  "constraint support: sx = 0.3*sin(3*t)\n"                                                        \
  "simulate to 1\n"
const char damped_support_stiff[] = SUPPORT "potential 1e8*(l - 1)^2/2\n";
const char damped_support_rigid[] = SUPPORT "constraint l = 1\n";
/* a fast state and an algebraic variable beside the coordinates: w = 2 y in the slow motion */
const char damped_valve[] = "model valve\n"
                            "coord x = 1.0001, y = 0\n"
                            "state u = 0.5\n"
                            "alg w = 0\n"
                            "let l = sqrt(x^2 + y^2)\n"
                            "kinetic (x'^2 + y'^2)/2\n"
                            "potential 9.81*y + 1e8*(l - 1)^2/2\n"
                            "u' = -(u - y)/1e-6\n"
                            "0 = w - 2*u\n"
                            "force y = -0.5*w\n"
                            "simulate to 1\n";
const char damped_valve_rigid[] = "model valve\n"
                                  "coord x = 1, y = 0\n"
                                  "kinetic (x'^2 + y'^2)/2\n"
                                  "potential 9.81*y + 0.5*y^2\n"
                                  "constraint x^2 + y^2 = 1\n"
                                  "simulate to 1\n";
#define CHAIN                                                                                      \
  "model chain\n"                                                                                  \
  "param N = 10, L = 1/N, off = 1e-5\n"                                                            \
  "coord x[1..N] = i*L + off*(1 - (-1)^i)/2, y[1..N] = 0\n"                                        \
  "for i in 1..N {\n"                                                                              \
  "  kinetic (x[i]'^2 + y[i]'^2)/2/N\n"                                                            \
  "  potential 9.81*y[i]/N\n"                                                                      \
  "}\n"                                                                                            \
  "simulate to 0.3\n"
const char damped_chain[] =
    CHAIN "potential 1e8*(sqrt(x[1]^2 + y[1]^2) - L)^2/2\n"
          "for i in 2..N { potential 1e8*(sqrt((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2) - L)^2/2 }\n";
const char damped_chain_rigid[] =
    CHAIN "constraint x[1]^2 + y[1]^2 = L^2\n"
          "for i in 2..N { constraint (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = L^2 }\n";

/* ---- mechanisms of several kinds ---- */

#define ROD_MASS                                                                                   \
  "coord x = 1.0001, y = 0\n"                                                                      \
  "let l = sqrt(x^2 + y^2)\n"                                                                      \
  "kinetic (x'^2 + y'^2)/2\n"
#define ROD_STIFF "potential 1e8*(l - 1)^2/2\n"
#define ROD_RIGID "constraint l = 1\n"
#define DOUBLE                                                                                     \
  "coord x1 = 1.0001, y1 = 0, x2 = 2.0002, y2 = 0\n"                                               \
  "kinetic (x1'^2 + y1'^2)/2 + (x2'^2 + y2'^2)/2\n"                                                \
  "potential 9.81*(y1 + y2)\n"                                                                     \
  "let l1 = sqrt(x1^2 + y1^2), l2 = sqrt((x2 - x1)^2 + (y2 - y1)^2)\n"
#define FOURBAR                                                                                    \
  "param b2 = sqrt(1.6)/2, c2 = sqrt(0.85)/2\n"                                                    \
  "gravity (0, -9.81)\n"                                                                           \
  "body a rod from (0, 0) to (0, 0.5) mass 1\n"                                                    \
  "body b rod from (0, 0.5) to (1.2, 0.9) mass 2\n"                                                \
  "body c rod from (1.20001, 0.9) to (1.00001, 0) mass 1.5\n"                                      \
  "revolute j1: ground, a at (0, 0)\n"                                                             \
  "revolute j2: a, b at (0, 0.5)\n"                                                                \
  "revolute j4: ground, c at (1.00001, 0)\n"                                                       \
  "let px = b.point(b2, 0).x - c.point(-c2, 0).x, py = b.point(b2, 0).y - c.point(-c2, 0).y\n"
#define ARM                                                                                        \
  "gravity (0, 0, -9.81)\n"                                                                        \
  "body arm box (1, 0.2, 0.1) mass 2 at (0.5, 0, 0) omega (0, 0.3, 2) velocity (0, 1, -0.15)\n"
#define TUMBLING                                                                                   \
  "body a box (1, 0.2, 0.1) mass 2 at (0, 0, 0) omega (0.1, 0.3, 2)\n"                             \
  "body b box (0.3, 0.3, 0.3) mass 1 at (0.65001, 0, 0) omega (0.1, 0.3, 2) velocity (0, 1.3, "    \
  "-0.195)\n"
#define SKATE                                                                                      \
  "coord x = 0 rate 1, y = 0, th = 0 rate 1, px = -1.0001 rate 1, py = 0\n"                        \
  "kinetic (x'^2 + y'^2)/2 + th'^2/8 + (px'^2 + py'^2)/2\n"                                        \
  "constraint blade: x'*sin(th) - y'*cos(th) = 0\n"                                                \
  "let l = sqrt((x - px)^2 + (y - py)^2)\n"                                                        \
  "potential 3*y\n"
#define DRIVE                                                                                      \
  "coord a = 0 rate 10, b = 0.001 rate 10, c = 0 rate 10\n"                                        \
  "kinetic (0.1*a'^2 + 0.2*b'^2 + 2*c'^2)/2\n"                                                     \
  "force a = 5 - 0.1*a'\n"                                                                         \
  "force c = -0.02*c'\n"

const damped_pair damped_mechanisms[] = {
    {"double pendulum, rods of 1e6 and 1e10",
     "model m\n" DOUBLE "potential (1e6*(l1 - 1)^2 + 1e10*(l2 - 1)^2)/2\n"
     "simulate to 1\n",
     "model m\n" DOUBLE "constraint l1 = 1\n"
     "constraint l2 = 1\n"
     "simulate to 1\n",
     4},
    {"four-bar of plane bodies, pin of 1e8",
     "model m\n" FOURBAR "potential 1e8*(px^2 + py^2)/2\n"
     "simulate to 0.5\n",
     "model m\n" FOURBAR "constraint px = 0\n"
     "constraint py = 0\n"
     "simulate to 0.5\n",
     9},
    {"body on a bushing in space",
     "model m\n" ARM "bushing b: ground, arm at (0, 0, 0) stiffness 1e8 damping 100\n"
     "simulate to 1\n",
     "model m\n" ARM "spherical b: ground, arm at (0, 0, 0)\n"
     "simulate to 1\n",
     7},
    {"bodies welded by a bushing, tumbling",
     "model m\n" TUMBLING "bushing w: a, b at (0.5, 0, 0) stiffness 1e9 turning 1e6\n"
     "simulate to 2\n",
     "model m\n" TUMBLING "weld w: a, b at (0.5, 0, 0)\n"
     "simulate to 2\n",
     14},
    {"skate with a mass on a stiff rod",
     "model m\n" SKATE "potential 1e8*(l - 1)^2/2\n"
     "simulate to 1\n",
     "model m\n" SKATE "constraint l = 1\n"
     "simulate to 1\n",
     5},
    {"drive train with stiff shafts",
     "model m\n" DRIVE "potential 1e6*((a - b)^2 + 10*(b - c)^2)/2\n"
     "simulate to 1\n",
     "model m\n" DRIVE "constraint a = b\n"
     "constraint b = c\n"
     "simulate to 1\n",
     3},
    {"swing that rebounds from a wall",
     "model m\n" ROD_MASS "potential 9.81*y\n" ROD_STIFF
     "event hit: x falling { x' = -0.8*x'; y' = -0.8*y' }\n"
     "simulate to 1.5\n",
     "model m\n" ROD_MASS "potential 9.81*y\n" ROD_RIGID
     "event hit: x falling { x' = -0.8*x'; y' = -0.8*y' }\n"
     "simulate to 1.5\n",
     2},
    {"pendulum with a sampled control",
     "model m\ndiscrete u = 0\n" ROD_MASS ROD_STIFF "force y = -9.81 + u\n"
     "event control: every 0.1 { u = -2*y' }\n"
     "simulate to 1\n",
     "model m\ndiscrete u = 0\n" ROD_MASS ROD_RIGID "force y = -9.81 + u\n"
     "event control: every 0.1 { u = -2*y' }\n"
     "simulate to 1\n",
     2},
    {"pendulum with an input",
     "model m\ninput f = 0 linear\n" ROD_MASS ROD_STIFF "force y = f - 9.81\n"
     "simulate to 1\n",
     "model m\ninput f = 0 linear\n" ROD_MASS ROD_RIGID "force y = f - 9.81\n"
     "simulate to 1\n",
     2},
};
const int damped_mechanism_count = sizeof damped_mechanisms / sizeof *damped_mechanisms;
