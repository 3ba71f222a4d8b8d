"""The search for benchmarks in all versions: what it saw, lost, and had no time for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from steady.engine.time_limit import TOO_SHORT
from steady.model import Identity, NotRun
from steady.model.identity import by_method
from steady.readers.beside_results import NoResult


@dataclass
class Searched:
    """What a search has brought to light so far.

    Parameters
    ----------
    seen : dict of str to sequence of Identity
        The benchmarks of each version.
    lost : list of NoResult
        Those whose search did not come to its end.
    late : dict of Identity to None
        Those that there was no time to search for, by their methods.
    not_run : tuple of NotRun
        What is not looked at for that reason, once that is known.
    """

    seen: dict[str, Sequence[Identity]] = field(default_factory=dict)
    lost: list[NoResult] = field(default_factory=list)
    late: dict[Identity, None] = field(default_factory=dict)
    not_run: tuple[NotRun, ...] = ()

    def hearing(self, version: str) -> dict[str, Any]:
        """Return what a search of a version is given to tell of what it did not see."""
        return {"lost": partial(self._lose, version), "late": self._come_late}

    def _lose(self, version: str, identity: Identity, reason: str) -> None:
        self.lost.append(NoResult(version, identity, reason))

    def _come_late(self, identity: Identity) -> None:
        self.late[identity] = None

    def without_late(self, wants: Callable[[Identity], bool]) -> dict[str, tuple[Identity, ...]]:
        """Return what was seen, without methods that not all versions were searched for.

        What one version has of them, nobody knows of the other.
        """
        late = by_method(self.late)
        known = by_method(dict.fromkeys(i for own in self.seen.values() for i in own))
        dropped = [i for method, own in late.items() for i in known.get(method, own)]
        self.not_run = tuple(NotRun(i, TOO_SHORT) for i in dict.fromkeys(dropped) if wants(i))
        gone = frozenset(dropped)
        return {v: tuple(i for i in own if i not in gone) for v, own in self.seen.items()}
