"""Benchmarks that prepare something before each iteration, or clear it away after it.

What they measure may depend on how long an iteration is: a list that each operation makes longer,
and that is new in each iteration. So their iterations must be as long as planned.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from steady.harness.jmh.samecode.jar_index import JarIndex

MARK = b"Lorg/openjdk/jmh/annotations/Level;"
"""What a class holds where an annotation of it names a level: the jar's index looks for it."""

_OF_JMH = tuple(
    f"org/openjdk/jmh/{name}/"
    for name in ("annotations", "generators", "infra", "profile", "results", "runner", "util")
)
_ITERATION = "Iteration"
_ENDS = re.compile(r"[;<()\[]")
"""What stands between the classes in the type of a field or a method: ``Lorg/example/Bench;``."""


def with_fixtures(jar: JarIndex, generated: Mapping[str, str]) -> frozenset[str]:
    """Return the benchmarks for which a method may run before or after each iteration.

    Parameters
    ----------
    jar : JarIndex
        A jar of benchmarks, in which `MARK` was looked for.
    generated : mapping of str to str
        By a benchmark's name, the class that JMH generated for it.

    Returns
    -------
    frozenset of str
        Names of those whose code mentions, directly or through other classes, one with a
        ``@Setup`` or ``@TearDown`` of ``Level.Iteration``.
    """
    marked = _marked(jar)
    if not marked:
        return frozenset()
    stubs = {name: stub.replace(".", "/") for name, stub in generated.items()}
    reaching = _reaching(jar, stubs.values(), marked)
    return frozenset(name for name, stub in stubs.items() if stub in reaching)


def _marked(jar: JarIndex) -> frozenset[str]:
    """Return the classes that may have a method that runs before or after each iteration."""
    holding = [
        name
        for name, entries in jar.classes.items()
        if not name.startswith(_OF_JMH) and not jar.marked.isdisjoint(entries)
    ]
    texts = jar.texts(holding)
    return frozenset(name for name in holding if (own := texts[name]) is None or _ITERATION in own)


def _reaching(jar: JarIndex, starts: Iterable[str], marked: Collection[str]) -> set[str]:
    """Return the marked classes, and those that mention one, directly or through others.

    What no start mentions is not looked at, and neither is what only a marked class mentions.
    """
    known = {name for name in jar.classes if not name.startswith(_OF_JMH)}
    mentioning: dict[str, set[str]] = defaultdict(set)
    seen: set[str] = set(marked)
    new = set(starts) - seen
    with jar.opened() as texts:
        while new:
            seen |= new
            mentions = {name: _mentions(own) & known for name, own in texts(new).items()}
            for name, ones in mentions.items():
                for one in ones:
                    mentioning[one].add(name)
            new = set().union(*mentions.values()) - seen
    reaching, left = set(marked), list(marked)
    while left:
        more = mentioning[left.pop()] - reaching
        reaching |= more
        left += more
    return reaching


def _mentions(texts: Iterable[str] | None) -> set[str]:
    """Return what may be names of classes among the texts that a class holds."""
    words = set(texts or ())
    parts = (part for text in texts or () for part in _ENDS.split(text))
    words.update(part[1:] for part in parts if part.startswith("L"))
    return words
