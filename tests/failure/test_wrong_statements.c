/* Wrong statements on bodies, joints, forces, parts, data and pictures: what a newcomer writes, and
 * is told with the place of the mistake and what would be right (refusal.h). */
#include "refusal.h"

#define AB "body A box (1, 1, 1) mass 1\nbody B box (1, 1, 1) mass 1 at (1, 0, 0)\n"
#define PQ "body P box (1,1) mass 1 at (0,0)\nbody Q box (1,1) mass 1 at (1,0)\n"
#define HINGE "revolute J: ground, A at (0,0,0) axis (0,0,1)\n"
#define STATE "state s=1\ns'=-s\n"

#define CHECK(table) check_refusals(table, sizeof table / sizeof *table)

static void test_wrong_poses_and_masses(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"body r box (1,1,1) mass 0\n", 2, 6,
       "the motion of body r is not determined: it has no mass, and no joint t"},
      {"body r mass -1 inertia (1,1,1)\n", 2, 8, "the mass -1 of r is negative"},
      {"body r plane mass 1 inertia (1,1,1)\n", 2, 29,
       "the inertia of a body in the plane needs a number, found a vector of 3"},
      {"body r mass 1\n", 2, 1,
       "body r has no inertia: write inertia (J1, J2, J3), or a shape such as"},
      {"body r inertia (1,1,1)\n", 2, 1,
       "body r has no mass: write mass M, or a shape and density"},
      {"body r box (1,1,1) mass 1 at (0,0,0) at (1,0,0)\n", 2, 38, "at is given twice"},
      {"body r box (1,-1,1) mass 1\n", 2, 8, "a size of box is -1; it must be positive"},
      {"body r cylinder 1 length 0 mass 1\n", 2, 8, "a size of cylinder is 0; it must be positive"},
      {"body r sphere -1 mass 1\n", 2, 8, "a size of sphere is -1; it must be positive"},
      {"body r rod from (0,0,0) to (1,1) mass 1\n", 2, 28,
       "an end of a rod needs a vector of 3 components, found a vector of 2 co"},
      {"body r rod from (0,0,0) mass 1\n", 2, 25,
       "expected to after the first value of rod, found mass"},
      {"body r box (1,1,1) mass 1 turned (1,0,0) about 1\n", 2, 34,
       "the angle of turned needs a number, found a vector of 3 components"},
      {"body r box (1,1,1) mass 1 z along (0,0,0)\n", 2, 35,
       "the direction of an axis has length 0"},
      {"body r box (1,1,1) mass 1 x along (1,0,0) x along (0,1,0)\n", 2, 43, "x is given twice"},
      {"body r box (1,1,1) mass 1 angle 3\n", 2, 27,
       "r is a body in space, which has no single angle: turned A about V"},
      {"body r box (1,1) mass 1 at (0,0) turned 3 about (0,0,1)\n", 2, 34,
       "r is a body in the plane, which is turned by angle A"},
      {"body r box (1,1,1) mass 1 at (0,0)\n", 2, 12,
       "r is a body of the plane, by `plane` or two components of at or veloci"},
      {"body r box (1,1) mass 1 at (0,0) omega (0,0,3)\n", 2, 40,
       "omega needs a number, found a vector of 3 components"},
      {"body r box (1,1,1) mass 1 centre 3\n", 2, 34,
       "the centre of mass needs a vector of 3 components, found a number"},
      {"body r box (1,1,1) mass 1/0\n", 2, 26,
       "the value is not a finite number at the start; look for a division by"},
      {"body r box (1,1,1) mass 1e400\n", 2, 25, "the number 1e400 overflows double precision"},
      {"body ground box (1,1,1) mass 1\n", 2, 6,
       "ground is the body that does not move; choose another name"},
      {"body r box (1,1,1) mass 1\nbody r box (1,1,1) mass 1\n", 3, 6,
       "duplicate declaration of r; the first one is in line 2"},
      {"body r[1..2] box (1,1,1) mass 1\noutput o=r[3].x\n", 3, 12,
       "the index 3 of r is out of range 1..2"},
      {"body r[1..2] box (1,1,1) mass 1\noutput o=r.x\n", 3, 10,
       "r is an array and needs one index: [i]"},
      {"body r box (1,1,1) mass 1\noutput o=r[1].x\n", 3, 10, "r is a scalar and has no index"},
      {"body r box (1,1,1) mass 1\nforce r = (1,2,3)\n", 3, 7,
       "r is not a coordinate; a force acts on a coordinate; or write force F"},
      {"body r box (1,1,1) mass 1\nforce r.ex = 1\n", 3, 7,
       "ex is not a coordinate; a force acts on a coordinate; or write force F"},
  };
  CHECK(table);
}

static void test_wrong_joints(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"body P plane box (1,1) mass 1\nbody A box (1, 1, 1) mass 1\nbody B box (1, 1, 1) mass 1 at "
       "(1, 0, 0)\nrevolute hip: P, A axis (0,0,1)",
       5, 1, "revolute hip: P is a plane body, A one in space"},
      {AB "universal U: A, B axes (1,0,0), (0.5,1,0)", 4, 19,
       "axes of universal U are not square: 1.107 rad"},
      {"body r rod from (0,0,0) to (1,0,0) mass 1\nspherical a: ground, r at (0,0,0)\n", 2, 1,
       "r spins freely about its x axis and has no inertia there: give a box o"},
      {AB "revolute J: A, B, ground axis (0,0,1)", 4, 17,
       "expected a clause of revolute (angle, at, axis, axes, driven, relative), found ,"},
      {AB "revolute J: A, B axis (0,1)", 4, 23,
       "an axis needs a vector of 3 components, found a vector of 2 components"},
      {AB "revolute J: A, B axis (0,0,1) axis (0,1,0)", 4, 31, "axis is given twice"},
      {AB "revolute J: A, B axis (0,0,1) driven q", 4, 38,
       "unknown name q; declare it with param, let, coord, state or alg"},
      {AB "revolute J: A, B axis (0,0,1) angle (1,2)", 4, 37,
       "the angle of a joint needs a number, found a vector of 2 components"},
      {AB "revolute J: A, B axis (0,0,1) angel 1", 4, 31,
       "expected a clause of revolute; did you mean angle?, found angel"},
      {AB "universal J: A, B axes (0,0,1), (1,0,0) driven t", 4, 41,
       "a universal joint cannot be driven: J has no angle or slide"},
      {AB "weld J: A, B angle 1", 4, 14, "a weld joint has no angle"},
      {PQ "universal J: P, Q axes (1,0,0), (0,1,0)", 4, 1,
       "a universal joint needs bodies in space; J connects plane bodies"},
      {PQ "cylindrical J: P, Q axis (1,0)", 4, 1,
       "a cylindrical joint needs bodies in space; J connects plane bodies"},
      {PQ "pin J: P, Q axis (1,0) driven t", 4, 24,
       "a pin joint has an angle and a slide: write constraint J.slide = .. or"},
      {AB HINGE "output o=J.foo", 5, 12,
       "J.foo: a revolute has no foo; it has angle, rate, force, torque, point"},
      {AB HINGE "output o=J[1].angle", 5, 10, "there is no revolute J[1]"},
      {AB
       "part p(j) { let w=j.slide }\nrevolute R: ground, A axis (0,0,1)\npart q=p(R)\noutput o=q.w",
       4, 21, "j.slide: a revolute has no slide; it has angle, rate, force, torque, p"},
  };
  CHECK(table);
}

static void test_wrong_forces_and_rolling(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {AB "gravity (0,-9.81)", 4, 9, "gravity is a vector of 2 components, but A moves in space"},
      {AB "gravity", 4, 8, "expected = of an equation A = B, found the end of the file"},
      {AB "rod r: A.pos to A.pos", 4, 1, "the length 0 of rod r is not positive"},
      {AB "rod r: A.pos to B.pos length -1", 4, 23, "the length -1 of rod r is not positive"},
      {AB "rod r: A.pos to (1,0)", 4, 1,
       "the ends of rod r are a vector of 3 components and a vector of 2 compo"},
      {AB "rod r: (0,0,0) to (1,0,0)", 4, 1, "rod r connects two points that do not move"},
      {AB "rod r: A.x to B.x", 4, 1,
       "the ends of rod r are a number and a number; they are points"},
      {AB "spring s: A.pos to B.pos", 4, 1, "spring s needs its stiffness: stiffness K"},
      {AB "spring s: A.x to B.x stiffness 3", 4, 1,
       "the ends of spring s are a number and a number; they are points"},
      {AB "spring s: A.pos to B.pos stiffness 3 length 2", 4, 38,
       "expected a clause of spring (stiffness, damping, free), found length"},
      {AB "damper s: A.pos to B.pos", 4, 1, "damper s needs its damping: damping C"},
      {AB "spring s: A.pos to B.pos stiffness 3 stiffness 4", 4, 38, "stiffness is given twice"},
      {AB "spring s: A.pos' to B.pos stiffness 3", 4, 1,
       "the potential energy may depend on t and coordinates, but not on A.x',"},
      {AB "bushing b: A, B", 4, 1, "bushing b needs stiffness, damping or turning"},
      {AB "bushing b: A, B stiffness 3 turning (1,2)", 4, 37,
       "turning of a bushing is a number or a vector of 3 components, found a"},
      {AB "bushing b: A, A stiffness 3", 4, 15, "b connects A with itself"},
      {AB "bushing b: A, B stiffness 3 axis (0,0,1)", 4, 29,
       "expected a clause of bushing (at, stiffness, damping, turning), found"},
      {AB "torque (1,2,3) on B from B", 4, 26, "a torque acts from B on itself"},
      {AB "torque (1,2,3) on A.pos", 4, 19, "expected the name of a body, or ground"},
      {AB "dissipation A.vel", 4, 15,
       "body A has no vel; it has pos, com, omega, point(..), dir(..), ..."},
      {AB "rolling r: ground, A", 4, 1, "rolling r needs radius R, or ellipsoid (a, b, c)"},
      {AB "rolling r: ground, A radius 0.5 normal (0,0,0)", 4, 33, "the normal has length 0"},
      {AB "rolling r: ground, A ellipsoid (1,1)", 4, 32,
       "ellipsoid (a, b, c) needs a vector of 3 components, found a vector of"},
      {AB "rolling r: ground, A ellipsoid (1,1,0)", 4, 22,
       "a half axis of the ellipsoid is not positive"},
      {AB "rolling r: A, B radius 0.3 at (0,0)", 4, 31,
       "the point of the plane needs a vector of 3 components, found a vector"},
      {PQ "rolling r: ground, P radius 0.3 axis (0,1)", 4, 33, "in the plane a wheel has no axis"},
      {AB "part p(j) { force 1 along j.angle }\npart q=p(A)", 4, 29,
       "j turns in space and has no single angle; a joint has one: J.angle"},
      {AB "draw bdies", 4, 6,
       "expected line, point, circle, sphere, spring, box, cylinder, ellipsoid"},
  };
  CHECK(table);
}

static void test_wrong_parts_and_data(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {STATE "part p(a) let z=1", 4, 11, "expected { after the arguments of a part, found let"},
      {STATE "part p(a) { model x }", 4, 13,
       "model must be the first statement of the file, and the only one of its"},
      {STATE "part p(a) { let z = a.pos }\npart q=p(3)", 4, 23,
       "a number has no component pos; expected the name of a vector, body, jo"},
      {STATE "part a(x) { part b = c(x) }\npart c(x) { part d = a(x) }\npart e = a(1)", 5, 13,
       "part a holds itself"},
      {STATE "part p(a) { param k=a }\npart q = p(s)", 4, 21, "a param must be a constant"},
      {STATE "part p(a) { let z=w }\npart q=p(1)\nlet w = q.z", 4, 19, "cyclic definition of w"},
      {STATE "table f", 4, 8,
       "expected points or a file: table road [(0, 0), (1, 0.02)], or table ro"},
      {STATE "table f []", 4, 10, "expected ( before a point of a table: (x, y), found ]"},
      {STATE "table f [(0,0)]", 4, 11, "a table needs at least two points"},
      {STATE "table f [(0,0),(0,1)]", 4, 17, "x must rise: 0 follows 0; sort the points"},
      {STATE "table f [(0,0,1),(1,1,1)]", 4, 10, "a point of a table has two numbers: (x, y)"},
      {STATE "table f [(0,0),(1,s)]", 4, 19,
       "a point of a table is a constant and cannot depend on the variable s"},
      {STATE "table f [(0,0),(1,1)] quadratic", 4, 23,
       "expected linear, cubic, periodic, columns, or the end of the table, fo"},
      {STATE "table f [(0,0),(1,1)] linear cubic", 4, 30, "cubic after linear: one of them"},
      {STATE "table f [(0,0),(1,1)] periodic", 4, 7,
       "a periodic table ends with the value it begins with: 1 is not 0"},
      {STATE "table f [(0,0),(1,1)]\noutput o=f", 5, 10,
       "f is a function and needs its arguments: f(...)"},
      {STATE "table f [(0,0),(1,1)]\noutput o=f(1,2)", 5, 10,
       "f is a table and takes 1 argument, not 2"},
      {STATE "table sin [(0,0),(1,1)]", 4, 7,
       "sin is a keyword and cannot be declared; choose another name, such as"},
      {STATE "table t [(0,0),(1,1)]", 4, 7,
       "t is a keyword and cannot be declared; choose another name, such as t_"},
      {STATE "input u", 4, 8,
       "expected = and the value without data: input u = 0, found the end of t"},
      {STATE "input u = 0 foo", 4, 13,
       "expected hold, linear, cubic, or the end of the input, found foo"},
      {STATE "input u = (1,2)", 4, 11,
       "u has elements of different sizes: a number and a vector of 2 componen"},
      {STATE "input u=0 hold\noutput o=u'", 5, 10,
       "u is held between its samples and has no rate: declare it linear or cu"},
  };
  CHECK(table);
}

static void test_wrong_names_and_pictures(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {PQ "output o=P.e0", 4, 12, "P is a body of the plane and has no e0"},
      {PQ "output o=P.z", 4, 12, "P is a body of the plane and has no z"},
      {PQ "output o=P.omega.x", 4, 18, "P.omega is a number and has no component x"},
      {AB HINGE "output o=lambda(J.gap)", 5, 19, "no constraint has the label J.gap"},
      {AB HINGE "output o=J.angle.x", 5, 18, "J.angle is a number and has no component x"},
      {AB HINGE "output o=J.rate'", 5, 10,
       "J.rate already contains the rate A.e0': second derivatives are not sup"},
      {AB "mass -3 at A.pos", 4, 6, "the point mass is negative"},
      {AB "part p(a) { let z = a+1 }\npart q=p(A)", 4, 21, "a is a body; its place is a.pos"},
      {STATE "camera from (1,2,3)", 4, 20,
       "expected to: camera from (E,E,E) to (E,E,E), found the end of the file"},
      {STATE "camera from (1,2,3) to (1,2,3)", 4, 1,
       "the camera looks from a point to the same point"},
      {STATE "camera from (1,2) to (0,0)", 4, 13,
       "a point of the camera needs a vector of 3 components, found a vector o"},
      {AB "camera from (3,3,2) to (0,0,0)\ncamera from (3,3,2) to (0,0,0)", 5, 1,
       "there is a camera already; a model has one"},
      {AB "draw box (1,1,1)", 4, 17,
       "expected on and a body: draw box (a, b, c) on B, found the end of the"},
      {AB "draw box (1,1) on A", 4, 10,
       "the size of a shape needs a vector of 3 components, found a vector of"},
      {AB "draw line A.pos", 4, 1, "a line needs at least two points: draw line (E,E) (E,E)"},
      {AB "draw circle A.pos", 4, 18,
       "expected radius: draw circle (E,E) radius E, found the end of the file"},
      {AB "draw bodies on A", 4, 13,
       "expected an operator (* between factors) or the end of the statement,"},
      {STATE "coord x = 1 \"m", 4, 13, "unterminated string: a \" is missing at its end"},
      {STATE "coord x \"m\" = 1\nkinetic x'^2", 4, 13,
       "expected the end of the statement, found ="},
      {STATE "param k=3 [m]", 4, 11, "expected the end of the statement, found ["},
      {AB "coord q = (1,0,0) rate (0,1)\nkinetic dot(q',q')", 4, 24,
       "q is a vector of 3 components, but this is a vector of 2 components"},
      {AB "output o=A.local(3)", 4, 12, "local needs a vector of 3 components, found 1 component"},
      {AB "output o=A.dir((1,0))", 4, 12, "dir needs a vector of 3 components, found 2 components"},
      {AB "output o = A.x.y", 4, 16, "A.x is a number and has no component y"},
      {AB "output o=A.pos.w", 4, 16, "A.pos is a vector of 3 components and has no component w"},
      {AB "output o=A.omega'", 4, 10,
       "A.omega already contains the rate A.e0': second derivatives are not su"},
      {AB "output o=ground.foo", 4, 17, "body ground has no foo; did you mean pos?"},
      {AB "let r = A.pos'\noutput o=r'", 5, 10,
       "r already contains the rate A.x': second derivatives are not supported"},
      {AB "event e: A.z { A.omega = (0,0,0) }", 4, 16,
       "an event can set coordinates and their rates, states and discretes; A"},
  };
  CHECK(table);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wrong_poses_and_masses),   cmocka_unit_test(test_wrong_joints),
      cmocka_unit_test(test_wrong_forces_and_rolling), cmocka_unit_test(test_wrong_parts_and_data),
      cmocka_unit_test(test_wrong_names_and_pictures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
