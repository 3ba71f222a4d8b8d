"""``steady run --list`` and ``--dry-run``: what there is, and what would run."""

from __future__ import annotations

from collections.abc import Sequence

from steady.engine import Trial
from steady.engine.workload import everything
from steady.harness.trial import Held
from steady.text.escape import visible
from steady.text.numbers import duration


def print_names(held: Held) -> None:
    """Print the benchmarks, one a line; behind one that not every version holds, which do."""
    for identity in everything(held):
        owners = [name for name, identities in held.items() if identity in identities]
        _print(identity.label + ("" if len(owners) == len(held) else f"  ({owners[0]} only)"))


def print_order(trials: Sequence[Trial]) -> None:
    """Print the forks in the order in which they would run: round, version, seconds, name."""
    width = max((len(trial.version) for trial in trials), default=0)
    for trial in trials:
        seconds = duration(trial.seconds)
        _print(
            f"round {trial.round + 1:<3} {trial.version:{width}} {seconds:>10}  "
            f"{trial.identity.label}"
        )


def _print(text: str) -> None:
    print(visible(text))
