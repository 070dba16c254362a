#!/usr/bin/env python3
"""Whether the tests notice deliberate mistakes.

    mutants.py --build FOLDER [--jobs N] [--seconds S] [NAME ...]

The build FOLDER is of the preset `mutants`, where DAEDAL_MUTANT=NAME switches on the mistake
DAE__MUTATE(NAME, original, mutated) of src/ (src/core/mutant.h). For each the tests of its layer run, then
those of all, until one fails: the mistake is noticed. Of the others those count as survivors that have
changed a value; what no test reaches, or what is the same, is listed apart. The score is the share of the
noticed ones among those that change something; below 95 % the exit code is 1.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REQUIRED = 0.95

# fast tests by folder of src/, the most likely to notice first
TESTS = {
    "core": "unit/test_arena failure/test_saved_state unit/test_results cli/test_cli_run page/test_page_file",
    "linalg": "unit/test_lu unit/test_solver unit/test_saddle unit/test_rank unit/test_schur unit/test_level "
              "laws/test_single_terms",
    "problem": "unit/test_level laws/test_single_terms laws/test_consistent_start unit/test_consistent unit/test_motion "
               "unit/test_run",
    "step": "laws/test_kept_tolerances unit/test_controller unit/test_newton unit/test_history unit/test_event_search unit/test_events "
            "laws/test_single_terms laws/test_event_motions laws/test_time_events order/test_bdf_order",
    "multistep": "laws/test_kept_tolerances laws/test_single_terms unit/test_plain reference/test_bdf_tolerance reference/test_dassl_rules laws/test_atol order/test_bdf_order "
                 "reference/test_bdf_reference laws/test_circuits",
    "onestep": "laws/test_single_terms unit/test_radau_rule unit/test_pairs laws/test_radau_laws laws/test_radau_rows "
               "laws/test_rk_laws order/test_radau_order order/test_rk_order order/test_rosenbrock_order "
               "laws/test_switching reference/test_robertson reference/test_engine_evaluations laws/test_circuits "
               "laws/test_conserved_energy reference/test_radau_evaluations",
    "wave": "laws/test_wave_laws laws/test_wave_windows laws/test_wave_joints order/test_wave_order "
            "laws/test_wave_bits reference/test_coupled_sweeps failure/test_wave_failures unit/test_contraction",
    "model": "unit/test_model_language unit/test_gradient unit/test_clock laws/test_time_events unit/test_native "
             "failure/test_native_cache laws/test_body_motions",
    "import": "import/test_urdf",
    "output": "unit/test_results unit/test_csv unit/test_summary page/test_page_file cli/test_cli_run cli/test_cli_files",
    "run": "unit/test_run unit/test_run_steps unit/test_summary laws/test_single_terms laws/test_energy unit/test_verify unit/test_compare failure/test_interrupts",
}
COMMON = ("laws/test_energy laws/test_consistent_start unit/test_run unit/test_run_steps laws/test_limits "
          "cross/test_forms_agree cross/test_models_agree laws/test_event_motions laws/test_atol failure/test_hard_motions "
          "laws/test_circuits reference/test_engine_evaluations order/test_engines_order laws/test_changing_redundancy")


def mutations():
    """(name, path) of all mutations of the sources"""
    found = []
    for folder, _, files in sorted(os.walk(os.path.join(ROOT, "src"))):
        for file in sorted(files):
            path = os.path.join(folder, file)
            if not file.endswith((".c", ".h")) or file == "mutant.h":
                continue
            with open(path, encoding="utf-8") as text:
                for name in re.findall(r"DAE__MUTATE\(\s*(\w+),", text.read()):
                    found.append((name, os.path.relpath(path, os.path.join(ROOT, "src"))))
    names = [name for name, _ in found]
    assert len(set(names)) == len(names), "two mutations have the same name"
    return found


def tests_of(path):
    """programs for a file of src/, without repetition"""
    wanted = TESTS.get(path.split(os.sep)[0], "").split() + COMMON.split()
    return list(dict.fromkeys(wanted))


def fails(test, build, mutant, seconds):
    """whether the test fails, and whether the mutation has changed a value"""
    with tempfile.TemporaryDirectory() as folder:
        changed = os.path.join(folder, "changed")
        environment = dict(os.environ, DAEDAL_MUTANT=mutant, DAEDAL_MUTANT_CHANGED=changed)
        work = os.path.join(folder, "work")
        os.mkdir(work)
        try:
            code = subprocess.run([os.path.join(build, "tests", test)], cwd=work, env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  stdin=subprocess.DEVNULL, timeout=seconds).returncode
        except subprocess.TimeoutExpired:
            code = -1
        return code != 0, os.path.exists(changed)


def judge(mutation, build, seconds, broken):
    """(name, path, what noticed it, whether it changed something)"""
    name, path = mutation
    changed = False
    for test in tests_of(path):
        if test in broken:
            continue
        failed, now = fails(test, build, name, seconds)
        changed = changed or now
        if failed and now:
            return name, path, test, True
    return name, path, None, changed


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--build", required=True)
    arguments.add_argument("--jobs", type=int, default=2)
    arguments.add_argument("--seconds", type=float, default=30, help="limit of a test; longer is noticed")
    arguments.add_argument("--targets", action="store_true", help="only print the names of the tests")
    arguments.add_argument("names", nargs="*")
    given = arguments.parse_args()
    wanted = [m for m in mutations() if not given.names or m[0] in given.names]
    tests = sorted({test for _, path in wanted for test in tests_of(path)})
    if given.targets:
        print(" ".join(os.path.basename(test) for test in tests))
        return 0
    build = os.path.abspath(given.build)
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        # without a mistake all pass
        broken = {test for test, (failed, _) in
                  zip(tests, pool.map(lambda test: fails(test, build, "", given.seconds), tests)) if failed}
        for test in sorted(broken):
            print(f"{test} fails without a mutation, and is left out")
        results = []
        for result in pool.map(lambda m: judge(m, build, given.seconds, broken), wanted):
            name, path, noticed, changed = result
            print(f"{name:32} {path:40} {noticed or ('SURVIVED' if changed else 'changes nothing')}", flush=True)
            results.append(result)
    changing = [r for r in results if r[3]]
    noticed = [r for r in changing if r[2]]
    score = len(noticed) / max(len(changing), 1)
    print(f"{len(results)} mutations, {len(changing)} change something, {len(noticed)} noticed: {100 * score:.1f} %")
    return 0 if score >= REQUIRED and not broken else 1


if __name__ == "__main__":
    sys.exit(main())
