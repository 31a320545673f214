#!/usr/bin/env python3
"""Checks what a compiler does not: which layer includes which, and the size, head and name of files.

usage: check_layers.py [ROOT]. One line for each fault; exit code 1 if there is any. Warnings do not fail.
"""
import re
import sys
from pathlib import Path

# Left may not know right. Layers in one entry do not know each other.
LAYERS = ["core", "expr", "ops", "dispatch", "cpu cuda meta", "autograd", "graph amp profile", "nn", "optim data dist io interop"]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names.split()}

FOLDERS = ["include", "tests", "examples", "tools"]
HEADERS = {".hpp", ".cuh", ".h"}
SOURCES = HEADERS | {".cpp", ".cu", ".py", ".sh", ".cmake"}
WARN_LINES, MAX_LINES, HEAD_LINES = 400, 600, 12

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def included_fault(layer, bracket, target):
    """Why a header of `layer` (None: a door, include/tt/x.hpp) may not include `target`, or None if it may."""
    if bracket == '"':
        return f'"{target}": write <tt/...>, so that the layer shows'
    if not target.startswith("tt/") or layer is None or target == "tt/fwd.hpp":
        return None
    folders = target.split("/")[1:-1]
    if not folders:
        return f"<{target}> is a door; a layer may only include headers of layers, or <tt/fwd.hpp>"
    other = folders[0]
    if other not in LEVEL:
        return f"<{target}> is in no known layer"
    if other != layer and LEVEL[other] >= LEVEL[layer]:
        return f"<{target}>: {layer} may not know {other}"
    return None


def layer_faults(path, name, lines):
    parts = name.split("/")[2:]                      # include/tt/core/shape.hpp -> core, shape.hpp
    layer = parts[0] if len(parts) > 1 else None
    if layer is not None and layer not in LEVEL:
        yield f"{name}: the folder {layer} is no known layer"
        return
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        fault = match and included_fault(layer, *match.groups())
        if fault:
            yield f"{name}:{number}: {fault}"


def file_faults(path, name, lines):
    if re.search(r"utils|misc", path.name, re.IGNORECASE):
        yield f"{name}: a name that says what is in it, not utils or misc"
    if len(lines) > MAX_LINES:
        yield f"{name}: {len(lines)} lines, at most {MAX_LINES}"
    if path.suffix in HEADERS:
        if "#pragma once" not in lines:
            yield f"{name}: no #pragma once"
        if not any(line.lstrip().startswith(("//", "/*")) for line in lines[:HEAD_LINES]):
            yield f"{name}: no comment in its first {HEAD_LINES} lines says what it is for"


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    faults = []
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*")):
        if not path.is_file() or path.suffix not in SOURCES:
            continue
        name = path.relative_to(root).as_posix()
        lines = path.read_text(encoding="utf-8").splitlines()
        if WARN_LINES < len(lines) <= MAX_LINES:
            print(f"warning: {name}: {len(lines)} lines; over {WARN_LINES} needs a reason")
        faults += file_faults(path, name, lines)
        if name.startswith("include/tt/"):
            faults += layer_faults(path, name, lines)
    print("\n".join(faults) if faults else "layers and files: no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
