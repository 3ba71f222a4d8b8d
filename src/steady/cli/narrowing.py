"""``--only``: what a command is narrowed to, by its user, by the run or by the plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from steady.cli.printing import say
from steady.engine.finding import nearest
from steady.engine.run_file import read_run
from steady.engine.run_folder import header_beside
from steady.errors import InputError
from steady.harness.only import ONLY, Only
from steady.model import Identity, Suite
from steady.optimize import Plan


def only_of_run(suite: Suite) -> tuple[Only, ...]:
    """Return what the runs that left a suite's files were narrowed to; empty if one was not.

    A run says it in the ``run.json`` beside its results.
    """
    texts = [_only_of(header_beside(Path(source))) for source in suite.sources]
    return tuple(map(Only, dict.fromkeys(texts))) if all(texts) else ()


def narrowed(
    only: str | None, base: Suite, head: Suite, plan: Plan | None
) -> tuple[Suite, Suite, Plan | None]:
    """Leave out of two runs and their plan what was not asked for.

    ``--only`` says what was asked for; without it the run of either side does, or else the plan.
    """
    chosen = None if only is None else Only(only)
    if chosen is not None:
        asked: list[tuple[Only, ...]] = [(chosen,)]
    else:
        asked = [narrow for side in (base, head) if (narrow := only_of_run(side))]
        texts = " and ".join(dict.fromkeys(one.text for either in asked for one in either))
        if asked:
            say(f"the run was narrowed by --only {texts}, and so is the comparison")
        elif plan is not None and plan.only:
            asked = [(Only(plan.only),)]

    def wanted(identity: Identity) -> bool:
        return all(any(one.wants(identity) for one in either) for either in asked)

    if not asked:
        return base, head, plan
    if chosen is not None and not any(map(wanted, (*base, *head))):
        raise InputError(
            f"--only {chosen.text!r} matches no benchmark of either run"
            + nearest(chosen, (*base, *head))
        )
    if plan is not None:
        kept = tuple(entry for entry in plan.benchmarks if wanted(entry.identity))
        plan = replace(plan, benchmarks=kept)
    return _part(base, wanted), _part(head, wanted), plan


def _part(suite: Suite, wanted: Callable[[Identity], bool]) -> Suite:
    return replace(
        suite,
        benchmarks=tuple(b for b in suite.benchmarks if wanted(b.identity)),
        failures=tuple(f for f in suite.failures if wanted(f.identity)),
        not_run=tuple(entry for entry in suite.not_run if wanted(entry.identity)),
        same_code=suite.same_code.part(wanted),
    )


def _only_of(path: Path) -> str:
    """Return what a run's header says it was narrowed to; empty where nothing says so."""
    try:
        return Only(read_run(path).header.described.get(ONLY, "")).text
    except InputError:
        return ""
