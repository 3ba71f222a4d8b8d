"""Whether results were made as the plan says, and alike on both sides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steady.model import Benchmark, ExecutionConfiguration


def conformity_notes(
    base: Benchmark, head: Benchmark, planned: ExecutionConfiguration | None
) -> tuple[str, ...]:
    """Say how base and head were run otherwise than planned, or otherwise than each other.

    Parameters
    ----------
    base, head : Benchmark
        The two results.
    planned : ExecutionConfiguration, optional
        What the plan says; None where it does not know the benchmark.

    Returns
    -------
    tuple of str
        One sentence each; empty where all is as it should be.
    """
    notes = [*_lost_forks("base", base), *_lost_forks("head", head)]
    if planned is not None:
        again = min(_further_forks(side, planned) for side in (base, head))
        if again > 0:
            planned = replace(planned, forks=planned.forks + again)
            notes.append("looked at again, with more forks of either side")
        sides = {"base": _deviations(base, planned), "head": _deviations(head, planned)}
        if sides["base"] == sides["head"] != "":
            notes.append(f"base and head were not run as planned: {sides['base']}")
        else:
            notes += [f"{s} was not run as planned: {said}" for s, said in sides.items() if said]
    if base.configuration and head.configuration and base.configuration != head.configuration:
        said = _against(head.configuration, base.configuration, "base")
        notes += [f"base and head were not run alike: head had {said}"] if said else []
    return tuple(notes)


def _further_forks(benchmark: Benchmark, planned: ExecutionConfiguration) -> int:
    """Return how many forks more than planned an interleaved run gave a benchmark."""
    if benchmark.configuration is None or not benchmark.blocks:
        return 0
    return benchmark.configuration.forks - planned.forks


def _lost_forks(side: str, benchmark: Benchmark) -> list[str]:
    if benchmark.configuration is None or benchmark.levels[0].name != "fork":
        return []
    inner = tuple(range(1, benchmark.measured.ndim))
    left = int(np.isfinite(benchmark.measured).any(axis=inner).sum())
    told = benchmark.configuration.forks
    return [f"only {left} of {told} forks of {side} left a result"] if left < told else []


def _deviations(benchmark: Benchmark, planned: ExecutionConfiguration) -> str:
    if benchmark.configuration is None:
        return ""
    return _against(benchmark.configuration, planned, "planned")


def _against(
    actual: ExecutionConfiguration, expected: ExecutionConfiguration, expected_name: str
) -> str:
    """List where `actual` differs: ``1 fork (planned: 3), 5 iterations (planned: 10)``."""
    parts = [
        (_count(actual.forks, "fork"), _count(expected.forks, "fork")),
        (_iterations(actual, "warmup_"), _iterations(expected, "warmup_")),
        (_iterations(actual, ""), _iterations(expected, "")),
        (_batches(actual), _batches(expected)),
    ]
    names = ("", " of warm-up", "", "")
    return ", ".join(
        f"{is_}{name} ({expected_name}: {should})"
        for (is_, should), name in zip(parts, names, strict=True)
        if is_ != should
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _iterations(configuration: ExecutionConfiguration, prefix: str) -> str:
    number: int = getattr(configuration, f"{prefix}iterations")
    seconds: float = getattr(configuration, f"{prefix}seconds" if prefix else "iteration_seconds")
    if number == 0:
        return "no iterations"
    return f"{_count(number, 'iteration')} of {seconds:g} s"


def _batches(configuration: ExecutionConfiguration) -> str:
    return f"batches of {configuration.warmup_batch_size} and {configuration.batch_size}"
