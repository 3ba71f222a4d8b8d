"""Reasons why a benchmark of JMH may run other code in head than in base.

A fork of base loads some classes of its jar. If all of them are the same in head, and everything
else that they could read from the jar is too, then a fork of head does what the fork of base does:
it loads the same classes, and runs the same instructions. Whatever cannot be known counts as a
difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from steady.harness.jmh.samecode.class_log import Loaded
from steady.harness.jmh.samecode.difference import Difference
from steady.harness.jmh.samecode.touched import Touched
from steady.model import Identity
from steady.text.counting import listed

_AGENT = re.compile(
    r"-javaagent:|-agentlib:|-agentpath:|-Xrun|--patch-module|-Xbootclasspath|-Djava\.system\.class"
)
_SHOWN = 2


@dataclass(frozen=True, eq=False)
class Reasons:
    """Why benchmarks may run other code.

    Parameters
    ----------
    difference : Difference
        Of the two jars.
    loaded : mapping of Identity to Loaded
        What forks of base have loaded.
    arguments : sequence of str
        Arguments of the forks' JVM beside those that a benchmark declares.
    unknown : str
        Why nothing is known of benchmarks that are not in `loaded`.
    """

    difference: Difference
    loaded: Mapping[Identity, Loaded]
    arguments: Sequence[str] = ()
    unknown: str = ""

    def why(self, identity: Identity) -> str:
        """Say, simply, why a benchmark may not run the same code; empty if it does."""
        return next(self._all(identity), "")

    @cached_property
    def _touched(self) -> Touched:
        return Touched(self.difference)

    def _all(self, identity: Identity) -> Iterator[str]:
        own = self.loaded.get(identity)
        if own is None or not own.classes:
            yield self.unknown or "the classes that it loads are not known"
            return
        difference = self.difference
        changed = difference.changed(own.classes)
        if changed:
            noticed = self._touched.noticed(own, changed)
            if noticed.classes:
                yield f"loads {_named(noticed.classes)}, which changed"
            if noticed.methods:
                yield f"may run {_named(noticed.methods)}, which changed"
        yield from self._of_its_record(identity)
        yield from self._of_hints(own)
        if own.elsewhere:
            yield f"loads classes from {_shown(sorted(own.elsewhere))}, which is not in the jar"
        mentions = difference.base.mentions(own.classes)
        added = [name for name in difference.added if mentions.may_name(name)]
        if added:
            yield f"may load {_named(added)}, which head adds"
        if mentions.reads_classes and difference.any_class:
            yield f"may read files of classes, and {_named([difference.any_class])} changed"
        read = difference.resources_read(reads_files=mentions.reads_files, words=mentions.words)
        if read:
            yield f"may read {_shown(read)}, which changed"
        if difference.manifest:
            yield f"the jar's manifest changed ({_shown(difference.manifest)})"

    def _of_its_record(self, identity: Identity) -> Iterator[str]:
        records = self.difference.records
        if records is None:
            yield "JMH's list of benchmarks is in a format that is not known"
            return
        base, head = (_of_mode(side.get(identity.name, {}), identity.mode) for side in records)
        if base != head:
            yield "JMH's list of benchmarks says something else about it"
        agent = _AGENT.search(" ".join((*self.arguments, *base)))
        if agent is not None:
            yield f"its JVM gets {agent[0]}, by which other code may run than the jar's"

    def _of_hints(self, own: Loaded) -> Iterator[str]:
        hints = self.difference.hints
        if hints is None:
            yield "JMH's hints to the compiler changed"
        elif touched := sorted(hints & own.classes):
            yield f"JMH's hints to the compiler changed about {_named(touched)}"


def _of_mode(records: Mapping[str, str], mode: str) -> list[str]:
    return [record for known, record in sorted(records.items()) if known in (mode, "all")]


def _named(names: Iterable[str]) -> str:
    return _shown([name.replace("/", ".") for name in names])


def _shown(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return listed(list(names), _SHOWN) if more > 0 else " and ".join(names)
