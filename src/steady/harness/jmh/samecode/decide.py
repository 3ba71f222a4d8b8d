"""Decides which benchmarks may have changed code paths, why, and how near the change is."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from steady.harness.builds import Builds, Decision, decided
from steady.harness.jmh.configure.benchmark_list import BenchmarkListEntry, UnknownFormatError
from steady.harness.jmh.configure.benchmark_list_file import first_records, lines_of_list
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode import facts
from steady.harness.jmh.samecode.call_graph import CallGraph
from steady.harness.jmh.samecode.changed_methods import changed_methods
from steady.harness.jmh.samecode.class_hierarchy import ClassHierarchy, is_of_jmh
from steady.harness.jmh.samecode.class_path import ClassPath
from steady.harness.jmh.samecode.facts import Fact
from steady.harness.jmh.samecode.method_reach import RunRules
from steady.harness.jmh.samecode.method_rules import Rules
from steady.harness.jmh.samecode.resource_differences import ResourceDifferences
from steady.harness.trial import Held, Version
from steady.model import Identity
from steady.model.changed_method import ChangedMethods
from steady.samecode.reachability import NearestChange, closure
from steady.text.escape import shorten


@dataclass(frozen=True)
class JmhBuilds(Builds):
    """The jars of base and head.

    Parameters
    ----------
    harness : JmhRuns
        The harness, with the JVM arguments of the forks.
    versions : sequence of Version
        The jars.
    """

    harness: JmhRuns
    versions: Sequence[Version]

    @cached_property
    def _sides(self) -> tuple[ClassPath, ClassPath]:
        base, head = (version.target for version in self.versions)
        of_base = ClassPath.of(base)
        return of_base, ClassPath.of(head, of_base)

    @property
    def nothing_differs(self) -> bool:
        """Whether all class files are equal; manifests may contain build times."""
        return ResourceDifferences(*self._sides).all_classes_equal

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark from the jars, without starting a JVM."""
        return self._comparison(held).decisions()

    def changed_methods(self, held: Held) -> ChangedMethods | None:
        """Return the changed methods, from the same call graph as `decisions`."""
        return self._comparison(held).changed_methods()

    def _comparison(self, held: Held) -> JarComparison:
        key = tuple(tuple(held[side]) for side in ("base", "head"))
        if key not in self._comparisons:
            arguments = tuple(self.harness.arguments)
            self._comparisons[key] = JarComparison(*self._sides, held, arguments)
        return self._comparisons[key]

    @cached_property
    def _comparisons(self) -> dict[tuple[tuple[Identity, ...], ...], JarComparison]:
        return {}


@contextmanager
def _no_collection() -> Iterator[None]:
    """Switch the garbage collector off: no object of a call graph becomes garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


_CODE_OPTIONS = re.compile(
    r"-javaagent:|-agentlib:|-agentpath:|-Xrun|-Xbootclasspath|--?(?:cp|class-?path|module-path|p)\b|"
    r"--(?:patch-module|upgrade-module-path|limit-modules)|@|-XX:(?:Flags|VMOptionsFile|"
    r"SharedArchiveFile|CompileCommandFile|CompilerDirectivesFile)=|-Djava\.(?:system\.class|class\.path|"
    r"security\.properties|ext\.dirs|endorsed\.dirs|security\.manager|util\.logging\.config|locale\.providers)|"
    r"-Djdk\.module|-Djavax?\.(?:protocol|content)|-Djdk\.net\.URLClassPath|-Djava\.protocol"
)
"""JVM arguments that may add code from outside the jar."""

_MAX_LENGTH = 500
"""Maximum length of a reason in characters."""

_WORD = re.compile(r"[\w$]+(?:[./][\w$]+)*")
_ARGUMENTS = ("jvm args", "jvm args prepend", "jvm args append")


@dataclass(frozen=True, eq=False)
class JarComparison:
    """Compares two class paths, and decides for each benchmark whether its code path may differ.

    Parameters
    ----------
    base, head : ClassPath
        The class paths; see `ClassPath.of`.
    held : mapping of str to collection of Identity
        The benchmarks of ``base`` and of ``head``.
    arguments : tuple of str
        JVM arguments of all forks, in addition to annotated ones.
    """

    base: ClassPath
    head: ClassPath
    held: Held
    arguments: tuple[str, ...] = ()

    def decisions(self) -> tuple[Decision, ...]:
        """Decide for each benchmark.

        Returns
        -------
        tuple of Decision
            Decisions in the order of base, then for benchmarks that only head has.
        """
        with _no_collection():
            return decided(self.held, self._why, lambda identity: self._nearest(identity)[1:])

    def changed_methods(self) -> ChangedMethods | None:
        """Return the changed methods of the project's own code.

        All benchmarks of head count, including those that are not held.

        Returns
        -------
        tuple of ChangedMethod or None
            None if a benchmark may run code that the call graph lacks.
        """
        if self.differences.all_classes_equal:
            return ()
        with _no_collection():
            return self._changed_methods()

    def _changed_methods(self) -> ChangedMethods | None:
        if self.records is None:
            return None
        records = [one for modes in self.records[-1].values() for one in modes.values()]
        if any(map(_CODE_OPTIONS.match, (*self.arguments, *_declared_arguments(records)))):
            return None
        generated = [one.annotated("generated class") or "" for one in records]
        packages = {_package_of(name) for name in generated}
        if not changed_methods(self.hierarchy, packages, frozenset()):
            return ()
        stubs = {(facts.STUB, name.replace(".", "/")) for name in generated}
        rules = RunRules(self.hierarchy, self.differences)
        reached = self.call_graph.methods_beyond(rules, stubs)
        return None if reached is None else changed_methods(self.hierarchy, packages, reached)

    def _why(self, identity: Identity) -> str:
        """Return why the code path of a benchmark may differ; empty if it is identical."""
        reason = next(self._reasons(identity), "") or self._nearest(identity).why
        # It is written to files, and its names are untrusted.
        return shorten(reason.encode("utf-8", "backslashreplace").decode(), _MAX_LENGTH)

    def _nearest(self, identity: Identity) -> NearestChange:
        if self.differences.all_equal:
            return NearestChange()
        return self.call_graph.nearest(self._starts(identity))

    def path(self, identity: Identity) -> tuple[Fact, ...]:
        """Return the steps from a benchmark to a change; empty if no call graph is needed."""
        if self.differences.all_equal or next(self._reasons(identity), ""):
            return ()
        return self.call_graph.path(self._starts(identity))

    def _reasons(self, identity: Identity) -> Iterator[str]:
        """Yield the reasons that need no call graph."""
        if self.differences.all_equal and not self.arguments:
            return  # the same command with the same files
        yield from self._record_reasons(identity)
        if not self.differences.all_equal:
            yield from self._reasons_for_all

    def _record_reasons(self, identity: Identity) -> Iterator[str]:
        if self.records is None:
            yield "JMH's list of benchmarks has an unknown format"
            return
        base, head = (
            _records_of_mode(side.get(identity.name, {}), identity.mode) for side in self.records
        )
        if list(map(str, base)) != list(map(str, head)):
            yield "its entry in JMH's list of benchmarks changed"
        if self.differences.all_equal:
            return
        if not base or any(one.annotated("generated class") is None for one in base):
            yield "it is missing from JMH's list of benchmarks"
        words = [*self.arguments, *_declared_arguments(base)]
        other = next((word for word in words if _CODE_OPTIONS.match(word)), None)
        if other is not None:
            yield f"its JVM gets {other}, which may run code from outside the jar"
        if any(one.annotated("jvm") for one in base):
            yield "it requests another JVM"

    def _starts(self, identity: Identity) -> frozenset[Fact]:
        starts = set[Fact]()
        lists = self.records or ({},)
        records = _records_of_mode(lists[0].get(identity.name, {}), identity.mode)
        for record in records:
            generated = (record.annotated("generated class") or "").replace(".", "/")
            starts.add((facts.STUB, generated))
        for word in (*self.arguments, *_declared_arguments(records)):
            for name in _WORD.findall(word):
                path = name.replace(".", "/")
                if path in self.hierarchy.class_files:
                    starts |= {(facts.MEMBERS, path), (facts.LOAD, path)}
        return frozenset(starts)

    @cached_property
    def differences(self) -> ResourceDifferences:
        """The differences outside classes."""
        return ResourceDifferences(self.base, self.head)

    @cached_property
    def hierarchy(self) -> ClassHierarchy:
        """The class hierarchy of both sides."""
        return ClassHierarchy(self.base, self.head)

    @cached_property
    def call_graph(self) -> CallGraph:
        """The call graph of all benchmarks, including those that differ for other reasons."""
        head = frozenset(self.held["head"])
        starts = list(dict.fromkeys(self._starts(i) for i in self.held["base"] if i in head))
        return CallGraph(Rules(self.hierarchy, self.differences), starts)

    @cached_property
    def _reasons_for_all(self) -> tuple[str, ...]:
        reasons = list(self.differences.reasons_for_all())
        changed = sorted(self.hierarchy.changes.keys() & self._used_by_jmh)
        if changed:
            reasons.append(
                f"JMH or one of its dependencies changed ({changed[0].replace('/', '.')})"
            )
        return tuple(reasons)

    @cached_property
    def _used_by_jmh(self) -> frozenset[str]:
        """Classes of JMH, and the classes in the jars that these name directly or indirectly."""
        files = self.hierarchy.class_files

        def named(name: str) -> Iterator[str]:
            constants = (one for file in files[name] for one in file.class_constants)
            return (one for one in constants if one in files)

        return frozenset(closure(filter(is_of_jmh, files), named))

    @cached_property
    def records(self) -> tuple[Mapping[str, Mapping[str, BenchmarkListEntry]], ...] | None:
        """JMH's records of both sides; None if the format of one is unknown."""
        try:
            return tuple(
                first_records(lines_of_list(self.differences.benchmark_list(side)))
                for side in (self.base, self.head)
            )
        except UnknownFormatError:
            return None


def _records_of_mode(
    records: Mapping[str, BenchmarkListEntry], mode: str
) -> list[BenchmarkListEntry]:
    return [record for known, record in sorted(records.items()) if known in (mode, "all")]


def _package_of(generated: str) -> str:
    """Return the package of a benchmark by the class that JMH generates for it."""
    return generated.rpartition(".")[0].removesuffix(".jmh_generated").replace(".", "/")


def _declared_arguments(records: Sequence[BenchmarkListEntry]) -> list[str]:
    return [word for record in records for name in _ARGUMENTS for word in record.listed(name)]
