"""Runs in steps: advanced, read, saved, loaded, finished."""

import math
import unittest

from support import Test, daedal

BALL = """model ball
coord x = 0 rate 1, y = 1
discrete n = 0
kinetic (x'^2 + y'^2)/2
potential 9.81*y
event floor: y falling { y' = -0.8*y'; n = n + 1 }
output energy = kinetic + potential
simulate to 1.5 rtol 1e-7
"""


def same(a, b):
    return a.names == b.names and all(list(a[name]) == list(b[name]) for name in a.names)


class Simulations(Test):
    def setUp(self):
        self.whole = daedal.run(text=BALL)

    def test_advanced_to_any_time_gives_the_rows_of_a_run(self):
        for pieces in (1, 7, 100):
            run = daedal.Simulation(daedal.Model(text=BALL))
            for k in range(1, pieces + 1):
                done = run.advance(1.5 * k / pieces)
                self.assertEqual(done, k == pieces)
                self.assertEqual(run.row["t"], run.t)
                self.assertEqual(run.row["x"], run.y[0])
            self.assertTrue(run.done)
            self.assertTrue(same(run.finish(), self.whole))
            with self.assertRaises(ValueError):
                run.step()

    def test_stepped_to_the_end(self):
        run, steps = daedal.Simulation(daedal.Model(text=BALL)), 0
        while not run.step():
            steps += 1
        result = run.finish()
        self.assertGreater(steps, 5)
        self.assertTrue(same(result, self.whole))
        self.assertEqual(result.summary["events"], self.whole.summary["events"])

    def test_state_is_the_motion(self):
        run = daedal.Simulation(daedal.Model(text=BALL))
        for t in (0.1, 0.2, 0.4):
            run.advance(t)
            self.assertAlmostEqual(run.row["y"], 1 - 9.81 / 2 * t * t, delta=1e-8)
            self.assertAlmostEqual(run.row["x"], t, delta=1e-8)
        run.advance(0.5)  # behind the first bounce
        self.assertEqual(run.row["n"], 1)

    def test_saved_and_loaded_in_another_simulation(self):
        for t in (0.3, math.sqrt(2 / 9.81), 1.1):
            run = daedal.Simulation(daedal.Model(text=BALL))
            run.advance(t)
            saved = run.save()
            other = daedal.Simulation(daedal.Model(text=BALL))
            other.load(saved)
            self.assertEqual(other.t, run.t)
            other.advance(2)
            self.assertTrue(same(other.finish(), self.whole))
            run.advance(2)
            run.load(saved)
            self.assertFalse(run.done)
            run.advance(2)
            self.assertTrue(same(run.finish(), self.whole))

    def test_other_states_are_refused(self):
        run = daedal.Simulation(daedal.Model(text=BALL))
        run.advance(1)
        saved = run.save()
        for wrong in (saved[:-1], saved[:-9] + b"x" + saved[-8:], b""):
            with self.assertRaises(daedal.Error):
                daedal.Simulation(daedal.Model(text=BALL)).load(wrong)
        with self.assertRaises(daedal.Error):
            daedal.Simulation(daedal.Model(text=BALL), rtol=1e-5).load(saved)

    def test_ended_early(self):
        run = daedal.Simulation(daedal.Model(text=BALL), to=1, every=0.25)
        run.advance(0.6)
        result = run.finish()
        self.assertEqual(result.summary["status"], "DAE_OK")
        self.assertLess(result["t"][-1], 1)

    def test_problems_by_callbacks(self):
        rod = daedal.Mechanical(M=[[1, 0], [0, 1]], f=lambda t, q, v: [0, -9.81],
                                g=lambda t, q: q[0]**2 + q[1]**2 - 1)
        run = daedal.Simulation(rod, to=1, start={"q": [1, 0]})
        run.advance(0.5)
        y = run.y
        self.assertAlmostEqual(y[0]**2 + y[1]**2, 1, delta=1e-12)
        run.advance(1)
        self.assertTrue(same(run.finish(), rod.run({"q": [1, 0]}, to=1)))

    def test_interrupted_by_progress_goes_on(self):
        calls = []
        run = daedal.Simulation(daedal.Model(text=BALL),
                                progress=lambda t: calls.append(t) or len(calls) != 5)
        with self.assertRaises(daedal.Error) as caught:
            run.advance(2)
        self.assertEqual(caught.exception.status, "DAE_ERROR_INTERRUPTED")
        run.advance(2)
        self.assertTrue(same(run.finish(), self.whole))


if __name__ == "__main__":
    unittest.main()
