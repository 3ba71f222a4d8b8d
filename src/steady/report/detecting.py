"""What a plan for the verdict finds, in words: before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from steady.optimize.plan import BenchmarkPlan, Plan
from steady.text.counting import count
from steady.text.numbers import duration, percent, share

_LARGEST = 1.0
"""A larger change is found by looking; how much larger it has to be says nothing."""


def finds(entry: BenchmarkPlan) -> str:
    """Write the change that a benchmark's plan is enough to find; a dash where it is not known."""
    if entry.detectable is None:
        return "–"
    if entry.detectable > _LARGEST:
        return f"> {percent(_LARGEST)}" if entry.recorded_rounds else "–"
    return f"{'' if entry.recorded_rounds else '≤ '}{percent(entry.detectable)}"


def detection_sentences(plan: Plan) -> str:
    """Say how long base and head take together, and how many benchmarks find what was asked for.

    Returns
    -------
    str
        Empty if the plan was made for another purpose.
    """
    wish = plan.wish
    if wish is None:
        return ""
    known = [e for e in plan.benchmarks if e.detectable is not None]
    sizes = sorted(e.detectable for e in known if e.detectable is not None)
    others = [size for size in sizes if size > wish]
    reached, unknown = len(sizes) - len(others), len(plan) - len(sizes)
    took_turns = any(e.recorded_rounds for e in known)
    parts = [f"Base and head in turn take {duration(plan.pair_seconds)} together."]
    if reached or took_turns:
        parts.append(
            f"{reached:,} of {count(len(plan), 'benchmark')} "
            f"{'finds' if reached == 1 else 'find'} a change of {share(wish)}{_chance(plan)}."
        )
    if others and took_turns:
        parts.append(_larger(others))
    if unknown:
        keep = count(unknown, "benchmark keeps its full run", "benchmarks keep their full run")
        parts.append(f"{keep}, and what that finds is not known.")
    if others and not took_turns:
        parts.append(
            f"How small a change {'the others find' if reached else 'they find'} will be known "
            "after the first run in turn. The forks of a full run take no turns, and differ more "
            "than forks that do, so sizes with ≤ are upper limits. After that run, plan again with "
            "its results (`--earlier BASE HEAD`)."
        )
    elif any(not e.recorded_rounds for e in known):
        parts.append(
            "Sizes with ≤ are upper limits, from forks that took no turns. "
            "Results of `steady run` tell more (`--earlier BASE HEAD`)."
        )
    return " ".join(parts)


def _larger(sizes: Sequence[float]) -> str:
    """Say which changes those benchmarks find that do not find what was asked for."""
    near = [size for size in sizes if size <= _LARGEST]
    far = len(sizes) - len(near)
    parts = []
    if len(near) == 1:
        parts.append(f"One finds {percent(near[0])}.")
    elif near:
        others = f"{'' if far else 'The other '}{len(near):,}"
        parts.append(
            f"{others} find larger ones: half of them {percent(median(near))} or less, and all of "
            f"them {percent(near[-1])} or less."
        )
    if far:
        finds_none = count(far, "benchmark finds", "benchmarks find")
        parts.append(f"{finds_none} only changes of more than {percent(_LARGEST)}.")
    return " ".join(parts)


def _chance(plan: Plan) -> str:
    power = plan.options.get("power")
    return f" with a probability of {share(power)}" if isinstance(power, float) else ""
