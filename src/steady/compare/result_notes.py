"""Notes on results that deviate from the plan, from each other, or from the harness's score.

Rules use robust estimates, such as medians, so their values may differ from the harness's output.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steady.compare.benchmark_change import Estimate
from steady.compare.pair import FORK, fork_values
from steady.compare.rule import Judgement, not_warm
from steady.harness.known_facts import Score
from steady.model import Benchmark, ExecutionConfiguration, FloatArray
from steady.stats.samples import row_medians
from steady.text.escape import shorten
from steady.text.numbers import count

_LONGEST_MARK = 120

_GUESSED = 2.0
"""Guessed seconds of an iteration may differ by this factor although the options are the same."""


def conformity_notes(
    base: Benchmark, head: Benchmark, planned: ExecutionConfiguration | None
) -> tuple[str, ...]:
    """Return notes on deviations of base and head from the plan, or from each other.

    Parameters
    ----------
    base, head : Benchmark
        The two results.
    planned : ExecutionConfiguration, optional
        Configuration of the plan; None if the benchmark is not in it.

    Returns
    -------
    tuple of str
        One sentence for each deviation.
    """
    notes = [*_lost_forks("base", base), *_lost_forks("head", head)]
    if planned is not None:
        decided = _decided_forks(base, head)
        again = min(_further_forks(side, planned) for side in (base, head))
        if decided:
            planned = replace(planned, forks=decided)
        elif again > 0:
            planned = replace(planned, forks=planned.forks + again)
            notes.append("measured again, with more forks of base and head")
        sides = {"base": _deviations(base, planned), "head": _deviations(head, planned)}
        if sides["base"] == sides["head"] != "":
            notes.append(f"base and head deviate from the plan: {sides['base']}")
        else:
            notes += [f"{s} deviates from the plan: {how}" for s, how in sides.items() if how]
    ours, theirs = base.configuration, head.configuration
    if ours and theirs and base.calibrated and head.calibrated:
        theirs = replace(ours, forks=theirs.forks)
    if ours and theirs and ours != theirs:
        how = _against(theirs, ours, "base")
        notes += [f"base and head ran with different configurations: head had {how}"] if how else []
    return tuple(notes)


def cold_notes(base: Benchmark, head: Benchmark) -> tuple[str, ...]:
    """Return a note on the rounds that were excluded because their forks were cold."""
    sides = [side.cold_seconds for side in (base, head) if any(side.cold_seconds)]
    if not sides:
        return ()
    cold = max(sum(map(bool, side)) for side in sides)
    after = not_warm(max(map(max, sides)))
    return (f"{cold:,} of {count(max(map(len, sides)), 'round')} excluded: {after}",)


def unlike(base: Benchmark, head: Benchmark) -> str:
    """Return the difference in configuration that makes two results incomparable.

    Warm-up, length of iterations and size of batches affect the measured value. The numbers of
    forks and iterations do not, nor do settings that the harness calibrates from the speed.

    Parameters
    ----------
    base, head : Benchmark
        The two results.

    Returns
    -------
    str
        A clause that is equal for benchmarks with equal configurations; empty if the results are
        comparable, or if a configuration is unknown.
    """
    if other := _other_variant(base, head):
        return other
    ours, theirs = base.configuration, head.configuration
    # In one interleaved run, configurations differ only if forks were stopped live.
    interleaved = bool(set(base.blocks) & set(head.blocks) - {""})
    if ours is None or theirs is None or interleaved or base.calibrated or head.calibrated:
        return ""
    exact = base.levels[0].name == FORK  # for Go, the configuration is an estimate
    alike = (
        _same_seconds(ours.iteration_seconds, theirs.iteration_seconds, exact)
        and _same_seconds(_warmup_amount(ours), _warmup_amount(theirs), exact)
        and ours.batch_size == theirs.batch_size
        and (_warmup_amount(ours) == 0 or ours.warmup_batch_size == theirs.warmup_batch_size)
    )
    return "" if alike else f"base ran {_as_run(ours)}, head {_as_run(theirs)}"


def _other_variant(base: Benchmark, head: Benchmark) -> str:
    """Return a clause if the results are of different benchmarks; otherwise an empty string."""
    for mark in base.variant.keys() & head.variant.keys():
        ours, theirs = (shorten(side.variant[mark], _LONGEST_MARK) for side in (base, head))
        if base.variant[mark] != head.variant[mark]:
            return f"its {mark} is {ours} in base and {theirs} in head: different benchmarks"
    return ""


def _warmup_amount(configuration: ExecutionConfiguration) -> float:
    """Return seconds of warm-up, or the number of iterations if these are single shots."""
    return configuration.warmup_iterations * (configuration.warmup_seconds or 1.0)


def _same_seconds(ours: float, theirs: float, exact: bool) -> bool:
    if exact or 0 in (ours, theirs):
        return math.isclose(ours, theirs, rel_tol=1e-6)
    return max(ours, theirs) <= _GUESSED * min(ours, theirs)


def _as_run(configuration: ExecutionConfiguration) -> str:
    """Return ``iterations of 1 s after 3 of 1 s as warm-up``."""
    seconds = configuration.iteration_seconds
    each = f"iterations of {seconds:g} s" if seconds else "single shots"
    batch = f" in batches of {configuration.batch_size}" if configuration.batch_size > 1 else ""
    if configuration.warmup_iterations == 0:
        return f"{each}{batch} without warm-up"
    warmup = f"{configuration.warmup_iterations}"
    if configuration.warmup_seconds:
        warmup += f" of {configuration.warmup_seconds:g} s"
    if configuration.warmup_batch_size > 1:
        warmup += f" in batches of {configuration.warmup_batch_size}"
    return f"{each}{batch} after {warmup} as warm-up"


def _decided_forks(base: Benchmark, head: Benchmark) -> int:
    """Return the forks of each side in a run with interim analyses; otherwise 0."""
    given = {b.configuration.forks if b.configuration and b.looks else 0 for b in (base, head)}
    return given.pop() if len(given) == 1 else 0


def _further_forks(benchmark: Benchmark, planned: ExecutionConfiguration) -> int:
    """Return the number of forks beyond the plan in an interleaved run."""
    if benchmark.configuration is None or not benchmark.blocks:
        return 0
    return benchmark.configuration.forks - planned.forks


def _lost_forks(side: str, benchmark: Benchmark) -> list[str]:
    if benchmark.configuration is None or benchmark.levels[0].name != FORK:
        return []
    left, forks = len(fork_values(benchmark)), benchmark.configuration.forks
    return [f"only {left} of {forks} forks of {side} have a result"] if left < forks else []


def _deviations(benchmark: Benchmark, planned: ExecutionConfiguration) -> str:
    if benchmark.configuration is None:
        return ""
    actual = benchmark.configuration
    if benchmark.calibrated:
        actual = replace(
            actual,
            warmup_seconds=planned.warmup_seconds,
            iteration_seconds=planned.iteration_seconds,
        )
    if any(benchmark.in_turn) and _in_short_turns(actual, planned):
        actual = replace(
            actual, iterations=planned.iterations, iteration_seconds=planned.iteration_seconds
        )
    return _against(actual, planned, "planned")


def _in_short_turns(actual: ExecutionConfiguration, planned: ExecutionConfiguration) -> bool:
    """Return whether planned iterations ran as shorter turns with at most the same total time."""
    measured, should = (one.iterations * one.iteration_seconds for one in (actual, planned))
    return actual.iteration_seconds < planned.iteration_seconds and measured <= should


def _against(
    actual: ExecutionConfiguration, expected: ExecutionConfiguration, expected_name: str
) -> str:
    """List the differences of `actual`: ``1 fork (planned: 3), 5 iterations (planned: 10)``."""
    names = ("", " of warm-up", "", "")
    return ", ".join(
        f"{is_}{name} ({expected_name}: {should})"
        for is_, should, name in zip(_in_words(actual), _in_words(expected), names, strict=True)
        if is_ != should
    )


def _in_words(configuration: ExecutionConfiguration) -> tuple[str, str, str, str]:
    """Return forks, iterations of warm-up, measured iterations, and sizes of batches."""
    c = configuration
    lengths = ((c.warmup_iterations, c.warmup_seconds), (c.iterations, c.iteration_seconds))
    warmup, measured = (
        f"{count(number, 'iteration')} of {seconds:g} s" if number else "no iterations"
        for number, seconds in lengths
    )
    batches = f"batches of {c.warmup_batch_size} and {c.batch_size}"
    return count(c.forks, "fork"), warmup, measured, batches


def harness_score(benchmark: Benchmark, score: Score | None) -> float | None:
    """Return the score that the harness's own tools show for a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
        Benchmark with measured iterations.
    score : Score, optional
        Kind of score: the mean of all iterations of all forks, or their median.

    Returns
    -------
    float or None
        Score in the benchmark's unit. None for harnesses without a score, and in modes without it.
    """
    if score is None or benchmark.identity.mode in score.not_of:
        return None
    values = benchmark.measured.ravel()
    values = values if benchmark.complete else values[np.isfinite(values)]
    if not values.size:
        return None
    # `mean` takes three times as long for so few values.
    return float(values.sum() / values.size if score.kind == "mean" else np.median(values))


def with_scores(found: Judgement, sides: Sequence[Benchmark], score: Score | None) -> Judgement:
    """Return a judgement with the harness's scores of base and head."""
    base, head = (harness_score(side, score) for side in sides)
    return replace(found, base=found.base.with_score(base), head=found.head.with_score(head))


def score_notes(
    changed: Judgement, sides: Sequence[Benchmark], score: Score | None, least: float
) -> tuple[str, ...]:
    """Explain a large difference between a harness's score and the shown value.

    Only changed benchmarks get this note, to avoid one on every benchmark of an unchanged suite.

    Parameters
    ----------
    changed : Judgement
        Judgement with scores.
    sides : sequence of Benchmark
        Base and head.
    score : Score, optional
        Score of their harness.
    least : float
        Smallest relative difference that needs a note.

    Returns
    -------
    tuple of str
        A note without numbers, so that a report can group benchmarks by it.
    """
    shown = zip((changed.base, changed.head), sides, strict=True)
    estimate, benchmark = max(shown, key=lambda one: abs(_off(one[0])))
    off = _off(estimate)
    if score is None or abs(off) <= least:
        return ()
    where = "above" if off > 0 else "below"
    why = _why(fork_values(benchmark), estimate.center, off, least)
    return (f"{score.words} is well {where} the value shown here: {why}",)


def _off(estimate: Estimate) -> float:
    if estimate.score is None or estimate.center == 0:
        return 0.0
    return estimate.score / estimate.center - 1


def _why(table: FloatArray, center: float, off: float, least: float) -> str:
    """Return the reason why the mean differs from the median; `table` has a row for each fork."""
    of_forks = float(np.nanmean(row_medians(table))) / center - 1
    if abs(of_forks) >= abs(off) / 2 and of_forks * off > 0:
        return "its forks differ"
    half = table.shape[1] // 2
    halves = np.stack([table[:, :half], table[:, table.shape[1] - half :]])
    halves = halves[:, ~np.isnan(halves).all(axis=2).any(axis=0)]  # a fork may have ended early
    if halves.size:
        early, late = map(row_medians, halves)
        with np.errstate(all="ignore"):
            drift = float(np.nanmedian(early / late - 1))
        if abs(drift) > least:
            return "its iterations still drift"
    return "a few iterations are outliers"
