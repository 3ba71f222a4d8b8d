"""Benchmarks that prepare something before each iteration, or clear it away after it.

What they measure may depend on how long an iteration is: a list that each operation makes longer,
and that is new in each iteration. So their iterations must be as long as planned.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from steady.changed.class_file import class_texts
from steady.emit.benchmark_list_file import open_jar

_CLASS = ".class"
_OF_JMH = tuple(
    f"org/openjdk/jmh/{name}/"
    for name in ("annotations", "generators", "infra", "profile", "results", "runner", "util")
)
_LEVEL, _ITERATION = "Lorg/openjdk/jmh/annotations/Level;", "Iteration"
_ENDS = re.compile(r"[;<()\[]")
"""What stands between the classes in the type of a field or a method: ``Lorg/example/Bench;``."""

_LARGEST = 2**24


def with_fixtures(jar: Path, generated: Mapping[str, str]) -> frozenset[str]:
    """Return the benchmarks for which a method may run before or after each iteration.

    Parameters
    ----------
    jar : Path
        A jar of benchmarks.
    generated : mapping of str to str
        By a benchmark's name, the class that JMH generated for it.

    Returns
    -------
    frozenset of str
        Names of those whose code mentions, directly or through other classes, one with a
        ``@Setup`` or ``@TearDown`` of ``Level.Iteration``.
    """
    with open_jar(jar) as opened:
        classes = _Classes(opened)
        marked = frozenset(filter(classes.is_marked, classes.names))
        if not marked:
            return marked
        return frozenset(
            name
            for name, stub in generated.items()
            if classes.reach(stub.replace(".", "/"), marked)
        )


class _Classes:
    """The classes of an open jar, without those of JMH."""

    def __init__(self, jar: zipfile.ZipFile) -> None:
        self._jar = jar
        self._infos = {
            info.filename.removesuffix(_CLASS): info
            for info in jar.infolist()
            if info.filename.endswith(_CLASS)
            and not info.filename.startswith(_OF_JMH)
            and info.file_size <= _LARGEST
        }
        self._mentioned: dict[str, frozenset[str]] = {}

    @property
    def names(self) -> Iterable[str]:
        """Their names, as in ``java/lang/String``."""
        return self._infos

    def is_marked(self, name: str) -> bool:
        """Tell whether a class may have a method that runs before or after each iteration."""
        content = self._jar.read(self._infos[name])
        if _LEVEL.encode() not in content:
            return False
        texts = class_texts(content)
        return texts is None or (_LEVEL in texts and _ITERATION in texts)

    def reach(self, start: str, marked: frozenset[str]) -> bool:
        """Tell whether a class mentions a marked one, directly or through others."""
        seen, left = {start}, [start]
        while left:
            name = left.pop()
            if name in marked:
                return True
            new = self._mentions(name) - seen
            seen |= new
            left += new
        return False

    def _mentions(self, name: str) -> frozenset[str]:
        if name not in self._mentioned:
            info = self._infos.get(name)
            texts = None if info is None else class_texts(self._jar.read(info))
            words = set(texts or ())
            parts = (part for text in texts or () for part in _ENDS.split(text))
            words.update(part[1:] for part in parts if part.startswith("L"))
            self._mentioned[name] = frozenset(words & self._infos.keys())
        return self._mentioned[name]
