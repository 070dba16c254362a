#!/usr/bin/env python3
"""The pairs of bench/bodies.py are the same motion, a wrong one is noticed, and its chains run: test_bench_bodies.py DAEDAL EXAMPLES."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import bodies  # noqa: E402

DAEDAL, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])


class Bodies(unittest.TestCase):
    def test_pairs_agree(self):
        names = set()
        for name, text, reduced in bodies.pairs(EXAMPLES):
            names.add(name)
            with self.subTest(pair=name):
                self.assertLessEqual(bodies.disagreement(DAEDAL, text, reduced), bodies.AGREE)
        self.assertLessEqual({"double", "four_bar", "universal", "two_axes", "heavy_top", "flyball", "robot_arm"}, names)
        self.assertLessEqual({"universal_relative", "two_axes_relative", "flyball_relative", "robot_arm_relative"}, names)

    def test_wrong_pair_is_noticed(self):
        pairs = {name: (text, reduced) for name, text, reduced in bodies.pairs(EXAMPLES)}
        for name, right, wrong in (("double", "m2 = 0.5", "m2 = 0.5001"), ("heavy_top", "J3 = 0.01,", "J3 = 0.010001,")):
            text, reduced = pairs[name]
            self.assertIn(right, reduced)
            self.assertGreater(bodies.disagreement(DAEDAL, text, reduced.replace(right, wrong)), 10 * bodies.AGREE)
        with self.assertRaises(SystemExit):
            bodies.difference({"a": 1.0}, {"b": 1.0})

    def test_chains_run(self):
        for name in bodies.CHAINS:
            with self.subTest(chain=name):
                text = (bodies.HERE / f"{name}.dae").read_text()
                summary, last, _ = bodies.run(DAEDAL, text, bodies.end_of(text), "--set", "N=8")
                # the constraints hold up to the tolerance
                self.assertLess(abs(summary["position_drift"]), 1e-4)
                self.assertIn("tip.z", last)
                self.assertLess(last["tip.z"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
