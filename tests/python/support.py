"""What the tests of python/daedal.py share. The environment says what is tested: DAEDAL_LIBRARY the
library, DAEDAL_WITHOUT_NUMPY whether numpy is hidden."""

import os
import sys
import unittest

SOURCES = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
MODELS = os.path.join(SOURCES, "examples", "models")

if os.environ.get("DAEDAL_WITHOUT_NUMPY"):
    sys.modules["numpy"] = None  # an import of it fails
sys.path.insert(0, os.path.join(SOURCES, "python"))
sys.dont_write_bytecode = True

import daedal  # noqa: E402, F401


def model(name):
    return os.path.join(MODELS, name + ".dae")


def largest(values):
    return max(map(abs, values))


class Test(unittest.TestCase):
    def assertNear(self, a, b, tolerance):
        """|a - b| <= tolerance, of numbers or of sequences."""
        if not hasattr(a, "__len__"):
            a, b = [a], [b]
        self.assertEqual(len(a), len(b))
        for x, y in zip(a, b):
            self.assertLessEqual(abs(x - y), tolerance, f"{x} and {y}")


