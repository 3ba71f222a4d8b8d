"""The functions that differ between two Go binaries, and the reason for each.

Two functions of one name are the same if their machine code is, apart from the addresses in it, and
if these reference the same functions, variables and constants (`references`). A variable that a
changed ``init`` sets has changed, for all functions that reference it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steady.harness.go.samecode.functions import Bits, Functions
from steady.harness.go.samecode.references import ReferenceComparison
from steady.programs.elf import Addresses

_INIT = re.compile(r"\.(?:map\.)?init(?:\.\d+)?$")
_OPERAND = 4

Difference = tuple[Sequence[int], str]
"""The positions at which a function's code differs, empty if it differs as a whole; and the name of
the first variable that differs, empty if the code or a constant differs."""


@dataclass(frozen=True)
class ChangedFunctions:
    """The functions that differ between two binaries.

    Parameters
    ----------
    base, head : Functions
        The two binaries.
    own : sequence of bool
        For each function of head, whether it is outside of Go's library.
    is_own : callable
        Returns whether a symbol is outside of Go's library.
    """

    base: Functions
    head: Functions
    own: Sequence[bool]
    is_own: Callable[[str], bool]

    def reasons(self) -> Mapping[int, str]:
        """Return the changed functions of head, by their numbers, each with the reason."""
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
        """Return the difference between two functions of one name; None if they are the same."""
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
        """Return the variables that an ``init`` sets differently, by the code after each value."""
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
    """The variables of a binary outside of Go's library, and where code references them."""

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
        """Return the variables that a part of the code references, from a position on, in order."""
        begin, end = np.searchsorted(self.places, [code.start + first, code.stop])
        return list(dict.fromkeys(self.referenced[begin:end].tolist()))

    def users(self, variable: int) -> Sequence[int]:
        """Return the functions that reference a variable."""
        places = self.places[self.referenced == variable]
        users: list[int] = np.unique(self.functions.function_containing(places)).tolist()
        return users


def _address_fields(functions: Functions) -> Bits:
    """Return the positions of the code that may hold the distance to a function, or to data."""
    parts = [part for part in functions.elf.sections.values() if part.loaded and part.address]
    low, high = min(p.address for p in parts), max(p.address + p.size for p in parts)
    targets = functions.targets
    hits, _ = functions.function_at(targets)
    found = np.zeros(len(functions.text), bool)
    found[: len(targets)] = hits | ((targets >= low) & (targets < high) & functions.data_operands)
    return found


def _short(name: str) -> str:
    """Return a symbol without the folders of its package."""
    outside, bracket, inside = name.partition("[")
    return outside.rpartition("/")[2] + bracket + inside
