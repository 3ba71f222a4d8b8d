"""Jars of small class files that are made of nothing but texts."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.decide import JmhBuilds
from steady.harness.runs import HarnessSettings
from steady.harness.trial import Held, Version
from steady.samecode.decision import Decision

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


def decide(
    folder: Path,
    base: Mapping[str, bytes | str],
    head: Mapping[str, bytes | str],
    held: Held,
    *arguments: str,
) -> tuple[Decision, ...]:
    """Decide for each benchmark of two jars with these entries."""
    jars = write_jar(folder / "base.jar", base), write_jar(folder / "head.jar", head)
    versions = [Version(name, jar) for name, jar in zip(("base", "head"), jars, strict=True)]
    return JmhBuilds(JmhRuns(HarnessSettings(jvm_args=arguments)), versions).decisions(held)
