"""Reads from earlier results how much the forks of a benchmark differ."""

from collections.abc import Iterable, Sequence

import numpy as np

from steady.compare.known_forks import ENOUGH
from steady.compare.pair import FORK, Pair, fork_values, warm_forks
from steady.compare.round_tables import middle_mean, paired_differences
from steady.model import Benchmark, FloatArray
from steady.plan.known_forks import KnownForks

_MOST_FREEDOM = 2 * ENOUGH
"""Further runs are not looked at: a history may hold a hundred."""

_FORKS_OF_A_ROUND = 2


def forks_of(earlier: Sequence[Benchmark], base: Benchmark, head: Benchmark) -> KnownForks:
    """Estimate how much pairs of forks differ, and what iterations explain of it.

    Where two earlier results took turns with each other, their rounds tell, and nothing else does.
    Otherwise, two forks of one version differ by twice the variance between forks. A mean of its
    own is taken from each run, so that changes between them do not count.

    Parameters
    ----------
    earlier : sequence of Benchmark
        The benchmark in earlier runs.
    base, head : Benchmark
        The two results that are compared: rounds of theirs are not earlier ones.

    Returns
    -------
    KnownForks
        Nothing is learnt from results in another unit, with values that are not positive or out of
        range, or with fewer than two forks.
    """
    of_today = {*base.blocks, *head.blocks} - {""}
    left = [
        one
        for one in earlier
        if one.unit == head.unit and one.in_range and not of_today & set(one.blocks)
    ]
    rounds, forks = KnownForks(), KnownForks()
    while left and rounds.freedom < _MOST_FREEDOM:
        one = left.pop(0)
        beside = next((n for n, other in enumerate(left) if _took_turns(one, other)), None)
        if beside is not None:
            rounds += _of_rounds(Pair.of(one, left.pop(beside)))
        elif forks.freedom < _MOST_FREEDOM:
            forks += _of_forks(one)
    return rounds or forks


def runs_of(benchmarks: Iterable[Benchmark]) -> tuple[str, ...]:
    """Return the names of the interleaved runs that results come from, each once and sorted."""
    blocks = {block for benchmark in benchmarks for block in benchmark.blocks}
    return tuple(sorted({block.rpartition(":")[0] for block in blocks} - {""}))


def _took_turns(one: Benchmark, other: Benchmark) -> bool:
    turned = any(one.in_turn) and any(other.in_turn)
    return turned and bool(set(one.blocks) & set(other.blocks) - {""})


def _of_rounds(pair: Pair) -> KnownForks:
    if pair.cold_seconds or not pair.in_turn:
        return KnownForks()
    base, head = pair.sides_of_rounds
    if not _positive(base, head):
        return KnownForks()
    return of_rows(paired_differences(np.log(base), np.log(head)))


def _of_forks(benchmark: Benchmark) -> KnownForks:
    table = fork_values(warm_forks(benchmark))
    configuration = benchmark.configuration
    warmed = benchmark.warmup or (configuration and configuration.warmup_iterations)
    if benchmark.levels[0].name == FORK and not warmed:
        table = table[:, table.shape[1] // 2 :]  # its warm-up is among what was measured
    if not table.size or not _positive(table):
        return KnownForks()
    return of_rows(np.log(table), in_turn=False)


def _positive(*tables: FloatArray) -> bool:
    return all(bool((table[np.isfinite(table)] > 0).all()) for table in tables)


def of_rows(logs: FloatArray, *, in_turn: bool = True) -> KnownForks:
    """Estimate how much pairs of forks differ.

    Parameters
    ----------
    logs : ndarray of float64, shape (rounds or forks, iterations)
        The differences of rounds in turn, or the forks of one version; NaN where one has fewer.
    in_turn : bool
        Which of the two.
    """
    location, noise, _ = middle_mean(logs)
    location, noise = (values[np.isfinite(values)] for values in (location, noise))
    if len(location) < 2:
        return KnownForks()
    forks = 1 if in_turn else _FORKS_OF_A_ROUND
    steps = np.abs(np.diff(logs, axis=1))
    steps = np.zeros(1) if in_turn else steps[np.isfinite(steps)]
    return KnownForks(
        forks * float(location.var(ddof=1)),
        len(location) - 1,
        forks * float(noise.mean()) if noise.size else 0.0,
        float(np.median(steps)) if steps.size else 0.0,
    )
