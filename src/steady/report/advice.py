"""What to do next, in one sentence with commands that can be pasted whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from steady.compare import Comparison
from steady.model import Identity
from steady.optimize.making_again import only_these
from steady.options.run_options import RunCommand


def advice(comparison: Comparison) -> str:
    """Say how to find out why benchmarks have no result; commands stand in backticks."""
    if not comparison.comparable:
        return "Run base and head on one machine, with one JDK and the same arguments."
    if comparison.verdict != "incomplete":
        return ""
    renamed = dict(comparison.ledger.renamed)
    lost = (*comparison.ledger.failed, *comparison.ledger.missing)
    again = [one.identity for one in lost if one.identity not in renamed]
    if not again:
        return ""
    these = "it" if len(again) == 1 else "them"
    return f"To see why, run {these} again: `{_run(again)}`."


def _run(identities: Sequence[Identity]) -> str:
    """Return the command that runs benchmarks: by name where they are few, or by their holder."""
    go = bool(identities) and all(identity.is_go for identity in identities)
    base, head = ("base", "head") if go else ("base.jar", "head.jar")
    return RunCommand(
        base=Path(base),
        head=Path(head),
        only=only_these(identities),
        time_budget=300.0,
        out=Path("again"),
    ).line
