"""The benchmarks in source files, with their planned annotations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steady.harness.jmh.annotate.kinds import KINDS, Kind, PlannedValues
from steady.harness.jmh.annotate.names import Names, Place
from steady.harness.jmh.annotate.source import Method
from steady.plan.suite_plan import BenchmarkPlan, Plan

NOT_PLANNED = "not in the plan"
KEPT = "not reduced"


@dataclass(frozen=True, slots=True)
class Member:
    """A method of a benchmark, and the class that declares it.

    Parameters
    ----------
    place : Place
        The class.
    method : Method
        The method.
    """

    place: Place
    method: Method

    @property
    def key(self) -> tuple[str, str]:
        """Its unique key."""
        return self.place.name, self.method.name


@dataclass(frozen=True, slots=True)
class SourceBenchmark:
    """A benchmark in source files.

    Parameters
    ----------
    name : str
        Its name in JMH's results; for a benchmark of several methods, that of their group.
    running : Place
        The class that JMH instantiates.
    members : tuple of Member
        Its method, or the methods of its group.
    lineage : tuple of Place
        The class and its superclasses.
    planned : mapping of Kind to PlannedValues
        The planned annotations; empty if none are planned.
    reason : str
        Why no annotations are planned; empty if some are.
    cases : int
        Number of different configurations that are planned for its parameter combinations.
    """

    name: str
    running: Place
    members: tuple[Member, ...]
    lineage: tuple[Place, ...]
    planned: Mapping[Kind, PlannedValues]
    reason: str = ""
    cases: int = 1


def source_benchmarks(names: Names, plan: Plan) -> list[SourceBenchmark]:
    """Return the benchmarks of all classes that JMH instantiates, sorted by class."""
    entries: dict[str, list[BenchmarkPlan]] = defaultdict(list)
    for entry in plan.benchmarks:
        entries[entry.identity.name].append(entry)
    found = list[SourceBenchmark]()
    for name in sorted(names.places):
        place = names.unique(name)
        if place is None or place.type.kind != "class" or place.type.abstract:
            continue
        for short, members in _groups(names, place).items():
            full = f"{name}.{short}"
            found.append(
                SourceBenchmark(
                    full, place, members, names.lineage(place), *_planned(entries.get(full, ()))
                )
            )
    return found


def _groups(names: Names, place: Place) -> dict[str, tuple[Member, ...]]:
    """Return the benchmark methods of a class and its superclasses, by name of the benchmark."""
    groups: dict[str, list[Member]] = defaultdict(list)
    seen = set[str]()
    for one in names.lineage(place):
        for method in one.type.methods:
            if method.name not in seen and one.file.own(method, "Benchmark") is not None:
                seen.add(method.name)
                groups[_group(names, one, method) or method.name].append(Member(one, method))
    return {name: tuple(members) for name, members in groups.items()}


def _group(names: Names, place: Place, method: Method) -> str:
    """Return the name of a method's group; empty if it has none."""
    annotation = place.file.own(method, "Group")
    if annotation is None:
        return ""
    argument = annotation.argument("value")
    value = None if argument is None else names.value(argument.text, place.file, place.type)
    return "group" if argument is None else str(value or argument.text)


def _planned(entries: Sequence[BenchmarkPlan]) -> tuple[Mapping[Kind, PlannedValues], str, int]:
    """Return `planned`, `reason` and `cases` of a benchmark, from the plans of its parameters."""
    if not entries:
        return {}, NOT_PLANNED, 0
    if any(entry.status != "reduced" for entry in entries):
        return {}, KEPT, 0
    planned = {
        kind: PlannedValues.largest(
            kind.wanted(entry.configuration, entry.identity.mode) for entry in entries
        )
        for kind in KINDS
    }
    return planned, "", len({entry.configuration for entry in entries})
