"""What follows from a fact about classes and calls.

Sources: JVMS 5.3 to 5.5 (loading, linking, initialization), 5.4.6 (selection), 4.10 (verification);
JLS 8.9.3 (enums), 12.4 (initialization), 12.6 (finalization).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property

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
from steady.harness.jmh.samecode.facts import Fact, Following, Join, run
from steady.harness.jmh.samecode.jdk_callbacks import called_by_jdk
from steady.harness.jmh.samecode.library import OBJECT, Library, is_of_jmh

_START: Signature = ("<clinit>", "()V")
_ENUM = "java/lang/Enum"
_OF_ENUMS = ("values", "valueOf")
_THROWN = ("Exception", "Error", "java/lang/Throwable")
_COPIED = (("<init>", "()V"), ("<init>", "(Ljava/lang/Throwable;)V"))
"""With which a parallel stream, or another ``ForkJoinTask``, throws what another thread threw."""
_EXTENDED = frozenset(
    {
        *(OBJECT, _ENUM, "java/lang/Record", "java/lang/Comparable", "java/lang/Runnable"),
        *("java/lang/Cloneable", "java/lang/AutoCloseable", "java/io/Serializable"),
        *("java/io/Closeable", "java/io/Flushable", "java/io/OutputStream", "java/io/InputStream"),
        *("java/io/DataOutput", "java/lang/annotation/Annotation"),
    }
)
"""Types of which any JVM with JMH has several classes, for each method: one more says nothing."""


def by_name(owner: str, signature: Signature, access: int) -> Iterator[Fact]:
    """Yield what follows where a method of a class is called by reflection."""
    yield run(owner, signature)
    if not access & (PRIVATE | STATIC) and not signature[0].startswith("<"):
        yield facts.CALL, owner, *signature


def any_class(what: str) -> Iterator[Join]:
    """Yield the doors that bring classes of the JDK, with what follows from calls by name."""
    anything = (facts.API, jdk_doors.ANYTHING, "", what)
    for one in (
        *(jdk_doors.GET_CLASS, jdk_doors.TYPES, jdk_doors.FIELD_TYPES, jdk_doors.METHOD_TYPES),
        *(jdk_doors.SERVICE_TYPES, jdk_doors.GENERIC),
    ):
        yield _behind(one, anything)


def _behind(door: str, then: Fact) -> Join:
    """Return what follows where a door is open."""
    return Join((facts.DOOR, door), then)


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

    def about(self, kind: str, names: Iterable[str]) -> Iterator[Fact]:
        """Yield a fact of a kind for those of some classes that are in a jar."""
        return ((kind, name) for name in names if self.holds(name))

    def whole(self, name: str, methods: Sequence[str] = ("<init>", "provider")) -> Iterator[Fact]:
        """Yield what a class does that is found by its name: it is made."""
        if self.holds(name):
            yield facts.MAKE if self._is_solid(name) else facts.INIT, name
            yield from (run(name, s) for s, _ in self.methods_of(name) if s[0] in methods)

    def types(self, name: str, method: str) -> Iterator[Fact]:
        """Yield the classes that are at hand with a method which was found by reflection."""
        return self._at_hand(s[1] for s, _ in self.methods_of(name) if s[0] == method)

    def _at_hand(self, descriptors: Iterable[str]) -> Iterator[Fact]:
        named = {one for descriptor in descriptors for one in classes_of(descriptor)}
        return self.about(facts.HAND, sorted(named))

    def _above(self, kind: str, name: str) -> Iterator[Fact]:
        return self.about(kind, self.library.parents[name])

    def stub(self, name: str) -> Following:
        """Follow what JMH generates for a benchmark, and runs; nobody else has its ``Class``."""
        yield facts.MAKE, name
        yield from (run(name, s) for s, _ in self.methods_of(name))

    def load(self, name: str) -> Following:
        """Follow a class that is loaded: code may hold its ``Class``."""
        yield from self._above(facts.LOAD, name)
        yield facts.SEEN, name
        yield from self._if_whole(name)
        if name in self.library.unknown:
            yield facts.API, jdk_doors.ANYTHING, "", f"loads {name}, which cannot be read"
        if _ENUM in self.library.ancestors(name):
            yield facts.INIT, name
            yield from (run(name, s) for s, _ in self.methods_of(name) if s[0] in _OF_ENUMS)

    def hand(self, name: str) -> Following:
        """Follow a class of which code may have the ``Class``: doors of the JDK take it."""
        yield facts.LOAD, name
        yield from self._above(facts.HAND, name)
        yield _behind(jdk_doors.REFLECT, (facts.OPEN, name))
        yield _behind(jdk_doors.FIELDS, (facts.INIT, name))
        for fact in (*self.whole(name, ("<init>",)), *self.types(name, "<init>")):
            yield _behind(jdk_doors.CONSTRUCT, fact)
        of_fields = {t for code in self.library.codes[name] for _, t, _ in code.fields}
        for fact in self._at_hand(of_fields):
            yield _behind(jdk_doors.FIELD_TYPES, fact)
        for fact in self._mentions(name):
            yield _behind(jdk_doors.TYPES, fact)
        for fact in self._in_signature(name):
            yield _behind(jdk_doors.GENERIC, fact)
        change = self.library.change(name)
        if change.shape or change.statics:
            yield facts.SHAPE, name
        if change.order:
            yield _behind(jdk_doors.FIELDS, (facts.SHAPE, name))
        if change.raw:
            yield _behind(jdk_doors.NESTED, (facts.RAW, name))

    def seen(self, name: str) -> Following:
        """Follow a class that a JVM may load, if only to compare types: it compiles calls by it."""
        yield from self._above(facts.SEEN, name)
        change = self.library.change(name)
        if change.parents:
            yield facts.SHAPE, name
        yield from self._if_whole(name)
        yield from (run(name, s) for s in change.lone if self._is_callback(name, s))

    def init(self, name: str) -> Following:
        """Follow a class that is linked, by which the types in all its code are checked."""
        yield facts.LOAD, name
        yield from self._above(facts.INIT, name)
        if any(_START in code.methods for code in self.library.codes[name]):
            yield run(name, _START)
        yield from self._if_shape(name)
        if name in self.library.changes:
            yield from self._named_anew(name)
        base, head = self._named(name, 0), self._named(name, -1)
        yield from ((facts.SEEN, one) for one in sorted((base | head) & self._watched))
        yield from ((facts.SEEN, one) for one in sorted(base & head & self._replaced))

    def make(self, name: str) -> Following:
        """Follow an object: the JDK may call what overrides its own methods."""
        yield facts.INIT, name
        yield facts.HAVE, name
        if any(one.endswith(_THROWN) for one in self.library.ancestors(name)):
            yield from (run(name, s) for s, _ in self.methods_of(name) if s in _COPIED)
        for one in (name, *filter(self.holds, self.library.ancestors(name))):
            for signature, access in self.methods_of(one):
                if not access & ABSTRACT and self._is_callback(name, signature, access):
                    yield run(one, signature)
        yield _behind(jdk_doors.GET_CLASS, (facts.HAND, name))

    def have(self, name: str) -> Following:
        """Follow an object of a class or of one below it: the fields of both lie in it."""
        yield from self._above(facts.HAVE, name)
        yield from self._if_shape(name)

    def open(self, name: str) -> Following:
        """Follow a class of which all members may be used, by reflection."""
        for signature, access in self.methods_of(name):
            yield from by_name(name, signature, access)
        yield facts.INIT, name
        if self._is_solid(name):
            yield facts.MAKE, name
        yield from self._mentions(name)
        if self.library.change(name).raw:
            yield facts.RAW, name

    def call(self, name: str, signature: Signature) -> Following:
        """Follow a call on an object, to the methods of all classes that it may be of."""
        library = self.library
        for owner in library.find(name, signature).owners:
            for code in library.codes[owner]:
                method = code.methods.get(signature)
                if method is not None and method.access & (PRIVATE | STATIC | ABSTRACT):
                    yield run(owner, signature)
        for one in sorted(library.declaring.get(signature, frozenset()) & library.kin(name)):
            if not is_of_jmh(one):
                yield Join((facts.HAVE, one), run(one, signature))
        for one in library.lone.get(signature, ()):
            if name == one or name in library.ancestors(one) or one in library.ancestors(name):
                yield Join((facts.SEEN, one), run(one, signature))

    def door(self, kind: str) -> Following:
        """Follow an open door of the JDK."""
        if kind == jdk_doors.SERVICE:
            yield from ((facts.FILE, name) for name in self.differences.changed_services())
            for provider, _ in self.differences.services():
                yield from self.whole(provider)
        elif kind == jdk_doors.SERVICE_TYPES:
            providers = [provider for provider, _ in self.differences.services()]
            yield facts.DOOR, jdk_doors.SERVICE
            yield from self.about(facts.HAND, providers)
        elif kind == jdk_doors.SERIALIZE:
            yield facts.DOOR, jdk_doors.REFLECT
            yield facts.DOOR, jdk_doors.GET_CLASS
        elif kind == jdk_doors.NESTED:
            yield facts.DOOR, jdk_doors.TYPES
        elif kind == jdk_doors.INVOKE:
            yield facts.DOOR, jdk_doors.REFLECT
            yield from any_class("calls methods by names that are not known")
        elif kind == jdk_doors.MANIFEST and self.differences.manifest_differs:
            yield facts.FILE, MANIFEST
        elif kind == jdk_doors.GET_PROPERTIES:
            sets = (facts.API, jdk_doors.ANYTHING, "", "may set properties of the system")
            yield _behind(jdk_doors.PUT_PROPERTIES, sets)

    def always(self) -> Following:
        """Follow what every JVM may do: look for services of its own."""
        for provider, is_read in self.differences.services():
            if is_read:
                yield from self.whole(provider)

    def methods_of(self, name: str) -> Iterable[tuple[Signature, int]]:
        """Return the methods of a class, on any side, with their flags."""
        found: dict[Signature, int] = {}
        for code in self.library.codes[name]:
            for signature, method in code.methods.items():
                found.setdefault(signature, method.access)
        return found.items()

    def _is_solid(self, name: str) -> bool:
        """Tell whether there may be an object of just this class; of an interface, a proxy."""
        codes = self.library.codes[name]
        return any(c.access & INTERFACE or not c.access & ABSTRACT for c in codes)

    def _mentions(self, name: str) -> Iterator[Fact]:
        found = {one for code in self.library.codes[name] for one in code.mentions}
        return self.about(facts.HAND, sorted(found))

    def _in_signature(self, name: str) -> Iterator[Fact]:
        """Yield the classes in a class's signature; one within a generic one is not named whole."""
        signatures = [code.signature for code in self.library.codes[name]]
        if any("." in signature for signature in signatures):
            return self._mentions(name)
        return self._at_hand(signatures)

    def _if_shape(self, name: str) -> Following:
        """Yield that a class is another one; a static field that no code names is left aside."""
        change = self.library.change(name)
        if change.shape or self.library.is_named(name, change.statics):
            yield facts.SHAPE, name

    def _if_whole(self, name: str) -> Following:
        if whole := self.library.change(name).whole:
            yield facts.WHOLE, name, whole

    def _is_callback(self, made: str, signature: Signature, access: int = 0) -> bool:
        """Tell whether code outside of the jar may call a method on an object of a class."""
        if access & (PRIVATE | STATIC) or signature[0].startswith("<"):
            return False
        called = self._called(made)
        if called is not None:
            return signature[0] in called
        return any(map(is_of_jmh, self.library.outside(made))) or not any(
            one in self.library.codes and not jdk_doors.is_of_jdk(one)
            for one in classes_of(signature[1])
        )

    @cached_property
    def _called(self) -> Callable[[str], frozenset[str] | None]:
        return cache(lambda name: called_by_jdk(self.library.outside(name)))

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
        for one in sorted(self._named(name, 0) ^ self._named(name, -1)):
            end: Fact = facts.EXTENDS, name, one
            above = self.library.ancestors(one) if one in self.library.parents else frozenset()
            if any(
                jdk_doors.is_of_jdk(parent) or not self.holds(parent)
                for parent in above - _EXTENDED
            ):
                yield end
            yield from (Join(parent, end) for parent in self.about(facts.LOAD, sorted(above)))
