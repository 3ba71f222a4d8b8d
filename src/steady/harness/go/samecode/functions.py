"""The functions of a Go binary and the calls between them, from symbols and machine code.

Go compiles a call, a jump and the use of a closure to an opcode and the distance to the function in
four bytes. A call is assumed if four bytes after such an opcode lead to the first byte of a
function, so calls may be reported that do not exist, but none is missed. Functions that data
references (function values, method tables) may be called from anywhere.

This module supports amd64 binaries with symbols that are loaded at fixed addresses, the default of
Go's linker on Linux.

Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2; package
internal/abi of Go 1.26 (``UncommonType``, ``Method``: offsets of 32 bits from the text).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from steady.programs.elf import Addresses, Elf
from steady.samecode.reachability import Graph

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
        Address and number of bytes of each function, in order of address.
    names : sequence of str
        Symbol names: ``example.com/shop/text.BenchmarkWords.func1``.
    """

    elf: Elf
    starts: Addresses
    sizes: Addresses
    names: Sequence[str]

    @classmethod
    def of(cls, content: bytes) -> Functions | None:
        """Read a binary; return None if it is unsupported or has no symbols."""
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
        """The address that results if the four bytes at a position of the code are a distance."""
        words = np.lib.stride_tricks.sliding_window_view(self.text, _DISTANCE)
        distances = np.ascontiguousarray(words).view("<i4").ravel().astype(np.int64)
        return distances + (self._at + _DISTANCE + np.arange(len(distances)))

    def function_containing(self, places: Addresses) -> Addresses:
        """Return the function that contains each position of the code."""
        return np.searchsorted(self.starts, self._at + places, side="right") - 1

    def _preceding(self, distance: int) -> npt.NDArray[np.uint8]:
        """Return the byte that is `distance` bytes before each position of the code."""
        found = np.zeros(len(self.targets), np.uint8)
        found[distance:] = self.text[: len(found) - distance]
        return found

    @cached_property
    def data_operands(self) -> Bits:
        """Which positions may hold the distance to a memory operand, judged by the byte before."""
        found: Bits = self._preceding(1) & 0xC7 == 5
        return found

    @cached_property
    def address_operands(self) -> Bits:
        """Which positions belong to instructions that compute an address without reading memory."""
        found: Bits = (self._preceding(2) == _LEA) & self.data_operands
        return found

    def code_range(self, number: int) -> slice:
        """Return the positions of a function in the code."""
        begin = int(self.starts[number]) - self._at
        return slice(begin, begin + int(self.sizes[number]))

    def function_at(self, addresses: Addresses) -> tuple[Bits, Addresses]:
        """Return which addresses are the first byte of a function, and that function's number."""
        found = np.minimum(np.searchsorted(self.starts, addresses), len(self.starts) - 1)
        return self.starts[found] == addresses, found

    @cached_property
    def _edges(self) -> tuple[Addresses, Addresses]:
        """Caller and callee of each call, each pair once."""
        before, earlier = self._preceding(1), self._preceding(2)
        opcode = (before == _CALL) | (before == _JUMP) | ((earlier == 0x0F) & (before >> 4 == 8))
        opcode |= self.address_operands
        places = np.flatnonzero(opcode)
        hits, direct = self.function_at(self.targets[places])
        values = self._function_values(self.targets[places])
        positions = np.concatenate((places[hits], places[values >= 0]))
        callers = self.function_containing(positions)
        callees = np.concatenate((direct[hits], values[values >= 0]))
        pairs = np.unique((callers * len(self.starts) + callees)[callers >= 0])
        return pairs // len(self.starts), pairs % len(self.starts)

    def _function_values(self, addresses: Addresses) -> Addresses:
        """Return the function that the data word at each address references; -1 if none."""
        found = np.full(len(addresses), -1)
        for section, words in self.data_words.items():
            offsets = addresses - self.elf.sections[section].address
            inside = np.flatnonzero((offsets >= 0) & (offsets + 8 <= 8 * len(words)))
            inside = inside[offsets[inside] % 8 == 0]
            hits, which = self.function_at(words[offsets[inside] // 8])
            found[inside[hits]] = which[hits]
        return found

    @cached_property
    def data_words(self) -> Mapping[str, Addresses]:
        """The data sections as 64-bit words, by name."""
        held = ((name, self.elf.bytes_of(name)) for name in _DATA)
        return {name: np.frombuffer(own[: len(own) // 8 * 8], "<i8") for name, own in held if own}

    @cached_property
    def calls(self) -> Sequence[Sequence[int]]:
        """The functions that each function may call."""
        return self._successors(*self._edges)

    def call_graph(self, followed: Bits) -> Graph:
        """Return the graph of the calls between some of the functions."""
        callers, callees = self._edges
        kept = followed[callers] & followed[callees]
        return Graph(self._successors(callers[kept], callees[kept]))

    def _successors(self, callers: Addresses, callees: Addresses) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in range(len(self.starts))]
        for caller, callee in zip(callers.tolist(), callees.tolist(), strict=True):
            found[caller].append(callee)
        return found

    @cached_property
    def referenced_by_data(self) -> Bits:
        """Which functions data references, in function values and method tables."""
        found = np.zeros(len(self.starts), bool)
        for words in self.data_words.values():
            hits, which = self.function_at(words)
            found[which[hits]] = True
        offsets = self._offsets
        hits, which = self.function_at(offsets[offsets > 0] + self._at)
        found[which[hits]] = True
        return found

    @cached_property
    def _offsets(self) -> Addresses:
        """The constants as 32-bit words, the format of method tables."""
        methods = self.elf.bytes_of(".rodata")
        return np.frombuffer(methods[: len(methods) // 4 * 4], "<i4").astype(np.int64)

    def functions_referencing_type(self, method: int, size: int) -> frozenset[int]:
        """Return the functions that may reference the type that a method belongs to.

        Parameters
        ----------
        method : int
            Number of the method.
        size : int
            Largest distance from the type to the method's entry in its table, in bytes.
        """
        entries = np.flatnonzero(self._offsets + self._at == self.starts[method])
        begin = self.elf.sections[".rodata"].address
        words = (
            np.flatnonzero(own == self.starts[method]) * 8 + self.elf.sections[name].address
            for name, own in self.data_words.items()
        )
        places = [*(begin + 4 * entries).tolist(), *np.concatenate([*words]).tolist()]
        return frozenset().union(
            *(self.functions_referencing(at - size, size + 8) for at in places)
        )

    def functions_referencing(self, address: int, size: int = 1) -> frozenset[int]:
        """Return the functions that may reference one of `size` bytes from an address on."""
        named = (self.targets >= address) & (self.targets < address + size)
        places = np.flatnonzero(named & self.data_operands)
        return frozenset(self.function_containing(places).tolist())
