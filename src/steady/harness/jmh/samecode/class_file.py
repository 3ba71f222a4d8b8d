"""Parses the parts of a class file that a call graph needs; code is decoded on demand.

Source: The Java Virtual Machine Specification, Java SE 21 edition, sections 4.1 and 4.5 to 4.7.
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from struct import Struct

from steady.harness.jmh.samecode.constant_pool import (
    CLASS,
    UTF8,
    ConstantPool,
    MalformedError,
    element_class,
)

PRIVATE, STATIC, NATIVE = 0x0002, 0x0008, 0x0100
INTERFACE, ABSTRACT = 0x0200, 0x0400

_U2 = Struct(">H").unpack_from
_U4 = Struct(">I").unpack_from
_MEMBER = Struct(">HHHH").unpack_from
_CLASS_TYPE = re.compile(r"L([^;<>():\[.]+)")

Signature = tuple[str, str]
"""Name and descriptor of a method or field."""


@dataclass(frozen=True, slots=True)
class MethodCode:
    """The access flags of a method, and the position of its code.

    Parameters
    ----------
    access : int
        The access flags.
    start, end : int
        Start and end of the attribute ``Code`` in the file; 0 if the method has none.
    """

    access: int
    start: int
    end: int


class ClassFile:
    """A parsed class file.

    Parameters
    ----------
    data : bytes
        Content of the file.

    Raises
    ------
    MalformedError
        If it is not a class file, or violates the specification.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.pool = ConstantPool(data)
        try:
            self._read()
        except struct.error:
            raise MalformedError("the file is truncated") from None

    def _read(self) -> None:
        data, pool = self.data, self.pool
        at = pool.end
        self.access, own, parent, count = _MEMBER(data, at)
        self.name = pool.class_name(own)
        self.parent = pool.class_name(parent) if parent else ""
        at += 8
        self.interfaces = tuple(pool.class_name(_U2(data, at + 2 * i)[0]) for i in range(count))
        at += 2 * count
        fields, at = self._members(at)
        self.fields = tuple((name, text, access) for (name, text), access, _, _ in fields)
        methods, at = self._members(at)
        self.methods = {sign: MethodCode(access, s, e) for sign, access, s, e in methods}
        self._tail = at

    def _members(self, at: int) -> tuple[list[tuple[Signature, int, int, int]], int]:
        data, pool = self.data, self.pool
        found = []
        count = _U2(data, at)[0]
        at += 2
        for _ in range(count):
            access, name, descriptor, _ = _MEMBER(data, at)
            at += 8
            start = end = 0
            for kind, begin, stop in self.attributes(at - 2):
                at = stop
                if kind == b"Code":
                    start, end = begin, stop
            found.append(((pool.utf8(name), pool.utf8(descriptor)), access, start, end))
        return found, at

    @property
    def parents(self) -> tuple[str, ...]:
        """Superclass and interfaces."""
        return ((self.parent,) if self.parent else ()) + self.interfaces

    def attributes(self, at: int) -> Iterator[tuple[bytes, int, int]]:
        """Yield name, start and end of each attribute in the list at a position."""
        count = _U2(self.data, at)[0]
        at += 2
        for _ in range(count):
            kind, size = _U2(self.data, at)[0], _U4(self.data, at + 2)[0]
            yield self.pool.utf8_bytes(kind), at + 6, at + 6 + size
            at += 6 + size

    @cached_property
    def bootstrap_methods(self) -> tuple[tuple[int, ...], ...]:
        """Constant indices of each bootstrap method: its handle, then its arguments."""
        found = []
        for name, at, _ in self.attributes(self._tail):
            if name == b"BootstrapMethods":
                count = _U2(self.data, at)[0]
                at += 2
                for _ in range(count):
                    size = 2 + _U2(self.data, at + 2)[0]
                    numbers = struct.unpack_from(f">{size}H", self.data, at)
                    found.append((numbers[0], *numbers[2:]))
                    at += 2 * size
        return tuple(found)

    @cached_property
    def inner_classes(self) -> tuple[tuple[str, tuple[int, int, int]], ...]:
        """Inner classes, each with the constant indices of outer class and name, and its flags."""
        return tuple(
            (self.pool.class_name(index), (outer, simple, flags))
            for name, at, end in self.attributes(self._tail)
            if name == b"InnerClasses"
            for index, outer, simple, flags in struct.iter_unpack(">4H", self.data[at + 2 : end])
        )

    @cached_property
    def generic_signature(self) -> str:
        """Generic signature with the type arguments of supertypes; empty if there is none."""
        found = (at for name, at, _ in self.attributes(self._tail) if name == b"Signature")
        return "".join(self.pool.utf8(_U2(self.data, at)[0]) for at in found)

    @cached_property
    def source_file(self) -> bytes:
        """Name of the source file, as in stack traces, and the debug extension."""
        names = (b"SourceFile", b"SourceDebugExtension")
        return b"\0".join(
            self.pool.utf8_bytes(_U2(self.data, at)[0]) if name == names[0] else self.data[at:end]
            for name, at, end in self.attributes(self._tail)
            if name in names
        )

    @cached_property
    def class_constants(self) -> frozenset[str]:
        """Classes among the constants: in code, supertypes and attributes."""
        pool = self.pool
        return frozenset(map(pool.class_name, pool.indices(CLASS))) - {""}

    @cached_property
    def mentioned_classes(self) -> frozenset[str]:
        """All names that may be classes, including descriptors, signatures and annotations."""
        texts = (self.pool.utf8(index) for index in self.pool.indices(UTF8))
        found = {name for text in texts for name in _CLASS_TYPE.findall(text)}
        return self.class_constants | found


def classes_in_descriptor(descriptor: str) -> list[str]:
    """Return the classes in the descriptor of a method or a field."""
    return [name for name in map(element_class, _CLASS_TYPE.findall(descriptor)) if name]
