#!/usr/bin/env python3
"""Checks every citation of the tree, such as [YP96 (2.19)] or [L13, example 1].

    scripts/citations.py          print the number of citations of each key
    scripts/citations.py --check  the same, exit 1 after a wrong citation (part of make test)

- A key stands in docs/references.bib.
- Equations, sections, tables, figures, theorems and so on of the five papers that daedal implements
  exist (PAPERS); a number needs its kind: "(2.19)" is an equation, "section 2" a section.
- The recorded verdicts of `daedal reproduce` (reproduce/records.c) are on items that exist.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["src", "cli", "include", "docs", "reproduce", "examples", "tests", "bench", "python", "editors", "scripts",
           "README.md", "CHANGELOG.md", "CONTRIBUTING.md"]
EXEMPT = {"scripts/citations.py", "tests/tree/test_citations.py"}


def numbers(text):
    """"1-3 2.1-2.4" as a set of numbers."""
    found = set()
    for item in text.split():
        first, _, last = item.partition("-")
        if not last:
            found.add(first)
            continue
        head, _, low = first.rpartition(".")
        high = last.rpartition(".")[2]
        found |= {f"{head}.{k}" if head else str(k) for k in range(int(low), int(high) + 1)}
    return found


def paper(**kinds):
    return {kind: numbers(text) for kind, text in kinds.items()}


# What the papers number. Sections without a number in the text of a paper are left out.
PAPERS = {
    "WHM11": paper(equation="1-73", section="1-8", table="1-4"),
    "E07": paper(equation="1-28", section="1-4 2.1 2.1.1-2.1.2", table="1", figure="1", theorem="3.1 3.4",
                 lemma="2.1 2.3", corollary="2.4", remark="2.2 2.5 3.2-3.3 3.5-3.6", example="3.7"),
    "L13": paper(equation="1-50", section="1-6", figure="1-4", example="1-4"),
    "J09": paper(equation="1-7", section="1-2 2.1-2.2"),
    "YP96": paper(equation="1.1-1.5 2.1-2.35 3.1-3.11 4.1-4.11 5.1-5.2", section="1-5 2.1-2.4 3.1-3.3 5.1-5.2",
                  table="5.1-5.4", figure="5.1-5.6", theorem="3.1 4.1-4.2", lemma="2.1-2.2 3.1 4.1",
                  definition="2.1", remark="2.1-2.2 3.1", algorithm="2.1 3.1"),
}

KIND = "section|table|figure|theorem|lemma|corollary|remark|example|algorithm|definition|equation"
PART = re.compile(rf"\((?P<equation>\d+(?:\.\d+)*)[a-z]?\)|\b(?P<kind>{KIND})s?\b|\b(?:and|to)\b|(?P<word>[a-z]+)"
                  r"|(?P<number>\d+(?:\.\d+)*)", re.IGNORECASE)
CITATION = re.compile(r"\[((?:[A-Z]+\d{2}|DASSL)(?![\w_])[^\]]*)\]")


def keys():
    text = (ROOT / "docs/references.bib").read_text()
    return set(re.findall(r"^@\w+\{(\w+),", text, flags=re.M))


def mistakes_of(key, rest):
    """What is wrong with the words after a key; nothing for papers without a list."""
    known, kind, found = PAPERS.get(key), None, []
    if known is None:
        return []
    for part in PART.finditer(rest):
        if part["kind"] or part["word"]:  # numbers after other words are not the paper's
            kind = part["kind"].lower() if part["kind"] else "other"
        if not part["equation"] and not part["number"] or not part["equation"] and kind == "other":
            continue
        number = part["equation"] or part["number"]
        of = "equation" if part["equation"] else kind
        if of is None:
            found.append(f"{key}: the number {number} lacks its kind")
        elif number not in known.get(of, set()):
            found.append(f"{key} has no {of} {number}")
    return found


def check_text(text, bibliography):
    """(citation, mistakes) of every citation in a text. Several keys are separated by commas."""
    for match in CITATION.finditer(text):
        words = re.sub(r"\s*\n[\s*#]*", " ", match[1])
        # parts with a key of their own: [E07 Lemma 2.1, WHM11]
        parts = re.split(r",\s*(?=(?:[A-Z]+\d{2}|DASSL)\b)", words)
        found = []
        for part in parts:
            key = re.match(r"\w+", part)[0]
            if key not in bibliography:
                found.append(f"{key} is not in docs/references.bib")
            found += mistakes_of(key, part[len(key):])
        yield match.start(), [re.match(r"\w+", part)[0] for part in parts], f"[{words}]", found


def check_records(text):
    for key, block in re.findall(r"rep_record (\w+)_records\[\] = \{(.*?)\n\};", text, flags=re.S):
        for item in re.findall(r'\{"([^"]*)"', block):
            for mistake in mistakes_of(key.upper(), re.split(r",", item)[0]):
                yield item, mistake


def tracked():
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *FOLDERS]
    if not (ROOT / ".git").exists():  # an unpacked archive
        files = [path for folder in FOLDERS for path in ([ROOT / folder] if (ROOT / folder).is_file()
                                                         else (ROOT / folder).rglob("*")) if path.is_file()]
    else:
        names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
        files = [ROOT / name for name in names if name and (ROOT / name).is_file()]
    return [path for path in files if str(path.relative_to(ROOT)) not in EXEMPT]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    bibliography, counts, wrong = keys(), collections.Counter(), 0
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for start, cited, citation, found in check_text(text, bibliography):
            counts.update(cited)
            for mistake in found:
                wrong += 1
                print(f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, start) + 1}: {citation}: {mistake}")
    records = ROOT / "reproduce/records.c"
    for item, mistake in check_records(records.read_text()):
        wrong += 1
        print(f"reproduce/records.c: {item}: {mistake}")
    print(f"{sum(counts.values())} citations, {wrong} mistakes: "
          + ", ".join(f"{key} {count}" for key, count in counts.most_common()))
    return 1 if options.check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
