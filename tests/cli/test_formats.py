"""Result files as independent readers see them: numpy, scipy and h5py (where it is installed), against
the CSV file of the same run, to the last bit.

test_formats.py DAEDAL MODELS HDF5, the latter "on" if the build writes it
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy
import scipy.io

try:
    import h5py
except ImportError:
    h5py = None

DAEDAL, MODELS, HDF5 = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3] == "on"


def run(folder, *words):
    done = subprocess.run([DAEDAL, *words], cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


class Formats(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def made(self, model, *words):
        """names and rows of the CSV file of a run that writes all formats"""
        outs = [word for suffix in ["csv", "mat", "npz"] + ["h5"] * HDF5
                for word in ("--out", f"r.{suffix}")]
        summary = run(self.folder.name, "run", os.path.join(MODELS, model), *outs, "--json", "r.json",
                      *words)
        self.assertIn("r.csv, r.mat, r.npz", " ".join(summary.split()))
        with open(self.path("r.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        with open(self.path("r.json"), encoding="utf-8") as file:
            self.provenance = json.load(file)["provenance"]
        return rows[0], numpy.array(rows[1:], float)

    def check_npz(self, names, rows):
        with numpy.load(self.path("r.npz")) as found:
            self.assertEqual(found.files, names + ["provenance"])
            for j, name in enumerate(names):
                self.assertTrue((found[name] == rows[:, j]).all(), name)
            self.assertEqual(json.loads(str(found["provenance"])), self.provenance)

    def check_mat(self, names, rows):
        """as DyMat reads it"""
        found = scipy.io.loadmat(self.path("r.mat"), chars_as_strings=False)
        order = [name for name in found if not name.startswith("__")]
        self.assertEqual(order[:6], ["Aclass", "name", "description", "dataInfo", "data_1", "data_2"])
        self.assertEqual(["".join(row).strip() for row in found["Aclass"]],
                         ["Atrajectory", "1.1", "", "binTrans"])
        self.assertEqual(["".join(column).rstrip() for column in found["name"].T], names)
        abscissa = None
        for j, name in enumerate(names):
            block, place, interpolation, outside = found["dataInfo"][:, j]
            self.assertEqual((interpolation, outside), (0, -1))
            if abs(place) == 1:
                self.assertIsNone(abscissa)
                abscissa = name
                self.assertEqual(found["data_1"][0].tolist(), [rows[0, 0], rows[-1, 0]])
            else:
                self.assertEqual(block, 2)
            self.assertTrue((found["data_2"][abs(place) - 1] == rows[:, j]).all(), name)
        self.assertEqual(abscissa, "t")
        text = scipy.io.loadmat(self.path("r.mat"))["provenance"][0]
        self.assertEqual(json.loads(text), self.provenance)
        return ["".join(column).rstrip() for column in found["description"].T]

    def check_hdf5(self, names, rows):
        with h5py.File(self.path("r.h5"), "r") as found:
            order = found["/"].id.get_create_plist().get_link_creation_order()
            self.assertTrue(order & h5py.h5p.CRT_ORDER_TRACKED)
            self.assertEqual(set(found), set(names))
            for j, name in enumerate(names):
                self.assertTrue((found[name][:] == rows[:, j]).all(), name)
            text = found.attrs["provenance"]
            text = text.decode() if isinstance(text, bytes) else text
            self.assertEqual(json.loads(text), self.provenance)

    def test_all_formats_hold_the_same_rows(self):
        for model, words in [("pendulum.dae", ["--every", "0.01"]), ("quarter_car.dae", ["--to", "1"]),
                             ("chain.dae", ["--set", "N=60", "--to", "0.1"])]:
            with self.subTest(model):
                names, rows = self.made(model, *words)
                self.check_npz(names, rows)
                described = self.check_mat(names, rows)
                if model == "quarter_car.dae":
                    self.assertIn("[m]", described)
                if HDF5 and h5py:
                    self.check_hdf5(names, rows)

    def test_plots_are_the_same(self):
        self.made("pendulum.dae")
        plots = {run(self.folder.name, "plot", f"r.{suffix}", "x", "y", "--ascii")
                 for suffix in ["csv", "mat", "npz"] + ["h5"] * HDF5}
        self.assertEqual(len(plots), 1)

    def test_files_of_others_are_plotted(self):
        t = numpy.linspace(0, 1, 50)
        numpy.savez(self.path("o.npz"), t=t, x=numpy.sin(t), word=numpy.array("text"))
        self.assertEqual(run(self.folder.name, "plot", "o.npz", "--names"), "t\nx\n")
        # as OpenModelica: a parameter in data_1, an alias with the opposite sign
        with open(self.path("o.mat"), "wb") as file:
            def put(name, type, matrix):
                head = numpy.array([type, *matrix.shape, 0, len(name) + 1], "<i4")
                file.write(head.tobytes() + name.encode() + b"\0" + matrix.tobytes(order="F"))

            def texts(words, width):
                return numpy.array([list(word.ljust(width).encode()) for word in words], "u1")

            put("Aclass", 51, texts(["Atrajectory", "1.1", "", "binTrans"], 11))
            put("name", 51, texts(["time", "x", "p", "minus"], 5).T)
            put("description", 51, texts(["", "", "", ""], 1).T)
            put("dataInfo", 20, numpy.array([[0, 2, 1, 2], [1, 2, 2, -2], [0] * 4, [-1] * 4], "<i4"))
            put("data_1", 0, numpy.array([[0.0, 1.0], [7.0, 7.0]]))
            put("data_2", 0, numpy.array([t, numpy.sin(t)]))
        self.assertEqual(run(self.folder.name, "plot", "o.mat", "--names"), "time\nx\np\nminus\n")
        run(self.folder.name, "plot", "o.mat", "minus", "p")
        if HDF5 and h5py:
            with h5py.File(self.path("o.h5"), "w") as file:
                file["t"], file["x"], file["n"] = t, numpy.sin(t).astype("f4"), 3
                file["t"].attrs["unit"] = "s"
            self.assertEqual(run(self.folder.name, "plot", "o.h5", "--names"), "t\nx\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
