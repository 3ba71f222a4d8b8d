"""The benchmarks in sources, and their planned annotations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from steady.harness.jmh.annotate.kinds import KINDS, Kind, Wanted
from steady.harness.jmh.annotate.names import Names, Place
from steady.harness.jmh.annotate.source import Method
from steady.plan.suite_plan import BenchmarkPlan, Plan

NOT_PLANNED = "not in the plan"
KEPT = "keeps its full run"


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
class Found:
    """A benchmark in the sources.

    Parameters
    ----------
    name : str
        Its name in JMH's results; that of its group if it has several methods.
    running : Place
        The class that JMH instantiates.
    members : tuple of Member
        Its method, or those of its group.
    line : tuple of Place
        The class and its superclasses.
    planned : mapping of Kind to Wanted
        The planned annotations; empty without any.
    reason : str
        The reason for no planned annotations.
    cases : int
        Number of different planned configurations of its parameter combinations.
    """

    name: str
    running: Place
    members: tuple[Member, ...]
    line: tuple[Place, ...]
    planned: Mapping[Kind, Wanted]
    reason: str = ""
    cases: int = 1


def found_benchmarks(names: Names, plan: Plan) -> list[Found]:
    """Return the benchmarks of all classes that JMH instantiates, by name."""
    entries: dict[str, list[BenchmarkPlan]] = defaultdict(list)
    for entry in plan.benchmarks:
        entries[entry.identity.name].append(entry)
    found = list[Found]()
    for name in sorted(names.places):
        place = names.only(name)
        if place is None or place.type.kind != "class" or place.type.abstract:
            continue
        for short, members in _groups(names, place).items():
            full = f"{name}.{short}"
            found.append(
                Found(full, place, members, names.line(place), *_planned(entries.get(full, ())))
            )
    return found


def _groups(names: Names, place: Place) -> dict[str, tuple[Member, ...]]:
    """Return the methods of a class and its superclasses, by benchmark."""
    groups: dict[str, list[Member]] = defaultdict(list)
    seen = set[str]()
    for one in names.line(place):
        for method in one.type.methods:
            if method.name not in seen and one.file.own(method, "Benchmark") is not None:
                seen.add(method.name)
                groups[_group(names, one, method) or method.name].append(Member(one, method))
    return {name: tuple(members) for name, members in groups.items()}


def _group(names: Names, place: Place, method: Method) -> str:
    """Return the name of a method's group; empty without one."""
    annotation = place.file.own(method, "Group")
    if annotation is None:
        return ""
    argument = annotation.argument("value")
    value = None if argument is None else names.value(argument.text, place.file, place.type)
    return "group" if argument is None else str(value or argument.text)


def _planned(entries: Sequence[BenchmarkPlan]) -> tuple[Mapping[Kind, Wanted], str, int]:
    """Return the planned annotations of a benchmark, from all its parameter combinations."""
    if not entries:
        return {}, NOT_PLANNED, 0
    if any(entry.status != "reduced" for entry in entries):
        return {}, KEPT, 0
    planned = {kind: Wanted.largest(_wanted(kind, entries)) for kind in KINDS}
    return planned, "", len({entry.configuration for entry in entries})


def _wanted(kind: Kind, entries: Sequence[BenchmarkPlan]) -> Iterator[Wanted]:
    return (kind.wanted(entry.configuration, entry.identity.mode) for entry in entries)
