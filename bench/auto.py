#!/usr/bin/env python3
"""`auto` beside every single method on models in text, in instructions.

  auto.py PROGRAM FILE ...           PROGRAM: bench_auto
    --rtol 1e-4,1e-6,1e-8            tolerances of auto that are listed
    --evaluations                    evaluations instead of instructions, without valgrind
    --limit 1.5                      ratio above which a line is marked

Instructions are those of dae_run without rows, counted by callgrind, less those of the consistent
start (bench/auto.c). Two ratios of auto to the best single method: at the same tolerance, and at
the same error, where the cost of a single method is that of its cheapest run whose error is not
larger, with logarithmic interpolation between tolerances.
"""
import argparse
import csv
import glob
import math
import os
import re
import subprocess
import tempfile

SLOWER = 3  # ratio of CPU times above which a method is not counted; a busy machine errs by less

def runs_of(program, path):
    text = subprocess.run([program, "runs", path], check=True, capture_output=True, text=True).stdout
    rows = []
    for r in csv.DictReader(text.splitlines()):
        auto = r["method"].startswith("auto=")
        rows.append(dict(method=r["method"].removeprefix("auto="), auto=auto, rtol=float(r["rtol"]),
                         ok=int(r["status"]) >= 0, error=float(r["error"]),
                         floor=float(r["floor"]), evaluations=int(r["evaluations"]),
                         seconds=float(r["seconds"])))
    return rows


def contenders(rows):
    """Runs of auto and of the methods that take at most SLOWER times its CPU time at any tolerance."""
    good = [r for r in rows if r["ok"]]
    ours = {r["rtol"]: r["seconds"] for r in good if r["auto"]}
    fast = {r["method"] for r in good if r["seconds"] <= SLOWER * ours.get(r["rtol"], math.inf)}
    return [r for r in good if r["auto"] or r["method"] in fast]


def count(program, path, rows):
    """Adds the instructions of every contender."""
    good = contenders(rows)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "count")
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
                        "--toggle-collect=bench_counted_run", "--dump-after=bench_counted_run",
                        program, "count", path] + [f"{r['method']}:{r['rtol']:g}" for r in good],
                       check=True, capture_output=True)
        totals = []
        for i in range(len(good) + 1):
            with open(f"{out}.{i + 1}") as f:
                totals.append(int(re.search(r"^(?:totals|summary): (\d+)", f.read(), re.M).group(1)))
    for r, total in zip(good, totals[1:]):
        r["instructions"] = max(total - totals[0], 1)


def cost_at(series, error, unit):
    """Cost of a series of runs, the loosest first, to reach an error; inf: it does not."""
    best = math.inf
    for i, r in enumerate(series):
        if not r["error"] <= error:
            continue
        cost = r[unit]
        before = series[i - 1] if i > 0 else None
        if before and before["error"] > error and before[unit] < cost and r["error"] > 0:
            share = math.log(before["error"] / error) / math.log(before["error"] / r["error"])
            cost = before[unit] * (cost / before[unit]) ** share
        best = min(best, cost)
    return best


def lines_of(rows, wanted, unit):
    """Per tolerance: cost of auto, best single method with its cost at equal tolerance and at equal
    error."""
    series = {}
    for r in rows:
        if r["ok"] and unit in r:
            series.setdefault(r["method"], []).append(r)
    for rtol in wanted:
        ours = next((r for r in rows if r["auto"] and r["ok"] and r["rtol"] == rtol), None)
        if not ours:
            yield rtol, None, None, None
            continue
        floor = ours["floor"] if math.isfinite(ours["floor"]) else math.inf
        error = max(ours["error"], floor)
        # a run far off its tolerance is no competitor at equal tolerance
        same = [(r[unit], m) for m, s in series.items() for r in s
                if r["rtol"] == rtol and r["error"] <= max(10 * error, 10 * rtol)]
        equal = [(cost_at(s, error, unit), m) for m, s in series.items() if m != ours["method"]]
        equal.append((ours[unit], ours["method"]))
        yield rtol, ours, min(same, default=(ours[unit], ours["method"])), min(equal)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rtol", default="1e-4,1e-6,1e-8")
    parser.add_argument("--evaluations", action="store_true")
    parser.add_argument("--limit", type=float, default=1.5)
    parser.add_argument("--csv", help="file for all runs")
    a = parser.parse_args()
    wanted = [float(x) for x in a.rtol.split(",")]
    unit = "evaluations" if a.evaluations else "instructions"
    print(f"{'model':22} {'rtol':>6} {'auto':12} {'error':>8} {unit:>12}   equal tolerance"
          f"{'':12} equal error")
    everything, above = [], 0
    for path in [p for f in a.files for p in (sorted(glob.glob(f)) or [f])]:
        name = os.path.splitext(os.path.basename(path))[0]
        rows = runs_of(a.program, path)
        if not a.evaluations:
            count(a.program, path, rows)
        everything += [dict(model=name, **r) for r in rows]
        for rtol, ours, same, equal in lines_of(rows, wanted, unit):
            if not ours:
                print(f"{name:22} {rtol:6.0e} auto fails")
                above += 1
                continue
            ratios = [ours[unit] / same[0], ours[unit] / equal[0]]
            over = max(ratios) > a.limit
            above += over
            print(f"{name:22} {rtol:6.0e} {ours['method']:12} {ours['error']:8.1e} {ours[unit]:12d}"
                  f"   {ratios[0]:6.2f} {same[1]:18}   {ratios[1]:6.2f} {equal[1]:14}"
                  f"{' above' if over else ''}", flush=True)
    print(f"{above} above {a.limit:g}")
    if a.csv:
        with open(a.csv, "w", newline="") as f:
            writer = csv.DictWriter(f, fieldnames=["model", "method", "auto", "rtol", "ok", "error",
                                                   "floor", "evaluations", "seconds", "instructions"])
            writer.writeheader()
            writer.writerows(everything)


if __name__ == "__main__":
    main()
