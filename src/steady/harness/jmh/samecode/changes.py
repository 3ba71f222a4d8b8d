"""The changes of one class: its parents, what else it is, its methods, and lines for debuggers."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from steady.harness.jmh.samecode.class_attributes import (
    DEBUG_ATTRIBUTES,
    Digester,
    digest_attributes,
)
from steady.harness.jmh.samecode.class_code import ClassCode, MethodCode, Signature
from steady.harness.jmh.samecode.class_path import Variants
from steady.harness.jmh.samecode.constant_pool import MalformedError
from steady.harness.jmh.samecode.decode import code_of

_DYNAMIC = (17, 18)
_BOOTSTRAP, _INNER, _NEST = b"BootstrapMethods", b"InnerClasses", b"NestMembers"
_APART = DEBUG_ATTRIBUTES | {_BOOTSTRAP, _INNER, _NEST}
"""Attributes that count if a method refers to them, and lists of other classes within this one."""


@dataclass(frozen=True, slots=True)
class Members:
    """A class, with its methods apart.

    Parameters
    ----------
    shape : str
        The digest of everything except its methods and fields: its parents, annotations. The list
        of classes within it does not count.
    fields : str
        The digest of its fields in their order.
    methods : mapping of Signature to str
        For each method, the digest of all that it is: flags, instructions, annotations; not what
        only debuggers read.
    whole : str
        The digest of all that is not for debuggers: the order of the methods, and lists of other
        classes, too.
    """

    shape: str
    fields: str
    methods: Mapping[Signature, str]
    whole: str


def read_members(code: ClassCode) -> Members:
    """Read the members of a class.

    Raises
    ------
    MalformedError
        If it holds something that is not known here.
    """
    try:
        return _members(_MemberReader(code))
    except (RecursionError, struct.error) as problem:
        raise MalformedError(f"it is nested too deeply, or ends too early ({problem})") from None


class _MemberReader(Digester):
    """Lets a dynamic constant count by how it is made."""

    def __init__(self, code: ClassCode) -> None:
        super().__init__(code.data, code.pool)
        self.code = code

    def parts(self, tag: int, content: bytes) -> Iterable[tuple[str, int]]:
        if tag not in _DYNAMIC:
            return super().parts(tag, content)
        maker, name_and_type = struct.unpack(">hH", content)
        if not 0 <= maker < len(self.code.makers):
            raise MalformedError("nothing makes a constant that is made when it is needed")
        return [("H", place) for place in (*self.code.makers[maker], name_and_type)]

    def count_as_inner(self) -> None:
        """Let what the class says about itself in its list of inner classes count."""
        for name, (outer, simple, flags) in self.code.inner:
            if name == self.code.name:
                self.count_constant(outer)
                self.count_constant(simple)
                self.count(flags)


def _members(file: _MemberReader) -> Members:
    file.counted(2)  # access
    file.count_as_inner()
    file.constants(2)
    file.listed_constants()
    shape = file.digest_anew()
    for _ in range(file.counted(2)):  # fields
        file.counted(2)
        file.constants(2)
        digest_attributes(file)
    fields = file.digest_anew()
    methods = [_method(file) for _ in range(file.number(2))]
    attributes = file.position
    digest_attributes(file, _APART)
    shape += file.digest_anew()
    file.position = attributes
    digest_attributes(file)
    if not file.at_end:
        raise MalformedError("something follows it")
    whole = "".join((shape, fields, *(one for _, one in methods), file.digest))
    return Members(shape, fields, dict(methods), hashlib.sha256(whole.encode()).hexdigest())


def _method(file: _MemberReader) -> tuple[Signature, str]:
    file.counted(2)  # access
    pool = file.code.pool
    signature = pool.text(file.ahead()), pool.text(file.ahead(2))
    file.constants(2)
    digest_attributes(file)
    return signature, file.digest_anew()


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
