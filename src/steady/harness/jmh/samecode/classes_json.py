"""The file ``classes.json``: what the forks of a run have loaded, for later runs of other builds.

It lies in the folder of the run, and `steady optimize` copies it beside the plan. What a fork has
loaded is also true of another build of its version, as long as nothing that it loaded, or could
read, is different there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from msgspec import Struct

from steady.errors import InputError
from steady.files import json_text, read_json
from steady.harness.jmh.configure.benchmark_list_file import LIST
from steady.harness.jmh.samecode.class_log import Loaded, joined
from steady.harness.jmh.samecode.difference import HINTS, MANIFEST, meant_by_manifest
from steady.harness.jmh.samecode.jar_index import JarIndex
from steady.model import Identity

CLASSES = "classes.json"

_NAME_DIGITS = 12


class LoadedEntry(Struct, frozen=True):
    """What one benchmark has loaded: places in the list of classes, and other places on disk.

    ``idle`` are the places of the classes that it has not used.
    """

    identity: Identity
    classes: tuple[int, ...]
    elsewhere: tuple[str, ...] = ()
    idle: tuple[int, ...] = ()


class BuildEntry(Struct, frozen=True):
    """What forks of one jar have loaded.

    Parameters
    ----------
    jar : str
        The digest of the jar's entries.
    jvm : str
        Java, and the arguments of its forks.
    files : str
        The digest of all that is not a class, without JMH's own files.
    names : str
        The digests of the names of all classes, shortened, one after the other.
    classes : tuple of (str, str)
        Names of loaded classes, and the digest of each.
    benchmarks : tuple of LoadedEntry
        What each has loaded.
    """

    jar: str
    jvm: str
    files: str
    names: str
    classes: tuple[tuple[str, str], ...]
    benchmarks: tuple[LoadedEntry, ...]


class ClassesFile(Struct, frozen=True):
    """The whole file: one entry for each jar."""

    steady_classes: Literal[1]
    builds: tuple[BuildEntry, ...]


def build_entry(jar: JarIndex, jvm: str, loaded: Mapping[Identity, Loaded]) -> BuildEntry:
    """Return what is kept about one jar.

    Parameters
    ----------
    jar : JarIndex
        The jar.
    jvm : str
        Java, and the arguments of the forks.
    loaded : mapping of Identity to Loaded
        What its forks have loaded.
    """
    names = sorted({name for one in loaded.values() for name in one.classes})
    places = {name: place for place, name in enumerate(names)}
    return BuildEntry(
        jar.digest,
        jvm,
        _files(jar),
        "".join(sorted(map(_short, jar.classes))),
        tuple((name, _class(jar, name)) for name in names),
        tuple(
            LoadedEntry(
                identity,
                tuple(sorted(places[name] for name in one.classes)),
                tuple(sorted(one.elsewhere)),
                tuple(sorted(places[name] for name in one.idle)),
            )
            for identity, one in sorted(loaded.items())
        ),
    )


def classes_text(builds: Sequence[BuildEntry]) -> str:
    """Return the text of ``classes.json``."""
    return json_text(ClassesFile(1, tuple(builds)), indent=0)


def read_builds(path: Path) -> tuple[BuildEntry, ...]:
    """Read ``classes.json``; nothing if the file does not exist.

    Raises
    ------
    InputError
        If it is something else.
    """
    if not path.is_file():
        return ()
    remedy = "delete it; the next run writes a new one"
    return read_json(path, ClassesFile, what="a list of loaded classes", remedy=remedy).builds


def joined_text(paths: Iterable[Path]) -> str:
    """Return the text of one ``classes.json`` for several; empty if none holds anything."""
    builds: list[BuildEntry] = []
    for path in paths:
        with suppress(InputError):  # a file of that name that steady did not write
            builds += read_builds(path)
    return classes_text(builds) if builds else ""


def known_of(builds: Iterable[BuildEntry], jar: JarIndex, jvm: str) -> dict[Identity, Loaded]:
    """Return what forks of a jar load, as far as forks of it or of similar jars have shown.

    Parameters
    ----------
    builds : iterable of BuildEntry
        What is known.
    jar : JarIndex
        The jar.
    jvm : str
        Java, and the arguments of the forks.
    """
    return joined(*(dict(_shown(build, jar)) for build in builds if build.jvm == jvm))


def _shown(build: BuildEntry, jar: JarIndex) -> Iterator[tuple[Identity, Loaded]]:
    """Yield what forks of one jar have loaded, as far as it is true of another one."""
    same_jar = build.jar == jar.digest
    if not same_jar and build.files != _files(jar):
        return
    names = [name for name, _ in build.classes]
    alike = [same_jar or _class(jar, name) == one for name, one in build.classes]
    added = [] if same_jar else _added(build.names, jar)
    for entry in build.benchmarks:
        if all(place < len(names) and alike[place] for place in (*entry.classes, *entry.idle)):
            own = frozenset(names[place] for place in entry.classes)
            if not added or not any(map(jar.mentions(own).may_name, added)):
                idle = own.intersection(names[place] for place in entry.idle)
                yield entry.identity, Loaded(own, frozenset(entry.elsewhere), idle)


def _added(former_names: str, jar: JarIndex) -> list[str]:
    """Return the classes that a former jar did not have."""
    cuts = range(0, len(former_names), _NAME_DIGITS)
    former = {former_names[cut : cut + _NAME_DIGITS] for cut in cuts}
    return [name for name in jar.classes if _short(name) not in former]


def _files(jar: JarIndex) -> str:
    """Return the digest of all that is not a class, without JMH's own and dates of the build."""
    kept = {name: one for name, one in jar.resources.items() if name not in (LIST, HINTS, MANIFEST)}
    manifest = meant_by_manifest(jar.content(MANIFEST))
    content = repr((sorted(kept.items()), manifest))
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()


def _class(jar: JarIndex, name: str) -> str:
    return hashlib.sha256(repr(jar.files_of(name)).encode("utf-8", "replace")).hexdigest()[:32]


def _short(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:_NAME_DIGITS]
