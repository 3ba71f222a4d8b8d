"""Compares a class in base and head, member by member."""

import hashlib
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from steady.harness.jmh.samecode.class_attributes import (
    COMPILER_ANNOTATIONS,
    DEBUG_ATTRIBUTES,
    Digester,
    digest_attributes,
)
from steady.harness.jmh.samecode.class_file import STATIC, ClassFile, MethodCode, Signature
from steady.harness.jmh.samecode.class_path import Variants
from steady.harness.jmh.samecode.constant_pool import MalformedError
from steady.harness.jmh.samecode.instructions import bytecode_of

_BOOTSTRAP, _INNER, _NEST = b"BootstrapMethods", b"InnerClasses", b"NestMembers"
_SEPARATE = DEBUG_ATTRIBUTES | {_BOOTSTRAP, _INNER, _NEST}
"""Attributes that are excluded from the digest of a class's shape.

Bootstrap methods are digested with the instructions that use them, lists of nested classes only
with the whole class.
"""


@dataclass(frozen=True, slots=True)
class MemberDigests:
    """Digests of a class and of each of its members.

    Parameters
    ----------
    shape : str
        Digest of flags, supertypes, annotations and other attributes, without fields, methods and
        lists of nested classes.
    fields : tuple of str
        Digests of the instance fields, in the file's order.
    static_fields : mapping of Signature to str
        Digest of each static field.
    field_order : tuple of Signature
        All fields, in the file's order.
    methods : mapping of Signature to str
        Digest of each method: flags, instructions and annotations, without debug information.
    whole : str
        Digest of the whole class without debug information, including the order of members and
        the lists of nested classes.
    """

    shape: str
    fields: tuple[str, ...]
    static_fields: Mapping[Signature, str]
    field_order: tuple[Signature, ...]
    methods: Mapping[Signature, str]
    whole: str


def digest_members(file: ClassFile) -> MemberDigests:
    """Digest the members of a class.

    Raises
    ------
    MalformedError
        If it contains an unsupported attribute or constant.
    """
    try:
        return _members(Digester(file))
    except (RecursionError, struct.error) as problem:
        raise MalformedError(f"it is nested too deeply, or is truncated ({problem})") from None


def _members(reader: Digester) -> MemberDigests:
    file = reader.file
    reader.digest_number(2)  # access
    for name, (outer, simple, flags) in file.inner_classes:
        if name == file.name:  # the entry of the class itself
            reader.digest_constant(outer)
            reader.digest_constant(simple)
            reader.add(flags.to_bytes(2))
    reader.digest_constants(2)
    reader.digest_constant_list()
    shape = reader.finish_digest()
    fields = [_member(reader) for _ in range(reader.read_number(2))]
    methods = [_member(reader) for _ in range(reader.read_number(2))]
    attributes = reader.position
    reader.ignored_annotations = COMPILER_ANNOTATIONS
    digest_attributes(reader, _SEPARATE)
    shape += reader.finish_digest()
    reader.position, reader.ignored_annotations = attributes, ()
    digest_attributes(reader)
    if reader.position != len(file.data):
        raise MalformedError("the file has trailing bytes")
    own = (digest for _, _, digest in (*fields, *methods))
    whole = "".join((shape, str(len(fields)), *own, reader.finish_digest()))
    return MemberDigests(
        shape,
        tuple(digest for _, access, digest in fields if not access & STATIC),
        {sign: digest for sign, access, digest in fields if access & STATIC},
        tuple(sign for sign, _, _ in fields),
        {sign: digest for sign, _, digest in methods},
        hashlib.sha256(whole.encode()).hexdigest(),
    )


def _member(reader: Digester) -> tuple[Signature, int, str]:
    """Read a field or method; return its signature, its flags and its digest."""
    access, name, descriptor = reader.digest_number(2), reader.read_number(2), reader.read_number(2)
    reader.digest_constant(name)
    reader.digest_constant(descriptor)
    digest_attributes(reader)
    pool = reader.file.pool
    return (pool.utf8(name), pool.utf8(descriptor)), access, reader.finish_digest()


_U2 = struct.Struct(">H").unpack_from
_LINES = b"LineNumberTable"
_LOCALS = b"LocalVariableTable"


@dataclass(frozen=True)
class ClassChange:
    """The differences of a class between base and head.

    Parameters
    ----------
    incomparable : str
        Reason why members are not compared, such as "only head has"; empty if they are compared.
    supertypes : bool
        Whether superclass, interfaces or flags differ.
    shape : bool
        Whether instance fields, the order of constructors, or anything except fields and methods
        differs.
    static_fields : frozenset of str
        Names of static fields that differ, or that only one side has.
    field_order : bool
        Whether the order of fields differs.
    methods : frozenset of Signature
        Methods that differ, or that only one side has.
    one_sided : frozenset of Signature
        Methods that only one side has.
    line_numbers : frozenset of Signature
        Methods whose lines in stack traces differ.
    any_member : bool
        Whether anything except debug information differs.
    """

    incomparable: str = ""
    supertypes: bool = False
    shape: bool = False
    static_fields: frozenset[str] = frozenset()
    field_order: bool = False
    methods: frozenset[Signature] = frozenset()
    one_sided: frozenset[Signature] = frozenset()
    line_numbers: frozenset[Signature] = frozenset()
    any_member: bool = True


NO_CHANGE = ClassChange(any_member=False)


def compare_class(base: Variants, head: Variants) -> ClassChange:
    """Compare the files of a class in base and head, which differ."""
    if not base or not head:
        return ClassChange(f"only {'head' if head else 'base'} has")
    if len(base) > 1 or len(head) > 1:
        return ClassChange("differs for some release of Java or in one of several jars")
    if base[0][0] != head[0][0]:
        return ClassChange("is in a different place in head")
    contents = base[0][1], head[0][1]
    try:
        one, other = map(ClassFile, contents)
        return _between(digest_members(one), digest_members(other), one, other)
    except (MalformedError, struct.error):
        return ClassChange("differs and contains unknown data")


def _between(
    base: MemberDigests, head: MemberDigests, one: ClassFile, other: ClassFile
) -> ClassChange:
    both = base.methods.keys() & head.methods
    methods = _differing_members(base.methods, head.methods)
    # Exception messages contain names of local variables (JEP 358, helpful NullPointerExceptions).
    methods |= _differing_methods(_local_variables, one, other)
    return ClassChange(
        supertypes=(one.access, one.parents) != (other.access, other.parents),
        shape=(base.shape, base.fields) != (head.shape, head.fields)
        or _constructors(one, other) != _constructors(other, one),
        static_fields=frozenset(
            name for name, _ in _differing_members(base.static_fields, head.static_fields)
        ),
        field_order=base.field_order != head.field_order,
        methods=frozenset(methods),
        one_sided=frozenset(base.methods.keys() ^ head.methods.keys()),
        line_numbers=frozenset(both)
        if one.source_file != other.source_file
        else _differing_methods(_line_numbers, one, other),
        any_member=base.whole != head.whole,
    )


def _differing_members(
    base: Mapping[Signature, str], head: Mapping[Signature, str]
) -> set[Signature]:
    """Return the members that differ, or that only one side has."""
    return {s for s in base.keys() | head if base.get(s) != head.get(s)}


def _constructors(file: ClassFile, other: ClassFile) -> list[Signature]:
    """Return the constructors that both versions of a class have, in the order of the first."""
    return [s for s in file.methods if s[0] == "<init>" and s in other.methods]


def _differing_methods(
    part: Callable[[ClassFile, MethodCode], object], base: ClassFile, head: ClassFile
) -> frozenset[Signature]:
    """Return the methods of both sides in which a part differs."""
    shared = base.methods.keys() & head.methods.keys()
    return frozenset(
        s for s in shared if part(base, base.methods[s]) != part(head, head.methods[s])
    )


def _line_numbers(file: ClassFile, method: MethodCode) -> list[bytes]:
    """Return the line number tables of a method, which contain no constants."""
    return [file.data[at:end] for name, at, end in _code_attributes(file, method) if name == _LINES]


def _local_variables(file: ClassFile, method: MethodCode) -> list[tuple[str, ...]]:
    """Return range, slot and name of the local variables of a method."""
    found = []
    for name, at, _ in _code_attributes(file, method):
        if name == _LOCALS:
            for number in range(_U2(file.data, at)[0]):
                start = at + 2 + 10 * number
                begin, size, text, _, slot = (_U2(file.data, start + 2 * i)[0] for i in range(5))
                found.append((f"{begin} {size} {slot}", file.pool.utf8(text)))
    return sorted(found)


def _code_attributes(file: ClassFile, method: MethodCode) -> list[tuple[bytes, int, int]]:
    if not method.start:
        return []
    at = method.start + 8 + len(bytecode_of(file.data, method))
    at += 2 + 8 * _U2(file.data, at)[0]
    return list(file.attributes(at))
