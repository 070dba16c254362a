"""Model files: rows, options, coupled models, errors with their place, interruption."""

import html
import math
import os
import shutil
import signal
import tempfile
import threading
import unittest
import warnings

from support import Test, daedal, largest, model


DRIVEN = """model driven
param k = 1 "1/s"
input u = 1 linear "V"
input w = 0
state x = 0 "m"
x' = k*u + w
simulate to 4 rtol 1e-9
"""


class Data(Test):
    def test_inputs_are_samples_or_functions(self):
        self.assertNear(daedal.run(text=DRIVEN)["x"][-1], 4, 1e-8)
        r = daedal.run(text=DRIVEN, input={"u": ([0, 1, 3], [0, 2, 2]), "w": math.cos})
        self.assertNear(r["x"][-1], 7 + math.sin(4), 1e-7)
        self.assertEqual([i["samples"] for i in r.summary["inputs"]], [3, 0])
        self.assertEqual(r.summary["units"], {"k": "1/s", "u": "V", "x": "m"})
        self.assertIn("constant after its last sample, t > 3", r.text)
        r = daedal.run(text=DRIVEN, input={"u": (lambda t: float(t >= 1.5), [1.5])})
        self.assertNear(r["x"][-1], 2.5, 1e-8)
        self.assertIn(1.5, list(r["t"]))
        m = daedal.Model(text=DRIVEN, input={"w": (math.sin, math.cos)})
        self.assertNear(m.run()["x"][-1], m.run()["x"][-1], 0)
        self.assertEqual(daedal.check(text=DRIVEN, input={"w": math.sin})["index"], 0)

    def test_files_of_inputs_and_params(self):
        with tempfile.TemporaryDirectory() as folder:
            data, values = os.path.join(folder, "u.csv"), os.path.join(folder, "k.txt")
            with open(data, "w", encoding="utf-8") as out:
                out.write("t,w\n0,1\n2,3\n")
            with open(values, "w", encoding="utf-8") as out:
                out.write("k = 2\n")
            r = daedal.run(text=DRIVEN, input=data, set_from=values)
            self.assertNear(r["x"][-1], 16, 1e-7)  # 8 + 2 + 6
            r = daedal.run(text=DRIVEN, input=[data], set_from=[values], set={"k": 1})
            self.assertNear(r["x"][-1], 12, 1e-7)

    def test_mistakes_in_data_are_errors(self):
        for given, said in [({"v": math.sin}, "v is no input of the model"),
                            ({"u": ([0, 0], [1, 1])}, "the time must rise"),
                            ({"u": ([0, 1], [1, math.nan])}, "not finite"),
                            ({"u": ([0], [1])}, "at least two samples")]:
            with self.assertRaisesRegex(daedal.Error, said):
                daedal.run(text=DRIVEN, input=given)
        with self.assertRaisesRegex(ValueError, "as many"):
            daedal.run(text=DRIVEN, input={"u": ([0, 1], [1])})

        def broken(t):
            if t > 1:
                raise KeyError("no data")
            return 0.0

        self.assertRaises(KeyError, daedal.run, text=DRIVEN, input={"u": broken})

        def refused(t):
            if t > 1:
                raise daedal.Refuse
            return 0.0

        with self.assertRaises(daedal.Error) as failed:
            daedal.run(text=DRIVEN, input={"u": refused})
        self.assertNear(failed.exception.t, 1, 0.1)


class Rows(Test):
    def test_pendulum_stays_on_its_rod(self):
        r = daedal.run(model("pendulum"), to=10, rtol=1e-8)
        self.assertEqual(r.names, ["t", "x", "y", "der(x)", "der(y)", "lambda(rod)", "energy"])
        self.assertEqual(list(r), r.names)
        self.assertEqual({len(r[name]) for name in r}, {r.summary["rows"]})
        self.assertLess(largest(x * x + y * y - 1 for x, y in zip(r["x"], r["y"])), 1e-10)
        self.assertLess(largest(x * u + y * v for x, y, u, v in
                                zip(r["x"], r["y"], r["der(x)"], r["der(y)"])), 1e-10)
        self.assertLess(largest(r["energy"]), 1e-6)
        self.assertEqual((r["t"][0], r["t"][-1]), (0, 10))
        self.assertEqual(r.summary["status"], "DAE_OK")
        self.assertEqual(r.summary["rtol"], 1e-8)
        self.assertIn("pendulum: t = 0 to 10", r.text)

    def test_arrays_are_numpy_where_it_is_there(self):
        r = daedal.run(model("pendulum"), to=0.1)
        wanted = "array" if daedal.numpy is None else "ndarray"
        self.assertEqual(type(r["x"]).__name__, wanted)

    def test_rows_come_at_the_grid_or_the_times_asked_for(self):
        r = daedal.run(model("pendulum"), to=1, every=0.25)
        self.assertNear(r["t"], [0, 0.25, 0.5, 0.75, 1], 1e-15)
        r = daedal.run(model("pendulum"), to=1, times=[0.3, 0.9])
        self.assertNear(r["t"], [0, 0.3, 0.9, 1], 0)

    def test_params_are_set(self):
        r = daedal.run(model("pendulum"), to=1, set={"L": 2, "g": "2*pi"})
        self.assertLess(largest(x * x + y * y - 4 for x, y in zip(r["x"], r["y"])), 1e-10)
        with self.assertRaisesRegex(daedal.Error, "LL"):
            daedal.run(model("pendulum"), set={"LL": 2})

    def test_model_tells_what_it_is(self):
        m = daedal.Model(model("pendulum"))
        self.assertEqual((m.name, m.title), ("pendulum", "a point mass on a rigid rod"))
        self.assertEqual(m.settings, {"to": 10, "rtol": 1e-6})
        self.assertEqual((m.counts["coordinates"], m.counts["holonomic"]), (2, 1))
        self.assertNear(m.run(1)["x"], m.run(to=1)["x"], 0)  # a model can be run again

    def test_text_is_a_model_too(self):
        r = daedal.run(text="model a\nstate x = 1\nx' = -x\nsimulate to 1 rtol 1e-10 atol 1e-12")
        self.assertNear(r["x"][-1], 0.36787944117144233, 1e-9)
        self.assertRaises(TypeError, daedal.Model)
        self.assertRaises(TypeError, daedal.Model, "a.dae", text="model a")

    def test_results_are_written_by_suffix(self):
        with tempfile.TemporaryDirectory() as folder:
            names = [os.path.join(folder, name) for name in ("a.csv", "a.mat", "a.npz")]
            r = daedal.run(model("pendulum"), to=1, out=names)
            for name in names:
                self.assertGreater(os.path.getsize(name), 1000)
            self.assertEqual(sorted(os.listdir(folder)), ["a.csv", "a.mat", "a.npz"])
            with open(names[0], newline="", encoding="utf-8") as file:
                self.assertEqual(len(file.readlines()), len(r["t"]) + 1)
            daedal.run(model("pendulum"), to=1, out=names[2])

    def test_names_with_a_zero_character_are_refused(self):
        calls = [lambda z: daedal.run(model("pendulum") + z, to=1),
                 lambda z: daedal.run(model("pendulum"), to=1, set={"m" + z: 2}),
                 lambda z: daedal.run(model("pendulum"), to=1, method="radau" + z),
                 lambda z: daedal.run(model("pendulum"), to=1, method="radau", **{"stages" + z: 3}),
                 lambda z: daedal.run(text=DRIVEN, input={"u" + z: math.sin}),
                 lambda z: daedal.run(model("pendulum"), to=1, report="a.html" + z)]
        for call in calls:
            with self.assertRaisesRegex(ValueError, "zero character"):
                call("\0beyond")

    def test_events_of_the_model_happen(self):
        r = daedal.run(model("bouncing_ball"))
        self.assertEqual(r.summary["status"], "DAE_STOPPED")
        self.assertNear(r["x"][-1], 3, 1e-9)
        self.assertGreaterEqual(r["bounces"][-1], 3)


class Native(Test):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.before = dict(os.environ)
        os.environ["DAEDAL_CACHE"] = os.path.join(self.folder, "cache")

    def tearDown(self):
        os.environ.clear()
        os.environ.update(self.before)
        shutil.rmtree(self.folder)

    def test_native_code_gives_the_same_rows(self):
        plain = daedal.run(model("pendulum"), to=1)
        self.assertIsNone(plain.summary["native_code"])
        for cached in (False, True):
            r = daedal.run(model("pendulum"), to=1, jit=True)
            self.assertEqual(r.summary["native_code"]["cached"], cached)
            self.assertEqual(list(r["lambda(rod)"]), list(plain["lambda(rod)"]))

    def test_without_a_compiler_there_is_a_warning(self):
        os.environ["CC"] = "no-such-compiler"
        with self.assertWarnsRegex(UserWarning, "cannot start the compiler no-such-compiler"):
            r = daedal.run(model("pendulum"), to=1, jit=True)
        self.assertIsNone(r.summary["native_code"])


class Options(Test):
    def test_options_reach_the_method_over_simulate(self):
        r = daedal.run(model("pendulum"), to=1, method="bdf-ggl", rtol=1e-9, atol=1e-9, order=3,
                       project=True)
        self.assertEqual((r.summary["method"], r.summary["rtol"]), ("bdf-ggl", 1e-9))
        self.assertEqual(r.summary["order"], 3)
        self.assertEqual(daedal.run(model("pendulum"), to=1).summary["rtol"], 1e-6)

    def test_atol_of_variables_is_a_dict_or_an_array_over_the_model(self):
        text = ("model two\ncoord x = 1, y = 1e-9%s\nkinetic (x'^2 + y'^2)/2\n"
                "potential (x^2 + 225*y^2)/2\nsimulate to 4\n")
        plain, own = (daedal.Model(text=text % atol) for atol in ("", " atol 1e-15"))

        def error(m, **options):
            return abs(m.run(**options)["y"][-1] / 1e-9 - math.cos(60))

        lost, good = error(plain), error(own)
        self.assertLess(good, 1e-2 * lost)
        self.assertEqual(error(plain, atol={"y": 1e-15, "der(y)": 1e-15}), good)
        self.assertEqual(error(plain, atol=[0, 1e-15, 0, 1e-15]), good)
        self.assertEqual(error(own, atol={"x": 1e-8}), good)  # beside those of the model
        self.assertEqual(error(plain), lost)  # not those of a run before
        self.assertEqual(error(plain, atol="1e-8"), lost)
        self.assertEqual(daedal.run(text=text % "", rtol=1e-10).summary["atol"], 1e-12)
        for bad, words in (({"z": 1}, "'z' is not one of x, y, der"), ([1, 2], "2 values, expected: 4")):
            with self.assertRaisesRegex(ValueError, words):
                plain.run(atol=bad)
        with self.assertRaisesRegex(daedal.Error, "-1 of y is not positive"):
            plain.run(atol={"y": -1})

    def test_damp_gives_the_smooth_motion_and_tells_what_it_removed(self):
        text = """model d
coord x = 1, y = 0, s = 1e-3
kinetic (x'^2 + y'^2 + s'^2)/2
potential 9.81*y + 1e8*s^2/2
constraint x^2 + y^2 = 1
simulate to 1 rtol 1e-4
"""
        r = daedal.run(text=text, damp=True)
        self.assertEqual(r.summary["method"], "radau")
        self.assertLess(r.summary["stats"]["steps"], 30)
        self.assertEqual(r.summary["damping"]["kind"], "removed")
        self.assertEqual(r.summary["damping"]["name"], "s")
        self.assertAlmostEqual(r.summary["energy_removed_at_start"], 50, 3)
        self.assertAlmostEqual(r.summary["damping"]["longest_period"], 2*math.pi*1e-4, 8)
        self.assertLess(largest(r["s"]), 1e-6)
        r = daedal.run(text=text, damp=True, damp_time=0.01)
        self.assertEqual(r.summary["damping"]["scale"], 0.01)
        self.assertIsNone(daedal.run(text=text, to=1e-3).summary["damping"])

    def test_auto_takes_a_method_that_has_the_options(self):
        r = daedal.run(model("pendulum"), to=0.1, error_test="q")
        self.assertEqual(r.summary["method"], "bdf-ggl")

    def test_what_simulate_says_is_used_unless_another_method_is_asked_for(self):
        text = "model a\nstate x = 1\nx' = -x\nsimulate to 1 method radau stages 5"
        self.assertEqual(daedal.run(text=text).summary["method"], "radau")
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always")
            r = daedal.run(text=text, method="bdf")
        self.assertEqual(r.summary["method"], "bdf")
        self.assertIn("stages", str(notes[0].message))

    def test_wrong_options_and_methods_are_refused(self):
        for options, words in (({"rtoll": 1}, "rtol"), ({"rtol": -1}, "rtol"),
                               ({"method": "bdf-gg"}, "bdf-ggl"), ({"method": "bdf"}, "bdf-ggl"),
                               ({"every": -1}, "every"), ({"verify": True}, "one system")):
            with self.assertRaises(daedal.Error) as caught:
                daedal.run(model("pendulum"), to=1, **options)
            self.assertIn(words, str(caught.exception))
        with self.assertRaisesRegex(ValueError, "to=T"):
            daedal.run(text="model a\nstate x = 1\nx' = -x")

    def test_methods_are_listed_with_their_options(self):
        found = {m.name: m for m in daedal.methods()}
        self.assertIn("spark-gauss", found)
        self.assertTrue(all(m.summary and m.options for m in found.values()))
        options = found["bdf-cs"].options
        self.assertEqual(options["rtol"].default, 1e-6)
        self.assertEqual(options["order"].range, (1, 5))
        self.assertIs(options["project"].default, True)
        self.assertIn("split", options["multipliers"].range)

    def test_check_tells_what_a_model_is(self):
        found = daedal.check(model("pendulum"))
        self.assertEqual((found["index"], found["dof"], found["rank"]), (3, 1, 1))
        self.assertEqual((found["auto"], found["moved"]), ("switching", {}))
        self.assertIsNone(found["methods"]["bdf-ggl"])
        self.assertIn("index is 3", found["methods"]["bdf"])
        text = ("model a\ncoord x = 1.1, y = 0\nkinetic (x'^2 + y'^2)/2\n"
                "constraint x^2 + y^2 = 1\nsimulate to 1")
        self.assertNear(daedal.check(text=text)["moved"]["x"], (1.1, 1), 1e-12)


class Coupled(Test):
    def test_iteration_agrees_with_one_system(self):
        iterated = daedal.run(model("two_circuits"), every=0.1, rtol=1e-8, method="gauss-seidel")
        as_one = daedal.run(model("two_circuits"), every=0.1, rtol=1e-8)
        self.assertEqual((as_one.summary["method"], as_one.summary["systems"]), ("radau", 0))
        self.assertEqual((iterated.summary["method"], iterated.summary["systems"]),
                         ("gauss-seidel", 2))
        self.assertEqual(iterated.names, as_one.names)
        for name in iterated:
            self.assertNear(iterated[name], as_one[name], 2e-6)

    def test_order_and_verification_are_passed_on(self):
        r = daedal.run(model("two_circuits"), sweep=["two", "one"], verify=True)
        self.assertIn("in the order two, one", r.text)
        self.assertLess(r.summary["verification"]["states"]["tolerances"], 10)
        for sweep in (["two"], ["one", "three"]):
            with self.assertRaisesRegex(ValueError, "one, two"):
                daedal.run(model("two_circuits"), sweep=sweep)
        with self.assertRaisesRegex(ValueError, "does not iterate"):
            daedal.run(model("two_circuits"), sweep=["two", "one"], method="bdf")

    def test_systems_keep_their_own_solvers(self):
        text = ("model a\nsystem A { state x = 1; x' = B.y; method %s }\n"
                "system B { state y = 0; y' = -A.x }\nsimulate to 1")
        r = daedal.run(text=text % "radau")
        self.assertNear(r["A.x"][-1], 0.5403023058681398, 1e-5)
        with self.assertRaises(daedal.Error) as caught:
            daedal.run(text=text % "radua")
        self.assertEqual(caught.exception.line, 2)


class Errors(Test):
    def test_mistakes_have_their_place(self):
        with self.assertRaises(daedal.Error) as caught:
            daedal.Model(text="model a\ncoord x = 0\nkinetic x'^2 + yy\n", name="a.dae")
        e = caught.exception
        self.assertEqual((e.status, e.file, e.line, e.column), ("DAE_ERROR_MODEL", "a.dae", 3, 16))
        self.assertEqual(e.source, "kinetic x'^2 + yy")
        self.assertIn("unknown name yy", e.text)
        self.assertEqual(str(e).splitlines(), [f"a.dae:3:16: {e.text}", f"  {e.source}",
                                               "  " + " " * 15 + "^"])
        with self.assertRaises(daedal.Error) as caught:
            daedal.Model("no_such_file.dae")
        self.assertEqual(caught.exception.status, "DAE_ERROR_FILE")

    def test_settings_that_do_not_fit_have_theirs(self):
        start = "model a\nstate x = 1\nx' = -x\nsimulate to 1 "
        for setting in ("rtol 5", "method bdff", "method bdf-ggl", "method bdf stages 3"):
            with self.assertRaises(daedal.Error) as caught:
                daedal.run(text=start + setting)
            e = caught.exception
            self.assertEqual((e.status, e.line), ("DAE_ERROR_MODEL", 4), setting)

    def test_start_that_cannot_be_has_its_place(self):
        text = ("model a\ncoord x = 2 fixed, y = 0 fixed\nkinetic (x'^2 + y'^2)/2\n"
                "constraint rod: x^2 + y^2 = 1\nsimulate to 1")
        m = daedal.Model(text=text)
        for what in (m.run, m.check, lambda: daedal.Integrator(m)):
            with self.assertRaises(daedal.Error) as caught:
                what()
            e = caught.exception
            self.assertEqual((e.status, e.equation, e.line), ("DAE_ERROR_START", "rod", 4))

    def test_failed_run_keeps_what_it_has(self):
        with self.assertRaises(daedal.Error) as caught:
            daedal.run(text="model a\nstate x = 1\nx' = x^2\nsimulate to 2")
        e = caught.exception
        self.assertEqual((e.status, e.equation, e.line), ("DAE_ERROR_STEP", "x", 2))
        self.assertNear(e.t, 1, 1e-3)
        self.assertGreater(e.result["x"][-1], 1e3)
        self.assertEqual(e.result.summary["status"], "DAE_ERROR_STEP")


class Report(Test):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.page = os.path.join(self.folder, "out.html")

    def read(self):
        with open(self.page, encoding="utf-8") as file:
            return html.unescape(file.read())

    def test_report_of_a_model_shows_it(self):
        options = dict(to=1, set={"L": 2}, rtol=1e-7)
        r = daedal.run(model("pendulum"), **options, report=self.page)
        page = self.read()
        self.assertIn("constraint rod: x^2 + y^2 = L^2", page)
        self.assertIn(f"daedal.run({model('pendulum')!r}, to=1, set={{'L': 2}}, rtol=1e-07)", page)
        self.assertIn("chosen by auto", page)
        self.assertIn("</html>", page)
        self.assertIn(self.page, r.summary["files"])
        self.assertNear(r["t"], daedal.run(model("pendulum"), **options)["t"], 0)

    def test_report_of_callbacks_has_no_model(self):
        oscillator = daedal.SemiExplicit(f=lambda t, x: [x[1], -x[0]], name="oscillator")
        oscillator.run([1, 0], 1, method="radau", report=self.page)
        self.assertIn("oscillator", self.read())

    def test_file_that_cannot_be_written_is_told_before_the_run(self):
        with self.assertRaises(daedal.Error) as caught:
            daedal.run(model("pendulum"), to=1e9, report=os.path.join(self.folder, "no", "a.html"))
        self.assertEqual(caught.exception.status, "DAE_ERROR_FILE")

    def test_model_is_not_overwritten(self):
        copy = shutil.copy(model("pendulum"), self.folder)
        with self.assertRaisesRegex(ValueError, "overwrite"):
            daedal.run(copy, report=copy)


class Interruption(Test):
    def interrupted(self, **options):
        with self.assertRaises(KeyboardInterrupt) as caught:
            daedal.run(model("pendulum"), to=1e9, **options)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        r = caught.exception.result
        self.assertEqual(r.summary["status"], "DAE_ERROR_INTERRUPTED")
        return r

    def test_signal_in_mid_run_keeps_the_rows(self):
        sender = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))

        def start_sender(t):
            if t > 1 and not sender.is_alive() and not sender.finished.is_set():
                sender.start()
        r = self.interrupted(progress=start_sender)
        self.assertGreater(len(r["t"]), 10)
        self.assertLess(largest(x * x + y * y - 1 for x, y in zip(r["x"], r["y"])), 1e-10)

    def test_signal_in_a_callback_keeps_the_rows(self):
        def progress(t):
            if t > 1:
                signal.raise_signal(signal.SIGINT)
        r = self.interrupted(progress=progress)
        self.assertGreater(r["t"][-1], 1)
        self.assertLess(r["t"][-1], 2)

    def test_handler_of_others_is_left_alone(self):
        seen = []
        signal.signal(signal.SIGINT, lambda *_: seen.append(1))
        try:
            daedal.run(model("pendulum"), to=1,
                       progress=lambda t: signal.raise_signal(signal.SIGINT))
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        self.assertGreater(len(seen), 1)

    def test_progress_can_end_the_run(self):
        with self.assertRaises(daedal.Error) as caught:
            daedal.run(model("pendulum"), progress=lambda t: t < 1)
        self.assertEqual(caught.exception.status, "DAE_ERROR_INTERRUPTED")
        self.assertGreater(caught.exception.result["t"][-1], 1)

    def test_runs_in_another_thread(self):
        results = []
        thread = threading.Thread(
            target=lambda: results.append(daedal.run(model("pendulum"), to=1)))
        thread.start()
        thread.join()
        self.assertNear(results[0]["x"], daedal.run(model("pendulum"), to=1)["x"], 0)


if __name__ == "__main__":
    unittest.main()
