"""What follows from a fact about classes and calls.

Sources: JVMS 5.3 to 5.5 (loading, linking, initialization), 5.4.6 (selection), 4.10 (verification);
JLS 8.9.3 (enums), 12.4 (initialization), 12.6 (finalization).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property

from steady.harness.jmh.samecode import facts, jdk_doors
from steady.harness.jmh.samecode.class_code import (
    ABSTRACT,
    INTERFACE,
    PRIVATE,
    STATIC,
    Signature,
    classes_of,
)
from steady.harness.jmh.samecode.class_path import MANIFEST
from steady.harness.jmh.samecode.differences import Differences
from steady.harness.jmh.samecode.facts import Fact, run
from steady.harness.jmh.samecode.jdk_callbacks import called_by_jdk
from steady.harness.jmh.samecode.library import OBJECT, Library, is_of_jmh

Joins = list[tuple[Fact, Fact]]
"""Other facts, each with what follows from it together with the one that is asked about."""

Following = tuple[list[Fact], Joins]

_START: Signature = ("<clinit>", "()V")
_ENUM = "java/lang/Enum"
_OF_ENUMS = ("values", "valueOf")
NOTHING: Following = ([], [])
_EXTENDED = frozenset(
    {
        *(
            OBJECT,
            "java/lang/Enum",
            "java/lang/Record",
            "java/lang/Comparable",
            "java/lang/Runnable",
        ),
        *("java/lang/Cloneable", "java/lang/AutoCloseable", "java/io/Serializable"),
        *("java/io/Closeable", "java/io/Flushable", "java/io/OutputStream", "java/io/InputStream"),
        *("java/io/DataOutput", "java/lang/annotation/Annotation"),
    }
)
"""Types of which any JVM with JMH has several classes, for each method: one more says nothing."""


def by_name(owner: str, signature: Signature, access: int) -> list[Fact]:
    """Return what follows where a method of a class is called by reflection."""
    found = [run(owner, signature)]
    if not access & (PRIVATE | STATIC) and not signature[0].startswith("<"):
        found.append((facts.CALL, owner, *signature))
    return found


def any_class(what: str) -> Joins:
    """Return the doors that bring classes of the JDK, with what follows from calls by name."""
    doors = jdk_doors.GET_CLASS, jdk_doors.TYPES, jdk_doors.FIELD_TYPES, jdk_doors.METHOD_TYPES
    return [((facts.DOOR, one), (facts.API, jdk_doors.ANYTHING, "", what)) for one in doors]


class ClassRules:
    """What follows from facts about classes.

    Parameters
    ----------
    library : Library
        The classes.
    differences : Differences
        Everything else.
    """

    def __init__(self, library: Library, differences: Differences) -> None:
        self.library = library
        self.differences = differences

    def holds(self, name: str) -> bool:
        """Tell whether a class is in a jar and not one of JMH's."""
        return name in self.library.codes and not is_of_jmh(name)

    def whole(self, name: str, methods: Collection[str] = ("<init>", "provider")) -> list[Fact]:
        """Return what a class does that is found by its name: it is made."""
        if not self.holds(name):
            return []
        found: list[Fact] = [(facts.MAKE if self._is_solid(name) else facts.INIT, name)]
        return found + [run(name, s) for s, _ in self._methods(name) if s[0] in methods]

    def types(self, name: str, method: str) -> list[Fact]:
        """Return the classes that are at hand with a method which was found by reflection."""
        return self._at_hand({s[1] for s, _ in self._methods(name) if s[0] == method})

    def _at_hand(self, descriptors: Collection[str]) -> list[Fact]:
        named = {one for descriptor in descriptors for one in classes_of(descriptor)}
        return [(facts.HAND, one) for one in sorted(named) if self.holds(one)]

    def stub(self, name: str) -> Following:
        """Follow what JMH generates for a benchmark, and runs; nobody else has its ``Class``."""
        return [(facts.MAKE, name), *(run(name, s) for s, _ in self._methods(name))], []

    def load(self, name: str) -> Following:
        """Follow a class that is loaded: code may hold its ``Class``."""
        library = self.library
        edges: list[Fact] = [(facts.LOAD, one) for one in library.parents[name] if self.holds(one)]
        edges.append((facts.SEEN, name))
        change = library.changes.get(name)
        if change is not None and change.whole:
            edges.append((facts.WHOLE, name, change.whole))
        if name in library.unknown:
            edges.append((facts.API, jdk_doors.ANYTHING, "", f"loads {name}, which cannot be read"))
        if _ENUM in library.ancestors(name):
            edges.append((facts.INIT, name))
            edges += [run(name, s) for s, _ in self._methods(name) if s[0] in _OF_ENUMS]
        return edges, []

    def hand(self, name: str) -> Following:
        """Follow a class of which code may have the ``Class``: doors of the JDK take it."""
        edges: list[Fact] = [(facts.LOAD, name)]
        edges += [(facts.HAND, one) for one in self.library.parents[name] if self.holds(one)]
        joins: Joins = [
            ((facts.DOOR, jdk_doors.REFLECT), (facts.OPEN, name)),
            ((facts.DOOR, jdk_doors.FIELDS), (facts.INIT, name)),
        ]
        made = [*self.whole(name, ("<init>",)), *self.types(name, "<init>")]
        joins += [((facts.DOOR, jdk_doors.CONSTRUCT), fact) for fact in made]
        of_fields = {t for code in self.library.codes[name] for _, t, _ in code.fields}
        joins += [((facts.DOOR, jdk_doors.FIELD_TYPES), fact) for fact in self._at_hand(of_fields)]
        joins += [
            ((facts.DOOR, jdk_doors.TYPES), (facts.HAND, one)) for one in self._mentions(name)
        ]
        change = self.library.changes.get(name)
        if change is not None and change.shape:
            edges.append((facts.SHAPE, name))
        if change is not None and change.raw:
            joins.append(((facts.DOOR, jdk_doors.NESTED), (facts.RAW, name)))
        return edges, joins

    def seen(self, name: str) -> Following:
        """Follow a class that a JVM may load, if only to compare types: it compiles calls by it."""
        edges: list[Fact] = [
            (facts.SEEN, one) for one in self.library.parents[name] if self.holds(one)
        ]
        change = self.library.changes.get(name)
        if change is not None:
            if change.parents:
                edges.append((facts.SHAPE, name))
            if change.whole:
                edges.append((facts.WHOLE, name, change.whole))
            edges += [run(name, s) for s in change.lone if self._is_callback(name, s)]
        return edges, []

    def init(self, name: str) -> Following:
        """Follow a class that is linked, by which the types in all its code are checked."""
        edges: list[Fact] = [(facts.LOAD, name)]
        edges += [(facts.INIT, one) for one in self.library.parents[name] if self.holds(one)]
        if any(_START in code.methods for code in self.library.codes[name]):
            edges.append(run(name, _START))
        change, joins = self.library.changes.get(name), Joins()
        if change is not None:
            if change.shape:
                edges.append((facts.SHAPE, name))
            new_edges, joins = self._named_anew(name)
            edges += new_edges
        base, head = self._named(name, 0), self._named(name, -1)
        edges += [(facts.SEEN, one) for one in sorted((base | head) & self._watched)]
        edges += [(facts.SEEN, one) for one in sorted(base & head & self._replaced)]
        return edges, joins

    def make(self, name: str) -> Following:
        """Follow an object: the JDK may call what overrides its own methods."""
        edges: list[Fact] = [(facts.INIT, name), (facts.HAVE, name)]
        kin = [name, *(one for one in self.library.ancestors(name) if self.holds(one))]
        edges += [
            run(one, signature)
            for one in kin
            for signature, access in self._methods(one)
            if not access & ABSTRACT and self._is_callback(name, signature, access)
        ]
        return edges, [((facts.DOOR, jdk_doors.GET_CLASS), (facts.HAND, name))]

    def have(self, name: str) -> Following:
        """Follow an object of a class or of one below it: the fields of both lie in it."""
        edges: list[Fact] = [
            (facts.HAVE, one) for one in self.library.parents[name] if self.holds(one)
        ]
        change = self.library.changes.get(name)
        if change is not None and change.shape:
            edges.append((facts.SHAPE, name))
        return edges, []

    def open(self, name: str) -> Following:
        """Follow a class of which all members may be used, by reflection."""
        library = self.library
        edges = [fact for s, access in self._methods(name) for fact in by_name(name, s, access)]
        edges.append((facts.INIT, name))
        if self._is_solid(name):
            edges.append((facts.MAKE, name))
        edges += [(facts.HAND, one) for one in self._mentions(name)]
        change = library.changes.get(name)
        if change is not None and change.raw:
            edges.append((facts.RAW, name))
        return edges, []

    def call(self, name: str, signature: Signature) -> Following:
        """Follow a call on an object, to the methods of all classes that it may be of."""
        library = self.library
        edges: list[Fact] = []
        for owner in library.find(name, signature).owners:
            for code in library.codes[owner]:
                method = code.methods.get(signature)
                if method is not None and method.access & (PRIVATE | STATIC | ABSTRACT):
                    edges.append(run(owner, signature))
        joins: Joins = [
            ((facts.HAVE, one), run(one, signature))
            for one in sorted(library.declaring.get(signature, frozenset()) & library.kin(name))
            if not is_of_jmh(one)
        ]
        joins += [
            ((facts.SEEN, one), run(one, signature))
            for one in library.lone.get(signature, ())
            if name == one or name in library.ancestors(one) or one in library.ancestors(name)
        ]
        return edges, joins

    def door(self, kind: str) -> Following:
        """Follow an open door of the JDK."""
        if kind == jdk_doors.SERVICE:
            edges: list[Fact] = [(facts.FILE, name) for name in self.differences.changed_services()]
            for provider, _, _ in self.differences.services():
                edges += self.whole(provider)
            return edges, []
        if kind == jdk_doors.SERIALIZE:
            return [(facts.DOOR, jdk_doors.REFLECT), (facts.DOOR, jdk_doors.GET_CLASS)], []
        if kind == jdk_doors.NESTED:
            return [(facts.DOOR, jdk_doors.TYPES)], []
        if kind == jdk_doors.INVOKE:
            return [(facts.DOOR, jdk_doors.REFLECT)], any_class(
                "calls methods by names that are not known"
            )
        if kind == jdk_doors.MANIFEST and self.differences.manifest_differs:
            return [(facts.FILE, MANIFEST)], []
        if kind == jdk_doors.GET_PROPERTIES:
            sets = (facts.API, jdk_doors.ANYTHING, "", "may set properties of the system")
            return [], [((facts.DOOR, jdk_doors.PUT_PROPERTIES), sets)]
        return NOTHING

    def always(self) -> Following:
        """Follow what every JVM may do: look for services of its own."""
        edges = list[Fact]()
        for provider, _, is_read in self.differences.services():
            if is_read:
                edges += self.whole(provider)
        return edges, []

    def _is_solid(self, name: str) -> bool:
        """Tell whether there may be an object of just this class; of an interface, a proxy."""
        codes = self.library.codes[name]
        return any(c.access & INTERFACE or not c.access & ABSTRACT for c in codes)

    def _mentions(self, name: str) -> list[str]:
        found = {one for code in self.library.codes[name] for one in code.mentions}
        return [one for one in sorted(found) if self.holds(one)]

    def _methods(self, name: str) -> Sequence[tuple[Signature, int]]:
        found: dict[Signature, int] = {}
        for code in self.library.codes[name]:
            for signature, method in code.methods.items():
                found.setdefault(signature, method.access)
        return tuple(found.items())

    def _is_callback(self, made: str, signature: Signature, access: int = 0) -> bool:
        """Tell whether code outside of the jar may call a method on an object of a class."""
        if access & (PRIVATE | STATIC) or signature[0].startswith("<"):
            return False
        called = self._called(made)
        if called is None:
            outside = self.library.outside(made)
            return any(map(is_of_jmh, outside)) or not any(
                one in self.library.codes and not jdk_doors.is_of_jdk(one)
                for one in classes_of(signature[1])
            )
        return signature[0] in called

    @cached_property
    def _called(self) -> Callable[[str], frozenset[str] | None]:
        known: dict[str, frozenset[str] | None] = {}

        def called(name: str) -> frozenset[str] | None:
            if name not in known:
                known[name] = called_by_jdk(self.library.outside(name))
            return known[name]

        return called

    @cached_property
    def _watched(self) -> frozenset[str]:
        """The classes of which it matters that a JVM loads them, whether or not it runs them."""
        changes = self.library.changes.items()
        return frozenset(name for name, change in changes if change.parents or change.lone)

    @cached_property
    def _replaced(self) -> frozenset[str]:
        """The classes that only one side has, or of which nothing is compared."""
        return frozenset(name for name, change in self.library.changes.items() if change.whole)

    def _named(self, name: str, side: int) -> frozenset[str]:
        codes = self.library.codes[name]
        return codes[side].class_constants if codes else frozenset()

    def _named_anew(self, name: str) -> Following:
        """Follow the classes with parents that only one side of a changed class names.

        A JVM may load them to check types in code that does not run, and then compile calls and
        casts of what they extend in another way, if there are any.
        """
        edges, joins = list[Fact](), Joins()
        for one in sorted(self._named(name, 0) ^ self._named(name, -1)):
            end: Fact = facts.EXTENDS, name, one
            above = self.library.ancestors(one) if one in self.library.parents else frozenset()
            if any(
                jdk_doors.is_of_jdk(parent) or not self.holds(parent)
                for parent in above - _EXTENDED
            ):
                edges.append(end)
            joins += [((facts.LOAD, parent), end) for parent in sorted(above) if self.holds(parent)]
        return edges, joins
