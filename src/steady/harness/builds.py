"""The decision whether a benchmark runs the same code in base and head.

Whatever is unknown counts as a difference.
"""

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Protocol

from msgspec import Meta, Struct

from steady.harness.trial import Held
from steady.model import Identity
from steady.text.numbers import count


class Decision(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The decision whether one benchmark runs the same code in both versions.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    why : str
        The change that it may run or read; empty if it runs the same code.
    distance : int
        The number of methods on the shortest path to a change; 0 if no path is known, and `FAR`
        more if it ends where changed code may be inspected or run, not at changed code.
    share : float
        The share of changed code in all that it may run, by bytes.
    """

    identity: Identity
    why: str = ""
    distance: Annotated[int, Meta(ge=0)] = 0
    share: Annotated[float, Meta(ge=0, le=1)] = 0.0

    @property
    def same(self) -> bool:
        """Whether it runs the same code."""
        return not self.why


class Builds(Protocol):
    """The builds of base and head."""

    @property
    def nothing_differs(self) -> bool:
        """Whether base and head are known to be the same in all that benchmarks run and read."""
        return False

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark whether it runs the same code.

        Parameters
        ----------
        held : mapping of str to collection of Identity
            The benchmarks of ``base`` and ``head``.
        """


Nearness = tuple[float, float]
"""A sort key of benchmarks: the nearest to a change comes first."""

UNKNOWN: Nearness = (math.inf, 0.0)

FAR = 1_000
"""The least that is added to the length of a path that does not end at changed code."""


def nearness(distance: int, share: float) -> Nearness:
    """Return the sort key of a benchmark.

    At equal distances, the one with the larger share of changed code comes first. Benchmarks
    without a known path to a change come last.
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
    """Decide for each benchmark; those that only one version has may always differ.

    Parameters
    ----------
    held : mapping of str to collection of Identity
        The benchmarks of ``base`` and ``head``.
    why : callable
        Returns why a benchmark of both may run other code; an empty text if it does not.
    near : callable
        Returns the distance and the share of a benchmark that may run other code.

    Returns
    -------
    tuple of Decision
        In the order of base, then those that only head has.
    """
    base, head = (dict.fromkeys(held[side]) for side in ("base", "head"))

    def decide(identity: Identity) -> Decision:
        if identity not in base or identity not in head:
            return Decision(identity, f"only in {'base' if identity in base else 'head'}")
        reason = why(identity)
        return Decision(identity, reason, *near(identity)) if reason else Decision(identity)

    return tuple(map(decide, {**base, **head}))


def summary(decisions: Sequence[Decision]) -> str:
    """Return a sentence with the number of benchmarks that run the same code."""
    same = sum(decision.same for decision in decisions)
    verb = "runs" if same == 1 else "run"
    return f"{same} of {count(len(decisions), 'benchmark')} {verb} the same code"
