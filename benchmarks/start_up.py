"""Start-up time: CPU time of `steady --version`, the import, and some commands.

Usage: python benchmarks/start_up.py [--times N] [--only TEXT] [--beside SRC]

Each line is a program in a separate process, run a number of times after an uncounted first run,
which compiles the modules. The time is user and system time together. The comparison is of the
demo's results. With --beside, runs of this version are interleaved with those of another source,
and the last column is the ratio of the medians.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import steady
from steady.demo import recording

COMMAND = "import sys; from steady.cli import main; sys.exit(main())"
HERE = Path(steady.__path__[0]).parent


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--times", type=int, default=11, metavar="N")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--beside", type=Path, metavar="SRC")
    given = parser.parse_args(arguments)
    sources = [HERE] if given.beside is None else [given.beside.resolve(), HERE]
    print(f"| what | median, s of processor time | least | most |{' ratio |' * (len(sources) - 1)}")
    print(f"|:--|--:|--:|--:|{'--:|' * (len(sources) - 1)}")
    with programs() as known, TemporaryDirectory() as compiled:
        own = {**os.environ, "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
        environments = [{**own, "PYTHONPATH": str(source)} for source in sources]
        for name, program in known.items():
            if given.only in name:
                print(row(name, program, environments, given.times), flush=True)
    return 0


@contextmanager
def programs() -> Iterator[Mapping[str, Sequence[str]]]:
    """Yield the programs by their names, with the demo unpacked for as long as they run."""
    with recording() as demo:
        sides = ["--base", str(demo.pull_request.base), "--head", str(demo.pull_request.head)]
        yield {
            "python -c pass": ["pass"],
            "steady --version": [COMMAND, "--version"],
            "import steady": ["import steady"],
            "import of all that steady.action needs": ["import steady.action.one_run"],
            "steady compare": [COMMAND, "compare", "--fail-on", "never", *sides],
            "steady plan --help": [COMMAND, "plan", "--help"],
            "steady changed --help": [COMMAND, "changed", "--help"],
            "steady methods": [COMMAND, "methods"],
        }


def row(
    name: str, program: Sequence[str], environments: Sequence[Mapping[str, str]], times: int
) -> str:
    """Return a row of the table, for the last of `environments`."""
    for one in environments:
        processor_time(program, one)
    turns = [[processor_time(program, one) for one in environments] for _ in range(times)]
    columns = [sorted(seconds) for seconds in zip(*turns, strict=True)]
    medians = [statistics.median(column) for column in columns]
    own = columns[-1]
    cells = [f"{value:.2f}" for value in (medians[-1], own[0], own[-1])]
    if len(environments) > 1:
        cells.append(f"{medians[1] / medians[0]:.2f}")
    return f"| {name} | {' | '.join(cells)} |"


def processor_time(program: Sequence[str], environment: Mapping[str, str]) -> float:
    """Return the CPU time of a separate process in seconds."""
    process = subprocess.Popen(
        [sys.executable, "-c", *program],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, program
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
