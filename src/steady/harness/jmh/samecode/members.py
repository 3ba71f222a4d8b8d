"""The methods of a class file, each with what it names, apart from the rest of the class.

Source: The Java Virtual Machine Specification, Java SE 21 edition, chapter 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from steady.harness.jmh.samecode.class_attributes import DEBUG_ATTRIBUTES, digest_attributes
from steady.harness.jmh.samecode.class_reader import (
    Constant,
    Digester,
    MalformedError,
)

PRIVATE, STATIC, NATIVE, ABSTRACT = 0x0002, 0x0008, 0x0100, 0x0400

Signature = tuple[str, str]
"""The name and the descriptor of a method."""

_CLASS, _HANDLE, _DYNAMIC = 7, 15, (17, 18)
_METHODS = (10, 11)
_NAME_AND_TYPE = 12

_BOOTSTRAP, _INNER, _NEST = b"BootstrapMethods", b"InnerClasses", b"NestMembers"
_APART = DEBUG_ATTRIBUTES | {_BOOTSTRAP, _INNER, _NEST}
"""Attributes that count if a method refers to them, and lists of other classes within this one."""


@dataclass(frozen=True, slots=True)
class Call:
    """A method that a constant names, to call it or to hand it on."""

    owner: str
    signature: Signature


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a class.

    Parameters
    ----------
    access : int
        Its flags.
    digest : str
        Of all that it is: flags, instructions, annotations; not what only debuggers read.
    calls : frozenset of Call
        The methods that it names.
    classes : frozenset of str
        The classes that it names, as in ``java/lang/String``.
    """

    access: int
    digest: str
    calls: frozenset[Call] = field(compare=False)
    classes: frozenset[str] = field(compare=False)


TouchedMethods = Mapping[Signature, tuple[Method | None, Method | None]]
"""Methods that differ, each as it is in base and in head."""


@dataclass(frozen=True, slots=True)
class Members:
    """A class, with its methods apart.

    Parameters
    ----------
    parents : tuple of str
        Its superclass and its interfaces.
    shape : str
        The digest of everything except its methods and fields: its parents, annotations. The list
        of classes within it does not count.
    fields : str
        The digest of its fields in their order.
    methods : mapping of Signature to Method
        Its methods.
    """

    parents: tuple[str, ...]
    shape: str
    fields: str
    methods: Mapping[Signature, Method]

    def touched(self, other: Members, *, fields: bool = True) -> TouchedMethods | None:
        """Return the methods that differ, or that only one has; None if more than these differ.

        Parameters
        ----------
        other : Members
            The same class of another version.
        fields : bool
            Whether fields count.
        """
        if self.shape != other.shape or (fields and self.fields != other.fields):
            return None
        signatures = sorted({*self.methods, *other.methods})
        pairs = {s: (self.methods.get(s), other.methods.get(s)) for s in signatures}
        return {signature: pair for signature, pair in pairs.items() if pair[0] != pair[1]}


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
    """Records which constants have counted; a dynamic one counts by how it is made."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self._places: set[int] = set()
        start = self._position
        self._makers, self._inner = _lists(self)
        self._position = start

    def count_constant(self, place: int) -> None:
        super().count_constant(place)
        if place:
            self._places.add(place)

    def parts(self, constant: Constant) -> Iterable[tuple[str, int]]:
        if constant.tag not in _DYNAMIC:
            return super().parts(constant)
        maker, name_and_type = constant.numbers
        if not 0 <= maker < len(self._makers):
            raise MalformedError("nothing makes a constant that is made when it is needed")
        return [("H", place) for place in (*self._makers[maker], name_and_type)]

    def names_anew(self) -> tuple[frozenset[Call], frozenset[str]]:
        """Return the methods and the classes that were named, and begin another list."""
        places, self._places = self._places, set()
        known, left = set(places), list(places)
        calls, classes = set[Call](), set[str]()
        while left:
            constant = self._pool.get(left.pop())
            if constant is None:
                raise MalformedError("a constant is not in its pool")
            if constant.tag in _METHODS:
                calls.add(self._call(constant))
            elif constant.tag == _CLASS:
                classes.add(_element(self.word(constant.numbers[0])))
            further = {number for form, number in self.parts(constant) if form == "H"} - known
            known |= further
            left += further
        return frozenset(calls), frozenset(classes)

    def _call(self, constant: Constant) -> Call:
        owner, pair = constant.numbers
        name, descriptor = self.constant(pair, _NAME_AND_TYPE).numbers
        return Call(self.class_at(owner), (self.word(name), self.word(descriptor)))

    def count_as_inner(self, own: int) -> None:
        """Let what the class says about itself in its list of inner classes count."""
        self.count(*map(int, self._inner.get(own, ())))

    def class_at(self, place: int) -> str:
        """Return the name of a class; of an array, that of its elements."""
        return _element(self.word(self.constant(place, _CLASS).numbers[0]))

    def word(self, place: int) -> str:
        """Return a text."""
        return self.text(place).decode("utf-8", "surrogateescape")


_Makers = list[tuple[int, ...]]
_Inner = dict[int, tuple[bool, bool, int]]


def _lists(file: Digester) -> tuple[_Makers, _Inner]:
    """Return two lists at the end of a class file.

    Returns
    -------
    list of tuple of int
        For each bootstrap method its place, and those of what it is given.
    dict of int to (bool, bool, int)
        For each place of an inner class: whether it has an outer class and a name, and its flags.
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
    for name in _skipped_attributes(file):
        if name == _BOOTSTRAP:
            for _ in range(file.number(2)):
                method = file.number(2)
                makers.append((method, *(file.number(2) for _ in range(file.number(2)))))
        elif name == _INNER:
            for _ in range(file.number(2)):
                place, outer, simple, flags = (file.number(2) for _ in range(4))
                inner[place] = bool(outer), bool(simple), flags
    return makers, inner


def _skipped_attributes(file: Digester) -> Iterator[bytes]:
    """Yield the name of each attribute, and go to its end afterwards."""
    for _ in range(file.number(2)):
        name = file.text(file.number(2))
        length = file.number(4)
        end = file.position + length
        yield name
        file.take(end - file.position)


def _element(name: str) -> str:
    return name.lstrip("[")[1:-1] if name.startswith("[") and name.endswith(";") else name


def _members(file: _MemberReader) -> Members:
    file.counted(2)  # access
    file.count_as_inner(file.ahead())
    own = file.class_at(file.ahead())
    file.constants(2)
    file.listed_constants()
    parents = file.names_anew()[1] - {own}
    shape = file.digest_anew()
    for _ in range(file.counted(2)):  # fields
        file.counted(2)
        file.constants(2)
        digest_attributes(file)
    fields = file.digest_anew()
    file.names_anew()
    methods = dict(_method(file) for _ in range(file.number(2)))
    digest_attributes(file, _APART)
    if not file.at_end:
        raise MalformedError("something follows it")
    return Members(tuple(sorted(parents)), shape + file.digest, fields, methods)


def _method(file: _MemberReader) -> tuple[Signature, Method]:
    access = file.counted(2)
    signature = file.word(file.ahead()), file.word(file.ahead(2))
    file.constants(2)
    digest_attributes(file)
    return signature, Method(access, file.digest_anew(), *file.names_anew())
