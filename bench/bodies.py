#!/usr/bin/env python3
"""What bodies and joints cost beside hand-reduced coordinates, and how they grow with their number.

  bodies.py DAEDAL EXAMPLES         DAEDAL: the command; EXAMPLES: the folder of its models
    --only NAME ...                 some pairs or chains
    --rtol 1e-4,1e-6,1e-8           tolerances of auto
    --seconds                       CPU seconds in place of instructions, without valgrind
    --check                         only whether the pairs are the same motion

A pair is a machine by bodies, NAME.dae of bench/bodies or EXAMPLES, and in reduced coordinates, bench/bodies/NAME_reduced.dae. Both
have the same outputs, whose values at the end have to agree. A machine in space has a second pair, NAME_relative, with relative joints,
but for those whose force or torque is read. The columns: cost of the steps of either in the last nine tenths of
the run (by callgrind; seconds: of the whole run, best of several), then bodies over reduced: cost, cost of native code (--jit), steps, evaluations; last
the errors of the outputs at the end, of either, beside the reduced model at 1e-12.
A chain is a model with N bodies. The columns: CPU seconds of loading, start and a first step, and of one further step, each with
its growth: that of time over that of N, 1 if it is linear."""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import re
import resource
import subprocess
import tempfile

import watching

HERE = pathlib.Path(__file__).resolve().parent / "bodies"
CHAINS, SIZES = ("rope", "tree", "ring"), (10, 100, 1000)
ROUNDS = 5
START = 1e-6  # share of the run that stands for loading, start and a first step
LATER = 0.1  # share of a run that is not counted: where it ends in the start, drives that begin slowly take costly steps
AGREE = 1e-7  # of outputs, relative to 1 + their size, at a tolerance of a hundredth


def with_relative_joints(text):
    """The same machine with the word relative at its joints, but for those whose force or torque is read."""
    read = set(re.findall(r"(\w+)\.(?:force|torque)\b", text))
    joint = re.compile(r"^( *(?:revolute|prismatic|cylindrical|universal|spherical|planar|weld) +(\w+).*)$", re.M)
    return joint.sub(lambda m: m.group(1) + ("" if m.group(2) in read else " relative"), text)


def pairs(examples):
    """Names with the texts by bodies and in reduced coordinates."""
    for reduced in sorted(HERE.glob("*_reduced.dae")):
        name = reduced.stem.removesuffix("_reduced")
        ours = HERE / f"{name}.dae"
        text = (ours if ours.exists() else examples / ours.name).read_text()
        yield name, text, reduced.read_text()
        relative = with_relative_joints(text)
        if relative != text and re.search(r"^gravity \([^,\n]*,[^,\n]*,[^,\n]*\)", text, re.M):
            yield name + "_relative", relative, reduced.read_text()


def end_of(text):
    return float(re.search(r"^simulate to (\S+)", text, re.M).group(1))


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(daedal, text, end, *options):
    """Summary, values at the end, and CPU seconds of a run without rows in between."""
    with tempfile.TemporaryDirectory() as folder:
        model, rows, summary = (pathlib.Path(folder, f"model.{s}") for s in ("dae", "csv", "json"))
        model.write_text(text)
        before = children_seconds()
        done = subprocess.run([daedal, "run", str(model), "--to", str(end), "--every", str(end), "--out", str(rows), "--json", str(summary),
                               "--quiet", *options], capture_output=True, text=True)
        seconds = children_seconds() - before
        if done.returncode:
            raise SystemExit(f"{text.splitlines()[0]}: {done.stderr}")
        last = list(csv.DictReader(rows.read_text().splitlines()))[-1]
        return json.loads(summary.read_text()), {k: float(v) for k, v in last.items() if k != "t"}, seconds


def difference(ours, theirs):
    """Largest difference of the columns of both, relative to 1 + their size."""
    both = ours.keys() & theirs.keys()
    if not both:
        raise SystemExit("a pair has no output in common")
    return max(abs(ours[k] - theirs[k]) / (1 + abs(theirs[k])) for k in both)


def disagreement(daedal, text, reduced):
    """Of the values at the end, by bodies and in reduced coordinates."""
    tight = ("--rtol", str(AGREE / 100))
    ends = [run(daedal, t, end_of(reduced), *tight)[1] for t in (text, reduced)]
    return difference(*ends)


def cost(daedal, text, end, seconds, *options):
    """Instructions, or seconds, of the steps to the end."""
    if seconds:
        return min(run(daedal, text, end, *options)[0]["seconds"] for _ in range(ROUNDS))
    run(daedal, text, end, *options)  # native code is compiled here
    return watching.count(daedal, text, "auto", end, *options) - watching.count(daedal, text, "auto", end * LATER, *options)


def measure_pair(daedal, text, reduced, rtol, seconds):
    """Costs interpreted and native, steps, evaluations and errors: each by bodies and reduced."""
    end, options = end_of(reduced), ("--rtol", str(rtol))
    reference = run(daedal, reduced, end, "--rtol", "1e-12")[1]
    for t in (text, reduced):
        summary, last, _ = run(daedal, t, end, *options)
        yield (cost(daedal, t, end, seconds, *options), cost(daedal, t, end, seconds, "--jit", *options),
               summary["stats"]["steps"], summary["stats"]["evaluations"], difference(last, reference))


def print_pairs(daedal, some, tolerances, seconds):
    unit = "seconds" if seconds else "1e6 instr."
    print(f"{'pair':18} {'rtol':>6} {unit:>12} {'reduced':>10} {'ratio':>7} {'native':>7} {'steps':>6} {'eval.':>6}   errors")
    scale = 1 if seconds else 1e6
    # times of runs beside each other would disturb each other
    with concurrent.futures.ThreadPoolExecutor(1 if seconds else os.cpu_count()) as pool:
        runs = [(name, rtol, pool.submit(lambda *a: list(measure_pair(*a)), daedal, text, reduced, rtol, seconds))
                for name, text, reduced in some for rtol in tolerances]
        for name, rtol, result in runs:
            ours, theirs = result.result()
            ratios = [a / b for a, b in zip(ours[:4], theirs)]
            print(f"{name:18} {rtol:6.0e} {ours[0] / scale:12.4g} {theirs[0] / scale:10.4g} {ratios[0]:7.1f} {ratios[1]:7.1f} {ratios[2]:6.2f} "
                  f"{ratios[3]:6.2f}   {ours[4]:.1e} {theirs[4]:.1e}", flush=True)


def measure_chain(daedal, name, bodies):
    """CPU seconds until the first step is taken, and of a further step; steps and evaluations."""
    text = (HERE / f"{name}.dae").read_text()
    end, options = end_of(text), ("--set", f"N={bodies}")
    first = min((run(daedal, text, end * START, *options) for _ in range(ROUNDS)), key=lambda r: r[2])
    whole = min((run(daedal, text, end, *options) for _ in range(ROUNDS)), key=lambda r: r[2])
    before, stats = first[0]["stats"], whole[0]["stats"]
    return first[2], (whole[2] - first[2]) / (stats["steps"] - before["steps"]), stats["steps"], stats["evaluations"]


def print_chains(daedal, names, sizes=SIZES):
    print(f"{'chain':10} {'bodies':>6} {'to the start':>12} {'growth':>7} {'ms a step':>10} {'growth':>7} {'steps':>6} {'eval.':>6}")
    for name in names:
        last = None
        for n in sizes:
            ready, step, steps, evaluations = measure_chain(daedal, name, n)
            growth = [now / before * last[0] / n if before > 0 else math.nan for now, before in zip((ready, step), last[1:])] if last else []
            shown = [f"{g:.2f}" for g in growth] or ["", ""]
            print(f"{name:10} {n:6} {ready:12.3f} {shown[0]:>7} {1e3 * step:10.2f} {shown[1]:>7} {steps:6} {evaluations:6}", flush=True)
            last = (n, ready, step)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("daedal")
    arguments.add_argument("examples", type=pathlib.Path)
    arguments.add_argument("--only", nargs="+")
    arguments.add_argument("--rtol", default="1e-4,1e-6,1e-8")
    arguments.add_argument("--seconds", action="store_true")
    arguments.add_argument("--check", action="store_true")
    given = arguments.parse_args()
    some = [p for p in pairs(given.examples) if not given.only or p[0] in given.only]
    wrong = 0
    for name, text, reduced in some:
        apart = disagreement(given.daedal, text, reduced)
        if not apart <= AGREE:
            print(f"{name}: the values at the end differ by {apart:.1e}, more than {AGREE:g}")
            wrong += 1
    if wrong or given.check:
        raise SystemExit(1 if wrong else 0)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["DAEDAL_CACHE"] = cache
        print_pairs(given.daedal, some, [float(r) for r in given.rtol.split(",")], given.seconds)
    print_chains(given.daedal, [c for c in CHAINS if not given.only or c in given.only])


if __name__ == "__main__":
    main()
