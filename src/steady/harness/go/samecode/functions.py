"""The functions of a Go binary, and which of them name which: from symbols and machine code.

Go compiles a call, a jump and the use of a closure to four bytes that hold the distance to the
function. Whatever follows an opcode of that kind and hits the first byte of a function counts as
a way to it, so at worst there are too many ways. Functions that data names (function values,
tables of methods) may be called by whoever gets hold of them.

This is for binaries of amd64 that are loaded at fixed addresses, as Go's linker makes them on
Linux by default, with their symbols.

Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2; package
internal/abi of Go 1.26 (``UncommonType``, ``Method``: offsets of 32 bits from the text).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from steady.programs.elf import Addresses, Elf

_DATA = (".rodata", ".noptrdata", ".data", ".itablink", ".go.module", ".data.rel.ro")
_DISTANCE = 4
_CALL, _JUMP, _LEA = 0xE8, 0xE9, 0x8D

Bits = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Functions:
    """The functions of a binary.

    Parameters
    ----------
    elf : Elf
        The binary.
    starts, sizes : array of int
        Address and number of bytes of each function, by address.
    names : sequence of str
        As the linker has them: ``example.com/shop/text.BenchmarkWords.func1``.
    """

    elf: Elf
    starts: Addresses
    sizes: Addresses
    names: Sequence[str]

    @classmethod
    def of(cls, content: bytes) -> Functions | None:
        """Read a binary; None if it is of another kind, or without symbols."""
        elf = Elf.of(content)
        if elf is None or not elf.fixed_amd64 or ".text" not in elf.sections:
            return None
        starts, sizes, names = elf.functions()
        return cls(elf, starts, sizes, [n.replace("%2e", ".") for n in names]) if names else None

    @cached_property
    def text(self) -> npt.NDArray[np.uint8]:
        """The machine code."""
        return np.frombuffer(self.elf.bytes_of(".text"), np.uint8)

    @property
    def _at(self) -> int:
        return self.elf.sections[".text"].address

    @cached_property
    def targets(self) -> Addresses:
        """The address that the four bytes at each place of the code would mean."""
        words = np.lib.stride_tricks.sliding_window_view(self.text, _DISTANCE)
        distances = np.ascontiguousarray(words).view("<i4").ravel().astype(np.int64)
        return distances + (self._at + _DISTANCE + np.arange(len(distances)))

    def holder(self, places: Addresses) -> Addresses:
        """Return which function holds each place of the code."""
        return np.searchsorted(self.starts, self._at + places, side="right") - 1

    def _before(self, places: int) -> npt.NDArray[np.uint8]:
        """Return the byte so many places before each place of the code."""
        found = np.zeros(len(self.targets), np.uint8)
        found[places:] = self.text[: len(found) - places]
        return found

    @cached_property
    def of_data(self) -> Bits:
        """At which places the distance to an operand in memory may be: by the byte before it."""
        found: Bits = self._before(1) & 0xC7 == 5
        return found

    @cached_property
    def takes_address(self) -> Bits:
        """At which of these places the address itself is taken, not what lies there."""
        found: Bits = (self._before(2) == _LEA) & self.of_data
        return found

    def range_of(self, number: int) -> slice:
        """Return where in the code a function is."""
        begin = int(self.starts[number]) - self._at
        return slice(begin, begin + int(self.sizes[number]))

    def which(self, addresses: Addresses) -> tuple[Bits, Addresses]:
        """Return which addresses are the first byte of a function, and of which one."""
        found = np.minimum(np.searchsorted(self.starts, addresses), len(self.starts) - 1)
        return self.starts[found] == addresses, found

    @cached_property
    def _edges(self) -> tuple[Addresses, Addresses]:
        """Caller and callee of each way from function to function, each way once."""
        before, earlier = self._before(1), self._before(2)
        opcode = (before == _CALL) | (before == _JUMP) | ((earlier == 0x0F) & (before >> 4 == 8))
        opcode |= self.takes_address
        places = np.flatnonzero(opcode)
        hits, to = self.which(self.targets[places])
        ends = self._of_values(self.targets[places])
        callers = np.concatenate((self.holder(places[hits]), self.holder(places[ends >= 0])))
        called = np.concatenate((to[hits], ends[ends >= 0]))
        pairs = np.unique(callers * len(self.starts) + called)
        return pairs // len(self.starts), pairs % len(self.starts)

    def _of_values(self, addresses: Addresses) -> Addresses:
        """Return which function the word at an address of data names; -1 where none."""
        found = np.full(len(addresses), -1)
        for section, words in self.words.items():
            offsets = addresses - self.elf.sections[section].address
            inside = np.flatnonzero((offsets >= 0) & (offsets + 8 <= 8 * len(words)))
            inside = inside[offsets[inside] % 8 == 0]
            hits, which = self.which(words[offsets[inside] // 8])
            found[inside[hits]] = which[hits]
        return found

    @cached_property
    def words(self) -> Mapping[str, Addresses]:
        """What the sections of data hold, as numbers of 64 bits."""
        held = ((name, self.elf.bytes_of(name)) for name in _DATA)
        return {name: np.frombuffer(own[: len(own) // 8 * 8], "<i8") for name, own in held if own}

    @cached_property
    def calls(self) -> Mapping[int, Sequence[int]]:
        """The functions that each function names."""
        return _ways(*self._edges)

    @cached_property
    def callers(self) -> Mapping[int, Sequence[int]]:
        """The functions that name each function."""
        return _ways(*reversed(self._edges))

    @cached_property
    def in_data(self) -> Bits:
        """Which functions data names: function values, and tables of methods."""
        named = np.zeros(len(self.starts), bool)
        for words in self.words.values():
            hits, which = self.which(words)
            named[which[hits]] = True
        offsets = self._offsets
        hits, which = self.which(offsets[offsets > 0] + self._at)
        named[which[hits]] = True
        return named

    @cached_property
    def _offsets(self) -> Addresses:
        """The numbers of 32 bits among the constants: what tables of methods hold."""
        methods = self.elf.bytes_of(".rodata")
        return np.frombuffer(methods[: len(methods) // 4 * 4], "<i4").astype(np.int64)

    def names_table_of(self, method: int, size: int) -> frozenset[int]:
        """Return the functions that may name a type, by a method that is in its table.

        Parameters
        ----------
        method : int
            The method.
        size : int
            How many bytes before its entry the type begins at most.
        """
        entries = np.flatnonzero(self._offsets + self._at == self.starts[method])
        begin = self.elf.sections[".rodata"].address
        words = (
            np.flatnonzero(own == self.starts[method]) * 8 + self.elf.sections[name].address
            for name, own in self.words.items()
        )
        places = [*(begin + 4 * entries).tolist(), *np.concatenate([*words]).tolist()]
        return frozenset().union(*(self.referring(at - size, size + 8) for at in places))

    def referring(self, address: int, size: int = 1) -> frozenset[int]:
        """Return the functions that may name an address, or one of the bytes that follow it."""
        named = (self.targets >= address) & (self.targets < address + size)
        places = np.flatnonzero(named & self.of_data)
        return frozenset(self.holder(places).tolist())

    def reached(self, starts: Iterable[int], past: Collection[int] = ()) -> frozenset[int]:
        """Return the functions on all ways from some; no way leads into or out of `past`."""
        left = list(starts)
        seen = set(left)
        while left:
            new = [to for to in self.calls.get(left.pop(), ()) if to not in seen and to not in past]
            seen.update(new)
            left += new
        return frozenset(seen)


def _ways(begins: Addresses, ends: Addresses) -> Mapping[int, Sequence[int]]:
    ways: dict[int, list[int]] = defaultdict(list)
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        ways[begin].append(end)
    return ways
