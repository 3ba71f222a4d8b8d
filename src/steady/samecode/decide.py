"""Which benchmarks run the same code in base and in head, and why others may not.

A fork of base loads some classes of its jar. If all of them are the same in head, and everything
else that they could read from the jar is too, then a fork of head does what the fork of base does:
it loads the same classes, and runs the same instructions. Whatever cannot be known counts as a
difference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from steady.harness.jmh.samecode.difference import Difference
from steady.harness.jmh.samecode.loaded import Loaded
from steady.harness.jmh.samecode.mentions import Mentions
from steady.harness.jmh.samecode.touched import Touched
from steady.model import Identity
from steady.text.counting import count, listed

_AGENT = re.compile(
    r"-javaagent:|-agentlib:|-agentpath:|-Xrun|--patch-module|-Xbootclasspath|-Djava\.system\.class"
)
_SHOWN = 2


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether one benchmark runs the same code in both versions.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    why : str
        Why it may run other code; empty if it runs the same.
    """

    identity: Identity
    why: str = ""

    @property
    def same(self) -> bool:
        """Whether it runs the same code."""
        return not self.why


def decide(
    difference: Difference,
    loaded: Mapping[Identity, Loaded],
    benchmarks: Mapping[str, Collection[Identity]],
    arguments: Sequence[str] = (),
    unknown: str = "",
) -> tuple[Decision, ...]:
    """Decide for each benchmark.

    Parameters
    ----------
    difference : Difference
        Of the two jars.
    loaded : mapping of Identity to Loaded
        What forks of base have loaded.
    benchmarks : mapping of str to collection of Identity
        The benchmarks of ``base`` and ``head``.
    arguments : sequence of str
        Arguments of the forks' JVM beside those that a benchmark declares.
    unknown : str
        Why nothing is known of benchmarks that are not in `loaded`.

    Returns
    -------
    tuple of Decision
        In the order of base, then what only head has.
    """
    deciding = _Deciding(difference, loaded, tuple(arguments), unknown)
    return decided(benchmarks, lambda identity: next(deciding.reasons(identity), ""))


def decided(
    benchmarks: Mapping[str, Collection[Identity]], why: Callable[[Identity], str]
) -> tuple[Decision, ...]:
    """Decide for each benchmark that both versions have; the others are in only one of them.

    Parameters
    ----------
    benchmarks : mapping of str to collection of Identity
        The benchmarks of ``base`` and ``head``.
    why : callable
        Says why a benchmark may not run the same code; an empty text if it does.
    """
    base, head = benchmarks["base"], benchmarks["head"]
    return tuple(
        Decision(
            identity,
            f"only in {'base' if identity in base else 'head'}"
            if identity not in base or identity not in head
            else why(identity),
        )
        for identity in dict.fromkeys((*base, *head))
    )


@dataclass(frozen=True, eq=False)
class _Deciding:
    difference: Difference
    loaded: Mapping[Identity, Loaded]
    arguments: tuple[str, ...]
    unknown: str
    _mentioned: dict[str, Mentions] = field(default_factory=dict)

    @cached_property
    def _touched(self) -> Touched:
        return Touched(self.difference)

    def reasons(self, identity: Identity) -> Iterator[str]:
        """Yield why a benchmark may not run the same code, the simplest reason first."""
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
        mentions = self._mentions(own)
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

    def _mentions(self, own: Loaded) -> Mentions:
        unknown = own.classes - self._mentioned.keys()
        for name, texts in self.difference.base.texts(unknown).items():
            self._mentioned[name] = Mentions.of(name, texts)
        return Mentions.joined([self._mentioned[name] for name in sorted(own.classes)])

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


def summary(decisions: Sequence[Decision]) -> str:
    """Say how many benchmarks run the same code."""
    same = sum(decision.same for decision in decisions)
    verb = "runs" if same == 1 else "run"
    return f"{same} of {count(len(decisions), 'benchmark')} {verb} the same compiled code"
