"""Small ELF files, made of sections that hold what a test says."""

from __future__ import annotations

import struct
from collections.abc import Mapping

LOADED = (
    *(".text", ".rodata", ".gopclntab", ".typelink", ".go.buildinfo", ".data"),
    *(".note.go.buildid", ".dynamic", ".bss"),
)
ADDRESSES = {name: 0x1000 * n for n, name in enumerate(LOADED, start=1)} | {".debug_line": 0}


def elf(changed: Mapping[str, bytes] = {}, moved: Mapping[str, int] = {}) -> bytes:
    """Return a file with these sections; each holds its own name unless it is changed."""
    names = b"\0" + b"".join(f"{name}\0".encode() for name in ADDRESSES) + b".shstrtab\0"
    body, headers = b"", [bytes(64)]
    for name, address in ADDRESSES.items():
        content = changed.get(name, name.encode())
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
