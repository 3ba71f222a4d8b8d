"""The walk along the calls of the loaded classes: what may run, and which classes it may use.

A JVM loads some classes only to compare types, and never uses them. No method of such a class runs,
and its calls are not followed, unless code that may run names the class: then the class and its
parents count as used.

If a method that may run can find other methods without naming them (reflection, classes made at run
time, native code), nothing is known. If it can find classes without naming them, all loaded classes
count as used.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

from steady.harness.jmh.samecode.members import NATIVE, Call, Members, Method, Signature
from steady.harness.jmh.samecode.mentions import is_of_jmh

_GENERATED = "/jmh_generated/"
ANNOTATION = "java/lang/annotation/Annotation"

_HIDDEN_CALLS = frozenset(
    {
        *("getMethod", "getMethods", "getDeclaredMethod", "getDeclaredMethods", "getAccessor"),
        *("getEnclosingMethod", "getRecordComponents", "getNestMembers", "getNestHost"),
        *("getClasses", "getDeclaredClasses", "getDeclaringClass", "getEnclosingClass"),
        *("findVirtual", "findStatic", "findSpecial", "findConstructor", "bind", "unreflect"),
        *("unreflectSpecial", "unreflectConstructor", "reflectAs", "defineClass", "defineClass0"),
        *("defineHiddenClass", "defineHiddenClassWithClassData", "defineAnonymousClass"),
    }
)
"""Methods with which code finds methods, or classes, that it does not name."""

_HIDING = re.compile(
    r"java/lang/reflect/(?:Method|Proxy|Executable)|java/lang/instrument/.*|java/beans/.*|"
    r"javax/management/.*|java/rmi/.*|javax/script/.*|jdk/vm/.*|jdk/dynalink/.*|"
    r"java/lang/(?:StackWalker.*|foreign/.*)"
)
"""Classes of the JDK that call methods which nobody names."""

_WAKING_CALLS = frozenset(
    {
        *("forName", "loadClass", "findClass", "findSystemClass", "findLoadedClass", "getBundle"),
        *("newInstance", "allocateInstance", "ensureClassInitialized", "ensureInitialized"),
        *("accessClass", "getInterfaces", "getSuperclass", "getGenericInterfaces"),
        *("getGenericSuperclass", "getComponentType", "componentType", "getEnumConstants"),
        *("getTypeParameters", "getAnnotation", "getAnnotations", "getDeclaredAnnotation"),
        *("getDeclaredAnnotations", "getAnnotationsByType", "getDeclaredAnnotationsByType"),
        *("annotationType", "getPermittedSubclasses", "returnType", "parameterType"),
        *("lastParameterType", "parameterList", "parameterArray", "describeConstable"),
        *("resolveConstantDesc", "fromMethodDescriptorString", "readObject", "readUnshared"),
    }
)
"""Methods with which code finds classes that it does not name."""

_WAKING = re.compile(
    r"java/lang/reflect/(?!(?:Array|InvocationTargetException)$).*|java/util/ServiceLoader.*|"
    r"java/io/ObjectInput.*|java/lang/invoke/SerializedLambda|sun/misc/Unsafe|sun/reflect/.*|"
    r"jdk/internal/.*"
)
"""Classes of the JDK of which any method may do so."""


def is_generated(owner: str) -> bool:
    """Tell whether JMH has generated a class for a benchmark."""
    return _GENERATED in owner


class CallWalk:
    """A walk from method to method, as long as there are new ones.

    Parameters
    ----------
    members : mapping of str to Members
        The loaded classes.
    idle : collection of str
        Those that no fork has used.
    is_start : callable
        Tells whether the JVM, the JDK or JMH may call a method of a used class by itself.

    Attributes
    ----------
    named : set of Signature
        The methods that may be called by name.
    asleep : set of str
        The loaded classes of which no code may run.
    whole : bool
        Whether nothing may run beyond what is named.
    """

    def __init__(
        self,
        members: Mapping[str, Members],
        idle: Collection[str],
        is_start: Callable[[str, Signature, Method], bool],
    ) -> None:
        self.named: set[Signature] = set()
        self.asleep = {name for name in idle if ANNOTATION not in members[name].parents}
        self._members = members
        self._is_start = is_start
        self._homes: dict[Signature, list[str]] = defaultdict(list)
        self._left: list[tuple[str, Method]] = []
        for owner, one in members.items():
            for signature in one.methods:
                self._homes[signature].append(owner)
        used = members.keys() - self.asleep
        for owner in used:
            self._use(owner)
        self._wake(parent for owner in used for parent in members[owner].parents)
        self.whole = self._is_of_a_benchmark() and self._goes_on()

    def _is_of_a_benchmark(self) -> bool:
        """Tell whether there is a beginning, and no native code."""
        methods = (method for one in self._members.values() for method in one.methods.values())
        return any(map(is_generated, self._members)) and not any(
            method.access & NATIVE for method in methods
        )

    def _goes_on(self) -> bool:
        """Go on to the end; False if there is code of which the calls cannot be followed."""
        while self._left:
            owner, method = self._left.pop()
            if not is_of_jmh(owner):
                if any(map(_hides, method.calls)):
                    return False
                if not is_generated(owner) and any(map(_wakes, method.calls)):
                    self._wake(tuple(self.asleep))
            self._wake(method.classes)
            self._call(method.calls)
        return True

    def _call(self, calls: Iterable[Call]) -> None:
        new = {call.signature for call in calls} - self.named
        self.named |= new
        self._left += (
            (owner, self._members[owner].methods[signature])
            for signature in new
            for owner in self._homes.get(signature, ())
            if owner not in self.asleep
        )

    def _wake(self, names: Iterable[str]) -> None:
        new = self.asleep.intersection(names)
        while new:
            name = new.pop()
            self.asleep.discard(name)
            self._use(name)
            new |= self.asleep.intersection(self._members[name].parents)

    def _use(self, owner: str) -> None:
        self._left += (
            (owner, method)
            for signature, method in self._members[owner].methods.items()
            if signature in self.named or self._is_start(owner, signature, method)
        )


def _hides(call: Call) -> bool:
    return call.signature[0] in _HIDDEN_CALLS or _HIDING.fullmatch(call.owner) is not None


def _wakes(call: Call) -> bool:
    return call.signature[0] in _WAKING_CALLS or _WAKING.fullmatch(call.owner) is not None
