/* Bodies in the plane and in space, and what connects them: joints, rods, springs, bushings.
 *
 * A body in space has the coordinates x y z of its origin and the Euler parameters e0 .. e3 of its
 * axes, a body in the plane x y angle. A clause of a body or connector is a constant, evaluated
 * with the poses of the start. Everything is expanded into energies, forces and constraints of the
 * system the body stands in; nodes that belong to a body are made once, at their first use.
 *
 * With the Euler parameters e = (e0, v), e.e = 1, R = the matrix of the axes in space, and W the
 * angular velocity in space,
 *
 *   R = I + 2 e0 [v] + 2 [v]^2,   W = 2 (e0 v' - e0' v + v x v')   (vector part of 2 e' conj(e)),
 *
 * [v] = the matrix of v x. The angular velocity in the axes of the body is w = R'W, in rates of e
 * 2 (e0 v' - e0' v - v x v'). */
#ifndef DAEDAL_MODEL_SPACE_SPACE_H
#define DAEDAL_MODEL_SPACE_SPACE_H

#include "model/expand/value.h"

/* ---- bodies ---- */

typedef enum dae__form {
  DAE__FORM_NONE,
  DAE__FORM_BOX,      /* size: edges */
  DAE__FORM_CYLINDER, /* size: radius, length; axis z */
  DAE__FORM_SPHERE,   /* size: radius */
  DAE__FORM_DISK,     /* size: radius; axis z */
  DAE__FORM_ROD       /* size: length; axis x */
} dae__form;

typedef struct dae__body {
  const dae__statement *s; /* NULL: the ground */
  int symbol, instance, element;
  const char *name; /* full name of the body */
  bool plane;
  int leaf, rate; /* first leaves of the coordinates and of their rates */
  /* pose and rates at the start, as far as they are known: 0, 1: being found, 2 */
  int pose_stage, rate_stage, mass_stage;
  double position[3], turn[4]; /* turn: Euler parameters; in the plane the angle */
  double velocity[3], omega[3];
  double turn_rate[4]; /* rates of the Euler parameters of a root, where omega is not given */
  bool position_given, turn_given, velocity_given, omega_given, fixed;
  dae__form form;
  double size[3];
  double mass, inertia[6], moment; /* J11 J22 J33 J12 J13 J23; smallest positive principal moment */
  double centre[3];
  bool has_centre, spins_freely;                  /* without inertia about its x axis */
  bool made;                                      /* the nodes below are known */
  dae__value pos, axis[3], omega_node, turn_node; /* turn_node: e1, e2, e3 */
  dae__node e0, angle;
  struct dae__place *places;      /* points of joints, for pictures: the last one first */
  int turned_by;                  /* number of joints that hold its turning */
  int pose_value;                 /* 1 + first value of the pose in the picture; 0: none */
  int group;                      /* number of its colour in the picture; 0: none */
  int side;                       /* number of the last side of a joint it was found on */
  struct dae__connector *carrier; /* relative joint that carries the body; NULL: none */
  /* A body of a tree of relative joints has leaves that stand for its axes, 3 components each, and
   * for its turning, whose rates are the angular velocity in space; 0: of no tree */
  int axes_leaf, turning_leaf;
  dae__value spin, flow; /* of a carried body: angular velocity, velocity of the origin, own axes */
} dae__body;

/* A point of a body that something is connected to. */
typedef struct dae__place {
  double at[3]; /* in the axes of the body */
  struct dae__connector *connector;
  struct dae__place *next;
} dae__place;

/* ---- connectors ---- */

/* Directions of a joint in space. */
enum { DAE__AXIS_U, DAE__AXIS_N, DAE__AXIS_M, DAE__AXIS_UB, DAE__AXIS_NB, DAE__AXES };

/* Largest number of coordinates of a relative joint: Euler parameters. */
enum { DAE__RELATIVE = 4 };

typedef struct dae__connector {
  const dae__statement *s;
  dae__connector_kind kind;
  int instance;
  dae__local *frame;
  const char *label; /* its name in its scope, "J[3]"; NULL: without */
  const char *name;  /* its name in messages */
  int stage;         /* geometry: 0 unknown, 1 being found, 2 known */
  bool expanded;
  dae__body *a, *b;
  bool plane;
  /* geometry as nodes in space: points, axis u with n, m square to it of A, and u, n, w of B */
  dae__value p, q, d, u, n, m, ub, nb, wb;
  double from[3];            /* the point of A, in its axes */
  double place[3];           /* the point of B, in its axes */
  double axes[DAE__AXES][3]; /* u, n, m of A and ub, nb of B, in the axes of their bodies */
  double angle0;             /* angle at the start */
  double angle_far;          /* angle at the start that constraints ask for, far from angle0 */
  bool is_far;
  double turn0;   /* in the plane: B.angle - A.angle where the axes of both bodies agree */
  int angle_leaf; /* leaf of the angle coordinate; 0: none, or plane */
  bool relative;  /* the pose of B follows from that of A and the coordinates of the joint */
  int depth;      /* number of relative joints on the way from B to the root of its tree */
  int path;       /* number of their coordinates */
  bool first;     /* the first joint of the tree of its parent, a root */
  int coordinate[DAE__RELATIVE]; /* leaves of the coordinates of a relative joint */
  bool started;                  /* the start of the coordinates is known: */
  double start[DAE__RELATIVE], start_rate[DAE__RELATIVE];
  bool rate_given[DAE__RELATIVE]; /* the rates that the text gives determine that of a coordinate */
  double second[3]; /* second axis of a relative universal joint, in A, while its angles are 0 */
  double turn[4];   /* turn of B in A, as Euler parameters, at angle0 or while all angles are 0 */
  dae__node turned; /* multiplier of the constraint of the angle coordinate */
  dae__value force, torque; /* what the connector does to B at its point */
  dae__node drive;          /* force or torque of the drive; 0: none */
  bool driven;
  dae__node length, pull; /* of rods, springs, dampers */
} dae__connector;

/* A number that does not depend on where a tree of relative joints is as a whole, such as the
 * length of a spring in it: an expression of the poses beside that of the body `root`. */
typedef struct dae__scalar {
  int leaf; /* stands for the number, with its rate */
  dae__node node;
  dae__body *root;
} dae__scalar;

/* A point mass at a point of a carried body. */
typedef struct dae__load_point {
  dae__body *body;
  dae__node mass;
  dae__value at; /* in the axes of the body */
} dae__load_point;

typedef struct dae__space {
  DAE__LIST(dae__connector *) connectors;
  DAE__LIST(dae__connector *) relative; /* relative joints, that of a parent before its children */
  DAE__LIST(dae__body *) roots;         /* bodies that carry others and are not carried */
  DAE__LIST(dae__scalar) scalars;
  DAE__LIST(dae__load_point) masses;
  /* by leaf: expression of the coordinates for what is derived from them; -1: the leaf itself */
  DAE__LIST(dae__node) by;
  dae__table table;    /* connectors by instance and name, with and without indices */
  dae__body ground[2]; /* of space, of the plane */
  int groups;          /* number of colours of bodies in the picture */
} dae__space;

void dae__space_create(dae__expander *x);
/* Registers the names of all connectors. */
void dae__declare_connectors(dae__expander *x);
/* Connector of a name in an instance; NULL: none, or an error. any: with any indices. */
dae__connector *dae__connector_find(const dae__context *c, int instance, const dae__expr *at,
                                    bool any);
/* Expands one of the statements on bodies. */
void dae__space_expand(const dae__context *c, const dae__statement *s);
/* Checks what can be judged with all connectors at hand. */
void dae__space_finish(dae__expander *x);
/* Turns bodies at joints whose start is far from closed (assemble.c). */
void dae__space_assemble(dae__expander *x);

/* ---- relative joints: relative.c, relative_start.c, relative_motion.c ---- */

/* Finds the bodies that relative joints carry, and creates the coordinates of these joints. */
void dae__relative_find(dae__expander *x);
/* Leaf of a coordinate of a relative joint by its name; -1: none. */
int dae__relative_coordinate(const dae__connector *k, const char *name);
/* Number of angles of the kind of a relative joint, which come first, and of its slides. */
int dae__relative_angles(const dae__connector *k);
int dae__relative_slides(const dae__connector *k);
/* Axis of a coordinate that is an angle or a slide, in A. */
const double *dae__relative_axis(const dae__connector *k, int coordinate);
/* Start of a coordinate or of its rate, and whether the text gives or fixes it. */
dae__node dae__relative_start(dae__expander *x, dae__connector *k, int leaf, bool rate);
void dae__relative_held(dae__expander *x, int leaf, bool *given, bool *fixed);
/* Finds the coordinates of all relative joints at the start, and the poses that follow from them.
 */
void dae__relative_find_starts(dae__expander *x);
/* Replaces rows of closing joints that the joints of a tree meet already by 0 = 0. */
void dae__relative_drop_rows(dae__expander *x);
/* Finds the rates at the start of the coordinates of all trees, when the motion is reduced. */
void dae__relative_find_rates(dae__expander *x);
/* Replaces the poses of carried bodies in the motion by expressions of the coordinates of their
 * joints, and adds their kinetic energies. */
void dae__relative_reduce(dae__expander *x);
/* Leaf for a number that vectors of space determine, if it depends on the shape of one tree of
 * relative joints only; else the number itself. k: the connector it belongs to. */
dae__node dae__relative_scalar(dae__expander *x, dae__connector *k, dae__node node,
                               const dae__value *vectors, int count);
/* Takes the kinetic energy of a point mass over, if it is at a point of a carried body. */
bool dae__relative_take_mass(dae__expander *x, dae__node mass, dae__value point);
/* Start of what is derived from coordinates. */
dae__node dae__relative_derived_start(dae__expander *x, int leaf);
/* Expressions of the pose of a body of a tree by those of its parent and the joint, or of a root by
 * its coordinates (relative_pose.c). */
typedef struct dae__level {
  dae__value pos, axis[3], omega; /* pos, omega: of carried bodies; omega: size 3 */
  dae__node e[4];                 /* of carried bodies */
} dae__level;
void dae__relative_level(dae__expander *x, dae__body *b, dae__level *out);
/* Velocities of a carried body in its axes, by those of its parent. */
void dae__relative_velocities(dae__expander *x, dae__connector *k);
/* Leaves of the Euler parameters of a relative spherical joint, or of their rates. */
void dae__relative_ball(dae__expander *x, const dae__connector *k, bool rate, dae__node *e);
/* The same for another node. */
dae__node dae__relative_reduced(dae__expander *x, dae__node node);
/* Reports that a leaf belongs to a carried body, and is no coordinate. */
void dae__relative_fail_leaf(dae__expander *x, const dae__body *b, int place, const char *name);

/* Value of a name that belongs to a body or connector: B.x, B.point(v), J.angle. */
dae__value dae__space_value(const dae__context *c, const dae__expr *e, const dae__found *found);
/* Number of components of such a name. */
int dae__space_size(dae__expander *x, const dae__found *found);
/* Leaves of such a name, if it is a coordinate or the vector of some; -1: none. */
int dae__space_leaves(dae__expander *x, const dae__found *found, bool rate, int *count);

/* ---- pictures: drawing.c ---- */

/* First value of the pose of a body in a picture, added at its first use, and its colour. */
int dae__picture_pose(dae__expander *x, dae__picture *picture, dae__body *b);
int dae__picture_group(dae__expander *x, dae__body *b);
/* Converts the shapes of the draw statements to shapes in space. */
void dae__picture_raise(dae__expander *x);

/* ---- bodies: body.c, inertia.c, pose.c ---- */

/* The ground of space. */
dae__body *dae__ground(dae__expander *x);
/* Tests the clauses of a body for `plane` and vectors of two components. */
bool dae__body_is_plane(const dae__context *c, const dae__statement *s);
/* Creates the bodies of a symbol in an instance. */
void dae__bodies_create(dae__expander *x, int symbol, int instance, dae__elements *e);
/* The body with a leaf of a coordinate or rate; component: set to its number, 0 to 6. */
dae__body *dae__body_of_leaf(dae__expander *x, int leaf, int *component);
/* Node of the start value of a coordinate or rate of a body. */
dae__node dae__body_start(dae__expander *x, int leaf);
/* Whether the text gives the start value of a leaf, and whether it is fixed. */
void dae__body_held(dae__expander *x, int leaf, bool *given, bool *fixed);
/* Whether a leaf is no variable: the pose or rates of a carried body, or another derived symbol. */
bool dae__is_derived(dae__expander *x, int leaf);
/* Coordinate with a given rate, by their leaves (force.c). */
int dae__coordinate_of_rate(dae__expander *x, int rate);
/* Makes the nodes of the pose. */
void dae__body_nodes(dae__expander *x, dae__body *b);
/* Context in which the clauses of a body are evaluated; frame, index: as of dae__element_context.
 */
dae__context dae__body_context(dae__expander *x, const dae__body *b, dae__local *frame, int *index);
void dae__body_find_pose(dae__expander *x, dae__body *b);
void dae__body_find_rates(dae__expander *x, dae__body *b);
void dae__body_find_mass(dae__expander *x, dae__body *b);
/* Point of a body, or its direction, in space, and a direction of space in the axes of the body. */
dae__value dae__body_point(dae__expander *x, dae__body *b, dae__value v);
dae__value dae__body_dir(dae__expander *x, dae__body *b, dae__value v);
dae__value dae__body_local(dae__expander *x, dae__body *b, dae__value v);
/* The same of the start, with numbers. */
void dae__body_local_at_start(dae__expander *x, dae__body *b, const double *v, double *local);
void dae__body_local_point_at_start(dae__expander *x, dae__body *b, const double *p, double *local);
/* Angular velocity in space; own: in the axes of the body. */
dae__value dae__body_omega(dae__expander *x, const dae__body *b, bool own);
/* Axes with Euler parameters (e0, v), and the angular velocity of their rates. */
void dae__turn_axes(dae__graph *g, dae__node e0, const dae__node *v, dae__value axis[3]);
dae__value dae__turn_omega(dae__graph *g, const dae__node *e, const dae__node *rate, bool own);
/* Kinetic energies w.J w / 2, w in the axes of the body, and m |c'|^2 / 2 with the velocity c' of
 * the centre of mass in any axes. */
dae__node dae__body_turning_energy(dae__expander *x, const dae__body *b, dae__value w);
dae__node dae__body_moving_energy(dae__expander *x, const dae__body *b, dae__value velocity);
/* Product of Euler parameters (a0, a), (b0, b). */
dae__value dae__euler_product(dae__graph *g, dae__node a0, dae__value a, dae__node b0, dae__value b,
                              dae__node *scalar);
/* Velocity of the origin, as rates. */
dae__value dae__body_velocity(dae__expander *x, const dae__body *b);
/* Expands the energies and the constraint of a body; the kinetic energy of a carried body follows
 * in dae__relative_reduce. */
void dae__body_expand(dae__expander *x, dae__body *b);
/* Weight: potential -m dot(g, P) with the gravity of the scope. */
void dae__weight_expand(const dae__context *c, dae__node mass, dae__value point, int place,
                        const char *name);
/* Clause of a statement by its word; NULL: none. */
const dae__clause *dae__clause_of(const dae__statement *s, const char *word);
/* Value of a clause at the start, with `size` components, 0: any of 2, 3. Returns their number. */
int dae__clause_numbers(const dae__context *c, const dae__expr *e, int size, const char *what,
                        double *value);
double dae__clause_number(const dae__context *c, const dae__expr *e, const char *what);

/* Euler parameters: products and turns, as numbers (pose.c). */
double dae__dot3(const double *a, const double *b);
void dae__cross3(const double *a, const double *b, double *out);
/* Turn by an angle about a unit vector. */
void dae__turn_about(double angle, const double *u, double *e);
void dae__turn_product(const double *a, const double *b, double *out);
void dae__turn_apply(const double *e, const double *v, double *out);
void dae__turn_shortest(const double *from, const double *to, double *out);
bool dae__normalise(double *v);
/* A unit vector square to another one. */
void dae__square_to(const double *u, double *n);

/* ---- connectors: joint.c, joint_rows.c, assemble.c, rolling.c, force.c, bushing.c ---- */

dae__context dae__connector_context(dae__expander *x, const dae__connector *k);
/* Finds bodies, points and axes of a connector. */
void dae__connector_resolve(dae__expander *x, dae__connector *k);
void dae__joint_resolve(dae__expander *x, dae__connector *k);
void dae__joint_expand(dae__expander *x, dae__connector *k);
bool dae__joint_has_angle(const dae__connector *k);
bool dae__joint_has_slide(const dae__connector *k);
dae__node dae__joint_rate(dae__expander *x, dae__connector *k);
dae__node dae__joint_angle(dae__expander *x, dae__connector *k);
dae__node dae__joint_slide(dae__expander *x, dae__connector *k);
/* Angle at the start: that of the drive or of other constraints, else A0. */
dae__node dae__joint_start_angle(dae__expander *x, dae__connector *k);
/* Start value of a coordinate of a connector, or of its rate, by its leaf. */
dae__node dae__connector_start(dae__expander *x, dae__connector *k, int leaf, bool rate);
/* Angular velocity of B beside A about the axis, by the rates of both bodies. */
dae__node dae__joint_rate_of_bodies(dae__expander *x, dae__connector *k);
/* Adds a constraint of a connector, labelled "J.x"; returns its multiplier. */
dae__node dae__connector_row(dae__expander *x, dae__connector *k, const char *suffix, dae__node g,
                             bool nonholonomic);
/* A body named by an expression; NULL after an error. */
dae__body *dae__body_named(const dae__context *c, const dae__expr *e);
void dae__connector_bodies(const dae__context *c, dae__connector *k);
void dae__connector_place(dae__expander *x, dae__connector *k, const double *pa, const double *pb);
void dae__rolling_resolve(dae__expander *x, dae__connector *k);
void dae__rolling_expand(dae__expander *x, dae__connector *k);
void dae__bushing_resolve(dae__expander *x, dae__connector *k);
void dae__bushing_expand(dae__expander *x, dae__connector *k);
void dae__spring_resolve(dae__expander *x, dae__connector *k);
void dae__spring_expand(dae__expander *x, dae__connector *k);
/* Adds F . dP/dq, or F . dP/dq' where P holds rates, to the forces on the coordinates of the home
 * of c. */
void dae__add_virtual_force(const dae__context *c, dae__value F, dae__value P, int place);
void dae__force_expand(const dae__context *c, const dae__statement *s);

#endif
