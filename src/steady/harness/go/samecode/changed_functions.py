"""Which functions of a Go binary head has otherwise than base, and what to say of each.

Two functions of one name are the same if their machine code is, apart from the addresses in it,
and if these name the same (`same_places`): other functions, variables, constants. What an ``init``
that changed sets is a variable that changed: for all functions that name it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steady.harness.go.samecode.functions import Bits, Functions
from steady.harness.go.samecode.same_places import SamePlaces
from steady.programs.elf import Addresses

_INIT = re.compile(r"\.(?:map\.)?init(?:\.\d+)?$")
_OPERAND = 4

Difference = tuple[Sequence[int], str]
"""Where in a function's code it differs, all of it if that is not known; and which variable that it
names differs first: empty if the code does, or a constant."""


@dataclass(frozen=True)
class ChangedFunctions:
    """What differs between the functions of two binaries.

    Parameters
    ----------
    base, head : Functions
        The two binaries.
    own : sequence of bool
        Which functions of head do not belong to Go's library.
    is_own : callable
        Tells this of any symbol.
    """

    base: Functions
    head: Functions
    own: Sequence[bool]
    is_own: Callable[[str], bool]

    def whys(self) -> Mapping[int, str]:
        """Say of each function of head that changed, by its number, in what."""
        names, variables = self.head.names, self._variables
        found = {
            number: f"{_short(names[number])} {what and f'names {what}, which '}changed"
            for number, (_, what) in self._differences.items()
        }
        starts = [n for n in self._differences if _INIT.search(names[n])]
        for variable in frozenset[int]().union(*map(self._set_by, starts)):
            for user in variables.users(variable):
                if self.own[user]:
                    name = _short(variables.names[variable])
                    found.setdefault(user, f"{_short(names[user])} names {name}, which changed")
        return found

    @cached_property
    def _differences(self) -> Mapping[int, Difference]:
        before = {name: number for number, name in enumerate(self.base.names)}
        own = ((n, before.get(self.head.names[n])) for n, is_own in enumerate(self.own) if is_own)
        found = {n: ((), "") if was is None else self._difference(was, n) for n, was in own}
        return {number: one for number, one in found.items() if one is not None}

    def _difference(self, was: int, number: int) -> Difference | None:
        """Return how two functions of one name differ; None if they are the same."""
        sides = (self.base, self.base.range_of(was)), (self.head, self.head.range_of(number))
        codes = [side.text[place] for side, place in sides]
        if len(codes[0]) != len(codes[1]):
            return (), ""
        fields = self._addresses[0][sides[0][1]] & self._addresses[1][sides[1][1]]
        covered = np.zeros(len(fields) + _OPERAND, bool)
        for shift in range(_OPERAND):
            covered[shift : shift + len(fields)] |= fields
        other = np.flatnonzero((codes[0] != codes[1]) & ~covered[: len(fields)]).tolist()
        places = np.flatnonzero(fields)
        named = (side.targets[where.start + places].tolist() for side, where in sides)
        differing = [
            (place, theirs)
            for place, ours, theirs in zip(places.tolist(), *named, strict=True)
            if self._same_places.differ(ours, theirs)
        ]
        if other or not differing:
            return ([*other, *(place for place, _ in differing)], "") if other else None
        first = _short(self._same_places.name_of(differing[0][1]))
        return [place for place, _ in differing], first

    def _set_by(self, init: int) -> frozenset[int]:
        """Return the variables that an ``init`` sets otherwise: it names each after its value."""
        places, _ = self._differences[init]
        code = self.head.range_of(init)
        if not places:
            return frozenset(self._variables.named_in(code, 0))
        return frozenset(one for at in places for one in self._variables.named_in(code, at)[:1])

    @cached_property
    def _same_places(self) -> SamePlaces:
        return SamePlaces(self.base, self.head, self.is_own)

    @cached_property
    def _addresses(self) -> tuple[Bits, Bits]:
        return _addresses(self.base), _addresses(self.head)

    @cached_property
    def _variables(self) -> _Variables:
        return _Variables.of(self.head, self.is_own)


@dataclass(frozen=True)
class _Variables:
    """The variables of a binary that do not belong to Go's library, and where code names them."""

    names: Sequence[str]
    functions: Functions
    places: Addresses
    named: Addresses

    @classmethod
    def of(cls, functions: Functions, is_own: Callable[[str], bool]) -> _Variables:
        """Find them."""
        starts, sizes, names = functions.elf.objects()
        own = np.array([is_own(name) for name in names], bool) & (sizes > 0)
        places = np.flatnonzero(functions.of_data)
        targets = functions.targets[places]
        which = np.searchsorted(starts, targets, side="right") - 1
        hits = (which >= 0) & own[which] & (targets < starts[which] + sizes[which])
        return cls(names, functions, places[hits], which[hits])

    def named_in(self, code: slice, first: int) -> list[int]:
        """Return those that a part of the code names, from a place in it on, in order."""
        begin, end = np.searchsorted(self.places, [code.start + first, code.stop])
        return list(dict.fromkeys(self.named[begin:end].tolist()))

    def users(self, variable: int) -> Sequence[int]:
        """Return the functions that name one."""
        places = self.places[self.named == variable]
        users: list[int] = np.unique(self.functions.holder(places)).tolist()
        return users


def _addresses(functions: Functions) -> Bits:
    """Return at which places of the code there may be the distance to a function, or to data."""
    parts = [part for part in functions.elf.sections.values() if part.loaded and part.address]
    low, high = min(p.address for p in parts), max(p.address + p.size for p in parts)
    targets = functions.targets
    hits, _ = functions.which(targets)
    found = np.zeros(len(functions.text), bool)
    found[: len(targets)] = hits | ((targets >= low) & (targets < high) & functions.of_data)
    return found


def _short(name: str) -> str:
    """Return a symbol without the folders of its package."""
    outside, bracket, inside = name.partition("[")
    return outside.rpartition("/")[2] + bracket + inside
