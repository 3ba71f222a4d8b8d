"""The methods of a class file, apart from the rest of the class.

Source: The Java Virtual Machine Specification, Java SE 21 edition, chapter 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from steady.harness.jmh.samecode.class_attributes import DEBUG_ATTRIBUTES, digest_attributes
from steady.harness.jmh.samecode.class_reader import (
    Constant,
    Digester,
    MalformedError,
)

Signature = tuple[str, str]
"""The name and the descriptor of a method."""

_CLASS = 7
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
    """

    shape: str
    fields: str
    methods: Mapping[Signature, str]


def read_members(content: bytes) -> Members | None:
    """Read a class file.

    Returns
    -------
    Members or None
        None if it is not a class file, or holds something that is not known here.
    """
    try:
        return _members(_MemberReader(content))
    except (MalformedError, RecursionError):
        return None


class _MemberReader(Digester):
    """Lets a dynamic constant count by how it is made."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        start = self._position
        self._makers, self._inner = _lists(self)
        self._position = start

    def parts(self, constant: Constant) -> Iterable[tuple[str, int]]:
        if constant.tag not in _DYNAMIC:
            return super().parts(constant)
        maker, name_and_type = constant.numbers
        if not 0 <= maker < len(self._makers):
            raise MalformedError("nothing makes a constant that is made when it is needed")
        return [("H", place) for place in (*self._makers[maker], name_and_type)]

    def count_as_inner(self, own: int) -> None:
        """Let what the class says about itself in its list of inner classes count."""
        for outer, simple, flags in self._inner.get(self._own_name(own), ()):
            self.count_constant(outer)
            self.count_constant(simple)
            self.count(flags)

    def _own_name(self, place: int) -> bytes:
        return self.text(self.constant(place, _CLASS).numbers[0])

    def word(self, place: int) -> str:
        """Return a text."""
        return self.text(place).decode("utf-8", "surrogateescape")


_Makers = list[tuple[int, ...]]
_Inner = dict[bytes, list[tuple[int, int, int]]]


def _lists(file: Digester) -> tuple[_Makers, _Inner]:
    """Return two lists at the end of a class file.

    Returns
    -------
    list of tuple of int
        For each bootstrap method its place, and those of what it is given.
    dict of bytes to list of (int, int, int)
        For each inner class: the places of its outer class and of its name, and its flags.
    """
    file.take(6)
    file.take(2 * file.number(2))
    for _ in range(2):
        for _ in range(file.number(2)):
            file.take(6)
            for _ in _skipped_attributes(file):
                pass
    makers: _Makers = []
    inner: _Inner = {}
    for kind in _skipped_attributes(file):
        if kind == _BOOTSTRAP:
            for _ in range(file.number(2)):
                method = file.number(2)
                makers.append((method, *(file.number(2) for _ in range(file.number(2)))))
        elif kind == _INNER:
            for _ in range(file.number(2)):
                place, outer, simple, flags = (file.number(2) for _ in range(4))
                name = file.text(file.constant(place, _CLASS).numbers[0])
                inner.setdefault(name, []).append((outer, simple, flags))
    return makers, inner


def _skipped_attributes(file: Digester) -> Iterator[bytes]:
    """Yield the name of each attribute, and go to its end afterwards."""
    for _ in range(file.number(2)):
        name = file.text(file.number(2))
        length = file.number(4)
        end = file.position + length
        yield name
        file.take(end - file.position)


def _members(file: _MemberReader) -> Members:
    file.counted(2)  # access
    file.count_as_inner(file.ahead())
    file.constants(2)
    file.listed_constants()
    shape = file.digest_anew()
    for _ in range(file.counted(2)):  # fields
        file.counted(2)
        file.constants(2)
        digest_attributes(file)
    fields = file.digest_anew()
    methods = dict(_method(file) for _ in range(file.number(2)))
    digest_attributes(file, _APART)
    if not file.at_end:
        raise MalformedError("something follows it")
    return Members(shape + file.digest, fields, methods)


def _method(file: _MemberReader) -> tuple[Signature, str]:
    file.counted(2)  # access
    signature = file.word(file.ahead()), file.word(file.ahead(2))
    file.constants(2)
    digest_attributes(file)
    return signature, file.digest_anew()
