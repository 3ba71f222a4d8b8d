"""The facts that a call graph is made of, and how they read in a reason.

Each fact is a tuple: what is said, then of which class, method or file.
"""

from collections.abc import Iterable
from typing import NamedTuple

from steady.harness.jmh.samecode.class_code import Signature

Fact = tuple[str, ...]


class Join(NamedTuple):
    """What follows from a fact together with another one.

    Parameters
    ----------
    other : Fact
        The other one.
    then : Fact
        What follows from both.
    """

    other: Fact
    then: Fact


Following = Iterable[Fact | Join]
"""What follows from a fact, alone or together with another one."""

RUN = "run"
"""``run, class, name, descriptor``: the method may run."""
CALL = "call"
"""``call, class, name, descriptor``: it is called on an object of this class."""
LOAD = "load"
"""The class is named by code that may run."""
SEEN = "seen"
"""A JVM may load the class to check types in code, whether or not that code runs."""
INIT = "init"
"""The class's static initialiser may run."""
MAKE = "make"
"""There may be an object of just this class."""
HAVE = "have"
"""There may be an object of this class, or of one below it."""
HAND = "hand"
"""Code may have the class's ``Class``: it is at hand for reflection."""
OPEN = "open"
"""All members of the class may be used."""
STUB = "stub"
"""JMH runs the class, which it has generated for a benchmark."""
API = "api"
"""``api, door, class, name``: a method of the JDK that is a door is called."""
DOOR = "door"
"""A door is open."""
ALWAYS = "always"
"""What every JVM does."""
BENCHMARK = "benchmark"
"""A benchmark begins, with its number."""

SHAPE, RAW, LINES, FILE, EXTENDS, WHOLE = "shape", "raw", "lines", "file", "extends", "whole"
ENDS = frozenset({SHAPE, RAW, LINES, FILE, EXTENDS, WHOLE})
"""What changed, at the ends of walks: see `end_text`."""


def run(owner: str, signature: Signature) -> Fact:
    """Return the fact that a method may run."""
    return RUN, owner, *signature


def method_name(owner: str, name: str) -> str:
    """Name a method as a person would."""
    special = {"<init>": "the constructor", "<clinit>": "the static initializer"}
    plain = owner.replace("/", ".")
    return f"{special[name]} of {plain}" if name in special else f"{plain}.{name}"


def end_text(fact: Fact, before: tuple[Fact, ...]) -> str:
    """Say why a benchmark may run other code, by the fact at which its walk ends.

    Parameters
    ----------
    fact : Fact
        The end.
    before : tuple of Fact
        What led there.
    """
    kind = fact[0]
    if kind == RUN:
        return f"may run {method_name(fact[1], fact[2])}, which changed"
    name = fact[1].replace("/", ".") if len(fact) > 1 else ""
    if kind == WHOLE:
        return f"may load {name}, which {fact[2]}"
    if kind == DOOR:
        return _door_text(before)
    texts = {
        SHAPE: f"uses {name}, of which the fields, the parents or the annotations changed",
        RAW: f"may look at all members of {name}, which changed",
        LINES: f"may read lines of {name}'s source in a stack trace, and they moved",
        FILE: f"may read {fact[-1]}, which changed",
        EXTENDS: f"uses {name}, where a changed method names {fact[-1].replace('/', '.')}, so that "
        "a JVM may load it and compile calls in another way",
    }
    return texts[kind]


def _door_text(before: tuple[Fact, ...]) -> str:
    api = next((f for f in reversed(before) if f[0] == API), None)
    runs = next((f for f in reversed(before) if f[0] == RUN), None)
    where = method_name(runs[1], runs[2]) if runs else "its code"
    if api is None:
        return f"{where} may run or read what nobody names"
    if api[2] == "":
        return f"{where} {api[3]}"
    called = method_name(api[2], api[3])
    return f"{where} uses {called}, by which other code may run, or files be read, than is named"
