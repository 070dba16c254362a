"""Random scenes of contacts with friction: disks and blocks on floors and belts, and stacks of blocks, with springs, forces
and links. There is no reference; runs by different methods and tolerances must agree, all of them, and none may fail.
Scenes whose friction is not determined, since a link makes several contacts slide together, are among them."""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import random
import subprocess
import sys
import tempfile

RUNS = (("auto", 1e-8), ("radau", 1e-8), ("gauss", 1e-5), ("bdf-ggl", 1e-6))
AGREE = 300  # tolerances between two runs


def disks(seed):
    R, lines, kinetic, potential, contacts = random.Random(seed), [], [], [], []
    count = R.randint(1, 3)
    for i in range(count):
        r, m = R.uniform(0.2, 0.6), R.uniform(0.5, 3)
        height = r + R.choice([0, 0, R.uniform(0.1, 1)])
        lines.append(f"coord x{i} = {2.2 * i} rate {R.uniform(-2, 2):.3f}, y{i} = {height:.6f}, p{i} = 0 rate {R.uniform(-5, 5):.3f}")
        kinetic.append(f"{m:.3f}*(x{i}'^2 + y{i}'^2)/2 + {m * r * r / 4:.5f}*p{i}'^2")
        potential.append(f"{m * 9.81:.5f}*y{i}")
        mu = R.uniform(0, 0.8)
        rest = mu + R.choice([0, R.uniform(0, 0.4)])
        belt = R.choice(["", "", f" - {R.uniform(-1, 1):.3f}*t", f" - {R.uniform(0.1, 0.5):.3f}*sin(3*t)"])
        roll = f" - {r:.6f}*p{i}" if R.random() < 0.5 else ""
        contacts.append(f"contact c{i}: y{i} >= {r:.6f} restitution {R.choice([0, R.uniform(0, 0.7)]):.3f} "
                        f"friction {mu:.3f} static {rest:.3f} along x{i}{roll}{belt}")
        if R.random() < 0.6:
            potential.append(f"{R.uniform(1, 20):.3f}*(x{i} - {2.2 * i + R.uniform(-1, 1):.3f})^2/2")
        if R.random() < 0.6:
            lines.append(f"force x{i} = {R.uniform(0, 10):.3f}*sin({R.uniform(0.5, 6):.3f}*t + {R.uniform(0, 6):.3f})")
    if count > 1 and R.random() < 0.5:
        contacts.append("constraint link: x1 - x0 = 2.2")
    if count > 1 and R.random() < 0.5:
        potential.append(f"{R.uniform(5, 50):.3f}*(x1 - x0 - 2)^2/2")
    return scene(lines, kinetic, potential, contacts), [f"{a}{i}" for a in "xyp" for i in range(count)]


def stack(seed):
    R, lines, kinetic, potential, contacts = random.Random(1000 + seed), [], [], [], []
    count = R.randint(2, 4)
    for i in range(count):
        m = R.uniform(0.5, 3)
        lines.append(f"coord x{i} = 0 rate {R.choice([0, R.uniform(-2, 2)]):.3f}, y{i} = {i}")
        kinetic.append(f"{m:.3f}*(x{i}'^2 + y{i}'^2)/2")
        potential.append(f"{m * 9.81:.5f}*y{i}")
        mu = R.uniform(0, 0.8)
        rest = mu + R.choice([0, R.uniform(0, 0.4)])
        gap = f"y{i} - y{i - 1} >= 1" if i else "y0 >= 0"
        along = f"x{i} - x{i - 1}" if i else "x0" + R.choice(["", f" - {R.uniform(-1, 1):.3f}*t"])
        contacts.append(f"contact c{i}: {gap} friction {mu:.3f} static {rest:.3f} along {along}")
        if R.random() < 0.5:
            potential.append(f"{R.uniform(1, 20):.3f}*x{i}^2/2")
        if R.random() < 0.7:
            lines.append(f"force x{i} = {R.uniform(0, 20):.3f}*sin({R.uniform(0.5, 6):.3f}*t + {R.uniform(0, 6):.3f})")
    if count > 2 and R.random() < 0.4:
        contacts.append("constraint link: x2 = x0")
    return scene(lines, kinetic, potential, contacts), [f"{a}{i}" for a in "xy" for i in range(count)]


def scene(lines, kinetic, potential, contacts):
    return "\n".join(["model scene", *lines, "kinetic " + " + ".join(kinetic), "potential " + " + ".join(potential),
                      *contacts, "simulate to 4", ""])


def end(daedal, folder, stem, method, tol):
    """End values of a run by column, or the error."""
    out = folder / f"{stem}-{method}.csv"
    command = [daedal, "run", str(folder / f"{stem}.dae"), "--method", method, "--rtol", str(tol), "--atol", str(tol),
               "--out", str(out), "--quiet"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    except subprocess.TimeoutExpired:
        return "120 s"
    if done.returncode:
        return f"exit {done.returncode} {done.stderr.strip()[:300]}"
    with open(out, encoding="utf-8") as f:
        row = list(csv.DictReader(f))[-1]
    out.unlink()
    return {name: float(value) for name, value in row.items()}


def judge(daedal, folder, make, seed):
    """Lines that say what is wrong with a scene."""
    text, names = make(seed)
    stem = f"{make.__name__}-{seed}"
    (folder / f"{stem}.dae").write_text(text)
    results = [(method, tol, end(daedal, folder, stem, method, tol)) for method, tol in RUNS]
    wrong = [f"{stem} {method} {tol:g}: {value}" for method, tol, value in results if isinstance(value, str)]
    reference = results[0][2]
    for method, tol, value in results[1:]:
        if isinstance(value, str) or isinstance(reference, str):
            continue
        error = max(abs(value[n] - reference[n]) / (1 + abs(reference[n])) for n in names)
        if error > AGREE * tol:
            wrong.append(f"{stem} {method} {tol:g}: {error / tol:.3g} tolerances from {RUNS[0][0]}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--daedal", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--scenes", type=int, default=25)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temp, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        tasks = [(make, seed) for seed in range(args.first, args.first + args.scenes) for make in (disks, stack)]
        wrong = [line for lines in pool.map(lambda t: judge(args.daedal, pathlib.Path(temp), *t), tasks) for line in lines]
    for line in wrong:
        print(line)
    print(f"{2 * args.scenes} scenes, {len(wrong)} runs not right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
