"""What the forks of JMH load: their JVM writes it to a file, which is read when a fork has ended.

The profiler by which forks take turns asks for that file (``SteadyTurns.java``), so that JMH does
not count the argument among those of the benchmark. A JVM logs a class only while it loads it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from steady.harness.jmh.run.jar import BenchmarkJar
from steady.harness.jmh.samecode.loaded import Loaded, read_loaded
from steady.model import Identity

_PLAIN = re.compile(r"[\w ./+@~-]+")
"""Paths that a JVM takes as they are: no separator of its own, and nothing that it replaces."""


@dataclass(eq=False)
class ClassLog:
    """What forks of one jar have loaded.

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
    loaded: dict[Identity, Loaded] = field(default_factory=dict)

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
