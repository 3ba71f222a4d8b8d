"""Decides which annotations change: a class's if its benchmarks agree, otherwise its methods'."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from steady.harness.jmh.annotate.benchmarks import Member, SourceBenchmark
from steady.harness.jmh.annotate.kinds import (
    KINDS,
    EffectiveValues,
    Kind,
    Level,
    Outdated,
    PlannedValues,
    Written,
    effective_values,
)
from steady.harness.jmh.annotate.names import Names, Place
from steady.harness.jmh.annotate.source import Method, Type

_ALL = Outdated(True, True)


@dataclass(frozen=True, slots=True)
class Change:
    """The change of an annotation.

    Parameters
    ----------
    place : Place
        The type that is annotated, or that declares the annotated method.
    declared : Type or Method
        The annotated declaration.
    kind : Kind
        The kind of annotation.
    written : Written, optional
        The existing annotation; None for a new one.
    wanted : PlannedValues
        The planned values.
    outdated : Outdated
        The arguments that change.
    """

    place: Place
    declared: Type | Method
    kind: Kind
    written: Written | None
    wanted: PlannedValues
    outdated: Outdated


@dataclass
class Decisions:
    """The changes of annotations for a plan, made by `decide`.

    Parameters
    ----------
    names : Names
        The names in the sources.
    found : list of SourceBenchmark
        The benchmarks in the sources.
    changes : list of Change
        The changes of classes and methods.
    unchanged : dict of str to str
        For each planned benchmark that does not change, the reason.
    shared : set of str
        Benchmarks that share an annotation, which has the largest of their plans.
    """

    names: Names
    found: list[SourceBenchmark]
    changes: list[Change] = field(default_factory=list)
    unchanged: dict[str, str] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    _class_changes: dict[tuple[str, Kind], Change] = field(default_factory=dict)

    def decide(self) -> None:
        """Decide for all annotations."""
        for one in self.found:
            if one.planned and (reason := self._obstacle_to(one)):
                self.unchanged[one.name] = reason
        for kind in KINDS:
            for place in self._classes():
                self._decide_class(place, kind)
            for users in self._by_method():
                self._decide_method(users, kind)

    def effective(
        self, one: SourceBenchmark, kind: Kind, member: Member | None = None
    ) -> EffectiveValues:
        """Return the effective values of a benchmark, with the changes of classes so far."""
        own = self._own(member or one.members[0], kind)
        return effective_values(self.names, kind, [Level(own), *self._levels(one, kind)])

    def _obstacle_to(self, one: SourceBenchmark) -> str:
        places = {*one.lineage, *(member.place for member in one.members)}
        for place in sorted(places, key=lambda one: one.name):
            line = place.file.error_line or place.type.error_line
            if line is not None:
                return f"{place.file.path.name}:{line}: not parsed"
        for kind in KINDS:
            if len({self._signature(member, kind) for member in one.members}) > 1:
                return f"the methods of its group do not have the same @{kind.name}"
            batch = self.effective(one, kind).batch
            if kind.timed and batch not in (None, one.planned[kind].batch):
                return f"the batchSize of its @{kind.name} differs from that of the plan"
        return ""

    def _signature(self, member: Member, kind: Kind) -> object:
        own = self._own(member, kind)
        return own and tuple((one.name, one.text) for one in own.annotation.arguments)

    def _own(self, member: Member, kind: Kind) -> Written | None:
        return _written(member.place, member.method, kind)

    def _levels(self, one: SourceBenchmark, kind: Kind) -> Iterator[Level]:
        for place in one.lineage:
            change = self._class_changes.get((place.name, kind))
            written = _written(place, place.type, kind)
            yield (
                Level(written) if change is None else Level(written, change.wanted, change.outdated)
            )

    def _planned(self, one: SourceBenchmark, kind: Kind) -> PlannedValues | None:
        return None if one.name in self.unchanged else one.planned.get(kind)

    def _classes(self) -> list[Place]:
        """Return the classes of all benchmarks, superclasses first."""
        lines = {place.name: place for one in self.found for place in one.lineage}
        return sorted(lines.values(), key=lambda one: (len(self.names.lineage(one)), one.name))

    def _decide_class(self, place: Place, kind: Kind) -> None:
        """Change a class's annotation if the plans of all benchmarks that use it are equal."""
        below = [one for one in self.found if place in one.lineage]
        first = [one for one in below if self._is_first(place, one, kind)]
        plans = {self._planned(one, kind) for one in first}
        wanted = plans.pop() if len(plans) == 1 else None
        written = _written(place, place.type, kind)
        methods = {member.key for one in first for member in one.members}
        if wanted is None or place.file.error_line:
            return
        if written is None and len(methods) < 2 and not self._is_divided(methods, kind):
            return
        outdated = _outdated((self.effective(one, kind) for one in first), wanted)
        if not outdated:
            return
        before = {one.name: self.effective(one, kind) for one in below}
        outdated = outdated if written else _ALL
        self._class_changes[place.name, kind] = Change(
            place, place.type, kind, written, wanted, outdated
        )
        for one in below:
            now, plan = self.effective(one, kind), self._planned(one, kind)
            if now != before[one.name] and (plan is None or _is_worse(before[one.name], now, plan)):
                del self._class_changes[place.name, kind]
                return
        self.changes.append(self._class_changes[place.name, kind])

    def _is_divided(self, methods: Iterable[tuple[str, str]], kind: Kind) -> bool:
        """Return whether benchmarks that share a method have different plans."""
        own = set(methods)
        users = (one for one in self.found if any(member.key in own for member in one.members))
        return len({self._planned(one, kind) for one in users}) > 1

    def _is_first(self, place: Place, one: SourceBenchmark, kind: Kind) -> bool:
        """Return whether the class has the nearest annotation of a benchmark."""
        if any(self._own(member, kind) for member in one.members):
            return False
        levels = zip(one.lineage, self._levels(one, kind), strict=True)
        for level_place, level in levels:
            if level_place == place:
                return True
            if level.exists:
                return False
        return False

    def _by_method(self) -> list[list[SourceBenchmark]]:
        """Return the benchmarks of each method."""
        users: dict[tuple[str, str], list[SourceBenchmark]] = defaultdict(list)
        for one in self.found:
            users[one.members[0].key].append(one)
        return [users[key] for key in sorted(users)]

    def _decide_method(self, users: list[SourceBenchmark], kind: Kind) -> None:
        plans = [(one, self._planned(one, kind)) for one in users]
        changing = [one for one, plan in plans if plan and self.effective(one, kind).outdated(plan)]
        if not changing:
            return
        kept = next((one for one, plan in plans if plan is None), None)
        if kept is not None:
            reason = self.unchanged.get(kept.name) or kept.reason
            for one in changing:
                self.unchanged[one.name] = f"it shares its method with {kept.name} ({reason})"
            return
        wanted = PlannedValues.largest(plan for _, plan in plans if plan)
        if len({plan for _, plan in plans}) > 1:
            self.shared.update(one.name for one in users)
        outdated = _outdated((self.effective(one, kind) for one in users), wanted)
        for member in users[0].members if outdated else ():
            own = self._own(member, kind)
            change = Change(
                member.place, member.method, kind, own, wanted, outdated if own else _ALL
            )
            self.changes.append(change)


def _written(place: Place, declared: Type | Method, kind: Kind) -> Written | None:
    annotation = place.file.own(declared, kind.name)
    return None if annotation is None else Written(annotation, place.file, place.type)


def _outdated(all_effective: Iterable[EffectiveValues], wanted: PlannedValues) -> Outdated:
    outdated = Outdated()
    for one in all_effective:
        outdated = outdated | one.outdated(wanted)
    return outdated


def _is_worse(before: EffectiveValues, now: EffectiveValues, plan: PlannedValues) -> bool:
    """Return whether an argument has changed to a value other than the planned one."""
    amount = now.amount not in (before.amount, plan.amount)
    time = now.nanoseconds not in (before.nanoseconds, plan.nanoseconds)
    return amount or time
