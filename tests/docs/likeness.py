"""Whether a text shown in a page is what a program prints.

Words must be the same, in the same order, on the same lines; the space between them does not count.
Numbers must be near each other, since they differ from machine to machine in their last digits, and a
little from commit to commit:

    10 and 10.9          within a quarter of the larger one, whole numbers also within 2
    4e-16 and -3e-13     both below 1e-8: round-off and what comes near it
    0.01 s and 2.3 s     times are times

A line `...` stands for any lines, also for none; `...` at the end of a line for the rest of it. Curves in
braille dots, with the letters on them, are like any others: axes and numbers are compared.
"""

import re

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
DRAWN = re.compile(r"[a-z]?[\u2800-\u28ff](?:[\sa-z]*[\u2800-\u28ff])*[a-z]?")
TOKEN = re.compile(r"(?P<number>(?<![\w.])" + NUMBER.pattern + r"(?!\w))|(?P<word>\S)")

NEAR = 0.25
ROUND_OFF = 1e-8


def tokens(line):
    """[kind, text] of what a line consists of; letters that touch each other are one word."""
    found, end = [], 0
    for match in TOKEN.finditer(DRAWN.sub(" ", line)):
        kind = match.lastgroup
        touches = found and found[-1][0] == kind == "word" and match.start() == end
        if touches:
            found[-1][1] += match.group()
        else:
            found.append([kind, match.group()])
        end = match.end()
    return found


def near(shown, printed, is_time):
    if shown == printed or is_time:
        return True
    a, b = float(shown), float(printed)
    if max(abs(a), abs(b)) < ROUND_OFF:
        return True
    whole = all(re.fullmatch(r"[-+]?\d+", text) for text in (shown, printed))
    return abs(a - b) <= max(NEAR * max(abs(a), abs(b)), 2 if whole else 0)


def is_time(after):
    return bool(after) and after[0][1].rstrip(",;.)") in ("s", "ms")


def like(shown, printed):
    """Whether one line is like the other one."""
    shown, printed = tokens(shown), tokens(printed)
    if shown and shown[-1][1].endswith("..."):
        last = shown.pop()
        if last[1] != "...":
            shown.append([last[0], last[1][:-3]])
        printed = printed[: len(shown)]
    if len(shown) != len(printed):
        return False
    for i, ((kind, text), (other_kind, other)) in enumerate(zip(shown, printed)):
        if kind != other_kind:
            return False
        if kind == "number" and not near(text, other, is_time(printed[i + 1 :])):
            return False
        if kind == "word" and text != other:
            return False
    return True


def lines_of(text):
    return [line.rstrip() for line in text.rstrip("\n").split("\n")]


def difference(shown, printed):
    """None where the texts are alike, else what to tell."""
    if bool(DRAWN.search(shown)) != bool(DRAWN.search(printed)):
        return "only one of the texts shows a curve"
    shown, printed = lines_of(shown), lines_of(printed)
    reached = match_from(shown, printed)
    if reached is None:
        return None
    i, k = reached
    wanted = shown[i] if i < len(shown) else "nothing more"
    got = printed[k] if k < len(printed) else "nothing more"
    whole = "\n".join(f"    | {line}" for line in printed)
    return f"the page shows\n    {wanted}\nbut what is printed is\n    {got}\nin\n{whole}"


def match_from(shown, printed):
    """None where all lines match, else the furthest pair of lines that do not."""
    furthest = (0, 0)
    places = {0}  # lines printed that may come next
    for i, line in enumerate(shown):
        if line.strip() == "...":
            places = set(range(min(places), len(printed) + 1))
            continue
        furthest = (i, min(places))
        places = {k + 1 for k in places if k < len(printed) and like(line, printed[k])}
        if not places:
            return furthest
    return None if len(printed) in places else (len(shown), max(places))
