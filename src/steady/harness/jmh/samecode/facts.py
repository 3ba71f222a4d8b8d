"""Facts, the nodes of a call graph, and the reasons for decisions that follow from them.

A fact is a tuple: its kind, then the class, method or file that it is about.
"""

from steady.harness.jmh.samecode.class_file import Signature
from steady.samecode.exploration import Node, Successors

Fact = Node
Consequences = Successors
"""The facts that follow from a fact, alone or together with a second one."""

RUN = "run"
"""``run, class, name, descriptor``: the method may run."""
CALL = "call"
"""``call, class, name, descriptor``: the method is called on an object of this class."""
LOAD = "load"
"""A method that may run references the class."""
VERIFY = "verify"
"""A JVM may load the class to verify types in code, even if that code does not run."""
INITIALIZE = "initialize"
"""The class may be initialized."""
INSTANTIATE = "instantiate"
"""An object of exactly this class may exist."""
SUBTYPE_INSTANCE = "subtype instance"
"""An object of this class, or of a subtype, may exist."""
CLASS_OBJECT = "class object"
"""Code may have the ``Class`` object of the class, and use it for reflection."""
MEMBERS = "members"
"""All members of the class may be used."""
STUB = "stub"
"""JMH runs the class that it generated for a benchmark."""
JDK_CALL = "jdk call"
"""``jdk call, effect, class, name``: a method of the JDK with an effect is called."""
EFFECT = "effect"
"""A method of the JDK has an effect (`jdk_effects`)."""
JVM_START = "jvm start"
"""A JVM starts."""
BENCHMARK = "benchmark"
"""``benchmark, number``: the benchmark starts."""

SHAPE, ANY_MEMBER, LINES, FILE = "shape", "any member", "lines", "file"
EXTENDS, INCOMPARABLE = "extends", "incomparable"
CHANGES = frozenset({SHAPE, ANY_MEMBER, LINES, FILE, EXTENDS, INCOMPARABLE})
"""Kinds of facts about changes, at which paths end; `reason` describes them."""


def run(owner: str, signature: Signature) -> Fact:
    """Return the fact that a method may run."""
    return RUN, owner, *signature


def method_name(owner: str, name: str) -> str:
    """Return the name of a method as in Java."""
    special = {"<init>": "the constructor", "<clinit>": "the static initializer"}
    plain = owner.replace("/", ".")
    return f"{special[name]} of {plain}" if name in special else f"{plain}.{name}"


def reason(change: Fact, before: tuple[Fact, ...]) -> str:
    """Return why the code path of a benchmark may differ.

    Parameters
    ----------
    change : Fact
        The last step of the path from the benchmark to the change.
    before : tuple of Fact
        The other steps of the path.
    """
    kind = change[0]
    if kind == RUN:
        return f"may run {method_name(change[1], change[2])}, which changed"
    name = change[1].replace("/", ".") if len(change) > 1 else ""
    if kind == INCOMPARABLE:
        return f"may load {name}, which {change[2]}"
    if kind == EFFECT:
        return _effect_reason(before)
    texts = {
        SHAPE: f"uses {name}, whose fields, parents or annotations changed",
        ANY_MEMBER: f"may inspect all members of {name}, which changed",
        LINES: f"may read line numbers of {name} in a stack trace, and they changed",
        FILE: f"may read {change[-1]}, which changed",
        EXTENDS: (
            f"uses {name}, in which a changed method refers to {change[-1].replace('/', '.')}: a "
            "JVM may load it and compile calls differently"
        ),
    }
    return texts[kind]


def _effect_reason(before: tuple[Fact, ...]) -> str:
    call = next((fact for fact in reversed(before) if fact[0] == JDK_CALL), None)
    method = next((fact for fact in reversed(before) if fact[0] == RUN), None)
    where = method_name(method[1], method[2]) if method else "its code"
    if call is None:
        return f"{where} may run any code or read any file"
    if call[2] == "":
        return f"{where} {call[3]}"
    called = method_name(call[2], call[3])
    return f"{where} uses {called}, which may run any code or read any file"
