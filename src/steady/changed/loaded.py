"""The classes that a fork has loaded, as its JVM logs them (``-Xlog:class+load``).

Source: JDK 9 to 25, ``classLoader.cpp`` and ``instanceKlass.cpp`` (``print_class_load_logging``): a
line for each class, its name and ``source:``, which is where the class came from.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

LOG_OPTION = "-Xlog:class+load=info:file={}:none:filecount=0"
"""What tells a JVM of Java 9 or later to write each class that it loads as one line of a file."""

_LINE = re.compile(r"(?:\[[^\]]*\] ?)*+([^\s\[]\S*) source: (.*)")
_PLACE = re.compile(r"(?:jar:)*file:(?://)?(.*?)(?:!.*)?")
_DRIVE = re.compile(r"/[A-Za-z]:")
_LARGEST = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Loaded:
    """What some forks of one benchmark have loaded.

    Parameters
    ----------
    classes : frozenset of str
        The classes of the jar, by names as in ``java/lang/String``.
    elsewhere : frozenset of str
        Other files and folders from which classes came.
    """

    classes: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = frozenset()

    def __or__(self, other: Loaded) -> Loaded:
        return Loaded(self.classes | other.classes, self.elsewhere | other.elsewhere)


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
        The jar, and what else stands on the class path of both versions.

    Returns
    -------
    Loaded or None
        None if nothing can be learnt from it: the file is missing or too large, or does not name
        a single class.
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
    classes, sources = set[str](), set[str]()
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match is not None:
            sources.add(match[2])
            classes.add(match[1].replace(".", "/"))
    if not classes:
        return None
    places = {match[1] for source in sources if (match := _PLACE.fullmatch(source))}
    elsewhere = {unquote(place) for place in places if _normal(place) not in known}
    return Loaded(frozenset(classes.intersection(held)), frozenset(elsewhere))


def _normal(place: str) -> str:
    """Return one spelling of a path, which a log may have written as part of an address."""
    text = unquote(place)
    path = Path(text[1:] if _DRIVE.match(text) else text)
    try:
        return str(path.resolve())
    except (OSError, ValueError):
        return str(path)
