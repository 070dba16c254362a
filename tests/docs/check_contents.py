#!/usr/bin/env python3
"""The documentation is complete: every method has its page, every symbol of the interface its line, every
page its place in the index.

    check_contents.py --source DIR --prefix DIR --work DIR
"""

import glob
import json
import os
import re
import subprocess
import sys
import unittest

from run_docs import Place, options


def comment_free(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def members(header, struct):
    """Names of the members of a struct: numbers, pointers, callbacks."""
    body = re.search(r"typedef struct " + struct + r" \{(.*?)\n\} " + struct + ";", comment_free(header),
                     re.DOTALL)
    names = set()
    for line in body.group(1).split(";"):
        callback = re.search(r"\(\*(\w+)\)", line)
        names |= {callback.group(1)} if callback else set(re.findall(r"(\w+)\s*(?=,|$)", line.strip()))
    return names


DERIVATIVE = re.compile(r"_(t|in|q|v|qv|x|y|z|psi|lambda)$")  # a suffix that notation.md explains once for all


class Contents(unittest.TestCase):
    place = None  # set below

    def read(self, *path):
        with open(os.path.join(self.place.source, *path), encoding="utf-8") as file:
            return file.read()

    def pages(self, *folder):
        """Paths of the pages below a folder."""
        return glob.glob(os.path.join(self.place.source, *folder, "**", "*.md"), recursive=True)

    def methods(self):
        """Text of all pages on methods."""
        return "\n".join(self.read(path) for path in self.pages("docs", "methods"))

    def daedal(self, *arguments):
        return subprocess.run(["daedal", *arguments], env=self.place.environment, capture_output=True,
                              text=True, check=True).stdout

    def test_every_method_is_explained(self):
        """By name, in a heading or a table of a page of docs/methods."""
        lines = [line for line in self.methods().split("\n") if line[:1] in ("#", "|")]
        words = set(re.findall(r"[\w-]+", "\n".join(lines)))
        methods = self.daedal("methods", "--names").split()
        self.assertGreater(len(methods), 20)
        self.assertEqual([name for name in methods if name not in words], [])

    def test_every_option_of_a_method_is_explained(self):
        """On a page of docs/methods, as a word between backticks; `-` and `_` are the same."""
        quoted = re.findall(r"`([^`\n]+)`", self.methods().replace("_", "-"))
        told = set(re.findall(r"[\w-]+", " ".join(quoted)))
        options_of = {option for method in self.daedal("methods", "--names").split()
                      for option in self.daedal("methods", method, "--names").split()}
        self.assertEqual(sorted(options_of - told), [])

    def test_notation_has_every_symbol_of_the_problem_forms(self):
        told = set(re.findall(r"[A-Za-z]\w*", " ".join(re.findall(r"`([^`]+)`", self.read("docs", "notation.md")))))
        words = {"user", "name", "index", "energy", "energy_rate", "eval", "accelerate", "constant_mass", "time_free_g", "conservative",
                 "time_free"}  # options and statistics are words
        for file, structs in {"mechanical": ["dae_mechanical_at", "dae_mechanical_wanted", "dae_mechanical"],
                              "semi_explicit": ["dae_semi_explicit_at", "dae_semi_explicit"],
                              "momentum": ["dae_momentum_at", "dae_momentum"]}.items():
            header = self.read("include", "daedal", file + ".h")
            for struct in structs:
                symbols = {name for name in members(header, struct) if not re.search(r"_(names|pattern)$", name)}
                self.assertGreater(len(symbols), 2)
                missing = {name for name in symbols - words - told if DERIVATIVE.sub("", name) not in told}
                self.assertEqual(sorted(missing), [], struct)

    def test_every_enumerator_is_explained(self):
        """Doxygen does not look at them before version 1.9.7."""
        count = 0
        for path in glob.glob(os.path.join(self.place.source, "include", "daedal", "*.h")):
            for name, body in re.findall(r"typedef enum (\w+) \{\n(.*?)\n\}", self.read(path), re.DOTALL):
                words = re.sub(r"#.*", "", body)  # lists are explained by their texts
                values = re.findall(r"\bDAE_\w+(?=,|\s*/\*|\s*$)", re.sub(r"/\*.*?\*/", "", words, flags=re.DOTALL))
                self.assertEqual(len(values), words.count("/**<"), f"{path}: {name}")
                count += len(values)
        self.assertGreater(count, 50)

    def test_every_page_stands_in_the_index(self):
        index = self.read("docs", "README.md")
        for path in self.pages("docs"):
            name = os.path.relpath(path, os.path.join(self.place.source, "docs"))
            if name != "README.md":
                self.assertIn(f"]({name})", index)

    def test_every_key_that_is_cited_is_in_the_references(self):
        keys = set(re.findall(r"^@\w+\{(\w+),", self.read("docs", "references.bib"), re.MULTILINE))
        self.assertGreater(len(keys), 5)
        for path in self.pages("docs"):
            cited = re.findall(r"\[([A-Z]+\d\d)\b", self.read(path))
            self.assertEqual(sorted(set(cited) - keys), [], path)

    def test_files_of_editors_are_json(self):
        files = glob.glob(os.path.join(self.place.source, "editors", "vscode", "**", "*.json"), recursive=True)
        self.assertEqual(len(files), 3)
        for path in files:
            with open(path, encoding="utf-8") as file:
                json.load(file)


if __name__ == "__main__":
    Contents.place = Place(options().parse_args())
    unittest.main(argv=sys.argv[:1])
