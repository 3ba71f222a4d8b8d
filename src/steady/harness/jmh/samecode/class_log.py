"""Logs of the classes that forks have loaded, as a JVM writes them (``-Xlog:class+load``).

Source: JDK 9 to 25, ``classLoader.cpp`` and ``instanceKlass.cpp`` (``print_class_load_logging``): a
line for each class, its name and ``source:``, which is where the class came from. Before any code
of a class runs, the JVM checks and initialises it, and writes a line for each step
(``verifier.cpp``, ``call_class_initializer``).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from steady.model import Identity

if TYPE_CHECKING:  # a jar's index, which it has, needs none of this
    from steady.harness.jmh.run.jar import BenchmarkJar

LOG_OPTION = "-Xlog:class+load=info,class+init=info:file={}:none:filecount=0"
"""The option with which a JVM of Java 9 or later writes each class that it loads and uses to a
file."""

_USED = re.compile(r"Start class verification for: (\S+)|(?<=\d) Initializing '([^']+)'")
_LINE = re.compile(r"(?:\[[^\]]*\] ?)*+([^\s\[]\S*) source: (.*)")
_PLACE = re.compile(r"(?:jar:)*file:(?://)?([^!]*)(?:!.*)?")
_DRIVE = re.compile(r"/[A-Za-z]:")
_LARGEST = 64 * 2**20

_PLAIN = re.compile(r"[\w ./+@~-]+")
"""Paths that a JVM takes as they are: no separator of its own, and nothing that it replaces."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What some forks of one benchmark have loaded.

    Parameters
    ----------
    classes : frozenset of str
        The classes of the jar, by names as in ``java/lang/String``.
    elsewhere : frozenset of str
        Other files and folders from which classes came.
    idle : frozenset of str
        Those of the classes that no fork has used. The JVM loads such a class to compare types, and
        neither checks nor initialises it, so none of its code runs.
    """

    classes: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = frozenset()
    idle: frozenset[str] = frozenset()

    def __or__(self, other: Loaded) -> Loaded:
        used = (self.classes - self.idle) | (other.classes - other.idle)
        classes = self.classes | other.classes
        return Loaded(classes, self.elsewhere | other.elsewhere, classes - used)


def joined(*sides: Mapping[Identity, Loaded]) -> dict[Identity, Loaded]:
    """Return all that is known of each benchmark."""
    known: dict[Identity, Loaded] = {}
    for side in sides:
        for identity, one in side.items():
            known[identity] = known.get(identity, Loaded()) | one
    return known


@dataclass(eq=False)
class ClassLog:
    """What the forks of one jar have loaded: each log is read when its fork has ended.

    The profiler by which forks take turns asks for the log (``SteadyTurns.java``), so that JMH does
    not count the argument among those of the benchmark.

    Parameters
    ----------
    jar : BenchmarkJar
        Their jar.
    held : collection of str
        The classes that it holds.
    path : Path
        File for the log of the fork that runs.
    own : collection of Path
        What stands on the class path of both versions beside the jar.
    loaded : dict of Identity to Loaded
        Gets what is learnt.
    """

    jar: BenchmarkJar
    held: Collection[str]
    path: Path
    own: Collection[Path]
    loaded: dict[Identity, Loaded]

    def argument(self, identity: Identity) -> str:
        """Return how the profiler is told to have a log written; empty if it must not.

        A benchmark that names a JVM of its own may name one that knows no such log.
        """
        self.path.unlink(missing_ok=True)
        records = self.jar.records.get(identity.name, {}).values()
        if any(record.annotated("jvm") for record in records) or not _PLAIN.fullmatch(
            str(self.path)
        ):
            return ""
        return f"@{base64.urlsafe_b64encode(str(self.path).encode()).decode()}"

    def keep(self, identity: Identity) -> None:
        """Learn what the fork has loaded, which has just ended."""
        loaded = read_loaded(self.path, self.held, (self.jar.path, *self.own))
        self.path.unlink(missing_ok=True)
        if loaded is not None:
            self.loaded[identity] = self.loaded.get(identity, Loaded()) | loaded


def read_loaded(log: Path, held: Collection[str], own: Collection[Path] = ()) -> Loaded | None:
    """Read a JVM's log of loaded classes.

    A class counts as one of the jar if the jar holds one of its name, wherever the JVM says that
    it came from: it may have come from an archive of shared classes.

    Parameters
    ----------
    log : Path
        The file.
    held : collection of str
        The classes that the jar holds.
    own : collection of Path
        The jar, and other entries of the class path of both versions.

    Returns
    -------
    Loaded or None
        None if nothing can be learnt from it: the file is missing or too large, or does not name a
        single class. If the log does not say which classes are used, none is idle.
    """
    try:
        if log.stat().st_size > _LARGEST:
            return None
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return parse_loaded(text, held, own)


def parse_loaded(text: str, held: Collection[str], own: Collection[Path] = ()) -> Loaded | None:
    """Read the text of a log; see `read_loaded`."""
    known = {_normal(str(path)) for path in own}
    classes, sources, used = set[str](), set[str](), set[str]()
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match is not None:
            sources.add(match[2])
            classes.add(match[1].replace(".", "/"))
        elif (match := _USED.search(line)) is not None:
            used.add((match[1] or match[2]).replace(".", "/"))
    if not classes:
        return None
    places = {match[1] for source in sources if (match := _PLACE.fullmatch(source))}
    elsewhere = {unquote(place) for place in places if _normal(place) not in known}
    own_classes = frozenset(classes.intersection(held))
    idle = own_classes - used if own_classes & used else frozenset[str]()
    return Loaded(own_classes, frozenset(elsewhere), idle)


def _normal(place: str) -> str:
    """Return one spelling of a path, which a log may have written as part of an address."""
    text = unquote(place)
    path = Path(text[1:] if _DRIVE.match(text) else text)
    try:
        return str(path.resolve())
    except (OSError, ValueError):
        return str(path)
