"""The place of every benchmark in a comparison, so that no expected benchmark disappears."""

from dataclasses import dataclass, replace
from typing import Literal

from steady.model import Identity, NotRun
from steady.model.suite import RESUMES

Side = Literal["base", "head", "both"]
"""Which of the two runs."""

MissingKind = Literal["missing", "failed", "incomparable"]
"""Reason for a missing comparison: no result, a failure, or results that are not comparable."""


SKIPPED_IN_HEAD = "skipped in head"
"""Beginning of the reason for a benchmark that head's own code skips."""


IN_DOUBT = "a control changed, so steady may be wrong that its code is the same"
"""Reason for a benchmark whose code seemed the same to count as not measured."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A benchmark that was expected and has no result to compare.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    side : {"base", "head", "both"}
        Which side lacks a result to compare.
    reason : str
        Reason; if the benchmark failed, the harness's message.
    kind : {"missing", "failed", "incomparable"}
        Its place in the `Ledger`.
    """

    identity: Identity
    side: Side
    reason: str
    kind: MissingKind = "missing"

    @property
    def is_skipped(self) -> bool:
        """Whether head's own code skips it."""
        return self.kind == "missing" and self.reason.startswith(SKIPPED_IN_HEAD)

    @property
    def what_happened(self) -> str:
        """The reason, marked as a failure if it is one."""
        return f"failed: {self.reason}" if self.kind == "failed" else self.reason


@dataclass(frozen=True, slots=True)
class Ignored:
    """A benchmark that the settings exclude from every verdict.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    reason : str
        Reason given in the settings.
    """

    identity: Identity
    reason: str


@dataclass(frozen=True, slots=True)
class Lost:
    """Benchmarks without a result to compare; false if there is none.

    Parameters
    ----------
    failed, missing, gone, incomparable : int
        By their places in the `Ledger`.
    failed_in_base : int
        How many of those that failed did so in base alone.
    skipped : int
        How many of the missing were left out by head's own code.
    unfinished : int
        How many failed or are missing because the run was stopped before its end.
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
        """All of them."""
        return self.failed + self.missing + self.gone + self.incomparable


@dataclass(frozen=True, slots=True)
class Ledger:
    """Every benchmark in exactly one place; missing is never green.

    Parameters
    ----------
    compared : tuple of Identity
        Seen in base and in head.
    failed : tuple of Missing
        Started by the harness, without a result.
    missing : tuple of Missing
        Expected by the plan, and without a result in base, in head, or in both; or skipped by head.
    new : tuple of Identity
        Only in head, and not in the plan.
    gone : tuple of Identity
        In base, not in head, and not reported as failed.
    unplanned : tuple of Identity
        Compared, but not in the plan; empty without a plan.
    incomparable : tuple of Missing
        With results on both sides that are not comparable: they differ in the unit, the warm-up or
        the length of an iteration, or have no values.
    renamed : tuple of (Identity, Identity)
        Probable renames, base first: a benchmark gone or missing in head, and a new one with a
        similar name. Both are also in their own places.
    ignored : tuple of Ignored
        Excluded by the settings, whichever place they would have.
    not_run : tuple of NotRun
        Left out of both runs on purpose.
    same_code : tuple of Identity
        Not measured, because base and head run the same code.
    controls : tuple of Identity
        Compared although base and head run the same code, to detect false alarms on this machine.
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
        """Return the same where a control changed: skipped benchmarks count as not measured."""
        doubted = tuple(NotRun(identity, IN_DOUBT) for identity in self.same_code)
        return replace(self, same_code=(), not_run=(*self.not_run, *doubted))

    @property
    def identities(self) -> tuple[Identity, ...]:
        """Every benchmark, each once."""
        lost = (*self.failed, *self.missing, *self.incomparable)
        return (
            *(*self.compared, *self.new, *self.gone, *self.same_code),
            *(missing.identity for missing in lost),
            *(ignored.identity for ignored in self.ignored),
            *(entry.identity for entry in self.not_run),
        )

    @property
    def lost(self) -> Lost:
        """The benchmarks without a result to compare, counted."""
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
        """The number of benchmarks, such as ``286 (8 compared, 276 same code, 2 not measured)``.

        Empty if there is a single part.
        """
        lost = self.lost
        parts = {
            "compared": len(self.compared) - len(self.controls),
            "same code": len(self.same_code) + len(self.controls),
            "without a result": lost.total - lost.gone,
            "only in base": lost.gone,
            "only in head": len(self.new),
            "ignored": len(self.ignored),
            "not measured": len(self.not_run),
        }
        shown = [f"{many:,} {what}" for what, many in parts.items() if many]
        return f"{sum(parts.values()):,} ({', '.join(shown)})" if len(shown) > 1 else ""

    @property
    def complete(self) -> bool:
        """Whether every benchmark that was expected could be compared."""
        return not self.lost
