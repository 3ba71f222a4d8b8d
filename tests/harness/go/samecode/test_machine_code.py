"""Machine code without its line numbers: small ELF files, made and damaged on purpose."""

from __future__ import annotations

import random
import struct

from steady.harness.go.samecode.machine_code import same_machine_code
from tests.harness.go.samecode.made_elf import elf
from tests.looped import looped

NOTHING = ("", "")


@looped("name", [".gopclntab", ".go.buildinfo", ".note.go.buildid", ".debug_line"])
def test_lines_and_the_description_of_the_build_do_not_count(name: str) -> None:
    assert same_machine_code(elf(), elf({name: b"other"}), NOTHING)


@looped("name", [".text", ".rodata", ".data", ".typelink"])
def test_everything_else_counts(name: str) -> None:
    assert not same_machine_code(elf(), elf({name: name.upper().encode()}), NOTHING)


def test_what_is_zero_at_first_counts_by_its_size() -> None:
    assert not same_machine_code(elf(), elf({".bss": bytes(9)}), NOTHING)


def test_only_sections_that_the_code_does_not_name_may_move() -> None:
    assert same_machine_code(elf(), elf(moved={".typelink": 0x4010}), NOTHING)
    for name in (".text", ".rodata", ".data", ".bss"):
        assert not same_machine_code(elf(), elf(moved={name: 0xF000}), NOTHING)


def test_versions_of_modules_do_not_count_in_the_constants() -> None:
    base, head = elf({".rodata": b"a v1.0 b"}), elf({".rodata": b"a v1.1 b"})
    assert same_machine_code(base, head, ("v1.0", "v1.1"))
    assert not same_machine_code(base, head, NOTHING)
    assert not same_machine_code(base, elf({".rodata": b"a v1.10 b"}), ("v1.0", "v1.10"))
    base, head = elf({".data": b"a v1.0 b"}), elf({".data": b"a v1.1 b"})
    assert not same_machine_code(base, head, ("v1.0", "v1.1"))


def test_only_places_may_differ_for_the_systems_linker() -> None:
    def dynamic(*pairs: tuple[int, int]) -> bytes:
        return elf({".dynamic": b"".join(struct.pack("<QQ", *pair) for pair in pairs)})

    base = dynamic((5, 0x3000), (30, 8))
    assert same_machine_code(base, dynamic((5, 0x3010), (30, 8)), NOTHING)
    assert not same_machine_code(base, dynamic((5, 0x3000), (30, 0)), NOTHING)


def test_where_the_program_begins_counts() -> None:
    other = bytearray(elf())
    other[24] += 1
    assert not same_machine_code(elf(), bytes(other), NOTHING)


@looped("binary", [b"", b"#!/bin/sh\n", b"\x7fELF\x01\x01" + bytes(100)])
def test_other_files_are_never_the_same(binary: bytes) -> None:
    assert not same_machine_code(binary, binary, NOTHING)


def test_damage_is_never_an_error() -> None:
    chance = random.Random(1)
    whole = elf()
    for _ in range(3000):
        damaged = bytearray(whole[: chance.randrange(1, len(whole) + 1)])
        for _ in range(chance.randrange(4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        assert same_machine_code(whole, bytes(damaged), NOTHING) in (True, False)
