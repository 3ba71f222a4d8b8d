"""The doors of the JDK: its methods by which code may run, or be read, that nobody names.

Everything outside of the jars is a door to anything, unless it is known to be less: a type that a
later JDK adds, one that only some vendor's JDK has, and a method that returns a class or a member
of one, which is what reflection begins with.

Sources: the API specification of Java SE 25; JVMS 5.3 to 5.5; the specifications of the Java
platform on serialization, JNI and the JAR file. ``jdk_doors.txt`` has the table, ``jdk_types.txt``
the types that it was made for, and ``evaluation/jdk_methods.py`` looks for what it lacks.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from itertools import groupby

ANYTHING = "anything"
"""Any code or any file of the jar: by a name that is not known here, or by reading the jar."""
NAME, BUNDLE, RESOURCE = "name", "bundle", "resource"
"""A class, a bundle, or a file of the jar by its name, which is an argument."""
REFLECT = "reflect"
"""All members of classes that are at hand."""
GET_CLASS = "get class"
"""The classes of all objects are at hand."""
SERIALIZE = "serialize"
"""All members of the classes of all objects."""
METHOD = "method"
"""The methods of a name, of classes that are at hand."""
FIELDS = "fields"
"""All fields of classes that are at hand."""
CONSTRUCT = "construct"
"""All constructors of classes that are at hand."""
INVOKE = "invoke"
"""Methods of any name, of classes that are at hand: also of those of the JDK."""
TYPES = "types"
"""Classes that the members of classes at hand name are at hand too."""
GENERIC = "generic"
"""Classes that the parents of a class at hand name between ``<`` and ``>`` are at hand too."""
FIELD_TYPES = "field types"
"""The classes of fields of classes at hand are at hand too."""
METHOD_TYPES = "method types"
"""What types a method has that was found: it came at hand with them; they may be the JDK's."""
NESTED = "nested"
"""The classes that a class at hand lists."""
SERVICE = "service"
"""What the files in ``META-INF/services`` name."""
SERVICE_TYPES = "service types"
"""The classes that these files name are at hand."""
MANIFEST = "manifest"
"""What the manifest says."""
STACK = "stack"
"""Lines and files of source code, as stack traces show them."""
GET_PROPERTIES, PUT_PROPERTIES = "get properties", "put properties"
"""Together they set properties of the system, by which the JDK finds classes."""

SAFE = ""
"""None."""
_KNOWN = "known"
"""In the table: safe, although the method returns a class or a member of one."""
_RETURNS_CLASS = re.compile(
    r"\[*L(?:java/lang/Class|java/lang/reflect/\w+|java/lang/invoke/TypeDescriptor\$\w+);"
)
"""What a method returns that gives a class, a member of one, or what may be either.

Handles of methods are not among them: whoever makes one, or asks for its types, opens a door.
"""
_GET_CLASS = ("getClass", "()Ljava/lang/Class;")
_READS_FILES = re.compile(r"java/util/Scanner|java/security/KeyStore.*")
OF_OLDER = frozenset({"javax/xml/bind/DatatypeConverter"})
"""Types in the table that the JDKs of ``jdk_types.txt`` have no longer."""
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
"""What libraries put into packages that begin like the JDK's: JSR 305, and Java EE's."""


@cache
def _rules() -> Sequence[tuple[re.Pattern[str], re.Pattern[str], str]]:
    file = resources.files("steady.harness.jmh.samecode").joinpath("jdk_doors.txt")
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    rules = []
    for are_doors, group in groupby(lines, lambda line: line[0] == " "):
        if not are_doors:
            owners = re.compile("|".join(" ".join(group).split()), re.DOTALL)
            continue
        for line in group:
            opened, _, methods = line.strip().partition(": ")
            kind = SAFE if opened == "safe" else opened
            rules.append((owners, re.compile("|".join(methods.split())), kind))
    return rules


_DANGER = re.compile(
    r"forName|load.*|define.*|find.*|get(Declared|System)?(Resource|Method|Field|Constructor|Class|"
    r"Annotation|Bundle|StackTrace|Properties|Protection|Package|Caller|RecordC|Permitted|Nest).*|"
    r"(new|allocate)Instance|newProxy.*|invoke.*|exec|start|set(System)?Propert.*|lookup|private.*|"
    r"unreflect.*|open.*|read.*|list.*|new(Input|Byte|File|Directory).*|walk.*|lines|copy|main|"
    r"addURL|append.*|register.*|add(Provider|Transformer)|init|resolve.*|instantiate|of|builder"
)
"""Names of methods that open a door somewhere in the JDK."""

_WORST = re.compile(
    r"java/lang/(?:Class|ClassLoader|Module|Package|Runtime|System|Process.*|reflect/.*|invoke/.*)|"
    r"java/util/(?:ServiceLoader|ResourceBundle|zip/ZipFile|jar/JarFile)|java/nio/file/Files|"
    r"java/io/Object.*Stream|java/io/File.*"
)
"""Classes by which reflection could open any door."""


def is_of_jdk(name: str) -> bool:
    """Tell whether a class may be one of the JDK's, by its package."""
    return _OF_JDK.fullmatch(name) is not None and _NEVER_OF_JDK.fullmatch(name) is None


@cache
def studied_types() -> frozenset[str]:
    """Return the types of the JDK for which the table of doors was made."""
    file = resources.files("steady.harness.jmh.samecode").joinpath("jdk_types.txt")
    found = set(OF_OLDER)
    for line in file.read_text(encoding="utf-8").splitlines():
        if line[0] == "[":
            package = line.strip("[]")
        elif line[0] != "#":
            found.update(f"{package}/{name}" for name in line.split())
    return frozenset(found)


@cache
def door(owner: str, name: str, descriptor: str = "") -> str:
    """Return which door a call of a method opens that no jar has; empty if none."""
    if (name, descriptor) == _GET_CLASS:
        return SAFE  # whoever reads the code follows its object
    opened = _in_table(owner, name, descriptor)
    return ANYTHING if opened == SAFE and owner not in studied_types() else opened


def _in_table(owner: str, name: str, descriptor: str) -> str:
    """Return which door a call opens if the table was made for its type."""
    if not is_of_jdk(owner):
        return ANYTHING
    if _READS_FILES.fullmatch(owner) and ("/File;" in descriptor or "/Path;" in descriptor):
        return ANYTHING
    if owner == "java/util/logging/Logger" and descriptor.startswith(
        ("(Ljava/lang/String;Ljava/lang/String;)Ljava/util/l", "(Ljava/lang/String;)Ljava/util/l")
    ):
        return ANYTHING if name == "getAnonymousLogger" or "String;Lj" in descriptor else SAFE
    opened = listed(owner, name)
    if opened == SAFE and _RETURNS_CLASS.fullmatch(descriptor.rpartition(")")[2]):
        return ANYTHING
    return SAFE if opened == _KNOWN else opened


def listed(owner: str, name: str) -> str:
    """Return what the table says of a method, whatever it returns."""
    fitting = (r[2] for r in _rules() if r[0].fullmatch(owner) and r[1].fullmatch(name))
    return next(fitting, ANYTHING)


def has_harmless(owner: str) -> bool:
    """Tell whether the table may call a method of a type harmless."""
    return any(owners.fullmatch(owner) for owners, _, kind in _rules() if kind in (SAFE, _KNOWN))


@cache
def is_worst(name: str, *, is_literal: bool = True) -> bool:
    """Tell whether reflection on a class of the JDK could open any door.

    Parameters
    ----------
    name : str
        The class.
    is_literal : bool
        Whether code holds it: then it is one that all may see, as those that were studied.
    """
    if not is_of_jdk(name):
        return False
    if is_literal and door(name, "\0") == ANYTHING:
        return True
    return bool(_WORST.fullmatch(name)) or _in_table(name, "\0", "") == ANYTHING


def is_danger(method: str) -> bool:
    """Tell whether a method of this name may be a door, in a class that reflection often meets."""
    return _DANGER.fullmatch(method) is not None
