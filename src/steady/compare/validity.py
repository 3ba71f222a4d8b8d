"""Checks of a comparison's validity: environments, repeated forks, and a busy machine."""

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
"""Median difference between iterations (`iteration_steps`) from which a machine counts as busy. It
is below 4.1 % in 40 published suites with iterations of 1 s (`evaluation.fork_priors`). With
shorter iterations, it was 11 to 15 % in ten real suites on a quiet virtual machine, and 20 and 39 %
next to two busy processes."""

_FEWEST_BENCHMARKS = 3  # a single benchmark may be noisy on a quiet machine

_FIELDS = (("CPU", "cpu"), ("operating system", "os"), ("JDK", "jdk"), ("JVM", "vm"))
_RUNTIME = "runtime"
"""The name of `Environment.vm` without a JDK."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between the environments of the two runs.

    Parameters
    ----------
    what : str
        ``CPU``, ``operating system``, ``JDK``, ``JVM``, ``runtime``, ``JVM arguments``.
    base, head : str
        The two values, in plain text.
    benchmarks : int
        Number of compared benchmarks that it affects.
    """

    what: str
    base: str
    head: str
    benchmarks: int


def compare_environments(
    pairs: Iterable[tuple[Environment, Environment]],
) -> tuple[Difference, ...]:
    """Find the differences between the environments of base and head.

    A field that is unknown on one side is not a difference.

    Parameters
    ----------
    pairs : iterable of (Environment, Environment)
        Base and head of each compared benchmark.

    Returns
    -------
    tuple of Difference
        By kind; within a kind, those that affect most benchmarks first.
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
    if base.jvm_args != head.jvm_args and _knows_arguments(base) and _knows_arguments(head):
        yield "JVM arguments", " ".join(base.jvm_args), " ".join(head.jvm_args)


def _knows_arguments(environment: Environment) -> bool:
    """Return whether an empty list means no arguments, rather than unknown ones."""
    return bool(environment.jvm_args or environment.jdk or environment.vm)


_LEAST_DISTINCT = 5
"""Smallest number of distinct values; shorter series, such as counts, may repeat by chance."""

_ENOUGH_BITS = 20.0
"""Surprisal in bits that rules out chance: one in a million."""


def refuse_same_measurements(base: Suite, head: Suite) -> None:
    """Raise an error if base and head contain the same measurements.

    Values are compared, since files may be copied, renamed, compressed, or sorted. A run compared
    with itself would always be unchanged.

    Raises
    ------
    InputError
        If every common benchmark has the same values in both, beyond chance, and the same
        benchmarks failed or were skipped.
    """
    surprise = 0.0
    if set(unmeasured(base)) != set(unmeasured(head)):
        return
    for pair in _in_both(base, head):
        ours, theirs = map(_all_values, pair)
        if not np.array_equal(ours, theirs):
            return
        surprise += _surprise(ours)
    if surprise >= _ENOUGH_BITS:
        raise InputError(
            "base and head contain identical measurements, so no change can be found; give the "
            "results of two different runs"
        )


def repeats_some_forks(base: Benchmark, head: Benchmark) -> bool:
    """Return whether two results have some forks in common, but not all, beyond chance.

    The results of one run were then added to those of the other.
    """
    again = _repeated(base, head)
    if not again:
        return False
    sides = [fork_values(base), fork_values(head)]
    rows = [{row[np.isfinite(row)].tobytes() for row in side} for side in sides]
    distinct = len(np.unique(sides[0][np.isfinite(sides[0])]))
    if distinct < max(_LEAST_DISTINCT, sides[0].size / 2):  # coarser than a clock
        return False
    bits = (len(row) * math.log2(distinct) - math.log2(len(rows[0])) for row in again)
    return rows[0] != rows[1] and sum(max(one, 0.0) for one in bits) >= _ENOUGH_BITS


def _repeated(base: Benchmark, head: Benchmark) -> list[FloatArray]:
    """Return the forks of head that are also in base."""
    ours, theirs = fork_values(base), fork_values(head)
    # The first values of complete forks nearly always suffice, and are fast to compare.
    some = slice(1 if base.complete and head.complete else None)
    if set(ours[:, some].ravel().tolist()).isdisjoint(theirs[:, some].ravel().tolist()):
        return []
    known = {row[np.isfinite(row)].tobytes() for row in ours}
    finite = (row[np.isfinite(row)] for row in theirs)
    return [row for row in finite if row.tobytes() in known]


def repeated_forks_remark(base: Suite, head: Suite) -> str:
    """Return a remark on forks that are in both runs; empty if they may be equal by chance.

    Such forks bias a change towards zero.
    """
    each = (sum(map(_surprise, _repeated(*pair))) for pair in _in_both(base, head))
    sizes = [size for size in each if size]
    surprise, touched = sum(sizes), len(sizes)
    if surprise < _ENOUGH_BITS:
        return ""
    have = count(touched, "benchmark has", "benchmarks have")
    return (
        f"{have} forks with the same measurements in base and in head: results of one run are "
        "on both sides and hide changes"
    )


def _in_both(base: Suite, head: Suite) -> Iterator[tuple[Benchmark, Benchmark]]:
    return ((base[one.identity], one) for one in head.benchmarks if one.identity in base)


def _all_values(benchmark: Benchmark) -> FloatArray:
    values = benchmark.measured
    return np.sort(values[np.isfinite(values)])


def _surprise(values: FloatArray) -> float:
    """Return the surprisal of a repeated series, in bits."""
    distinct = len(np.unique(values))
    return len(values) * math.log2(distinct) if distinct >= _LEAST_DISTINCT else 0.0


def iteration_steps(pairs: Iterable[Pair]) -> FloatArray:
    """Return the median difference between successive iterations of each benchmark.

    Returns
    -------
    ndarray of float64, shape (benchmarks,)
        Differences as fractions. Benchmarks are excluded if no fork has two successive iterations,
        or if a value is not positive.
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
    """Return the absolute log differences of successive iterations, shape (benchmarks, steps)."""
    positive = np.nanmin(tables, axis=(1, 2), keepdims=True) > 0
    logs = np.log(np.where(positive, tables, np.nan))
    return np.abs(np.diff(logs, axis=2)).reshape(len(tables), -1)


def busy_remarks(pairs: Sequence[Pair]) -> list[str]:
    """Return a remark if the iterations show that the machine was busy."""
    sizes = iteration_steps(pairs)
    if len(sizes) < _FEWEST_BENCHMARKS or np.median(sizes) < BUSY:
        return []
    return [
        "this machine was busy: successive iterations of a benchmark differ by "
        f"{percent(float(np.median(sizes)))} (median); a quieter machine or more time makes "
        "smaller changes detectable"
    ]
