"""The number of processors that Go prints behind a benchmark's name.

Go appends ``-8`` if the benchmark used 8 processors, and nothing for one. A sub-benchmark's own
name may also end like this, ``BenchmarkSum/size-8``; that of a function cannot.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from steady.model import Identity, Suite
from steady.model.suite import unmeasured

_PROCESSORS = re.compile(r"(?P<name>.+)-(?P<number>[2-9]|[1-9]\d{1,5})", re.ASCII | re.DOTALL)


@dataclass(frozen=True, slots=True)
class ProcessorCounts:
    """The numbers of processors that the benchmarks of an output ran with.

    Parameters
    ----------
    counts : collection of int
        The numbers (``-cpu``).
    names : collection of str
        All names as they were printed.
    """

    counts: Collection[int]
    names: Collection[str]

    @classmethod
    def of(cls, names: Iterable[str]) -> "ProcessorCounts":
        """Find the numbers of processors in the names of an output.

        Go runs every benchmark with each number of ``-cpu``. The name of a function ends in no
        other number, so the numbers of functions decide. If all are sub-benchmarks, a single number
        that all have in common is that of the processors, and so are several numbers that each of
        two or more benchmarks has. Other numbers belong to the names.
        """
        printed = frozenset(names)
        functions = {_split(name)[1] for name in printed if "/" not in name}
        if functions:
            return cls(functions, printed)
        numbers: dict[str, set[int]] = defaultdict(set)
        for name in printed:
            stem, number = _split(name)
            numbers[stem].add(number)
        every = set().union(*numbers.values())
        alike = all(own == every for own in numbers.values())
        if 1 in every or len(every) == 1 or (alike and len(numbers) > 1):
            return cls(every, printed)
        return cls({1}, printed)

    def split(self, printed: str) -> tuple[str, int]:
        """Split the number of processors from a printed name.

        If some benchmarks ran with one processor, the number at the end of a name counts only if
        the name without it also occurs.

        Returns
        -------
        name : str
            The name without the number.
        processors : int
            The number; 1 if none was printed.
        """
        name, number = _split(printed)
        if number not in self.counts or (1 in self.counts and name not in self.names):
            return printed, 1
        return name, number


def _split(printed: str) -> tuple[str, int]:
    match = _PROCESSORS.fullmatch(printed)
    return (printed, 1) if match is None else (match["name"], int(match["number"]))


def printed_name(identity: Identity) -> str:
    """Return the name of a benchmark as Go prints it."""
    return f"{identity.name}-{identity.threads}" if identity.threads > 1 else identity.name


def renames(base: Suite, head: Suite) -> Mapping[Identity, Identity]:
    """Match benchmarks with the same printed name that were split differently in two outputs.

    An additional benchmark in one output may show that the number at the end of all other names is
    not the number of processors. See `steady.harness.contract.Harness.renames`.
    """
    sides = [{printed_name(i): i for i in (*suite, *unmeasured(suite))} for suite in (base, head)]
    found: dict[Identity, Identity] = {}
    for text in sides[0].keys() & sides[1].keys():
        for identity in (side[text] for side in sides):
            if sides[0][text] != sides[1][text] and identity.threads > 1:
                found[identity] = Identity(text)
    # A benchmark that failed at once is printed without a number, and has that of all others.
    wrong = {identity.threads for identity in found}
    for failure in (one for suite in (base, head) for one in suite.failures):
        alone = Identity(failure.identity.name)
        if failure.identity.threads in wrong and (alone in base or alone in head):
            found.setdefault(failure.identity, alone)
    return found
