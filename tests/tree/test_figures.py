"""scripts/figures.py finds what it is there to find, in small trees made for it."""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import figures  # noqa: E402

NOTATION = "# Notation\n\n## Glossary\n\nsettle\n\n## Retired words\n\n| `settle` | complete |\n| `account` | summary |\n\n## Next\n"


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, figures, "ROOT", figures.ROOT)
        figures.ROOT = pathlib.Path(folder.name)
        self.write("docs/notation.md", NOTATION)

    def write(self, name, text):
        path = figures.ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def mistakes_of(self, check):
        found = []
        check(found)
        return found

    def test_definitions_are_found_with_their_attributes(self):
        code = "static __attribute__((noinline)) int a_f(int x,\n    int y)\n{\n}\nint b;\nvoid dae_g(void)\n{\n}\n"
        self.assertEqual(figures.definitions(code), [("a_f", 1, True), ("dae_g", 6, False)])

    def test_comments_do_not_count_and_strings_stay(self):
        self.assertEqual(figures.without_comments('a /* b\nc */ "/*d*/"').split(), ["a", '"/*d*/"'])

    def test_retired_words_are_refused_in_names_and_texts(self):
        self.write("src/a.c", "int gauss_settled;\n")
        self.write("docs/b.md", "the account of a run\n")
        self.assertEqual(len(self.mistakes_of(figures.check_words)), 2)

    def test_other_words_are_not(self):
        self.write("src/a.c", "int unsettling, energy_settled; /* taken into account */\n")
        self.assertEqual(self.mistakes_of(figures.check_words), [])

    def test_includes_that_a_layer_does_not_name_are_refused(self):
        self.write("src/core/CMakeLists.txt", "daedal_layer(core SOURCES a.c)\n")
        self.write("src/step/CMakeLists.txt", "daedal_layer(step NEEDS core SOURCES b.c)\n")
        self.write("src/step/b.c", '#include "core/a.h"\n')
        self.assertEqual(self.mistakes_of(figures.check_layers), [])
        self.write("src/core/a.c", '#include "step/b.h"\n')
        self.assertEqual(len(self.mistakes_of(figures.check_layers)), 1)

    def test_a_method_does_not_need_the_folder_of_another(self):
        for name in ("gauss", "radau"):
            self.write(f"src/onestep/{name}/CMakeLists.txt", f"daedal_layer(onestep/{name} SOURCES a.c)\n")
        self.assertEqual(self.mistakes_of(figures.check_layers), [])
        self.write("src/onestep/gauss/CMakeLists.txt", "daedal_layer(onestep/gauss NEEDS onestep/radau SOURCES a.c)\n")
        self.assertEqual(len(self.mistakes_of(figures.check_layers)), 1)


if __name__ == "__main__":
    unittest.main()
