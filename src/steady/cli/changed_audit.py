"""``steady changed --audit``: hold the list against a run that left nothing out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from steady.cli.common import load
from steady.compare import Comparison, compare
from steady.engine.workload import Held
from steady.errors import InputError
from steady.harness.jmh.samecode.loaded import Loaded
from steady.harness.jmh.samecode.selection import JmhBuilds
from steady.model import Identity
from steady.report.figures import change_percent
from steady.samecode.decide import Decision
from steady.text.counting import count, listed
from steady.text.escape import visible

_SHOWN = 3


def audit_results(decisions: Sequence[Decision], folder: Path, suffix: str) -> int:
    """Say what was measured of the benchmarks with the same code; 1 if any of them changed.

    Parameters
    ----------
    decisions : sequence of Decision
        What runs the same code.
    folder : Path
        Of the run.
    suffix : str
        How the names of its files of results end.

    Raises
    ------
    InputError
        If the run measured none of them.
    """
    comparison = _compared(folder, suffix)
    same = {decision.identity for decision in decisions if decision.same}
    measured = [c for c in (*comparison.changes, *comparison.controls) if c.identity in same]
    if not measured:
        raise InputError(
            "holds none of the benchmarks with the same code; measure them with "
            "`steady run --same-code run`",
            source=folder,
        )
    outcomes = Counter(change.outcome for change in measured)
    changed = [c for c in measured if c.outcome in ("regression", "improvement")]
    counts = ", ".join(f"{outcomes[name]} {name}" for name in sorted(outcomes))
    print(f"audit: {count(len(measured), 'benchmark')} with the same code: {counts}")
    for change in changed:
        print(
            f"audit: {visible(change.identity.label)}: {change.outcome}, {change_percent(change)}"
        )
    return 1 if changed else 0


def audit_loaded(decisions: Sequence[Decision], folder: Path, builds: JmhBuilds, held: Held) -> int:
    """Say what the forks of a run loaded beyond what was known; 1 if anything of it changed.

    Parameters
    ----------
    decisions : sequence of Decision
        What runs the same code, as far as was known.
    folder : Path
        Of the run.
    builds : JmhBuilds
        The two jars, and what was known.
    held : mapping of str to collection of Identity
        The benchmarks of base and head.
    """
    seen = builds.seen(folder)
    same = [one.identity for one in decisions if one.same and one.identity in seen]
    if not same:
        return 0
    more = {i: _beyond(builds.known[i], seen[i]) for i in same}
    print(f"audit: {_more(more)}")
    later = {one.identity: one.why for one in builds.decisions_with(seen, held)}
    missed = [identity for identity in same if later[identity]]
    for identity in missed:
        print(f"audit: {visible(identity.label)}: a fork of the run {visible(later[identity])}")
    return 1 if missed else 0


def _beyond(known: Loaded, seen: Loaded) -> frozenset[str]:
    """Return the classes that a fork has loaded, or used, and that were not known as such."""
    return (seen.classes - seen.idle) - (known.classes - known.idle) | seen.classes - known.classes


def _more(more: Mapping[Identity, frozenset[str]]) -> str:
    many = [own for own in more.values() if own]
    forks = f"{count(len(more), 'benchmark')} with the same code"
    if not many:
        return f"the forks of {forks} used no class that was not known before"
    names = sorted({name.replace("/", ".") for own in many for name in own})
    return (
        f"the forks of {len(many)} of {forks} used {count(len(names), 'class', 'classes')} that "
        f"{'was' if len(names) == 1 else 'were'} not known before: "
        f"{visible(listed(names, _SHOWN))}"
    )


def _compared(folder: Path, suffix: str) -> Comparison:
    base, head = (load([str(folder / f"{side}{suffix}")], None) for side in ("base", "head"))
    return compare(base, head)
