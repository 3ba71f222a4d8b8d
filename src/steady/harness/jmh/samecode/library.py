"""All classes of both sides as one library: what one side has, the call graph has.

So a call may reach what it reaches in base and what it reaches in head. What differs ends a walk.

Source: JVMS 5.4.3.3 and 5.4.3.4 (resolution of methods), 5.4.5 and 5.4.6 (overriding, selection).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from steady.harness.jmh.samecode.changes import NO_CHANGE, ClassChange, change_of
from steady.harness.jmh.samecode.class_code import (
    ABSTRACT,
    INTERFACE,
    PRIVATE,
    STATIC,
    ClassCode,
    Signature,
)
from steady.harness.jmh.samecode.class_path import ClassPath
from steady.harness.jmh.samecode.constant_pool import FIELD, MalformedError
from steady.harness.jmh.samecode.jdk_doors import is_of_jdk

OBJECT = "java/lang/Object"
_JMH = re.compile(
    r"org/openjdk/jmh/(?:annotations|generators|infra|profile|results|runner|util)/.*"
    r"|org/openjdk/jmh/Main"
)


def is_of_jmh(name: str) -> bool:
    """Tell whether a class is part of JMH: what it does by reflection is known."""
    return _JMH.fullmatch(name) is not None


class Found(NamedTuple):
    """The places where a method that a call names may be.

    Parameters
    ----------
    owners : tuple of str
        Classes of the jar that declare it.
    outside : tuple of str
        Classes outside of the jar, which may have it.
    """

    owners: tuple[str, ...]
    outside: tuple[str, ...]


def _package(name: str) -> str:
    return name.rpartition("/")[0]


class Library:
    """The classes of base and head.

    Parameters
    ----------
    base, head : ClassPath
        The two sides.
    """

    def __init__(self, base: ClassPath, head: ClassPath) -> None:
        self.base, self.head = base, head
        self.unknown = set[str]()
        """Classes of which a file cannot be read, or is of another class."""
        self.ancestors: Callable[[str], frozenset[str]] = cache(self._ancestors)
        """All superclasses and interfaces of a class, as far as the jar knows them."""
        self.kin: Callable[[str], frozenset[str]] = cache(self._kin)
        """The classes that an object of a class may be of at the same time."""
        self.find: Callable[[str, Signature], Found] = cache(self._find)
        """Where a method that is named with a class may be: it, or what it extends."""

    @cached_property
    def changes(self) -> Mapping[str, ClassChange]:
        """The classes of which any byte differs, or that lie elsewhere."""
        sides = self.base.classes, self.head.classes
        return {
            name: change_of(sides[0].get(name, ()), sides[1].get(name, ()))
            for name in {**sides[0], **sides[1]}
            if sides[0].get(name) != sides[1].get(name)
        }

    def change(self, name: str) -> ClassChange:
        """Return how a class differs, if it does."""
        return self.changes.get(name, NO_CHANGE)

    @cached_property
    def codes(self) -> Mapping[str, tuple[ClassCode, ...]]:
        """All files of each class; of a class that cannot be read, those that can (`unknown`)."""
        codes = {}
        for name in {**self.base.classes, **self.head.classes}:
            variants = self.base.classes.get(name, ())
            if name in self.changes:
                variants += self.head.classes.get(name, ())
            read = []
            for content in dict.fromkeys(content for _, content in variants):
                try:
                    code = ClassCode(content)
                    if code.name != name or name not in code.class_constants:
                        self.unknown.add(name)
                    read.append(code)
                except MalformedError:
                    self.unknown.add(name)
            codes[name] = tuple(read)
        return codes

    @cached_property
    def parents(self) -> Mapping[str, tuple[str, ...]]:
        """The superclasses and interfaces of each class, of both sides."""
        return {
            name: tuple(dict.fromkeys(parent for code in codes for parent in code.parents))
            for name, codes in self.codes.items()
        }

    def _ancestors(self, name: str) -> frozenset[str]:
        found, left = set[str](), [name]
        while left:
            new = set(self.parents.get(left.pop(), ())) - found
            found |= new
            left += new
        return frozenset(found - {name})

    def outside(self, name: str) -> frozenset[str]:
        """Return the types that a class has from elsewhere: the JDK's, JMH's, or who knows whose.

        A class of the jar that is named like one of the JDK's may be the JDK's: that one wins
        where the JDK has it.
        """
        kin = self.ancestors(name) | {name}
        return frozenset(
            one
            for one in kin
            if one != OBJECT and (self.may_be_outside(one) or (one != name and is_of_jmh(one)))
        )

    def may_be_outside(self, name: str) -> bool:
        """Tell whether a JVM may have a type from elsewhere: the JDK's, or what its vendor adds.

        If it has one type of a package, it takes none of that package from a jar. So a type that a
        jar lacks, of a package that it has, is nowhere.
        """
        if is_of_jdk(name):
            return True
        return (
            name not in self.codes and not is_of_jmh(name) and _package(name) not in self._packages
        )

    @cached_property
    def _packages(self) -> frozenset[str]:
        return frozenset(map(_package, self.codes)) | {""}  # no JDK has types without one

    @cached_property
    def _solid(self) -> Mapping[str, Sequence[str]]:
        """For each class, those below it of which there may be an object, it among them.

        Of an interface there may be one that a lambda or a proxy makes.
        """
        below: dict[str, list[str]] = defaultdict(list)
        for name, codes in self.codes.items():
            if not codes or any(c.access & INTERFACE or not c.access & ABSTRACT for c in codes):
                for one in (name, *self.ancestors(name)):
                    below[one].append(name)
        return below

    def _kin(self, name: str) -> frozenset[str]:
        below = self._solid.get(name, ())
        return frozenset(below).union(*map(self.ancestors, below))

    @cached_property
    def declaring(self) -> Mapping[Signature, frozenset[str]]:
        """The classes that have a body for a method which an object decides about."""
        found: dict[Signature, set[str]] = defaultdict(set)
        for name, codes in self.codes.items():
            for code in codes:
                for signature, method in code.methods.items():
                    inner = method.access & (PRIVATE | STATIC | ABSTRACT)
                    if not inner and not signature[0].startswith("<"):
                        found[signature].add(name)
        return {signature: frozenset(names) for signature, names in found.items()}

    @cached_property
    def lone(self) -> Mapping[Signature, tuple[str, ...]]:
        """The classes in which only one side has a method."""
        found: dict[Signature, list[str]] = defaultdict(list)
        for name, change in self.changes.items():
            for signature in change.lone:
                found[signature].append(name)
        return {signature: tuple(names) for signature, names in found.items()}

    def is_named(self, owner: str, fields: Iterable[str]) -> bool:
        """Tell whether any code names one of these fields with a class, or with one below it."""
        return any(
            owner == one or owner in self.ancestors(one)
            for field in fields
            for one in self._named_fields.get(field, ())
        )

    @cached_property
    def _named_fields(self) -> Mapping[str, set[str]]:
        """For each name of a field, the classes with which code names it."""
        found: dict[str, set[str]] = defaultdict(set)
        for codes in self.codes.values():
            for code in codes:
                for place in code.pool.places(FIELD):
                    owner, name, _ = code.pool.member(place)
                    found[name].add(owner)
        return found

    def _find(self, owner: str, signature: Signature) -> Found:
        owners, outside, seen = list[str](), list[str](), {owner}
        left = [owner]
        while left:
            name = left.pop()
            codes = self.codes.get(name)
            if codes is None or is_of_jdk(name):
                outside.append(name)
            if codes is None:
                continue
            having = [signature in code.methods for code in codes]
            if any(having):
                owners.append(name)
            if not having or not all(having):
                new = [one for one in self.parents[name] if one not in seen]
                seen.update(new)
                left += reversed(new)
        return Found(tuple(owners), tuple(outside))
