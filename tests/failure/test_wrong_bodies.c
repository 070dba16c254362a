/* Wrong statements on vectors, bodies, joints, forces and parts are refused with the place of the
 * mistake, the line itself, and what would be right (refusal.h). */
#include "refusal.h"

/* two bodies in space, two in the plane */
#define AB "body A box (1, 1, 1) mass 1\nbody B box (1, 1, 1) mass 1 at (1, 0, 0)\n"
#define PQ "body P disk 1 mass 1 at (0, 0)\nbody Q disk 1 mass 1 at (1, 0)\n"

static void check_table(const wrong *table, size_t size)
{
  failures = 0;
  for (size_t i = 0; i < size; i++) {
    char text[4096];
    dae_error err;
    dae_model *model = NULL;
    int length = snprintf(text, sizeof text, HEAD "%s", table[i].text);
    assert_in_range(length, 1, (int)sizeof text - 1);
    dae_status status =
        dae_model_parse("wrong.dae", text, (size_t)length, NULL, NULL, &model, &err);
    if (status != DAE_ERROR_MODEL || err.status != status || model)
      complain(text, "it is not refused as a model", &err);
    else
      check_error(text, "wrong.dae", &table[i], &err);
    dae_model_free(model);
  }
  assert_int_equal(failures, 0);
}

#define CHECK(table) check_table(table, sizeof table / sizeof *table)

static void test_wrong_vectors(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"let r = (1, 2, 3)*(1, 2, 3)\nstate zz; zz' = 1", 2, 18,
       "product of two vectors: dot(a, b) or cross(a, b)?"},
      {"let r = (1, 2)+(1, 2, 3)\nstate zz; zz' = 1", 2, 15,
       "sum of a vector of 2 components and a vector of 3 components"},
      {"let r = (1, 2)/(1, 2)\nstate zz; zz' = 1", 2, 15,
       "a vector cannot divide; norm(v) is its length"},
      {"let r = 1/(1, 2)\nstate zz; zz' = 1", 2, 10,
       "a vector cannot divide; norm(v) is its length"},
      {"let r = (1, 2)^2\nstate zz; zz' = 1", 2, 15,
       "a vector has no power; its square is dot(v, v)"},
      {"let r = (1, 2) < (2, 3)\nstate zz; zz' = 1", 2, 16,
       "vectors cannot be compared; compare norm(v), or components v.x"},
      {"let r = sin((1, 2))\nstate zz; zz' = 1", 2, 13,
       "expected a number, found a vector of 2 components; its components are"},
      {"let r = 1 + (1, 2)\nstate zz; zz' = 1", 2, 11,
       "sum of a number and a vector of 2 components"},
      {"let r = dot((1, 2), (1, 2, 3))\nstate zz; zz' = 1", 2, 9,
       "dot of a vector of 2 components and a vector of 3 components"},
      {"let r = dot((1, 2))\nstate zz; zz' = 1", 2, 9, "dot takes 2 vectors, not 1 arguments"},
      {"let r = norm(2)\nstate zz; zz' = 1", 2, 14, "norm takes vectors, found a number"},
      {"let r = cross((1, 2), 3)\nstate zz; zz' = 1", 2, 23, "cross takes vectors, found a number"},
      {"let r = (1, 2, 3, 4)\nstate zz; zz' = 1", 2, 9,
       "a vector has two or three components, not 4"},
      {"let r = (1, (2, 3))\nstate zz; zz' = 1", 2, 13,
       "expected a number, found a vector of 2 components; its components are"},
      {"let v = (1, 2), r = v.z\nstate zz; zz' = 1", 2, 23,
       "a vector of 2 components has the components x, y, but no z"},
      {"let v = (1, 2), r = v.w\nstate zz; zz' = 1", 2, 23,
       "a vector of 2 components has the components x, y, but no w"},
      {"let v = 3, r = v.x\nstate zz; zz' = 1", 2, 18,
       "a number has no component x; expected the name of a vector, body,"},
      {"let v = (1, 2), r = v.x.y\nstate zz; zz' = 1", 2, 25,
       "a number has no component y; expected the name of a vector, body,"},
      {"let r = [1, 2]\nstate zz; zz' = 1", 2, 9,
       "r is no array and has one value: declare r[1..2]"},
      {"param p[1..3] = [1, 2]\nstate zz; zz' = 1", 2, 17,
       "p has 3 elements, but the list has 2 values"},
      {"param p = [1, 2]\nstate zz; zz' = 1", 2, 11,
       "p is no array and has one value: declare p[1..2]"},
      {"param p[1..2] = [1, (1, 2)]\nstate zz; zz' = 1", 2, 21,
       "expected a number, found a vector of 2 components; its components are"},
      {"param p = (1, 2), q = sqrt(p)\nstate zz; zz' = 1", 2, 28,
       "expected a number, found a vector of 2 components; its components are"},
      {"coord r = (0, 0)\nkinetic r'*r'", 3, 11,
       "product of two vectors: dot(a, b) or cross(a, b)?"},
      {"coord r = (0, 0)\nkinetic norm(r')^2\nforce r = 1", 4, 11,
       "r is a vector of 2 components, the force a number"},
      {"coord r = (0, 0)\nkinetic norm(r')^2\nconstraint r = (1, 2, 3)", 4, 1,
       "the sides of the constraint are a vector of 2 components and a vector"},
      {"coord r = (0, 0)\nkinetic norm(r')^2\nconstraint L: r = 1", 4, 1,
       "the sides of the constraint are a vector of 2 components and a number"},
      {"coord r = (0, 0)\nkinetic norm(r')^2\nconstraint L: r = (0, 1)\noutput o = psi(L)", 5, 16,
       "L is holonomic; its multiplier is lambda(L)"},
      {"coord r = (0, 0)\nkinetic norm(r')^2\nevent e: r.x { r' = 2 }", 4, 21,
       "r is a vector of 2 components, the value a number"},
      {"coord r = (0, 0)\nkinetic norm(r')^2\nevent e: r { r' = (0, 0) }", 4, 10,
       "expected a number, found a vector of 2 components; its components are"},
      {"state u = (0, 0)\nu' = 1", 3, 1,
       "the sides of the equation are a vector of 2 components and a number"},
      {"let f(v) = v.x, r = f(2)\nstate zz; zz' = 1", 2, 14,
       "a number has no component x; expected the name of a vector, body,"},
      {"coord r = (0, 0)\nkinetic norm(r')^2\ndraw line r to 3", 4, 16,
       "a point needs brackets and two coordinates: (E, E)"},
  };
  CHECK(table);
}

static void test_wrong_bodies(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"body b", 2, 1, "body b has no mass: write mass M, or a shape and density"},
      {"body b mass 1", 2, 1,
       "body b has no inertia: write inertia (J1, J2, J3), or a shape such as"},
      {"body b mass 1 inertia 2", 2, 23,
       "inertia (J1, J2, J3) needs a vector of 3 components, found a number"},
      {"body b box (1, 1, 1)", 2, 1, "body b has no mass: write mass M, or a shape and density"},
      {"body b box (1, 1, 1) mass -1", 2, 22, "the mass -1 of b is negative"},
      {"body b box (1, 1, 0) mass 1", 2, 8, "a size of box is 0; it must be positive"},
      {"body b box (1, 1) mass 1 at (0, 0, 0)", 2, 12,
       "box (a, b, c) needs a vector of 3 components, found a vector of 2"},
      {"body b box 1 mass 1", 2, 12,
       "box (a, b, c) needs a vector of 3 components, found a number"},
      {"body b box (1, 1, 1) mass 1 mass 2", 2, 29, "mass is given twice"},
      {"body b box (1, 1, 1) sphere 1 mass 1", 2, 22, "a body has one shape: box or sphere"},
      {"body b box (1, 1, 1) mass 1 density 2", 2, 29,
       "mass and density: the one follows from the other"},
      {"body b mass 1 density 2 inertia (1, 1, 1)", 2, 15,
       "mass and density: the one follows from the other"},
      {"body b density 2 inertia (1, 1, 1)", 2, 8,
       "density needs a shape with a volume: box, cylinder, ..."},
      {"body b cylinder 1 mass 1", 2, 19,
       "expected length after the first value of cylinder, found mass"},
      {"body b rod (0, 0, 0) to (1, 0, 0) mass 1", 2, 12, "expected from after rod, found ("},
      {"body b rod from (0, 0, 0) to (0, 0, 0) mass 1", 2, 8, "the rod has length 0"},
      {"body b mass 1 inertia (1, 1, -1)", 2, 15,
       "the inertia has the negative principal moment -1: no body has that"},
      {"body b mass 1 inertia (1, 2)", 2, 23,
       "inertia has three moments (J1, J2, J3) or six entries (J11, J22, J33,"},
      {"body b mass 1 inertia (1, 1, 1, 0, 0)", 2, 23,
       "inertia has three moments (J1, J2, J3) or six entries (J11, J22, J33,"},
      {"body b box (1, 1, 1) mass 1 turned 1", 2, 37,
       "expected about after the first value of turned"},
      {"body b box (1, 1, 1) mass 1 turned 1 about (0, 0, 0)", 2, 44,
       "the axis of turned has length 0"},
      {"body b box (1, 1, 1) mass 1 angle 1", 2, 29,
       "b is a body in space, which has no single angle: turned A about V"},
      {"body b plane mass 1 inertia 1 turned 1 about (0, 0, 1)", 2, 31,
       "b is a body in the plane, which is turned by angle A"},
      {"body b box (1, 1, 1) mass 1 x along (1, 0, 0) y along (2, 0, 0)", 2, 55,
       "both axes of the body would have one direction"},
      {"body b box (1, 1, 1) mass 1 x along (1, 0, 0) y along (0, 1, 0) z along (0, 0, 1)", 2, 65,
       "two axes give the turn of a body; leave one out"},
      {"body b box (1, 1, 1) mass 1 omega 3", 2, 35,
       "omega needs a vector of 3 components, found a number"},
      {"body b box (1, 1, 1) mass 1 colour 3", 2, 29,
       "expected a clause of a body (plane, fixed, box, cylinder, sphere,"},
      {"body b box (1, 1, 1) mas 1", 2, 22,
       "expected a clause of a body; did you mean mass?, found mas"},
      {"body b: box (1, 1, 1) mass 1", 2, 7, "a body has no colon: body b box (a, b, c) mass m"},
      {"body b box (1, 1, 1) mass 1 at b.point(1, 0, 0)", 2, 1,
       "cyclic start of b: its pose depends on itself"},
      {"body b box (1, 1, 1) mass 1 omega b.omega", 2, 1,
       "cyclic start of b: its velocity depends on itself"},
      {"bodi b box (1, 1, 1) mass 1", 2, 1, "unknown statement bodi; did you mean body?"},
      {"for i in 1..2 { body b box (1, 1, 1) mass 1 }", 2, 17,
       "bodies and parts are not declared in for loops: declare an array, b[k"},
      {"body A box (1, 1, 1) mass 1\nbody A sphere 1 mass 1", 3, 6,
       "duplicate declaration of A; the first one is in line 2"},
      {"body A box (1, 1, 1) mass 1\noutput o = A", 3, 12, "A is a body; its place is A.pos"},
      {"body A box (1, 1, 1) mass 1\noutput o = A.foo", 3, 14,
       "body A has no foo; did you mean pos?"},
      {"body A box (1, 1, 1) mass 1\noutput o = A.angle", 3, 14,
       "A turns in space and has no single angle; a joint has one: J.angle"},
      {"body A box (1, 1, 1) mass 1\noutput o = A.point(1, 2)", 3, 14,
       "point needs a vector of 3 components, found 2 components"},
      {"body A box (1, 1, 1) mass 1\noutput o = A.point", 3, 14,
       "point needs a vector: point(a, b, c)"},
      {"body A box (1, 1, 1) mass 1\noutput o = A.pos(1)", 3, 14,
       "pos of a body is no function and has no index"},
      {"body A box (1, 1, 1) mass 1\noutput o = A.ex.w", 3, 17,
       "A.ex is a vector of 3 components and has no component w"},
      {"body A box (1, 1, 1) mass 1\nparam p = A.x", 3, 13,
       "a param is a constant and cannot depend on the variable A.x"},
      {"body A box (1, 1, 1) mass 1\nforce A.omega = (0, 0, 1)", 3, 7,
       "omega is not a coordinate; a force acts on a coordinate; or write"},
      {"body P disk 1 mass 1 at (0, 0)\noutput o = P.ez", 3, 14,
       "P is a body of the plane and has no ez"},
      {"body P disk 1 mass 1 at (0, 0)\ngravity (0, 0, -9.81)", 3, 9,
       "gravity is a vector of 3 components, but P moves in the plane"},
      {"body A box (1, 1, 1) mass 1\ngravity 9.81", 3, 9,
       "gravity needs a vector: gravity (0, 0, -9.81), in the plane gravity"},
      {"body A box (1, 1, 1) mass 1\ngravity (0, 0, -1)\ngravity (0, 0, -2)", 4, 1,
       "duplicate gravity; the first one is in line 3"},
      {"body A box (1, 1, 1) mass 1\nmass 2 at 3", 3, 11,
       "a point mass is at a point, a vector, not at a number"},
      {"body A box (1, 1, 1) mass 1\nmass 2", 3, 7,
       "expected at before the place of a point mass: mass 2 at r"},
  };
  CHECK(table);
}

static void test_wrong_joints(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {AB "revolute J: A, B", 4, 1, "revolute J needs an axis: axis (0, 0, 1)"},
      {AB "revolute J: A B axis (0, 0, 1)", 4, 15,
       "expected , between the two bodies of a joint: A, B, found B"},
      {AB "revolute J: A, C axis (0, 0, 1)", 4, 16,
       "unknown body C; declare it with body C ..., or write ground"},
      {AB "revolute J: A, A axis (0, 0, 1)", 4, 16, "J connects A with itself"},
      {AB "revolute J: ground, ground axis (0, 0, 1)", 4, 13, "J connects the ground with itself"},
      {AB "revolute J: A, B axis (0, 0, 0)", 4, 23, "the axis has length 0"},
      {AB "revolute J: A, B axis (0, 0, 1) at (0, 0)", 4, 36,
       "the place of a joint needs a vector of 3 components, found a vector"},
      {AB "revolute J: A, B axes (0, 0, 1), (1, 0, 0)", 4, 1,
       "revolute J needs an axis: axis (0, 0, 1)"},
      {AB "universal J: A, B axes (1, 0, 0), (1, 1, 0)", 4, 19,
       "axes of universal J are not square: 0.7854 rad"},
      {AB "universal J: A, B axes (1, 0, 0)", 4, 33, "expected , after the first value of axes"},
      {AB "universal J: A, B axis (1, 0, 0)", 4, 19,
       "a universal joint has no axis; it has two: axes U, W"},
      {AB "universal J: A, B", 4, 1, "universal J needs its two axes: axes U, W"},
      {AB "spherical J: A, B axis (0, 0, 1)", 4, 19, "a spherical joint has no axis"},
      {AB "spherical J: A, B driven 2*t", 4, 19,
       "a spherical joint cannot be driven: J has no angle or slide"},
      {AB "planar J: A, B axis (0, 0, 1) driven 2*t", 4, 31,
       "a planar joint cannot be driven: it has three free motions; write"},
      {AB "cylindrical J: A, B axis (0, 0, 1) driven 2*t", 4, 36,
       "a cylindrical joint has an angle and a slide: write constraint"},
      {AB "weld J: A, B driven 2*t", 4, 14,
       "a weld joint cannot be driven: J has no angle or slide"},
      {AB "revolute J: A, B axis (0, 0, 1) driven (1, 2)", 4, 40,
       "expected a number, found a vector of 2 components; its components are"},
      {AB "revolute J: A, B axis (0, 0, 1) driven A.x'", 4, 40,
       "the drive of a joint may depend on t and coordinates of its system,"},
      {AB "pin J: A, B axis (0, 0, 1)", 4, 1,
       "a pin joint needs bodies of the plane; J connects bodies in space"},
      {PQ "spherical J: P, Q", 4, 1,
       "a spherical joint needs bodies in space; J connects plane bodies"},
      {PQ "revolute J: P, Q axis (0, 0, 1)", 4, 18, "a revolute joint of the plane has no axis"},
      {PQ "prismatic J: P, Q", 4, 1, "prismatic J needs an axis: axis (1, 0)"},
      {AB "body P disk 1 mass 1 at (0, 0)\nrevolute J: A, P axis (0, 0, 1)", 5, 1,
       "revolute J: P is a plane body, A one in space"},
      {AB "revolute A: A, B axis (0, 0, 1)", 4, 10,
       "duplicate declaration of A; the first one is in line 2"},
      {AB "revolute J: A, B axis (0, 0, 1)\nrevolute J: A, B axis (0, 1, 0)", 5, 10,
       "duplicate name J; the first one is in line 4"},
      {AB "revolute J: A, B axis (0, 0, 1)\noutput o = J.slide", 5, 14,
       "J.slide: a revolute has no slide; it has angle, rate, force, torque,"},
      {AB "revolute J: A, B axis (0, 0, 1)\noutput o = J.drive", 5, 14,
       "J.drive: J is not driven; write driven F"},
      {AB "revolute J: A, B axis (0, 0, 1)\noutput o = J", 5, 12,
       "J is a revolute; it has angle, rate, force, torque, point, axis"},
      {AB "revolute J: A, B axis (0, 0, 1)\npotential J.force.x", 5, 13,
       "J.force is available in outputs, events and drawings only, as"},
      {AB "revolute J: A, B axis (0, 0, 1)\nforce A.x = J.torque.z", 5, 15,
       "J.torque is available in outputs, events and drawings only, as"},
      {AB "revolute J: A, B axis (0, 0, 1)\noutput o = lambda(J.q)", 5, 21,
       "no constraint has the label J.q; did you mean J.x?"},
      {AB "revolute J[1]: A, B axis (0, 0, 1)\noutput o = J[2].angle", 5, 12,
       "there is no revolute J[2]"},
      {AB "revolute J[1]: A, B axis (0, 0, 1)\noutput o = J.angle", 5, 12,
       "J is an array of connectors and needs an index"},
      {AB "rolling J: ground, B", 4, 1, "rolling J needs radius R, or ellipsoid (a, b, c)"},
      {AB "rolling J: ground, B radius -1", 4, 22, "the radius -1 of rolling is not positive"},
      {AB "rolling J: B, ground radius 1", 4, 15,
       "the second body of rolling rolls; the ground is the first: rolling J:"},
      {AB "rolling J: ground, B radius 1 ellipsoid (1, 1, 1)", 4, 1,
       "a body that rolls is a ball or an ellipsoid: radius or ellipsoid"},
      {AB "rolling J: ground, B ellipsoid (1, 1, 1) axis (0, 0, 1)", 4, 42,
       "an ellipsoid has no axis; its half axes are those of the body"},
      {AB "rod R: A.pos to 3", 4, 1,
       "the ends of rod R are a vector of 3 components and a number; they are"},
      {AB "rod R: (0, 0, 0) to (1, 0, 0)", 4, 1, "rod R connects two points that do not move"},
      {AB "rod R: A.pos to A.pos", 4, 1, "the length 0 of rod R is not positive"},
      {AB "rod R: A.pos, B.pos", 4, 13,
       "expected to between the ends of a rod: rod R: P to Q, found ,"},
      {"system S { A1; }", 2, 14, "expected = of an equation A = B, found ;"},
  };
  CHECK(table);
}

static void test_wrong_forces(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {AB "force 1 along 3", 4, 1, "this depends on no coordinate: no force can act along it"},
      {AB "force (1, 2, 3) along A.x", 4, 7,
       "expected a number, found a vector of 3 components; its components are"},
      {AB "force 1 at A.pos", 4, 12,
       "force F at P needs two vectors of one size, found a number and a"},
      {AB "force (1, 2) at A.pos", 4, 17,
       "force F at P needs two vectors of one size, found a vector of 2"},
      {AB "force 1 along A.x'^2", 4, 1,
       "a force acts along a coordinate, or along what is linear in rates"},
      {AB "force A.x", 4, 10, "expected = after the coordinate: force x = E"},
      {AB "force 3 = A.x", 4, 7,
       "expected a coordinate after force: force x = E; or force F along s,"},
      {AB "torque 3 on A", 4, 8, "a torque on A is a vector of 3 components, found a number"},
      {AB "torque (0, 0, 1) on ground", 4, 21,
       "the ground does not turn: torque T on B from ground"},
      {AB "torque (0, 0, 1) to A", 4, 18,
       "expected on before the body: torque T on B from A, found to"},
      {"body P disk 1 mass 1 at (0, 0)\ntorque (0, 0, 1) on P", 3, 8,
       "a torque on P is a number, found a vector of 3 components"},
      {AB "dissipation A.x^2", 4, 16,
       "a dissipation holds rates: dissipation c*x'^2/2 is the damper -c*x'"},
      {AB "dissipation A.pos'", 4, 13,
       "expected a number, found a vector of 3 components; its components are"},
      {AB "spring S: A.pos to B.pos", 4, 1, "spring S needs its stiffness: stiffness K"},
      {AB "spring S: A.pos stiffness 3", 4, 11,
       "expected a number, found a vector of 3 components; its components are"},
      {AB "spring S: A.pos to 3 stiffness 3", 4, 1,
       "the ends of spring S are a vector of 3 components and a number; they"},
      {AB "spring S: A.pos to B.pos stiffness 3 damping 1 damping 2", 4, 48,
       "damping is given twice"},
      {AB "spring S: A.pos to B.pos stiffness 3\noutput o = S.angle", 5, 14,
       "S.angle: a spring has no angle; it has length, pull"},
      {AB "damper D: A.pos to B.pos", 4, 1, "damper D needs its damping: damping C"},
      {AB "damper D: A.pos to B.pos stiffness 3", 4, 26,
       "expected a clause of damper (damping), found stiffness"},
      {AB "bushing D: A, B", 4, 1, "bushing D needs stiffness, damping or turning"},
      {AB "bushing D: A, B stiffness (1, 2)", 4, 27,
       "stiffness of a bushing is a number or a vector of 3 components, found"},
      {AB "bushing D: A, B stiffness 1 damping 1 damping 2", 4, 39, "damping is given twice"},
      {"body b rod from (0, 0, 0) to (1, 0, 0) mass 1\nspherical J: ground, b at (0, 0, 0)", 2, 1,
       "b spins freely about its x axis and has no inertia there: give a box"},
  };
  CHECK(table);
}

static void test_wrong_parts(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"part p(a) { coord x; kinetic x'^2 }\npart q = p()", 3, 1,
       "part p needs its argument a: part q = p(.., a = ..)"},
      {"part p(a) { coord x; kinetic x'^2 }\npart q = p(1, 2)", 3, 15, "part p has 1 argument"},
      {"part p(a) { coord x; kinetic x'^2 }\npart q = p(1, a = 2)", 3, 15,
       "argument a is given twice"},
      {"part p(a) { coord x; kinetic x'^2 }\npart q = p(b = 2)", 3, 12, "part p has no argument b"},
      {"part p(a) { coord x; kinetic x'^2 }\npart q = r(2)", 3, 10,
       "unknown part r; declare it by part r(..) { ... }"},
      {"part p(a) { part q = p(1) }\npart r = p(1)", 2, 13, "part p holds itself"},
      {"part p(a, a) { coord x }", 2, 11, "duplicate argument a of p"},
      {"part p(a) { system S { coord x } }\npart q = p(1)", 2, 13,
       "a part holds no system: a system holds parts"},
      {"part p(a) { coord x; kinetic x'^2; simulate to 1 }\npart q = p(1)", 2, 36,
       "simulate is not allowed in a part; it belongs at the end of the model"},
      {"part p(a) { coord x; kinetic x'^2 }\npart q = p(1)\noutput o = q.y", 4, 14,
       "part q has no y"},
      {"part p(a) { coord x; kinetic x'^2 }\npart q = p(1)\noutput o = q", 4, 12,
       "q is a part; its variables are written q.x"},
      {"part p(a) { coord x; kinetic x'^2 }\npart q[k in 1..2] = p(1)\noutput o = q.x", 4, 12,
       "q is an array of parts and needs one index"},
      {"part p(a) { coord x; kinetic x'^2 }\npart q[k in 1..2] = p(1)\noutput o = q[3].x", 4, 14,
       "the index 3 of q is out of range 1..2"},
      {"part p(a) { coord x; kinetic x'^2 }\noutput o = p.x", 3, 12,
       "p is a part with arguments; make one of it: part p = p(...)"},
      {"part p(b) { force 1 along b.x }\ncoord y; kinetic y'^2\npart q = p(y)", 2, 29,
       "a number has no component x; expected the name of a vector, body,"},
      {"part p { coord x }", 2, 8, "a part has arguments, if none then ( ): part p() { ... }"},
      {"part q = p", 2, 11, "expected ( before the arguments of a part: part FL = corner(a, b)"},
      {"part p(a) { coord x; kinetic x'^2; constraint a: x = 1 }\npart q = p(1)\noutput o = "
       "lambda(q.b)",
       4, 21, "no constraint has the label b"},
      {"system S { body A box (1,1,1) mass 1 }\nsystem T { body B box (1,1,1) mass 1\nspherical J: "
       "S.A, B }",
       4, 14, "body S.A is in another system; across systems write joint NAME: A = B"},
      {"joint A: B at (0, 0, 0)", 2, 12,
       "expected = between the sides of the constraint: A = B, found at"},
  };
  CHECK(table);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wrong_vectors), cmocka_unit_test(test_wrong_bodies),
      cmocka_unit_test(test_wrong_joints),  cmocka_unit_test(test_wrong_forces),
      cmocka_unit_test(test_wrong_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
