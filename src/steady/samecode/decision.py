"""The decision about a benchmark: whether it runs the same code in base and in head.

Whatever cannot be known counts as a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steady.harness.trial import Held
from steady.model import Identity
from steady.text.counting import count


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


def decided(held: Held, why: Callable[[Identity], str]) -> tuple[Decision, ...]:
    """Decide for each benchmark that both versions have; the others are in only one of them.

    Parameters
    ----------
    held : mapping of str to collection of Identity
        The benchmarks of ``base`` and ``head``.
    why : callable
        Says why a benchmark may not run the same code; an empty text if it does.

    Returns
    -------
    tuple of Decision
        In the order of base, then what only head has.
    """
    base, head = (dict.fromkeys(held[side]) for side in ("base", "head"))
    return tuple(
        Decision(
            identity,
            f"only in {'base' if identity in base else 'head'}"
            if identity not in base or identity not in head
            else why(identity),
        )
        for identity in {**base, **head}
    )


def summary(decisions: Sequence[Decision]) -> str:
    """Say how many benchmarks run the same code."""
    same = sum(decision.same for decision in decisions)
    verb = "runs" if same == 1 else "run"
    return f"{same} of {count(len(decisions), 'benchmark')} {verb} the same compiled code"
