"""How long a start takes: processor time of `steady --version`, the import, a comparison.

Usage: python benchmarks/start_up.py [--times N]

Each line is a program in a process of its own, run so many times after a first run that is not
counted. The time is user and system time together. The comparison is of the demo's results.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence

from steady.demo import recording

COMMAND = "import sys; from steady.cli import main; sys.exit(main())"


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--times", type=int, default=11, metavar="N")
    times = parser.parse_args(arguments).times
    print("| what | median, s of processor time | least | most |")
    print("|:--|--:|--:|--:|")
    with recording() as demo:
        sides = ["--base", str(demo.pull_request.base), "--head", str(demo.pull_request.head)]
        programs = {
            "python -c pass": ["pass"],
            "steady --version": [COMMAND, "--version"],
            "import steady": ["import steady"],
            "import of all that steady.action needs": ["import steady.action.__main__"],
            "steady compare": [COMMAND, "compare", "--fail-on", "never", *sides],
        }
        for name, program in programs.items():
            processor_time(program)
            seconds = sorted(processor_time(program) for _ in range(times))
            took = (statistics.median(seconds), seconds[0], seconds[-1])
            print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in took) + " |", flush=True)
    return 0


def processor_time(program: Sequence[str]) -> float:
    """Return the seconds that a program of its own took."""
    process = subprocess.Popen(
        [sys.executable, "-c", *program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, program
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
