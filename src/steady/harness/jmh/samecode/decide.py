"""Which benchmarks may run other code in head, how near the change is, and why."""

import gc
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from steady.harness.builds import Builds, Decision, decided
from steady.harness.jmh.configure.benchmark_list import BenchmarkListEntry, UnknownFormatError
from steady.harness.jmh.configure.overlay import first_records, lines_of_list
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode import facts
from steady.harness.jmh.samecode.class_path import ClassPath
from steady.harness.jmh.samecode.method_rules import Rules
from steady.harness.jmh.samecode.resource_differences import ResourceDifferences
from steady.harness.jmh.samecode.facts import Fact
from steady.harness.jmh.samecode.class_hierarchy import ClassHierarchy, is_of_jmh
from steady.harness.jmh.samecode.call_graph import NONE_NEAR, Nearest, CallGraph
from steady.harness.trial import Held, Version
from steady.model import Identity
from steady.text.escape import shorten


@dataclass(frozen=True)
class JmhBuilds(Builds):
    """The jars of base and head.

    Parameters
    ----------
    harness : JmhRuns
        Knows the arguments of the forks.
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
        """Whether all classes are the same, byte for byte; a manifest may hold the time of day."""
        return ResourceDifferences(*self._sides).all_classes_equal

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark; no JVM starts."""
        return decisions_of(*self._sides, held, self.harness.arguments)


_OTHER_CODE = re.compile(
    r"-javaagent:|-agentlib:|-agentpath:|-Xrun|-Xbootclasspath|--?(?:cp|class-?path|module-path|p)\b|"
    r"--(?:patch-module|upgrade-module-path|limit-modules)|@|-XX:(?:Flags|VMOptionsFile|"
    r"SharedArchiveFile|CompileCommandFile|CompilerDirectivesFile)=|-Djava\.(?:system\.class|class\.path|"
    r"security\.properties|ext\.dirs|endorsed\.dirs|security\.manager|util\.logging\.config|locale\.providers)|"
    r"-Djdk\.module|-Djavax?\.(?:protocol|content)|-Djdk\.net\.URLClassPath|-Djava\.protocol"
)
"""Arguments of a JVM by which other code may run than the jar's."""

_LONGEST = 500
"""Characters of a reason."""

_WORD = re.compile(r"[\w$]+(?:[./][\w$]+)*")
_ARGUMENTS = ("jvm args", "jvm args prepend", "jvm args append")


def decisions(
    base: Path, head: Path, held: Held, arguments: Sequence[str] = ()
) -> tuple[Decision, ...]:
    """Decide for each benchmark, from the jars alone.

    Parameters
    ----------
    base, head : Path
        The two jars; what their manifests name lies beside each.
    held : mapping of str to collection of Identity
        The benchmarks of ``base`` and ``head``.
    arguments : sequence of str
        Arguments of the forks' JVM beside those that a benchmark declares.

    Returns
    -------
    tuple of Decision
        In the order of base, then what only head has.

    Raises
    ------
    InputError
        If a jar cannot be read.
    """
    of_base = ClassPath.of(base)
    return decisions_of(of_base, ClassPath.of(head, of_base), held, arguments)


def decisions_of(
    base: ClassPath, head: ClassPath, held: Held, arguments: Sequence[str] = ()
) -> tuple[Decision, ...]:
    """Decide for each benchmark, from what was read of the jars; see `decisions`."""
    was_on = gc.isenabled()
    gc.disable()  # a graph holds on to all: nothing is unused
    try:
        comparison = JarComparison(base, head, held, tuple(arguments))
        return decided(held, comparison.why, comparison.near)
    finally:
        if was_on:
            gc.enable()


@dataclass(frozen=True, eq=False)
class JarComparison:
    """The comparison of two sides, for the decision about each benchmark.

    Parameters
    ----------
    base, head : ClassPath
        The two sides.
    held : mapping of str to collection of Identity
        Their benchmarks.
    arguments : tuple of str
        Of the forks' JVM.
    """

    base: ClassPath
    head: ClassPath
    held: Held
    arguments: tuple[str, ...] = ()

    def why(self, identity: Identity) -> str:
        """Say why a benchmark of both sides may run other code; empty if it does not."""
        reason = next(self._reasons(identity), "") or self._nearest(identity)[0]
        # Any file can hold it: names in it are a stranger's.
        return shorten(reason.encode("utf-8", "backslashreplace").decode(), _LONGEST)

    def near(self, identity: Identity) -> tuple[int, float]:
        """Return how far the nearest change is, and how much changed, as `Decision` has it."""
        return self._nearest(identity)[1:]

    def _nearest(self, identity: Identity) -> Nearest:
        if self.differences.all_equal:
            return NONE_NEAR
        return self.call_graph.nearest(self._starts(identity))

    def way(self, identity: Identity) -> tuple[Fact, ...]:
        """Return all steps by which a benchmark comes to a change; none where no graph says it."""
        if self.differences.all_equal or next(self._reasons(identity), ""):
            return ()
        return self.call_graph.way(self._starts(identity))

    def _reasons(self, identity: Identity) -> Iterator[str]:
        """Yield why a benchmark may run other code, as far as no graph is needed."""
        if self.differences.all_equal and not self.arguments:
            return  # the same command, with the same files
        yield from self._of_its_record(identity)
        if not self.differences.all_equal:
            yield from self._for_all

    def _of_its_record(self, identity: Identity) -> Iterator[str]:
        if self.records is None:
            yield "JMH's list of benchmarks is in a format that is not known"
            return
        base, head = (_of_mode(side.get(identity.name, {}), identity.mode) for side in self.records)
        if list(map(str, base)) != list(map(str, head)):
            yield "JMH's list of benchmarks says something else about it"
        if self.differences.all_equal:
            return
        if not base or any(one.annotated("generated class") is None for one in base):
            yield "JMH's list of benchmarks does not name it"
        words = [*self.arguments, *_declared(base)]
        other = next((word for word in words if _OTHER_CODE.match(word)), None)
        if other is not None:
            yield f"its JVM gets {other}, by which other code may run than the jar's"
        if any(one.annotated("jvm") for one in base):
            yield "it asks for a JVM of its own"

    def _starts(self, identity: Identity) -> frozenset[Fact]:
        starts = set[Fact]()
        lists = self.records or ({},)
        records = _of_mode(lists[0].get(identity.name, {}), identity.mode)
        for record in records:
            generated = (record.annotated("generated class") or "").replace(".", "/")
            starts.add((facts.STUB, generated))
        for word in (*self.arguments, *_declared(records)):
            for name in _WORD.findall(word):
                path = name.replace(".", "/")
                if path in self.hierarchy.class_files:
                    starts |= {(facts.MEMBERS, path), (facts.LOAD, path)}
        return frozenset(starts)

    @cached_property
    def differences(self) -> ResourceDifferences:
        """What differs beside classes."""
        return ResourceDifferences(self.base, self.head)

    @cached_property
    def library(self) -> ClassHierarchy:
        """All classes."""
        return ClassHierarchy(self.base, self.head)

    @cached_property
    def reached(self) -> CallGraph:
        """What all benchmarks reach: how near a change is counts for those that differ anyway."""
        head = frozenset(self.held["head"])
        starts = list(dict.fromkeys(self._starts(i) for i in self.held["base"] if i in head))
        return CallGraph(Rules(self.hierarchy, self.differences), starts)

    @cached_property
    def _for_all(self) -> tuple[str, ...]:
        reasons = list(self.differences.reasons_for_all())
        touched = sorted(self.hierarchy.changes.keys() & self._used_by_jmh)
        if touched:
            reasons.append(f"JMH or what it references changed ({touched[0].replace('/', '.')})")
        return tuple(reasons)

    @cached_property
    def _used_by_jmh(self) -> frozenset[str]:
        """JMH's own classes, and all classes of the jars that they name, one by the other."""
        codes = self.hierarchy.class_files
        left = [name for name in codes if is_of_jmh(name)]
        found = set(left)
        while left:
            named = {one for code in codes[left.pop()] for one in code.class_constants}
            new = (named & codes.keys()) - found
            found |= new
            left += new
        return frozenset(found)

    @cached_property
    def records(self) -> tuple[Mapping[str, Mapping[str, BenchmarkListEntry]], ...] | None:
        """JMH's records of both sides; None where one is in another format."""
        try:
            return tuple(
                first_records(lines_of_list(self.differences.benchmark_list(side)))
                for side in (self.base, self.head)
            )
        except UnknownFormatError:
            return None


def _of_mode(records: Mapping[str, BenchmarkListEntry], mode: str) -> list[BenchmarkListEntry]:
    return [record for known, record in sorted(records.items()) if known in (mode, "all")]


def _declared(records: Sequence[BenchmarkListEntry]) -> list[str]:
    return [word for record in records for name in _ARGUMENTS for word in record.listed(name)]
