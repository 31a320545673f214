#!/usr/bin/env python3
"""Tests tools/device_check.sh where no device is, by programs that stand in for those of a device.

usage: device_check.py REPOSITORY
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

BENCH = """#!/bin/sh
echo '{"name": "of '$1'", "value": 2.5, "unit": "GB/s", "against": "copy", "ratio": 0.5000, "goal": 0.9, "met": false}'
echo '{"name": "alone", "value": 7, "unit": "ms"}'
"""
PROGRAMS = {"cuda.good_dev": "exit 0", "cuda.bad_dev": "echo 'wrong: 3 == 4'; exit 1", "cuda.slow_dev": "sleep 60",
            "cuda.without_dev": "exit 77"}


def check(script, *arguments):
    result = subprocess.run([script, *arguments], capture_output=True, text=True, timeout=50)
    return result.returncode, result.stdout


def main():
    script = Path(sys.argv[1], "tools", "device_check.sh")
    with tempfile.TemporaryDirectory() as folder:
        kit = Path(folder, "nothing")
        code, output = check(script, "--kit", kit)
        assert (code, output.splitlines()[-1]) == (0, "no device"), output
        assert not kit.exists(), "it builds nothing without a device"

        for name, text in PROGRAMS.items():
            Path(folder, name).write_text(f"#!/bin/sh\n{text}\n")
        bench = Path(folder, "device_bench")
        bench.write_text("#!/bin/sh\necho no device\n")
        for program in Path(folder).iterdir():
            program.chmod(0o755)
        code, output = check(script, "--assume-device", "--kit", folder)
        assert (code, output.splitlines()[-1]) == (0, "no device"), output

        bench.write_text(BENCH)
        code, output = check(script, "--assume-device", "--kit", folder, "--seconds", "4")
        assert code == 1, "a test failed"
        assert "wrong: 3 == 4" in output
        lines = [json.loads(line) for line in Path(folder, "results.jsonl").read_text().splitlines()]
        status = {line["step"]: line["status"] for line in lines if "step" in line}
        want = {"device": "passed", "test bad": "failed", "test good": "passed", "test slow": "timeout",
                "test without": "skipped", "soak": "skipped"}  # no time was left
        assert want.items() <= status.items(), status
        assert sum(line["seconds"] for line in lines if "step" in line) < 8
        assert {"name": "of device", "value": 2.5, "unit": "GB/s", "against": "copy", "ratio": 0.5, "goal": 0.9,
                "met": False} in lines
        rows = [line.split() for line in output.splitlines()]
        assert ["of", "device", "2.5", "GB/s", "0.5000", "of", "copy", "0.9", "MISSED"] in rows, output
        assert ["alone", "7", "ms"] in rows, output
        assert ["1", "failed"] in rows, output
    print("no device, no program and no time left are what they are called")


if __name__ == "__main__":
    main()
