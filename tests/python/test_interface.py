"""The mirror of the C interface, against a C compiler; where the library is looked for, and which
one is taken.

DAEDAL_CC names the compiler."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

from support import SOURCES, Test, daedal

CC = os.environ.get("DAEDAL_CC", "cc")
STATUSES = {daedal._END: "DAE_END", daedal._OPTION: "DAE_ERROR_OPTION",
            daedal._UNSUPPORTED: "DAE_ERROR_UNSUPPORTED",
            daedal._RECOVERABLE: "DAE_ERROR_RECOVERABLE"}


def structs():
    return {name: kind for name, kind in vars(daedal._s).items() if name.startswith("dae_")}


def dummy(kind):
    """An argument of this kind, in C: a pointer to void becomes one to anything, but no number; a
    number becomes no pointer, and half no integer."""
    pointer = kind in (daedal.c_void_p, daedal.c_char_p)
    return "(void *)0" if pointer else "0.5" if kind is daedal.c_double else "1"


def called(name, result, arguments):
    """C that is valid where a function takes these arguments, and gives a result of this size."""
    call = f"{name}({', '.join(map(dummy, arguments))})"
    return f"{call};" if result is None else \
        f'_Static_assert(sizeof({call}) == {daedal.ctypes.sizeof(result)}, "result");'


def calls():
    """All functions, and members that are functions, as they are declared in daedal.py."""
    for name, declared in daedal._prototypes(daedal._FUNCTIONS).items():
        yield called(name, *declared)
    for name, declared in daedal._prototypes(daedal._POINTERS).items():
        struct, member = name.split(".")
        yield called(f"(({struct} *)0)->{member}", *declared)
    for form in (daedal.Mechanical, daedal.SemiExplicit):
        for name, (_, *shape) in form._CALLBACKS.items():
            yield called(f"(({form._STRUCT} *)0)->{name}", daedal.c_int,
                         [daedal.c_void_p] * (4 if len(shape) > 2 else 3))


class Folder(Test):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return path

    def compile(self, source, *options):
        out = os.path.join(self.folder, "out")
        done = subprocess.run([CC, "-std=c17", "-Wall", "-Werror", "-I",
                               os.path.join(SOURCES, "include"), source, "-o", out, *options],
                              capture_output=True, text=True, env={**os.environ, "LD_PRELOAD": ""})
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def printed(self, lines):
        """What a C program with these lines prints."""
        source = self.write("print.c", "#include <daedal/daedal.h>\n#include <stdio.h>\n"
                            "int main(void)\n{\n" + "\n".join(lines) + "\n}\n")
        done = subprocess.run([self.compile(source)], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    def python(self, *arguments, **variables):
        """Output of Python with another library."""
        environment = {**os.environ, **variables}
        environment.pop("DAEDAL_WITHOUT_NUMPY", None)
        return subprocess.run([sys.executable, "-B", *arguments], capture_output=True, text=True,
                              env={k: v for k, v in environment.items() if v is not None})


class Mirror(Folder):
    def test_every_struct_is_laid_out_as_in_c(self):
        lines = []
        for name, kind in structs().items():
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            lines += [f'printf("{name}.{member} %zu %zu\\n", offsetof({name}, {member}), '
                      f'sizeof((({name} *)0)->{member}));' for member, _ in kind._fields_]
        mirrored = []
        for name, kind in structs().items():
            mirrored.append(f"{name} {daedal.ctypes.sizeof(kind)}")
            mirrored += [f"{name}.{member} {getattr(kind, member).offset} "
                         f"{daedal.ctypes.sizeof(field)}" for member, field in kind._fields_]
        self.assertEqual(self.printed(lines), mirrored)
        self.assertGreater(len(structs()), 25)

    def test_library_knows_the_sizes_of_all_public_structs(self):
        found, folder = set(), os.path.join(SOURCES, "include", "daedal")
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found |= set(re.findall(r"^typedef struct (dae_\w+) \{", file.read(), re.M))
        self.assertLess(set(structs()), found)
        told = self.printed(f'printf("{name} %zu\\n", sizeof({name}));' for name in sorted(found))
        for name, size in map(str.split, told):
            self.assertEqual(daedal._lib.dae_struct_size(name.encode()), int(size),
                             f"{name} is missing in src/run/sizes.c")
        self.assertEqual(daedal._lib.dae_struct_size(b"dae_nothing"), 0)

    def test_every_function_takes_the_arguments_it_is_given(self):
        lines = list(calls())
        source = self.write("calls.c", "#include <daedal/daedal.h>\nvoid calls(void);\n"
                            "void calls(void)\n{\n" + "\n".join(lines) + "\n}\n")
        self.compile(source, "-c", "-Wconversion", "-Wno-nonnull")
        self.assertGreater(len(lines), 60)

    def test_enumerators_have_their_numbers(self):
        for status, name in STATUSES.items():
            self.assertEqual(daedal._lib.dae_status_name(status).decode(), name)
        self.assertEqual(self.printed(['printf("%d\\n", DAE_VARIABLE_ALGEBRAIC);']),
                         [str(daedal._ALGEBRAIC)])

    def test_options_of_iterations_are_what_the_library_has(self):
        for name, method in daedal._methods().items():
            if method.iterates:
                size = daedal.ctypes.sizeof(daedal._s.dae_wave_options)
                self.assertEqual(method.options_size, size, name)


class Library(Folder):
    MODULE = os.path.join(SOURCES, "python", "daedal.py")
    SHOW = "import daedal; print(daedal._lib._name, daedal.version)"

    def test_version_is_that_of_the_library(self):
        self.assertEqual(daedal._lib.dae_version().decode(), daedal.version)

    def test_library_of_another_version_is_refused(self):
        source = self.write("other.c", """
            const char *dae_version(void);
            const char *dae_version(void) { return "9.8.7"; }
            """)
        other = self.compile(source, "-shared", "-fPIC")
        done = self.python("-c", self.SHOW, DAEDAL_LIBRARY=other,
                           PYTHONPATH=os.path.dirname(self.MODULE))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ImportError", done.stderr)
        self.assertIn("9.8.7", done.stderr)
        self.assertIn(daedal.version, done.stderr)

    def test_library_with_other_structs_is_refused(self):
        functions = set(daedal._prototypes(daedal._FUNCTIONS)) - {"dae_version", "dae_struct_size"}
        sizes = [f'  if (!strcmp(name, "{name}")) return {daedal.ctypes.sizeof(kind)};'
                 for name, kind in structs().items()]
        text = "#include <stddef.h>\n#include <string.h>\n" + "".join(
            f"void {name}(void) {{}}\n" for name in functions)
        text += f'const char *dae_version(void) {{ return "{daedal.version}"; }}\n'
        size = "size_t dae_struct_size(const char *name)\n{\n%s\n  return 0;\n}\n"
        for wrong, words in ((text, "undefined symbol"),
                             (text + size % "\n".join(sizes[1:]), "dae_error"),
                             (text + size % "\n".join(sizes), None)):
            other = self.compile(self.write("other.c", wrong), "-shared", "-fPIC")
            done = self.python("-c", self.SHOW, DAEDAL_LIBRARY=other,
                               PYTHONPATH=os.path.dirname(self.MODULE))
            if words is None:
                self.assertEqual(done.returncode, 0, done.stderr)
            else:
                self.assertIn("ImportError", done.stderr)
                self.assertIn(words, done.stderr)

    def test_library_that_is_not_there_is_named(self):
        done = self.python("-c", self.SHOW, DAEDAL_LIBRARY="/nowhere/libdaedal.so",
                           PYTHONPATH=os.path.dirname(self.MODULE))
        self.assertIn("ImportError", done.stderr)
        self.assertIn("/nowhere/libdaedal.so", done.stderr)

    def test_library_is_found_from_a_prefix_and_beside_the_file(self):
        real = os.path.realpath(daedal._lib._name)
        for module, library in (("share/daedal/python/daedal.py", "lib/libdaedal.so.0.2"),
                                ("python/daedal.py", "build/release/libdaedal.so"),
                                ("daedal.py", "libdaedal.so")):
            with self.subTest(module):
                folder = tempfile.mkdtemp(dir=self.folder)
                module, library = (os.path.join(folder, path) for path in (module, library))
                for path in (module, library):
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                shutil.copy(self.MODULE, module)
                os.symlink(real, library)
                done = self.python("-c", self.SHOW, DAEDAL_LIBRARY=None,
                                   PYTHONPATH=os.path.dirname(module))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(os.path.samefile(done.stdout.split()[0], library))
                self.assertIn(folder, os.path.abspath(done.stdout.split()[0]))


if __name__ == "__main__":
    unittest.main()
