"""Lines to type: commands that run benchmarks again, and comments that accept changes."""

import math
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from steady.compare import Change, Comparison
from steady.execution.warm_up import time_to_warm_up
from steady.harness.only import only_these
from steady.model import Identity
from steady.options.run_options import RunCommand
from steady.plan.suite_plan import Plan
from steady.report.names import ShortNames, names_of
from steady.settings import matches
from steady.settings.accept_command import DEFAULT_BOUND, parse_accept
from steady.text.escape import visible

MOST_LINES = 20
_REASON = "REASON"
_STEP = 5  # percent: bounds in round numbers
_UNSAFE = re.compile(r"[`*~]|<!--|-->")


def plan_command(comparison: Comparison, plan: Plan | None) -> str:
    """Return the command that makes a plan with twice the time; empty without a plan."""
    if plan is None:
        return ""
    unclear = (change.identity for change in comparison.unclear if not change.cold_seconds)
    kind = "txt" if all(identity.is_go for identity in unclear) else "json"
    own = plan.pair_seconds if plan.rotation == 1 else 0.0
    now = max(plan.time_budget or 0.0, own) or plan.pair_seconds
    detect = "" if plan.wish is None else f" --detect {100 * plan.wish:g}%"
    minutes = math.ceil(2 * now / 60)
    return f"steady optimize full/results.{kind}{detect} --time-budget {minutes}m"


def rerun_command(comparison: Comparison) -> str:
    """Return the command that runs lost benchmarks again; empty if all of them were renamed."""
    renamed = dict(comparison.ledger.renamed)
    lost = (*comparison.ledger.failed, *comparison.ledger.missing)
    again = [one.identity for one in lost if one.identity not in renamed]
    return _run(again, 300.0) if again else ""


def warm_up_command(comparison: Comparison) -> str:
    """Return the command that gives benchmarks longer to warm up; empty if all were warm."""
    cold = comparison.not_warm
    seconds = max((change.cold_seconds for change in cold), default=0.0)
    longer = time_to_warm_up(len(cold), seconds)
    return _run([change.identity for change in cold], longer) if cold else ""


def _run(identities: Sequence[Identity], seconds: float) -> str:
    """Return the command that runs benchmarks: by name where they are few, or by their holder."""
    tests = all(identity.is_python for identity in identities)
    folders = tests or all(identity.is_go for identity in identities)
    base, head = ("base", "head") if folders else ("base.jar", "head.jar")
    return RunCommand(
        command=("pytest",) if tests else (),
        base=Path(base),
        head=Path(head),
        only=only_these(identities),
        time_budget=seconds,
        out=Path("again"),
    ).line


def accept_lines(comparison: Comparison) -> tuple[str, ...]:
    """Return a comment that accepts each regression, metrics included, the worst first.

    A line is given only where `parse_accept` reads it as it is meant: for benchmarks of
    this name alone, and for a change of this size. Names are a stranger's text.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    """
    if not comparison.comparable:
        return ()
    names = names_of(comparison)
    everybody = comparison.ledger.identities
    worse = (*comparison.regressions, *comparison.metrics.regressions)
    lines = (next(_lines(change, names, everybody), "") for change in worse[:MOST_LINES])
    return tuple(filter(None, dict.fromkeys(lines)))


def _lines(change: Change, names: ShortNames, everybody: Collection[Identity]) -> Iterator[str]:
    bound = _bound(change)
    if bound is None:
        return
    metric = f" --metric {change.metric}" if change.metric else ""
    for label in (names.label(change.identity), change.identity.label):
        quote = "'" if '"' in label else '"'
        line = f"/steady accept {quote}{label}{quote}{metric}{bound} {_REASON}"
        meant = {identity.name for identity in everybody if matches(label, identity)}
        if meant == {change.identity.name} and _is_read_as_meant(line, label, change):
            yield line


def _bound(change: Change) -> str | None:
    """Return the option that lets a change of this size pass, the ends of its interval included.

    None where no bound does: a result that was zero.
    """
    if not math.isfinite(change.ratio):
        return "" if change.metric else None
    size = max(abs(end) for end in (change.ratio, *(change.interval or ())))
    if size <= DEFAULT_BOUND:
        return ""
    steps = math.ceil(round(100 * size, 6) / _STEP)  # 55, and not 55.000000001
    return f" --bound {steps * _STEP}%"


def _is_read_as_meant(line: str, label: str, change: Change) -> bool:
    if visible(line) != line or _UNSAFE.search(line):
        return False
    try:
        entry = parse_accept(line.removeprefix("/steady accept"), "")
    except ValueError:
        return False
    return (entry.pattern, entry.metric, entry.reason) == (label, change.metric, _REASON)
