/* Every model of examples/models runs as it stands, stays on its constraints, and does what is
 * known of it: at the tolerance of its own simulate statement and at a sharp one.
 *
 *   digits = -log10 of the largest |value - known| / (1 + |known|), mostly over all rows */
#include "checks.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef enum energy_law {
  KEPT,    /* no force does work, no constraint moves */
  BALANCED /* its change is the work that is done */
} energy_law;

typedef struct entry {
  const char *file;
  double (*check)(const motion *m);
  double own, sharp; /* digits at the model's own tolerance, and at 1e-8 */
  energy_law energy;
  const char *set[3]; /* variants to be checked besides, at 1e-8 */
  bool switches;      /* checked by other methods as well */
} entry;

static const entry entries[] = {
    {"akzo_nobel.dae", check_akzo_nobel, 7, 7, .energy = BALANCED},
    {"angle_chain.dae", check_angle_chain, 7, 7, .energy = KEPT, .set = {"N=10"}},
    {"bicycle.dae", check_bicycle, 6.5, 6.5, .energy = BALANCED},
    {"bricard.dae", check_bricard, 7.5, 8, .energy = BALANCED},
    {"coin.dae", check_coin, 8, 8, .energy = BALANCED},
    {"crane.dae", check_crane, 7.5, 7, .energy = BALANCED},
    {"engine.dae", check_engine, 8.5, 9, .energy = BALANCED},
    {"flyball.dae", check_flyball, 6, 7.5, .energy = BALANCED},
    {"gyroscope.dae", check_gyroscope, 9, 9, .energy = BALANCED},
    {"heavy_top.dae", check_heavy_top, 7, 8, .energy = BALANCED},
    {"rattleback.dae", check_rattleback, 6, 5.5, .energy = BALANCED},
    {"robot_arm.dae", check_robot_arm, 11, 11, .energy = BALANCED},
    {"rolling_ball.dae", check_rolling_ball, 7, 8, .energy = BALANCED},
    {"stewart.dae", check_stewart, 10.5, 10.5, .energy = BALANCED},
    {"suspension.dae", check_suspension, 5.5, 5.5, .energy = BALANCED},
    {"balls.dae", check_balls, 9.5, 9.5, .energy = KEPT, .switches = true},
    {"ball_to_rest.dae", check_ball_to_rest, 5, 5.5, .energy = BALANCED},
    {"ladder.dae", check_ladder, 6, 7, .energy = BALANCED},
    {"rocking_block.dae", check_rocking_block, 6, 7, .energy = BALANCED},
    {"dry_slider.dae", check_dry_slider, 8, 8.5, .energy = BALANCED},
    {"belt.dae", check_belt, 8.5, 8.5, .energy = BALANCED},
    {"rimless_wheel.dae", check_rimless_wheel, 8, 9.5, .energy = BALANCED},
    {"four_bar_stop.dae", check_four_bar_stop, 8.5, 9, .energy = BALANCED},
    {"geneva.dae", check_geneva, 8, 8, .energy = BALANCED},
    {"rough_wire.dae", check_rough_wire, 9, 9, .energy = BALANCED},
    {"cradle.dae", check_cradle, 6, 7, .energy = BALANCED},
    {"bouncing_ball.dae", check_bouncing_ball, 6, 6, .energy = BALANCED},
    {"car_axis.dae", check_car_axis, 4.5, 5, .energy = BALANCED},
    {"chain.dae", check_chain, 5, 5.5, .energy = KEPT, .set = {"N=4", "N=10"}},
    {"circuits_ring.dae", check_circuits_ring, 5.5, 6.5, .energy = BALANCED, .set = {"N=5"}},
    {"clutch.dae", check_clutch, 6.5, 8.5, .energy = BALANCED, .switches = true},
    {"diode.dae", check_coupled, 7.5, 8.5, .energy = BALANCED},
    {"diode_bridge.dae", check_diode_bridge, 6.5, 8, .energy = BALANCED, .switches = true},
    {"double_pendulum.dae", check_double_pendulum, 4, 4.5, .energy = KEPT},
    {"drive_train.dae", check_drive_train, 5.5, 6.5, .energy = BALANCED},
    {"fast_particle.dae", check_fast_particle, 4.5, 5, .energy = BALANCED},
    {"bushing.dae", check_bushing, 5, 6, .energy = BALANCED},
    {"bushing_frame.dae", check_bushing_frame, 5, 6, .energy = BALANCED},
    {"four_bar.dae", check_four_bar, 3.5, 4, .energy = KEPT},
    {"hanging_chain.dae", check_hanging_chain, 8, 6.5, .energy = KEPT, .set = {"N=100"}},
    {"heated_bar.dae", check_heated_bar, 5.5, 7, .energy = BALANCED},
    {"hessenberg.dae", check_hessenberg, 7, 7, .energy = BALANCED},
    {"hysteresis.dae", check_hysteresis, 7, 8, .energy = BALANCED, .switches = true},
    {"linked_pendula.dae", check_coupled, 7, 7, .energy = KEPT},
    {"loudspeaker.dae", check_loudspeaker, 6.5, 6.5, .energy = BALANCED},
    {"measured_motor.dae", check_measured_motor, 7, 7, .energy = BALANCED},
    {"membrane.dae", check_membrane, 5.5, 6.5, .energy = KEPT},
    {"motor.dae", check_motor, 3.5, 4, .energy = BALANCED},
    {"moving_wire.dae", check_moving_wire, 5.5, 6, .energy = BALANCED},
    {"moving_joint.dae", check_coupled, 6, 6.5, .energy = BALANCED},
    {"nonlinear_joint.dae", check_coupled, 6.5, 6.5, .energy = BALANCED},
    {"pendulum.dae", check_pendulum, 4, 5, .energy = KEPT},
    {"platform.dae", check_platform, 5.5, 6.5, .energy = KEPT},
    {"pursuit.dae", check_pursuit, 6.5, 7, .energy = BALANCED},
    {"quarter_car.dae", check_quarter_car, 7, 7, .energy = BALANCED},
    {"ratchet.dae", check_ratchet, 6, 7.5, .energy = BALANCED, .switches = true},
    {"ring.dae", check_ring, 5.5, 5.5, .energy = BALANCED},
    {"rolling_disk.dae", check_rolling_disk, 5.5, 6, .energy = KEPT},
    {"sampled_cart.dae", check_sampled_cart, 9, 9, .energy = BALANCED, .switches = true},
    {"skate.dae", check_skate, 4, 5.5, .energy = KEPT},
    {"slider_crank.dae", check_slider_crank, 4.5, 5.5, .energy = KEPT},
    {"stiffening.dae", check_stiffening, 6.5, 7, .energy = BALANCED},
    {"structures_joint.dae", check_coupled, 5.5, 6.5, .energy = BALANCED},
    {"tank.dae", check_tank, 4.5, 5, .energy = BALANCED},
    {"thermostat.dae", check_thermostat, 5.5, 6.5, .energy = BALANCED},
    {"three_bodies.dae", check_three_bodies, 6.5, 6.5, .energy = KEPT},
    {"three_circuits.dae", check_coupled, 7.5, 7.5, .energy = BALANCED},
    {"track.dae", check_track, 5.5, 6, .energy = BALANCED},
    {"track_ode.dae", check_track_ode, 5, 5.5, .energy = BALANCED},
    {"train.dae", check_train, 6.5, 7, .energy = BALANCED},
    {"transistor_amplifier.dae", check_transistor_amplifier, 6.5, 8.5, .energy = BALANCED},
    {"two_chains.dae", check_coupled, 6.5, 6.5, .energy = BALANCED},
    {"two_circuits.dae", check_two_circuits, 5, 7, .energy = BALANCED},
    {"two_pendula.dae", check_two_pendula, 6.5, 7, .energy = BALANCED},
    {"two_structures.dae", check_two_structures, 4.5, 4.5, .energy = BALANCED},
    {"yielding.dae", check_yielding, 5, 4.9, .energy = BALANCED, .set = {"bend=0", "bend=1"}},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

/* largest |value| of all columns but the time */
static double largest(const motion *m)
{
  double most = 0;
  for (long i = 0; i < m->rows * m->columns; i++)
    if (i % m->columns > 0 && isfinite(m->values[i]))
      most = fmax(most, fabs(m->values[i]));
  return most;
}

/* constraints hold to round-off, which for joints is that of coordinates in the thousands in some
 * models; an algebraic equation of index 1 is solved to the tolerance */
static bool holds(const motion *m)
{
  const dae_summary *s = &m->summary;
  const dae_model_counts n = dae_model_count(m->model);
  double most = n.holonomic + n.nonholonomic + n.joints > 0 ? 1e-10 : s->rtol;
  if (n.joints > 0)
    most = fmax(most, 2e-12 * largest(m));
  return !(s->position_drift > most) && !(s->velocity_drift > most); /* NaN: there are none */
}

/* NaN: there is none. It is a sum over many variables: a digit less than they have */
static bool keeps_energy(const entry *e, const dae_summary *s, double digits)
{
  double off = e->energy == KEPT ? s->energy_change : s->energy_balance;
  double scale = 1 + fabs(s->energy_start) + fabs(s->energy_change);
  return isnan(s->energy_start) || fabs(off) <= pow(10, 1 - digits) * scale;
}

static int check_run(const entry *e, motion_plan plan, double least)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", MODELS, e->file);
  motion m = motion_of(path, plan);
  double digits = -log10(e->check(&m));
  bool good = digits >= least && holds(&m) && keeps_energy(e, &m.summary, least);
  if (!good || getenv("DAEDAL_VERBOSE"))
    print_message(
        "%-24s %-6s %5.0e: %5.2f digits, drift %.0e %.0e, energy %.1e %.1e, %ld steps%s\n", e->file,
        plan.set ? plan.set : "", m.summary.rtol, digits, m.summary.position_drift,
        m.summary.velocity_drift, m.summary.energy_change, m.summary.energy_balance,
        m.summary.stats.steps, good ? "" : "  <- too bad");
  motion_free(&m);
  return !good;
}

static void test_every_model_does_what_is_known_of_it(void **state)
{
  (void)state;
  int failures = 0;
  for (int i = 0; i < ENTRIES; i++)
    failures += check_run(&entries[i], (motion_plan){.tolerance = 0}, entries[i].own);
  assert_int_equal(failures, 0);
}

static void test_every_model_is_sharper_at_a_sharper_tolerance(void **state)
{
  (void)state;
  int failures = 0;
  for (int i = 0; i < ENTRIES; i++)
    failures += check_run(&entries[i], (motion_plan){.tolerance = 1e-8}, entries[i].sharp);
  assert_int_equal(failures, 0);
}

static void test_models_take_other_parameters(void **state)
{
  (void)state;
  int failures = 0;
  for (int i = 0; i < ENTRIES; i++)
    for (int k = 0; k < 3 && entries[i].set[k]; k++)
      failures += check_run(&entries[i], (motion_plan){.tolerance = 1e-8, .set = entries[i].set[k]},
                            entries[i].sharp);
  assert_int_equal(failures, 0);
}

static void test_models_that_switch_do_so_by_other_methods(void **state)
{
  (void)state;
  static const char *const methods[] = {"radau", "bdf"};
  int failures = 0;
  for (int i = 0; i < ENTRIES; i++)
    for (int k = 0; k < 2 && entries[i].switches; k++)
      failures +=
          check_run(&entries[i], (motion_plan){.tolerance = 1e-6, .method = methods[k]}, 5.5);
  assert_int_equal(failures, 0);
}

/* every file has its entry, every entry its file */
static void test_no_model_goes_unchecked(void **state)
{
  (void)state;
  DIR *folder = opendir(MODELS);
  assert_non_null(folder);
  int found = 0;
  for (const struct dirent *file = readdir(folder); file; file = readdir(folder)) {
    const char *end = strrchr(file->d_name, '.');
    if (!end || strcmp(end, ".dae") != 0)
      continue;
    bool known = false;
    for (int i = 0; i < ENTRIES; i++)
      known = known || !strcmp(entries[i].file, file->d_name);
    if (!known)
      fail_msg("nothing is known of %s: add a check", file->d_name);
    found++;
  }
  closedir(folder);
  assert_int_equal(found, ENTRIES);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_model_goes_unchecked),
      cmocka_unit_test(test_every_model_does_what_is_known_of_it),
      cmocka_unit_test(test_every_model_is_sharper_at_a_sharper_tolerance),
      cmocka_unit_test(test_models_take_other_parameters),
      cmocka_unit_test(test_models_that_switch_do_so_by_other_methods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
