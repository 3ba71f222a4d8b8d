"""The plan as annotations in the benchmarks' Java sources.

An annotation stands at a method, so it holds for all modes, thread counts and parameter values of
that method, and for all subclasses that inherit it: it says the largest of their configurations,
and it is written only where the plan reduces all of these (`annotation_reach`).
JMH looks at the method first and then, element by element, at the class and its superclasses
(``MethodGroup.getAll``), so what else a class-level annotation says stays in force.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from steady import door
from steady.errors import InputError
from steady.files import write_bytes
from steady.harness.jmh.configure.annotation_reach import DeclaredInSource, kept
from steady.harness.jmh.configure.expressible import check_plan
from steady.harness.jmh.configure.java_annotation import desired_annotations, edit_annotations
from steady.harness.jmh.configure.java_imports import Edit, ImportedNames, apply_edits
from steady.harness.jmh.java.project import JavaProject, Method, NotFoundError
from steady.harness.jmh.java.source import JavaFile
from steady.harness.source_changes import Rewriting, SourceChange
from steady.harness.trial import SINGLE_SHOT
from steady.model import ExecutionConfiguration
from steady.optimize.suite_plan import BenchmarkPlan, Plan

if TYPE_CHECKING:
    from tree_sitter import Node


def rewrite_annotations(plan: Plan, source_root: str | Path, *, apply: bool = False) -> Rewriting:
    """Put the plan into ``@Warmup``, ``@Measurement`` and ``@Fork`` of the benchmarks' methods.

    What the plan does not reduce is not touched. A method whose annotations hold for more than
    the plan knows (a class that inherits it, a mode) is not touched either.

    Java sources only; Kotlin, Scala and Groovy are not read, and their benchmarks are listed as
    not found. The second time, nothing changes.

    Parameters
    ----------
    plan : Plan
        What to run.
    source_root : path-like
        Folder of the sources, or of the whole project: files are known by their packages.
    apply : bool
        Whether to change the files. All are checked before the first is written, and each is
        replaced at once.

    Raises
    ------
    InputError
        If the folder or a file cannot be read, or, to be changed, not be written.
    MissingToolError
        If the parser of Java is not installed.
    """
    check_plan(plan)
    project = JavaProject(Path(source_root))
    by_name = _by_name(plan.benchmarks)
    methods, not_found = _methods(project, by_name)
    stay = kept(project, methods, by_name)
    reduced = tuple(name for name in methods if name not in stay)
    planned: dict[JavaFile, dict[int, _Planned]] = {}
    for name in reduced:
        declared = DeclaredInSource(project, name, methods[name])
        file, node = methods[name]
        own = planned.setdefault(file, {}).setdefault(node.start_byte, _Planned(node))
        own.benchmarks.extend(by_name[name])
        own.warmup_batch_size = declared.number("Warmup", "batchSize", 1) or 1
    changes = [_change(file, own.values()) for file, own in planned.items()]
    rewriting = Rewriting(
        project.root,
        tuple(sorted((c for c in changes if c.before != c.after), key=lambda c: c.path)),
        tuple(not_found.items()),
        tuple(stay.items()),
        reduced,
    )
    if apply:
        _write(rewriting.changes)
    return rewriting


def _methods(
    project: JavaProject, by_name: Mapping[str, list[BenchmarkPlan]]
) -> tuple[dict[str, Method], dict[str, str]]:
    """Return the method of each benchmark, and of those that have none, why."""
    methods: dict[str, Method] = {}
    not_found: dict[str, str] = {}
    for name in by_name:
        try:
            methods[name] = project.method(name)
        except NotFoundError as reason:
            not_found[name] = str(reason)
    return methods, not_found


@dataclass(slots=True)
class _Planned:
    """A method, and all the plans that meet in it."""

    node: Node
    benchmarks: list[BenchmarkPlan] = field(default_factory=list)
    warmup_batch_size: int = 1

    @property
    def configuration(self) -> ExecutionConfiguration:
        most = worst_case(benchmark.configuration for benchmark in self.benchmarks)
        size = max(most.warmup_batch_size, self.warmup_batch_size)
        return replace(most, warmup_batch_size=size)

    @property
    def timed(self) -> bool:
        return any(benchmark.identity.mode != SINGLE_SHOT for benchmark in self.benchmarks)


def worst_case(configurations: Iterable[ExecutionConfiguration]) -> ExecutionConfiguration:
    """Return the smallest configuration that covers all of `configurations`.

    Every field is the largest of its kind, so that no benchmark gets fewer forks, fewer or
    shorter iterations, or a shorter warm-up than its plan says.

    Parameters
    ----------
    configurations : iterable of ExecutionConfiguration
        At least one.

    Returns
    -------
    ExecutionConfiguration
        The same one if all are equal.
    """
    columns = zip(*(astuple(configuration) for configuration in configurations), strict=True)
    return ExecutionConfiguration(*(max(column) for column in columns))


def _by_name(benchmarks: Iterable[BenchmarkPlan]) -> Mapping[str, list[BenchmarkPlan]]:
    names: dict[str, list[BenchmarkPlan]] = {}
    for benchmark in benchmarks:
        names.setdefault(benchmark.identity.name, []).append(benchmark)
    return names


def _change(file: JavaFile, methods: Iterable[_Planned]) -> SourceChange:
    names = ImportedNames(file)
    edits: list[Edit] = []
    for method in methods:
        desired = desired_annotations(method.configuration, timed=method.timed)
        edits += edit_annotations(file, method.node, desired, names)
    after = apply_edits(file.data, edits + names.import_edits())
    return SourceChange(file.path, file.data, after)


def _write(changes: Iterable[SourceChange]) -> None:
    for change in changes:
        before = change.before
        if not change.path.is_file() or door.content(change.path, len(before)) != before:
            raise InputError("was changed meanwhile; run this again", source=change.path)
        if not (os.access(change.path, os.W_OK) and os.access(change.path.parent, os.W_OK)):
            raise InputError("cannot be written; no file was changed", source=change.path)
    for change in changes:
        mode = change.path.stat().st_mode & 0o777
        write_bytes(change.path, change.after, mode=mode)
