"""Readers of a class file, piece by piece, and the digest of what counts in it."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable

from steady.harness.jmh.samecode.constant_pool import ConstantPool, MalformedError

_REFERENCES = {
    **dict.fromkeys((7, 8, 16, 19, 20), "H"),  # class, string, method type, module, package
    **dict.fromkeys((9, 10, 11, 12), "HH"),  # field, method, interface method, name and type
    15: "BH",  # method handle
    **dict.fromkeys((17, 18), "hH"),  # dynamic, invokedynamic: the first is not in the pool
}

_NONE = bytes(32)
"""What counts where a place is 0. No constant refers to it."""

_DEEPEST = 8
"""Constants refer to constants, at most five deep in any class that a JVM takes."""


class Digester:
    """Computes the digest of what it reads, in which a constant counts by its content.

    Its place in the pool, and other constants there, do not count; the version of the format does.

    Parameters
    ----------
    content : bytes
        The file.
    pool : ConstantPool
        Its constants, behind which it begins to read.
    """

    def __init__(self, content: bytes, pool: ConstantPool) -> None:
        self._content = content
        self.position = pool.end
        """How many bytes are read."""
        self._pool = pool
        self._meanings: dict[int, bytes] = {}
        self._digest = hashlib.sha256()
        self.have_count(content[4:8])

    @property
    def at_end(self) -> bool:
        """Whether all is read."""
        return self.position == len(self._content)

    def take(self, count: int) -> bytes:
        """Read a number of bytes.

        Raises
        ------
        MalformedError
            If fewer bytes are left, or fewer than none are asked for.
        """
        end = self.position + count
        if not self.position <= end <= len(self._content):
            raise MalformedError("it ends too early")
        taken = self._content[self.position : end]
        self.position = end
        return taken

    def number(self, size: int) -> int:
        """Read an unsigned number that takes this many bytes."""
        return int.from_bytes(self.take(size), "big")

    def ahead(self, skipped: int = 0) -> int:
        """Return the number of two bytes that follows, after some others, without reading it."""
        start = self.position + skipped
        return int.from_bytes(self._content[start : start + 2], "big")

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

    def text(self, place: int) -> bytes:
        """Return the text at a place of the pool."""
        return self._pool.raw(place)

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
        if depth > _DEEPEST:
            raise MalformedError("constants refer to constants without an end")
        tag, content = self._pool.content(place)
        form = _REFERENCES.get(tag)
        digest = hashlib.sha256(bytes([tag]) + (b"" if form else content))
        for kind, number in self.parts(tag, content) if form else ():
            # A big H is a place of the pool; other numbers count as they are.
            part = self._meaning(number, depth + 1) if kind == "H" else struct.pack(">h", number)
            digest.update(part)
        self._meanings[place] = digest.digest()
        return self._meanings[place]

    def parts(self, tag: int, content: bytes) -> Iterable[tuple[str, int]]:
        """Return the numbers of a reference, each with its form: ``H`` is a place of the pool."""
        form = _REFERENCES[tag]
        return zip(form, struct.unpack(f">{form}", content), strict=True)
