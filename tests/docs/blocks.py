"""The fenced blocks of a Markdown page, with what their info strings and the comments before them say.

    <!-- before: coord x = 1 -->        what a fragment needs around it: before, after
    ```dae fragment                     language, then words that say what is done with the block
    kinetic x'^2/2
    ```

A comment belongs to the block that follows it with nothing but blank lines and other comments between.
"""

import re
from dataclasses import dataclass, field


class Mistake(Exception):
    """What is wrong with a page, where it is said with its line."""


@dataclass
class Block:
    line: int  # of the opening fence, from 1
    language: str
    words: list  # the rest of the info string
    text: str  # lines between the fences, each with its newline
    notes: dict = field(default_factory=dict)  # of the comments before it: before, after, file, run

    def note(self, name):
        return self.notes.get(name, "")


NOTES = ("before", "after", "file", "run")
NOTE = re.compile(r"<!--\s*(\w+):[ \t]*\n?(.*?)\s*-->", re.DOTALL)


def take_comment(lines, at):
    """The comment that begins in line `at`, and the line after it."""
    end = at
    while "-->" not in lines[end]:
        end += 1
        if end == len(lines):
            raise Mistake(f"{at + 1}: the comment does not end")
    return "\n".join(lines[at : end + 1]), end + 1


def take_note(comment, line, notes):
    match = NOTE.fullmatch(comment.strip())
    if not match:
        return  # a remark
    name, text = match.groups()
    if name not in NOTES:
        raise Mistake(f"{line}: the comment says {name}, which is none of {', '.join(NOTES)}")
    notes[name] = text + "\n" if "\n" in text or name in ("before", "after") else text


def take_block(lines, at, notes):
    """The block whose opening fence is line `at`, and the line after its closing one."""
    info = lines[at][3:].split()
    if not info:
        raise Mistake(f"{at + 1}: the block has no info string, so that nobody knows how to test it")
    end = at + 1
    while end < len(lines) and lines[end] != "```":
        end += 1
    if end == len(lines):
        raise Mistake(f"{at + 1}: the block does not end")
    text = "".join(line + "\n" for line in lines[at + 1 : end])
    return Block(at + 1, info[0], info[1:], text, notes), end + 1


# commands that stand in an indented block escape the tests
INDENTED = re.compile(r"    (\$ |daedal |cc |cmake |make |pkg-config )")


def read_blocks(page):
    """All blocks of a page, in order."""
    lines, blocks, notes, at = page.split("\n"), [], {}, 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("<!--"):
            comment, after = take_comment(lines, at)
            take_note(comment, at + 1, notes)
            at = after
        elif line.startswith("```"):
            block, at = take_block(lines, at, notes)
            blocks.append(block)
            notes = {}
        else:
            if line.lstrip().startswith("```"):
                raise Mistake(f"{at + 1}: a fence that does not begin its line is not read by the tests")
            if INDENTED.match(line):
                raise Mistake(f"{at + 1}: a command without fences is not tested: put it into a block `sh`")
            if line.strip() and notes:
                raise Mistake(f"{at + 1}: the comment before this line says {', '.join(notes)}, "
                              "but no block follows it")
            at += 1
    return blocks
