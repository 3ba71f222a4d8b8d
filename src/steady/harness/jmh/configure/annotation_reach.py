"""Which benchmarks' annotations may be changed: those that a plan reduces, and no others.

An annotation at a method holds for all its modes, thread counts and parameter values, and for
every class that inherits it. A plan may know only some of these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product

from steady.harness.jmh.configure.java_declared import DeclaredInSource
from steady.harness.jmh.java.project import JavaProject, Method
from steady.harness.source_changes import Kept
from steady.optimize.suite_plan import BenchmarkPlan
from steady.text.numbers import listed

_SHOWN = 3


Methods = Mapping[str, Sequence[Method]]
"""By a benchmark's name, its methods in the sources."""

Planned = Mapping[str, Sequence[BenchmarkPlan]]
"""By a benchmark's name, what the plan says of it: one entry a mode, thread count and value."""


def kept(
    project: JavaProject, methods: Methods, planned: Planned, asked: Collection[str]
) -> list[Kept]:
    """Return the benchmarks whose annotations stay, in the plan's order.

    Parameters
    ----------
    project : JavaProject
        The sources.
    methods : mapping of str to sequence of Method
        Those of each benchmark that the sources hold.
    planned : mapping of str to sequence of BenchmarkPlan
        The whole plan.
    asked : collection of str
        Benchmarks that are changed although their annotations reach beyond the plan.
    """
    reasons: dict[str, Kept] = {}
    for name, own_methods in methods.items():
        own = DeclaredInSource(project, name, list(own_methods))
        reason = _fixed(planned[name], own)
        if reason is not None:
            reasons[name] = Kept(name, reason)
        elif name not in asked:
            reason = next(_beyond(project, own_methods, planned, own, planned[name]), None)
            if reason is not None:
                reasons[name] = Kept(name, reason, askable=True)
    _spread(methods, reasons)
    return [reasons[name] for name in methods if name in reasons]


def is_reduced(benchmarks: Sequence[BenchmarkPlan]) -> bool:
    """Tell whether a plan reduces any of these."""
    return any(benchmark.status == "reduced" for benchmark in benchmarks)


def _fixed(benchmarks: Sequence[BenchmarkPlan], own: DeclaredInSource) -> str | None:
    """Say why a benchmark's annotations must stay, if they must."""
    if not is_reduced(benchmarks):
        return "the plan keeps the full run"
    full = [benchmark for benchmark in benchmarks if benchmark.status != "reduced"]
    if full:
        return (
            f"the plan keeps the full run of {full[0].identity.label}, "
            "and one annotation holds for both"
        )
    if own.number("Fork", "value", 1) == 0:
        return "it is annotated @Fork(0), and the plan is for forks"
    size = own.number("Measurement", "batchSize", 1)
    if size is not None and any(b.configuration.batch_size != size for b in benchmarks):
        measured = next(s for b in benchmarks if (s := b.configuration.batch_size) != size)
        return (
            f"it was measured with batch size {measured} and is annotated with {size}, which is "
            "another operation; make a new plan from a new full run"
        )
    return None


def _beyond(
    project: JavaProject,
    methods: Sequence[Method],
    planned: Planned,
    own: DeclaredInSource,
    benchmarks: Sequence[BenchmarkPlan],
) -> Iterator[str]:
    """Yield in what an annotation at the methods reaches beyond the plan."""
    heirs = dict.fromkeys(heir for method in methods for heir in project.benchmarks_of(method))
    strangers = [heir for heir in heirs if heir not in planned]
    if strangers:
        yield f"it shares its method with {listed(strangers, _SHOWN)}, which the plan does not know"
    modes = {benchmark.identity.mode for benchmark in benchmarks}
    unknown = sorted((own.modes or frozenset()) - modes)
    if unknown:
        shown = listed(unknown, _SHOWN)
        yield f"it is annotated with mode {shown} too, which the plan does not know"
    threads = own.number("Threads", "value", 0)
    grouped = any(file.annotation(node, "Group") is not None for file, node in methods)
    if threads and not grouped and threads not in {b.identity.threads for b in benchmarks}:
        yield f"it is annotated with {threads} threads, and the plan is for another number"
    for mode in sorted(modes):
        yield from _values_beyond([b for b in benchmarks if b.identity.mode == mode], own)


def _values_beyond(benchmarks: Sequence[BenchmarkPlan], own: DeclaredInSource) -> Iterator[str]:
    declared = own.params
    known = [dict(benchmark.identity.params) for benchmark in benchmarks]
    values: dict[str, tuple[str, ...]] = {}
    for key in known[0]:
        annotated = declared.get(key)
        if annotated is None:
            yield f"the sources do not tell all values of its parameter {key}"
            return
        values[key] = annotated
    for combination in product(*values.values()):
        one = dict(zip(values, combination, strict=True))
        if one not in known:
            values_text = ", ".join(f"{key}={value}" for key, value in one.items())
            yield f"it has parameter values that the plan does not know ({values_text})"
            return


def _spread(methods: Methods, reasons: dict[str, Kept]) -> None:
    """Keep also what shares a method with something that is kept."""
    names: dict[tuple[str, int], list[str]] = {}
    for name, own_methods in methods.items():
        for file, node in own_methods:
            names.setdefault((str(file.path), node.start_byte), []).append(name)
    waiting = list(reasons)
    while waiting:
        cause = waiting.pop()
        for file, node in methods[cause]:
            for name in names[str(file.path), node.start_byte]:
                if name not in reasons:
                    reasons[name] = Kept(
                        name, f"it shares its method with {cause}, whose annotations stay"
                    )
                    waiting.append(name)
