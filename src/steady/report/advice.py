"""What to do next, in one sentence with commands that can be pasted whole."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from steady.compare import Comparison
from steady.model import Identity
from steady.optimize.making_again import only_words


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
    """Return the command that runs benchmarks: by name where they are few, or by their class."""
    folders = bool(identities) and all(identity.is_go for identity in identities)
    command = ["steady", "run", "--base", "base", "--head", "head"]
    if not folders:
        command = ["steady", "run", "--base", "base.jar", "--head", "head.jar"]
    command += only_words(identities)
    return shlex.join([*command, "--time-budget", "5m", "--out", "again"])
