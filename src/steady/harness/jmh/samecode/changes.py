"""The changes of one class: its parents, what else it is, its methods, and lines for debuggers."""

from __future__ import annotations

import struct
from collections.abc import Collection
from dataclasses import dataclass

from steady.harness.jmh.samecode.class_code import ClassCode, MethodCode, Signature
from steady.harness.jmh.samecode.class_path import Variants
from steady.harness.jmh.samecode.constant_pool import MalformedError
from steady.harness.jmh.samecode.decode import code_of
from steady.harness.jmh.samecode.members import Members, read_members

_U2 = struct.Struct(">H").unpack_from
_LINES = b"LineNumberTable"
_LOCALS = b"LocalVariableTable"


@dataclass(frozen=True)
class ClassChange:
    """How a class differs between base and head.

    Parameters
    ----------
    whole : str
        Why nothing more is known than that it differs, as in "only head has"; empty if more is.
    parents : bool
        Whether its parents or its flags differ.
    shape : bool
        Whether its fields, the order of its constructors, or anything beside fields and methods
        differ.
    methods : frozenset of Signature
        The methods that differ, or that only one side has.
    lone : frozenset of Signature
        Those that only one side has.
    lines : frozenset of Signature
        The methods of which lines in the source differ, as stack traces show them.
    raw : bool
        Whether anything at all differs that is not for debuggers.
    """

    whole: str = ""
    parents: bool = False
    shape: bool = False
    methods: frozenset[Signature] = frozenset()
    lone: frozenset[Signature] = frozenset()
    lines: frozenset[Signature] = frozenset()
    raw: bool = True


def change_of(base: Variants, head: Variants) -> ClassChange:
    """Compare two sides of a class of which some bytes differ."""
    if not base or not head:
        return ClassChange(f"only {'head' if head else 'base'} has")
    if len(base) > 1 or len(head) > 1:
        return ClassChange("differs for some release of Java, or in one of several jars")
    if base[0][0] != head[0][0]:
        return ClassChange("lies elsewhere in head")
    contents = base[0][1], head[0][1]
    try:
        one, other = map(ClassCode, contents)
        return _between(read_members(one), read_members(other), one, other)
    except (MalformedError, struct.error):
        return ClassChange("holds something that is not known here, and differs")


def _between(base: Members, head: Members, one: ClassCode, other: ClassCode) -> ClassChange:
    methods = {
        s for s in {*base.methods, *head.methods} if base.methods.get(s) != head.methods.get(s)
    }
    return ClassChange(
        parents=(one.access, one.parents) != (other.access, other.parents),
        shape=(base.shape, base.fields) != (head.shape, head.fields)
        or _constructors(one, other) != _constructors(other, one),
        methods=frozenset(methods | (_locals_that_differ(one, other, methods))),
        lone=frozenset(base.methods.keys() ^ head.methods.keys()),
        lines=_lines_that_differ(one, other),
        raw=base.whole != head.whole,
    )


def _constructors(code: ClassCode, other: ClassCode) -> list[Signature]:
    """Return the constructors of a class that another one has, in their order."""
    return [s for s in code.methods if s[0] == "<init>" and s in other.methods]


def _lines_that_differ(base: ClassCode, head: ClassCode) -> frozenset[Signature]:
    shared = base.methods.keys() & head.methods.keys()
    if base.source_file != head.source_file:
        return frozenset(shared)
    return frozenset(
        s
        for s in shared
        if _line_table(base, base.methods[s]) != _line_table(head, head.methods[s])
    )


def _locals_that_differ(
    base: ClassCode, head: ClassCode, known: Collection[Signature]
) -> set[Signature]:
    """Return methods of which names of variables differ: messages of exceptions show them.

    Source: JEP 358, helpful NullPointerExceptions.
    """
    shared = (base.methods.keys() & head.methods.keys()) - set(known)
    return {s for s in shared if _names(base, base.methods[s]) != _names(head, head.methods[s])}


def _line_table(code: ClassCode, method: MethodCode) -> list[bytes]:
    """Return the lines of a method, which name no constants."""
    return [code.data[at:end] for name, at, end in _of_code(code, method) if name == _LINES]


def _names(code: ClassCode, method: MethodCode) -> list[tuple[str, ...]]:
    """Return the local variables of a method, each with its place and its name."""
    found = []
    for name, at, _ in _of_code(code, method):
        if name == _LOCALS:
            for number in range(_U2(code.data, at)[0]):
                start = at + 2 + 10 * number
                begin, size, text, _, slot = (_U2(code.data, start + 2 * i)[0] for i in range(5))
                found.append((f"{begin} {size} {slot}", code.pool.text(text)))
    return sorted(found)


def _of_code(code: ClassCode, method: MethodCode) -> list[tuple[bytes, int, int]]:
    if not method.start:
        return []
    at = method.start + 8 + len(code_of(code.data, method))
    at += 2 + 8 * _U2(code.data, at)[0]
    return list(code.attributes(at))
