#!/usr/bin/env python3
"""The harness itself: figures of runs that are made up, verdicts, limits that are exceeded."""
import math
import unittest

import truth


def made(method, ratio, trust="green", code=0):
    return {"method": method, "exit": code, "ratio": ratio, "trust": trust, "held": 0}


class Figures(unittest.TestCase):
    def test_shares_and_quantiles_of_the_runs_that_ended(self):
        f = truth.figures([made("a", r) for r in (0.1, 1, 2, 40)] + [made("a", "", code=3)])
        self.assertEqual((f["runs"], f["ended"], f["within"], f["worst"]), (5, 80, 75, 40))

    def test_a_red_verdict_excuses_a_wrong_result_and_counts_against_a_true_one(self):
        f = truth.figures([made("a", 5000, "red"), made("a", 5000), made("a", 1, "red"), made("a", 1, "amber")])
        self.assertEqual((f["silent"], f["false_red"], f["false_amber"], f["missed"]), (1, 50, 50, 50))

    def test_no_runs_have_no_figures(self):
        self.assertTrue(math.isnan(truth.figures([])["within"]))


class Verdicts(unittest.TestCase):
    def test_a_word_an_object_and_none(self):
        self.assertEqual(truth.verdict({"trust": "red"}), "red")
        self.assertEqual(truth.verdict({"trust": {"verdict": "amber", "reason": "energy"}}), "amber")
        self.assertEqual(truth.verdict({}), "green")


class Errors(unittest.TestCase):
    def test_a_missing_column_and_a_nan_are_wrong(self):
        self.assertEqual(truth.largest_error({"x": 1}, {"y": 1}), (math.inf, "x"))
        self.assertEqual(truth.largest_error({"x": 1, "y": 0}, {"x": 1, "y": math.nan}), (math.inf, "y"))
        self.assertEqual(truth.largest_error({"x": 1}, {"x": 3}), (1, "x"))


class Limits(unittest.TestCase):
    rows = [made("gauss", 1), made("gauss", 50), made("lie", 2000)]

    def test_limits_that_hold_are_silent(self):
        self.assertEqual(truth.exceeded({"gauss": {"within": 50, "worst": 50}, "*": {"silent": 1}}, self.rows), [])

    def test_each_limit_can_fail(self):
        for limits in {"gauss": {"within": 51}}, {"gauss": {"p95": 49}}, {"lie": {"silent": 0}}, {"*": {"silent": 0}}, {"all": {"worst": 1999}}:
            self.assertTrue(truth.exceeded(limits, self.rows), limits)

    def test_the_range_of_tolerances(self):
        self.assertEqual(["%g" % r for r in truth.tolerances("1e-3..1e-5")], ["0.001", "0.0001", "1e-05"])
        self.assertEqual(truth.tolerances("1e-4,1e-6"), [1e-4, 1e-6])


if __name__ == "__main__":
    unittest.main()
