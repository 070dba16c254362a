"""What is done with a block of each kind. See docs/README.md for the conventions."""

import json
import os
import re
import subprocess

from blocks import Mistake
from commands import check_commands
from interpreter import Interpreter
from likeness import difference

LONGEST = 200  # seconds a block may take


def first_words(line, count=1):
    return " ".join(line.split()[:count])


class Page:
    """A page at work: its scratch folder, and what was printed last."""

    def __init__(self, place, folder):
        self.place = place  # see run_docs.py
        self.folder = folder
        self.printed = None  # by the block before, None where nothing was run
        self.awaited = {}  # files that a model is to import, with the line of their block
        self.parts = {}  # programs that are shown in parts: what there is of them
        self.interpreter = None  # of Python, where there is any

    # ---- running ----

    def execute(self, command, status=0, folder=None, text=None):
        """Runs a command with its output in self.printed; anything but this exit status is a mistake."""
        try:
            done = subprocess.run(command, cwd=folder or self.folder, env=self.place.environment, input=text,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LONGEST,
                                  encoding="utf-8", errors="replace")
        except subprocess.TimeoutExpired:
            raise Mistake(f"did not end within {LONGEST} s: {command}") from None
        self.printed = done.stdout
        if done.returncode != status:
            shown = " ".join(command) if text is None else text
            raise Mistake(f"exit status {done.returncode}, not {status}, of\n{shown}\n{done.stdout}")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    # ---- commands ----

    def sh(self, block):
        if block.words == ["make"]:
            check_commands(block.text, self.place.source)
            self.printed = None
            return
        status = 0
        if block.words[:1] == ["exit"] and len(block.words) == 2:
            status = int(block.words[1])
        elif block.words:
            raise Mistake(f"a block `sh` may say `make` or `exit N`, not {' '.join(block.words)}")
        self.execute(["sh", "-e"], status, text=block.text)

    def text(self, block):
        """What the block before it printed, or the command in a comment."""
        if block.words:
            raise Mistake("a block `text` has no further words")
        if block.note("run"):
            self.execute(["sh"], text=block.note("run") + "\n")
        if self.printed is None:
            raise Mistake("no command stands before this text; a figure or formula is indented, not fenced")
        told = difference(block.text, self.printed)
        if told:
            raise Mistake(told)

    # ---- models ----

    def dae(self, block):
        head = first_words(block.text, 2)
        kind = " ".join(block.words)
        if kind == "fragment":
            self.fragment_of_model(block)
        elif kind == "error":
            self.wrong_model(block)
        elif kind:
            raise Mistake(f"a block `dae` may say `fragment` or `error`, not {kind}")
        elif head.startswith("# ") and head.endswith(".dae"):
            self.awaited[head[2:]] = block.line
            self.write(head[2:], block.text)
        else:
            self.run_model(self.write(f"{name_of(block.text)}.dae", block.text), block.text)

    def run_model(self, path, text):
        for name in re.findall(r'^import "(.*)"', text, re.MULTILINE):
            self.awaited.pop(name, None)
        self.execute(["daedal", "check", path])
        if re.search(r"^simulate\b.*\bto\b", text, re.MULTILINE):
            self.execute(["daedal", "run", path, "--quiet", "--out", path + ".csv"])
        self.printed = None  # nobody asked for it

    def fragment_of_model(self, block):
        text = block.note("before") + block.text + block.note("after")
        if not text.startswith("model "):
            text = "model fragment\n" + text
        self.run_model(self.write(f"fragments/line{block.line}.dae", text), text)

    def wrong_model(self, block):
        name = name_of(block.text) + ".dae"
        path = self.write(os.path.join(f"wrong{block.line}", name), block.text)
        self.execute(["daedal", "check", name], 2, folder=os.path.dirname(path))

    # ---- programs ----

    def c(self, block):
        kind = " ".join(block.words)
        if kind == "fragment":
            before = "#include <daedal/daedal.h>\n" + block.note("before")
            path = self.write(f"fragments/line{block.line}.c", before + block.text + block.note("after"))
            self.execute(["cc", *self.place.strict, "-Wno-unused", "-fsyntax-only", path])
            self.printed = None
        elif block.words[:2] == ["part", "of"] and len(block.words) == 3:
            self.part(block.words[2], block)
        elif kind:
            raise Mistake(f"a block `c` may say `fragment`, `part of FILE` or `excerpt of FILE`, not {kind}")
        else:
            name = block.note("file") or f"line{block.line}.c"
            path, program = self.write(name, block.text), os.path.join(self.folder, name[:-2])
            self.execute(["cc", *self.place.strict, path, "-o", program, *self.place.libraries])
            self.execute([program])

    def part(self, name, block):
        """Parts of a file follow each other; with `int main` it is a whole program."""
        text = (self.parts.get(name) or "") + block.text
        path = self.write(name, text)
        if re.search(r"^int main\(", text, re.MULTILINE):
            self.execute(["cc", *self.place.strict, path, "-o", os.devnull, *self.place.libraries])
            text = None
        self.parts[name] = text
        self.printed = None

    def cmake(self, block):
        """A CMakeLists.txt, with which programs of the page are built."""
        self.write("CMakeLists.txt", block.text)
        self.execute(["cmake", "-S", ".", "-B", "by_cmake"])
        self.execute(["cmake", "--build", "by_cmake"])
        self.printed = None

    def python(self, block):
        """All blocks of a page are run by one interpreter."""
        if not self.interpreter:
            environment = dict(self.place.environment, **self.place.python)
            self.interpreter = Interpreter(self.folder, environment, LONGEST)
        self.printed, good = self.interpreter.run(block.text)
        if not good:
            raise Mistake(f"this Python ends with\n{self.printed}")

    # ---- the rest ----

    def json(self, block):
        try:
            json.loads(block.text)
        except ValueError as error:
            raise Mistake(str(error)) from None
        self.printed = None

    def excerpt(self, block):
        """The text stands in a file of the project as it is."""
        path = os.path.join(self.place.source, block.words[2])
        if not os.path.isfile(path):
            raise Mistake(f"there is no {block.words[2]}")
        with open(path, encoding="utf-8") as file:
            if block.text not in file.read():
                raise Mistake(f"this does not stand in {block.words[2]}")
        self.printed = None

    def check(self, block):
        if block.words[:2] == ["excerpt", "of"] and len(block.words) == 3:
            return self.excerpt(block)
        if block.language not in ("sh", "text", "dae", "c", "cmake", "python", "json"):
            raise Mistake(f"nobody knows how to test a block {block.language}")
        return getattr(self, block.language)(block)

    def left_over(self):
        """What was begun and led nowhere."""
        if self.interpreter:
            self.interpreter.close()
        awaited = [f"{line}: no model of the page imports {name}" for name, line in self.awaited.items()]
        return awaited + [f"1: {name} has no main" for name, text in self.parts.items() if text is not None]


def name_of(model):
    match = re.match(r"(?:#.*\n|\s)*model (\w+)", model)
    if not match:
        raise Mistake("a whole model begins with `model NAME`; else it is a `dae fragment`")
    return match.group(1)
