"""Runs of JMH: each trial is a run of JMH with one benchmark and one fork.

JMH holds a lock while it runs, so that only one JMH runs on a machine. Interleaved forks need two
at the same time. So steady itself takes the lock, with the same system call as Java, and tells
both to ignore it.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from itertools import chain
from pathlib import Path

from steady.errors import InputError
from steady.execution.live_stop import STOPPABLE_MODES, StopRule
from steady.execution.turn_order import SIDES
from steady.harness.jmh import JMH
from steady.harness.jmh.read import json_results
from steady.harness.jmh.run.forks_in_turn import (
    InterleavedPair,
    ShortTurns,
    measure_in_turn,
    measure_until,
    obstacle_after,
)
from steady.harness.jmh.run.jar import BEFORE_JAVA, BenchmarkJar
from steady.harness.jmh.run.java_program import Java, compile_classes
from steady.harness.jmh.run.merged_records import join_records, merge_forks
from steady.harness.jmh.run.side import JmhSide
from steady.harness.jmh.run.turn_server import ForeignMessages
from steady.harness.runs import DEFAULTS, HarnessSettings, Runs, Session, Turn, identities_in
from steady.harness.search import EVERYTHING, Search
from steady.harness.trial import BusyError, Trial, TrialError, Version
from steady.model import ExecutionConfiguration, Identity
from steady.readers import open_document

BUSY = (
    "another JMH is running on this machine and holds JMH's lock (jmh.lock in the folder for "
    "temporary files)"
)

_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_own: set[Path] = set()
"""Locks that this process holds: the operating system would let it acquire them again."""
_own_lock = threading.Lock()

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # like Java's FileChannel


@contextmanager
def jmh_lock(path: Path | None) -> Iterator[None]:
    """Hold JMH's lock within the context, if the file system supports locks.

    Parameters
    ----------
    path : Path or None
        The lock file; None if the lock is disabled.

    Raises
    ------
    BusyError
        If another JMH holds the lock.
    TrialError
        If the file is inaccessible.
    """
    if path is None:
        yield
        return
    with _own_lock:
        if path in _own:
            raise BusyError(BUSY)
        handle = _taken(path)
        _own.add(path)
    try:
        yield
    finally:
        with _own_lock:
            _own.remove(path)
            os.close(handle)


def _taken(path: Path) -> int:
    try:
        handle = _open(path)
    except OSError as error:
        raise TrialError(f"JMH's lock {path} cannot be opened: {error.strerror}") from None
    try:
        _lock(handle)
    except OSError as error:
        if error.errno in _TAKEN:
            os.close(handle)
            raise BusyError(BUSY) from None
    return handle


def _open(path: Path) -> int:
    """Open the file; create it accessible to every user."""
    with suppress(FileNotFoundError):
        return os.open(path, os.O_RDWR)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    with suppress(OSError):
        path.chmod(0o666)
    return handle


_JVM_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
"""Environment variables that contain JVM arguments."""


class JmhRuns(Runs):
    """JMH 1.19 to 1.37, from a jar with benchmarks and JMH.

    Parameters
    ----------
    settings : HarnessSettings
        The user's options.

    Raises
    ------
    InputError
        If JMH cannot pass a JVM argument to forks.
    """

    name = JMH.name
    suffix = ".json"
    start_seconds = JMH.cost.start_seconds
    has_pairs = True

    def __init__(self, settings: HarnessSettings = DEFAULTS) -> None:
        bad = next((a for a in settings.jvm_args if not a or '"' in a), None)
        if bad is not None:
            raise InputError(
                f"JMH cannot pass on the JVM argument {bad!r}: it is empty or contains a quotation "
                "mark; set JDK_JAVA_OPTIONS instead"
            )
        self._settings = settings
        self._jars: dict[Path, BenchmarkJar] = {}

    def check(self, versions: Sequence[Version]) -> None:
        """Raise InputError if Java is missing or too old for the jar of a version."""
        jars = [self._jar(version) for version in versions]
        newest = self._java.newest_classes - BEFORE_JAVA
        for jar in jars:
            if jar.java_needed > newest:
                raise InputError(
                    f"needs Java {jar.java_needed}, and {self._java.program!r} is Java "
                    f"{newest:.0f}; set --java to the program java of a newer JDK",
                    source=jar.path,
                )

    def benchmarks(
        self,
        version: Version,
        search: Search = EVERYTHING,  # noqa: ARG002 - a jar lists its benchmarks
    ) -> Sequence[Identity]:
        """Return the benchmarks of a jar, with all parameter combinations."""
        return self._jar(version).identities

    def declared(self, version: Version) -> Mapping[Identity, ExecutionConfiguration]:
        """Return the annotated configurations of benchmarks, completed by JMH's defaults."""
        return self._jar(version).declared

    def fits_beside(self, identity: Identity) -> bool:
        """Return whether a benchmark has a single thread."""
        return identity.threads == 1

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[JmhSession]:
        """Prepare the host JVMs, which start on first use."""
        classes = scratch / "classes"
        compile_classes(self._java, versions[0].target, classes)
        jars = {version.name: self._jar(version) for version in versions}
        session = JmhSession(jars, self._settings, scratch, classes, self._java.jmh_lock)
        try:
            yield session
        finally:
            session.close()

    merge = staticmethod(merge_forks)
    join = staticmethod(join_records)

    def measured(self, merged: Path) -> Sequence[Identity]:
        """Return the benchmarks of a merged file."""
        return identities_in(json_results.read(open_document(merged)))

    def describe(self, versions: Sequence[Version]) -> Mapping[str, str]:
        """Return the versions of Java and JMH, the JVM arguments, and the stopping rule."""
        jmh_versions = (self._jar(version).jmh_version or "unknown" for version in versions)
        described = {
            "java": self._java.version,
            "jmh": ", ".join(dict.fromkeys(jmh_versions)),
        }
        if self._settings.jvm_args:
            described["jvm_args"] = " ".join(self._settings.jvm_args)
        if self._settings.stop is not None:
            described["stop"] = str(self._settings.stop)
        return described

    @property
    def arguments(self) -> tuple[str, ...]:
        """JVM arguments of all forks: the user's, and those of environment variables."""
        environment = (os.environ.get(name, "").split() for name in _JVM_VARIABLES)
        return (*self._settings.jvm_args, *chain.from_iterable(environment))

    @cached_property
    def _java(self) -> Java:
        return Java.query(self._settings.java)

    def _jar(self, version: Version) -> BenchmarkJar:
        if version.target not in self._jars:
            self._jars[version.target] = BenchmarkJar(version.target)
        return self._jars[version.target]


class JmhSession(Session):
    """Runs trials; a `steady.harness.runs.Session`.

    Parameters
    ----------
    jars : mapping of str to BenchmarkJar
        The jars, by name of the version.
    settings : HarnessSettings
        The user's options.
    scratch : Path
        A temporary folder.
    classes : Path
        The folder of steady's compiled Java classes.
    lock : Path, optional
        JMH's lock file; None if the lock is disabled.
    """

    def __init__(
        self,
        jars: Mapping[str, BenchmarkJar],
        settings: HarnessSettings,
        scratch: Path,
        classes: Path,
        lock: Path | None = None,
    ) -> None:
        self._settings = settings
        self._obstacles: dict[Identity, str] = {}
        self._jars = jars
        self._lock = lock
        self._foreign = ForeignMessages()
        self._scratch = scratch
        self._classes = classes
        self._lanes: list[dict[str, JmhSide]] = []

    @cached_property
    def _short_turns(self) -> ShortTurns:
        jars = self._jars.values()
        operations = {name: size for jar in jars for name, size in jar.operations.items()}
        return ShortTurns(operations, frozenset().union(*(jar.with_fixtures for jar in jars)))

    def measure(self, trial: Trial, result: Path) -> float | None:
        """Run one fork, write its JSON to `result`, and return the seconds of its iterations."""
        side, rule = self._sides(0)[trial.version], self._rule_for(trial)
        with jmh_lock(self._lock):
            seconds = side.run(trial) if rule is None else measure_until(side, trial, rule)
        if tampering := self._foreign.reason_to_fail(trial):
            raise TrialError(tampering)
        side.deliver(result)
        return seconds

    def obstacle(self, trials: Sequence[Trial]) -> str:
        """Return why forks of this benchmark cannot be interleaved; empty if they can."""
        return self._obstacles.get(trials[0].identity, "")

    def measure_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        """Run two interleaved forks, or several such pairs.

        If a pair could not be interleaved, `obstacle` returns the reason from then on.
        """
        places = range(0, len(trials), len(SIDES))
        both = [slice(place, place + len(SIDES)) for place in places]
        pairs = [
            InterleavedPair(
                [self._sides(lane)[trial.version] for trial in trials[pair]],
                trials[pair],
                results[pair],
                self._rule_for(trials[pair][0]),
            )
            for lane, pair in enumerate(both)
        ]
        try:
            with jmh_lock(self._lock):
                outcomes = measure_in_turn(pairs, self._short_turns)
        except TrialError as error:  # the lock file is inaccessible
            return [error] * len(trials)
        for pair in both:
            self._obstacles[trials[pair][0].identity] = obstacle_after(outcomes[pair])
        return outcomes

    def _sides(self, lane: int) -> Mapping[str, JmhSide]:
        """Return the sides of one of several simultaneous pairs."""
        while len(self._lanes) <= lane:
            number = len(self._lanes)
            folder = self._scratch / f"lane{number}" if number else self._scratch
            self._lanes.append(
                {
                    name: JmhSide(jar, self._settings, folder / name, self._classes, self._foreign)
                    for name, jar in self._jars.items()
                }
            )
        return self._lanes[lane]

    def _rule_for(self, trial: Trial) -> StopRule | None:
        """Return the stopping rule of a trial, if its mode supports it.

        A screening fork runs exactly its configuration.
        """
        rule = None if trial.screening else self._settings.stop
        modes = STOPPABLE_MODES | ({"sample"} if rule is not None and rule.timed else set())
        return rule if trial.identity.mode in modes else None

    def close(self) -> None:
        """End all processes."""
        with ExitStack() as stack:
            for side in chain.from_iterable(lane.values() for lane in self._lanes):
                stack.callback(side.close)
