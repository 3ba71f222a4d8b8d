"""Count the instructions or allocations of a benchmark, in processes separate from the timed ones.

callgrind counts instructions. ``perf`` counts those of a whole command if the processor has a
counter for them. The library ``counted_part.c`` marks the counted part for callgrind.
"""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from steady.errors import InputError
from steady.harness.fork_facts import Counters
from steady.programs.clock_turns import built_library
from steady.programs.process import NotInTurnError, Program, run_alone
from steady.safe_open import read_regular

ALLOCATIONS, INSTRUCTIONS = "allocations", "instructions"

_ROUNDS = 5
"""Number of counted rounds, as a verdict on a count needs (`steady.compare.counts`)."""

_PART = Path(__file__).with_name("counted_part.c")
_PERF = ("perf", "stat", "-x,", "-e", "instructions:u")
_CALLGRIND = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null")
_COLLECTED = " Collected : "
_SAME = {"PYTHONHASHSEED": "0"}
"""Otherwise, sets of Python have a different order in each process."""


def number_in(file: Path) -> float:
    """Return the number in a file; raise OSError, ValueError or InputError if there is none."""
    return float(read_regular(file))


@dataclass
class Counter:
    """The counts of a session, such as allocated bytes or instructions.

    Parameters
    ----------
    asked : sequence of str
        Names of the counts.
    scratch : Path
        Folder for temporary files.
    whole : bool
        Whether the whole process is counted. Otherwise it marks the counted part by `library`.

    Raises
    ------
    InputError
        If the program that counts is not installed.
    """

    asked: Sequence[str]
    scratch: Path
    whole: bool = False

    def __post_init__(self) -> None:
        self._until = 0.0
        if INSTRUCTIONS not in self.asked or (self.whole and _has_perf()):
            return
        if shutil.which(_CALLGRIND[0]) is None:
            raise InputError("--count instructions needs valgrind; install it")
        if not self.whole:
            _ = self.library

    @cached_property
    def library(self) -> Path:
        """The library by which a process marks its counted part."""
        try:
            return built_library(self.scratch, _PART, "counts of instructions").resolve()
        except NotInTurnError as error:
            raise InputError(f"{error}; valgrind's headers are also needed") from None

    def begin(self, seconds: float) -> None:
        """Start the time limit, in seconds, for the timed and the counted processes."""
        self._until = time.monotonic() + seconds

    def counts(
        self,
        round_number: int,
        program: Callable[[str, Path], Program],
        read: Callable[[Path], float] = number_in,
    ) -> Counters:
        """Return the counts of a benchmark.

        Parameters
        ----------
        round_number : int
            Number of the round, from 0; only the first ones are counted.
        program : callable
            Returns the program, given the name of the count and a file that it may write.
        read : callable
            Reads that file; may raise LookupError, OSError, ValueError or InputError.
        """
        asked = self.asked if round_number < _ROUNDS else ()
        return tuple((what, self._count(what, program, read)) for what in asked)

    def _count(
        self, what: str, program: Callable[[str, Path], Program], read: Callable[[Path], float]
    ) -> float | None:
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            file = Path(folder).resolve() / "count"
            plain = program(what, file)
            words = self._watched(file) if what == INSTRUCTIONS else ()
            variables = {**plain.environment, **_SAME}
            run = replace(plain, command=(*words, *plain.command), environment=variables)
            try:
                ended = run_alone(run, max(self._until - time.monotonic(), 0.0))
                if ended.timed_out or ended.code != 0:
                    return None
                return _instructions(file) if what == INSTRUCTIONS else read(file)
            except (LookupError, OSError, ValueError, InputError):
                return None

    def _watched(self, file: Path) -> tuple[str, ...]:
        """Return the command that counts the instructions of the command after it."""
        if self.whole and _has_perf():
            return (*_PERF, "-o", str(file), "--")
        more = "--trace-children=yes" if self.whole else "--instr-atstart=no"
        return (*_CALLGRIND, more, f"--log-file={file}.%p")


def _instructions(file: Path) -> float:
    """Return the count that perf wrote to a file, or the sum of callgrind's logs beside it."""
    if file.exists():
        lines = read_regular(file).decode().splitlines()
        return float(next((one for one in lines if one[:1].isdigit()), "").partition(",")[0])
    logs = [read_regular(one).decode(errors="replace") for one in file.parent.iterdir()]
    found = [line for log in logs for line in log.splitlines() if _COLLECTED in line]
    total = sum(int(line.partition(_COLLECTED)[2].split()[0]) for line in found)
    if total == 0:
        raise ValueError("the part that counts was not run")
    return float(total)


@cache
def _has_perf() -> bool:
    """Return whether perf is installed and can count instructions on this processor."""
    try:
        told = subprocess.run(  # noqa: S603
            [*_PERF, "true"], capture_output=True, check=False, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return told.returncode == 0 and told.stderr[:1].isdigit()
