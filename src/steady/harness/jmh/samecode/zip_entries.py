"""The entries of a jar, with the names that Java reads, and with all contents of a name.

Java takes every name as UTF-8, whatever the flag of the entry says, and to its last byte. Python
takes it as code page 437 without the flag, and ends it at a NUL. Of two entries of one name Java
finds one, which depends on its version; here all of them count.

Source: java.util.zip.ZipFile and java.util.jar.JarFile of OpenJDK 8 to 25; APPNOTE.TXT 6.3.10 of
PKWARE, sections 4.3.12 and 4.4.4.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from steady.errors import InputError
from steady.harness.jmh.configure.benchmark_list_file import open_jar
from steady.readers.fields import quoted

_UTF8_FLAG = 0x800
_CLASS = ".class"
_META = "META-INF/"
_CHUNK = 2**20

Entries = dict[str, tuple[bytes, ...]]
"""All contents of each name: of classes and of what lies in META-INF as they are, of others their
SHA-256."""


@dataclass(frozen=True, slots=True)
class JarLimits:
    """How much of a jar is read at most.

    Parameters
    ----------
    entries : int
        How many entries it may have.
    entry, total : int
        Bytes of one entry, and of all, unpacked.
    """

    entries: int = 200_000
    entry: int = 512 * 2**20
    total: int = 2 * 2**30


JAR_LIMITS = JarLimits()


def is_kept(name: str) -> bool:
    """Tell whether the content of an entry is needed.

    Java takes ``A.class/`` for ``A.class``, and finds a manifest in small letters too.
    """
    return name.rstrip("/").endswith(_CLASS) or name.upper().startswith(_META)


def java_name(info: zipfile.ZipInfo) -> str:
    """Return the name of an entry as Java reads it."""
    form = "utf-8" if info.flag_bits & _UTF8_FLAG else "cp437"
    return info.orig_filename.encode(form, "surrogateescape").decode("utf-8", "surrogateescape")


def entries_of(
    path: Path, alike: Mapping[str, tuple[bytes, ...]] | None = None, limits: JarLimits = JAR_LIMITS
) -> Entries:
    """Read all entries of a jar.

    Parameters
    ----------
    path : Path
        The jar.
    alike : mapping of str to tuple of bytes
        The entries of another jar: what is the same is kept once.
    limits : JarLimits
        How much of it is read at most.

    Raises
    ------
    InputError
        If it cannot be read, is damaged, or holds more than `limits`.
    """
    entries: Entries = {}
    with open_jar(path) as jar:
        infos = jar.infolist()
        if len(infos) > limits.entries:
            raise InputError(
                f"holds more than {limits.entries:,} files; give the benchmarks' jar", source=path
            )
        room = limits.total
        for info in infos:
            name = java_name(info)
            limit = min(limits.entry, room)
            size, content = _content(jar, info, name, limit)
            if size > limit:
                raise InputError(
                    f"{quoted(name)} unpacks to more than is read; give the benchmarks' jar",
                    source=path,
                )
            room -= size
            entries[name] = (*entries.get(name, ()), content)
    if alike is not None:
        entries = {
            name: alike[name] if alike.get(name) == contents else contents
            for name, contents in entries.items()
        }
    return entries


def _content(
    jar: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, limit: int
) -> tuple[int, bytes]:
    """Return the size of an entry, whose header may say anything, and what is kept of it."""
    keeps = is_kept(name)
    digest, size, kept = hashlib.sha256(), 0, []
    with jar.open(info) as stream:
        while size <= limit and (chunk := stream.read(_CHUNK)):
            size += len(chunk)
            if keeps:
                kept.append(chunk)
            else:
                digest.update(chunk)
    return size, b"".join(kept) if keeps else digest.digest()
