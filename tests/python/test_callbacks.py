"""Problems by callbacks: they agree with models, their exceptions come through, nothing leaks."""

import gc
import math
import traceback
import unittest
import weakref

from support import Test, daedal, largest, model

G = 9.81
UNIT = [[1, 0], [0, 1]]


def gravity(t, q, v):
    return [0, -G]


def rod(t, q):
    return q[0]**2 + q[1]**2 - 1


def pendulum(**more):
    """examples/models/pendulum.dae"""
    return daedal.Mechanical(**{"nq": 2, "M": UNIT, "f": gravity, "g": rod, "q_names": ["x", "y"],
                                "g_names": ["rod"], **more})


class Agreement(Test):
    def agree(self, a, b, tolerance, **renamed):
        for name in b:
            self.assertNear(a[renamed.get(name, name)], b[name], tolerance)

    def test_pendulum_is_that_of_the_model(self):
        wanted = daedal.run(model("pendulum"), to=2, every=0.1, rtol=1e-9, atol=1e-10)
        problem = pendulum(
            name="rod", energy=lambda t, q, v: ((v[0]**2 + v[1]**2) / 2, G * q[1]),
            outputs={"energy": lambda t, q, v, lam: (v[0]**2 + v[1]**2) / 2 + G * q[1]})
        r = problem.run([1, 0], 2, every=0.1, rtol=1e-9, atol=1e-10)
        self.assertEqual(r.names, wanted.names)
        self.agree(r, wanted, 1e-7)
        self.assertLess(r.summary["position_drift"], 1e-10)
        self.assertLess(r.summary["velocity_drift"], 1e-10)
        self.assertLess(abs(r.summary["energy_change"]), 1e-7)
        self.assertIn("rod: t = 0 to 2", r.text)

    def test_derivatives_that_are_given_change_nothing_but_the_work(self):
        given = dict(
            G=lambda t, q: [[2 * q[0], 2 * q[1]]], g_t=lambda t, q: [0],
            gamma=lambda t, q, v: [2 * (v[0]**2 + v[1]**2)],
            gdot_q=lambda t, q, v: [[2 * v[0], 2 * v[1]]],
            Gts_q=lambda t, q, s: [[2 * s[0], 0], [0, 2 * s[0]]],
            J=lambda t, q, v: [[0] * 4] * 2, time_free_g=True)
        for method in ("bdf-ggl", "radau", "spark-gauss"):
            options = dict(method=method, every=0.5, rtol=1e-7, atol=1e-7)
            a = pendulum(**given).run([1, 0], 1, **options)
            b = pendulum().run([1, 0], 1, **options)
            self.agree(a, b, 1e-5)

    def test_momenta_say_the_same_as_forces(self):
        def inertia(t, q, v):  # a bead whose mass grows along x
            return [[1 + q[0]**2, 0], [0, 1]]
        by_forces = daedal.Mechanical(
            M=inertia, f=lambda t, q, v: [-q[0] * v[0]**2, -G], g=rod, nq=2)
        by_momenta = daedal.Mechanical(
            p=lambda t, q, v: [(1 + q[0]**2) * v[0], v[1]],
            F=lambda t, q, v: [q[0] * v[0]**2, -G], g=rod, nq=2)
        a, b = (p.run({"q": [1, 0]}, 1, every=0.5, rtol=1e-8, atol=1e-8)
                for p in (by_forces, by_momenta))
        self.agree(a, b, 1e-6)

    def test_nonholonomic_constraints(self):
        wanted = daedal.run(model("skate"), to=2, every=0.5, rtol=1e-9, atol=1e-9)
        skate = daedal.Mechanical(
            M=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], f=lambda t, q, v: [G * math.sin(0.3), 0, 0],
            k=lambda t, q, v: v[0] * math.sin(q[2]) - v[1] * math.cos(q[2]),
            q_names=["x", "y", "phi"])
        r = skate.run({"q": [0, 0, 0], "v": [0, 0, 1]}, 2, every=0.5, rtol=1e-9, atol=1e-9)
        for name in ("x", "y", "phi", "der(x)", "psi[1]"):
            self.assertNear(r[name], wanted[name], 1e-6)

    def test_extra_states_and_algebraic_variables(self):
        wanted = daedal.run(model("motor"), to=0.3, every=0.1)
        l1, l2, d, kt, R = 0.2, 0.6, 4, 0.5, 0.8
        motor = daedal.Mechanical(
            M=[[0.05, 0], [0, 2]], f=lambda t, q, v, u, w: [kt * u[0], -d * v[1]],
            g=lambda t, q: (q[1] - l1 * math.cos(q[0]))**2 + (l1 * math.sin(q[0]))**2 - l2**2,
            s=lambda t, q, v, u, w: [(12 - R * u[0] - kt * v[0] - w[0]) / 0.02,
                                     R * u[0]**2 + w[0] * u[0]],
            c=lambda t, q, v, u, w: [u[0] - math.sinh(2 * w[0])],
            q_names=["crank", "slider"], u_names=["i", "heat"], w_names=["brush"], g_names=["rod"])
        slider = l1 * math.cos(0.5) + math.sqrt(l2**2 - (l1 * math.sin(0.5))**2)
        r = motor.run({"q": [0.5, slider]}, 0.3, every=0.1, rtol=1e-6, fixed=["crank"])
        for name in ("crank", "slider", "i", "heat", "brush"):
            self.assertNear(r[name], wanted[name], 1e-4)

    def test_semi_explicit_problems(self):
        # x' = -y, 0 = y - x: index 1; and with a singular mass matrix
        by_parts = daedal.SemiExplicit(f=lambda t, x, y: [-y[0]], F=lambda t, x, y: [y[0] - x[0]],
                                       x_names=["x"], y_names=["y"])
        by_mass = daedal.SemiExplicit(f=lambda t, x: [-x[1], x[1] - x[0]], M=[[1, 0], [0, 0]])
        a = by_parts.run({"x": [1], "y": [0]}, 1, rtol=1e-9, atol=1e-10)
        b = by_mass.run([1, 1], 1, rtol=1e-9, atol=1e-10)
        self.assertNear([a["x"][-1], a["y"][-1], b["x[1]"][-1]], [math.exp(-1)] * 3, 1e-7)
        self.assertEqual((a.summary["diagnosis"]["index"], a.summary["method"]), (1, "radau"))

    def test_matrices_are_given_by_rows(self):
        # x1' + 2 x2' = 3, x2' = 1
        M, full = [[1, 2], [0, 1]], [[1, 1], [1, 1]]
        patterns = dict(M_pattern=M, J_pattern=full, Ms_pattern=[[0, 0], [0, 0]])
        for given in (dict(M=M), dict(M=lambda t, x: M), dict(M=M, **patterns),
                      dict(M=lambda t, x: M, **{**patterns, "M_pattern": full}),
                      dict(M=lambda t, x: [1, 2, 1], **patterns)):
            problem = daedal.SemiExplicit(f=lambda t, x: [3, 1], **given)
            for method in ("bdf", "radau"):
                r = problem.run([0, 0], 1, method=method)
                self.assertNear([r["x[1]"][-1], r["x[2]"][-1]], [1, 1], 1e-6)

    def test_start_time_counts(self):
        r = daedal.SemiExplicit(f=lambda t, x: [2 * t]).run([9], 4, t0=3, rtol=1e-9)
        self.assertEqual((r["t"][0], r["t"][-1]), (3, 4))
        self.assertNear(r["x[1]"][-1], 16, 1e-7)

    def test_patterns_save_evaluations(self):
        n, calls = 40, []

        def heat(t, x):
            calls[-1] += 1
            return [(x[i - 1] if i else 0) - 2 * x[i] + (x[i + 1] if i < n - 1 else 0)
                    for i in range(n)]
        band = [[abs(i - j) < 2 for j in range(n)] for i in range(n)]
        start = [math.sin(math.pi * (i + 1) / (n + 1)) for i in range(n)]
        results = []
        for J_pattern in (None, band):
            calls.append(0)
            problem = daedal.SemiExplicit(f=heat, J_pattern=J_pattern)
            results.append(problem.run(start, 1, method="bdf"))
        self.assertLess(calls[1], calls[0] / 2)
        decay = math.exp(2 * math.cos(math.pi / (n + 1)) - 2)
        for r in results:
            self.assertNear(r["x[20]"][-1], start[19] * decay, 1e-5)
        jacobian = [[-2 * (i == j) + (abs(i - j) == 1) for j in range(n)] for i in range(n)]
        r = daedal.SemiExplicit(f=heat, J=lambda t, x: jacobian, J_pattern=band).run(
            start, 1, method="bdf")
        self.assertNear(r["x[20]"][-1], start[19] * decay, 1e-5)


    def test_patterns_of_a_mechanism(self):
        # two pendula side by side: nothing of one enters the other
        def twice(a, b):
            return [[*a, 0, 0], [0, 0, *b]]
        apart = dict(
            M=[[i == j for j in range(4)] for i in range(4)], f=lambda t, q, v: [0, -G, 0, -G],
            g=lambda t, q: [rod(t, q[:2]), rod(t, q[2:])])
        sparse = dict(
            G=lambda t, q: twice([2 * q[0], 2 * q[1]], [2 * q[2], 2 * q[3]]),
            gdot_q=lambda t, q, v: twice([2 * v[0], 2 * v[1]], [2 * v[2], 2 * v[3]]),
            Gts_q=lambda t, q, s: [2 * s[0], 2 * s[0], 2 * s[1], 2 * s[1]],
            M_pattern=apart["M"], G_pattern=twice([1, 1], [1, 1]), Gts_pattern=apart["M"],
            J_pattern=[[0] * 8] * 4)
        wanted = daedal.run(model("pendulum"), to=1, every=0.5, rtol=1e-9)
        for given in (apart, {**apart, **sparse}):
            for method in ("radau", "bdf-ggl"):
                r = daedal.Mechanical(**given).run([1, 0, 0, -1], 1, every=0.5, method=method)
                self.assertNear(r["q[1]"], wanted["x"], 1e-4)
                self.assertNear(r["q[4]"], [-1] * 3, 1e-9)
        with self.assertRaisesRegex(ValueError, "Gts_q needs its own pattern"):
            del sparse["Gts_pattern"]
            daedal.Mechanical(**{**apart, **sparse}).run([1, 0, 0, -1], 1)


class Events(Test):
    def ball(self, *more):
        bounce = daedal.Event(lambda t, q, v: q[0], direction=-1, name="bounce",
                              action=lambda t, q, v: (q, [-0.5 * v[0]]))
        return daedal.Mechanical(M=[[1]], f=lambda t, q, v: [-G], q_names=["h"],
                                 events=[bounce, *more])

    def test_ball_bounces_when_it_should(self):
        first = math.sqrt(2 / G)
        r = self.ball().run([1], 2.8 * first, rtol=1e-9, atol=1e-9)
        hits = [t / first for t, h in zip(r["t"], r["h"]) if abs(h) < 1e-8]
        # a row before and one after each; every flight is half as long as the one before
        self.assertNear(hits, [1, 1, 2, 2, 2.5, 2.5, 2.75, 2.75], 1e-7)
        self.assertEqual(r.summary["events"], 4)

    def test_run_stops_where_it_is_told_to(self):
        top = daedal.Event(lambda t, q, v: v[0], direction=-1, stop=True, name="top")
        r = self.ball(top).run({"q": [0.5], "v": [2]}, 10, rtol=1e-9)
        self.assertEqual((r.summary["status"], r.summary["message"]), ("DAE_STOPPED", "top"))
        self.assertNear(r["t"][-1], 2 / G, 1e-9)

    def test_events_see_multipliers(self):
        # a bead on top of a cylinder leaves it at cos = 2/3, where the force of contact vanishes
        # with the derivatives of g: by differences of g it takes a thousand times the steps
        bead = daedal.Mechanical(
            M=UNIT, f=gravity, g=rod, G=lambda t, q: [2 * q[0], 2 * q[1]],
            gamma=lambda t, q, v: [2 * (v[0]**2 + v[1]**2)],
            events=[daedal.Event(lambda t, q, v, lam: lam[0], stop=True)])
        r = bead.run({"q": [0, 1], "v": [1e-3, 0]}, 10, rtol=1e-9, atol=1e-11)
        self.assertNear(r["q[2]"][-1], 2 / 3, 1e-6)

    def test_action_of_a_semi_explicit_problem(self):
        reset = daedal.Event(lambda t, x: x[0] - 1, direction=1, action=lambda t, x: [0])
        r = daedal.SemiExplicit(f=lambda t, x: [1], events=[reset]).run([0], 3.5)
        self.assertNear(r["x[1]"][-1], 0.5, 1e-9)
        self.assertEqual(r.summary["events"], 3)

    def test_contact_with_friction_rolls_a_disk(self):
        floor = daedal.Contact(normal=lambda t, q: [0, 1, 0], slide=[lambda t, q: [1, 0, 0.1]],
                               restitution=lambda t, q, v: 0.7, friction=0.4)
        disk = daedal.Mechanical(
            M=[[1, 0, 0], [0, 1, 0], [0, 0, 0.005]], f=lambda t, q, v: [0, -9.81, 0],
            q_names=["x", "y", "phi"],
            events=[daedal.Event(lambda t, q, v: q[1] - 0.1, name="floor", contact=floor)])
        r = disk.run({"q": [0, 1.1, 0], "v": [0, 0, 20]}, to=0.6)
        self.assertAlmostEqual(r["der(x)"][-1], -2 / 3, 9)
        self.assertAlmostEqual(r["der(phi)"][-1], 20 / 3, 8)
        loss = 9.81 * (1 - 0.49) + (0.005 * (400 - 400 / 9) - 4 / 9) / 2
        self.assertAlmostEqual(r.summary["energy_lost"], loss, 6)

    def test_contact_that_moves_and_mistakes(self):
        wall = daedal.Contact(normal=lambda t, q: ([1], -1), restitution=0.5)
        gap = {"value": lambda t, q, v: q[0] - (t - 1), "contact": wall}
        free = {"M": [[1]], "f": lambda t, q, v: [0], "q_names": ["x"]}
        r = daedal.Mechanical(**free, events=[daedal.Event(**gap)]).run([1], 4)
        self.assertAlmostEqual(r["x"][-1], 4, 8)
        with self.assertRaisesRegex(ValueError, "no action"):
            daedal.Mechanical(**free, events=[daedal.Event(
                **gap, action=lambda t, q, v: (q, v))]).run([1], 4)
        with self.assertRaisesRegex(daedal.Error, "restitution is between 0 and 1"):
            daedal.Mechanical(**free, events=[daedal.Event(
                gap["value"], contact=wall._replace(restitution=2))]).run([1], 4)

    def test_instants_known_in_advance(self):
        # a velocity that grows by 1 at 0.5, 1, 1.5, ..., 3 is 6 at the end, the position 0.5 * 15
        kick = daedal.Event(every=0.5, name="kick", action=lambda t, q, v: (q, [v[0] + 1]))
        free = dict(M=[[1]], f=lambda t, q, v: [0], q_names=["x"])
        r = daedal.Mechanical(**free, events=[kick]).run([0], 3, rtol=1e-9)
        self.assertEqual(r.summary["events"], 6)
        self.assertEqual({0.5 * k for k in range(7)} - set(r["t"]), set())
        self.assertNear((r["x"][-1], r["der(x)"][-1]), (7.5, 6), 1e-9)
        # two instants, the second ends the run
        at = daedal.Event(next=lambda t: min((s for s in (0.3, 1.1) if s > t), default=None),
                          action=kick.action)
        end = daedal.Event(next=lambda t: 2 if t < 2 else math.inf, stop=True, name="end")
        r = daedal.Mechanical(**free, events=[at, end]).run([0], 3, rtol=1e-9)
        self.assertEqual((r.summary["message"], r["t"][-1]), ("end", 2))
        self.assertNear((r["x"][-1], r["der(x)"][-1]), (1.7 + 0.9, 2), 1e-9)
        for wrong, words in ((dict(), "one of value"), (dict(every=0), "not positive"),
                             (dict(every=1, next=lambda t: 2), "one of value")):
            with self.assertRaisesRegex(ValueError, words):
                daedal.Mechanical(**free, events=[daedal.Event(**wrong)]).run([0], 1)
        with self.assertRaises(ZeroDivisionError):
            daedal.Mechanical(**free, events=[daedal.Event(next=lambda t: 1 / 0)]).run([0], 1)


class Failures(Test):
    def test_exceptions_come_through_with_their_traceback(self):
        def force(t, q, v):
            if t > 1:
                raise ZeroDivisionError("the spring broke")
            return [0, -G]
        try:
            pendulum(f=force).run([1, 0], 10)
            self.fail("nothing was raised")
        except ZeroDivisionError as failure:
            self.assertEqual(str(failure), "the spring broke")
            names = [frame.name for frame in traceback.extract_tb(failure.__traceback__)]
            r = failure.result
        self.assertEqual(names[-1], "force")
        self.assertGreater(len(r["t"]), 3)
        self.assertLessEqual(r["t"][-1], 1)

    def test_exceptions_of_all_callbacks_come_through(self):
        def fails(*_):
            raise LookupError("no")
        event = daedal.Event(lambda t, q, v, lam: q[0] - 0.5)
        for more in (dict(g=fails, ng=1), dict(energy=fails), dict(G=fails),
                     dict(outputs={"o": fails}), dict(events=[event._replace(value=fails)]),
                     dict(events=[event._replace(action=fails)])):
            with self.assertRaises(LookupError):
                pendulum(**more).run([1, 0], 10)
        with self.assertRaises(LookupError):
            pendulum().run([1, 0], 10, progress=fails)
        with self.assertRaises(LookupError):
            daedal.Integrator(pendulum(f=fails), [1, 0])
        with self.assertRaises(LookupError):
            pendulum(f=fails).check([1, 0])
        self.assertEqual(pendulum().run([1, 0], 1).summary["status"], "DAE_OK")

    def test_refused_points_are_stepped_around(self):
        refusals = []

        def rate(t, x):  # x = (1 - t/2)^2, defined for x >= 0 only
            if x[0] < 0:
                refusals.append(t)
                raise daedal.Refuse("x is negative")
            return [-math.sqrt(x[0])]
        problem = daedal.SemiExplicit(f=rate)
        self.assertNear(problem.run([1], 1.9, max_step=0.5)["x[1]"][-1], 0.0025, 1e-4)
        with self.assertRaisesRegex(daedal.Error, "x is negative"):
            problem.run([1], 3)
        self.assertTrue(refusals)

    def test_wrong_shapes_are_named(self):
        for more, words in ((dict(f=lambda t, q, v: [1]), "f returns 1, expected: 2"),
                            (dict(M=[[1]]), "M returns 1 x 1, expected: 2 x 2"),
                            (dict(G=lambda t, q: [1]), "G returns 1, expected: 1 x 2"),
                            (dict(G_pattern=[[1]]), "G_pattern is not 1 x 2"),
                            (dict(s=gravity), "s is given")):
            with self.assertRaises(ValueError) as caught:
                pendulum(**more).run([1, 0], 1)
            self.assertIn(words, str(caught.exception))
        for start, words in (([1], "q has 1 start values"), ({"p": [1]}, "'p'"),
                             ({"q": [1, 0], "v": [1]}, "v has 1 start values")):
            with self.assertRaisesRegex(ValueError, words):
                pendulum().run(start, 1)
        with self.assertRaisesRegex(TypeError, "'mass'"):
            pendulum(mass=1)
        with self.assertRaisesRegex(ValueError, "'z' is not one of x, y"):
            pendulum().run([1, 0], 1, fixed=["z"])
        falls = dict(M=[[1]], f=lambda t, q, v: [-G])
        hit = daedal.Event(lambda t, q, v: q[0], action=lambda t, q, v: [-v[0]])
        with self.assertRaisesRegex(ValueError, "action returns 1 blocks, expected: q, v"):
            daedal.Mechanical(**falls, events=[hit]).run([1], 10)
        with self.assertRaisesRegex(ValueError, "unpack"):
            daedal.Mechanical(**falls, energy=lambda t, q, v: [0]).run([1], 1)

    def test_problem_that_lacks_something_is_refused(self):
        with self.assertRaises(daedal.Error) as caught:
            daedal.Mechanical(nq=2, M=UNIT).run([1, 0], 1)
        self.assertEqual(caught.exception.status, "DAE_ERROR_PROBLEM")

    def test_start_is_made_consistent_unless_it_is_fixed(self):
        found = pendulum().check({"q": [1.1, 0]})
        self.assertEqual((found["index"], found["dof"]), (3, 1))
        self.assertNear(found["moved"]["x"], (1.1, 1), 1e-12)
        with self.assertRaises(daedal.Error) as caught:
            pendulum().run([1.1, 0.1], 1, fixed=["x", "y"])
        self.assertEqual((caught.exception.status, caught.exception.equation),
                         ("DAE_ERROR_START", "rod"))


class Memory(Test):
    def test_callbacks_may_change_and_keep_what_they_get(self):
        kept = []

        def force(t, q, v):
            kept.append((q, list(q)))
            v[0] = v[1] = 0
            return [0, -G]
        a, b = pendulum(f=force).run([1, 0], 1), pendulum().run([1, 0], 1)
        self.assertNear(a["x"], b["x"], 0)
        self.assertTrue(all(list(q) == copy for q, copy in kept))

    def test_results_outlive_everything(self):
        x = pendulum().run([1, 0], 1)["x"]
        gc.collect()
        self.assertNear(x[0], 1, 0)

    def test_problems_are_released(self):
        class Force:
            def __call__(self, t, q, v):
                if t > self.end:
                    raise ValueError
                return [0, -G]
        for end in (10, 0.5):
            force = Force()
            force.end = end
            gone = weakref.ref(force)
            problem = pendulum(f=force, energy=lambda t, q, v: (0, 0), outputs={"o": lambda *_: 0},
                               events=[daedal.Event(lambda *_: 1, action=lambda *_: None)])
            try:
                it = daedal.Integrator(problem, [1, 0])
                it.step(1)
                problem.run([1, 0], 1)
                problem.check([1, 0])
            except ValueError:
                pass
            del problem, it, force
            gc.collect()
            self.assertIsNone(gone())


class Steps(Test):
    def test_steps_are_those_of_a_run(self):
        r = pendulum().run([1, 0], 2, rtol=1e-8)
        it = daedal.Integrator(pendulum(), {"q": [1, 0]}, rtol=1e-8)
        self.assertEqual(it.names, ["x", "y", "der(x)", "der(y)", "lambda(rod)"])
        times, orders, done = [it.t], [], False
        while not done:
            done = it.step(2)
            times.append(it.t)
            orders.append(it.order)
            self.assertEqual(it.t_previous, times[-2])
        self.assertNear(times, r["t"], 0)
        self.assertNear(it.y, [r[name][-1] for name in it.names], 0)
        self.assertEqual(it.stats["steps"], r.summary["stats"]["steps"])
        for stats in it.stats, r.summary["stats"]:
            self.assertEqual(stats["richer"], stats["decoupled"])  # a deprecated name
        self.assertEqual(max(orders), r.summary["order"])
        steps = sum(count["steps"] for count in it.limits.values())
        self.assertTrue(it.stats["steps"] - 24 < steps <= it.stats["steps"])
        self.assertEqual(max(it.limits, key=lambda name: it.limits[name]["steps"] + it.limits[name]["rejected"]),
                         next(iter(r.summary["limits"])))
        self.assertTrue(set(r.summary["iteration_limits"]) <= set(it.limits))

    def test_states_between_steps_are_on_the_constraints(self):
        it = daedal.Integrator(pendulum(), [1, 0], method="radau")
        it.step(1)
        for k in range(11):
            t = it.t_previous + (it.t - it.t_previous) * k / 10
            y, dy = it.interpolate(t, rates=True)
            self.assertLess(abs(rod(t, y[:2])), 1e-10)
            self.assertNear(dy[:2], y[2:4], 1e-12)
        self.assertRaises(daedal.Error, it.interpolate, it.t + 1)

    def test_models_are_stepped_too(self):
        it = daedal.Integrator(daedal.Model(model("pendulum")), method="bdf-cm", max_step=0.1)
        it.step(10)
        self.assertLessEqual(it.t, 0.1)
        self.assertLess(largest([rod(0, it.y)]), 1e-10)
        self.assertRaises(TypeError, daedal.Integrator, daedal.Model(model("pendulum")), [1, 0])


if __name__ == "__main__":
    unittest.main()
