"""The class path of ``java -jar``: the jar, and everything on the ``Class-Path`` of its manifest.

Each jar on the ``Class-Path`` may have its own ``Class-Path``. Its entries are URLs relative to the
folder of the jar; those that end with ``/`` are folders. Missing files are skipped.

Source: the JAR File Specification, "Class-Path attribute" and "Multi-release JAR files";
jdk.internal.loader.URLClassPath of OpenJDK 17.
"""

from __future__ import annotations

import hashlib
import os
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from operator import itemgetter
from pathlib import Path
from urllib.parse import unquote, urlsplit

from steady.errors import InputError
from steady.harness.fields import quoted
from steady.harness.jmh.configure.benchmark_list_file import open_jar

_UTF8_FLAG = 0x800
_ENDING = ".class"
_META = "META-INF/"

Entries = dict[str, tuple[bytes, ...]]
"""Contents of the entries of each name: SHA-256, except for classes and files in META-INF."""


@dataclass(frozen=True, slots=True)
class JarLimits:
    """Limits for the size of a jar.

    Parameters
    ----------
    entries : int
        Maximum number of entries.
    entry, total : int
        Maximum bytes of an entry and of all entries, uncompressed.
    """

    entries: int = 200_000
    entry: int = 512 * 2**20
    total: int = 2 * 2**30


JAR_LIMITS = JarLimits()


def needs_content(name: str) -> bool:
    """Return whether the content of an entry is needed, and not only its digest.

    Java ignores the case of a manifest's name.
    """
    return is_class(name) or name.upper().startswith(_META)


def is_class(name: str) -> bool:
    """Return whether an entry is a class; Java accepts ``A.class/`` as well."""
    return name.rstrip("/").endswith(_ENDING)


def entry_name(info: zipfile.ZipInfo) -> str:
    """Return the name of an entry as Java reads it."""
    form = "utf-8" if info.flag_bits & _UTF8_FLAG else "cp437"
    return info.orig_filename.encode(form, "surrogateescape").decode("utf-8", "surrogateescape")


def entries_of(
    path: Path, known: Mapping[str, tuple[bytes, ...]] | None = None, limits: JarLimits = JAR_LIMITS
) -> Entries:
    """Read all entries of a jar.

    Parameters
    ----------
    path : Path
        The jar.
    known : mapping of str to tuple of bytes
        Entries of another jar; equal contents share memory.
    limits : JarLimits
        The limits for its size.

    Raises
    ------
    InputError
        If it cannot be read, is damaged, or exceeds `limits`.
    """
    entries: Entries = {}
    with open_jar(path) as jar:
        infos = jar.infolist()
        if len(infos) > limits.entries:
            raise InputError(
                f"contains more than {limits.entries:,} files; give the benchmarks' jar",
                source=path,
            )
        remaining = limits.total
        for info in infos:
            name = entry_name(info)
            limit = min(limits.entry, remaining)
            with jar.open(info) as stream:  # the size in the header is untrusted
                content = stream.read(limit + 1)
            if len(content) > limit:
                raise InputError(
                    f"{quoted(name)} is too large when unpacked; give the benchmarks' jar",
                    source=path,
                )
            remaining -= len(content)
            entries[name] = (*entries.get(name, ()), _stored(name, content))
    others = known or {}
    return {n: others[n] if others.get(n) == own else own for n, own in entries.items()}


def _stored(name: str, content: bytes) -> bytes:
    return content if needs_content(name) else hashlib.sha256(content).digest()


MANIFEST = "META-INF/MANIFEST.MF"
_INDEX = "META-INF/INDEX.LIST"
_CLASS = re.compile(r"(?:META-INF/versions/(\d{1,9})/)?(.+)\.class/*", re.DOTALL)
_MAX_ELEMENTS = 2_000
_MAX_FILES = 100_000

Variants = tuple[tuple[str, bytes], ...]
"""All files of a class, each with its location: class path element and release of Java."""


@dataclass(frozen=True)
class PathElement:
    """A jar or folder on the class path.

    Parameters
    ----------
    label : str
        Its path as written in ``Class-Path``; empty for the first jar.
    entries : dict of str to tuple of bytes
        Its files.
    """

    label: str
    entries: Entries = field(repr=False)

    @cached_property
    def manifest(self) -> bytes:
        """The manifest, whose name is not case-sensitive; empty if there is none."""
        found = [c for n, c in self.entries.items() if n.upper() == MANIFEST]
        return b"\n\n".join(one for contents in found for one in contents)

    @property
    def referenced(self) -> Iterator[str]:
        """Yield the URLs of other elements, in the manifest or the index of the jar."""
        yield from class_path_words(self.manifest)
        for content in self.entries.get(_INDEX, ()):
            lines = content.decode("utf-8", "replace").splitlines()
            yield from (line for line in lines if line.endswith(".jar"))


@dataclass(frozen=True)
class ClassPath:
    """A class path: all elements from which a JVM may load classes.

    Parameters
    ----------
    elements : tuple of PathElement
        The elements, in the order in which a JVM searches them.
    problem : str
        Why there may be unknown elements; empty if all are known.
    """

    elements: tuple[PathElement, ...]
    problem: str = ""

    @classmethod
    def of(cls, jar: Path, other: ClassPath | None = None) -> ClassPath:
        """Read a jar, and everything on the ``Class-Path`` of its manifest.

        Parameters
        ----------
        jar : Path
            The jar.
        other : ClassPath, optional
            Another class path; equal contents share memory.

        Raises
        ------
        InputError
            If the jar cannot be read.
        """
        known = {one.label: one.entries for one in other.elements} if other else {}
        first = PathElement("", entries_of(jar, known.get("")))
        found = [first, *_named_by(first, jar, "", known, {jar.resolve()})]
        problems = [one for one in found if isinstance(one, str)]
        elements = tuple(one for one in found if isinstance(one, PathElement))
        return cls(elements, problems[-1] if problems else "")

    @cached_property
    def classes(self) -> Mapping[str, Variants]:
        """Files of each class, by a name such as ``java/lang/String``."""
        found: dict[str, list[tuple[str, bytes]]] = {}
        for element in self.elements:
            for entry, contents in element.entries.items():
                match = _CLASS.fullmatch(entry)
                if match is not None and (name := match[2]) != "module-info":
                    where = f"{element.label}:{match[1] or ''}"
                    found.setdefault(name, []).extend((where, one) for one in contents)
        # Java chooses between entries of the same name by their order, so sorting is stable.
        return {name: tuple(sorted(own, key=itemgetter(0))) for name, own in found.items()}

    @cached_property
    def files(self) -> Mapping[str, tuple[bytes, ...]]:
        """Contents of all other entries by name, in the order of the class path."""
        found: dict[str, tuple[bytes, ...]] = {}
        for element in self.elements:
            for entry, contents in element.entries.items():
                match = _CLASS.fullmatch(entry)
                if match is None or match[2] == "module-info":
                    found[entry] = (*found.get(entry, ()), *contents)
        return found


def _named_by(
    element: PathElement, jar: Path, label: str, known: Mapping[str, Entries], seen: set[Path]
) -> Iterator[PathElement | str]:
    """Yield the elements that an element names, recursively; for an unreadable one, the reason."""
    for word in element.referenced:
        try:
            path = _path_of(word, jar)
            if path is None or len(seen) > _MAX_ELEMENTS:
                raise ValueError
            if path.resolve() in seen or not path.exists():
                continue
        except (OSError, ValueError, RuntimeError):  # not a valid file name
            yield f"the Class-Path contains {word}, which steady does not read"
            continue
        seen.add(path.resolve())
        is_folder = word.rpartition("/")[2] in ("", ".", "..")
        if is_folder != path.is_dir():
            continue  # a JVM ignores it
        own = f"{label}{word}"
        try:
            inner = PathElement(
                own, _entries_of_folder(path) if is_folder else entries_of(path, known.get(own))
            )
        except (InputError, OSError):
            yield f"{own} on the Class-Path cannot be read"
            continue
        yield inner
        if not is_folder:
            yield from _named_by(inner, path, f"{own} ", known, seen)


def unfold_manifest(manifest: bytes) -> str:
    """Return the text of a manifest, with each attribute on one line."""
    text = manifest.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\n ", "")


def class_path_words(manifest: bytes) -> Iterator[str]:
    """Yield the URLs in the ``Class-Path`` of a manifest."""
    for line in unfold_manifest(manifest).split("\n"):
        name, _, value = line.partition(":")
        if name.strip().lower() == "class-path":
            yield from value.split()


def _path_of(word: str, jar: Path) -> Path | None:
    """Return the path of a URL relative to a jar; None if it is not a file.

    Java removes ``a/..`` from a URL, even if there is no folder ``a``.
    """
    parts = urlsplit(word)
    if parts.scheme not in ("", "file") or parts.netloc or parts.query or parts.fragment:
        return None
    return Path(os.path.normpath(jar.absolute().parent / unquote(parts.path)))


def _entries_of_folder(path: Path) -> Entries:
    """Read all files of a folder, and the names of its subfolders, which Java also finds."""
    entries: Entries = {}
    remaining = JAR_LIMITS.total
    found = sorted(islice(path.rglob("*"), _MAX_FILES + 1))  # the folder may be the whole disk
    for file in found:
        remaining -= file.stat().st_size
        if len(found) > _MAX_FILES or remaining < 0:
            raise InputError("contains too many or too large files", source=path)
        name = file.relative_to(path).as_posix()
        if file.is_file():
            entries[name] = (_stored(name, file.read_bytes()),)
        elif file.is_dir() and not file.is_symlink():
            entries[f"{name}/"] = (b"",)
        else:
            raise InputError(f"contains {name}, which is neither a file nor a folder", source=path)
    return entries
