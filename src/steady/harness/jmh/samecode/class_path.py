"""What a JVM finds with ``java -jar``: the jar, and all that the manifest's ``Class-Path`` names.

Each jar on the ``Class-Path`` may have one of its own. Its words are URLs, which begin at the
folder of the jar that names them; a word that ends with ``/`` is a folder. What is not there is
passed over.

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

    Java finds a manifest in small letters too.
    """
    return is_class(name) or name.upper().startswith(_META)


def is_class(name: str) -> bool:
    """Tell whether an entry is a class; Java takes ``A.class/`` for one, too."""
    return name.rstrip("/").endswith(_ENDING)


def entry_name(info: zipfile.ZipInfo) -> str:
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
            name = entry_name(info)
            limit = min(limits.entry, room)
            with jar.open(info) as stream:  # whose header may say anything
                content = stream.read(limit + 1)
            if len(content) > limit:
                raise InputError(
                    f"{quoted(name)} unpacks to more than is read; give the benchmarks' jar",
                    source=path,
                )
            room -= len(content)
            entries[name] = (*entries.get(name, ()), _kept(name, content))
    known = alike or {}
    return {n: known[n] if known.get(n) == own else own for n, own in entries.items()}


def _kept(name: str, content: bytes) -> bytes:
    return content if is_kept(name) else hashlib.sha256(content).digest()


MANIFEST = "META-INF/MANIFEST.MF"
_INDEX = "META-INF/INDEX.LIST"
_CLASS = re.compile(r"(?:META-INF/versions/(\d{1,9})/)?(.+)\.class/*", re.DOTALL)
_MOST_PLACES = 2_000
_MOST_FILES = 100_000

Variants = tuple[tuple[str, bytes], ...]
"""Every file that may be a class of one name, with where it lies."""


@dataclass(frozen=True)
class PathElement:
    """A jar or a folder of the class path.

    Parameters
    ----------
    label : str
        How the class path names it; empty for the jar itself.
    entries : dict of str to tuple of bytes
        What lies in it.
    """

    label: str
    entries: Entries = field(repr=False)

    @cached_property
    def manifest(self) -> bytes:
        """The manifest; empty if there is none. Java does not look at the case of its name."""
        found = [c for n, c in self.entries.items() if n.upper() == MANIFEST]
        return b"\n\n".join(one for contents in found for one in contents)

    @property
    def others(self) -> Iterator[str]:
        """The words by which it names other places; the index of a jar names some too."""
        yield from class_path_of(self.manifest)
        for content in self.entries.get(_INDEX, ()):
            lines = content.decode("utf-8", "replace").splitlines()
            yield from (line for line in lines if line.endswith(".jar"))


@dataclass(frozen=True)
class ClassPath:
    """The class path: all places that a JVM may load from.

    Parameters
    ----------
    places : tuple of PathElement
        In the order in which a JVM looks.
    problem : str
        Why more may be there than is known here; empty if all is known.
    """

    places: tuple[PathElement, ...]
    problem: str = ""

    @classmethod
    def of(cls, jar: Path, alike: ClassPath | None = None) -> ClassPath:
        """Read a jar and what its manifest names.

        Parameters
        ----------
        jar : Path
            The jar.
        alike : ClassPath, optional
            Another one: what is the same is kept once.

        Raises
        ------
        InputError
            If the jar itself cannot be read.
        """
        known = {place.label: place.entries for place in alike.elements} if alike else {}
        first = PathElement("", entries_of(jar, known.get("")))
        found = [first, *_named_by(first, jar, "", known, {jar.resolve()})]
        problems = [one for one in found if isinstance(one, str)]
        places = tuple(one for one in found if isinstance(one, PathElement))
        return cls(places, problems[-1] if problems else "")

    @cached_property
    def classes(self) -> Mapping[str, Variants]:
        """The files of each class, by its name as in ``java/lang/String``."""
        found: dict[str, list[tuple[str, bytes]]] = {}
        for place in self.elements:
            for entry, contents in place.entries.items():
                match = _CLASS.fullmatch(entry)
                if match is not None and (name := match[2]) != "module-info":
                    where = f"{place.label}:{match[1] or ''}"
                    found.setdefault(name, []).extend((where, one) for one in contents)
        # Of two entries of one name Java takes one by their order, so that order stays.
        return {name: tuple(sorted(own, key=itemgetter(0))) for name, own in found.items()}

    @cached_property
    def files(self) -> Mapping[str, tuple[bytes, ...]]:
        """All contents of every other entry, by its name, in the order of the class path."""
        found: dict[str, tuple[bytes, ...]] = {}
        for place in self.elements:
            for entry, contents in place.entries.items():
                match = _CLASS.fullmatch(entry)
                if match is None or match[2] == "module-info":
                    found[entry] = (*found.get(entry, ()), *contents)
        return found


def _named_by(
    place: PathElement, jar: Path, label: str, known: Mapping[str, Entries], seen: set[Path]
) -> Iterator[PathElement | str]:
    """Yield what a place names, from jar to jar, and in a sentence what cannot be read."""
    for word in place.others:
        try:
            path = _file_of(word, jar)
            if path is None or len(seen) > _MOST_PLACES:
                raise ValueError
            if path.resolve() in seen or not path.exists():
                continue
        except (OSError, ValueError, RuntimeError):  # a name that no file can have
            yield f"Class-Path names {word}, which is not read here"
            continue
        seen.add(path.resolve())
        is_folder = word.rpartition("/")[2] in ("", ".", "..")
        if is_folder != path.is_dir():
            continue  # a JVM finds nothing there
        own = f"{label}{word}"
        try:
            inner = PathElement(own, _folder(path) if is_folder else entries_of(path, known.get(own)))
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


def class_path_of(manifest: bytes) -> Iterator[str]:
    """Yield the words of the manifest's ``Class-Path``."""
    for line in unfold_manifest(manifest).split("\n"):
        name, _, value = line.partition(":")
        if name.strip().lower() == "class-path":
            yield from value.split()


def _file_of(word: str, jar: Path) -> Path | None:
    """Return the path that a URL names, relative to a jar; None if it names something else.

    Java drops ``a/..`` from a URL, even if there is no folder ``a``.
    """
    parts = urlsplit(word)
    if parts.scheme not in ("", "file") or parts.netloc or parts.query or parts.fragment:
        return None
    return Path(os.path.normpath(jar.absolute().parent / unquote(parts.path)))


def _folder(path: Path) -> Entries:
    """Read all files of a folder, and which folders are in it: Java finds these too."""
    entries: Entries = {}
    room = JAR_LIMITS.total
    found = sorted(islice(path.rglob("*"), _MOST_FILES + 1))  # a jar may name the whole disk
    for file in found:
        room -= file.stat().st_size
        if len(found) > _MOST_FILES or room < 0:
            raise InputError("holds too many files, or too large ones", source=path)
        name = file.relative_to(path).as_posix()
        if file.is_file():
            entries[name] = (_kept(name, file.read_bytes()),)
        elif file.is_dir() and not file.is_symlink():
            entries[f"{name}/"] = (b"",)
        else:
            raise InputError(f"holds {name}, which is no file and no folder", source=path)
    return entries
