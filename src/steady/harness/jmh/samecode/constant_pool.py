"""The constant pool of a class file, of which texts are read only when they are needed.

Source: The Java Virtual Machine Specification, Java SE 21 edition, section 4.4.
"""

import struct
from collections.abc import Iterator
from struct import Struct

UTF8, CLASS, STRING, HANDLE, METHOD_TYPE, NAME_AND_TYPE = 1, 7, 8, 15, 16, 12
FIELD, METHOD, INTERFACE_METHOD, DYNAMIC, INVOKE_DYNAMIC = 9, 10, 11, 17, 18

_U2 = Struct(">H").unpack_from
_U2_U2 = Struct(">HH").unpack_from
_WIDTHS = {
    **dict.fromkeys((3, 4, FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE, 17, 18), 4),
    **dict.fromkeys((5, 6), 8),
    **dict.fromkeys((CLASS, STRING, METHOD_TYPE, 19, 20), 2),
    HANDLE: 3,
}
_HEADER = 10

Member = tuple[str, str, str]
"""The owner, the name and the descriptor of a field or a method."""


class MalformedError(ValueError):
    """The error of a file that is not a class file, or is of a kind that is not known here."""


class ConstantPool:
    """The pool of one class file.

    Parameters
    ----------
    data : bytes
        The file.

    Raises
    ------
    MalformedError
        If it is not a class file, or holds a constant of an unknown kind.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._texts: dict[int, str] = {}
        self._known: dict[int, Member] = {}
        try:
            self._read(data)
        except (IndexError, KeyError, ValueError, OverflowError, struct.error) as error:
            raise MalformedError(f"its pool cannot be read ({error})") from None

    def _read(self, data: bytes) -> None:
        if data[:4] != b"\xca\xfe\xba\xbe":
            raise MalformedError("it is not a class file")
        count = _U2(data, 8)[0]
        tags, starts = bytearray(count), [0] * count
        position, place, widths = _HEADER, 1, _WIDTHS
        while place < count:
            tag = data[position]
            position += 1
            tags[place] = tag
            starts[place] = position
            if tag == UTF8:
                position += 2 + (data[position] << 8 | data[position + 1])
            else:
                position += widths[tag]
            place += 2 if tag in (5, 6) else 1
        if position > len(data):
            raise MalformedError("its pool ends too early")
        self.end, self.tags, self._starts = position, bytes(tags), starts

    def raw(self, place: int) -> bytes:
        """Return the bytes of a text."""
        start = self._start(place, UTF8)
        return self._data[start + 2 : start + 2 + _U2(self._data, start)[0]]

    def text(self, place: int) -> str:
        """Return a text, which is in the JVM's own form of UTF-8 (section 4.4.7)."""
        known = self._texts.get(place)
        if known is None:
            known = self._texts[place] = plain(self.raw(place))
        return known

    def content(self, place: int) -> tuple[int, bytes]:
        """Return the kind of a constant, and its bytes; of a text those without its length."""
        if not 0 < place < len(self.tags) or not self.tags[place]:
            raise MalformedError("a constant is not in its pool")
        tag, start = self.tags[place], self._starts[place]
        if tag == UTF8:
            return tag, self.raw(place)
        return tag, self._data[start : start + _WIDTHS[tag]]

    def word(self, place: int, *tags: int) -> str:
        """Return the text that a class, a string, or a method type refers to."""
        return self.text(_U2(self._data, self._start(place, *tags))[0])

    def class_name(self, place: int) -> str:
        """Return the name of a class; of an array, that of its elements, empty for numbers."""
        return element_of(self.word(place, CLASS))

    def member(self, place: int) -> Member:
        """Return the field or the method that a constant names."""
        known = self._known.get(place)
        if known is None:
            owner, pair = _U2_U2(self._data, self._start(place, FIELD, METHOD, INTERFACE_METHOD))
            name = self.class_name(owner) or "java/lang/Object"
            known = self._known[place] = (name, *self.pair(pair))
        return known

    def pair(self, place: int) -> tuple[str, str]:
        """Return a name and a descriptor."""
        name, descriptor = _U2_U2(self._data, self._start(place, NAME_AND_TYPE))
        return self.text(name), self.text(descriptor)

    def handle(self, place: int) -> tuple[int, int]:
        """Return the kind of a method handle, and the place of the member."""
        start = self._start(place, HANDLE)
        return self._data[start], _U2(self._data, start + 1)[0]

    def dynamic(self, place: int) -> tuple[int, str, str]:
        """Return the number of what makes a dynamic constant or call, a name and a descriptor."""
        maker, pair = _U2_U2(self._data, self._start(place, DYNAMIC, INVOKE_DYNAMIC))
        return (maker, *self.pair(pair))

    def places(self, *tags: int) -> Iterator[int]:
        """Yield where constants of some kinds are."""
        return (place for place, tag in enumerate(self.tags) if tag in tags)

    def _start(self, place: int, *tags: int) -> int:
        if not 0 < place < len(self.tags) or self.tags[place] not in tags:
            raise MalformedError("a constant is not of the kind that belongs there")
        return self._starts[place]


def element_of(name: str) -> str:
    """Return a class's name, or that of an array's elements; empty if these are numbers."""
    if not name.startswith("["):
        return name
    inner = name.lstrip("[")
    return inner[1:-1] if inner.startswith("L") else ""


def plain(raw: bytes) -> str:
    """Read the JVM's form of UTF-8: a NUL takes two bytes, and other planes two surrogates."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        pass
    try:
        units = raw.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
        return units.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeError:
        return raw.decode("utf-8", "surrogateescape")
