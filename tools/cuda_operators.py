#!/usr/bin/env python3
"""Which operators run on CUDA, from two runs of tt_conformance over the same golden data, as Markdown.

cuda_operators.py CPU.json CUDA.json            prints the table
cuda_operators.py CPU.json CUDA.json DOCUMENT   puts it between the marks <!-- operators --> and <!-- /operators --> there

The runs are what --json wrote, one with --backend cuda-sim. Of each operator that the CPU has, the samples that pass there
are counted on CUDA; of those that do not, the reasons are given.
"""
import json
import re
import sys
import textwrap


def outcomes(path):
    """{operator: {sample: (result, reason)}}"""
    found = {}
    for f in json.load(open(path, encoding="utf-8"))["files"]:
        if f.get("kind", "op") == "op":
            name = re.sub(r"^.*/|\.json$", "", f["file"])
            found[name] = {s["name"]: (s["result"], s.get("reason", "")) for s in f["samples"]}
    return found


def short(reason):
    """Without the name of the operator, and without the numbers of a sample."""
    return re.sub(r"^tt(::[\w.]+)?: ", "", reason)


def table(cpu, cuda):
    whole, rest = [], []
    for name in sorted(cpu):
        passed = [s for s, (result, _) in cpu[name].items() if result == "passed"]
        if not passed:
            continue
        there = [s for s in passed if cuda[name][s][0] == "passed"]
        if len(there) == len(passed):
            whole.append(name)
            continue
        reasons = sorted({short(cuda[name][s][1]) for s in passed if s not in there})
        rest.append(f"| {name} | {len(there)} of {len(passed)} | {'; '.join(reasons)} |")
    lines = [textwrap.fill(f"All samples pass on CUDA of {len(whole)} operators: {', '.join(whole)}.", 120), "",
             f"Not all of {len(rest)}:", "", "| operator | samples that pass | why not the others |", "| --- | --: | --- |"]
    return "\n".join(lines + rest)


def main(arguments):
    if len(arguments) not in (2, 3):
        sys.exit(__doc__)
    text = table(outcomes(arguments[0]), outcomes(arguments[1]))
    if len(arguments) == 2:
        return print(text)
    document = open(arguments[2], encoding="utf-8").read()
    first, last = "<!-- operators -->", "<!-- /operators -->"
    if first not in document or last not in document:
        sys.exit(f"cuda_operators: {arguments[2]} lacks the marks {first} and {last}")
    before, after = document.split(first)[0], document.split(last)[1]
    open(arguments[2], "w", encoding="utf-8").write(f"{before}{first}\n{text}\n{last}{after}")


main(sys.argv[1:])
