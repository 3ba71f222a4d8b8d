"""The constant pool of a class file; Utf8 constants are decoded lazily.

Source: The Java Virtual Machine Specification, Java SE 21 edition, section 4.4.
"""

import struct
from collections.abc import Iterator
from struct import Struct

UTF8, CLASS, STRING, METHOD_HANDLE, METHOD_TYPE, NAME_AND_TYPE = 1, 7, 8, 15, 16, 12
FIELD, METHOD, INTERFACE_METHOD, DYNAMIC, INVOKE_DYNAMIC = 9, 10, 11, 17, 18

_U2 = Struct(">H").unpack_from
_U2_U2 = Struct(">HH").unpack_from
_WIDTHS = {
    **dict.fromkeys((3, 4, FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE, 17, 18), 4),
    **dict.fromkeys((5, 6), 8),
    **dict.fromkeys((CLASS, STRING, METHOD_TYPE, 19, 20), 2),
    METHOD_HANDLE: 3,
}
_HEADER = 10

Member = tuple[str, str, str]
"""Owner, name and descriptor of a field or method."""


class MalformedError(ValueError):
    """Raised if a file is not a class file, or has an unsupported version."""


class ConstantPool:
    """The constants of one class file, by their indices.

    Parameters
    ----------
    data : bytes
        Content of the file.

    Raises
    ------
    MalformedError
        If it is not a class file, or contains a constant of an unknown kind.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._texts: dict[int, str] = {}
        self._members: dict[int, Member] = {}
        try:
            self._read(data)
        except (IndexError, KeyError, ValueError, OverflowError, struct.error) as error:
            raise MalformedError(f"its pool cannot be read ({error})") from None

    def _read(self, data: bytes) -> None:
        if data[:4] != b"\xca\xfe\xba\xbe":
            raise MalformedError("it is not a class file")
        count = _U2(data, 8)[0]
        tags, starts = bytearray(count), [0] * count
        position, index, widths = _HEADER, 1, _WIDTHS
        while index < count:
            tag = data[position]
            position += 1
            tags[index] = tag
            starts[index] = position
            if tag == UTF8:
                position += 2 + (data[position] << 8 | data[position + 1])
            else:
                position += widths[tag]
            index += 2 if tag in (5, 6) else 1
        if position > len(data):
            raise MalformedError("the constant pool is truncated")
        self.end, self.tags, self._starts = position, bytes(tags), starts

    def utf8_bytes(self, index: int) -> bytes:
        """Return the bytes of a Utf8 constant."""
        start = self._start(index, UTF8)
        return self._data[start + 2 : start + 2 + _U2(self._data, start)[0]]

    def utf8(self, index: int) -> str:
        """Return a Utf8 constant, decoded from modified UTF-8 (section 4.4.7)."""
        known = self._texts.get(index)
        if known is None:
            known = self._texts[index] = decode_modified_utf8(self.utf8_bytes(index))
        return known

    def constant(self, index: int) -> tuple[int, bytes]:
        """Return a constant's tag and bytes; for Utf8, without the length prefix."""
        if not 0 < index < len(self.tags) or not self.tags[index]:
            raise MalformedError("a constant index is out of range")
        tag, start = self.tags[index], self._starts[index]
        if tag == UTF8:
            return tag, self.utf8_bytes(index)
        return tag, self._data[start : start + _WIDTHS[tag]]

    def utf8_of(self, index: int, *tags: int) -> str:
        """Return the Utf8 constant to which a class, string or method type refers."""
        return self.utf8(_U2(self._data, self._start(index, *tags))[0])

    def class_name(self, index: int) -> str:
        """Return the name of a class, or an array's element class (see `element_class`)."""
        return element_class(self.utf8_of(index, CLASS))

    def member(self, index: int) -> Member:
        """Return the field or method to which a constant refers."""
        known = self._members.get(index)
        if known is None:
            owner, pair = _U2_U2(self._data, self._start(index, FIELD, METHOD, INTERFACE_METHOD))
            name = self.class_name(owner) or "java/lang/Object"
            known = self._members[index] = (name, *self.name_and_type(pair))
        return known

    def name_and_type(self, index: int) -> tuple[str, str]:
        """Return the name and descriptor to which a constant refers."""
        name, descriptor = _U2_U2(self._data, self._start(index, NAME_AND_TYPE))
        return self.utf8(name), self.utf8(descriptor)

    def method_handle(self, index: int) -> tuple[int, int]:
        """Return a method handle's kind and the index of its member."""
        start = self._start(index, METHOD_HANDLE)
        return self._data[start], _U2(self._data, start + 1)[0]

    def dynamic(self, index: int) -> tuple[int, str, str]:
        """Return bootstrap method, name and descriptor of a dynamic constant or call."""
        bootstrap, pair = _U2_U2(self._data, self._start(index, DYNAMIC, INVOKE_DYNAMIC))
        return (bootstrap, *self.name_and_type(pair))

    def indices(self, *tags: int) -> Iterator[int]:
        """Yield the indices of constants with one of the given tags."""
        return (index for index, tag in enumerate(self.tags) if tag in tags)

    def _start(self, index: int, *tags: int) -> int:
        if not 0 < index < len(self.tags) or self.tags[index] not in tags:
            raise MalformedError("a constant has the wrong kind")
        return self._starts[index]


def element_class(name: str) -> str:
    """Return the name of a class, or an array's element class; empty for primitive arrays."""
    if not name.startswith("["):
        return name
    inner = name.lstrip("[")
    return inner[1:-1] if inner.startswith("L") else ""


def decode_modified_utf8(raw: bytes) -> str:
    """Decode modified UTF-8, in which NUL has two bytes and surrogates are encoded separately."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        pass
    try:
        units = raw.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
        return units.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeError:
        return raw.decode("utf-8", "surrogateescape")
