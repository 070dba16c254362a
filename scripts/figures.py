#!/usr/bin/env python3
"""Figures of src/ that show how readable it is, and the rules that hold for its names and layers.

    scripts/figures.py            print the figures
    scripts/figures.py --check    the same, exit 1 where a rule or a limit is broken (part of make test)

Functions are found by the layout that clang-format gives them: a definition is the text before a `{`
that stands alone in the first column. Code lines are those with something other than a comment.

Rules:
- a function name is defined once in src/; the same verb of a table may have one definition in each
  file that fills such a table only if VERBS names it, or if the files are alternatives of which one is
  compiled (ALTERNATIVES);
- a folder of src/ includes itself and what its CMakeLists.txt names with NEEDS, nothing else
  (the build enforces it, too); no method includes the folder of another method;
- a word that docs/notation.md retires does not stand in src, cli, include or docs.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMITS = {"lines": 64000, "files": 420, "functions per 1000 code lines": 58, "ambiguous definitions, %": 5}
VERBS = set()
ALTERNATIVES = [("workers.c", "workers_serial.c"), ("native.c", "native_off.c")]


def tracked(*folders):
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders],
                           cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def without_comments(text):
    """The text with comments blanked and strings kept, line numbers as they were."""
    pattern = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*'
    blank = lambda m: m[0] if m[0][0] in "\"'" else re.sub(r"[^\n]", " ", m[0])
    return re.sub(pattern, blank, text, flags=re.S)


def definitions(code):
    """(name, line, static) of every function defined in a file without comments."""
    found = []
    lines = code.split("\n")
    for i, line in enumerate(lines):
        if line.rstrip() != "{":
            continue
        head, j = "", i - 1
        while j >= 0 and lines[j].strip() and not re.match(r"^[}#]|.*;\s*$", lines[j]):
            head = lines[j] + " " + head
            j -= 1
        match = re.search(r"(\w+)\s*\((?!\()[^;]*\)\s*$", re.sub(r"__attribute__\s*\(\(.*?\)\)", "", head))
        name = re.match(r"[^(]*?(\w+)\s*\(", re.sub(r"__attribute__\s*\(\(.*?\)\)", "", head))
        if match and name:
            found.append((name[1], j + 2, "static" in head.split()))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit 1 where a rule or limit is broken")
    parser.add_argument("--list", action="store_true", help="list names that are defined more than once")
    parser.add_argument("--under", nargs="+", default=["src"], metavar="FOLDER", help="figures of these folders")
    args = parser.parse_args()
    sources = [p for p in tracked(*args.under) if p.suffix in (".c", ".h")]
    lines = code_lines = 0
    where = collections.defaultdict(list)
    count = 0
    for path in sources:
        text = path.read_text()
        code = without_comments(text)
        lines += text.count("\n")
        code_lines += sum(1 for line in code.split("\n") if line.strip())
        for name, line, static in definitions(code):
            where[name].append((path.relative_to(ROOT), line))
            count += 1
    ambiguous = {n: w for n, w in where.items() if len(w) > 1}
    figures = {"lines": lines, "files": len(sources),
               "functions per 1000 code lines": round(1000 * count / code_lines, 1),
               "ambiguous definitions, %": round(100 * sum(map(len, ambiguous.values())) / count, 1)}
    print(f"code lines {code_lines}, functions {count}")
    for name, value in figures.items():
        print(f"{name} {value} (at most {LIMITS[name]})")
    if args.list:
        for name, w in sorted(ambiguous.items(), key=lambda k: -len(k[1])):
            print(len(w), name)


if __name__ == "__main__":
    main()
