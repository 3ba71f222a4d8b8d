"""Comparison of machine code and references to functions, in small, partly damaged ELF files."""

import random
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from steady.harness.go.samecode import machine_code
from steady.harness.go.samecode.functions import Functions
from steady.programs.elf import Elf

NOTHING = ("", "")
GO = "go1.20.3"
LOADED = (
    *(".text", ".rodata", ".gopclntab", ".typelink", ".go.buildinfo", ".data"),
    *(".note.go.buildid", ".dynamic", ".bss"),
)
ADDRESSES = {name: 0x1000 * n for n, name in enumerate(LOADED, start=1)} | {".debug_line": 0}


def table(
    names: bytes = b"f", line: int = 7, inlined: bytes = b"", tree: int = 0, **record: int
) -> bytes:
    """Return the tables of one function, whose stack map by address is the last one."""
    by_address = [b"\0", b"\2\4\0", b"\2\5\0", inlined, b"\2\3\2\1\0"]
    starts = [sum(map(len, by_address[:at])) for at in range(len(by_address))]
    of_tables = {"safe": 0, "map": starts[4], "inlined": starts[3] if inlined else 0}
    fixed = {"at": 0, "name": 0, "arguments": 8, "deferred": 0, "frame": starts[1]}
    fixed |= {"file": starts[2], "line": starts[2], "tables": 3, "unit": 1, "begin": line}
    fixed |= {"kind": 4 << 24, **of_tables, "first": 16, "second": 32, "objects": 0xFFFFFFFF}
    body = struct.pack("<18I", *(fixed | record).values(), tree)
    parts = [names, b"", b"", b"".join(by_address).ljust(16, b"\0")]
    places = [72 + sum(map(len, parts[:at])) for at in range(5)]
    header = struct.pack("<IHBBQQQ5Q", 0xFFFFFFF1, 0, 1, 8, 1, 1, 0, *places)
    return header + b"".join(parts) + struct.pack("<III", 0, 12, 64) + body


def same_machine_code(
    base: bytes, head: bytes, described: tuple[str, str] = NOTHING, go: str = GO
) -> bool:
    return machine_code.same_machine_code(base, head, described, go)


def elf(changed: Mapping[str, bytes] = {}, moved: Mapping[str, int] = {}) -> bytes:
    """Return a file with these sections; each contains its own name by default."""
    names = b"\0" + b"".join(f"{name}\0".encode() for name in ADDRESSES) + b".shstrtab\0"
    body, headers = b"", [bytes(64)]
    for name, address in ADDRESSES.items():
        usual = table() if name == ".gopclntab" else name.encode()
        content = changed.get(name, usual)
        kind = 8 if name == ".bss" else 1
        flags = 0 if name.startswith(".debug") else 2
        at = names.find(f"\0{name}\0".encode()) + 1
        where = moved.get(name, address), 64 + len(body), len(content)
        headers.append(struct.pack("<IIQQQQIIQQ", at, kind, flags, *where, 0, 0, 1, 0))
        body += b"" if name == ".bss" else content
    at = names.find(b".shstrtab")
    where = 0, 64 + len(body), len(names)
    headers.append(struct.pack("<IIQQQQIIQQ", at, 3, 0, *where, 0, 0, 1, 0))
    body += names
    first = b"\x7fELF\x02\x01\x01", 2, 62, 1, 0x1000, 0, 64 + len(body)
    last = 0, 64, 56, 0, 64, len(headers), len(headers) - 1
    start = struct.pack("<16sHHIQQQIHHHHHH", *first, *last)
    return start + body + b"".join(headers)


def test_lines_and_build_information_are_ignored() -> None:
    for name in (".go.buildinfo", ".note.go.buildid", ".debug_line"):
        assert same_machine_code(elf(), elf({name: b"other"})), name
    for name in (".text", ".rodata", ".data", ".typelink"):
        assert not same_machine_code(elf(), elf({name: name.upper().encode()})), name
    # The size of zeroed data and the entry point are compared.
    assert not same_machine_code(elf(), elf({".bss": bytes(9)}))
    other = bytearray(elf())
    other[24] += 1
    assert not same_machine_code(elf(), bytes(other))


def test_tables_that_the_runtime_reads_are_compared() -> None:
    def same(**made: Any) -> bool:
        return same_machine_code(elf(), elf({".gopclntab": table(**made)}))

    # Names, lines, files and inlined calls, and the resulting positions of the other tables.
    assert same(names=b"another", line=9, unit=2, name=3, inlined=b"\2\7\0", tree=48)
    assert same(file=0, begin=8)
    others = ("arguments", "deferred", "frame", "safe", "map", "first", "second", "objects")
    for name in others:
        assert not same(**{name: 5}), name
    for kind in (4 << 24 | 1, 4 << 24 | 1 << 8):
        assert not same(kind=kind)


def test_tables_of_an_unknown_format_are_never_the_same() -> None:
    for go in ("go1.17.13", "go1.27.0", "devel go1.26-abc", "go1.19.1", "", "go1.261"):
        assert not same_machine_code(elf(), elf(), go=go), go
    for at in (0, 4, 7, 56, 64):  # positions in the header
        other = bytearray(table())
        other[at] ^= 0xFF
        whole = elf({".gopclntab": bytes(other)})
        assert not same_machine_code(whole, whole), at


def test_only_sections_without_references_from_code_may_move() -> None:
    assert same_machine_code(elf(), elf(moved={".typelink": 0x4010}))
    for name in (".text", ".rodata", ".data", ".bss"):
        assert not same_machine_code(elf(), elf(moved={name: 0xF000}))


def test_versions_of_modules_in_the_constants_are_ignored() -> None:
    base, head = elf({".rodata": b"a v1.0 b"}), elf({".rodata": b"a v1.1 b"})
    assert same_machine_code(base, head, ("v1.0", "v1.1"))
    assert not same_machine_code(base, head)
    assert not same_machine_code(base, elf({".rodata": b"a v1.10 b"}), ("v1.0", "v1.10"))
    base, head = elf({".data": b"a v1.0 b"}), elf({".data": b"a v1.1 b"})
    assert not same_machine_code(base, head, ("v1.0", "v1.1"))


def test_only_addresses_may_differ_in_the_dynamic_section() -> None:
    def dynamic(*pairs: tuple[int, int]) -> bytes:
        return elf({".dynamic": b"".join(struct.pack("<QQ", *pair) for pair in pairs)})

    base = dynamic((5, 0x3000), (30, 8))
    assert same_machine_code(base, dynamic((5, 0x3010), (30, 8)))
    assert not same_machine_code(base, dynamic((5, 0x3000), (30, 0)))


def test_other_files_are_never_the_same() -> None:
    for binary in (b"", b"#!/bin/sh\n", b"\x7fELF\x01\x01" + bytes(100)):
        assert not same_machine_code(binary, binary)


def test_damage_is_never_an_error() -> None:
    chance = random.Random(1)
    whole = elf()
    for _ in range(3000):
        damaged = bytearray(whole[: chance.randrange(1, len(whole) + 1)])
        for _ in range(chance.randrange(4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        assert same_machine_code(whole, bytes(damaged)) in (True, False)


TEXT, DATA = ADDRESSES[".text"], ADDRESSES[".data"]
STARTS = TEXT + np.array([0, 16, 32])


def functions(offset: int) -> Functions:
    """Return three functions: the first takes the address of data, the second calls.

    The second word of the data is where the third function begins.
    """
    lea = b"\x48\x8d\x05" + struct.pack("<i", DATA + offset - (TEXT + 7))
    call = b"\xe8" + struct.pack("<i", 32 - (16 + 5))
    text = lea.ljust(16, b"\x90") + call.ljust(16, b"\x90") + b"\xc3".ljust(16, b"\x90")
    data = struct.pack("<qqq", 0, STARTS[2], 0)
    binary = Elf.of(elf({".text": text, ".data": data, ".rodata": b""}))
    assert binary is not None
    return Functions(binary, STARTS, np.full(3, 16), ["first", "second", "third"])


def test_calls_and_addresses_of_function_values_are_references() -> None:
    assert functions(8).calls == [[2], [2], []]
    for offset in (0, 9, 12, 15, 16):  # not the position of a word
        assert functions(offset).calls == [[], [2], []]
