"""The state of every benchmark in a comparison, so that no expected benchmark is lost."""

from dataclasses import dataclass, replace
from typing import Literal

from steady.model import Identity, NotRun
from steady.model.suite import RESUMES

Side = Literal["base", "head", "both"]
"""The runs that lack a result."""

MissingKind = Literal["missing", "failed", "incomparable"]
"""Reason for a missing comparison: no result, a failure, or results that are not comparable."""


SKIPPED_IN_HEAD = "skipped in head"
"""Beginning of the reason for a benchmark that head's own code skips."""


IN_DOUBT = "a control changed, so the code path may not be identical"
"""Reason why a benchmark with a seemingly identical code path counts as not measured."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A benchmark that was expected and has no result to compare.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    side : {"base", "head", "both"}
        Side without a result to compare.
    reason : str
        The reason; for a failed benchmark, the message of the harness.
    kind : {"missing", "failed", "incomparable"}
        The list of the `Ledger` that contains it.
    """

    identity: Identity
    side: Side
    reason: str
    kind: MissingKind = "missing"

    @property
    def is_skipped(self) -> bool:
        """Whether head's own code skips the benchmark."""
        return self.kind == "missing" and self.reason.startswith(SKIPPED_IN_HEAD)

    @property
    def what_happened(self) -> str:
        """The reason, with the prefix ``failed:`` for a failure."""
        return f"failed: {self.reason}" if self.kind == "failed" else self.reason


@dataclass(frozen=True, slots=True)
class Ignored:
    """A benchmark that the settings exclude from every verdict.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    reason : str
        Reason given in the settings.
    """

    identity: Identity
    reason: str


@dataclass(frozen=True, slots=True)
class Lost:
    """Numbers of benchmarks without a result to compare; false if there are none.

    Parameters
    ----------
    failed, missing, gone, incomparable : int
        Lengths of these lists of the `Ledger`.
    failed_in_base : int
        Number of benchmarks that failed only in base.
    skipped : int
        Number of missing benchmarks that head's own code skips.
    unfinished : int
        Number of benchmarks that failed or are missing because the run was stopped early.
    """

    failed: int
    missing: int
    gone: int
    incomparable: int
    failed_in_base: int
    skipped: int
    unfinished: int

    def __bool__(self) -> bool:
        return self.total > 0

    @property
    def total(self) -> int:
        """Number of all these benchmarks."""
        return self.failed + self.missing + self.gone + self.incomparable


@dataclass(frozen=True, slots=True)
class Ledger:
    """Every benchmark in exactly one list; missing benchmarks prevent a passing verdict.

    Parameters
    ----------
    compared : tuple of Identity
        Measured in base and in head.
    failed : tuple of Missing
        Started by the harness, without a result.
    missing : tuple of Missing
        In the plan, but without a result in base, in head, or in both; or skipped by head.
    new : tuple of Identity
        Only in head, and not in the plan.
    gone : tuple of Identity
        In base, not in head, and not reported as failed.
    unplanned : tuple of Identity
        Compared, but not in the plan; empty if there is no plan.
    incomparable : tuple of Missing
        Measured on both sides, but not comparable: with different units, warm-up or lengths of
        iterations, or without values.
    renamed : tuple of (Identity, Identity)
        Probable renames, base first: a benchmark gone or missing in head, and a new one with a
        similar name. Both are also in their own lists.
    ignored : tuple of Ignored
        Excluded by the settings.
    not_run : tuple of NotRun
        Skipped on purpose in both runs.
    same_code : tuple of Identity
        Not measured, because their code paths in base and head are identical.
    controls : tuple of Identity
        Compared although their code paths are identical, to detect false alarms on this machine.
        They are also in `compared`.
    """

    compared: tuple[Identity, ...]
    failed: tuple[Missing, ...] = ()
    missing: tuple[Missing, ...] = ()
    new: tuple[Identity, ...] = ()
    gone: tuple[Identity, ...] = ()
    unplanned: tuple[Identity, ...] = ()
    incomparable: tuple[Missing, ...] = ()
    renamed: tuple[tuple[Identity, Identity], ...] = ()
    ignored: tuple[Ignored, ...] = ()
    not_run: tuple[NotRun, ...] = ()
    same_code: tuple[Identity, ...] = ()
    controls: tuple[Identity, ...] = ()

    def in_doubt(self) -> "Ledger":
        """Return the ledger after a control changed: same-code benchmarks count as not measured."""
        doubted = tuple(NotRun(identity, IN_DOUBT) for identity in self.same_code)
        return replace(self, same_code=(), not_run=(*self.not_run, *doubted))

    @property
    def identities(self) -> tuple[Identity, ...]:
        """All benchmarks, each once."""
        lost = (*self.failed, *self.missing, *self.incomparable)
        return (
            *(*self.compared, *self.new, *self.gone, *self.same_code),
            *(missing.identity for missing in lost),
            *(ignored.identity for ignored in self.ignored),
            *(entry.identity for entry in self.not_run),
        )

    @property
    def lost(self) -> Lost:
        """The numbers of benchmarks without a result to compare."""
        return Lost(
            failed=len(self.failed),
            missing=len(self.missing),
            gone=len(self.gone),
            incomparable=len(self.incomparable),
            failed_in_base=sum(one.side == "base" for one in self.failed),
            skipped=sum(one.is_skipped for one in self.missing),
            unfinished=sum(one.reason.endswith(RESUMES) for one in (*self.failed, *self.missing)),
        )

    @property
    def as_sum(self) -> str:
        """The number of benchmarks and its parts: ``286 (8 compared, 278 same code)``.

        Empty if there is only one part.
        """
        lost = self.lost
        parts = {
            "compared": len(self.compared) - len(self.controls),
            "same code": len(self.same_code) + len(self.controls),
            "without a result": lost.total - lost.gone,
            "only in base": lost.gone,
            "only in head": len(self.new),
            "ignored": len(self.ignored),
            "screened": sum(entry.excluded is not None for entry in self.not_run),
            "not measured": sum(entry.excluded is None for entry in self.not_run),
        }
        shown = [f"{many:,} {what}" for what, many in parts.items() if many]
        return f"{sum(parts.values()):,} ({', '.join(shown)})" if len(shown) > 1 else ""

    @property
    def complete(self) -> bool:
        """Whether every expected benchmark was compared."""
        return not self.lost
