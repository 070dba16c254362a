"""Commands that set the project itself up, build and test it. They cannot be run within the tests: what
they name must be there."""

import json
import os
import re
import shlex
import subprocess

from blocks import Mistake


def make(words, source):
    """Every target has a rule, and `make -n` can say how it is made."""
    targets = [word for word in words if "=" not in word and not word.startswith("-")]
    with open(os.path.join(source, "Makefile"), encoding="utf-8") as file:
        rules = set(re.findall(r"^([\w-]+):", file.read(), re.MULTILINE))
    for target in targets:
        if target not in rules:
            raise Mistake(f"the Makefile has no target {target}")
    dry = subprocess.run(["make", "-n", *words], cwd=source, capture_output=True, text=True, check=False)
    if dry.returncode != 0:
        raise Mistake(f"make -n {' '.join(words)}: {dry.stderr}")


def preset(words, source):
    """cmake and ctest: the preset is there, and so are the target and the label."""
    with open(os.path.join(source, "CMakePresets.json"), encoding="utf-8") as file:
        presets = json.load(file)
    known = {entry["name"] for kind in ("configurePresets", "buildPresets", "testPresets")
             for entry in presets[kind]}
    for option, value in zip(words, words[1:]):
        if option == "--preset" and value not in known:
            raise Mistake(f"CMakePresets.json has no preset {value}")
        if option == "--target":
            find_test(value, source)
        if option == "-L" and not os.path.isdir(os.path.join(source, "tests", value)):
            raise Mistake(f"there is no folder tests/{value}")
    if "--preset" not in words:
        raise Mistake("cmake and ctest are called with --preset here")


def find_test(name, source):
    for _, _, files in os.walk(os.path.join(source, "tests")):
        if name + ".c" in files:
            return
    raise Mistake(f"there is no test {name}")


COMMANDS = {"make": make, "cmake": preset, "ctest": preset}
TEST = re.compile(r"build/(?:dev|release)/tests/\w+/(\w+)")


def check_commands(text, source):
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if not words:
            continue
        test = TEST.fullmatch(words[0])
        if test:
            find_test(test.group(1), source)
        elif words[0] in COMMANDS:
            COMMANDS[words[0]](words[1:], source)
        else:
            raise Mistake(f"{words[0]}: not a command that sets up, builds or tests the project")
