#!/usr/bin/env python3
"""How true the results of daedal are: models with independent references, by every method, over tolerances.

    truth.py --daedal CMD                        all models beside this file, all methods, 1e-3 to 1e-10
    truth.py --daedal CMD --short                a selection of models, two tolerances each
    truth.py --daedal CMD --models DIR ...       other folders (several), NAME.dae with NAME.json
    truth.py --read FILE.csv ...                 tables of runs made before
    truth.py --daedal CMD --growth               growth of the error over 10 to 10^4 and 10^5 periods

NAME.json has the end values by column, the end time "t", and options: "_note" (source of the reference), "_digits",
"_amplification" (factor by which the motion amplifies start errors; it divides the error), "_held" (reported apart),
"_options" (of the command). The error of a run is max |y - ref|/(1 + |ref|), in tolerances: over rtol and over the
amplification, less what the digits of the reference leave open. The verdict of a run is the member "trust" of its
JSON summary: green, amber or red; a summary without it counts as green.

--check compares with limits.json (or --limits FILE) and the exit code is 1 where one is exceeded; --markdown prints
the tables of docs/accuracy.md. Standard library only."""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FULL_RANGE = "1e-3..1e-10"
HYBRID = "pulse peaks eqn thermo wall twoballs"  # events and late pulses, another subject
FIELDS = ["model", "method", "rtol", "atol", "exit", "error", "ratio", "worst", "trust", "steps", "evaluations", "rejected",
          "cpu", "used", "held", "amplification", "message"]
WITHIN, SILENT = 30, 1000  # tolerances: accepted; wrong unless the verdict is red
# the short form: models that cover the kinds, each by all its methods at two tolerances 1e3 apart, which go round
SHORT = """index1_cubic index1_pair index2_stiff index2_circle enzyme clipper filter ellipse double linkage top_20 disk
turntable gears hoop magnet mirror swing yoke spring levels coulomb square nano growth press arm circuits trucks towed""".split()
SHORT_TOLERANCES = [(1e-3, 1e-6), (1e-4, 1e-7), (1e-5, 1e-8)]


# ---- models ----

class Model:
    def __init__(self, path):
        self.path, self.name = path, path.stem
        values = json.loads(path.with_suffix(".json").read_text())
        self.reference = {k: v for k, v in values.items() if not k.startswith("_")}
        self.amplification = float(values.get("_amplification", 1))
        self.digits = float(values.get("_digits", 15))
        self.held = bool(values.get("_held", False))
        self.options = values.get("_options", "").split()

    def methods(self, daedal):
        """Methods with variable steps that apply, in the order of `daedal check`."""
        text = subprocess.run([daedal, "check", str(self.path)], capture_output=True, text=True, check=False).stdout
        fixed = {"euler", "heun", "rk4", "trapezoid", "radau-iia"}
        return [m for m in re.findall(r"^    (\S+) +applies", text, re.M) if m not in fixed]


def find_models(folders, only, skip):
    paths = [p for folder in folders for p in sorted(pathlib.Path(folder).glob("*.dae")) if p.with_suffix(".json").exists()]
    return [Model(p) for p in paths if (not only or p.stem in only) and p.stem not in skip]


# ---- one run ----

def end_values(path):
    """Columns and last row of a file of results."""
    with open(path, "rb") as file:
        names = file.readline().decode()
        file.seek(0, os.SEEK_END)
        file.seek(max(len(names), file.tell() - (1 << 18)))
        rows = [line for line in file.read().decode().split("\n") if line]
    head, last = next(csv.reader([names.strip()])), next(csv.reader([rows[-1]]))
    return {name.strip(): float(value) for name, value in zip(head, last)}


def largest_error(reference, found):
    """Largest relative error over the columns of the reference, and its column."""
    worst, where = 0.0, ""
    for name, value in reference.items():
        error = abs(found.get(name, math.nan) - value) / (1 + abs(value))
        if not error <= worst:
            worst, where = (math.inf if math.isnan(error) else error), name
    return worst, where


def verdict(summary):
    """green, amber or red: "trust" as a word, or as an object with such a word."""
    trust = summary.get("trust")
    words = [trust, *trust.values()] if isinstance(trust, dict) else [trust]
    return next((w for w in words if w in ("green", "amber", "red")), "green")


def execute(command, seconds, log):
    """Exit code (124: stopped at the limit of CPU time) and CPU time of a command."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 1))
    child = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=limit)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    code = 124 if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else child.returncode
    return code, used.ru_utime + used.ru_stime


def run(daedal, seconds, model, method, rtol, factor):
    atol = factor * rtol
    row = dict.fromkeys(FIELDS, "")
    row.update(model=model.name, method=method, rtol="%g" % rtol, atol="%g" % atol, held=int(model.held),
               amplification="%g" % model.amplification)
    with tempfile.TemporaryDirectory() as folder:
        rows, summary, log = (os.path.join(folder, name) for name in ("rows.csv", "summary.json", "log"))
        command = [daedal, "run", str(model.path), "--method", method, "--rtol", "%g" % rtol, "--atol", "%g" % atol,
                   *model.options, "--quiet", "--out", rows, "--json", summary]
        with open(log, "w+") as file:
            row["exit"], cpu = execute(command, seconds, file)
            file.seek(0)
            row["message"] = " ".join(file.read().split())[:300] if row["exit"] else ""
        row["cpu"] = "%.4g" % cpu
        if os.path.exists(summary) and row["exit"] != 124:
            text = json.loads(pathlib.Path(summary).read_text())
            stats = text["stats"]
            row.update(trust=verdict(text), used=text["method"], steps=max(stats["steps"], stats["inner_steps"]),
                       evaluations=stats["evaluations"], rejected=sum(v for k, v in stats.items() if k.startswith("rejected")))
        if row["exit"] == 0:
            error, row["worst"] = largest_error(model.reference, end_values(rows))
            error = max(0.0, error - 10**-model.digits)
            row.update(error="%.3g" % error, ratio="%.3g" % (error / rtol / model.amplification))
    return row


# ---- figures ----

def quantile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(share * len(sorted_values)))] if sorted_values else math.nan


def percent(part, whole):
    return 100.0 * part / whole if whole else math.nan


def figures(rows):
    """Figures of a set of runs."""
    ended = [(float(r["ratio"]), r["trust"] or "green") for r in rows if int(r["exit"]) == 0]
    ratios = sorted(e for e, _ in ended)
    good = [trust for e, trust in ended if e <= WITHIN]
    bad = [trust for e, trust in ended if e > WITHIN]
    return {"runs": len(rows), "ended": percent(len(ended), len(rows)), "within": percent(len(good), len(ended)),
            "median": quantile(ratios, 0.5), "p95": quantile(ratios, 0.95), "worst": ratios[-1] if ratios else math.nan,
            "silent": sum(e > SILENT and trust != "red" for e, trust in ended),
            "false_red": percent(good.count("red"), len(good)), "false_amber": percent(good.count("amber"), len(good)),
            "missed": percent(bad.count("green"), len(bad))}


def groups(rows):
    """(method, rows) in the order of appearance, auto first, all together last."""
    order = list(dict.fromkeys(["auto"] + [r["method"] for r in rows]))
    return [(m, [r for r in rows if r["method"] == m]) for m in order if any(r["method"] == m for r in rows)] + [("all", rows)]


HEADS = [("runs", "runs", "%d"), ("ended", "ended", "%.1f %%"), ("within", "within %d" % WITHIN, "%.1f %%"), ("median", "median", "%.2g"),
         ("p95", "95 %", "%.3g"), ("worst", "worst", "%.3g"), ("silent", "> %d" % SILENT, "%d"), ("false_red", "false red", "%.1f %%"),
         ("false_amber", "false amber", "%.1f %%"), ("missed", "missed", "%.0f %%")]


def table(rows, markdown):
    lines = [["method"] + [head for _, head, _ in HEADS]]
    for method, some in groups(rows):
        f = figures(some)
        lines.append([method] + ["" if isinstance(f[k], float) and math.isnan(f[k]) else form % f[k] for k, _, form in HEADS])
    if markdown:
        lines.insert(1, ["---"] + ["---:"] * len(HEADS))
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(word.ljust(w) if i == 0 else word.rjust(w) for i, (word, w) in enumerate(zip(line, widths)))
                     for line in lines)


def tables(rows, markdown):
    held, seen = ([r for r in rows if (str(r.get("held")) == "1") == side] for side in (True, False))
    out = [table(seen, markdown)]
    if held:
        out += ["", "Models held back:", "", table(held, markdown)]
    return "\n".join(out)


def worst_runs(rows, count):
    ended = [r for r in rows if int(r["exit"]) == 0]
    for r in sorted(ended, key=lambda r: -float(r["ratio"]))[:count]:
        print("%10.3g  %-14s %-13s rtol %s atol %s: %s, %s" % (float(r["ratio"]), r["model"], r["method"], r["rtol"], r["atol"], r["worst"],
                                                            r["trust"] or "green"))
    for r in rows:
        if int(r["exit"]) != 0:
            print("  exit %3s  %-14s %-13s rtol %s atol %s: %s" % (r["exit"], r["model"], r["method"], r["rtol"], r["atol"], r["message"][:100]))


# ---- growth over long runs ----

def pendulum_period(amplitude, k):
    """Period of theta'' = -k sin(theta) by the arithmetic-geometric mean."""
    a, b = 1.0, math.cos(amplitude / 2)
    while abs(a - b) > 1e-16:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return 2 * math.pi / math.sqrt(k) / a


LONG = {"clock": (pendulum_period(1.5, 9.81), {"x": math.sin(1.5), "y": -math.cos(1.5), "der(x)": 0, "der(y)": 0}, 4),
        "circle": (2 * math.pi, {"x": 1, "y": 0, "der(x)": 0, "der(y)": 1}, 5)}  # period, start, decades


def growth(args):
    """Errors after 10, 100, ... periods, where the motion is back at its start. Returns the number of decades over which
    an error of more than a tenth of rtol grew more than linearly, by a factor above 12."""
    failures = 0
    folder = pathlib.Path((args.models or [HERE / "models"])[0])
    for name, (period, start, decades) in LONG.items():
        for rtol in tolerances(args.rtol if args.rtol != FULL_RANGE else "1e-4,1e-6,1e-9"):
            errors = []
            for n in (10**k for k in range(1, decades + 1)):
                model = Model(folder / (name + ".dae"))
                model.reference, model.amplification, model.digits = start, 1, 15
                model.options = ["--to", repr(n * period), "--every", repr(n * period)]
                row = run(args.daedal, 100 * args.limit, model, args.methods or "auto", rtol, 0.01)
                errors.append(float(row["ratio"] or "inf"))
            grown = sum(b > 12 * max(a, 0.1) and b < 0.01 / rtol for a, b in zip(errors, errors[1:]))
            failures += grown
            print("%-8s rtol %-6g error in rtol after 10, 100, ... periods: %s%s" %
                  (name, rtol, ", ".join("%.3g" % e for e in errors), "  FAILED" if grown else ""), flush=True)
    return failures


# ---- limits ----

def exceeded(limits, rows):
    """Sentences on limits that are exceeded: {"method": {"within": at least, "ended": at least, others: at most}}; the
    entry "*" holds for every method without one of its own."""
    found = []
    for method, some in groups(rows):
        limit, f = limits.get(method, limits.get("*", {})), figures(some)
        for key, bound in limit.items():
            value = f[key]
            low = key in ("within", "ended")
            if not math.isnan(value) and (value < bound if low else value > bound):
                found.append("%s: %s is %.4g, %s %.4g" % (method, key, value, "at least" if low else "at most", bound))
    return found


# ---- command ----

def tolerances(text):
    ends = text.split("..")
    if len(ends) == 1:
        return [float(word) for word in text.split(",")]
    first, last = (round(math.log10(float(word))) for word in ends)
    return [10.0**k for k in range(first, last - 1, -1)]


def plan(args, pool):
    """(model, method, rtol, atol factor) of all runs."""
    words = lambda text: text.replace(",", " ").split()
    only = words(args.only) or (SHORT if args.short and not args.models else [])
    models = find_models(args.models or [HERE / "models"], only, words(args.skip))
    wanted = words(args.methods)
    out = []
    for i, (model, applies) in enumerate(zip(models, pool.map(lambda m: m.methods(args.daedal), models))):
        methods = [m for m in ["auto", *applies] if not wanted or m in wanted]
        for j, method in enumerate(methods):
            if args.short:
                out += [(model, method, rtol, (1, 0.01)[(i + j + k) % 2]) for k, rtol in enumerate(SHORT_TOLERANCES[(i + j) % 3])]
            else:
                out += [(model, method, rtol, factor) for rtol in tolerances(args.rtol) for factor in map(float, words(args.atol))]
    return out


def measure(args):
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        runs = plan(args, pool)
        rows = list(pool.map(lambda r: run(args.daedal, args.limit, *r), runs))
    if args.csv:
        with open(args.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows(rows)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--daedal", help="the command")
    add("--models", action="append", help="folder of models; several")
    add("--methods", default="", help="names; default: all that apply")
    add("--only", default="", help="names of models")
    add("--skip", default=HYBRID, help="names of models left out")
    add("--rtol", default=FULL_RANGE, help="list or range of tolerances")
    add("--atol", default="1,0.01", help="factors: atol = factor * rtol")
    add("--short", action="store_true", help="a selection of models and tolerances")
    add("--growth", action="store_true", help="growth of the error over long runs, instead of the models")
    add("--limit", type=float, default=10, help="seconds of CPU time of a run")
    add("--jobs", type=int, default=os.cpu_count() or 2)
    add("--csv", help="file for one line per run")
    add("--read", nargs="+", help="tables of these files instead of runs")
    add("--check", metavar="SET", help="set of limits in the file of limits: short, full")
    add("--limits", default=str(HERE / "limits.json"))
    add("--worst", type=int, default=0, help="print the worst runs and those that failed")
    add("--markdown", action="store_true")
    args = parser.parse_args()
    if args.growth:
        return 1 if growth(args) else 0
    if args.read:
        rows = [r for name in args.read for r in csv.DictReader(open(name, newline=""))]
    elif args.daedal:
        rows = measure(args)
    else:
        parser.error("--daedal or --read is needed")
    print(tables(rows, args.markdown))
    if args.worst:
        worst_runs(rows, args.worst)
    failures = exceeded(json.loads(pathlib.Path(args.limits).read_text())[args.check], rows) if args.check else []
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
