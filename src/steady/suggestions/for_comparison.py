"""Suggestions after a comparison."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from steady.compare import Comparison
from steady.options.compare_options import Comparing
from steady.suggestions.recorded_run import longer_run
from steady.suggestions.rendering import code


def suggest_for_unclear(arguments: Comparing, head: Path, comparison: Comparison) -> Iterator[str]:
    """Suggest a longer run, or a larger minimum change of at most 10 %, for unclear benchmarks.

    Parameters
    ----------
    arguments : Comparing
        The command.
    head : Path
        The results of head.
    comparison : Comparison
        The result of the comparison.
    """
    unclear = [c for c in comparison.unclear if not (c.cold_seconds or c.lacking)]
    if not unclear or not comparison.comparable:
        return
    if longer := longer_run(head, arguments.plan):
        yield f"twice the time finds smaller changes: {code(longer)}"
    enough = comparison.deciding_percent
    if enough is None:
        yield "a quieter machine finds smaller changes: this one was too noisy for them"
    else:
        command = replace(arguments, min_change=enough / 100)
        which = "that benchmark" if len(unclear) == 1 else "half of those benchmarks"
        yield f"if only larger changes matter, this decides {which}: {code(command)}"
