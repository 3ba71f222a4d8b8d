"""Which benchmarks' annotations may be changed: those that a plan reduces, and no others.

An annotation at a method holds for all its modes and thread counts, and for every class that
inherits it. A plan may know only some of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from steady.harness.jmh.configure.expressible import MODE_NAMES, MODES
from steady.harness.jmh.configure.java_annotation import elements_of, number_of
from steady.harness.jmh.java.project import JavaProject, Method
from steady.harness.jmh.java.source import JavaFile
from steady.model import name_parts
from steady.optimize.suite_plan import BenchmarkPlan
from steady.text.numbers import listed

if TYPE_CHECKING:
    from tree_sitter import Node

_SHOWN = 3
_MODE = re.compile(rf"\b({'|'.join(MODE_NAMES)}|All)\b")


class DeclaredInSource:
    """What a benchmark declares: at its method, then at its class and superclasses.

    Parameters
    ----------
    project : JavaProject
        The sources.
    name : str
        The benchmark's name.
    method : Method
        Its method there (`JavaProject.method`).
    """

    def __init__(self, project: JavaProject, name: str, method: Method) -> None:
        self._method = method
        self._lineage = project.lineage(name_parts(name).holder)

    def number(self, annotation: str, element: str, default: int) -> int | None:
        """Return a number of an annotation: the first that stands there, as for JMH.

        None where it is a constant or an expression.
        """
        for file, node in self._places(annotation):
            elements = elements_of(file, node)
            if element in elements:
                return number_of(file, elements[element])
        return default

    @property
    def modes(self) -> frozenset[str] | None:
        """The annotated modes, by JMH's short names; None where none are annotated."""
        for file, node in self._places("BenchmarkMode"):
            names = set(_MODE.findall(file.text(node)))
            return frozenset(MODES if "All" in names else (MODE_NAMES[name] for name in names))
        return None

    def _places(self, annotation: str) -> Iterator[tuple[JavaFile, Node]]:
        """Yield the annotations of a kind in the order in which JMH looks at them."""
        places = [(one.file, one.node) for one in self._lineage]
        for file, declared in (self._method, *places):
            node = file.annotation(declared, annotation)
            if node is not None:
                yield file, node


Methods = Mapping[str, Method]
"""By a benchmark's name, its method in the sources."""

Planned = Mapping[str, Sequence[BenchmarkPlan]]
"""By a benchmark's name, what the plan says of it: one entry a mode, thread count and value."""


def kept(project: JavaProject, methods: Methods, planned: Planned) -> dict[str, str]:
    """Return the benchmarks whose annotations stay, in the plan's order, and why.

    Parameters
    ----------
    project : JavaProject
        The sources.
    methods : mapping of str to Method
        That of each benchmark that the sources hold.
    planned : mapping of str to sequence of BenchmarkPlan
        The whole plan.
    """
    reasons: dict[str, str] = {}
    for name, method in methods.items():
        own = DeclaredInSource(project, name, method)
        beyond = _beyond(project, method, planned, own, name)
        reason = _fixed(planned[name], own) or next(beyond, "")
        if reason:
            reasons[name] = reason
    _spread(methods, reasons)
    return {name: reasons[name] for name in methods if name in reasons}


def _fixed(benchmarks: Sequence[BenchmarkPlan], own: DeclaredInSource) -> str:
    """Say why a benchmark's annotations must stay; empty if they need not."""
    full = [benchmark for benchmark in benchmarks if benchmark.status != "reduced"]
    if len(full) == len(benchmarks):
        return "the plan keeps the full run"
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
    return ""


def _beyond(
    project: JavaProject, method: Method, planned: Planned, own: DeclaredInSource, name: str
) -> Iterator[str]:
    """Yield in what an annotation at a benchmark's method reaches beyond the plan."""
    benchmarks, heirs = planned[name], project.benchmarks_of(method)
    strangers = [heir for heir in heirs if heir not in planned]
    if strangers:
        yield f"it shares its method with {listed(strangers, _SHOWN)}, which the plan does not know"
    modes = {benchmark.identity.mode for benchmark in benchmarks}
    unknown = sorted((own.modes or frozenset()) - modes)
    if unknown:
        shown = listed(unknown, _SHOWN)
        yield f"it is annotated with mode {shown} too, which the plan does not know"
    threads = own.number("Threads", "value", 0)
    grouped = method.file.annotation(method.node, "Group") is not None
    if threads and not grouped and threads not in {b.identity.threads for b in benchmarks}:
        yield f"it is annotated with {threads} threads, and the plan is for another number"


def _spread(methods: Methods, reasons: dict[str, str]) -> None:
    """Keep also what shares a method with something that is kept."""
    causes = {_place(methods[name]): name for name in reasons}
    for name, method in methods.items():
        cause = causes.get(_place(method))
        if cause is not None and name not in reasons:
            reasons[name] = f"it shares its method with {cause}, whose annotations stay"


def _place(method: Method) -> tuple[Path, int]:
    return method.file.path, method.node.start_byte
