"""The jars of base and head: what runs the same code, after short forks of what is not known."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from steady.engine.waiting import forever, patiently
from steady.files import write_text
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.class_log import Loaded, joined
from steady.harness.jmh.samecode.classes_json import (
    CLASSES,
    BuildEntry,
    build_entry,
    classes_text,
    known_of,
    read_builds,
)
from steady.harness.jmh.samecode.difference import Difference
from steady.harness.jmh.samecode.reasons import Reasons
from steady.harness.trial import BusyError, Held, Version
from steady.model import Identity
from steady.samecode.builds import Builds
from steady.samecode.decision import Audit, Decision, decided
from steady.text.counting import count, listed
from steady.text.escape import visible

_NO_LOG = (
    "this Java does not say which classes it loads; Java 9 or later does (HotSpot, with its javac)"
)
_SHOWN = 3

_AT_A_TIME = 32
"""Short forks after which it is asked whether time is left; what they showed is known then."""


@dataclass(frozen=True, eq=False)
class JmhBuilds(Builds):
    """The jars of base and head, or the only one, and what is known about what their forks load.

    Parameters
    ----------
    harness : JmhRuns
        Runs short forks.
    versions : sequence of Version
        The jars.
    builds : sequence of BuildEntry
        What forks of these or of earlier jars have loaded.
    tell : callable
        Gets lines for the user.
    known : dict of Identity to Loaded
        Gets what forks of base load, as far as it was looked up or found out.
    sleep : callable
        Waits some seconds.
    left : callable
        Returns the seconds that are left for short forks.
    """

    harness: JmhRuns
    versions: Sequence[Version]
    builds: Sequence[BuildEntry]
    tell: Callable[[str], None]
    known: dict[Identity, Loaded] = field(default_factory=dict)
    sleep: Callable[[float], None] = time.sleep
    left: Callable[[], float] = forever

    @cached_property
    def difference(self) -> Difference:
        """What differs between the two jars."""
        base, head = map(self.harness.index, self.versions)
        return Difference(base, head)

    def within(self, left: Callable[[], float]) -> JmhBuilds:
        """Return the same builds, of which short forks are run only as long as there is time."""
        return replace(self, left=left)

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark whether it runs the same code."""
        if not self.harness.logs_classes:
            return self._decided({}, held, _NO_LOG)
        of_head = frozenset(held["head"])
        self._look_up([identity for identity in held["base"] if identity in of_head])
        return self._decided(self.known, held)

    def seen(self, folder: Path) -> dict[Identity, Loaded]:
        """Return what forks of both jars have loaded in a run, as its folder keeps it."""
        builds = read_builds(folder / CLASSES)
        sides = self.difference.base, self.difference.head
        return joined(*(known_of(builds, side, self.harness.jvm) for side in sides))

    def decisions_with(self, seen: Mapping[Identity, Loaded], held: Held) -> tuple[Decision, ...]:
        """Decide again, where more is known about what forks load."""
        return self._decided(joined(self.known, seen), held)

    def audited(self, decisions: Sequence[Decision], folder: Path, held: Held) -> Audit:
        """Say which classes the forks of a run loaded beyond what was known."""
        seen = self.seen(folder)
        same = [one.identity for one in decisions if one.same and one.identity in seen]
        if not same:
            return Audit()
        more = {identity: _beyond(self.known[identity], seen[identity]) for identity in same}
        later = {one.identity: one.why for one in self.decisions_with(seen, held)}
        missed = [
            f"{visible(identity.label)}: a fork of the run {visible(later[identity])}"
            for identity in same
            if later[identity]
        ]
        return Audit((_more(more), *missed), bool(missed))

    def _decided(
        self, loaded: Mapping[Identity, Loaded], held: Held, unknown: str = ""
    ) -> tuple[Decision, ...]:
        reasons = Reasons(self.difference, loaded, self.harness.jvm.split(), unknown)
        return decided(held, reasons.why)

    def _look_up(self, identities: Sequence[Identity]) -> None:
        self.known.update(known_of(self.builds, self.difference.base, self.harness.jvm))
        unknown = [identity for identity in identities if identity not in self.known]
        if unknown:
            self.tell(f"one short fork of {count(len(unknown), 'benchmark')} shows what each loads")
            for begin in range(0, len(unknown), _AT_A_TIME):
                if self.left() <= 0:
                    late = count(len(unknown) - begin, "benchmark")
                    self.tell(f"the time was too short for {late}: they count as different")
                    return
                with suppress(BusyError):  # until the time was at its end
                    self.known.update(self._probed(unknown[begin : begin + _AT_A_TIME]))

    def _probed(self, identities: Sequence[Identity]) -> Mapping[Identity, Loaded]:
        """Run short forks once no other JMH runs on the machine."""

        def probed() -> Mapping[Identity, Loaded]:
            with tempfile.TemporaryDirectory() as folder:
                return self.harness.probe(self.versions[0], identities, Path(folder))

        return patiently(probed, self.tell, self.sleep, left=self.left)

    def record(self, folder: Path, same: Collection[Identity] = ()) -> None:
        """Write what forks of the jars have loaded into the folder of a run.

        Both versions are kept, since the head of today is the base of tomorrow. What runs the same
        code in both loads the same classes in both.
        """
        loaded = [self.harness.loaded.get(version.name, {}) for version in self.versions]
        if not any((self.known, *loaded)):
            return
        of_base = joined(self.known, loaded[0])
        of_both = {identity: one for identity, one in of_base.items() if identity in same}
        earlier, jvm = read_builds(folder / CLASSES), self.harness.jvm
        builds = []
        for version, own in zip(self.versions, (of_base, *loaded[1:]), strict=True):
            jar = self.harness.index(version)
            known = joined(known_of(earlier, jar, jvm), of_both, own)
            if known:
                builds.append(build_entry(jar, jvm, known))
        if builds:
            write_text(folder / CLASSES, classes_text(builds))


def two_jars(
    harness: JmhRuns, versions: Sequence[Version], beside: Path | None, tell: Callable[[str], None]
) -> JmhBuilds:
    """Return the jars of base and head, with what a folder holds about what benchmarks load."""
    builds = () if beside is None else read_builds(beside / CLASSES)
    return JmhBuilds(harness, versions, builds, tell)


def _beyond(known: Loaded, seen: Loaded) -> frozenset[str]:
    """Return the classes that a fork has loaded, or used, and that were not known as such."""
    return (seen.classes - seen.idle) - (known.classes - known.idle) | seen.classes - known.classes


def _more(more: Mapping[Identity, frozenset[str]]) -> str:
    many = [own for own in more.values() if own]
    forks = f"{count(len(more), 'benchmark')} with the same code"
    if not many:
        return f"the forks of {forks} used no class that was not known before"
    names = sorted({name.replace("/", ".") for own in many for name in own})
    return (
        f"the forks of {len(many)} of {forks} used {count(len(names), 'class', 'classes')} that "
        f"{'was' if len(names) == 1 else 'were'} not known before: "
        f"{visible(listed(names, _SHOWN))}"
    )
