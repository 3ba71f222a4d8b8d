"""Rules that derive facts from a method that runs, and the table of all rules."""

import re
import struct
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property

from steady.harness.jmh.samecode import facts, jdk_effects
from steady.harness.jmh.samecode.class_file import NATIVE, ClassFile, Signature
from steady.harness.jmh.samecode.class_hierarchy import OBJECT, is_of_jmh
from steady.harness.jmh.samecode.class_rules import (
    ClassRules,
    call_by_reflection,
    call_on_any_class,
)
from steady.harness.jmh.samecode.constant_pool import MalformedError, Member, element_class
from steady.harness.jmh.samecode.facts import Consequences, Fact, run
from steady.harness.jmh.samecode.method_references import MethodReferences, add_references
from steady.harness.jmh.samecode.resource_differences import HINTS
from steady.samecode.exploration import Join

_ANY_METHOD, _RISKY_METHOD = "any method", "risky method"
"""Effects of calling a method by reflection: one with any name, or one that may have effects."""
_GET_CLASS = "getClass"
_RELEASE = re.compile(r"META-INF/versions/\d+/")

_FOR_BENCHMARKS = re.compile(
    r"org/openjdk/jmh/(?:(?:annotations|infra|results)/.*|"
    r"runner/(?:InfraControl.*|FailureAssistException|WorkerData))"
)
"""Classes of JMH that benchmarks use, which neither call back nor find classes by name."""


class Rules(ClassRules):
    """Rules for all facts.

    Parameters
    ----------
    hierarchy : ClassHierarchy
        The classes of both sides.
    differences : ResourceDifferences
        The other differences between both sides.
    """

    starts: Mapping[Fact, Collection[Fact]] = {}
    """Initial facts of each benchmark."""

    def follow(self, fact: Fact) -> Consequences:
        """Return the facts that follow from a fact, alone or together with a second one."""
        kind = fact[0]
        if kind == facts.RUN:
            return self.follow_run(fact[1], (fact[2], fact[3]))
        if kind == facts.CALL:
            return self.follow_call(fact[1], (fact[2], fact[3]))
        if kind == facts.JDK_CALL:
            return [(facts.EFFECT, *fact[1:2], *fact[4:])]
        if kind == facts.EFFECT:
            of_method = fact[1] == jdk_effects.METHOD
            return self.follow_method_name(fact[2]) if of_method else self.follow_effect(fact[1])
        if kind == facts.JVM_START:
            return self.follow_jvm_start()
        if kind == facts.BENCHMARK:
            return self.starts[fact]
        rule = self._rules_of_classes.get(kind)
        return rule(fact[1]) if rule is not None and self.is_own(fact[1]) else ()

    @cached_property
    def _rules_of_classes(self) -> Mapping[str, Callable[[str], Consequences]]:
        return {
            facts.LOAD: self.follow_load,
            facts.VERIFY: self.follow_verification,
            facts.INITIALIZE: self.follow_initialization,
            facts.INSTANTIATE: self.follow_instantiation,
            facts.SUBTYPE_INSTANCE: self.follow_subtype_instance,
            facts.CLASS_OBJECT: self.follow_class_object,
            facts.MEMBERS: self.follow_members,
            facts.STUB: self.follow_stub,
        }

    def is_change(self, fact: Fact) -> bool:
        """Return whether a fact is a change."""
        if fact[0] == facts.RUN:
            change = self.hierarchy.change_of(fact[1])
            return bool(change.incomparable) or (fact[2], fact[3]) in change.methods
        return fact == (facts.EFFECT, jdk_effects.ANYTHING) or fact[0] in facts.CHANGES

    def code_size(self, fact: Fact) -> int:
        """Return the size of a method's code in bytes, the maximum of both sides."""
        files = self.hierarchy.class_files.get(fact[1], ())
        methods = (file.methods.get((fact[2], fact[3])) for file in files)
        return max((one.end - one.start for one in methods if one is not None), default=0)

    def follow_run(self, owner: str, signature: Signature) -> Consequences:
        """Follow a method that may run."""
        files = self.followed_files(owner, signature) if self.is_own(owner) else None
        if files is None:
            return
        yield facts.LOAD, owner
        # If the changed hints are unknown (None), all benchmarks differ without a call graph.
        hinted = self.differences.changed_hints or ()
        if f"{owner}.{signature[0]}" in hinted or f"{owner}.*" in hinted:
            yield facts.FILE, HINTS
        if signature in self.hierarchy.change_of(owner).line_numbers:
            yield Join((facts.EFFECT, jdk_effects.STACK), (facts.LINES, owner))
        references = MethodReferences()
        try:
            for file in files:
                if file.methods[signature].access & NATIVE:
                    yield facts.JDK_CALL, jdk_effects.ANYTHING, "", "is native code"
                add_references(file, signature, references)
        except (MalformedError, IndexError, struct.error):
            yield facts.JDK_CALL, jdk_effects.ANYTHING, "", "contains undecodable code"
        yield from self.facts_about(facts.LOAD, sorted(references.loaded))
        yield from self.facts_about(facts.INITIALIZE, sorted(references.initialized))
        yield from self.facts_about(facts.INSTANTIATE, sorted(references.instantiated))
        yield from self.facts_about(facts.CLASS_OBJECT, sorted(references.class_literals))
        yield from self._calls(references, owner)
        for name in filter(self._is_unknown, sorted(references.initialized & references.loaded)):
            yield facts.JDK_CALL, jdk_effects.ANYTHING, "", f"uses {name}, which is in no jar"
        yield from self._by_reflection(references)

    def followed_files(self, owner: str, signature: Signature) -> Sequence[ClassFile] | None:
        """Return the class files whose code of a method is followed; None at a change."""
        if self.is_change(run(owner, signature)):
            return None
        files = [one for one in self.hierarchy.class_files[owner] if signature in one.methods]
        # Both versions of a changed class have the same code of an unchanged method.
        return files[:1] if owner in self.hierarchy.changes else files

    def _by_reflection(self, references: MethodReferences) -> Iterator[Join]:
        for fact in self.facts_about(facts.CLASS_OBJECT, sorted(references.array_elements)):
            yield Join((facts.EFFECT, jdk_effects.GET_CLASS), fact)
        literals = references.class_literals
        if OBJECT in literals:
            yield Join((facts.EFFECT, jdk_effects.INVOKE), (facts.EFFECT, jdk_effects.GET_CLASS))
        risky = {name for name in literals if jdk_effects.allows_anything(name)}
        risky |= {
            name
            for name in _classes_by_name(references)
            if jdk_effects.allows_anything(name, is_literal=False)
        }
        risky |= set(filter(self._is_unknown, literals & references.loaded))
        for name in sorted(risky):
            call = (facts.JDK_CALL, jdk_effects.ANYTHING, "", f"may use {name} by reflection")
            is_unlisted = jdk_effects.effect_of(name, "\0") == jdk_effects.ANYTHING
            yield Join((facts.EFFECT, jdk_effects.REFLECT), call)
            yield Join((facts.EFFECT, _ANY_METHOD if is_unlisted else _RISKY_METHOD), call)

    def _is_unknown(self, name: str) -> bool:
        """Return whether a type may exist that is neither in a jar nor in the JDK."""
        return self.hierarchy.may_be_external(name) and not jdk_effects.is_of_jdk(name)

    def follow_method_name(self, name: str) -> Consequences:
        """Follow reflection on the methods with a name."""
        for owner, signatures in self._methods_by_name[name].items():
            for signature, access in signatures:
                called = call_by_reflection(owner, signature, access)
                for fact in (*called, *self.signature_classes(owner, name)):
                    yield Join((facts.CLASS_OBJECT, owner), fact)
        yield facts.EFFECT, _ANY_METHOD
        if jdk_effects.may_have_effect(name):
            yield facts.EFFECT, _RISKY_METHOD
            yield from call_on_any_class(f"calls {name} by reflection")
        if name == _GET_CLASS:
            yield facts.EFFECT, jdk_effects.GET_CLASS

    @cached_property
    def _stubs(self) -> frozenset[str]:
        """Classes that JMH generated for benchmarks, which may call all of JMH."""
        begins = (fact for own in self.starts.values() for fact in own)
        return frozenset(fact[1] for fact in begins if fact[0] == facts.STUB)

    @cached_property
    def _methods_by_name(self) -> Mapping[str, Mapping[str, list[tuple[Signature, int]]]]:
        """Methods by name and class, with their access flags."""
        found: dict[str, dict[str, list[tuple[Signature, int]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for owner in filter(self.is_own, self.hierarchy.class_files):
            for signature, access in self.methods_of(owner):
                found[signature[0]][owner].append((signature, access))
        return found

    def _calls(self, references: MethodReferences, caller: str) -> Iterator[Fact]:
        for member in (*sorted(references.direct_calls), *sorted(references.virtual_calls)):
            owner, name, descriptor = member
            if is_of_jmh(owner):
                if caller not in self._stubs and not _FOR_BENCHMARKS.fullmatch(owner):
                    yield facts.JDK_CALL, jdk_effects.ANYTHING, owner, name
                continue
            resolved = self.hierarchy.resolve(owner, (name, descriptor))
            if member in references.direct_calls:
                yield from (run(one, (name, descriptor)) for one in resolved.owners)
                if not name.startswith("<") and owner in self.hierarchy.ancestors(caller):
                    yield from self._super_call(caller, (name, descriptor))
            elif self.is_own(owner):
                yield facts.CALL, owner, name, descriptor
            for outside in filter(self.hierarchy.may_be_external, resolved.outside):
                yield from self._external_call(outside, member, references)
        if references.uses_get_class:
            yield facts.JDK_CALL, jdk_effects.GET_CLASS, "java/lang/Object", "getClass"
        for owner, name, _ in sorted(references.bootstrap_methods):
            yield facts.JDK_CALL, jdk_effects.ANYTHING, owner, name

    def _super_call(self, caller: str, signature: Signature) -> Iterator[Fact]:
        """Yield the methods that a call of ``super`` may reach in superclasses."""
        for parent in self.hierarchy.parents[caller]:
            owners = self.hierarchy.resolve(parent, signature).owners
            yield from (run(one, signature) for one in owners)

    def _external_call(
        self, outside: str, member: Member, references: MethodReferences
    ) -> Iterator[Fact]:
        """Yield the effect of calling a method that may be outside the jars."""
        name = member[1]
        effect = jdk_effects.effect_of(outside, name, member[2])
        if effect in jdk_effects.BY_NAME:
            for text in sorted(references.constant_names.get(member, {None}), key=str):
                if text is None:
                    is_method = effect == jdk_effects.METHOD
                    unknown = jdk_effects.INVOKE if is_method else jdk_effects.ANYTHING
                    yield facts.JDK_CALL, unknown, outside, name
                elif effect == jdk_effects.METHOD:
                    yield facts.JDK_CALL, jdk_effects.METHOD, outside, name, text
                else:
                    yield from self._found_by_name(effect, text)
        elif effect:
            yield facts.JDK_CALL, effect, outside, name

    def _found_by_name(self, effect: str, text: str) -> Iterator[Fact]:
        """Yield the consequences of finding a class, bundle or file by a constant name."""
        path = text.replace(".", "/")
        if effect == jdk_effects.RESOURCE:
            yield from ((facts.FILE, one) for one in self._changed_files(text))
        elif effect == jdk_effects.NAME:
            yield from self.facts_about(facts.CLASS_OBJECT, [element_class(path)])
            yield from self.facts_about(facts.INITIALIZE, [element_class(path)])
        else:
            for one in self.hierarchy.class_files:
                if one.startswith(path):
                    yield from self.instantiate_by_name(one)
            for one in self.differences.changed_files:
                if _RELEASE.sub("", one, count=1).startswith(path):
                    yield facts.FILE, one

    def _changed_files(self, text: str) -> Iterator[str]:
        """Yield the changed files with a name, or in a folder with that name."""
        last = text.rpartition("/")[2]
        classes = (f"{name}.class" for name in self.hierarchy.changes)
        for name in (*self.differences.changed_files, *classes):
            if last in ("", ".", "..") or last in name.split("/") or name.endswith("/"):
                yield name


def _classes_by_name(references: MethodReferences) -> Iterator[str]:
    """Yield the classes that a method finds by a constant name."""
    for texts in references.constant_names.values():
        yield from (element_class(text.replace(".", "/")) for text in texts if text)
