#!/usr/bin/env python3
"""Figures of src/ that show how readable it is, and the rules that hold for its names and layers.

    scripts/figures.py                     print the figures
    scripts/figures.py --under FOLDER ...  of single folders
    scripts/figures.py --check             the same, exit 1 where a rule is broken (part of make test)

A function is found by the layout that clang-format gives it: the text before a `{` that stands alone
in the first column. Code lines hold something other than a comment.

Rules:
- A function name is defined once in src/. Exempt are the public verbs that stand in both of two
  files of which the build takes one (ALTERNATIVES).
- A layer includes itself and the layers that its CMakeLists.txt names after NEEDS; a one-step method
  needs no other method's folder (METHOD_FOLDERS), except where all are constructed (CONSTRUCTORS).
- A retired word (docs/notation.md, "Retired words") stands nowhere in src, cli, include and docs.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent  # tests/tree sets another one
ALTERNATIVES = [{"workers.c", "workers_serial.c"}, {"native.c", "native_off.c"}, {"urdf.c", "urdf_off.c"}]
METHOD_FOLDERS = re.compile(r"onestep/(?!host$)\w+$|multistep$")
CONSTRUCTORS = {"onestep/methods", "run"}
DEPRECATED_NAMES = {"energy_settled"}  # public names with an alias (docs/compatibility.md)


def tracked(*folders):
    """Files below these folders that git tracks, or would."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *folders]
    if not (ROOT / ".git").exists():  # an unpacked archive
        return sorted(path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in names.split("\n") if name and (ROOT / name).is_file()]


def without_comments(text):
    """The text with comments blanked, strings and line numbers as they were."""
    pattern = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*'
    blank = lambda m: m[0] if m[0][0] in "\"'" else re.sub(r"[^\n]", " ", m[0])
    return re.sub(pattern, blank, text, flags=re.S)


def definitions(code):
    """(name, line, static) of every function defined in a text without comments."""
    found = []
    lines = code.split("\n")
    for i, line in enumerate(lines):
        if line.rstrip() != "{":
            continue
        head, first = "", i
        while first > 0 and lines[first - 1].strip() and not re.match(r"^[}#]|.*;\s*$", lines[first - 1]):
            first -= 1
            head = lines[first] + " " + head
        head = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", head)
        name = re.match(r"[^(]*?(\w+)\s*\(", head)
        if name and head.rstrip().endswith(")"):
            found.append((name[1], first + 1, "static" in head.split()))
    return found


def layers():
    """Layer -> the layers it may include, from the lists of the build."""
    needs = {}
    for path in tracked("src"):
        if path.name == "CMakeLists.txt":
            for call in re.findall(r"daedal_layer\(([^)]*)\)", path.read_text()):
                words = call.split("SOURCES")[0].split()
                needs[words[0]] = set(words[2:]) | {words[0]}
    return needs


def check_layers(mistakes):
    needs = layers()
    layer_of = lambda path: max((n for n in needs if path.startswith(n + "/")), key=len, default="")
    for layer, allowed in needs.items():
        others = {n for n in allowed - {layer} if METHOD_FOLDERS.search(n)}
        if METHOD_FOLDERS.search(layer) and layer not in CONSTRUCTORS and others:
            mistakes.append(f"src/{layer} needs the folder of another method: {', '.join(sorted(others))}")
    for path in tracked("src"):
        if path.suffix not in (".c", ".h"):
            continue
        own = path.relative_to(ROOT / "src").as_posix()
        for line, text in enumerate(path.read_text().split("\n"), 1):
            include = re.match(r'#include "([\w/]+\.h)"', text)
            if include and layer_of(include[1]) not in needs.get(layer_of(own), set()):
                mistakes.append(f"src/{own}:{line}: {layer_of(own)} does not name {include[1]} in its NEEDS")


def retired_words():
    """The words of the section "Retired words" of docs/notation.md, as one pattern."""
    text = (ROOT / "docs" / "notation.md").read_text()
    section = text.split("\n## Retired words\n")[1].split("\n## ")[0]
    words = re.findall(r"^\| `([^`]+)`", section, re.M)
    forms = {"arrive": "arriv(?:es?|ed|ing|als?)", "settle": "settl(?:es?|ed|ing)", "crawl": "crawl(?:s|ed|ing)?",
             "blame": "blam(?:es?|ed|ing)", "march": "march(?:es|ed|ing)?", "foresee": "fores(?:ees?|een|aw|eeing)",
             "furnish": "furnish(?:es|ed|ing)?", "glance": "glanc(?:es?|ed|ing)", "swift": "swift(?:ly)?",
             "sketch": "sketch(?:es|ed|ing)?", "account": "(?<!into )(?<!on )accounts?(?! for\\b)"}
    # letters and digits end a word, underscores do not: gauss_foresee is refused, too
    return re.compile(r"(?<![A-Za-z0-9])(?:" + "|".join(forms.get(w, w) for w in words) + r")(?![A-Za-z0-9])", re.I)


def check_words(mistakes):
    pattern = retired_words()
    for path in tracked("src", "cli", "include", "docs"):
        if path.suffix in (".png", ".bib", ".json", ".css", ".js"):
            continue
        text = path.read_text()
        if path.name == "notation.md":
            text = re.sub(r"\n## (?:Glossary|Retired words)\n.*?(?=\n## )", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
        for line, content in enumerate(text.split("\n"), 1):
            for name in DEPRECATED_NAMES:
                content = content.replace(name, "")
            word = pattern.search(content)
            if word:
                mistakes.append(f"{path.relative_to(ROOT)}:{line}: the word '{word[0]}' is retired "
                                "(docs/notation.md has the field's term)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit 1 where a rule is broken")
    parser.add_argument("--under", nargs="+", default=["src"], metavar="FOLDER", help="figures of these folders")
    args = parser.parse_args()

    lines = code_lines = count = files = 0
    places = collections.defaultdict(list)
    for path in tracked(*args.under):
        if path.suffix not in (".c", ".h"):
            continue
        text = path.read_text()
        code = without_comments(text)
        files += 1
        lines += text.count("\n")
        code_lines += sum(1 for line in code.split("\n") if line.strip())
        for name, line, _ in definitions(code):
            places[name].append((path, line))
            count += 1
    ambiguous = {name: where for name, where in places.items()
                 if len(where) > 1 and {path.name for path, _ in where} not in ALTERNATIVES}
    figures = {"lines": lines, "files": files,
               "functions per 1000 code lines": 1000 * count / max(code_lines, 1),
               "ambiguous definitions, %": 100 * sum(map(len, ambiguous.values())) / max(count, 1)}

    mistakes = [f"{where[1][0].relative_to(ROOT)}:{where[1][1]}: {name} is defined in "
                f"{where[0][0].relative_to(ROOT)}, too" for name, where in sorted(ambiguous.items())]
    if args.check:
        check_layers(mistakes)
        check_words(mistakes)
    print(f"code lines {code_lines}, functions {count}")
    for name, value in figures.items():
        print(f"{name} {value:g}" if isinstance(value, int) else f"{name} {value:.1f}")
    for mistake in mistakes:
        print(mistake)
    print(f"{len(mistakes)} mistakes")
    sys.exit(1 if args.check and mistakes else 0)


if __name__ == "__main__":
    main()
