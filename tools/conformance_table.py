#!/usr/bin/env python3
"""The counts of a run of tt_conformance, by section of the list of operators, as Markdown.

conformance_table.py RUN.json OPS.txt            prints them
conformance_table.py RUN.json OPS.txt DOCUMENT   puts them between the marks <!-- counts --> and <!-- /counts --> there

RUN.json is what --json wrote, OPS.txt the list that lies beside the golden data: `# section`, then a name a line.
"""
import json
import re
import sys

RESULTS = ("passed", "not implemented", "failed")


def sections(path):
    """Pairs (title, names) in the order of the file. Its first line explains the columns."""
    found = []
    for line in open(path, encoding="utf-8").read().splitlines()[1:]:
        if line.startswith("#"):
            found.append((line[1:].strip(), []))
        elif line.strip():
            found[-1][1].append(line.split()[0])
    return found


def count(samples):
    return [sum(s["result"] == result for s in samples) for result in RESULTS]


def is_missing(sample):
    """Whether there is no such operator at all, rather than not that form of it."""
    return sample["result"] == "not implemented" and "there is no operation named" in sample.get("reason", "")


def tables(run, operators):
    files = {f["file"]: f["samples"] for f in run["files"]}
    by_name = {re.sub(r"^.*/|\.json$", "", name): samples
               for name, samples in files.items() if not name.endswith(("expect.json", "promotion.json"))}
    rows = []
    for title, names in operators:
        present = [n for n in names if n in by_name]
        there = [n for n in present if not all(is_missing(s) for s in by_name[n])]
        rows.append([title, len(present), len(there)] + count([s for n in present for s in by_name[n]]))
    listed = {n for _, names in operators for n in names}
    if others := sorted(set(by_name) - listed):
        sys.exit(f"conformance_table: not in the list of operators: {', '.join(others)}")
    rows.append(["all operators"] + [sum(r[i] for r in rows) for i in range(1, 6)])
    for name, samples in files.items():
        if name.endswith(("expect.json", "promotion.json")):
            rows.append([f"`{name}`", "", ""] + count(samples))
    lines = ["| section | operators with samples | of these in tt | samples passed | not implemented | failed |",
             "| --- | --: | --: | --: | --: | --: |"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]

    declined = {}
    for name, samples in by_name.items():
        for s in samples:
            if s["result"] == "not implemented" and not is_missing(s):
                declined.setdefault(s.get("reason", ""), {}).setdefault(name, []).append(s)
    lines += ["", "| declined samples of operators that tt has | samples | operators |", "| --- | --: | --- |"]
    for reason, names in sorted(declined.items()):
        total = sum(len(samples) for samples in names.values())
        lines.append(f"| {reason} | {total} | {', '.join(f'`{n}`' for n in sorted(names))} |")
    return "\n".join(lines)


def main(words):
    if len(words) not in (2, 3):
        sys.exit(__doc__)
    text = tables(json.load(open(words[0], encoding="utf-8")), sections(words[1]))
    if len(words) == 2:
        return print(text)
    document = open(words[2], encoding="utf-8").read()
    parts = re.split(r"(<!-- /?counts -->)", document)
    if len(parts) != 5:
        sys.exit(f"conformance_table: {words[2]} has not one pair of marks <!-- counts --> and <!-- /counts -->")
    parts[2] = f"\n{text}\n"
    open(words[2], "w", encoding="utf-8").write("".join(parts))


main(sys.argv[1:])
