"""Methods of the loaded classes that may run: a change of any other one is not noticed.

A fork begins in JMH and in the classes that JMH generates for the benchmark. From there on a method
can run only if one that runs names it, or if the JVM or the JDK calls it by itself. Only names are
compared: a call of ``size()I`` may reach every method of that name and descriptor, in any class. So
an override that is new, or that was removed, counts as soon as some code calls a method of its name
and descriptor, and types and dispatch do not have to be known.

The JDK calls methods that override one of its own, and their descriptors do not name classes of the
jar. `CallWalk` follows the calls.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from steady.harness.jmh.samecode.call_walk import ANNOTATION, CallWalk, is_generated
from steady.harness.jmh.samecode.members import (
    ABSTRACT,
    PRIVATE,
    STATIC,
    Members,
    Method,
    Signature,
)
from steady.harness.jmh.samecode.mentions import is_of_jmh

OBJECT = "java/lang/Object"

_BY_NAME = frozenset(
    {
        *("equals", "hashCode", "toString", "clone", "finalize", "values", "valueOf", "main"),
        *("readObject", "readObjectNoData", "readResolve", "writeObject", "writeReplace"),
        *("readExternal", "writeExternal", "$deserializeLambda$"),
    }
)
"""Methods that the JDK calls on classes of any kind: of objects, enums, and serialization."""

_CALLED: Mapping[str, frozenset[str]] = {
    "java/io/Closeable": frozenset({"close"}),
    "java/io/Externalizable": frozenset(),
    "java/io/Serializable": frozenset(),
    "java/lang/AutoCloseable": frozenset({"close"}),
    "java/lang/Cloneable": frozenset(),
    "java/lang/Comparable": frozenset({"compareTo"}),
    "java/lang/Iterable": frozenset({"iterator", "forEach", "spliterator"}),
    "java/lang/Runnable": frozenset({"run"}),
    "java/util/Iterator": frozenset({"hasNext", "next", "remove", "forEachRemaining"}),
    "java/util/concurrent/Callable": frozenset({"call"}),
}
"""The methods that some interfaces of the JDK have besides those in `_BY_NAME`."""


@dataclass(frozen=True)
class Code:
    """The code of the classes that a fork loads.

    Parameters
    ----------
    members : mapping of str to Members
        The classes.
    held : collection of str
        All classes of the jar.
    idle : frozenset of str
        Those of the loaded classes that the fork has not used.
    """

    members: Mapping[str, Members]
    held: Collection[str]
    idle: frozenset[str] = frozenset()

    @cached_property
    def walk(self) -> CallWalk:
        """What may run, as far as it is named."""
        return CallWalk(self.members, self.idle, self.is_called_unnamed)

    def may_run(self, owner: str, signature: Signature, *methods: Method) -> bool:
        """Tell whether a method of a loaded class may run, given what it is in base and in head.

        No code of a class that is asleep runs. The body of such a method counts only if a call
        through a parent can mean no other method, because the JVM may put the body in place of it.
        """
        if owner in self.walk.asleep and self._is_out_of_reach(owner, signature, methods):
            return False
        if signature in self.walk.named:
            return True
        return any(self.is_called_unnamed(owner, signature, method) for method in methods)

    def is_called_unnamed(self, owner: str, signature: Signature, method: Method) -> bool:
        """Tell whether JMH, the JVM or the JDK may call a method."""
        name, descriptor = signature
        if name.startswith("<") or name in _BY_NAME or is_of_jmh(owner) or is_generated(owner):
            return True
        outside = self._outside.get(owner, frozenset())
        if ANNOTATION in outside:
            return True
        if method.access & (PRIVATE | STATIC) or self._names_own(descriptor):
            return False
        return any(name in _CALLED.get(one, (name,)) for one in outside)

    def _is_out_of_reach(self, owner: str, signature: Signature, methods: Sequence[Method]) -> bool:
        """Tell whether no call can mean a method of a class that is asleep, or its new body.

        Nobody calls constructors and class initialisers by way of a parent. No code that may run
        names the class itself.
        """
        if signature[0].startswith("<"):
            return True
        is_new_body = len(methods) == 2 and methods[0].access == methods[1].access
        return is_new_body and all(
            self._has_other_body(owner, parent, signature)
            for parent in self.members[owner].parents
            if parent != OBJECT and self._may_have(parent, signature)
        )

    def _may_have(self, owner: str, signature: Signature) -> bool:
        """Tell whether a class or one of its parents may have a method."""
        kin = {owner, *self._ancestors.get(owner, ())} - {OBJECT}
        known = kin & self.members.keys()
        if any(signature in self.members[name].methods for name in known):
            return True
        return known != kin and not self._names_own(signature[1])

    def _has_other_body(self, owner: str, parent: str, signature: Signature) -> bool:
        """Tell whether a class, or another one below it, has a method with a body."""
        return any(
            not self.members[name].methods[signature].access & ABSTRACT
            for name, ancestors in self._ancestors.items()
            if name != owner and (name == parent or parent in ancestors)
            if signature in self.members[name].methods
        )

    def _names_own(self, descriptor: str) -> bool:
        return any(name in self.held for name in _classes_of(descriptor))

    @cached_property
    def _outside(self) -> Mapping[str, frozenset[str]]:
        """For each class, the types of the JDK that it or a class that extends it belongs to."""
        outside = defaultdict[str, set[str]](set)
        for name, ancestors in self._ancestors.items():
            for one in (name, *ancestors):
                outside[one] |= ancestors - self.members.keys() - {OBJECT}
        return {name: frozenset(types) for name, types in outside.items()}

    @cached_property
    def _ancestors(self) -> Mapping[str, frozenset[str]]:
        return {name: frozenset(self._parents(name)) for name in self.members}

    def _parents(self, name: str) -> set[str]:
        parents, left = set[str](), [name]
        while left:
            one = self.members.get(left.pop())
            new = set(one.parents if one is not None else ()) - parents
            parents |= new
            left += new
        return parents

    @cached_property
    def classes_named(self) -> frozenset[str]:
        """All classes that any method of a loaded class names."""
        methods = (method for one in self.members.values() for method in one.methods.values())
        return frozenset[str]().union(*(method.classes for method in methods))


def _classes_of(descriptor: str) -> list[str]:
    """Return the classes that a method's descriptor names."""
    parts = (part.lstrip("()[BCDFIJSZV") for part in descriptor.split(";"))
    return [part[1:] for part in parts if part.startswith("L")]
