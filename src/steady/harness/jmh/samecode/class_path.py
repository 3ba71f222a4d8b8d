"""What a JVM finds with ``java -jar``: the jar, and all that the manifest's ``Class-Path`` names.

Each jar on the ``Class-Path`` may have one of its own. Its words are URLs, which begin at the
folder of the jar that names them; a word that ends with ``/`` is a folder. What is not there is
passed over.

Source: the JAR File Specification, "Class-Path attribute" and "Multi-release JAR files";
jdk.internal.loader.URLClassPath of OpenJDK 17.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from steady.errors import InputError
from steady.harness.jmh.samecode.zip_entries import Entries, entries_of

MANIFEST = "META-INF/MANIFEST.MF"
_CLASS = re.compile(r"(?:META-INF/versions/(\d{1,9})/)?(.+)\.class", re.DOTALL)
_MOST_PLACES = 2_000
_MOST_FILES = 100_000

Variants = tuple[tuple[str, bytes], ...]
"""Every file that may be a class of one name, with where it lies."""


@dataclass(frozen=True)
class Place:
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


@dataclass(frozen=True)
class ClassPath:
    """All that a JVM may load from.

    Parameters
    ----------
    places : tuple of Place
        In the order in which a JVM looks.
    problem : str
        Why more may be there than is known here; empty if all is known.
    """

    places: tuple[Place, ...]
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
        known = {place.label: place.entries for place in alike.places} if alike else {}
        first = Place("", entries_of(jar, known.get("")))
        reading = _Reading(known, [first], {jar.resolve()})
        reading.follow(first, jar)
        return cls(tuple(reading.places), reading.problem)

    @cached_property
    def classes(self) -> Mapping[str, Variants]:
        """The files of each class, by its name as in ``java/lang/String``."""
        found: dict[str, list[tuple[str, bytes]]] = {}
        for place in self.places:
            for entry, contents in place.entries.items():
                match = _CLASS.fullmatch(entry)
                if match is not None and (name := match[2]) != "module-info":
                    where = f"{place.label}:{match[1] or ''}"
                    found.setdefault(name, []).extend((where, one) for one in contents)
        return {name: tuple(sorted(own)) for name, own in found.items()}

    @cached_property
    def files(self) -> Mapping[str, tuple[bytes, ...]]:
        """All contents of every other entry, by its name, in the order of the class path."""
        found: dict[str, tuple[bytes, ...]] = {}
        for place in self.places:
            for entry, contents in place.entries.items():
                match = _CLASS.fullmatch(entry)
                if match is None or match[2] == "module-info":
                    found[entry] = (*found.get(entry, ()), *contents)
        return found


class _Reading:
    """Follows ``Class-Path`` from jar to jar."""

    def __init__(self, known: Mapping[str, Entries], places: list[Place], seen: set[Path]) -> None:
        self.known = known
        self.places = places
        self.seen = seen
        self.problem = ""

    def follow(self, place: Place, jar: Path, label: str = "") -> None:
        for word in class_path_of(place.manifest):
            path = _file_of(word, jar)
            if path is None or len(self.places) > _MOST_PLACES:
                self.problem = f"Class-Path names {word}, which is not read here"
                continue
            if path.resolve() in self.seen or not path.exists():
                continue
            self.seen.add(path.resolve())
            self._add(path, f"{label}{word}", is_folder=word.endswith("/"))

    def _add(self, path: Path, label: str, *, is_folder: bool) -> None:
        if is_folder != path.is_dir():
            return  # a JVM finds nothing there
        try:
            entries = _folder(path) if is_folder else entries_of(path, self.known.get(label))
        except (InputError, OSError):
            self.problem = f"{label} on the Class-Path cannot be read"
            return
        place = Place(label, entries)
        self.places.append(place)
        if not is_folder:
            self.follow(place, path, f"{label} ")


def class_path_of(manifest: bytes) -> Iterator[str]:
    """Yield the words of the manifest's ``Class-Path``."""
    text = manifest.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    for line in text.replace("\n ", "").split("\n"):
        name, _, value = line.partition(":")
        if name.strip().lower() == "class-path":
            yield from value.split()


def _file_of(word: str, jar: Path) -> Path | None:
    """Return the file that a URL means, beside a jar; None if it is no file."""
    try:
        parts = urlsplit(word)
    except ValueError:
        return None
    if parts.scheme not in ("", "file") or parts.netloc or parts.query or parts.fragment:
        return None
    return jar.parent / unquote(parts.path)


def _folder(path: Path) -> Entries:
    entries: Entries = {}
    for number, file in enumerate(sorted(path.rglob("*"))):
        if number > _MOST_FILES:
            raise InputError("holds too many files", source=path)
        if file.is_file():
            name = file.relative_to(path).as_posix()
            content = file.read_bytes()
            keeps = name.endswith(".class") or name.startswith("META-INF/")
            entries[name] = (content if keeps else hashlib.sha256(content).digest(),)
    return entries
