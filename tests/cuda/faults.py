#!/usr/bin/env python3
"""Runs each planted fault in three orders of three builds, and prints who noticed.

usage: faults.py SIM ASAN TSAN, the programs built from faults.cpp. Exit code 1 if a fault is not noticed by the build
that is there to notice it, or if a correct program is reported.
"""
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

BUILDS = ["plain", "asan+ubsan", "tsan"]
ORDERS = ["forward", "reverse", "random"]

# What an exit code says. A trap is the processor's: memory that does not answer, or a load that is not aligned.
SEEN = {0: "-", 1: "values", 3: "refused", 66: "executor", 67: "streams", 68: "tsan", 69: "asan", 70: "ubsan",
        -signal.SIGSEGV: "trap", -signal.SIGBUS: "trap"}

# Who must notice in the three builds: in every order, or in the first only where a * follows. "" may miss it.
MUST = {
    "global index one past the end": ("", "asan", ""),
    "shared array one past the end": ("", "asan", ""),
    "host code reads a device pointer": ("trap", "asan", "tsan"),
    "misaligned 16-byte load": ("", "ubsan", ""),
    "barrier not reached by all threads": ("executor", "executor", "executor"),
    "shuffle mask names absent lanes": ("executor", "executor", "executor"),
    "add without atomic": ("", "", "tsan"),
    "blocks race on one word": ("", "", "tsan"),
    "missing __syncthreads": ("values", "values", "tsan"),
    "missing __syncwarp": ("values", "values", "tsan"),
    "shuffle in place of __syncwarp": ("", "", "tsan"),
    "missing __threadfence": ("", "", "tsan"),
    "read of unwritten shared memory": ("values", "values", "values"),
    "bad launch: 2048 threads": ("refused", "refused", "refused"),
    "bad launch: empty grid": ("refused", "refused", "refused"),
    "bad launch: shared memory without opt-in": ("refused", "refused", "refused"),
    "second stream reads before the first wrote": ("values*", "values*", "values*"),
}


def run(program, name, order):
    done = subprocess.run([program, name, str(order)], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


def main():
    programs = sys.argv[1:4]
    names = subprocess.run([programs[0]], capture_output=True, text=True, check=True).stdout.splitlines()
    faults = [name for name in names if not name.startswith("correct: ")]
    wrong = [f"{name}: in only one of faults.cpp and faults.py" for name in set(faults) ^ set(MUST)]

    runs = [(name, build, order) for name in names for build in range(3) for order in range(3)]
    with ThreadPoolExecutor(2) as pool:
        jobs = {(name, build, order): pool.submit(run, programs[build], name, order) for name, build, order in runs}

    print(" " * 44 + "".join(f"{build:31}" for build in BUILDS).rstrip())
    print(" " * 44 + " ".join("".join(f"{order:10}" for order in ORDERS) for _ in BUILDS).rstrip())
    for name in names:
        row = f"{name:44}"
        for build in range(3):
            must = MUST.get(name, ("-", "-", "-"))[build]   # "-": correct, nobody may notice anything
            for order in range(3):
                code, text = jobs[name, build, order].result()
                seen = SEEN.get(code, f"exit {code}")
                row += f"{seen:10}"
                wanted = seen if must.endswith("*") and order > 0 else must.rstrip("*") or seen
                if code not in SEEN or seen != wanted:
                    wrong.append(f"{name}: {BUILDS[build]}, {ORDERS[order]}: {seen}, not {wanted}\n{text}")
            row += " "
        print(row.rstrip())
    print("\n".join(wrong) if wrong else f"{len(faults)} faults, each noticed by the builds that must")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
