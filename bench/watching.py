#!/usr/bin/env python3
"""What it costs to watch events and branches that stay away from their zeros, in instructions.

  watching.py DAEDAL EXAMPLES       DAEDAL: the command; EXAMPLES: the folder of its models
    --only NAME ...                 some cases

A case is a model with and without the events, or with branches that are guards and under noevent. Both run to two end times
without rows; the difference is the steps alone, without loading and start, counted by callgrind. The columns: instructions of the
steps without and with, and the second over the first less 1, beside the aim."""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import tempfile

FAR = "\nevent far: x - 100 rising\n"
LADDER = """model ladder "resistors and capacitors in a chain, with a branch at each node"
param N = 10000, R = 1, C = 1e-3, drop = 5
state u[1..N] = 0
C*u[1]' = (sin(2*pi*t) - u[1])/R - (u[1] - u[2])/R - BRANCH(u[1])
for i in 2..N-1 { C*u[i]' = (u[i-1] - u[i])/R - (u[i] - u[i+1])/R - BRANCH(u[i]) }
C*u[N]' = (u[N-1] - u[N])/R - BRANCH(u[N])
simulate to 1 rtol 1e-6
"""


def ladder(guarded):
    relation = r"max(\1 - drop, 0)"
    return re.sub(r"BRANCH\((u\[.*?\])\)", relation if guarded else f"noevent({relation})", LADDER)


def cases(examples):
    pendulum = (examples / "pendulum.dae").read_text()
    chain = (examples / "chain.dae").read_text().replace("N = 100,", "N = 300,")
    below = "\nfor i in 1..N { event below[i]: y[i] + 10 falling }\n"
    for method, aim in (("auto", 15), ("radau", 15), ("bdf-ggl", 20)):
        yield f"pendulum-{method}", pendulum, pendulum + FAR, method, (1, 200), aim
    yield "chain-auto", chain, chain + below, "auto", (0.02, 1), 10
    for method, aim in (("auto", 25), ("bdf", None)):
        yield f"ladder-{method}", ladder(False), ladder(True), method, (0.02, 20 if aim else 2), aim


def count(daedal, text, method, end, *more):
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder, "model.dae")
        model.write_text(text)
        run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", daedal, "run", str(model), "--method",
                              method, "--to", str(end), "--every", str(end), "--out", str(model.with_suffix(".csv")), "--quiet", *more],
                             capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(run.stderr)
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("daedal")
    arguments.add_argument("examples", type=pathlib.Path)
    arguments.add_argument("--only", nargs="+")
    given = arguments.parse_args()
    print(f"{'case':18} {'without':>14} {'with':>14}   more    aim")
    for name, without, watched, method, ends, aim in cases(given.examples):
        if given.only and name not in given.only:
            continue
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = [pool.submit(count, given.daedal, text, method, end) for text in (without, watched) for end in ends]
            a0, a1, b0, b1 = (r.result() for r in runs)
        more = (b1 - b0) / (a1 - a0) - 1
        print(f"{name:18} {a1 - a0:14} {b1 - b0:14} {more:6.1%} {f'{aim} %' if aim else '':>6}", flush=True)


if __name__ == "__main__":
    main()
