"""Names as Go prints them: with the number of processors at their end, and without the package."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from steady.harness.go.read.output import Output, Process
from steady.model import Identity

_PROCESSORS = re.compile(r"(?P<name>.+)-(?P<number>[2-9]|[1-9]\d{1,5})", re.ASCII)


def split_processors(printed: str, among: Collection[str] = ()) -> tuple[str, int]:
    """Split the number of processors from a printed name.

    Go appends ``-8`` if it used 8 processors, and nothing for one. The benchmark's own name may
    also end like this: ``BenchmarkSum/size-8``.

    Parameters
    ----------
    printed : str
        As printed.
    among : collection of str
        All names of the output, if Go used one processor for some of them. Then a name with such
        an ending ran with more processors only if the name without it is there, too.

    Returns
    -------
    name : str
        The name without the number.
    processors : int
        The number; 1 if none was printed.
    """
    match = _PROCESSORS.fullmatch(printed)
    if match is None or (among and match["name"] not in among):
        return printed, 1
    return match["name"], int(match["number"])


@dataclass(frozen=True, slots=True)
class PrintedNames:
    """The names of an output.

    Parameters
    ----------
    among : collection of str
        What `split_processors` has to know of the others.
    """

    among: Collection[str]

    @classmethod
    def of(cls, output: Output) -> PrintedNames:
        """Take the names of all processes."""
        among = {name for process in output.processes for name in process.benchmarks}
        return cls(() if all(map(_PROCESSORS.fullmatch, among)) else among)

    def in_process(self, process: Process) -> Iterator[tuple[str, Identity]]:
        """Yield the names that a process printed, each with the benchmark that it means."""
        only = self._only_processors(process) if process.failures else 1
        for printed in _names(process):
            yield printed, self._identity(process, printed, only)

    def _identity(self, process: Process, printed: str, only: int) -> Identity:
        """Return who a printed name is; one that failed at once is named without the processors."""
        processors = whole_number(process.from_steady.get("cpu", ""))
        if processors > 0:
            name = printed.removesuffix(f"-{processors}") if processors > 1 else printed
            threads = processors
        else:
            name, threads = split_processors(printed, self.among)
            if printed not in process.benchmarks and threads == 1:
                threads = only
        package = process.keys.get("pkg", "")
        return Identity(f"{package}.{name}" if package else name, threads=threads)

    def _only_processors(self, process: Process) -> int:
        """Return the number of processors of all its results; 1 if they differ."""
        numbers = {split_processors(printed, self.among)[1] for printed in process.benchmarks}
        return numbers.pop() if len(numbers) == 1 else 1


def _names(process: Process) -> Iterator[str]:
    """Yield the benchmarks of a process, without those whose sub-benchmarks failed."""
    ordered = sorted(process.failures)
    for printed in dict.fromkeys((*process.benchmarks, *process.failures)):
        below = f"{printed}/"
        place = bisect_left(ordered, below)
        if not (place < len(ordered) and ordered[place].startswith(below)):
            yield printed


def whole_number(text: str) -> int:
    """Return a number; 0 where a text is none."""
    return int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else 0
