"""Effects of methods of the JDK, and the methods that the JDK may call.

Some methods of the JDK run code or read files that the calling code does not name. A call of a
method outside the jars may have any effect unless its effect is known. The effect is unknown for
types that later JDKs add, for types of a single vendor's JDK, and for methods that return a class
or a member of one, because reflection starts there.

A class is *exposed* if code may have its ``Class`` object, and so use it by reflection.

*Callbacks* are methods that the JDK may call on an object of the jar because they override its own.

Sources: the API specification of Java SE 25; JVMS 5.3 to 5.5; the specifications of the Java
platform on serialization, JNI and the JAR file. ``jdk_effects.txt`` is the table of effects,
``jdk_types.txt`` lists the types that it covers, and ``evaluation/jdk_methods.py`` searches for
gaps. Callbacks: JVMS 5.4.5 (overriding), with the JDK's methods in ``jdk_overridable_methods.txt``.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from itertools import groupby

ANYTHING = "anything"
"""Any code of the jar may run, or any of its files may be read."""
NAME, BUNDLE, RESOURCE = "name", "bundle", "resource"
"""A class, a resource bundle, or a file of the jar is found by the name in an argument."""
REFLECT = "reflect"
"""All members of exposed classes may be used."""
GET_CLASS = "get class"
"""The classes of all objects are exposed."""
SERIALIZE = "serialize"
"""All members of the classes of all objects may be used."""
METHOD = "method"
"""Methods with one name, of exposed classes, may be called."""
FIELDS = "fields"
"""All fields of exposed classes may be used."""
CONSTRUCT = "construct"
"""All constructors of exposed classes may be called."""
INVOKE = "invoke"
"""Methods with any name, of exposed classes and of the JDK, may be called."""
TYPES = "types"
"""Classes that members of exposed classes name are exposed too."""
GENERIC = "generic"
"""Type arguments in the generic signatures of exposed classes are exposed too."""
FIELD_TYPES = "field types"
"""Types of fields of exposed classes are exposed too."""
METHOD_TYPES = "method types"
"""Types in the descriptor of a method that reflection finds are exposed, also the JDK's."""
NESTED = "nested"
"""Nested classes of exposed classes are exposed too."""
SERVICE = "service"
"""Classes that files in ``META-INF/services`` name are loaded."""
SERVICE_TYPES = "service types"
"""Classes that files in ``META-INF/services`` name are exposed."""
MANIFEST = "manifest"
"""The manifest is read."""
STACK = "stack"
"""Line numbers and names of source files are read, as in stack traces."""
GET_PROPERTIES, PUT_PROPERTIES = "get properties", "put properties"
"""Code with both effects may set system properties by which the JDK finds classes."""
BY_NAME = frozenset({NAME, BUNDLE, RESOURCE, METHOD})
"""Effects that depend on the name in an argument."""

NO_EFFECT = ""
"""The effect of a harmless method."""
_KNOWN = "known"
"""In the table: harmless, although the method returns a class or a member of one."""
_RETURNS_CLASS = re.compile(
    r"\[*L(?:java/lang/Class|java/lang/reflect/\w+|java/lang/invoke/TypeDescriptor\$\w+);"
)
"""Return types that may be a class or a member of one.

Method handles are excluded, since the methods that create them or return their types have effects.
"""
_GET_CLASS = ("getClass", "()Ljava/lang/Class;")
_READS_FILES = re.compile(r"java/util/Scanner|java/security/KeyStore.*")
REMOVED_TYPES = frozenset({"javax/xml/bind/DatatypeConverter"})
"""Types in the table that were removed before the JDKs of ``jdk_types.txt``."""
_OF_JDK = re.compile(
    r"(?:java|javax|javafx|jdk|sun|netscape|com/(?:sun|ibm|oracle|azul|jetbrains)|oracle|openj9|"
    r"org/(?:graalvm|w3c/dom|xml/sax|ietf/jgss|omg|jcp))/.*",
    re.DOTALL,
)
_NEVER_OF_JDK = re.compile(
    r"javax/(?:annotation/(?!processing/|Generated|PostConstruct|PreDestroy|Resource)|inject/|"
    r"validation/|persistence/|servlet/|ws/rs/|cache/|json/).*",
    re.DOTALL,
)
"""Classes of libraries in packages like the JDK's: JSR 305, and Java EE."""


@cache
def _rules() -> Sequence[tuple[re.Pattern[str], re.Pattern[str], str]]:
    file = resources.files("steady.harness.jmh.samecode").joinpath("jdk_effects.txt")
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    rules = []
    for are_effects, group in groupby(lines, lambda line: line[0] == " "):
        if not are_effects:
            owners = re.compile("|".join(" ".join(group).split()), re.DOTALL)
            continue
        for line in group:
            effect, _, methods = line.strip().partition(": ")
            kind = NO_EFFECT if effect == "safe" else effect
            rules.append((owners, re.compile("|".join(methods.split())), kind))
    return rules


_RISKY_NAMES = re.compile(
    r"forName|load.*|define.*|find.*|get(Declared|System)?(Resource|Method|Field|Constructor|Class|"
    r"Annotation|Bundle|StackTrace|Properties|Protection|Package|Caller|RecordC|Permitted|Nest).*|"
    r"(new|allocate)Instance|newProxy.*|invoke.*|exec|start|set(System)?Propert.*|lookup|private.*|"
    r"unreflect.*|open.*|read.*|list.*|new(Input|Byte|File|Directory).*|walk.*|lines|copy|main|"
    r"addURL|append.*|register.*|add(Provider|Transformer)|init|resolve.*|instantiate|of|builder"
)
"""Names of methods that have an effect in at least one class of the JDK."""

_POWERFUL = re.compile(
    r"java/lang/(?:Class|ClassLoader|Module|Package|Runtime|System|Process.*|reflect/.*|invoke/.*)|"
    r"java/util/(?:ServiceLoader|ResourceBundle|zip/ZipFile|jar/JarFile)|java/nio/file/Files|"
    r"java/io/Object.*Stream|java/io/File.*"
)
"""Classes of the JDK on which reflection may have any effect."""


def is_of_jdk(name: str) -> bool:
    """Return whether a class may belong to the JDK, judged by its package."""
    return _OF_JDK.fullmatch(name) is not None and _NEVER_OF_JDK.fullmatch(name) is None


@cache
def known_types() -> frozenset[str]:
    """Return the types of the JDK that the table of effects covers."""
    file = resources.files("steady.harness.jmh.samecode").joinpath("jdk_types.txt")
    found = set(REMOVED_TYPES)
    for line in file.read_text(encoding="utf-8").splitlines():
        if line[0] == "[":
            package = line.strip("[]")
        elif line[0] != "#":
            found.update(f"{package}/{name}" for name in line.split())
    return frozenset(found)


@cache
def effect_of(owner: str, name: str, descriptor: str = "") -> str:
    """Return the effect of calling a method outside the jars; `NO_EFFECT` if it is harmless."""
    if (name, descriptor) == _GET_CLASS:
        return NO_EFFECT  # call sites are examined separately
    effect = _table_effect(owner, name, descriptor)
    return ANYTHING if effect == NO_EFFECT and owner not in known_types() else effect


def _table_effect(owner: str, name: str, descriptor: str) -> str:
    """Return the effect of a call, assuming that the table covers the type."""
    if not is_of_jdk(owner):
        return ANYTHING
    if _READS_FILES.fullmatch(owner) and ("/File;" in descriptor or "/Path;" in descriptor):
        return ANYTHING
    if owner == "java/util/logging/Logger" and descriptor.startswith(
        ("(Ljava/lang/String;Ljava/lang/String;)Ljava/util/l", "(Ljava/lang/String;)Ljava/util/l")
    ):
        return ANYTHING if name == "getAnonymousLogger" or "String;Lj" in descriptor else NO_EFFECT
    effect = listed_effect(owner, name)
    if effect == NO_EFFECT and _RETURNS_CLASS.fullmatch(descriptor.rpartition(")")[2]):
        return ANYTHING
    return NO_EFFECT if effect == _KNOWN else effect


def listed_effect(owner: str, name: str) -> str:
    """Return the effect of a method in the table, regardless of its return type."""
    fitting = (r[2] for r in _rules() if r[0].fullmatch(owner) and r[1].fullmatch(name))
    return next(fitting, ANYTHING)


def has_harmless_methods(owner: str) -> bool:
    """Return whether the table may list harmless methods of a type."""
    return any(
        owners.fullmatch(owner) for owners, _, kind in _rules() if kind in (NO_EFFECT, _KNOWN)
    )


@cache
def allows_anything(name: str, *, is_literal: bool = True) -> bool:
    """Return whether reflection on a class of the JDK may have any effect.

    Parameters
    ----------
    name : str
        The class.
    is_literal : bool
        Whether a class literal names it, so that it is public, like the types in the table.
    """
    if not is_of_jdk(name):
        return False
    if is_literal and effect_of(name, "\0") == ANYTHING:
        return True
    return bool(_POWERFUL.fullmatch(name)) or _table_effect(name, "\0", "") == ANYTHING


def may_have_effect(method: str) -> bool:
    """Return whether a method with this name may have an effect in a commonly exposed class."""
    return _RISKY_NAMES.fullmatch(method) is not None


OBJECT_METHODS = frozenset({"equals", "hashCode", "toString", "clone", "finalize"})
"""Methods of ``java/lang/Object`` that a class may override."""

_SECTION = re.compile(r"\[([^\s\[\]]+)\]\n([^\[]*)")
_JDK_EXCEPTION = re.compile(r"\Ajava/(?:lang|util|io|nio)/.*(?:Exception|Error)")
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
"""Methods of all exceptions of the JDK, except those of ``Throwable``."""
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
    """Return the names of the overridable methods of a JDK type; None if it is not in the table."""
    if name in _WITHOUT_METHODS:
        return frozenset()
    if _JDK_EXCEPTION.fullmatch(name):
        return _EXCEPTION_METHODS.union(overridable_methods("java/lang/Throwable") or ())
    parents, own = _table().get(name, (None, []))
    return None if parents is None else _union(frozenset(own), parents)


def callback_methods(types: Iterable[str]) -> frozenset[str] | None:
    """Return the methods that the JDK may call on an object with these JDK types.

    Returns
    -------
    frozenset of str or None
        Names of the methods; None if the JDK may call any method.
    """
    return _union(OBJECT_METHODS, types)


def _union(own: frozenset[str], types: Iterable[str]) -> frozenset[str] | None:
    names = [overridable_methods(one) for one in types]
    return None if None in names else own.union(*filter(None, names))
