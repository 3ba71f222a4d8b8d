"""Findings as other systems list them: each where its benchmark stands, under a lasting mark."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from steady.compare import Comparison
from steady.model import Identity
from steady.report.findings import Finding, Severity, findings
from steady.report.source_lines import find_lines
from steady.source_folder import SourceLine
from steady.text.escape import visible


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """A finding with its place.

    Parameters
    ----------
    finding : Finding
        What there is to say.
    line : SourceLine, optional
        Where its benchmark is declared; None where that is not known.
    """

    finding: Finding
    line: SourceLine | None

    @property
    def subject(self) -> str:
        """What the finding is about: the benchmark's name, or the comparison."""
        identity = self.finding.identity
        return "comparison" if identity is None else visible(identity.label)

    @property
    def fingerprint(self) -> str:
        """A mark that stays the same as long as the finding is of one kind and benchmark."""
        message = self.finding.message
        # A metric has findings of its own: what stands before the figures tells them apart.
        about = message.partition(" from ")[0] if " from " in message else self.subject
        parts = (f"steady: {self.finding.title}", self.subject, about)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()


def lines_of_findings(comparison: Comparison, sources: str | Path) -> Mapping[Identity, SourceLine]:
    """Return where the benchmarks stand that something is found of.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    sources : path-like
        Root of the repository, in which the lines are looked for.
    """
    named = [one.identity for one in findings(comparison) if one.identity is not None]
    return find_lines(sources, named) if named else {}


def placed_findings(
    comparison: Comparison, lines: Mapping[Identity, SourceLine], levels: Collection[Severity]
) -> list[PlacedFinding]:
    """Return the findings of some levels with their places, each fingerprint once.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    lines : mapping of Identity to SourceLine
        Where benchmarks stand, as far as that is known.
    levels : collection of {"error", "warning", "notice"}
        How loud a finding is that is listed.
    """
    wanted = [finding for finding in findings(comparison) if finding.level in levels]
    placed = (
        PlacedFinding(one, None if one.identity is None else lines.get(one.identity))
        for one in wanted
    )
    first: dict[str, PlacedFinding] = {}
    for one in placed:
        first.setdefault(one.fingerprint, one)
    return [*first.values()]
