"""Benchmark names short enough to read: what all of them begin with is said once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from steady.compare import Comparison
from steady.model import Identity
from steady.report.escape import code_span

_KEPT_PARTS = 2  # class and method
_SHORTEST_PREFIX = 8  # characters; less is not worth a sentence


@dataclass(frozen=True, slots=True)
class Names:
    """How benchmarks are called in one report.

    Parameters
    ----------
    prefix : str
        What every name begins with and no label repeats; may be empty.
    """

    prefix: str = ""

    @classmethod
    def of(cls, identities: Iterable[Identity]) -> Names:
        """Find the packages that all names have in common, class and method left over."""
        names = {identity.name for identity in identities}
        if len(names) < 2:
            return cls()
        parts = [name.split(".")[:-_KEPT_PARTS] for name in names]
        shared = []
        for same in zip(*parts, strict=False):
            if len(set(same)) > 1:
                break
            shared.append(same[0])
        prefix = "".join(f"{part}." for part in shared)
        return cls(prefix if len(prefix) >= _SHORTEST_PREFIX else "")

    def label(self, identity: Identity) -> str:
        """Return the name without the prefix, with what tells it apart; not escaped."""
        return replace(identity, name=identity.name.removeprefix(self.prefix)).label

    def split(self, identity: Identity) -> tuple[str, str]:
        """Return the label in two parts: the name, and what tells it apart; not escaped."""
        name = identity.name.removeprefix(self.prefix)
        return name, self.label(identity)[len(name) :].strip()

    def code(self, identity: Identity) -> str:
        """Return the label as a Markdown code span."""
        return code_span(self.label(identity))


def names_of(comparison: Comparison) -> Names:
    """Return how the benchmarks of a comparison are called, those without result included."""
    ledger = comparison.ledger
    without = (*ledger.failed, *ledger.missing, *ledger.incomparable)
    return Names.of(
        (
            *(*ledger.compared, *ledger.new, *ledger.gone),
            *(missing.identity for missing in without),
            *(ignored.identity for ignored in ledger.ignored),
        )
    )
