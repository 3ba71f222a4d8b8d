"""The index of a jar: the digest of every entry, whatever its order and time stamp."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

from steady.errors import InputError
from steady.harness.jmh.configure.benchmark_list_file import open_jar
from steady.harness.jmh.samecode.class_file import digest_class
from steady.harness.jmh.samecode.class_reader import class_texts
from steady.harness.jmh.samecode.members import Members, read_members
from steady.harness.jmh.samecode.mentions import Mentions
from steady.readers.fields import quoted

_CLASS = re.compile(r"(?:META-INF/versions/\d{1,4}/)?(.+)\.class", re.DOTALL)
_CHUNK = 2**20

Texts = dict[str, list[str] | None]
"""The texts that each class holds, by its name; None of what is not a class file."""


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


@dataclass(frozen=True, eq=False)
class JarIndex:
    """A jar's entries; their contents are read again when they are needed.

    Parameters
    ----------
    path : Path
        The jar.
    entries : mapping of str to str
        The SHA-256 of each entry, by its name. If a name appears twice, all contents count, in
        their order. Folders are left out.
    marked : frozenset of str
        Names of the entries that hold the bytes searched for.
    """

    path: Path
    entries: Mapping[str, str]
    marked: frozenset[str] = frozenset()
    _members: dict[str, Members | None] = field(default_factory=dict, repr=False)
    _mentions: dict[str, Mentions] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, path: Path, limits: JarLimits = JAR_LIMITS, *, mark: bytes = b"") -> JarIndex:
        """Read a jar, once.

        Parameters
        ----------
        path : Path
            The jar.
        limits : JarLimits
            How much of it is read at most.
        mark : bytes
            Bytes to search for in its entries; none if empty.

        Raises
        ------
        InputError
            If it cannot be read, is damaged, or holds more than `limits`.
        """
        digests: dict[str, str] = {}
        marked: set[str] = set()
        with open_jar(path) as jar:
            infos = [info for info in jar.infolist() if not info.is_dir()]
            if len(infos) > limits.entries:
                raise InputError(
                    f"holds more than {limits.entries:,} files; give the benchmarks' jar",
                    source=path,
                )
            room = limits.total
            for info in infos:
                name = info.filename
                limit = min(limits.entry, room)
                size, digest, is_marked = _entry(jar, info, limit, mark, path)
                room -= size
                if name in digests:
                    digest = hashlib.sha256(f"{digests[name]}{digest}".encode()).hexdigest()
                digests[name] = digest
                if is_marked:
                    marked.add(name)
        return cls(path, digests, frozenset(marked))

    @cached_property
    def classes(self) -> Mapping[str, tuple[str, ...]]:
        """The entries of each class, by its name as in ``java/lang/String``.

        A jar for several releases of Java may hold a class more than once.
        """
        entries: dict[str, tuple[str, ...]] = {}
        for entry in sorted(self.entries):
            match = _CLASS.fullmatch(entry)
            if match is not None:
                entries[match[1]] = (*entries.get(match[1], ()), entry)
        return entries

    @cached_property
    def resources(self) -> Mapping[str, str]:
        """The SHA-256 of each entry that is not a class, by its name."""
        return {name: one for name, one in self.entries.items() if not _CLASS.fullmatch(name)}

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all entries with their names."""
        digest = hashlib.sha256()
        for name in sorted(self.entries):
            digest.update(f"{name}\0{self.entries[name]}\0".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of entries; of those that the jar does not hold, nothing."""
        with open_jar(self.path) as jar:
            return {name: jar.read(name) for name in names if name in self.entries}

    def content(self, name: str) -> bytes:
        """Return the content of one entry; nothing if the jar does not hold it."""
        return self.read([name]).get(name, b"")

    def files_of(self, name: str) -> tuple[str, ...]:
        """Return the digests of all bytes of a class; none where the jar does not hold it."""
        return tuple(f"{e}={self.entries[e]}" for e in self.classes.get(name, ()))

    def codes(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the digests of some classes without what only debuggers read."""
        wanted = list(names)
        contents = self.read(entry for name in wanted for entry in self.classes.get(name, ()))
        return {
            name: tuple(f"{e}={digest_class(contents[e])}" for e in self.classes.get(name, ()))
            for name in wanted
        }

    def members(self, names: Iterable[str]) -> dict[str, Members | None]:
        """Return the methods of some classes.

        None if a class is not known: the jar does not hold it, or holds it for several releases of
        Java, or it is not a class file that `read_members` knows.
        """
        wanted = list(names)
        entries = {n: self.classes.get(n, ()) for n in wanted if n not in self._members}
        single = {name: own[0] for name, own in entries.items() if len(own) == 1}
        contents = self.read(single.values())
        read = {name: read_members(contents[entry]) for name, entry in single.items()}
        self._members.update({name: read.get(name) for name in entries})
        return {name: self._members[name] for name in wanted}

    def texts(self, names: Iterable[str]) -> Texts:
        """Return the texts that classes hold (`class_texts`); None of what is not a class file."""
        with self.opened() as texts:
            return texts(names)

    def mentions(self, names: Iterable[str]) -> Mentions:
        """Return what some classes mention together."""
        wanted = sorted(names)
        texts = self.texts(name for name in wanted if name not in self._mentions)
        self._mentions.update({name: Mentions.of(name, own) for name, own in texts.items()})
        return Mentions.joined([self._mentions[name] for name in wanted])

    @contextmanager
    def opened(self) -> Iterator[Callable[[Iterable[str]], Texts]]:
        """Open the jar for more than one call of `texts`: its list of entries may be long."""
        with open_jar(self.path) as jar:
            yield partial(self._texts, jar)

    def _texts(self, jar: zipfile.ZipFile, names: Iterable[str]) -> Texts:
        texts: Texts = {}
        for name in names:
            own = [class_texts(jar.read(entry)) for entry in self.classes.get(name, ())]
            if own:
                known = [text for one in own if one is not None for text in one]
                texts[name] = None if None in own else known
        return texts


def _entry(
    jar: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int, mark: bytes, path: Path
) -> tuple[int, str, bool]:
    """Return size and SHA-256 of an entry, whose header may say anything; and the mark."""
    digest, size, is_marked = hashlib.sha256(), 0, False
    before = b""
    with jar.open(info) as stream:
        while chunk := stream.read(_CHUNK):
            size += len(chunk)
            if size > limit:
                raise InputError(
                    f"{quoted(info.filename)} unpacks to more than is read; give the "
                    "benchmarks' jar",
                    source=path,
                )
            digest.update(chunk)
            if mark and not is_marked:
                before += chunk
                is_marked = mark in before
                before = before[1 - len(mark) :]
    return size, digest.hexdigest(), is_marked
