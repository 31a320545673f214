#!/usr/bin/env python3
"""tt against the hand-written Eigen peer, on one thread, with the goals of the project.

  compare.py [--build build/release/bench/peers] [--rounds 7] [--filter REGEX] [--out results.jsonl]

A round times every workload with Eigen and at once with tt, each in a process of its own, so that what disturbs the machine
hits both. Times are CPU times: `min` the least over all rounds, `median` that of the rounds' medians. `ratio` is the median
of the rounds' ratios of minima, `spread` their range. Exits with 1 if a workload cannot be measured, or if --strict is given
and a goal is missed.
"""
import argparse
import collections
import json
import re
import statistics
import sys

from peers import duration, run

# tt's workload, Eigen's, what tt may take: times Eigen's, or nanoseconds. No number: no goal, for information.
Goal = collections.namedtuple("Goal", "tt eigen most unit", defaults=(None, "x"))
SMALL, LARGE = "train/mlp64-32-10/b16", "train/mlp784-256-128-10/b64"
GOALS = [
    *(Goal(f"ew/{chain}_chain/{n}", f"ew/{chain}_chain/{n}", 1.1) for n in ("1e3", "1e5", "1e7") for chain in ("tanh", "arith")),
    *(Goal(f"ew/{chain}_chain/{n}/new", f"ew/{chain}_chain/{n}") for n in ("1e3", "1e5", "1e7") for chain in ("tanh", "arith")),
    Goal("bwd/tanh_chain/1e3", "bwd/tanh_chain/1e3", 1.8),
    Goal("bwd/tanh_chain/1e6", "bwd/tanh_chain/1e6", 1.1),
    Goal(LARGE, LARGE, 1.2),
    Goal(LARGE, LARGE + "/stored", 1.05),
    Goal(SMALL, SMALL, 2),
    Goal(SMALL + "/threaded", SMALL, 2),
    Goal("op/add/1", "op/add/1"),
    Goal("op/add/16", "op/add/16", 50, "ns"),
    Goal("op/add/16/threaded", "op/add/16"),
    Goal("op/add_grad/16", "op/add/16", 100, "ns"),
    Goal("op/add_grad/16/threaded", "op/add/16", 160, "ns"),
    *(Goal(w, w) for w in ("nn/bias_relu/1024x1024", "nn/gelu_tanh/1e6", "nn/softmax_rows/512x1000", "red/sum_all/2048x2048",
                           "red/sum_axis0/2048x2048", "red/sum_axis1/2048x2048", "mm/sgemm/64", "mm/sgemm/256",
                           "mm/sgemm/1024", "mm/linear/64x784x256")),
]


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default="build/release/bench/peers", help="folder with peer_tt and peer_eigen")
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--filter", default=".", help="regular expression over tt's workloads")
    p.add_argument("--min-time", default="0.05", help="seconds a workload is sampled in each round")
    p.add_argument("--out", help="file to append the peers' rows to")
    p.add_argument("--strict", action="store_true")
    return p.parse_args()


def measure(o, goals):
    """{(peer, workload): rows, one a round}."""
    rows = collections.defaultdict(list)
    pairs = dict.fromkeys(pair for g in goals for pair in (("eigen", g.eigen), ("tt", g.tt)))
    out = open(o.out, "a") if o.out else None
    for i in range(o.rounds):
        for peer, workload in pairs:
            for row in run([f"{o.build}/peer_{peer}", "--threads", "1", "--filter", f"^{workload}$", "--min-time", o.min_time]):
                rows[peer, workload].append(row)
                if out:
                    print(json.dumps(row), file=out, flush=True)
        print(f"round {i + 1} of {o.rounds}", file=sys.stderr)
    return rows


def verdict(goal, ns, ratio):
    if goal.most is None:
        return "", ""
    value = ratio if goal.unit == "x" else ns
    return f"{goal.most:g}{'x' if goal.unit == 'x' else ' ns'}", "met" if value <= goal.most else "MISSED"


def main():
    o = options()
    goals = [g for g in GOALS if re.search(o.filter, g.tt)]
    rows = measure(o, goals)
    print("| tt | Eigen | Eigen min | median | tt min | median | ratio | spread | goal | |")
    print("|" + "---|" * 10)
    missed, broken = 0, 0
    for g in goals:
        eigen, tt = rows["eigen", g.eigen], rows["tt", g.tt]
        if not eigen or not tt:
            print(f"| {g.tt} | {g.eigen} | not measured |")
            broken += 1
            continue
        best = [min(r["ns"] for r in side) for side in (eigen, tt)]
        middle = [statistics.median(r["median_ns"] for r in side) for side in (eigen, tt)]
        each = [t["ns"] / e["ns"] for e, t in zip(eigen, tt)]
        ratio = statistics.median(each)
        goal, word = verdict(g, best[1], ratio)
        missed += word == "MISSED"
        print(f"| {g.tt} | {'same' if g.tt == g.eigen else g.eigen} | {duration(best[0])} | {duration(middle[0])} | {duration(best[1])} "
              f"| {duration(middle[1])} | {ratio:.2f} | {min(each):.2f}-{max(each):.2f} | {goal} | {word} |")
    print(f"\n{missed} goals missed" + (f", {broken} workloads could not be measured" if broken else ""))
    return 1 if broken or (o.strict and missed) else 0


if __name__ == "__main__":
    sys.exit(main())
