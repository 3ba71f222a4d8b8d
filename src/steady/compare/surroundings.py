"""Two runs as measurements: machines that differ, or forks that are the same."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from steady.compare.pair import Pair, fork_values
from steady.errors import InputError
from steady.model import Benchmark, Environment, FloatArray, Suite
from steady.model.suite import unmeasured
from steady.stats.samples import row_medians
from steady.text.numbers import count, percent

BUSY = 0.15
"""From here on a machine counts as busy (`own_difference`). Of 40 published suites with iterations
of 1 s, none reaches 4.1 % (`evaluation.fork_priors`). Shorter ones differ by more: by 11 to 15 % in
ten real suites on a quiet virtual machine, by 20 and 39 % beside two busy processes."""

_FEWEST_BENCHMARKS = 3  # a single one may be restless by itself

_FIELDS = (("CPU", "cpu"), ("operating system", "os"), ("JDK", "jdk"), ("JVM", "vm"))
_RUNTIME = "runtime"
"""What `Environment.vm` is where no JDK runs it."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A way in which the two runs' surroundings differ.

    Parameters
    ----------
    what : str
        ``CPU``, ``operating system``, ``JDK``, ``JVM``, ``runtime``, ``JVM arguments``.
    base, head : str
        The two values, in plain text.
    benchmarks : int
        How many compared benchmarks it touches.
    """

    what: str
    base: str
    head: str
    benchmarks: int


def find_differences(pairs: Iterable[tuple[Environment, Environment]]) -> tuple[Difference, ...]:
    """Count the ways in which the surroundings of base and head differ.

    If a harness does not say something about one of the sides, that does not count as different.

    Parameters
    ----------
    pairs : iterable of (Environment, Environment)
        Base and head of each benchmark compared.

    Returns
    -------
    tuple of Difference
        Kind by kind; within a kind, the one that affects most benchmarks first.
    """
    counts = Counter(key for base, head in pairs for key in _differences(base, head))
    kinds = [what for what, _ in _FIELDS] + [_RUNTIME, "JVM arguments"]
    differences = [Difference(*key, count) for key, count in counts.items()]
    return tuple(
        sorted(differences, key=lambda d: (kinds.index(d.what), -d.benchmarks, d.base, d.head))
    )


def _differences(base: Environment, head: Environment) -> Iterator[tuple[str, str, str]]:
    for what, name in _FIELDS:
        values = getattr(base, name), getattr(head, name)
        if all(values) and values[0] != values[1]:
            is_java = name != "vm" or base.jdk or head.jdk
            yield (what if is_java else _RUNTIME, *values)
    if base.jvm_args != head.jvm_args and _tells_arguments(base) and _tells_arguments(head):
        yield "JVM arguments", " ".join(base.jvm_args), " ".join(head.jvm_args)


def _tells_arguments(environment: Environment) -> bool:
    """Tell whether an empty list means no arguments, and not that the harness did not say."""
    return bool(environment.jvm_args or environment.jdk or environment.vm)


_LEAST_DISTINCT = 5
"""Series of fewer different values, such as counts of allocations, may well repeat themselves."""

_CHANCE_IS_OUT = 20.0
"""Bits: one in a million."""


def refuse_same_run(base: Suite, head: Suite) -> None:
    """Raise the user's mistake where base and head are the same measurements.

    The measured values count, not the files, which may be copied, renamed, packed, or sorted
    otherwise. A run compared with itself always looks unchanged.

    Raises
    ------
    InputError
        If every benchmark that both hold has the same values in both, chance does not explain it,
        and the same benchmarks failed, or were skipped.
    """
    surprise = 0.0
    if set(unmeasured(base)) != set(unmeasured(head)):
        return
    for pair in _in_both(base, head):
        ours, theirs = map(_all_values, pair)
        if not np.array_equal(ours, theirs):
            return
        surprise += _surprise(ours)
    if surprise >= _CHANCE_IS_OUT:
        raise InputError(
            "base and head hold the same measurements, value for value, and a run compared with "
            "itself always looks unchanged; give the results of two runs"
        )


def holds_forks_of_other(base: Benchmark, head: Benchmark) -> bool:
    """Tell whether some forks of two results, but not all, are the same, not by chance.

    Then the results of one run were added to those of the other.
    """
    again = _repeated(base, head)
    if not again:
        return False
    sides = [fork_values(base), fork_values(head)]
    rows = [{row[np.isfinite(row)].tobytes() for row in side} for side in sides]
    distinct = len(np.unique(sides[0][np.isfinite(sides[0])]))
    if distinct < max(_LEAST_DISTINCT, sides[0].size / 2):  # not as fine as a clock
        return False
    bits = (len(row) * math.log2(distinct) - math.log2(len(rows[0])) for row in again)
    return rows[0] != rows[1] and sum(max(one, 0.0) for one in bits) >= _CHANCE_IS_OUT


def _repeated(base: Benchmark, head: Benchmark) -> list[FloatArray]:
    """Return the forks of head that base holds too."""
    ours, theirs = fork_values(base), fork_values(head)
    # The first values of complete forks tell nearly always, and fast.
    some = slice(1 if base.complete and head.complete else None)
    if set(ours[:, some].ravel().tolist()).isdisjoint(theirs[:, some].ravel().tolist()):
        return []
    known = {row[np.isfinite(row)].tobytes() for row in ours}
    finite = (row[np.isfinite(row)] for row in theirs)
    return [row for row in finite if row.tobytes() in known]


def shared_forks(base: Suite, head: Suite) -> str:
    """Return a remark on forks that both runs hold; empty if chance explains them.

    Such forks make the two sides more alike, so that a change looks smaller than it is.
    """
    each = (sum(map(_surprise, _repeated(*pair))) for pair in _in_both(base, head))
    sizes = [size for size in each if size]
    surprise, touched = sum(sizes), len(sizes)
    if surprise < _CHANCE_IS_OUT:
        return ""
    have = count(touched, "benchmark has", "benchmarks have")
    return (
        f"{have} forks with the same measurements in base and in head: results of one run stand "
        "on both sides, and hide changes"
    )


def _in_both(base: Suite, head: Suite) -> Iterator[tuple[Benchmark, Benchmark]]:
    return ((base[one.identity], one) for one in head.benchmarks if one.identity in base)


def _all_values(benchmark: Benchmark) -> FloatArray:
    values = benchmark.measured
    return np.sort(values[np.isfinite(values)])


def _surprise(values: FloatArray) -> float:
    """Return how unlikely it is, in bits, that a series comes out twice."""
    distinct = len(np.unique(values))
    return len(values) * math.log2(distinct) if distinct >= _LEAST_DISTINCT else 0.0


def own_difference(pairs: Iterable[Pair]) -> FloatArray:
    """Return how much each benchmark differs from itself.

    Returns
    -------
    ndarray of float64, shape (benchmarks,)
        The median difference between two iterations of one fork, one right after the other, as a
        fraction. Benchmarks without two such iterations, or with values of 0 or below, are left
        out.
    """
    alike: dict[tuple[tuple[int, ...], ...], list[Pair]] = defaultdict(list)
    for pair in pairs:
        alike[pair.base.shape, pair.head.shape].append(pair)
    medians = [np.empty(0)]
    for group in alike.values():
        sides = [pair.base for pair in group], [pair.head for pair in group]
        steps = np.concatenate([_steps(np.array(tables)) for tables in sides], axis=1)
        known = np.isfinite(steps).any(axis=1)
        medians.append(row_medians(steps[known]))
    return np.expm1(np.concatenate(medians))


def _steps(tables: FloatArray) -> FloatArray:
    """Return the steps of each benchmark of (benchmarks, forks, iterations), as logarithms."""
    positive = np.nanmin(tables, axis=(1, 2), keepdims=True) > 0
    logs = np.log(np.where(positive, tables, np.nan))
    return np.abs(np.diff(logs, axis=2)).reshape(len(tables), -1)


def busy_sentences(pairs: Sequence[Pair]) -> list[str]:
    """Say that the machine was busy, by what the benchmarks show; nothing if it was not."""
    sizes = own_difference(pairs)
    if len(sizes) < _FEWEST_BENCHMARKS or np.median(sizes) < BUSY:
        return []
    return [
        "this machine was busy: the same benchmark, measured twice in a row in one process, "
        f"differed by {percent(float(np.median(sizes)))} from itself (median); a quieter machine "
        "would show smaller changes, and so would more time"
    ]
