"""Which benchmarks of JMH run the same code in two jars, after short forks of what is not known."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from steady.engine.waiting import patiently
from steady.engine.workload import Held
from steady.files import write_text
from steady.harness.jmh.run.runs import JmhRuns
from steady.harness.jmh.samecode.difference import Difference
from steady.harness.jmh.samecode.jar_index import JarIndex
from steady.harness.jmh.samecode.loaded import Loaded
from steady.harness.jmh.samecode.record import (
    CLASSES,
    BuildEntry,
    build_entry,
    classes_text,
    known_of,
    read_builds,
)
from steady.harness.trial import Version
from steady.model import Identity
from steady.samecode.decide import Decision, decide
from steady.text.counting import count

_NO_LOG = (
    "this Java does not say which classes it loads; Java 9 or later does (HotSpot, with its javac)"
)


@dataclass(frozen=True, eq=False)
class JmhBuilds:
    """The jars of base and head, and what is known about what their forks load.

    Parameters
    ----------
    harness : JmhRuns
        Runs short forks.
    base, head : Version
        The two jars.
    builds : sequence of BuildEntry
        What forks of these or of earlier jars have loaded.
    tell : callable
        Gets lines for the user.
    known : dict of Identity to Loaded
        Gets what forks of base load, as far as it was looked up or found out.
    sleep : callable
        Waits some seconds.
    """

    harness: JmhRuns
    base: Version
    head: Version
    builds: Sequence[BuildEntry]
    tell: Callable[[str], None]
    known: dict[Identity, Loaded] = field(default_factory=dict)
    sleep: Callable[[float], None] = time.sleep

    @cached_property
    def difference(self) -> Difference:
        """What differs between the two jars."""
        return Difference(self.harness.index(self.base), self.harness.index(self.head))

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark whether it runs the same code.

        Parameters
        ----------
        held : mapping of str to collection of Identity
            The benchmarks of ``base`` and ``head``.
        """
        if not self.harness.logs_classes:
            return self._decided({}, held, _NO_LOG)
        self._look_up([i for i in held[self.base.name] if i in held[self.head.name]])
        return self._decided(self.known, held)

    def seen(self, folder: Path) -> dict[Identity, Loaded]:
        """Return what forks of both jars have loaded in a run, as its folder keeps it."""
        builds = read_builds(folder / CLASSES)
        sides = self.difference.base, self.difference.head
        return joined(*(known_of(builds, side, self.harness.jvm) for side in sides))

    def decisions_with(self, seen: Mapping[Identity, Loaded], held: Held) -> tuple[Decision, ...]:
        """Decide again, where more is known about what forks load."""
        return self._decided(joined(self.known, seen), held)

    def _decided(
        self, loaded: Mapping[Identity, Loaded], held: Held, unknown: str = ""
    ) -> tuple[Decision, ...]:
        benchmarks = {"base": held[self.base.name], "head": held[self.head.name]}
        arguments = self.harness.jvm.split()
        return decide(self.difference, loaded, benchmarks, arguments, unknown)

    def _look_up(self, identities: Sequence[Identity]) -> None:
        self.known.update(known_of(self.builds, self.difference.base, self.harness.jvm))
        unknown = [identity for identity in identities if identity not in self.known]
        if unknown:
            self.tell(f"one short fork of {count(len(unknown), 'benchmark')} shows what each loads")
            self.known.update(self._probed(unknown))

    def _probed(self, identities: Sequence[Identity]) -> Mapping[Identity, Loaded]:
        """Run short forks once no other JMH runs on the machine."""

        def probed() -> Mapping[Identity, Loaded]:
            with tempfile.TemporaryDirectory() as folder:
                return self.harness.probe(self.base, identities, Path(folder))

        return patiently(probed, self.tell, self.sleep)

    def record(self, folder: Path, same: Collection[Identity] = ()) -> None:
        """Write what forks of both jars have loaded into the folder of a run.

        Both versions are kept, since the head of today is the base of tomorrow.

        Parameters
        ----------
        folder : Path
            The folder.
        same : collection of Identity
            What runs the same code in both, and so loads the same classes in both.
        """
        earlier = read_builds(folder / CLASSES)
        of_base = joined(self.known, self.harness.loaded.get(self.base.name, {}))
        of_both = {identity: one for identity, one in of_base.items() if identity in same}
        of_head = joined(of_both, self.harness.loaded.get(self.head.name, {}))
        sides = (self.difference.base, of_base), (self.difference.head, of_head)
        _write(folder, [_entry(jar, self.harness.jvm, earlier, own) for jar, own in sides])


def record_of_one(harness: JmhRuns, version: Version, folder: Path) -> None:
    """Write what the forks of a single version have loaded into the folder of its run."""
    loaded = harness.loaded.get(version.name, {})
    if loaded:
        earlier = read_builds(folder / CLASSES)
        _write(folder, [_entry(harness.index(version), harness.jvm, earlier, loaded)])


def joined(*sides: Mapping[Identity, Loaded]) -> dict[Identity, Loaded]:
    """Return all that is known of each benchmark."""
    known: dict[Identity, Loaded] = {}
    for side in sides:
        for identity, one in side.items():
            known[identity] = known.get(identity, Loaded()) | one
    return known


def _entry(
    jar: JarIndex, jvm: str, earlier: Sequence[BuildEntry], loaded: Mapping[Identity, Loaded]
) -> BuildEntry:
    return build_entry(jar, jvm, joined(known_of(earlier, jar, jvm), loaded))


def _write(folder: Path, builds: Sequence[BuildEntry]) -> None:
    known = [build for build in builds if build.benchmarks]
    if known:
        write_text(folder / CLASSES, classes_text(known))
