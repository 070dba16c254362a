"""Links and paths that a page names lead somewhere."""

import os
import re

from blocks import Mistake

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)", re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
# `src/rk/advance.c`, `docs/methods/bdf.md`: folders of the project, without wildcards and placeholders
PATH = re.compile(r"`((?:bench|cli|cmake|completions|docs|editors|examples|include|python|reproduce|scripts|src"
                  r"|tests)/[\w./-]*)`")


def anchor(heading):
    """As GitHub forms it."""
    text = re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", ""))
    return text.replace(" ", "-")


def anchors_of(page):
    outside = re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE)
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", outside, re.MULTILINE)}


def check_link(target, path, page):
    if re.match(r"\w+:", target):
        return  # elsewhere: not ours to test
    name, _, part = target.partition("#")
    file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
    if name and not os.path.exists(file):
        raise Mistake(f"the link {target} leads nowhere")
    if part and file.endswith(".md"):
        if file != path:
            with open(file, encoding="utf-8") as other:
                page = other.read()
        if part not in anchors_of(page):
            raise Mistake(f"the link {target} leads to no heading")


def check_places(path, page, source):
    """path: of the page; page: its text; source: the root of the project."""
    for target in LINK.findall(page) + PICTURE.findall(page):
        check_link(target, path, page)
    for name in PATH.findall(page):
        if not os.path.exists(os.path.join(source, name)):
            raise Mistake(f"there is no {name}")
