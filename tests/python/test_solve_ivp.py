"""solve_ivp: known solutions, and what SciPy's does."""

import math
import unittest

from support import Test, daedal

TIGHT = dict(rtol=1e-9, atol=1e-11)


def rob(t, y):
    return [-0.04 * y[0] + 1e4 * y[1] * y[2], 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1]**2,
            y[0] + y[1] + y[2] - 1]


# Robertson's reaction at t = 40, by radau at rtol 1e-12
ROBERTSON = [0.71582706872, 9.1855347646e-06, 0.28416374575]


def oscillator(t, y):
    return [y[1], -y[0]]


class Solutions(Test):
    def test_stiff_van_der_pol(self):
        # reference solution of the Bari test set for initial value problems, VDPOL at t = 2
        def fun(t, y):
            return [y[1], ((1 - y[0]**2) * y[1] - y[0]) / 1e-6]
        for method in ("auto", "Radau", "BDF"):
            s = daedal.solve_ivp(fun, (0, 2), [2, 0], method, rtol=1e-8, atol=1e-8)
            self.assertEqual((s.status, s.success), (0, True))
            end = [row[-1] for row in s.y]
            self.assertNear(end, [1.706167732170469, -0.8928097010248125], 1e-6)

    def test_robertson_with_a_singular_mass_matrix(self):
        s = daedal.solve_ivp(rob, (0, 40), [1, 0, 0], mass=[[1, 0, 0], [0, 1, 0], [0, 0, 0]],
                             rtol=1e-9, atol=1e-13)
        self.assertNear([row[-1] for row in s.y], ROBERTSON, 1e-7)
        self.assertNear([sum(y) for y in zip(*s.y)], [1] * len(s.t), 1e-12)

    def test_robertson_with_an_algebraic_variable(self):
        s = daedal.solve_ivp(lambda t, y: rob(t, y)[:2], (0, 40), [1, 0, 0],
                             algebraic=lambda t, y: y[0] + y[1] + y[2] - 1, rtol=1e-9, atol=1e-13)
        self.assertNear([row[-1] for row in s.y], ROBERTSON, 1e-7)

    def test_mass_may_be_a_function(self):
        # (1 + t) y' = y: y = 1 + t
        s = daedal.solve_ivp(lambda t, y: [y[0]], (0, 3), [1], mass=lambda t, y: [[1 + t]], **TIGHT)
        self.assertNear(s.y[0], [1 + t for t in s.t], 1e-7)

    def test_names_of_scipy_are_understood(self):
        for method in ("RK45", "DOP853", "Radau", "BDF", "LSODA", "gauss"):
            s = daedal.solve_ivp(oscillator, (0, 1), [1, 0], method, first_step=1e-3, max_step=0.5,
                                 **TIGHT)
            self.assertNear([row[-1] for row in s.y], [math.cos(1), -math.sin(1)], 1e-6)
            self.assertLessEqual(max(b - a for a, b in zip(s.t, s.t[1:])), 0.5)
        with self.assertRaises(daedal.Error):
            daedal.solve_ivp(oscillator, (0, 1), [1, 0], "RK23")

    def test_jacobians_are_used(self):
        calls = []

        def jac(t, y):
            calls.append(t)
            return [[0, 1], [-1, 0]]
        for given in (jac, [[0, 1], [-1, 0]]):
            s = daedal.solve_ivp(oscillator, (0, 1), [1, 0], "BDF", jac=given, **TIGHT)
            self.assertNear(s.y[0][-1], math.cos(1), 1e-6)
            self.assertGreater(s.njev, 0)
        self.assertTrue(calls)
        sparse = daedal.solve_ivp(lambda t, y: [-v for v in y], (0, 1), [1] * 30, "BDF",
                                  jac_sparsity=[[i == j for j in range(30)] for i in range(30)])
        dense = daedal.solve_ivp(lambda t, y: [-v for v in y], (0, 1), [1] * 30, "BDF")
        self.assertLess(sparse.nfev, dense.nfev)

    def test_backwards_is_forwards_in_the_other_direction(self):
        s = daedal.solve_ivp(lambda t, y: [y[1], -y[0] * (1 + t)], (0, 2), [1, 0], **TIGHT)
        end = [row[-1] for row in s.y]
        for more in ({}, {"jac": lambda t, y: [[0, 1], [-1 - t, 0]], "method": "Radau"},
                     {"mass": [[1, 0], [0, 1]]}):
            back = daedal.solve_ivp(lambda t, y: [y[1], -y[0] * (1 + t)], (2, 0), end,
                                    t_eval=[2, 1, 0], **more, **TIGHT)
            self.assertNear(back.t, [2, 1, 0], 0)
            self.assertNear([row[-1] for row in back.y], [1, 0], 1e-6)
        back = daedal.solve_ivp(lambda t, y: [-y[1]], (1, 0), [1, 1], method="Radau",
                                jac=lambda t, y: [[0, -1], [-1, 1]],
                                algebraic=lambda t, y: y[1] - y[0], **TIGHT)
        self.assertNear(back.y[0][-1], math.e, 1e-6)


class Shape(Test):
    def test_defaults_and_fields_are_those_of_scipy(self):
        s = daedal.solve_ivp(oscillator, (0, 1), [1, 0])
        self.assertEqual(sorted(s), sorted(
            ["t", "y", "sol", "t_events", "y_events", "nfev", "njev", "nlu", "status", "message",
             "success"]))
        self.assertEqual((s.t_events, s.y_events, s.sol), (None, None, None))
        self.assertEqual((len(s.y), len(s.y[0])), (2, len(s.t)))
        self.assertGreater(s.nfev, len(s.t))
        self.assertNear(s.y[0][-1], math.cos(1), 1e-2)
        self.assertRaises(AttributeError, getattr, s, "nothing")
        tight = daedal.solve_ivp(oscillator, (0, 1), [1, 0], **TIGHT)
        self.assertGreater(tight.nfev, s.nfev)
        if daedal.numpy is not None:
            self.assertEqual(s.y.shape, (2, len(s.t)))

    def test_rows_come_where_they_are_asked_for(self):
        times = [0, 0.1, 0.5, 2]
        s = daedal.solve_ivp(oscillator, (0, 2), [1, 0], t_eval=times, **TIGHT)
        self.assertNear(s.t, times, 0)
        self.assertNear(s.y[0], [math.cos(t) for t in times], 1e-7)
        s = daedal.solve_ivp(oscillator, (0, 2), [1, 0], t_eval=[0.5], **TIGHT)
        self.assertNear(s.y[0], [math.cos(0.5)], 1e-7)
        for wrong in ([0, 3], [-1, 1], [1, 0.5], [1, 1]):
            with self.assertRaises(ValueError):
                daedal.solve_ivp(oscillator, (0, 2), [1, 0], t_eval=wrong)

    def test_args_go_to_all_functions(self):
        def event(t, y, a):
            return y[0] - a
        s = daedal.solve_ivp(lambda t, y, a: [a], (0, 5), [0], args=(2,), events=event,
                             jac=lambda t, y, a: [[0 * a]], mass=lambda t, y, a: [[a]], **TIGHT)
        self.assertNear(s.y[0][-1], 5, 1e-7)
        self.assertNear(s.t_events[0], [2], 1e-7)

    def test_vectorized_functions_get_columns(self):
        def fun(t, y):
            return daedal.numpy.array([y[1], -y[0]])
        if daedal.numpy is None:
            self.assertRaises(ValueError, daedal.solve_ivp, fun, (0, 1), [1, 0], vectorized=True)
            return
        s = daedal.solve_ivp(lambda t, y: (self.assertEqual(y.shape, (2, 1)), fun(t, y))[1], (0, 1),
                             [1, 0], vectorized=True, **TIGHT)
        self.assertNear(s.y[0][-1], math.cos(1), 1e-7)

    def test_nothing_to_do(self):
        s = daedal.solve_ivp(oscillator, (1, 1), [1, 0])
        self.assertEqual((list(s.t), s.status), ([1], 0))

    def test_failure_is_a_status(self):
        s = daedal.solve_ivp(lambda t, y: [y[0]**2], (0, 2), [1])
        self.assertEqual((s.status, s.success), (-1, False))
        self.assertIn("x[1]", s.message)
        self.assertNear(s.t[-1], 1, 1e-2)

    def test_mistakes_are_raised(self):
        def fails(t, y):
            raise KeyError("fun")
        self.assertRaises(KeyError, daedal.solve_ivp, fails, (0, 1), [1])
        self.assertRaises(ValueError, daedal.solve_ivp, lambda t, y: [1, 2], (0, 1), [1])
        self.assertRaises(daedal.Error, daedal.solve_ivp, oscillator, (0, 1), [1, 0], lband=1)
        with self.assertRaises(ValueError):
            daedal.solve_ivp(oscillator, (0, 1), [1, 0], atol=[1e-3])
        with self.assertRaises(daedal.Error):
            daedal.solve_ivp(oscillator, (0, 1), [1, 0], atol=[1e-3, -1e-3])

    def test_atol_is_an_array(self):
        def beside(t, y):  # a large slow oscillation beside a small fast one
            return [y[1], -y[0], y[3], -225 * y[2]]
        errors = []
        for method in ("auto", "RK45", "DOP853", "Radau", "BDF", "gauss", "rosenbrock"):
            for atol in (1e-8, [1e-8, 1e-8, 1e-15, 1e-15]):
                s = daedal.solve_ivp(beside, (0, 4), [1, 0, 1e-9, 0], method, rtol=1e-6, atol=atol)
                errors.append(abs(s.y[2][-1] / 1e-9 - math.cos(60)))
            self.assertLess(errors[-1], 1e-2 * errors[-2], method)
            self.assertLess(errors[-1], 1e-3, method)


class Dense(Test):
    def test_dense_output_is_the_interpolant_of_the_method(self):
        problem = daedal.SemiExplicit(f=oscillator)
        for method in ("explicit", "gauss", "radau", "bdf", "switching", "lie"):
            for rtol in (1e-3, 1e-9 if method != "lie" else 1e-4):
                s = daedal.solve_ivp(oscillator, (0, 3), [1, 0], method, dense_output=True,
                                     rtol=rtol, atol=rtol)
                it = daedal.Integrator(problem, [1, 0], method=method, rtol=rtol, atol=rtol)
                while it.t < 3:
                    it.step(3)
                    t = it.t_previous + 0.37 * (it.t - it.t_previous)
                    self.assertNear(s.sol(t), it.interpolate(t), 1e-13)
                    self.assertNear(s.sol(it.t), it.y, 0)

    def test_dense_output_takes_sequences_and_goes_backwards(self):
        s = daedal.solve_ivp(oscillator, (3, 0), [math.cos(3), -math.sin(3)], dense_output=True,
                             **TIGHT)
        times = [0.1, 2.9, 1.5]
        y = s.sol(times)
        self.assertNear(y[0], [math.cos(t) for t in times], 1e-7)
        self.assertNear([row[1] for row in y], s.sol(2.9), 0)


class Events(Test):
    def test_terminal_event_ends_the_run(self):
        def ground(t, y):
            return y[0]
        ground.terminal, ground.direction = True, -1
        s = daedal.solve_ivp(lambda t, y: [y[1], -9.81], (0, 10), [1, 3], events=ground,
                             dense_output=True, **TIGHT)
        t = (3 + math.sqrt(9 + 2 * 9.81)) / 9.81
        self.assertEqual((s.status, s.success), (1, True))
        self.assertNear(s.t_events[0], [t], 1e-9)
        self.assertNear(s.y_events[0][0], [0, 3 - 9.81 * t], 1e-8)
        self.assertNear([s.t[-1], s.y[0][-1]], [t, 0], 1e-9)
        self.assertNear(s.sol(t / 2)[0], 1 + 1.5 * t - 9.81 * t * t / 8, 1e-9)

    def test_all_crossings_are_found_in_their_direction(self):
        def both(t, y):
            return y[0]

        def rising(t, y):
            return y[0]

        def falling(t, y):
            return y[0]
        rising.direction, falling.direction = 1, -1
        for span, start in (((0, 10), [1, 0]), ((10, 0), [math.cos(10), -math.sin(10)])):
            s = daedal.solve_ivp(oscillator, span, start, events=[both, rising, falling],
                                 t_eval=span, **TIGHT)
            zeros = [math.pi * (k + 0.5) for k in range(3)]
            forwards = span[0] == 0
            self.assertNear(sorted(s.t_events[0]), zeros, 1e-7)
            self.assertNear(s.t_events[1 if forwards else 2], [zeros[1]], 1e-7)
            self.assertNear(sorted(s.t_events[2 if forwards else 1]), [zeros[0], zeros[2]], 1e-7)
            self.assertEqual(len(s.t), 2)

    def test_terminal_may_count(self):
        def zero(t, y):
            return y[0]
        zero.terminal = 2
        s = daedal.solve_ivp(oscillator, (0, 10), [1, 0], events=zero, **TIGHT)
        self.assertNear(s.t[-1], 1.5 * math.pi, 1e-7)

    def test_value_that_starts_at_zero_has_not_crossed_it(self):
        def zero(t, y):
            return y[0]
        s = daedal.solve_ivp(oscillator, (0, 4), [0, 1], events=zero, **TIGHT)
        self.assertNear(s.t_events[0], [math.pi], 1e-7)

    def test_value_that_stays_at_zero_has_crossed_it_once(self):
        def plateau(t, y):
            return min(t - 1, 0) + max(t - 3, 0)
        s = daedal.solve_ivp(oscillator, (0, 4), [0, 1], events=plateau, max_step=0.1)
        self.assertNear(s.t_events[0], [1], 0.03)

    def test_value_that_is_no_number_is_refused(self):
        self.assertRaises(ValueError, daedal.solve_ivp, oscillator, (0, 4), [0, 1],
                          events=lambda t, y: math.nan)


if __name__ == "__main__":
    unittest.main()
