"""Decisions whether a benchmark's code path is identical in base and head.

Anything unknown counts as a difference.
"""

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Protocol

from msgspec import Meta, Struct

from steady.harness.trial import Held
from steady.model import Identity
from steady.model.changed_method import ChangedMethods
from steady.text.numbers import count


class Decision(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The decision whether a benchmark's code path is identical in both versions.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    why : str
        The reachable change; empty if its code path is identical.
    distance : int
        Number of methods on the shortest path to a change; 0 if no path is known. `FAR` is added if
        the path ends at code that may read or run changed code, not at the changed code itself.
    share : float
        Changed share of the reachable code, by bytes.
    """

    identity: Identity
    why: str = ""
    distance: Annotated[int, Meta(ge=0)] = 0
    share: Annotated[float, Meta(ge=0, le=1)] = 0.0

    @property
    def same(self) -> bool:
        """Whether its code path is identical."""
        return not self.why


class Builds(Protocol):
    """The builds of base and head."""

    @property
    def nothing_differs(self) -> bool:
        """Whether base and head are known to be identical for all benchmarks."""
        return False

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark whether its code path is identical.

        Parameters
        ----------
        held : mapping of str to collection of Identity
            The benchmarks of ``base`` and ``head``.
        """

    def changed_methods(self, held: Held) -> ChangedMethods | None:  # noqa: ARG002
        """Return the changed methods of the project's own code; None if they are unknown.

        Parameters
        ----------
        held : mapping of str to collection of Identity
            As for `decisions`. Benchmarks that are not held count too.
        """
        return None


Nearness = tuple[float, float]
"""Sort key of benchmarks, the nearest to a change first."""

UNKNOWN: Nearness = (math.inf, 0.0)

FAR = 1_000
"""Added to the distance of paths that do not end at changed code."""


def nearness(distance: int, share: float) -> Nearness:
    """Return the sort key of a benchmark.

    At equal distance, a larger changed share comes first. Benchmarks without a known path to a
    change come last.
    """
    return (distance, -share) if distance else UNKNOWN


def is_near(one: Nearness) -> bool:
    """Return whether a path to changed code is known."""
    return one[0] < FAR


def _no_known_path(_: Identity) -> tuple[int, float]:
    return 0, 0.0


def decided(
    held: Held,
    why: Callable[[Identity], str],
    near: Callable[[Identity], tuple[int, float]] = _no_known_path,
) -> tuple[Decision, ...]:
    """Decide for each benchmark; one that only one version has counts as changed.

    Parameters
    ----------
    held : mapping of str to collection of Identity
        The benchmarks of ``base`` and ``head``.
    why : callable
        Returns the reachable change of a benchmark; empty if its code path is identical.
    near : callable
        Returns distance and changed share of a benchmark with a reachable change.

    Returns
    -------
    tuple of Decision
        In the order of base, then those of head alone.
    """
    base, head = (dict.fromkeys(held[side]) for side in ("base", "head"))

    def decide(identity: Identity) -> Decision:
        if identity not in base or identity not in head:
            return Decision(identity, f"only in {'base' if identity in base else 'head'}")
        reason = why(identity)
        return Decision(identity, reason, *near(identity)) if reason else Decision(identity)

    return tuple(map(decide, {**base, **head}))


def summary(decisions: Sequence[Decision]) -> str:
    """Return a sentence with the number of identical code paths."""
    same = sum(decision.same for decision in decisions)
    verb = "runs" if same == 1 else "run"
    return f"{same} of {count(len(decisions), 'benchmark')} {verb} the same code"
