"""The decision about a benchmark: whether it runs the same code in base and in head.

Whatever cannot be known counts as a difference.
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
        Which benchmark.
    why : str
        What it may run or read that changed; empty if it runs the same code.
    distance : int
        How many methods there are on the shortest way to a change; 0 if no way is known, and `FAR`
        more if it does not lead to changed code, but to where such code may be looked at or run.
    share : float
        How much of the code that it may run changed, by bytes.
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
"""What sorts benchmarks, the nearest to a change first."""

UNKNOWN: Nearness = (math.inf, 0.0)

FAR = 1_000
"""By so much a way is longer, at the least, that does not end at changed code."""


def nearness(distance: int, share: float) -> Nearness:
    """Return what sorts a benchmark, by its decision.

    Of two that are as far, the one comes first of which a larger share changed. Where no way to a
    change is known, a benchmark comes last.
    """
    return (distance, -share) if distance else UNKNOWN


def is_near(one: Nearness) -> bool:
    """Tell whether a way to changed code is known."""
    return one[0] < FAR


def _far(_: Identity) -> tuple[int, float]:
    return 0, 0.0


def decided(
    held: Held, why: Callable[[Identity], str], near: Callable[[Identity], tuple[int, float]] = _far
) -> tuple[Decision, ...]:
    """Decide for each benchmark that both versions have; the others are in only one of them.

    Parameters
    ----------
    held : mapping of str to collection of Identity
        The benchmarks of ``base`` and ``head``.
    why : callable
        Says why a benchmark may not run the same code; an empty text if it does.
    near : callable
        Returns distance and share of a benchmark that may not.

    Returns
    -------
    tuple of Decision
        In the order of base, then what only head has.
    """
    base, head = (dict.fromkeys(held[side]) for side in ("base", "head"))

    def decide(identity: Identity) -> Decision:
        if identity not in base or identity not in head:
            return Decision(identity, f"only in {'base' if identity in base else 'head'}")
        reason = why(identity)
        return Decision(identity, reason, *near(identity)) if reason else Decision(identity)

    return tuple(map(decide, {**base, **head}))


def summary(decisions: Sequence[Decision]) -> str:
    """Say how many benchmarks run the same code."""
    same = sum(decision.same for decision in decisions)
    verb = "runs" if same == 1 else "run"
    return f"{same} of {count(len(decisions), 'benchmark')} {verb} the same code"
