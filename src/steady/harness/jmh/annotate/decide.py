"""The places where annotations change: a class whose benchmarks agree, or else methods."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from steady.harness.jmh.annotate.benchmarks import Found, Member
from steady.harness.jmh.annotate.kinds import KINDS, Kind, Lack, Level, Said, Wanted, Written, said
from steady.harness.jmh.annotate.names import Names, Place
from steady.harness.jmh.annotate.source import Method, Type

_ALL = Lack(True, True)


@dataclass(frozen=True, slots=True)
class Change:
    """The change of an annotation.

    Parameters
    ----------
    place : Place
        The type with the annotation, or with its method.
    declared : Type or Method
        The annotated declaration.
    kind : Kind
        The kind of annotation.
    written : Written, optional
        The present annotation.
    wanted : Wanted
        Its planned values.
    lack : Lack
        The arguments that change.
    """

    place: Place
    declared: Type | Method
    kind: Kind
    written: Written | None
    wanted: Wanted
    lack: Lack


@dataclass
class Decisions:
    """The changes for a plan; `decide` makes them.

    Parameters
    ----------
    names : Names
        The names in the sources.
    found : list of Found
        Their benchmarks.
    changes : list of Change
        The changes of classes and methods.
    left : dict of str to str
        Reasons why benchmarks are not changed in spite of the plan.
    shared : set of str
        Benchmarks that share an annotation with others; the largest plan applies.
    """

    names: Names
    found: list[Found]
    changes: list[Change] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    _set: dict[tuple[str, Kind], Change] = field(default_factory=dict)

    def decide(self) -> None:
        """Decide for all annotations."""
        self._leave_alone()
        for kind in KINDS:
            for place in self._classes():
                self._decide_class(place, kind)
            for users in self._by_method():
                self._decide_method(users, kind)

    def says(self, one: Found, kind: Kind, member: Member | None = None) -> Said:
        """Return the effective annotation of a benchmark, with the decisions on classes."""
        own = self._own(member or one.members[0], kind)
        return said(self.names, kind, [Level(own), *self._levels(one, kind)])

    def _leave_alone(self) -> None:
        for one in self.found:
            if one.planned and (reason := self._obstacle(one)):
                self.left[one.name] = reason

    def _obstacle(self, one: Found) -> str:
        places = {*one.line, *(member.place for member in one.members)}
        for place in sorted(places, key=lambda one: one.name):
            line = place.file.broken or place.type.broken
            if line is not None:
                return f"{place.file.path.name}:{line}: not parsed"
        for kind in KINDS:
            if len({self._signature(member, kind) for member in one.members}) > 1:
                return f"the methods of its group do not have the same @{kind.name}"
            batch = self.says(one, kind).batch
            if kind.timed and batch not in (None, one.planned[kind].batch):
                return f"its @{kind.name} has another batchSize than the plan"
        return ""

    def _signature(self, member: Member, kind: Kind) -> object:
        own = self._own(member, kind)
        return own and tuple((one.name, one.text) for one in own.annotation.arguments)

    def _own(self, member: Member, kind: Kind) -> Written | None:
        return _written(member.place, member.method, kind)

    def _levels(self, one: Found, kind: Kind) -> Iterator[Level]:
        for place in one.line:
            change = self._set.get((place.name, kind))
            written = _written(place, place.type, kind)
            yield Level(written) if change is None else Level(written, change.wanted, change.lack)

    def _planned(self, one: Found, kind: Kind) -> Wanted | None:
        return None if one.name in self.left else one.planned.get(kind)

    def _classes(self) -> list[Place]:
        """Return the classes of all benchmarks, each after its superclasses."""
        lines = {place.name: place for one in self.found for place in one.line}
        return sorted(lines.values(), key=lambda one: (len(self.names.line(one)), one.name))

    def _decide_class(self, place: Place, kind: Kind) -> None:
        """Change a class's annotation if all benchmarks for which it is the first one agree."""
        below = [one for one in self.found if place in one.line]
        first = [one for one in below if self._is_first(place, one, kind)]
        plans = {self._planned(one, kind) for one in first}
        wanted = plans.pop() if len(plans) == 1 else None
        written = _written(place, place.type, kind)
        methods = {member.key for one in first for member in one.members}
        if wanted is None or place.file.broken:
            return
        if written is None and len(methods) < 2 and not self._is_divided(methods, kind):
            return
        lack = _lacking((self.says(one, kind) for one in first), wanted)
        if not lack:
            return
        before = {one.name: self.says(one, kind) for one in below}
        lack = lack if written else _ALL
        self._set[place.name, kind] = Change(place, place.type, kind, written, wanted, lack)
        for one in below:
            now, plan = self.says(one, kind), self._planned(one, kind)
            if now != before[one.name] and (plan is None or _worse(before[one.name], now, plan)):
                del self._set[place.name, kind]
                return
        self.changes.append(self._set[place.name, kind])

    def _is_divided(self, methods: Iterable[tuple[str, str]], kind: Kind) -> bool:
        """Tell whether subclasses that share a method have different plans."""
        own = set(methods)
        users = (one for one in self.found if any(member.key in own for member in one.members))
        return len({self._planned(one, kind) for one in users}) > 1

    def _is_first(self, place: Place, one: Found, kind: Kind) -> bool:
        """Tell whether the class has the nearest annotation of a benchmark."""
        if any(self._own(member, kind) for member in one.members):
            return False
        levels = zip(one.line, self._levels(one, kind), strict=True)
        for level_place, level in levels:
            if level_place == place:
                return True
            if level.exists:
                return False
        return False

    def _by_method(self) -> list[list[Found]]:
        """Return benchmarks that share methods."""
        users: dict[tuple[str, str], list[Found]] = defaultdict(list)
        for one in self.found:
            users[one.members[0].key].append(one)
        return [users[key] for key in sorted(users)]

    def _decide_method(self, users: list[Found], kind: Kind) -> None:
        plans = [(one, self._planned(one, kind)) for one in users]
        lacking = [one for one, plan in plans if plan and self.says(one, kind).lacks(plan)]
        if not lacking:
            return
        kept = next((one for one, plan in plans if plan is None), None)
        if kept is not None:
            reason = self.left.get(kept.name) or kept.reason
            for one in lacking:
                self.left[one.name] = f"it shares its method with {kept.name} ({reason})"
            return
        wanted = Wanted.largest(plan for _, plan in plans if plan)
        if len({plan for _, plan in plans}) > 1:
            self.shared.update(one.name for one in users)
        lack = _lacking((self.says(one, kind) for one in users), wanted)
        for member in users[0].members if lack else ():
            own = self._own(member, kind)
            change = Change(member.place, member.method, kind, own, wanted, lack if own else _ALL)
            self.changes.append(change)


def _written(place: Place, declared: Type | Method, kind: Kind) -> Written | None:
    annotation = place.file.own(declared, kind.name)
    return None if annotation is None else Written(annotation, place.file, place.type)


def _lacking(all_said: Iterable[Said], wanted: Wanted) -> Lack:
    lack = Lack()
    for one in all_said:
        lack = lack | one.lacks(wanted)
    return lack


def _worse(before: Said, now: Said, plan: Wanted) -> bool:
    """Tell whether a changed argument still differs from the plan."""
    amount = now.amount not in (before.amount, plan.amount)
    time = now.nanoseconds not in (before.nanoseconds, plan.nanoseconds)
    return amount or time
