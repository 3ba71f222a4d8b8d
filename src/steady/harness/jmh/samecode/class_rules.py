"""Rules that derive facts from a fact about a class, a call or an effect of the JDK.

Sources: JVMS 5.3 to 5.5 (loading, linking, initialization), 5.4.6 (selection), 4.10 (verification);
JLS 8.9.3 (enums), 12.4 (initialization), 12.6 (finalization).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property

from steady.harness.jmh.samecode import facts, jdk_effects
from steady.harness.jmh.samecode.class_file import (
    ABSTRACT,
    INTERFACE,
    PRIVATE,
    STATIC,
    Signature,
    classes_in_descriptor,
)
from steady.harness.jmh.samecode.class_hierarchy import OBJECT, ClassHierarchy, is_of_jmh
from steady.harness.jmh.samecode.class_path import MANIFEST
from steady.harness.jmh.samecode.facts import Consequences, Fact, run
from steady.harness.jmh.samecode.jdk_effects import callback_methods
from steady.harness.jmh.samecode.resource_differences import ResourceDifferences
from steady.samecode.exploration import Join

_STATIC_INITIALIZER: Signature = ("<clinit>", "()V")
_ENUM = "java/lang/Enum"
_ENUM_METHODS = ("values", "valueOf")
_THROWABLE_NAMES = ("Exception", "Error", "java/lang/Throwable")
_RETHROWING = (("<init>", "()V"), ("<init>", "(Ljava/lang/Throwable;)V"))
"""Constructors that a ``ForkJoinTask``, such as a parallel stream, calls by reflection to rethrow
an exception of another thread."""
_COMMON_SUPERTYPES = frozenset(
    {
        *(OBJECT, _ENUM, "java/lang/Record", "java/lang/Comparable", "java/lang/Runnable"),
        *("java/lang/Cloneable", "java/lang/AutoCloseable", "java/io/Serializable"),
        *("java/io/Closeable", "java/io/Flushable", "java/io/OutputStream", "java/io/InputStream"),
        *("java/io/DataOutput", "java/lang/annotation/Annotation"),
    }
)
"""Types of which every JVM with JMH loads several subtypes: another one affects no compilation."""


def call_by_reflection(owner: str, signature: Signature, access: int) -> Iterator[Fact]:
    """Yield the consequences of calling a method by reflection."""
    yield run(owner, signature)
    if not access & (PRIVATE | STATIC) and not signature[0].startswith("<"):
        yield facts.CALL, owner, *signature


def call_on_any_class(how: str) -> Iterator[Join]:
    """Yield that a call by reflection may do anything, if an effect exposes classes of the JDK."""
    anything = (facts.JDK_CALL, jdk_effects.ANYTHING, "", how)
    for effect in (
        *(jdk_effects.GET_CLASS, jdk_effects.TYPES, jdk_effects.FIELD_TYPES),
        *(jdk_effects.METHOD_TYPES, jdk_effects.SERVICE_TYPES, jdk_effects.GENERIC),
    ):
        yield _given(effect, anything)


def _given(effect: str, then: Fact) -> Join:
    """Return the consequence of an effect of the JDK."""
    return Join((facts.EFFECT, effect), then)


class ClassRules:
    """Rules for facts about classes.

    Parameters
    ----------
    hierarchy : ClassHierarchy
        The classes of both sides.
    differences : ResourceDifferences
        The other differences between both sides.
    """

    def __init__(self, hierarchy: ClassHierarchy, differences: ResourceDifferences) -> None:
        self.hierarchy = hierarchy
        self.differences = differences

    def is_own(self, name: str) -> bool:
        """Return whether a class is in a jar and does not belong to JMH."""
        return name in self.hierarchy.class_files and not is_of_jmh(name)

    def facts_about(self, kind: str, names: Iterable[str]) -> Iterator[Fact]:
        """Yield a fact about each of the classes that `is_own` accepts."""
        return ((kind, name) for name in names if self.is_own(name))

    def instantiate_by_name(
        self, name: str, methods: Sequence[str] = ("<init>", "provider")
    ) -> Iterator[Fact]:
        """Yield the consequences of loading a class by its name and instantiating it."""
        if self.is_own(name):
            yield facts.INSTANTIATE if self._is_instantiable(name) else facts.INITIALIZE, name
            yield from (run(name, s) for s, _ in self.methods_of(name) if s[0] in methods)

    def signature_classes(self, name: str, method: str) -> Iterator[Fact]:
        """Yield the classes in the descriptors of methods with a name, which reflection exposes."""
        return self._class_objects(s[1] for s, _ in self.methods_of(name) if s[0] == method)

    def _class_objects(self, descriptors: Iterable[str]) -> Iterator[Fact]:
        named = {one for descriptor in descriptors for one in classes_in_descriptor(descriptor)}
        return self.facts_about(facts.CLASS_OBJECT, sorted(named))

    def _of_supertypes(self, kind: str, name: str) -> Iterator[Fact]:
        return self.facts_about(kind, self.hierarchy.parents[name])

    def follow_stub(self, name: str) -> Consequences:
        """Follow a class that JMH generated for a benchmark, and that no other code references."""
        yield facts.INSTANTIATE, name
        yield from (run(name, s) for s, _ in self.methods_of(name))

    def follow_load(self, name: str) -> Consequences:
        """Follow a class that may be loaded."""
        yield from self._of_supertypes(facts.LOAD, name)
        yield facts.VERIFY, name
        yield from self._if_incomparable(name)
        if name in self.hierarchy.unreadable:
            yield facts.JDK_CALL, jdk_effects.ANYTHING, "", f"loads {name}, which is unreadable"
        if _ENUM in self.hierarchy.ancestors(name):
            yield facts.INITIALIZE, name
            yield from (run(name, s) for s, _ in self.methods_of(name) if s[0] in _ENUM_METHODS)

    def follow_class_object(self, name: str) -> Consequences:
        """Follow a class whose ``Class`` object code may pass to reflection."""
        yield facts.LOAD, name
        yield from self._of_supertypes(facts.CLASS_OBJECT, name)
        yield _given(jdk_effects.REFLECT, (facts.MEMBERS, name))
        yield _given(jdk_effects.FIELDS, (facts.INITIALIZE, name))
        made = self.instantiate_by_name(name, ("<init>",))
        for fact in (*made, *self.signature_classes(name, "<init>")):
            yield _given(jdk_effects.CONSTRUCT, fact)
        of_fields = {t for file in self.hierarchy.class_files[name] for _, t, _ in file.fields}
        for fact in self._class_objects(of_fields):
            yield _given(jdk_effects.FIELD_TYPES, fact)
        for fact in self._mentioned_classes(name):
            yield _given(jdk_effects.TYPES, fact)
        for fact in self._type_arguments(name):
            yield _given(jdk_effects.GENERIC, fact)
        change = self.hierarchy.change_of(name)
        if change.shape or change.static_fields:
            yield facts.SHAPE, name
        if change.field_order:
            yield _given(jdk_effects.FIELDS, (facts.SHAPE, name))
        if change.any_member:
            yield _given(jdk_effects.NESTED, (facts.ANY_MEMBER, name))

    def follow_verification(self, name: str) -> Consequences:
        """Follow a class that a JVM may load to verify types, which affects compilation."""
        yield from self._of_supertypes(facts.VERIFY, name)
        change = self.hierarchy.change_of(name)
        if change.supertypes:
            yield facts.SHAPE, name
        yield from self._if_incomparable(name)
        callbacks = (s for s in sorted(change.one_sided) if self._is_callback(name, s))
        yield from (run(name, s) for s in callbacks)

    def follow_initialization(self, name: str) -> Consequences:
        """Follow a class that may be initialized, before which a JVM verifies all its code."""
        yield facts.LOAD, name
        yield from self._of_supertypes(facts.INITIALIZE, name)
        if any(_STATIC_INITIALIZER in file.methods for file in self.hierarchy.class_files[name]):
            yield run(name, _STATIC_INITIALIZER)
        yield from self._if_shape_changed(name)
        if name in self.hierarchy.changes:
            yield from self._newly_named(name)
        base, head = self._named_classes(name, 0), self._named_classes(name, -1)
        yield from ((facts.VERIFY, one) for one in sorted((base | head) & self._restructured))
        yield from ((facts.VERIFY, one) for one in sorted(base & head & self._incomparable))

    def follow_instantiation(self, name: str) -> Consequences:
        """Follow an object, on which the JDK may call overriding methods."""
        yield facts.INITIALIZE, name
        yield facts.SUBTYPE_INSTANCE, name
        if any(one.endswith(_THROWABLE_NAMES) for one in self.hierarchy.ancestors(name)):
            yield from (run(name, s) for s, _ in self.methods_of(name) if s in _RETHROWING)
        for one in (name, *sorted(filter(self.is_own, self.hierarchy.ancestors(name)))):
            for signature, access in self.methods_of(one):
                if not access & ABSTRACT and self._is_callback(name, signature, access):
                    yield run(one, signature)
        yield _given(jdk_effects.GET_CLASS, (facts.CLASS_OBJECT, name))

    def follow_subtype_instance(self, name: str) -> Consequences:
        """Follow an object of a class or a subtype, which has the fields of both."""
        yield from self._of_supertypes(facts.SUBTYPE_INSTANCE, name)
        yield from self._if_shape_changed(name)

    def follow_members(self, name: str) -> Consequences:
        """Follow a class whose members may all be used by reflection."""
        for signature, access in self.methods_of(name):
            yield from call_by_reflection(name, signature, access)
        yield facts.INITIALIZE, name
        if self._is_instantiable(name):
            yield facts.INSTANTIATE, name
        yield from self._mentioned_classes(name)
        if self.hierarchy.change_of(name).any_member:
            yield facts.ANY_MEMBER, name

    def follow_call(self, name: str, signature: Signature) -> Consequences:
        """Follow a virtual call to the methods of all classes that the object may have."""
        hierarchy = self.hierarchy
        for owner in hierarchy.resolve(name, signature).owners:
            for file in hierarchy.class_files[owner]:
                method = file.methods.get(signature)
                if method is not None and method.access & (PRIVATE | STATIC | ABSTRACT):
                    yield run(owner, signature)
        declaring = hierarchy.declaring_classes.get(signature, frozenset())
        for one in sorted(declaring & hierarchy.related_types(name)):
            if not is_of_jmh(one):
                yield Join((facts.SUBTYPE_INSTANCE, one), run(one, signature))
        for one in hierarchy.one_sided_methods.get(signature, ()):
            if name == one or name in hierarchy.ancestors(one) or one in hierarchy.ancestors(name):
                yield Join((facts.VERIFY, one), run(one, signature))

    def follow_effect(self, kind: str) -> Consequences:
        """Follow an effect of the JDK."""
        if kind == jdk_effects.SERVICE:
            changed = self.differences.changed_service_files()
            yield from ((facts.FILE, name) for name in changed)
            for provider, _ in self.differences.service_providers():
                yield from self.instantiate_by_name(provider)
        elif kind == jdk_effects.SERVICE_TYPES:
            providers = [provider for provider, _ in self.differences.service_providers()]
            yield facts.EFFECT, jdk_effects.SERVICE
            yield from self.facts_about(facts.CLASS_OBJECT, providers)
        elif kind == jdk_effects.SERIALIZE:
            yield facts.EFFECT, jdk_effects.REFLECT
            yield facts.EFFECT, jdk_effects.GET_CLASS
        elif kind == jdk_effects.NESTED:
            yield facts.EFFECT, jdk_effects.TYPES
        elif kind == jdk_effects.INVOKE:
            yield facts.EFFECT, jdk_effects.REFLECT
            yield from call_on_any_class("calls methods whose names are unknown")
        elif kind == jdk_effects.MANIFEST and self.differences.manifest_differs:
            yield facts.FILE, MANIFEST
        elif kind == jdk_effects.GET_PROPERTIES:
            sets = (facts.JDK_CALL, jdk_effects.ANYTHING, "", "may set system properties")
            yield _given(jdk_effects.PUT_PROPERTIES, sets)

    def follow_jvm_start(self) -> Consequences:
        """Follow the start of a JVM, which loads the providers of its own services."""
        for provider, is_read in self.differences.service_providers():
            if is_read:
                yield from self.instantiate_by_name(provider)

    def methods_of(self, name: str) -> Iterable[tuple[Signature, int]]:
        """Return the methods of a class in base or head, with their access flags."""
        found: dict[Signature, int] = {}
        for file in self.hierarchy.class_files[name]:
            for signature, method in file.methods.items():
                found.setdefault(signature, method.access)
        return found.items()

    def _is_instantiable(self, name: str) -> bool:
        """Return whether a class can have direct instances; of interfaces, these are proxies."""
        files = self.hierarchy.class_files[name]
        return any(one.access & INTERFACE or not one.access & ABSTRACT for one in files)

    def _mentioned_classes(self, name: str) -> Iterator[Fact]:
        files = self.hierarchy.class_files[name]
        found = {one for file in files for one in file.mentioned_classes}
        return self.facts_about(facts.CLASS_OBJECT, sorted(found))

    def _type_arguments(self, name: str) -> Iterator[Fact]:
        """Yield the type arguments of a class's supertypes.

        If the signature has nested types, whose names are incomplete, yield all mentioned classes.
        """
        signatures = [file.generic_signature for file in self.hierarchy.class_files[name]]
        if any("." in signature for signature in signatures):
            return self._mentioned_classes(name)
        return self._class_objects(signatures)

    def _if_shape_changed(self, name: str) -> Consequences:
        """Yield a change of a class's shape, or of static fields that code references."""
        change = self.hierarchy.change_of(name)
        if change.shape or self.hierarchy.is_field_referenced(name, change.static_fields):
            yield facts.SHAPE, name

    def _if_incomparable(self, name: str) -> Consequences:
        if why := self.hierarchy.change_of(name).incomparable:
            yield facts.INCOMPARABLE, name, why

    def _is_callback(self, instance: str, signature: Signature, access: int = 0) -> bool:
        """Return whether code outside the jars may call a method on an object of a class."""
        if access & (PRIVATE | STATIC) or signature[0].startswith("<"):
            return False
        called = self._callbacks(instance)
        if called is not None:
            return signature[0] in called
        return any(map(is_of_jmh, self.hierarchy.external_supertypes(instance))) or not any(
            one in self.hierarchy.class_files and not jdk_effects.is_of_jdk(one)
            for one in classes_in_descriptor(signature[1])
        )

    @cached_property
    def _callbacks(self) -> Callable[[str], frozenset[str] | None]:
        return cache(lambda name: callback_methods(self.hierarchy.external_supertypes(name)))

    @cached_property
    def _restructured(self) -> frozenset[str]:
        """Classes with changes that may affect compilation even if none of their code runs."""
        changes = self.hierarchy.changes.items()
        return frozenset(name for name, change in changes if change.supertypes or change.one_sided)

    @cached_property
    def _incomparable(self) -> frozenset[str]:
        """Classes that are not compared member by member, such as those that only one side has."""
        changes = self.hierarchy.changes.items()
        return frozenset(name for name, change in changes if change.incomparable)

    def _named_classes(self, name: str, side: int) -> frozenset[str]:
        files = self.hierarchy.class_files[name]
        return files[side].class_constants if files else frozenset()

    def _newly_named(self, name: str) -> Consequences:
        """Follow the classes that only one version of a changed class names.

        A JVM may load them to verify types in code that does not run, and then compile calls and
        casts of their supertypes differently.
        """
        for one in sorted(self._named_classes(name, 0) ^ self._named_classes(name, -1)):
            change: Fact = facts.EXTENDS, name, one
            is_known = one in self.hierarchy.parents
            above = self.hierarchy.ancestors(one) if is_known else frozenset()
            if any(
                jdk_effects.is_of_jdk(parent) or not self.is_own(parent)
                for parent in above - _COMMON_SUPERTYPES
            ):
                yield change
            loaded = self.facts_about(facts.LOAD, sorted(above))
            yield from (Join(parent, change) for parent in loaded)
