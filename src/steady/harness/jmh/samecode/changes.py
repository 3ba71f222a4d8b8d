"""The changes of one class: its parents, what else it is, its methods, and lines for debuggers."""

import hashlib
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from steady.harness.jmh.samecode.class_attributes import (
    DEBUG_ATTRIBUTES,
    FOR_REFLECTION,
    Digester,
    digest_attributes,
)
from steady.harness.jmh.samecode.class_code import STATIC, ClassCode, MethodCode, Signature
from steady.harness.jmh.samecode.class_path import Variants
from steady.harness.jmh.samecode.constant_pool import MalformedError
from steady.harness.jmh.samecode.decode import code_of

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
    fields : tuple of str
        The digests of the fields that its objects have, in their order.
    statics : mapping of Signature to str
        For each static field, the digest of all that it is.
    order : tuple of Signature
        All fields, in their order.
    methods : mapping of Signature to str
        For each method, the digest of all that it is: flags, instructions, annotations; not what
        only debuggers read.
    whole : str
        The digest of all that is not for debuggers: the order of fields and methods, and lists of
        other classes, too.
    """

    shape: str
    fields: tuple[str, ...]
    statics: Mapping[Signature, str]
    order: tuple[Signature, ...]
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
        return _members(Digester(code))
    except (RecursionError, struct.error) as problem:
        raise MalformedError(f"it is nested too deeply, or ends too early ({problem})") from None


def _members(file: Digester) -> Members:
    code = file.code
    file.counted(2)  # access
    for name, (outer, simple, flags) in code.inner:
        if name == code.name:  # what it says about itself counts
            file.count_constant(outer)
            file.count_constant(simple)
            file.count(flags.to_bytes(2))
    file.constants(2)
    file.listed_constants()
    shape = file.digest_anew()
    fields = [_member(file) for _ in range(file.number(2))]
    methods = [_member(file) for _ in range(file.number(2))]
    attributes = file.position
    file.passed_over = FOR_REFLECTION
    digest_attributes(file, _APART)
    shape += file.digest_anew()
    file.position, file.passed_over = attributes, ()
    digest_attributes(file)
    if file.position != len(code.data):
        raise MalformedError("something follows it")
    own = (digest for _, _, digest in (*fields, *methods))
    whole = "".join((shape, str(len(fields)), *own, file.digest_anew()))
    return Members(
        shape,
        tuple(digest for _, access, digest in fields if not access & STATIC),
        {sign: digest for sign, access, digest in fields if access & STATIC},
        tuple(sign for sign, _, _ in fields),
        {sign: digest for sign, _, digest in methods},
        hashlib.sha256(whole.encode()).hexdigest(),
    )


def _member(file: Digester) -> tuple[Signature, int, str]:
    """Read a field or a method; return its name and descriptor, its flags, and its digest."""
    access, name, descriptor = file.counted(2), file.number(2), file.number(2)
    file.count_constant(name)
    file.count_constant(descriptor)
    digest_attributes(file)
    pool = file.code.pool
    return (pool.text(name), pool.text(descriptor)), access, file.digest_anew()


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
        Whether the fields of its objects, the order of its constructors, or anything beside fields
        and methods differ.
    statics : frozenset of str
        The names of its static fields that differ, or that only one side has.
    order : bool
        Whether the order of its fields differs, static ones and others together.
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
    statics: frozenset[str] = frozenset()
    order: bool = False
    methods: frozenset[Signature] = frozenset()
    lone: frozenset[Signature] = frozenset()
    lines: frozenset[Signature] = frozenset()
    raw: bool = True


NO_CHANGE = ClassChange(raw=False)


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
    both = base.methods.keys() & head.methods
    methods = _unlike(base.methods, head.methods)
    # Messages of exceptions show names of variables (JEP 358, helpful NullPointerExceptions).
    methods |= _differing(_names, one, other)
    return ClassChange(
        parents=(one.access, one.parents) != (other.access, other.parents),
        shape=(base.shape, base.fields) != (head.shape, head.fields)
        or _constructors(one, other) != _constructors(other, one),
        statics=frozenset(name for name, _ in _unlike(base.statics, head.statics)),
        order=base.order != head.order,
        methods=frozenset(methods),
        lone=frozenset(base.methods.keys() ^ head.methods.keys()),
        lines=frozenset(both)
        if one.source_file != other.source_file
        else _differing(_line_table, one, other),
        raw=base.whole != head.whole,
    )


def _unlike(base: Mapping[Signature, str], head: Mapping[Signature, str]) -> set[Signature]:
    """Return the members that differ, or that only one side has."""
    return {s for s in base.keys() | head if base.get(s) != head.get(s)}


def _constructors(code: ClassCode, other: ClassCode) -> list[Signature]:
    """Return the constructors of a class that another one has, in their order."""
    return [s for s in code.methods if s[0] == "<init>" and s in other.methods]


def _differing(
    what: Callable[[ClassCode, MethodCode], object], base: ClassCode, head: ClassCode
) -> frozenset[Signature]:
    """Return the methods of both in which something differs."""
    shared = base.methods.keys() & head.methods.keys()
    return frozenset(
        s for s in shared if what(base, base.methods[s]) != what(head, head.methods[s])
    )


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
