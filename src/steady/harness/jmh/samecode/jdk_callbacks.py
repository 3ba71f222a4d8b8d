"""Callbacks: methods that the JDK may call on an object of the jar, since they override its own.

Source: JVMS 5.4.5 (overriding); the JDK's own methods in ``jdk_overridable_methods.txt``.
"""

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources

OBJECT_METHODS = frozenset({"equals", "hashCode", "toString", "clone", "finalize"})
"""The methods of ``java/lang/Object`` that a class may override."""

_SECTION = re.compile(r"\[([^\s\[\]]+)\]\n([^\[]*)")
_JDK_EXCEPTION = re.compile(r"\Ajava/(?:lang|util|io|nio)/.*(?:Exception|Error)")
_THROWABLE = "java/lang/Throwable"
_EXCEPTION_METHODS = frozenset(
    {
        *("annotationType", "constantName", "element", "elementName", "enumType", "foundType"),
        *("getArgumentClass", "getCharsetName", "getClassName", "getCodePoint", "getConversion"),
        *("getDescription", "getErrorIndex", "getException", "getFile", "getFlags", "getInput"),
        *("getFormatSpecifier", "getIndex", "getInputLength", "getKey", "getName", "getOtherFile"),
        *("getPattern", "getPrecision", "getReason", "getTargetException", "getWidth", "typeName"),
        "getUndeclaredThrowable",
    }
)
"""The methods of all exceptions of the JDK, apart from those of ``Throwable``."""
_WITHOUT_METHODS = frozenset(
    {
        *("java/lang/Object", "java/io/Serializable", "java/lang/Cloneable", "java/lang/Record"),
        *("java/util/RandomAccess", "java/util/EventListener"),
    }
)


@cache
def _table() -> dict[str, tuple[list[str], list[str]]]:
    table = {}
    file = resources.files("steady.harness.jmh.samecode").joinpath("jdk_overridable_methods.txt")
    for package, text in _SECTION.findall(file.read_text(encoding="utf-8")):
        for one in text.replace("\n", " ").split(";"):
            first, *methods = one.split()
            name, *parents = first.split("<")
            full = [f"java/{p}" if "/" in p else f"{package}/{p}" for p in parents]
            table[f"{package}/{name}"] = full, methods
    return table


@cache
def overridable_methods(name: str) -> frozenset[str] | None:
    """Return the names of the methods of a JDK type; None if the type is not in the table."""
    if name in _WITHOUT_METHODS:
        return frozenset()
    if _JDK_EXCEPTION.fullmatch(name):
        return _EXCEPTION_METHODS.union(overridable_methods(_THROWABLE) or ())
    parents, own = _table().get(name, (None, []))
    return None if parents is None else _union(frozenset(own), parents)


def callback_methods(types: Iterable[str]) -> frozenset[str] | None:
    """Return the methods that the JDK may call on an object that has these JDK types.

    Returns
    -------
    frozenset of str or None
        Their names; None if any method may be among them.
    """
    return _union(OBJECT_METHODS, types)


def _union(own: frozenset[str], types: Iterable[str]) -> frozenset[str] | None:
    names = [overridable_methods(one) for one in types]
    return None if None in names else own.union(*filter(None, names))
