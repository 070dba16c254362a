#!/usr/bin/env python3
"""Fingerprint of the results of every example model by every method that applies.

    scripts/hash_results.py build/release/cli/daedal > before.txt
    ... change the code, build ...
    scripts/hash_results.py build/release/cli/daedal --compare before.txt

Each line: model, method, exit code, SHA-256 of the result file (of the bytes written, also where the
run failed after some rows). A change that is meant to keep the numbers keeps every line. Methods with
a fixed step get one hundredth of the time span. A run is ended after --seconds of CPU time and
reported as `timeout`; such lines are not compared.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIXED_STEP = {"euler", "heun", "rk4", "trapezoid", "radau-iia"}


def applicable_methods(daedal, model):
    """Methods that `daedal check` says apply, and the span of time of the model."""
    text = subprocess.run([daedal, "check", model], capture_output=True, text=True).stdout
    names = re.findall(r"^    ([a-z0-9-]+) +applies", text, re.M)
    span = re.search(r"simulate +t = (\S+) to ([^\s,]+)", text)
    return names, float(span[2]) - float(span[1]) if span else 1.0


def run(daedal, model, method, span, rtol, seconds):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "rows.csv")
        command = [daedal, "run", model, "--method", method, "--rtol", rtol, "--out", out, "--quiet"]
        if method in FIXED_STEP:
            command += ["--step", repr(span / 100)]
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        code = subprocess.run(command, cwd=folder, capture_output=True, preexec_fn=limit).returncode
        if code < 0:
            return "timeout", "-"
        rows = open(out, "rb").read() if os.path.exists(out) else b""
        return str(code), hashlib.sha256(rows).hexdigest() if rows else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("daedal", help="the command to run")
    parser.add_argument("--rtol", default="1e-6", help="tolerance of all runs (default 1e-6)")
    parser.add_argument("--seconds", type=int, default=20, help="CPU time of a run (default 20)")
    parser.add_argument("--models", default=str(ROOT / "examples" / "models"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--compare", metavar="FILE", help="an earlier output: exit 1 where lines differ")
    args = parser.parse_args()
    daedal = os.path.abspath(args.daedal)

    tasks = []
    for model in sorted(pathlib.Path(args.models).glob("*.dae")):
        names, span = applicable_methods(daedal, str(model))
        tasks += [(model, name, span) for name in names]
    if not tasks:
        sys.exit("hash_results: no model with an applicable method in " + args.models)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = list(pool.map(lambda k: run(daedal, str(k[0]), k[1], k[2], args.rtol, args.seconds), tasks))
    lines = [" ".join([m.name, name, *r]) for (m, name, _), r in zip(tasks, results)]

    if not args.compare:
        print("\n".join(lines))
        return
    key = lambda line: tuple(line.split()[:2])
    before = {key(line): line for line in open(args.compare).read().splitlines()}
    after = {key(line): line for line in lines}
    skip = lambda *pair: any(line and " timeout " in line for line in pair)
    differ = [k for k in sorted({*before, *after})
              if before.get(k) != after.get(k) and not skip(before.get(k), after.get(k))]
    for k in differ:
        print("- " + before.get(k, " ".join(k) + " (no such run)"))
        print("+ " + after.get(k, " ".join(k) + " (no such run)"))
    print(f"{len(lines)} runs, {len(differ)} differ")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
