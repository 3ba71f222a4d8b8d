"""The functions that differ between two Go binaries, and the reason for each.

Two functions of the same name are equal if their machine code is equal apart from addresses, and
these addresses refer to equal functions, variables and constants (`ReferenceComparison`). If a
changed ``init`` sets a variable, all functions that reference the variable have changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from steady.harness.go.samecode.functions import Bits, Functions
from steady.programs.elf import Addresses

_INIT = re.compile(r"\.(?:map\.)?init(?:\.\d+)?$")
_OPERAND = 4

Difference = tuple[Sequence[int], str]
"""The positions of the differences in a function's code (none means the whole function), and the
name of the first variable that differs (empty if the difference is in the code or a constant)."""


@dataclass(frozen=True)
class ChangedFunctions:
    """The functions that differ between two binaries.

    Parameters
    ----------
    base, head : Functions
        The two binaries.
    own : sequence of bool
        Whether each function of head is not in Go's standard library.
    is_own : callable
        Returns whether a symbol is not in Go's standard library.
    """

    base: Functions
    head: Functions
    own: Sequence[bool]
    is_own: Callable[[str], bool]

    def reasons(self) -> Mapping[int, str]:
        """Return the reason why each changed function of head differs, by its number."""
        names, variables = self.head.names, self._variables
        found = {
            number: f"{_short(names[number])} {variable and f'refers to {variable}, which '}changed"
            for number, (_, variable) in self._differences.items()
        }
        initializers = [n for n in self._differences if _INIT.search(names[n])]
        for variable in frozenset[int]().union(*map(self._variables_set, initializers)):
            for user in variables.users(variable):
                if self.own[user]:
                    name = _short(variables.names[variable])
                    found.setdefault(user, f"{_short(names[user])} refers to {name}, which changed")
        return found

    @cached_property
    def _differences(self) -> Mapping[int, Difference]:
        before = {name: number for number, name in enumerate(self.base.names)}
        own = ((n, before.get(self.head.names[n])) for n, is_own in enumerate(self.own) if is_own)
        found = {n: ((), "") if old is None else self._difference(old, n) for n, old in own}
        return {number: one for number, one in found.items() if one is not None}

    def _difference(self, old: int, new: int) -> Difference | None:
        """Return the difference between two functions of the same name; None if they are equal."""
        sides = (self.base, self.base.code_range(old)), (self.head, self.head.code_range(new))
        codes = [side.text[place] for side, place in sides]
        if len(codes[0]) != len(codes[1]):
            return (), ""
        fields = self._fields[0][sides[0][1]] & self._fields[1][sides[1][1]]
        covered = np.zeros(len(fields) + _OPERAND, bool)
        for shift in range(_OPERAND):
            covered[shift : shift + len(fields)] |= fields
        differing_code = np.flatnonzero((codes[0] != codes[1]) & ~covered[: len(fields)]).tolist()
        places = np.flatnonzero(fields)
        targets = (side.targets[code.start + places].tolist() for side, code in sides)
        differing = [
            (place, theirs)
            for place, ours, theirs in zip(places.tolist(), *targets, strict=True)
            if self._references.differ(ours, theirs)
        ]
        if differing_code:
            return [*differing_code, *(place for place, _ in differing)], ""
        if not differing:
            return None
        first = _short(self._references.variable_at(differing[0][1]))
        return [place for place, _ in differing], first

    def _variables_set(self, init: int) -> frozenset[int]:
        """Return the variables that an ``init`` sets to other values.

        For each differing position, this is the first variable that the code references after it.
        """
        places, _ = self._differences[init]
        code = self.head.code_range(init)
        if not places:
            return frozenset(self._variables.referenced_in(code, 0))
        return frozenset(
            one for at in places for one in self._variables.referenced_in(code, at)[:1]
        )

    @cached_property
    def _references(self) -> ReferenceComparison:
        return ReferenceComparison(self.base, self.head, self.is_own)

    @cached_property
    def _fields(self) -> tuple[Bits, Bits]:
        return _address_fields(self.base), _address_fields(self.head)

    @cached_property
    def _variables(self) -> _Variables:
        return _Variables.of(self.head, self.is_own)


@dataclass(frozen=True)
class _Variables:
    """Variables that are not from Go's standard library, and the positions that reference them."""

    names: Sequence[str]
    functions: Functions
    places: Addresses
    referenced: Addresses

    @classmethod
    def of(cls, functions: Functions, is_own: Callable[[str], bool]) -> _Variables:
        """Find the variables of a binary."""
        starts, sizes, names = functions.elf.objects()
        own = np.array([is_own(name) for name in names], bool) & (sizes > 0)
        places = np.flatnonzero(functions.data_operands)
        targets = functions.targets[places]
        which = np.searchsorted(starts, targets, side="right") - 1
        hits = (which >= 0) & own[which] & (targets < starts[which] + sizes[which])
        return cls(names, functions, places[hits], which[hits])

    def referenced_in(self, code: slice, first: int) -> list[int]:
        """Return the variables that a range of code references after a position, in order."""
        begin, end = np.searchsorted(self.places, [code.start + first, code.stop])
        return list(dict.fromkeys(self.referenced[begin:end].tolist()))

    def users(self, variable: int) -> Sequence[int]:
        """Return the functions that reference a variable."""
        places = self.places[self.referenced == variable]
        users: list[int] = np.unique(self.functions.function_containing(places)).tolist()
        return users


def _address_fields(functions: Functions) -> Bits:
    """Return which positions of the code may hold the distance to a function or to data."""
    parts = [part for part in functions.elf.sections.values() if part.loaded and part.address]
    low, high = min(p.address for p in parts), max(p.address + p.size for p in parts)
    targets = functions.targets
    hits, _ = functions.function_at(targets)
    found = np.zeros(len(functions.text), bool)
    found[: len(targets)] = hits | ((targets >= low) & (targets < high) & functions.data_operands)
    return found


def _short(name: str) -> str:
    """Return a symbol without the parent folders of its package."""
    outside, bracket, inside = name.partition("[")
    return outside.rpartition("/")[2] + bracket + inside


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
    """Comparison of the objects that addresses of two binaries refer to.

    A variable has a symbol and is compared as a whole. The linker drops the symbols of strings and
    of the data behind tables and slices, so such an object is assumed to end at the next referenced
    address. Pointer targets are compared too, except types and objects of Go's standard library.

    Parameters
    ----------
    base, head : Functions
        The two binaries.
    is_own : callable
        Returns whether a symbol is not in Go's standard library.
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
        """Return the name of the variable of head at an address; empty if there is none."""
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
        """Yield the addresses at which objects begin or sections end.

        In the section of constants, addresses that code reads but never takes are boundaries too,
        since short strings are copied in this way.
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
        """Return which numbers lie within the loaded sections."""
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
