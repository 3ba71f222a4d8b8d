"""Which functions machine code names, in a small ELF file made of a few instructions."""

from __future__ import annotations

import struct

import numpy as np

from steady.harness.go.samecode.functions import Functions
from steady.programs.elf import Elf
from tests.harness.go.samecode.made_elf import ADDRESSES, elf

TEXT, DATA = ADDRESSES[".text"], ADDRESSES[".data"]
STARTS = TEXT + np.array([0, 16, 32])


def functions(offset: int) -> Functions:
    """Return three: the first takes the address of a place in the data, the second calls.

    The second word of the data is where the third function begins.
    """
    lea = b"\x48\x8d\x05" + struct.pack("<i", DATA + offset - (TEXT + 7))
    call = b"\xe8" + struct.pack("<i", 32 - (16 + 5))
    text = lea.ljust(16, b"\x90") + call.ljust(16, b"\x90") + b"\xc3".ljust(16, b"\x90")
    data = struct.pack("<qqq", 0, STARTS[2], 0)
    binary = Elf.of(elf({".text": text, ".data": data, ".rodata": b""}))
    assert binary is not None
    return Functions(binary, STARTS, np.full(3, 16), ["first", "second", "third"])


def test_a_call_and_the_address_of_a_functions_word_name_it() -> None:
    assert {n: list(to) for n, to in functions(8).calls.items()} == {0: [2], 1: [2]}


def test_an_address_that_is_not_a_words_names_nothing() -> None:
    for offset in (0, 9, 12, 15, 16):
        assert {n: list(to) for n, to in functions(offset).calls.items()} == {1: [2]}
