"""The examples of the manual page, and of what `daedal help` prints, as blocks to be run."""

import re
import subprocess

from blocks import Block, Mistake


def runnable(command):
    """A command as it can be run here: `new` finds no file of that name, long runs are cut short."""
    created = re.match(r"daedal new (\w+)", command)
    if created:
        return f"rm -f {created.group(1)}.dae\n{command}\n"
    if re.match(r"daedal reproduce \w", command):
        return check_paper(command.split())
    return re.sub(r"--to \de\d+", "--to 100", command) + "\n"


def check_paper(words):
    """Papers take long, and tests/cli runs them: here they have to be known."""
    paper, known = words[2], "$(daedal reproduce --names; echo all)"
    return f'echo "{known}" | grep -qx {paper}\n'


def manual_blocks(page):
    """`.Dl` lines of the section EXAMPLES."""
    head, _, examples = page.partition("\n.Sh EXAMPLES\n")
    examples = examples.partition("\n.Sh ")[0]
    first = head.count("\n") + 2
    blocks = [Block(first + i, "sh", [], runnable(line[4:])) for i, line in enumerate(examples.split("\n"))
              if line.startswith(".Dl ")]
    if not blocks:
        raise Mistake("1: the manual page has no examples")
    return blocks


def help_of(arguments, environment):
    done = subprocess.run(["daedal", "help", *arguments], env=environment, capture_output=True, text=True,
                          check=True)
    return done.stdout


def help_blocks(environment):
    """The lines below `Examples` of every command; the line of a block counts within its text."""
    blocks = []
    commands = help_of([], environment).partition("\nCommands\n")[2].partition("\n\n")[0]
    for command in re.findall(r"^  (\w+)", commands, re.MULTILINE):
        if command == "help":
            continue
        text, _, examples = help_of([command], environment).partition("\nExamples\n")
        if not examples:
            raise Mistake(f"1: daedal help {command} has no examples")
        first = text.count("\n") + 3
        lines = re.sub(r"\n    +", " ", examples).splitlines()  # a line that is indented goes on
        blocks += [Block(first + i, "sh", [], runnable(line.strip())) for i, line in enumerate(lines)]
    return blocks
