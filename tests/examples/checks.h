/* What is known of the example models: each check gives the largest distance of a run from a closed
 * form, a published value, or equations in minimal coordinates that were derived by hand,
 * relative to 1 + |value|. */
#ifndef DAEDAL_TEST_CHECKS_H
#define DAEDAL_TEST_CHECKS_H

#include "motion.h"

/* check_mechanisms.c */
double check_pendulum(const motion *m);
double check_double_pendulum(const motion *m);
double check_slider_crank(const motion *m);
double check_four_bar(const motion *m);
typedef struct bar_loop {
  double coupler, rocker;   /* angles */
  double coupler1, rocker1; /* their derivatives by the crank's angle */
  double M, V;              /* kinetic energy for the speed sqrt(2), potential */
} bar_loop;
bar_loop close_loop(double crank);
double check_bushing(const motion *m);
double check_bushing_frame(const motion *m);
double check_platform(const motion *m);
double check_car_axis(const motion *m);
double check_moving_wire(const motion *m);
double check_motor(const motion *m);
double check_loudspeaker(const motion *m);
double check_stiffening(const motion *m);

/* check_motions.c: nonholonomic, without constraints, with events */
double check_skate(const motion *m);
double check_rolling_disk(const motion *m);
double check_pursuit(const motion *m);
double check_fast_particle(const motion *m);
double check_three_bodies(const motion *m);
double check_bouncing_ball(const motion *m);
double check_thermostat(const motion *m);
double check_tank(const motion *m);
double check_yielding(const motion *m);
double check_hessenberg(const motion *m);
double check_track(const motion *m);
double check_track_ode(const motion *m);
double check_transistor_amplifier(const motion *m);
double check_akzo_nobel(const motion *m);

/* check_switched.c: guards, time events, discretes */
double check_sampled_cart(const motion *m);
double check_ratchet(const motion *m);
double check_rough_wire(const motion *m);
double check_four_bar_stop(const motion *m);
double check_clutch(const motion *m);
double check_diode_bridge(const motion *m);
double check_hysteresis(const motion *m);
double check_balls(const motion *m);

/* check_contacts.c: contacts and impacts */
double check_ball_to_rest(const motion *m);
double check_ladder(const motion *m);
double check_rocking_block(const motion *m);
double check_cradle(const motion *m);
double check_dry_slider(const motion *m);
double check_belt(const motion *m);
double check_rimless_wheel(const motion *m);
double check_geneva(const motion *m);

/* check_data.c: tables and inputs */
double check_quarter_car(const motion *m);
double check_measured_motor(const motion *m);

/* check_systems.c: chains, nets, and models of several systems */
double check_chain(const motion *m);
double check_hanging_chain(const motion *m);
double check_angle_chain(const motion *m);
double check_heated_bar(const motion *m);
double check_membrane(const motion *m);
double check_ring(const motion *m);
double check_train(const motion *m);
double check_two_circuits(const motion *m);
double check_two_structures(const motion *m);
double check_drive_train(const motion *m);

/* check_bodies.c: bodies, joints and parts */
double check_bricard(const motion *m);
double check_flyball(const motion *m);
double check_heavy_top(const motion *m);
double check_gyroscope(const motion *m);
double check_stewart(const motion *m);
double check_suspension(const motion *m);
double check_engine(const motion *m);
double check_robot_arm(const motion *m);
double check_coin(const motion *m);
double check_rattleback(const motion *m);
double check_rolling_ball(const motion *m);
double check_bicycle(const motion *m);
double check_crane(const motion *m);

/* check_coupled.c: models to be iterated */
double check_coupled(const motion *m);
double check_two_pendula(const motion *m);
double check_circuits_ring(const motion *m);

#endif
