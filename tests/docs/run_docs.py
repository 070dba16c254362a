#!/usr/bin/env python3
"""Runs every block of a page of documentation: commands, models, programs, and compares what they print
with what the page shows.

    run_docs.py --source DIR --prefix DIR --work DIR [--cc CC] [--flags FLAGS] PAGE

source is the project, prefix an installed copy, work a folder for the page, which is emptied. PAGE is
relative to the project: a Markdown file, docs/daedal.1, or `help` for what the command says of itself.
"""

import argparse
import glob
import os
import shutil
import stat
import subprocess
import sys

from blocks import Mistake, read_blocks
from kinds import Page
from manual import help_blocks, manual_blocks
from places import check_places


class Place:
    """Where pages run: the project, the installed copy, and a PATH with both of its commands."""

    def __init__(self, arguments):
        self.source = os.path.abspath(arguments.source)
        self.prefix = os.path.abspath(arguments.prefix)
        self.work = os.path.abspath(arguments.work)
        self.strict = ["-std=c17", "-Wall", "-Wextra", "-Werror"]
        self.libraries = ["-ldaedal", "-lm"]
        libraries = os.path.dirname(self.find("libdaedal.so"))
        packages = os.path.dirname(self.find("daedal.pc"))
        tools = os.path.join(self.work, "tools")
        self.environment = dict(os.environ, PATH=f"{tools}:{self.prefix}/bin:{os.environ['PATH']}",
                                LC_ALL="C.UTF-8", COLUMNS="80", PREFIX=self.prefix, PKG_CONFIG_PATH=packages,
                                CMAKE_PREFIX_PATH=self.prefix, LD_LIBRARY_PATH=libraries,
                                DAEDAL_CACHE=os.path.join(self.work, "cache"))
        self.python = dict(PYTHONPATH=os.path.join(self.source, "python"),
                           DAEDAL_LIBRARY=os.path.join(libraries, "libdaedal.so"))
        if "address" in arguments.flags:  # the interpreter is built without: they have to be there first
            asan = subprocess.run([arguments.cc, "-print-file-name=libasan.so"], capture_output=True, text=True,
                                  check=True).stdout.strip()
            self.python.update(LD_PRELOAD=asan, ASAN_OPTIONS="detect_leaks=0")
        self.make_compiler(tools, f"{shutil.which(arguments.cc)} {arguments.flags} -I{self.prefix}/include -L{libraries}")

    def find(self, name):
        found = glob.glob(os.path.join(self.prefix, "**", name), recursive=True)
        if not found:
            sys.exit(f"{self.prefix} has no {name}: install there first")
        return found[0]

    def make_compiler(self, tools, command):
        """`cc`: the compiler that the library was built with, and its flags."""
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(tools)
        path = os.path.join(tools, "cc")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {command} "$@"\n')
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        self.environment["CC"] = path

    def folder(self):
        """A scratch folder with the examples."""
        folder = os.path.join(self.work, "page")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(os.path.join(self.source, "examples", "models"), folder)
        for program in glob.glob(os.path.join(self.source, "examples", "*.c")):
            shutil.copy(program, folder)
        return folder


def blocks_of(name, place):
    if name == "help":
        return help_blocks(place.environment)
    path = os.path.join(place.source, name)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if name.endswith(".1"):
        return manual_blocks(text)
    check_places(path, text, place.source)
    return read_blocks(text)


def run_page(name, place):
    """The number of blocks, and what is wrong with them."""
    mistakes = []
    blocks = blocks_of(name, place)
    page = Page(place, place.folder())
    for block in blocks:
        try:
            page.check(block)
        except Mistake as mistake:
            mistakes.append(f"{block.line}: {mistake}")
    return len(blocks), mistakes + page.left_over()


def options():
    parser = argparse.ArgumentParser()
    for name in ("source", "prefix", "work"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--flags", default="")
    return parser


def main():
    parser = options()
    parser.add_argument("page")
    arguments = parser.parse_args()
    try:
        count, mistakes = run_page(arguments.page, Place(arguments))
    except Mistake as mistake:
        count, mistakes = 0, [mistake]
    for mistake in mistakes:
        print(f"{arguments.page}:{mistake}")
    print(f"{arguments.page}: {count} blocks, {len(mistakes)} mistakes")
    return len(mistakes) > 0


if __name__ == "__main__":
    sys.exit(main())
