"""The class hierarchy of base and head together.

A call may reach the methods that it reaches in base or in head. A path through the call graph ends
at the first difference.

Source: JVMS 5.4.3.3 and 5.4.3.4 (resolution of methods), 5.4.5 and 5.4.6 (overriding, selection).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from steady.harness.jmh.samecode.class_changes import NO_CHANGE, ClassChange, compare_class
from steady.harness.jmh.samecode.class_file import (
    ABSTRACT,
    INTERFACE,
    PRIVATE,
    STATIC,
    ClassFile,
    Signature,
)
from steady.harness.jmh.samecode.class_path import ClassPath
from steady.harness.jmh.samecode.constant_pool import FIELD, MalformedError
from steady.harness.jmh.samecode.jdk_effects import is_of_jdk
from steady.samecode.reachability import closure

OBJECT = "java/lang/Object"
_JMH = re.compile(
    r"org/openjdk/jmh/(?:annotations|generators|infra|profile|results|runner|util)/.*"
    r"|org/openjdk/jmh/Main"
)


def is_of_jmh(name: str) -> bool:
    """Return whether a class belongs to JMH, whose use of reflection is known."""
    return _JMH.fullmatch(name) is not None


class ResolvedMethod(NamedTuple):
    """The classes that may declare the method to which a call refers.

    Parameters
    ----------
    owners : tuple of str
        Classes in the jar that declare it.
    outside : tuple of str
        Classes outside the jar that may declare it.
    """

    owners: tuple[str, ...]
    outside: tuple[str, ...]


def _package(name: str) -> str:
    return name.rpartition("/")[0]


class ClassHierarchy:
    """The class hierarchy of base and head.

    Parameters
    ----------
    base, head : ClassPath
        The two sides.
    """

    def __init__(self, base: ClassPath, head: ClassPath) -> None:
        self.base, self.head = base, head
        self.unreadable = set[str]()
        """Classes with a file that cannot be read, or that contains another class."""
        self.ancestors: Callable[[str], frozenset[str]] = cache(self._ancestors)
        """All supertypes of a class that the jars contain or name."""
        self.related_types: Callable[[str], frozenset[str]] = cache(self._related_types)
        """All types that an object of a class may have: supertypes of its subtypes."""
        self.resolve: Callable[[str, Signature], ResolvedMethod] = cache(self._resolve)
        """The classes that may declare a method of a class: itself or supertypes."""

    @cached_property
    def changes(self) -> Mapping[str, ClassChange]:
        """The classes that differ in any byte, or in their location."""
        sides = self.base.classes, self.head.classes
        return {
            name: compare_class(sides[0].get(name, ()), sides[1].get(name, ()))
            for name in {**sides[0], **sides[1]}
            if sides[0].get(name) != sides[1].get(name)
        }

    def change_of(self, name: str) -> ClassChange:
        """Return the differences of a class between base and head."""
        return self.changes.get(name, NO_CHANGE)

    @cached_property
    def class_files(self) -> Mapping[str, tuple[ClassFile, ...]]:
        """The readable files of each class; see `unreadable`."""
        files = {}
        for name in {**self.base.classes, **self.head.classes}:
            variants = self.base.classes.get(name, ())
            if name in self.changes:
                variants += self.head.classes.get(name, ())
            read = []
            for content in dict.fromkeys(content for _, content in variants):
                try:
                    file = ClassFile(content)
                    if file.name != name or name not in file.class_constants:
                        self.unreadable.add(name)
                    read.append(file)
                except MalformedError:
                    self.unreadable.add(name)
            files[name] = tuple(read)
        return files

    @cached_property
    def parents(self) -> Mapping[str, tuple[str, ...]]:
        """Superclasses and interfaces of each class, in base or head."""
        return {
            name: tuple(dict.fromkeys(parent for file in files for parent in file.parents))
            for name, files in self.class_files.items()
        }

    def _ancestors(self, name: str) -> frozenset[str]:
        return frozenset(closure([name], lambda one: self.parents.get(one, ())) - {name})

    def external_supertypes(self, name: str) -> frozenset[str]:
        """Return the supertypes of a class, or itself, that may be outside the jars or part of JMH.

        If a class in the jar has the name of a JDK class, the latter takes precedence.
        """
        types = self.ancestors(name) | {name}
        return frozenset(
            one
            for one in types
            if one != OBJECT and (self.may_be_external(one) or (one != name and is_of_jmh(one)))
        )

    def may_be_external(self, name: str) -> bool:
        """Return whether a type may be provided by the JDK or its vendor.

        A JVM that provides a package loads no type of it from a jar. So a type that the jars lack
        does not exist if they contain other types of its package.
        """
        if is_of_jdk(name):
            return True
        return (
            name not in self.class_files
            and not is_of_jmh(name)
            and _package(name) not in self._packages
        )

    @cached_property
    def _packages(self) -> frozenset[str]:
        # No JDK has types in the unnamed package.
        return frozenset(map(_package, self.class_files)) | {""}

    @cached_property
    def _instantiable_subtypes(self) -> Mapping[str, Sequence[str]]:
        """Subtypes of each class that may have objects, including itself.

        Interfaces may have objects that a lambda or a proxy creates.
        """
        below: dict[str, list[str]] = defaultdict(list)
        for name, files in self.class_files.items():
            if not files or any(f.access & INTERFACE or not f.access & ABSTRACT for f in files):
                for one in (name, *self.ancestors(name)):
                    below[one].append(name)
        return below

    def _related_types(self, name: str) -> frozenset[str]:
        below = self._instantiable_subtypes.get(name, ())
        return frozenset(below).union(*map(self.ancestors, below))

    @cached_property
    def declaring_classes(self) -> Mapping[Signature, frozenset[str]]:
        """Classes that implement each virtual method."""
        found: dict[Signature, set[str]] = defaultdict(set)
        for name, files in self.class_files.items():
            for file in files:
                for signature, method in file.methods.items():
                    excluded = method.access & (PRIVATE | STATIC | ABSTRACT)
                    if not excluded and not signature[0].startswith("<"):
                        found[signature].add(name)
        return {signature: frozenset(names) for signature, names in found.items()}

    @cached_property
    def one_sided_methods(self) -> Mapping[Signature, tuple[str, ...]]:
        """Classes in which only one side has a method, by method."""
        found: dict[Signature, list[str]] = defaultdict(list)
        for name, change in self.changes.items():
            for signature in change.one_sided:
                found[signature].append(name)
        return {signature: tuple(names) for signature, names in found.items()}

    def is_field_referenced(self, owner: str, fields: Iterable[str]) -> bool:
        """Return whether any code references one of these fields of a class or its subtypes."""
        return any(
            owner == one or owner in self.ancestors(one)
            for field in fields
            for one in self._field_references.get(field, ())
        )

    @cached_property
    def _field_references(self) -> Mapping[str, set[str]]:
        """Classes with which code references a field, by name of the field."""
        found: dict[str, set[str]] = defaultdict(set)
        for files in self.class_files.values():
            for file in files:
                for index in file.pool.indices(FIELD):
                    owner, name, _ = file.pool.member(index)
                    found[name].add(owner)
        return found

    def _resolve(self, owner: str, signature: Signature) -> ResolvedMethod:
        owners, outside, seen = list[str](), list[str](), {owner}
        pending = [owner]
        while pending:
            name = pending.pop()
            files = self.class_files.get(name)
            if files is None or is_of_jdk(name):
                outside.append(name)
            if files is None:
                continue
            declares = [signature in file.methods for file in files]
            if any(declares):
                owners.append(name)
            if not declares or not all(declares):
                new = [one for one in self.parents[name] if one not in seen]
                seen.update(new)
                pending += reversed(new)
        return ResolvedMethod(tuple(owners), tuple(outside))
