"""Whether two Go binaries name the same, wherever it lies in each: functions, variables, constants.

A variable has a symbol of its own and is compared whole. The linker drops the symbols of strings
and of what a table or a slice begins with, so those end where the next thing begins that anybody
names. What pointers lead to is compared, too, but for types and what belongs to Go's library.
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

Places = tuple[int, int]


class _Thing(NamedTuple):
    """What an address names; of nothing that counts, all is empty."""

    name: str = ""
    offset: int = 0
    content: bytes = b""


class SamePlaces:
    """The places of two binaries.

    Parameters
    ----------
    base, head : Functions
        The two binaries.
    is_own : callable
        Tells whether a symbol does not belong to Go's library.
    """

    def __init__(self, base: Functions, head: Functions, is_own: Callable[[str], bool]) -> None:
        self._sides = _Side(base, is_own), _Side(head, is_own)
        self._same = set[Places]()

    def differ(self, base: int, head: int) -> bool:
        """Tell whether something else lies at an address of base than at one of head."""
        seen, left = {(base, head)}, [(base, head)]
        while left:
            led_to = self._led_to(*left.pop())
            if led_to is None:
                return True
            new = led_to - seen - self._same
            seen |= new
            left += new
        self._same |= seen
        return False

    def _led_to(self, base: int, head: int) -> set[Places] | None:
        """Return the places to which pointers lead from two; None if they differ."""
        if (base, head) in self._same:
            return set()
        ours, theirs = (s.at(one) for s, one in zip(self._sides, (base, head), strict=True))
        named = ours.name or theirs.name
        if ours[:2] != theirs[:2] or (named and len(ours.content) != len(theirs.content)):
            return None
        size = min(len(ours.content), len(theirs.content))
        whole = 0 if base % _WORD or head % _WORD else size // _WORD
        if ours.content[whole * _WORD : size] != theirs.content[whole * _WORD : size]:
            return None
        words = [np.frombuffer(one.content, "<i8", whole) for one in (ours, theirs)]
        pointers = self._sides[0].holds(words[0]) & self._sides[1].holds(words[1])
        if (words[0] != words[1])[~pointers].any():
            return None
        return set(zip(*(own[pointers].tolist() for own in words), strict=True))

    def name_of(self, head: int) -> str:
        """Return the variable of head that lies at an address; empty if none does."""
        thing = self._sides[1].at(head)
        return thing.name if thing.content and not thing.name.startswith(_FLOAT) else ""


class _Side:
    """One binary, by addresses."""

    def __init__(self, functions: Functions, is_own: Callable[[str], bool]) -> None:
        self._functions, self._is_own = functions, is_own
        elf = functions.elf
        self._starts, self._sizes, self._names = elf.objects()
        parts = [(n, s) for n, s in elf.sections.items() if s.loaded and s.address]
        self._sections = sorted(parts, key=lambda part: part[1].address)
        self._begins = np.array([part.address for _, part in self._sections])
        strings = elf.address_of(_FIRST_STRING)
        self._first_string = 0 if strings is None else strings
        self._ends = np.unique(np.concatenate([*self._named()]))

    def _named(self) -> Iterator[Addresses]:
        """Yield where things begin, and where sections end.

        Of constants, also what code only reads from: short strings are copied so.
        """
        functions = self._functions
        yield np.array([part.address + part.size for _, part in self._sections])
        yield self._starts
        yield functions.targets[functions.takes_address]
        read = functions.targets[functions.of_data]
        constants = functions.elf.sections[_CONSTANTS]
        end = constants.address + constants.size
        yield read[(read >= self._first_string) & (read < end)]
        for words in functions.words.values():
            yield words[self.holds(words)]

    def holds(self, addresses: Addresses) -> Bits:
        """Tell which numbers may be addresses of what is loaded."""
        last = self._sections[-1][1]
        found: Bits = (addresses >= self._begins[0]) & (addresses < last.address + last.size)
        return found

    def at(self, address: int) -> _Thing:
        """Return what an address names."""
        place = int(np.searchsorted(self._begins, address, side="right")) - 1
        section, part = self._sections[place]
        if section not in _COMPARED:
            return _Thing()
        if section == _TEXT:
            begins, which = self._functions.which(np.array([address]))
            return _Thing(self._functions.names[int(which[0])] if begins[0] else "")
        number = int(np.searchsorted(self._starts, address, side="right")) - 1
        offset = address - int(self._starts[number])
        begin = address - part.address
        if number >= 0 and offset < self._sizes[number]:
            name, end = self._names[number], begin - offset + int(self._sizes[number])
            if not (name.startswith(_FLOAT) or self._is_own(name)) or _OF_TYPES in name:
                return _Thing()
            return _Thing(name, offset, part.content[begin:end])
        if section == _CONSTANTS and address < self._first_string:
            return _Thing()
        end = int(self._ends[np.searchsorted(self._ends, address, side="right")]) - part.address
        return _Thing("", 0, part.content[begin:end])
