"""Whether addresses in two Go binaries refer to the same function, variable or constant.

A variable has a symbol of its own and is compared as a whole. The linker drops the symbols of
strings and of the data behind tables and slices, so such an object is taken to end at the next
referenced address. Pointer targets are compared too, except types and the standard library's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from steady.harness.go.samecode.functions import Bits, Functions
from steady.programs.elf import Addresses

_WORD = 8
_TEXT, _CONSTANTS = ".text", ".rodata"
_COMPARED = frozenset(
    {_TEXT, _CONSTANTS, ".noptrdata", ".data", ".data.rel.ro", ".bss", ".noptrbss"}
)
_FIRST_STRING = "go:string.*"
_FLOAT, _OF_TYPES = "$f", "..dict."

Pair = tuple[int, int]
"""An address of base, and one of head."""


class _Object(NamedTuple):
    """The object at an address; all fields are empty if it is not compared."""

    name: str = ""
    offset: int = 0
    content: bytes = b""


class ReferenceComparison:
    """The comparison of addresses of two binaries.

    Parameters
    ----------
    base, head : Functions
        The two binaries.
    is_own : callable
        Returns whether a symbol is outside of Go's library.
    """

    def __init__(self, base: Functions, head: Functions, is_own: Callable[[str], bool]) -> None:
        self._sides = _Side(base, is_own), _Side(head, is_own)
        self._same = set[Pair]()

    def differ(self, base: int, head: int) -> bool:
        """Return whether an address of base and one of head refer to different objects."""
        seen, pending = {(base, head)}, [(base, head)]
        while pending:
            targets = self._pointer_targets(*pending.pop())
            if targets is None:
                return True
            new = targets - seen - self._same
            seen |= new
            pending += new
        self._same |= seen
        return False

    def _pointer_targets(self, base: int, head: int) -> set[Pair] | None:
        """Return the pairs of pointer targets in two objects, or None if the objects differ."""
        if (base, head) in self._same:
            return set()
        ours, theirs = (s.at(one) for s, one in zip(self._sides, (base, head), strict=True))
        is_named = ours.name or theirs.name
        if ours[:2] != theirs[:2] or (is_named and len(ours.content) != len(theirs.content)):
            return None
        size = min(len(ours.content), len(theirs.content))
        whole = 0 if base % _WORD or head % _WORD else size // _WORD
        if ours.content[whole * _WORD : size] != theirs.content[whole * _WORD : size]:
            return None
        words = [np.frombuffer(one.content, "<i8", whole) for one in (ours, theirs)]
        pointers = self._sides[0].are_addresses(words[0]) & self._sides[1].are_addresses(words[1])
        if (words[0] != words[1])[~pointers].any():
            return None
        return set(zip(*(own[pointers].tolist() for own in words), strict=True))

    def variable_at(self, head: int) -> str:
        """Return the variable of head at an address; empty if there is none."""
        found = self._sides[1].at(head)
        return found.name if found.content and not found.name.startswith(_FLOAT) else ""


class _Side:
    """The objects of one binary, by address."""

    def __init__(self, functions: Functions, is_own: Callable[[str], bool]) -> None:
        self._functions, self._is_own = functions, is_own
        elf = functions.elf
        self._starts, self._sizes, self._names = elf.objects()
        parts = [(n, s) for n, s in elf.sections.items() if s.loaded and s.address]
        self._sections = sorted(parts, key=lambda part: part[1].address)
        self._begins = np.array([part.address for _, part in self._sections])
        strings = elf.address_of(_FIRST_STRING)
        self._first_string = 0 if strings is None else strings
        self._ends = np.unique(np.concatenate([*self._boundaries()]))

    def _boundaries(self) -> Iterator[Addresses]:
        """Yield where objects begin, and where sections end.

        In constants, addresses from which code only loads are included too, as for short strings.
        """
        functions = self._functions
        yield np.array([part.address + part.size for _, part in self._sections])
        yield self._starts
        yield functions.targets[functions.address_operands]
        read = functions.targets[functions.data_operands]
        constants = functions.elf.sections[_CONSTANTS]
        end = constants.address + constants.size
        yield read[(read >= self._first_string) & (read < end)]
        for words in functions.data_words.values():
            yield words[self.are_addresses(words)]

    def are_addresses(self, addresses: Addresses) -> Bits:
        """Return which numbers may be addresses of loaded sections."""
        last = self._sections[-1][1]
        found: Bits = (addresses >= self._begins[0]) & (addresses < last.address + last.size)
        return found

    def at(self, address: int) -> _Object:
        """Return the object at an address."""
        place = int(np.searchsorted(self._begins, address, side="right")) - 1
        section, part = self._sections[place]
        if section not in _COMPARED:
            return _Object()
        if section == _TEXT:
            begins, which = self._functions.function_at(np.array([address]))
            return _Object(self._functions.names[int(which[0])] if begins[0] else "")
        number = int(np.searchsorted(self._starts, address, side="right")) - 1
        offset = address - int(self._starts[number])
        begin = address - part.address
        if number >= 0 and offset < self._sizes[number]:
            name, end = self._names[number], begin - offset + int(self._sizes[number])
            if not (name.startswith(_FLOAT) or self._is_own(name)) or _OF_TYPES in name:
                return _Object()
            return _Object(name, offset, part.content[begin:end])
        if section == _CONSTANTS and address < self._first_string:
            return _Object()
        end = int(self._ends[np.searchsorted(self._ends, address, side="right")]) - part.address
        return _Object("", 0, part.content[begin:end])
