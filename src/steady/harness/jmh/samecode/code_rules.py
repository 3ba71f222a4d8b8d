"""What follows when a method runs: its calls, and the doors of the JDK that it opens."""

import re
import struct
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from steady.harness.jmh.samecode import facts, jdk_doors, rules
from steady.harness.jmh.samecode.class_code import NATIVE, Signature
from steady.harness.jmh.samecode.constant_pool import MalformedError, Member, element_of
from steady.harness.jmh.samecode.differences import HINTS
from steady.harness.jmh.samecode.facts import Fact, Following, Join, run
from steady.harness.jmh.samecode.library import OBJECT, is_of_jmh
from steady.harness.jmh.samecode.uses import Uses, uses_of_method

_ANY_METHOD, _DANGER = "any method", "danger"
_GET_CLASS = "getClass"
_RELEASE = re.compile(r"META-INF/versions/\d+/")

_FOR_BENCHMARKS = re.compile(
    r"org/openjdk/jmh/(?:(?:annotations|infra|results)/.*|"
    r"runner/(?:InfraControl.*|FailureAssistException|WorkerData))"
)
"""What benchmarks use of JMH: none of it calls back, or finds classes."""


class Rules(rules.ClassRules):
    """What follows from any fact.

    Parameters
    ----------
    library : Library
        The classes.
    differences : Differences
        Everything else.
    starts : mapping of Fact to collection of Fact
        What each benchmark begins with.
    """

    starts: Mapping[Fact, Collection[Fact]] = {}

    def follow(self, fact: Fact) -> Following:
        """Return what follows from a fact, alone or together with another one."""
        kind = fact[0]
        if kind in (facts.RUN, facts.CALL):
            return (self.run if kind == facts.RUN else self.call)(fact[1], (fact[2], fact[3]))
        if kind == facts.API:
            return [(facts.DOOR, *fact[1:2], *fact[4:])]
        if kind == facts.DOOR:
            return self.methods(fact[2]) if fact[1] == jdk_doors.METHOD else self.door(fact[1])
        if kind == facts.ALWAYS:
            return self.always()
        if kind == facts.BENCHMARK:
            return self.starts[fact]
        rule = {
            facts.LOAD: self.load,
            facts.SEEN: self.seen,
            facts.INIT: self.init,
            facts.MAKE: self.make,
            facts.HAVE: self.have,
            facts.HAND: self.hand,
            facts.OPEN: self.open,
            facts.STUB: self.stub,
        }.get(kind)
        return rule(fact[1]) if rule is not None and self.holds(fact[1]) else ()

    def is_end(self, fact: Fact) -> bool:
        """Tell whether a fact says that something changed."""
        if fact[0] == facts.RUN:
            change = self.library.change(fact[1])
            return bool(change.whole) or (fact[2], fact[3]) in change.methods
        return fact == (facts.DOOR, jdk_doors.ANYTHING) or fact[0] in facts.ENDS

    def size(self, fact: Fact) -> int:
        """Return how many bytes the code of a method takes, on the side where it takes most."""
        codes = self.library.codes.get(fact[1], ())
        having = (code.methods.get((fact[2], fact[3])) for code in codes)
        return max((one.end - one.start for one in having if one is not None), default=0)

    def run(self, owner: str, signature: Signature) -> Following:
        """Follow a method that runs."""
        if not self.holds(owner) or self.is_end(run(owner, signature)):
            return
        having = [c for c in self.library.codes[owner] if signature in c.methods]
        yield facts.LOAD, owner
        hinted = self.differences.hints or ()  # where all may be, no graph is needed
        if f"{owner}.{signature[0]}" in hinted or f"{owner}.*" in hinted:
            yield facts.FILE, HINTS
        if owner in self.library.changes:
            having = having[:1]  # the method is the same in both
        if signature in self.library.change(owner).lines:
            yield Join((facts.DOOR, jdk_doors.STACK), (facts.LINES, owner))
        uses = Uses()
        try:
            for code in having:
                if code.methods[signature].access & NATIVE:
                    yield facts.API, jdk_doors.ANYTHING, "", "is native code"
                uses_of_method(code, signature, uses)
        except (MalformedError, IndexError, struct.error):
            yield facts.API, jdk_doors.ANYTHING, "", "holds code that is not understood"
        yield from self.about(facts.LOAD, sorted(uses.loads))
        yield from self.about(facts.INIT, sorted(uses.inits))
        yield from self.about(facts.MAKE, sorted(uses.news))
        yield from self.about(facts.HAND, sorted(uses.literals))
        yield from self._calls(uses, owner)
        for name in filter(self._is_strange, sorted(uses.inits & uses.loads)):
            yield facts.API, jdk_doors.ANYTHING, "", f"uses {name}, which no jar holds"
        yield from self._by_reflection(uses)

    def _by_reflection(self, uses: Uses) -> Iterator[Join]:
        for fact in self.about(facts.HAND, sorted(uses.arrays)):
            yield Join((facts.DOOR, jdk_doors.GET_CLASS), fact)
        if OBJECT in uses.literals:
            yield Join((facts.DOOR, jdk_doors.INVOKE), (facts.DOOR, jdk_doors.GET_CLASS))
        worst = {name for name in uses.literals if jdk_doors.is_worst(name)}
        worst |= {name for name in _asked(uses) if jdk_doors.is_worst(name, is_literal=False)}
        worst |= set(filter(self._is_strange, uses.literals & uses.loads))
        for name in sorted(worst):
            api = (facts.API, jdk_doors.ANYTHING, "", f"may use {name} by reflection")
            more = _ANY_METHOD if jdk_doors.door(name, "\0") == jdk_doors.ANYTHING else _DANGER
            yield Join((facts.DOOR, jdk_doors.REFLECT), api)
            yield Join((facts.DOOR, more), api)

    def _is_strange(self, name: str) -> bool:
        """Tell whether a type may be in a JVM, but neither in a jar nor in the JDK."""
        return self.library.may_be_outside(name) and not jdk_doors.is_of_jdk(name)

    def methods(self, name: str) -> Following:
        """Follow a door to the methods of one name."""
        for owner, signatures in self._owners[name].items():
            for signature, access in signatures:
                for fact in (*rules.by_name(owner, signature, access), *self.types(owner, name)):
                    yield Join((facts.HAND, owner), fact)
        yield facts.DOOR, _ANY_METHOD
        if jdk_doors.is_danger(name):
            yield facts.DOOR, _DANGER
            yield from rules.any_class(f"calls {name} by reflection")
        if name == _GET_CLASS:
            yield facts.DOOR, jdk_doors.GET_CLASS

    @cached_property
    def _stubs(self) -> frozenset[str]:
        """The classes that JMH has generated, by its own list: they may call all of JMH."""
        begins = (fact for own in self.starts.values() for fact in own)
        return frozenset(fact[1] for fact in begins if fact[0] == facts.STUB)

    @cached_property
    def _owners(self) -> Mapping[str, Mapping[str, list[tuple[Signature, int]]]]:
        """For each name, the classes that have methods of it."""
        found: dict[str, dict[str, list[tuple[Signature, int]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for owner in filter(self.holds, self.library.codes):
            for signature, access in self.methods_of(owner):
                found[signature[0]][owner].append((signature, access))
        return found

    def _calls(self, uses: Uses, caller: str) -> Iterator[Fact]:
        for member in (*sorted(uses.direct), *sorted(uses.virtual)):
            owner, name, descriptor = member
            if is_of_jmh(owner):
                if caller not in self._stubs and not _FOR_BENCHMARKS.fullmatch(owner):
                    yield facts.API, jdk_doors.ANYTHING, owner, name
                continue
            found = self.library.find(owner, (name, descriptor))
            if member in uses.direct:
                yield from (run(one, (name, descriptor)) for one in found.owners)
                if not name.startswith("<") and owner in self.library.ancestors(caller):
                    yield from self._of_super(caller, (name, descriptor))
            elif self.holds(owner):
                yield facts.CALL, owner, name, descriptor
            for outside in filter(self.library.may_be_outside, found.outside):
                yield from self._door(outside, member, uses)
        if uses.takes_class:
            yield facts.API, jdk_doors.GET_CLASS, "java/lang/Object", "getClass"
        for owner, name, _ in sorted(uses.makers):
            yield facts.API, jdk_doors.ANYTHING, owner, name

    def _of_super(self, caller: str, signature: Signature) -> Iterator[Fact]:
        """Yield what a call of ``super`` reaches, whichever class above the code names."""
        for parent in self.library.parents[caller]:
            yield from (run(one, signature) for one in self.library.find(parent, signature).owners)

    def _door(self, outside: str, member: Member, uses: Uses) -> Iterator[Fact]:
        name = member[1]
        kind = jdk_doors.door(outside, name, member[2])
        if kind in (jdk_doors.NAME, jdk_doors.BUNDLE, jdk_doors.RESOURCE, jdk_doors.METHOD):
            for text in sorted(uses.texts.get(member, {None}), key=str):
                if text is None:
                    worst = jdk_doors.INVOKE if kind == jdk_doors.METHOD else jdk_doors.ANYTHING
                    yield facts.API, worst, outside, name
                elif kind == jdk_doors.METHOD:
                    yield facts.API, jdk_doors.METHOD, outside, name, text
                else:
                    yield from self._named_by(kind, text)
        elif kind:
            yield facts.API, kind, outside, name

    def _named_by(self, kind: str, text: str) -> Iterator[Fact]:
        """Yield what a constant name means."""
        path = text.replace(".", "/")
        if kind == jdk_doors.RESOURCE:
            yield from ((facts.FILE, one) for one in self._changed_files(text))
        elif kind == jdk_doors.NAME:
            yield from self.about(facts.HAND, [element_of(path)])
            yield from self.about(facts.INIT, [element_of(path)])
        else:
            for one in self.library.codes:
                if one.startswith(path):
                    yield from self.whole(one)
            for one in self.differences.files:
                if _RELEASE.sub("", one, count=1).startswith(path):
                    yield facts.FILE, one

    def _changed_files(self, text: str) -> Iterator[str]:
        """Yield what a text may mean: the file, or a folder, which is read as a list of files."""
        last = text.rpartition("/")[2]
        classes = (f"{name}.class" for name in self.library.changes)
        for name in (*self.differences.files, *classes):
            if last in ("", ".", "..") or last in name.split("/") or name.endswith("/"):
                yield name


def _asked(uses: Uses) -> Iterator[str]:
    """Yield the classes that are asked for by a constant name."""
    for texts in uses.texts.values():
        yield from (element_of(text.replace(".", "/")) for text in texts if text)
