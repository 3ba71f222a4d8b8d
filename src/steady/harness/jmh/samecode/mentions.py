"""Mentions in loaded classes: names of other classes, and of methods that read a jar's files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[\w$]+")

_READERS = frozenset(
    {
        *("getResource", "getResourceAsStream", "getResources", "findResource", "findResources"),
        *("getSystemResource", "getSystemResourceAsStream", "getSystemResources", "resources"),
        *("ResourceBundle", "ServiceLoader", "Package", "getCodeSource", "URLClassLoader"),
        *("JarFile", "JarInputStream", "JarURLConnection", "Manifest", "ZipFile"),
        *("ZipInputStream", "FileSystems", "openStream", "openConnection"),
    }
)
"""Methods and classes of the JDK that read files of a jar. A class that names none of them reads
no file."""

_CLASS_PATH = "java.class.path"
_CLASS_FILE = ".class"

_JMH = re.compile(r"org/openjdk/jmh/(?:infra|profile|results|runner|util)/.*")
"""JMH itself reads only its list from the jar, and in its own JVM, not in a fork."""


def is_of_jmh(name: str) -> bool:
    """Tell whether a class is part of JMH, as a fork needs it."""
    return _JMH.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Mentions:
    """The words of the texts in some classes' constant pools.

    Parameters
    ----------
    words : frozenset of str
        Runs of letters, digits, ``_`` and ``$``: ``java/util/List`` are three.
    known : bool
        Whether the texts of all classes are known.
    reads_files, reads_classes : bool
        Whether any class but JMH's own mentions what reads files of a jar, and files of classes.
    """

    words: frozenset[str]
    known: bool = True
    reads_files: bool = False
    reads_classes: bool = False

    @classmethod
    def of(cls, name: str, texts: Iterable[str] | None) -> Mentions:
        """Return what one class mentions, given its texts; None if they are not known."""
        if texts is None:
            return cls(frozenset(), known=False, reads_files=True, reads_classes=True)
        own = list(texts)
        words = frozenset(word for text in own for word in _WORD.findall(text))
        if is_of_jmh(name):
            return cls(words)
        reads_files = not _READERS.isdisjoint(words) or any(_CLASS_PATH in text for text in own)
        return cls(words, True, reads_files, any(_CLASS_FILE in text for text in own))

    @classmethod
    def joined(cls, mentions: Sequence[Mentions]) -> Mentions:
        """Return what several classes mention together."""
        reads_files = any(one.reads_files for one in mentions)
        return cls(
            frozenset[str]().union(*(one.words for one in mentions)),
            all(one.known for one in mentions),
            reads_files,
            reads_files and any(one.reads_classes for one in mentions),
        )

    def may_name(self, name: str) -> bool:
        """Tell whether a class may be named by these words: as a whole, or put together from two.

        Parameters
        ----------
        name : str
            As in ``java/lang/String``. Its package does not count.
        """
        if not self.known:
            return True
        return all(self._has(word) for word in _WORD.findall(name.rpartition("/")[2]))

    def _has(self, word: str) -> bool:
        if word in self.words:
            return True
        cuts = range(1, len(word))
        return any(word[:cut] in self.words and word[cut:] in self.words for cut in cuts)
