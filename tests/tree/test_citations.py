#!/usr/bin/env python3
"""scripts/citations.py finds wrong citations, and accepts right ones."""
import importlib.util
import pathlib
import unittest

PATH = pathlib.Path(__file__).resolve().parents[2] / "scripts/citations.py"
SPEC = importlib.util.spec_from_file_location("citations", PATH)
citations = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(citations)

KEYS = {"YP96", "J09", "L13", "E07", "WHM11", "HW96", "DASSL"}


def mistakes(text):
    return [mistake for _, _, _, found in citations.check_text(text, KEYS) for mistake in found]


class Citations(unittest.TestCase):
    def test_existing_places_are_accepted(self):
        for text in ("[YP96]", "[YP96 (2.19)]", "[YP96 (2.25a)]", "[J09 (4) to (7)]", "[J09 sections 2, 2.1]",
                     "[L13, example 1]", "[E07 Theorems 3.1, 3.4]", "[E07 Lemma 2.1, WHM11]", "[WHM11 (63)-(71)]",
                     "[E07 Example 3.7, alpha -> 1]", "[YP96 Lemma 2.2, with (GY)^-T]", "[HW96 IV.8]",
                     "[YP96\n * section 5]", "[DASSL]", "x[YP96_COUNTS]", "a[E07_Y + 1]"):
            self.assertEqual(mistakes(text), [], text)

    def test_missing_places_are_found(self):
        for text in ("[J09 section 3]", "[YP96 Table 5.5]", "[YP96 (2.36)]", "[L13 Figure 5]", "[E07 Remark 3.4]",
                     "[WHM11 (74)]", "[YP96 section 2.5]", "[E07 Theorems 3.1, 3.5]", "[J09 2]", "[YP96\n * (9.1)]"):
            self.assertEqual(len(mistakes(text)), 1, text)

    def test_unknown_keys_are_found(self):
        self.assertEqual(mistakes("[YP97 (2.1)]"), ["YP97 is not in docs/references.bib"])
        self.assertEqual(mistakes("[E07, XY12]"), ["XY12 is not in docs/references.bib"])

    def test_records_are_checked(self):
        text = 'const rep_record yp96_records[] = {\n    {"Table 5.2", A, 1},\n    {"Figure 5.7", B, 0},\n    {0},\n};'
        self.assertEqual([mistake for _, mistake in citations.check_records(text)], ["YP96 has no figure 5.7"])

    def test_lists_are_ranges(self):
        self.assertEqual(citations.numbers("1-3 2.1-2.2"), {"1", "2", "3", "2.1", "2.2"})


if __name__ == "__main__":
    unittest.main()
