"""Readers of a class file, piece by piece: its texts, and the digest of what counts in it."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable
from dataclasses import dataclass

_FIXED = {3: 4, 4: 4, 5: 8, 6: 8}
"""Bytes of numbers: int, float, long, double."""

_REFERENCES = {
    **dict.fromkeys((7, 8, 16, 19, 20), "H"),  # class, string, method type, module, package
    **dict.fromkeys((9, 10, 11, 12), "HH"),  # field, method, interface method, name and type
    15: "BH",  # method handle
    **dict.fromkeys((17, 18), "hH"),  # dynamic, invokedynamic: the first is not in the pool
}
_MAGIC = 0xCAFEBABE
_UTF8 = 1
_WIDE = (5, 6)
"""Long and double take two places in the pool."""

_NONE = bytes(32)
"""What counts where a place is 0. No constant refers to it."""

_DEEPEST = 8
"""Constants refer to constants, at most five deep in any class that a JVM takes."""


class MalformedError(ValueError):
    """It is not a class file, or one of a kind that this module does not know."""


@dataclass(frozen=True, slots=True)
class Constant:
    """An entry of the constant pool.

    Parameters
    ----------
    tag : int
        Its kind, as in table 4.4-A of the JVM's specification.
    content : bytes
        The text, or the bytes of the number; empty for a reference.
    numbers : tuple of int
        What a reference refers to.
    """

    tag: int
    content: bytes = b""
    numbers: tuple[int, ...] = ()


class Reader:
    """A position in a class file.

    Parameters
    ----------
    content : bytes
        The file.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._position = 0

    @property
    def position(self) -> int:
        """How many bytes are read."""
        return self._position

    @property
    def at_end(self) -> bool:
        """Whether all is read."""
        return self._position == len(self._content)

    def take(self, count: int) -> bytes:
        """Read a number of bytes.

        Raises
        ------
        MalformedError
            If fewer bytes are left, or fewer than none are asked for.
        """
        end = self._position + count
        if not self._position <= end <= len(self._content):
            raise MalformedError("it ends too early")
        taken = self._content[self._position : end]
        self._position = end
        return taken

    def number(self, size: int) -> int:
        """Read an unsigned number that takes this many bytes."""
        return int.from_bytes(self.take(size), "big")

    def ahead(self, skipped: int = 0) -> int:
        """Return the number of two bytes that follows, after some others, without reading it."""
        start = self._position + skipped
        return int.from_bytes(self._content[start : start + 2], "big")


def _read_start(reader: Reader) -> tuple[bytes, dict[int, Constant]]:
    """Return the version of a class file's format, and its constant pool."""
    if reader.number(4) != _MAGIC:
        raise MalformedError("it is not a class file")
    return reader.take(4), _read_pool(reader)


def _read_pool(reader: Reader) -> dict[int, Constant]:
    """Read the constant pool, by the places of its entries."""
    count = reader.number(2)
    pool: dict[int, Constant] = {}
    place = 1
    while place < count:
        tag = reader.number(1)
        if tag == _UTF8:
            pool[place] = Constant(tag, reader.take(reader.number(2)))
        elif tag in _FIXED:
            pool[place] = Constant(tag, reader.take(_FIXED[tag]))
        elif tag in _REFERENCES:
            form = f">{_REFERENCES[tag]}"
            numbers = struct.unpack(form, reader.take(struct.calcsize(form)))
            pool[place] = Constant(tag, numbers=numbers)
        else:
            raise MalformedError(f"it holds a constant of kind {tag}")
        place += 2 if tag in _WIDE else 1
    return pool


class Digester(Reader):
    """Computes the digest of what it reads, in which a constant counts by its content.

    Its place in the pool, and other constants there, do not count.

    Parameters
    ----------
    content : bytes
        The file.

    Raises
    ------
    MalformedError
        If it does not begin like a class file. Its version counts.
    """

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        version, self._pool = _read_start(self)
        self._meanings: dict[int, bytes] = {}
        self._digest = hashlib.sha256()
        self.have_count(version)

    @property
    def digest(self) -> str:
        """The digest of all that has counted, in hexadecimal digits."""
        return self._digest.hexdigest()

    def count(self, *numbers: int) -> None:
        """Let numbers count."""
        self._digest.update(struct.pack(f">{len(numbers)}q", *numbers))

    def counted(self, size: int) -> int:
        """Read a number that counts."""
        return int.from_bytes(self.bytes_counted(size), "big")

    def bytes_counted(self, count: int) -> bytes:
        """Read bytes that count."""
        taken = self.take(count)
        self._digest.update(taken)
        return taken

    def constants(self, count: int = 1, size: int = 2) -> None:
        """Read the places of constants, which count by the constants there; 0 is none."""
        for _ in range(count):
            self.count_constant(self.number(size))

    def count_constant(self, place: int) -> None:
        """Let the constant at a place count."""
        self._digest.update(self._meaning(place) if place else _NONE)

    def listed_constants(self) -> None:
        """Read a list of the places of constants."""
        self.constants(self.counted(2))

    def constant(self, place: int, *tags: int) -> Constant:
        """Return the constant at a place in the pool, which must be of one of these kinds."""
        constant = self._pool.get(place)
        if constant is None or constant.tag not in tags:
            raise MalformedError("a constant is not of the kind that belongs there")
        return constant

    def text(self, place: int) -> bytes:
        """Return the text at a place of the pool."""
        return self.constant(place, _UTF8).content

    def digest_anew(self) -> str:
        """Return the digest of what has counted, and begin another one."""
        digest, self._digest = self.digest, hashlib.sha256()
        return digest

    def have_count(self, text: bytes) -> None:
        """Let a text count."""
        self._digest.update(hashlib.sha256(text).digest())

    def _meaning(self, place: int, depth: int = 0) -> bytes:
        """Return the digest of a constant and of all that it refers to."""
        known = self._meanings.get(place)
        if known is not None:
            return known
        constant = self._pool.get(place)
        if constant is None or depth > _DEEPEST:
            raise MalformedError("a constant is not in its pool")
        digest = hashlib.sha256(bytes([constant.tag]) + constant.content)
        for kind, number in self.parts(constant):
            # A big H is a place of the pool; other numbers count as they are.
            part = self._meaning(number, depth + 1) if kind == "H" else struct.pack(">h", number)
            digest.update(part)
        self._meanings[place] = digest.digest()
        return self._meanings[place]

    def parts(self, constant: Constant) -> Iterable[tuple[str, int]]:
        """Return the numbers of a constant, each with its form: ``H`` is a place of the pool."""
        return zip(_REFERENCES.get(constant.tag, ""), constant.numbers, strict=True)
