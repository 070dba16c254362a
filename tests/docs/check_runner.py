#!/usr/bin/env python3
"""The runner of the documentation finds what is wrong: every kind of block is given once right and once
wrong.

    check_runner.py --source DIR --prefix DIR --work DIR [--cc CC] [--flags FLAGS]
"""

import os
import shutil
import subprocess
import sys
import unittest

from blocks import Mistake, read_blocks
from kinds import Page
from likeness import difference
from places import check_places
from run_docs import Place, options

PENDULUM = """model swing
param L = 1
coord x = L, y = 0
kinetic   (x'^2 + y'^2)/2
potential 9.81*y
constraint rod: x^2 + y^2 = L^2
simulate to 0.1
"""


def fence(info, text, notes=""):
    return f"{notes}```{info}\n{text}```\n"


class Blocks(unittest.TestCase):
    def mistake(self, page):
        with self.assertRaises(Mistake) as caught:
            read_blocks(page)
        return str(caught.exception)

    def test_blocks_have_line_words_text_and_notes(self):
        block = read_blocks("a\n<!-- before: x\ny -->\n\n```dae fragment\nz\n```\n")[0]
        self.assertEqual((block.line, block.language, block.words, block.text), (5, "dae", ["fragment"], "z\n"))
        self.assertEqual(block.note("before"), "x\ny\n")

    def test_remarks_are_no_notes(self):
        self.assertEqual(read_blocks("<!-- a remark -->\n```sh\n```\n")[0].notes, {})

    def test_every_block_says_what_it_is(self):
        self.assertIn("1: the block has no info string", self.mistake("```\nx\n```\n"))

    def test_fences_and_comments_end(self):
        self.assertIn("does not end", self.mistake("```sh\nx\n"))
        self.assertIn("does not end", self.mistake("<!-- before: x\n"))

    def test_fences_are_not_hidden_in_lists(self):
        self.assertIn("2: a fence", self.mistake("- a list\n  ```sh\n  x\n  ```\n"))

    def test_commands_do_not_escape_by_indentation(self):
        self.assertIn("1: a command without fences", self.mistake("    daedal run x.dae\n"))

    def test_notes_are_known_and_belong_to_a_block(self):
        self.assertIn("says whatever", self.mistake("<!-- whatever: x -->\n```sh\n```\n"))
        self.assertIn("no block follows", self.mistake("<!-- before: x -->\nwords\n```sh\n```\n"))


class Likeness(unittest.TestCase):
    def alike(self, shown, printed):
        self.assertIsNone(difference(shown, printed))

    def different(self, shown, printed):
        self.assertIsNotNone(difference(shown, printed))

    def test_words_are_the_same(self):
        self.alike("a  b\nc", "a b \nc\n")
        self.different("a b", "a c")
        self.different("a b", "a b c")
        self.different("a b", "a")
        self.different("x1", "x2")
        self.different("a", "1")

    def test_numbers_are_near(self):
        self.alike("117 steps, 2.13e-06", "125 steps, 2.2e-06")
        self.alike("t = 0", "t = 2")
        self.different("117 steps", "200 steps")
        self.different("2.13e-06", "2.13e-05")
        self.different("1.5", "-1.5")
        self.different("0.5", "2")

    def test_round_off_is_round_off(self):
        self.alike("4.4e-16", "-8e-13")
        self.different("4.4e-16", "1e-7")

    def test_times_are_times(self):
        self.alike("0.5 s", "17.25 s")
        self.alike("took 0.5 s;", "took 3 s;")
        self.different("0.5 steps", "17 steps")

    def test_dots_stand_for_lines(self):
        self.alike("...\nb\n...", "a\na\nb\nc")
        self.alike("...", "")
        self.alike("a ...", "a b c")
        self.alike("...\nb\n...\nb", "b\nb\nb")
        self.different("...\nd\n...", "a\nb")
        self.different("...\nb", "a\nb\nc")
        self.different("a\n...\nc", "a\nb")

    def test_all_lines_count(self):
        self.different("a", "a\nb")
        self.different("a\nb", "a")

    def test_drawings_are_alike(self):
        self.alike("1 |\u28ff  a\u2801 |", "1 |\u2802 |")
        self.alike("1 |\u28ff\n0 |", "1 |\n0 |\u2802 b\u2803")
        self.different("1 |\u28ff", "1 |\u28ff x")
        self.different("1 |\u28ff", "2 |\u28ff\n5 |")
        self.different("1 |", "1 |\u28ff")


class Kinds(unittest.TestCase):
    place = None  # set below

    def run_page(self, page):
        at_work = Page(self.place, self.place.folder())
        try:
            for block in read_blocks(page):
                at_work.check(block)
        finally:
            self.left_over = at_work.left_over()

    def mistake(self, page):
        with self.assertRaises(Mistake) as caught:
            self.run_page(page)
        return str(caught.exception)

    def test_commands_are_run_and_may_be_shown_to_fail(self):
        self.run_page(fence("sh", "daedal run pendulum.dae --quiet\ntest -s pendulum.csv\n"))
        self.run_page(fence("sh exit 7", "daedal run nothing.dae\n"))
        self.assertIn("exit status 1", self.mistake(fence("sh", "false\ntrue\n")))
        self.assertIn("exit status 0", self.mistake(fence("sh exit 2", "true\n")))
        self.assertIn("may say", self.mistake(fence("sh whatever", "true\n")))

    def test_texts_are_what_was_printed(self):
        shown = fence("sh", "echo one two\n")
        self.run_page(shown + fence("text", "one two\n"))
        self.assertIn("the page shows", self.mistake(shown + fence("text", "one three\n")))
        self.assertIn("no command", self.mistake(fence("text", "one\n")))
        self.assertIn("no command", self.mistake(fence("dae", PENDULUM) + fence("text", "one\n")))
        self.run_page(fence("text", "one\n", "<!-- run: echo one -->\n"))
        self.assertIn("exit status", self.mistake(fence("text", "one\n", "<!-- run: false -->\n")))

    def test_models_are_loaded_and_run(self):
        self.run_page(fence("dae", PENDULUM) + fence("sh", "daedal check swing.dae\n"))
        self.assertIn("exit status 2", self.mistake(fence("dae", PENDULUM.replace("L^2", "M^2"))))
        broken = PENDULUM.replace("9.81*y", "9.81*y + sqrt(x - 0.9999)")  # loads, but does not run
        self.assertIn("exit status 4", self.mistake(fence("dae", broken)))
        self.assertIn("begins with", self.mistake(fence("dae", "coord x = 1\n")))

    def test_files_of_a_page_are_imported(self):
        part = fence("dae", "# part.dae\nparam a = 1\n")
        whole = fence("dae", 'model a\nimport "part.dae"\nstate x = a\nx\' = -x\n')
        self.run_page(part + whole)
        self.assertEqual(self.left_over, [])
        self.run_page(part)
        self.assertIn("no model of the page imports part.dae", self.left_over[0])

    def test_fragments_of_models_are_completed_and_loaded(self):
        self.run_page(fence("dae fragment", "kinetic x'^2/2\n", "<!-- before: coord x = 1 -->\n"))
        self.assertIn("unknown name", self.mistake(fence("dae fragment", "kinetic x'^2/2\n")))

    def test_wrong_models_are_refused_with_what_is_shown(self):
        wrong = fence("dae error", "model a\nstate x = 0\nx' = b\n")
        self.run_page(wrong + fence("text", "daedal: error: a.dae:3:6: unknown name b; ...\n  x' = b\n       ^\n"))
        self.assertIn("the page shows", self.mistake(wrong + fence("text", "daedal: error: something else\n")))
        self.assertIn("exit status 0", self.mistake(fence("dae error", PENDULUM)))

    def test_programs_are_compiled_and_run(self):
        program = '#include <daedal/daedal.h>\n#include <stdio.h>\nint main(void) { return puts(dae_version()) < 0; }\n'
        self.run_page(fence("c", program) + fence("text", "...\n"))
        self.run_page(fence("c", program, "<!-- file: told.c -->\n") +
                      fence("sh", "cc told.c $(pkg-config --cflags --libs daedal) -o again && ./again\n"))
        self.assertIn("Werror", self.mistake(fence("c", program.replace("main(void) {", "main(void) { int i;"))))
        self.assertIn("exit status", self.mistake(fence("c", program.replace("< 0", ">= 0"))))

    def test_programs_may_be_shown_in_parts(self):
        parts = [fence("c part of a.c", "static int answer(void)\n{\n  return 42;\n}\n"),
                 fence("c part of a.c", "int main(void)\n{\n  return answer() != 42;\n}\n")]
        self.run_page(parts[0] + parts[1] + fence("sh", "cc a.c -o a && ./a\n"))
        self.run_page(parts[0])
        self.assertIn("a.c has no main", self.left_over[0])
        self.assertIn("answer", self.mistake(parts[1]))

    def test_fragments_of_programs_are_compiled(self):
        notes = "<!-- before: static void use(dae_integrator *it) { -->\n<!-- after: } -->\n"
        self.run_page(fence("c fragment", "dae_integrator_free(it);\n", notes))
        self.assertIn("dae_integrator_fre", self.mistake(fence("c fragment", "dae_integrator_fre(it);\n", notes)))

    def test_cmake_finds_the_package(self):
        page = (fence("c", "int main(void) { return 0; }\n", "<!-- file: a.c -->\n") + fence("cmake",
                "cmake_minimum_required(VERSION 3.21)\nproject(a C)\nfind_package(daedal REQUIRED)\n"
                "add_executable(a a.c)\ntarget_link_libraries(a PRIVATE daedal::daedal)\n"))
        self.run_page(page)
        self.assertIn("exit status", self.mistake(page.replace("find_package(daedal", "find_package(dedal")))

    def test_python_goes_on_from_block_to_block(self):
        first = fence("python", "a = 1\nprint(a)\n")
        self.run_page(first + fence("text", "1\n") + fence("python", "print(a, 'more', end='')\n") +
                      fence("text", "1 more\n"))
        self.assertIn("the page shows", self.mistake(first + fence("text", "9\n")))
        self.assertIn("NameError", self.mistake(first + fence("python", "print(b)\n")))
        self.assertIn("ends with", self.mistake(fence("python", "import os\nos._exit(0)\n")))

    def test_json_is_read(self):
        self.run_page(fence("json", '{"a": [1, 2]}\n'))
        self.mistake(fence("json", '{"a": [1, 2,]}\n'))

    def test_excerpts_stand_in_their_file(self):
        self.run_page(fence("dae excerpt of examples/models/pendulum.dae", "coord x = L, y = 0\n"))
        self.assertIn("does not stand", self.mistake(fence("dae excerpt of examples/models/pendulum.dae", "coord x\n")))
        self.assertIn("there is no", self.mistake(fence("c excerpt of nothing.c", "x\n")))

    def test_other_languages_are_refused(self):
        self.assertIn("nobody knows", self.mistake(fence("fortran", "x\n")))
        self.assertIn("nobody knows", self.mistake(fence("check", "x\n")))

    def test_commands_of_the_project_name_what_there_is(self):
        self.run_page(fence("sh make", "make demo  # and a remark\ncmake --preset dev\nctest --preset dev -L unit\n"
                            "cmake --build --preset dev --target test_arena\nbuild/dev/tests/unit/test_arena\n"))
        for wrong in ("make coffee", "cmake --preset fast", "ctest --preset dev -L nothing", "rm -rf build",
                      "cmake --build --preset dev --target test_nothing", "build/dev/tests/unit/test_nothing"):
            self.mistake(fence("sh make", wrong + "\n"))


class Places(unittest.TestCase):
    place = None

    def check(self, page):
        check_places(os.path.join(self.place.source, "docs", "page.md"), page, self.place.source)

    def test_links_and_paths_lead_somewhere(self):
        self.check("# A b's `c`\n[x](#a-bs-c) [y](problem.md#events) [z](https://nowhere) `src/core/arena.c`")
        for wrong in ("[x](nothing.md)", "[x](#nothing)", "[x](problem.md#nothing)", "`src/core/nothing.c`",
                      "![x](nothing.svg)"):
            with self.assertRaises(Mistake):
                self.check(wrong)


@unittest.skipUnless(shutil.which("doxygen"), "doxygen is not there")
class Headers(unittest.TestCase):
    place = None

    def status(self, text):
        """Of scripts/docs.sh with a header of this text."""
        folder = os.path.join(self.place.work, "headers")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "a.h"), "w", encoding="utf-8") as file:
            file.write("/** @file\n * A header. */\n" + text)
        script = os.path.join(self.place.source, "scripts", "docs.sh")
        done = subprocess.run(["sh", script, os.path.join(self.place.work, "html"), folder],
                              capture_output=True, check=False)
        return done.returncode

    def test_names_without_a_word_are_found(self):
        self.assertEqual(self.status("/** Does it. */\nint a(int b);\n"), 0)
        for text in ("int a(int b);\n", "/* Does it. */\nint a(int b);\n", "#define A 1\n",
                     "/** One. */\ntypedef struct a {\n  int b;\n} a;\n"):
            self.assertNotEqual(self.status(text), 0, text)


if __name__ == "__main__":
    Headers.place = Kinds.place = Places.place = Place(options().parse_args())
    unittest.main(argv=sys.argv[:1])
