"""``--only``: what a command is narrowed to, by its user, by the run or by the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from steady.cli.watching import say
from steady.engine.folder import header_beside
from steady.engine.run_file import read_run
from steady.engine.workload import everything
from steady.errors import InputError
from steady.harness.only import ONLY, Only
from steady.harness.trial import Held
from steady.model import Identity, Suite, nearest_benchmarks
from steady.optimize import Plan


def chosen_only(asked: str | None, plan: Plan | None) -> Only | None:
    """Return what a run is narrowed to: by its user, or else as its plan is."""
    if asked is not None or plan is None or not plan.only:
        return None if asked is None else Only(asked)
    say(
        f"the plan was made with --only {plan.only}, so nothing else is run; --only . runs what "
        "is new, too"
    )
    return Only(plan.only)


def require_matches(only: Only | None, held: Held, seen: Held, listing: str) -> None:
    """Say which part of an expression no version matches.

    Parameters
    ----------
    only : Only, optional
        The expression.
    held, seen : mapping of str to collection of Identity
        The benchmarks of each version that it matches, and all that were seen.
    listing : str
        The command that shows the names.

    Raises
    ------
    InputError
        If no part of it is matched.
    """
    if only is None:
        return
    unmatched = only.unmatched(everything(held))
    if not any(held.values()):
        raise InputError(
            f"--only {only.text!r} matches no benchmark; `{listing}` shows the "
            f"names{_nearest(only, everything(seen))}"
        )
    for text in unmatched:
        say(f"--only: {text!r} matches no benchmark; the rest of the expression is used")


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
            + _nearest(chosen, (*base, *head))
        )
    if plan is not None:
        kept = tuple(entry for entry in plan.benchmarks if wanted(entry.identity))
        plan = replace(plan, benchmarks=kept)
    return _part(base, wanted), _part(head, wanted), plan


def _nearest(only: Only, known: Iterable[Identity]) -> str:
    """Return the end of a sentence that names what is like an expression; empty if nothing is."""
    near = nearest_benchmarks(only.text, known)
    return f"; the nearest: {', '.join(near)}" if near else ""


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
