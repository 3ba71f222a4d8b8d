"""Commands that measure benchmarks of a comparison again, with more time or a longer warm-up."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from steady.compare import Change, Ledger
from steady.execution.warm_up import time_to_warm_up
from steady.harness.only import only_these
from steady.model import Identity
from steady.options.run_options import RunCommand
from steady.plan.suite_plan import Plan


def plan_command(unclear: Iterable[Change], plan: Plan | None) -> str:
    """Return the command that makes a plan with twice the time; empty if there is no plan."""
    if plan is None:
        return ""
    warm = (change.identity for change in unclear if not change.cold_seconds)
    kind = "txt" if all(identity.is_go for identity in warm) else "json"
    own = plan.pair_seconds if plan.rotation == 1 else 0.0
    now = max(plan.time_budget or 0.0, own) or plan.pair_seconds
    detect = "" if plan.wish is None else f" --detect {100 * plan.wish:g}%"
    minutes = math.ceil(2 * now / 60)
    return f"steady optimize full/results.{kind}{detect} --time-budget {minutes}m"


def rerun_command(ledger: Ledger) -> str:
    """Return the command that runs lost benchmarks again; empty if all of them were renamed."""
    renamed = dict(ledger.renamed)
    lost = (*ledger.failed, *ledger.missing)
    again = [one.identity for one in lost if one.identity not in renamed]
    return _run(again, 300.0) if again else ""


def warm_up_command(cold: Sequence[Change]) -> str:
    """Return the command that allows a longer warm-up; empty if all forks reached steady state."""
    seconds = max((change.cold_seconds for change in cold), default=0.0)
    longer = time_to_warm_up(len(cold), seconds)
    return _run([change.identity for change in cold], longer) if cold else ""


def _run(identities: Sequence[Identity], seconds: float) -> str:
    """Return the command that runs benchmarks, selected by name or, if there are many, by class."""
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
