"""Jars of small class files that are made of nothing but texts."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from steady.harness.jmh.samecode.class_log import Loaded
from steady.harness.jmh.samecode.difference import Difference
from steady.harness.jmh.samecode.jar_index import JarIndex
from steady.harness.jmh.samecode.reasons import Reasons
from steady.harness.trial import Held
from steady.model import Identity
from steady.samecode.decision import Decision, decided

RECORD = (
    "JMH S {} {} S {} {} S {} {} S 11 AverageTime "
    "I 1 1 A 1 1 1 E I 1 1 T 5 10 ms E I 1 1 T 5 10 ms I 1 2 I 1 1 E E E E {} E U 12 MICROSECONDS "
    "E E "
)


def a_class(name: str, *texts: str, parent: str = "java/lang/Object", source: str = "") -> bytes:
    """Return a class file without members; `source` is what only debuggers read."""
    words = [name, parent, *texts, *(["SourceFile", source] if source else [])]
    pool = b"".join(b"\x01" + struct.pack(">H", len(w.encode())) + w.encode() for w in words)
    first_class = len(words) + 1
    pool += struct.pack(">BHBH", 7, 1, 7, 2)
    attribute = struct.pack(">HIH", len(words) - 1, 2, len(words)) if source else b""
    return (
        bytes.fromhex("cafebabe0000003d")
        + struct.pack(">H", first_class + 2)
        + pool
        + struct.pack(">HHHHHH", 0x21, first_class, first_class + 1, 0, 0, 0)
        + struct.pack(">H", 1 if source else 0)
        + attribute
    )


def record(name: str, jvm_args: str = "E") -> str:
    """Return the line of a benchmark in JMH's list."""
    owner, _, method = name.rpartition(".")
    generated = f"{owner}_jmhTest"
    sizes = (part for text in (owner, generated, method) for part in (len(text), text))
    return RECORD.format(*sizes, jvm_args)


def write_jar(
    path: Path, files: Mapping[str, bytes | str], order: Sequence[str] = (), year: int = 2020
) -> Path:
    """Write a jar with entries in an order and of a year."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in order or files:
            info = zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0))
            archive.writestr(info, files[name])
    return path


def difference(
    folder: Path, base: Mapping[str, bytes | str], head: Mapping[str, bytes | str]
) -> Difference:
    """Return what differs between two jars with these entries."""
    return Difference(
        JarIndex.of(write_jar(folder / "base.jar", base)),
        JarIndex.of(write_jar(folder / "head.jar", head)),
    )


def decide(
    both: Difference,
    loaded: Mapping[Identity, Loaded],
    held: Held,
    arguments: Sequence[str] = (),
    unknown: str = "",
) -> tuple[Decision, ...]:
    """Decide for each benchmark, given what forks of base have loaded."""
    return decided(held, Reasons(both, loaded, arguments, unknown).why)
