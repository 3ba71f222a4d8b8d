"""Which methods of the loaded classes may run, so that a change of any other one is not noticed.

A fork begins in JMH and in the classes that JMH generates for the benchmark. From there on a method
can run only if one that runs names it, or if the JVM or the JDK calls it by itself. Names are all
that is looked at: a call of ``size()I`` may reach every method of that name and descriptor, whoever
it belongs to. So an override that is new, or that is gone, counts as soon as anybody calls a method
like it, and neither types nor dispatch have to be known.

The JDK calls what overrides one of its own methods, whose descriptors do not name classes of the
jar. Where a method that may run can come by others in a way that no name shows (reflection, classes
made at run time, native code), nothing is known.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from steady.changed.members import NATIVE, PRIVATE, STATIC, Call, Members, Method, Signature
from steady.changed.mentions import is_of_jmh

_GENERATED = "/jmh_generated/"
OBJECT = "java/lang/Object"
_ANNOTATION = "java/lang/annotation/Annotation"

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
"""The methods that some interfaces of the JDK have beside those `_BY_NAME`."""

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
"""Methods by which code comes by methods, or by classes, that it does not name."""

_HIDING = re.compile(
    r"java/lang/reflect/(?:Method|Proxy|Executable)|java/lang/instrument/.*|java/beans/.*|"
    r"javax/management/.*|java/rmi/.*|javax/script/.*|jdk/vm/.*|jdk/dynalink/.*|"
    r"java/lang/(?:StackWalker.*|foreign/.*)"
)
"""Classes of the JDK that call methods which nobody names."""


@dataclass(frozen=True)
class Code:
    """The code of the classes that a fork loads.

    Parameters
    ----------
    members : mapping of str to Members
        The classes.
    held : collection of str
        All classes of the jar.
    """

    members: Mapping[str, Members]
    held: Collection[str]

    @cached_property
    def named(self) -> frozenset[Signature] | None:
        """What may be called by name; None if more may be called than is named."""
        if not any(_GENERATED in name for name in self.members):
            return None
        homes = defaultdict[Signature, list[tuple[str, Method]]](list)
        left = []
        for owner, signature, method in self._all():
            homes[signature].append((owner, method))
            if method.access & NATIVE:
                return None
            if self.is_called_unnamed(owner, signature, method):
                left.append((owner, method))
        known = set[Signature]()
        while left:
            owner, method = left.pop()
            if not is_of_jmh(owner) and any(map(_hides, method.calls)):
                return None
            new = {call.signature for call in method.calls} - known
            known |= new
            left += (home for signature in new for home in homes.get(signature, ()))
        return frozenset(known)

    def may_run(self, owner: str, signature: Signature, *methods: Method) -> bool:
        """Tell whether a method of a loaded class may run, given what it is in base and in head."""
        if self.named is None or signature in self.named:
            return True
        return any(self.is_called_unnamed(owner, signature, method) for method in methods)

    def is_called_unnamed(self, owner: str, signature: Signature, method: Method) -> bool:
        """Tell whether JMH, the JVM or the JDK may call a method."""
        name, descriptor = signature
        if name.startswith("<") or name in _BY_NAME or is_of_jmh(owner) or _GENERATED in owner:
            return True
        outside = self._outside.get(owner, frozenset())
        if _ANNOTATION in outside:
            return True
        if method.access & (PRIVATE | STATIC) or self._names_own(descriptor):
            return False
        return any(name in _CALLED.get(one, (name,)) for one in outside)

    def _all(self) -> Iterator[tuple[str, Signature, Method]]:
        for owner, one in self.members.items():
            for signature, method in one.methods.items():
                yield owner, signature, method

    def _names_own(self, descriptor: str) -> bool:
        return any(name in self.held for name in _classes_of(descriptor))

    @cached_property
    def _outside(self) -> Mapping[str, frozenset[str]]:
        """For each class, the types of the JDK that it or a class that extends it belongs to."""
        outside = defaultdict[str, set[str]](set)
        for name in self.members:
            parents = self._parents(name)
            for parent in (name, *parents):
                outside[parent] |= parents - self.members.keys() - {OBJECT}
        return {name: frozenset(types) for name, types in outside.items()}

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
        return frozenset[str]().union(*(method.classes for _, _, method in self._all()))


def _hides(call: Call) -> bool:
    return call.signature[0] in _HIDDEN_CALLS or _HIDING.fullmatch(call.owner) is not None


def _classes_of(descriptor: str) -> list[str]:
    """Return the classes that a method's descriptor names."""
    parts = (part.lstrip("()[BCDFIJSZV") for part in descriptor.split(";"))
    return [part[1:] for part in parts if part.startswith("L")]
