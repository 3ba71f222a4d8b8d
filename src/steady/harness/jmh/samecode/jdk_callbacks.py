"""Methods that the JDK may call on an object of the jar, because they override one of its own.

Source: JVMS 5.4.5 (overriding); the JDK's own list in ``jdk_table.txt``.
"""

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources

OF_OBJECT = frozenset({"equals", "hashCode", "toString", "clone", "finalize"})
"""The methods that a class may override of ``java/lang/Object``."""

_SECTION = re.compile(r"\[([^\s\[\]]+)\]\n([^\[]*)")
_THROWN = re.compile(r"\Ajava/(?:lang|util|io|nio)/.*(?:Exception|Error)")
_THROWABLE = "java/lang/Throwable"
_OF_THROWN = frozenset(
    {
        *("annotationType", "constantName", "element", "elementName", "enumType", "foundType"),
        *("getArgumentClass", "getCharsetName", "getClassName", "getCodePoint", "getConversion"),
        *("getDescription", "getErrorIndex", "getException", "getFile", "getFlags", "getInput"),
        *("getFormatSpecifier", "getIndex", "getInputLength", "getKey", "getName", "getOtherFile"),
        *("getPattern", "getPrecision", "getReason", "getTargetException", "getWidth", "typeName"),
        "getUndeclaredThrowable",
    }
)
"""The methods of all exceptions that are thrown by the JDK, beside those of ``Throwable``."""
_NONE = frozenset(
    {
        *("java/lang/Object", "java/io/Serializable", "java/lang/Cloneable", "java/lang/Record"),
        *("java/util/RandomAccess", "java/util/EventListener"),
    }
)


@cache
def _table() -> dict[str, tuple[list[str], list[str]]]:
    table = {}
    file = resources.files("steady.harness.jmh.samecode").joinpath("jdk_table.txt")
    for package, text in _SECTION.findall(file.read_text(encoding="utf-8")):
        for one in text.replace("\n", " ").split(";"):
            first, *methods = one.split()
            name, *parents = first.split("<")
            full = [f"java/{p}" if "/" in p else f"{package}/{p}" for p in parents]
            table[f"{package}/{name}"] = full, methods
    return table


@cache
def methods_of(name: str) -> frozenset[str] | None:
    """Return the names of the methods of a type of the JDK; None if it is not in the table."""
    if name in _NONE:
        return frozenset()
    if _THROWN.fullmatch(name):
        return _OF_THROWN.union(methods_of(_THROWABLE) or ())
    parents, own = _table().get(name, (None, []))
    return None if parents is None else _with(frozenset(own), parents)


def called_by_jdk(types: Iterable[str]) -> frozenset[str] | None:
    """Return the methods that the JDK may call on an object of these types of its own.

    Returns
    -------
    frozenset of str or None
        Their names; None if any method may be among them.
    """
    return _with(OF_OBJECT, types)


def _with(own: frozenset[str], types: Iterable[str]) -> frozenset[str] | None:
    names = [methods_of(one) for one in types]
    return None if None in names else own.union(*filter(None, names))
