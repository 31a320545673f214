"""Running peers: each prints one JSON object a line."""
import json
import os
import subprocess
import sys

# What a run with AVX2 only holds back; the peers themselves are then built with -DTT_BENCH_ARCH=x86-64-v3.
AVX2 = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "DNNL_MAX_CPU_ISA": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",
}


def run(command, **environment):
    """The rows that a peer prints; a failure is reported and gives those printed before it."""
    env = {k: v for k, v in os.environ.items() if k != "OPENBLAS_CORETYPE"} | environment
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print("failed:", *command, file=sys.stderr)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def duration(ns):
    for limit, unit in ((1e3, "ns"), (1e6, "us"), (1e9, "ms")):
        if ns < limit:
            return f"{ns / limit * 1e3:.3g} {unit}"
    return f"{ns / 1e9:.3g} s"
