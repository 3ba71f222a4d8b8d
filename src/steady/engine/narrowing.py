"""Results limited by an expression: the user's, or else the run's, or else the plan's."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from steady.compare.comparison import Narrowing
from steady.engine.run_file import read_run
from steady.engine.run_folder import header_beside
from steady.errors import InputError
from steady.harness.only import ONLY, Only, nearest
from steady.model import Identity, Suite
from steady.model.suite import unmeasured
from steady.optimize import Plan

EVERYTHING = "."


def only_of_run(suite: Suite) -> tuple[Only, ...]:
    """Return the expressions of the runs that wrote a suite's files; empty if one has none.

    A run says it in the ``run.json`` beside its results.
    """
    texts = [_only_of(header_beside(Path(source))) for source in suite.sources]
    return tuple(map(Only, dict.fromkeys(texts))) if all(texts) else ()


@dataclass(frozen=True, slots=True, eq=False)
class Narrowed:
    """Two runs and their plan without the benchmarks that were not requested.

    Parameters
    ----------
    base, head : Suite
        The two runs.
    plan : Plan, optional
        The plan that the runs followed.
    narrowing : Narrowing, optional
        The expressions that limit them; None if they are not limited.
    """

    base: Suite
    head: Suite
    plan: Plan | None
    narrowing: Narrowing | None = None


def narrowed(
    only: str | None,
    base: Suite,
    head: Suite,
    plan: Plan | None,
    say: Callable[[str], None],
    *,
    believed: bool = True,
) -> Narrowed:
    """Leave the benchmarks that were not requested out of two runs and their plan.

    Parameters
    ----------
    only : str, optional
        Expression of the user; without it, that of either run is used, or else that of the plan.
    base, head : Suite
        The two runs.
    plan : Plan, optional
        The plan that the runs followed.
    say : callable
        Prints a line if the expression comes from the runs.
    believed : bool
        Whether the expressions of the runs are used. An untrusted run might omit slower benchmarks.

    Raises
    ------
    InputError
        If `only` is not a regular expression, or matches no benchmark of the runs.
    """
    chosen: list[tuple[Only, ...]] = [] if only is None else [(Only(only),)]
    sides = (base, head) if believed else ()
    asked = chosen or [narrow for side in sides if (narrow := only_of_run(side))]
    if not chosen and (texts := _texts(asked)):
        say(f"the run was limited by --only {texts}, so the comparison is limited too")
    if not asked and plan is not None and plan.only:
        asked = [(Only(plan.only),)]

    def wanted(identity: Identity) -> bool:
        return all(any(one.wants(identity) for one in either) for either in asked)

    texts = _texts(asked)
    if not texts:
        return Narrowed(base, head, plan)
    known = dict.fromkeys((*_known(base), *_known(head)))
    kept = {identity for identity in known if wanted(identity)}
    if only is not None and known and not kept:
        near = nearest(Only(only), known)
        raise InputError(f"--only {only!r} matches no benchmark of either run{near}")
    if plan is not None:
        entries = tuple(entry for entry in plan.benchmarks if wanted(entry.identity))
        plan = replace(plan, benchmarks=entries)
    narrowing = Narrowing(texts, len({*base, *head} - kept))
    return Narrowed(_part(base, wanted), _part(head, wanted), plan, narrowing)


def _known(suite: Suite) -> Iterator[Identity]:
    """Yield all benchmarks of a run: measured, failed, left out, or with an identical code path."""
    yield from (*suite, *unmeasured(suite), *suite.same_code.not_measured)


def _texts(asked: Iterable[tuple[Only, ...]]) -> str:
    """Return the expressions in words; empty if they match everything."""
    texts = " and ".join(dict.fromkeys(one.text for either in asked for one in either))
    return "" if texts == EVERYTHING else texts


def _part(suite: Suite, wanted: Callable[[Identity], bool]) -> Suite:
    return replace(
        suite,
        benchmarks=tuple(b for b in suite.benchmarks if wanted(b.identity)),
        failures=tuple(f for f in suite.failures if wanted(f.identity)),
        not_run=tuple(entry for entry in suite.not_run if wanted(entry.identity)),
        same_code=suite.same_code.part(wanted),
    )


def _only_of(path: Path) -> str:
    """Return the expression in the header of a run; empty if it has none."""
    try:
        return Only(read_run(path).header.described.get(ONLY, "")).text
    except InputError:
        return ""
