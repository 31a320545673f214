#!/usr/bin/env python3
"""Runs every peer interleaved and prints, for each thread count, times and their distance from the machine's limits.

  all_peers.py [--build build/release/bench/peers] [--rounds 5] [--threads 1,2] [--filter REGEX] [--isa avx2]
               [--peers eigen,tt] [--python PYTHON_WITH_TORCH] [--out results.jsonl]
  all_peers.py --load results.jsonl ...      the tables of earlier runs, pooled

A round runs, family by family, each peer in turn, so that noise hits all alike; the minimum over rounds is kept. In the
tables `limit` is the speed of light, 2x the distance from it, * the fastest peer, and ! a figure whose second best round
is more than 15 % above its best: run again on a calmer machine.
"""
import argparse
import collections
import json
import math
import os
import sys
from pathlib import Path

from peers import AVX2, duration, run


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default="build/release/bench/peers")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--threads", default="1,2")
    p.add_argument("--filter", default="")
    p.add_argument("--min-time", default="0.05")
    p.add_argument("--isa", choices=["native", "avx2"], default="native", help="avx2: build with -DTT_BENCH_ARCH=x86-64-v3 too")
    p.add_argument("--python", help="a Python with torch: adds the inductor peer")
    p.add_argument("--peers", help="comma list; default: all that are built")
    p.add_argument("--out", help="file to append all rows to")
    p.add_argument("--load", nargs="*")
    return p.parse_args()


def peers_of(o):
    """{name: (command, environment)} of what is built."""
    found = {f.name[5:]: ([str(f)], {}) for f in sorted(Path(o.build).glob("peer_*")) if os.access(f, os.X_OK)}
    found.pop("limits", None)
    if "torch" in found:
        found["torch_warm"] = (found["torch"][0], {"TT_BENCH_WARM_MALLOC": "1"})
    if "openblas" in found and o.isa == "native":   # 0.3.21 does not know newer Xeons and falls back to SSE3
        found["openblas_skx"] = (found["openblas"][0], {"OPENBLAS_CORETYPE": "SkylakeX"})
    if o.python:
        found["inductor"] = ([o.python, str(Path(__file__).with_name("src") / "peer_inductor.py")], {})
    wanted = o.peers.split(",") if o.peers else found
    return {name: found[name] for name in found if name in wanted}


def measure(o):
    held_back = AVX2 if o.isa == "avx2" else {}
    rows, out = [], open(o.out, "a") if o.out else None

    def keep(new, peer=None):
        for row in new:
            if peer:
                row["peer"] = peer
            rows.append(row)
            if out:
                print(json.dumps(row), file=out, flush=True)

    threads = o.threads.split(",")
    for t in threads:
        keep(run([f"{o.build}/peer_limits", "--threads", t]))
    families = list(dict.fromkeys(r["workload"].split("/")[0] for r in rows if "flops" in r))
    for i in range(o.rounds):
        for t in threads:
            for family in families:
                for name, (command, environment) in peers_of(o).items():
                    keep(run([*command, "--threads", t, "--filter", f"(?=^{family}/)(?=.*(?:{o.filter}))", "--min-time", o.min_time],
                             **(held_back | environment)), name)
        print(f"round {i + 1} of {o.rounds}", file=sys.stderr)
    return rows


class Limits:
    """The least time of a workload: by peak multiply-adds, and by bandwidth at its working set."""

    def __init__(self, rows):
        self.workload = {r["workload"]: r for r in rows if "flops" in r}
        self.flops = collections.defaultdict(float)
        self.bandwidth = collections.defaultdict(dict)
        for r in rows:
            if r.get("limit") == "flops":
                self.flops[r["threads"]] = max(self.flops[r["threads"]], r["value"])
            elif "limit" in r:
                points = self.bandwidth[r["limit"], r["threads"]]
                points[r["ws"]] = max(points.get(r["ws"], 0), r["value"])

    def bandwidth_at(self, kind, threads, working_set):
        points = sorted(self.bandwidth[kind, threads].items())
        if working_set <= points[0][0]:
            return points[0][1]
        for (x0, y0), (x1, y1) in zip(points, points[1:]):
            if working_set <= x1:
                return y0 + (y1 - y0) * (math.log(working_set) - math.log(x0)) / (math.log(x1) - math.log(x0))
        return points[-1][1]

    def ns(self, name, threads):
        w = self.workload[name]
        kind = "read" if w["read_only"] else "triad"
        return max(w["flops"] / self.flops[threads], w["bytes"] / self.bandwidth_at(kind, threads, w["bytes"]))


def print_table(limits, runs, threads):
    peers = list(dict.fromkeys(peer for (t, _, peer) in runs if t == threads))
    triad = ", ".join(f"{ws / 1e3:g}K {v:.0f}" for ws, v in sorted(limits.bandwidth["triad", threads].items()))
    print(f"\n## threads={threads}  peak {limits.flops[threads]:.0f} GFLOP/s; triad GB/s by working set: {triad}")
    print("| workload | limit | " + " | ".join(peers) + " |")
    print("|" + "---|" * (len(peers) + 2))
    for w in limits.workload:
        got = {p: sorted(runs[threads, w, p]) for p in peers if (threads, w, p) in runs}
        if not got:
            continue
        limit, best = limits.ns(w, threads), min(v[0] for v in got.values())
        cells = []
        for p in peers:
            v = got.get(p)
            marks = v and ("*" if v[0] == best else "") + ("!" if len(v) > 1 and v[1] > 1.15 * v[0] else "")
            cells.append(f"{duration(v[0])} ({v[0] / limit:.2g}x){marks}" if v else "")
        print(f"| {w} | {duration(limit)} | " + " | ".join(cells) + " |")


def main():
    o = options()
    rows = [json.loads(line) for name in o.load for line in open(name)] if o.load else measure(o)
    runs = collections.defaultdict(list)
    for r in rows:
        if "ns" in r:
            runs[r["threads"], r["workload"], r["peer"]].append(r["ns"])
    limits = Limits(rows)
    for threads in sorted(limits.flops):
        print_table(limits, runs, threads)


if __name__ == "__main__":
    main()
