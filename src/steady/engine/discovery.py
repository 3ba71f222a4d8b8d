"""Discovery of the plan, the versions and the benchmarks that a request names."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from steady.engine.harness_detection import harness_of, harness_of_command, harness_of_files
from steady.engine.progress import Heartbeat
from steady.engine.request import RunRequest, Ways, no_ways
from steady.engine.simultaneous import Simultaneous
from steady.engine.time_limit import LISTING_SHARE, TOO_SHORT
from steady.engine.workload import all_identities
from steady.errors import InputError, require
from steady.harness.only import Only, nearest
from steady.harness.runs import Runs
from steady.harness.search import Search
from steady.harness.trial import Held, Version
from steady.harnesses import RUNNABLE, harness_named
from steady.model import Identity, NotRun
from steady.model.identity import by_method
from steady.optimize import Plan, plan_at
from steady.options.kinds import SKIP
from steady.options.strictness import check_strictness
from steady.readers.sidecars import NoResult

Say = Callable[[str], None]
"""Called with each line to print, which may contain names from the code under test."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """The plan, versions and benchmarks that a request names.

    Parameters
    ----------
    request : RunRequest
        The request.
    plan : Plan, optional
        The plan that is followed.
    only : Only, optional
        The expression to which the run is limited.
    versions : tuple of Version
        Base and head, or the only version.
    harness : Runs
        The runner of their harness.
    held : mapping of str to collection of Identity
        The requested benchmarks of each version.
    lost : tuple of NoResult
        Benchmarks whose discovery failed.
    not_run : tuple of NotRun
        Benchmarks that the time was too short to discover.
    simultaneous : Simultaneous
        The number of benchmarks that are measured simultaneously.
    """

    request: RunRequest
    plan: Plan | None
    only: Only | None
    versions: tuple[Version, ...]
    harness: Runs
    held: Held
    lost: tuple[NoResult, ...] = ()
    not_run: tuple[NotRun, ...] = ()
    simultaneous: Simultaneous = field(default_factory=Simultaneous)


def discover(request: RunRequest, pulse: Heartbeat) -> Discovery:
    """Find the plan, the versions and the benchmarks that a request names.

    Parameters
    ----------
    request : RunRequest
        The request.
    pulse : Heartbeat
        Prints the progress, and has the time budget of the whole run. Discovery ends after a share
        of this budget; builds do not count.

    Raises
    ------
    InputError
        If options contradict each other, or a named file or benchmark does not exist.
    """
    say = pulse.say
    _check_options(request)
    plan = _plan_of(request)
    versions = request.versions
    _check_harness_of_plan(request, plan, versions)
    name = (
        request.harness
        or (plan and plan.harness)
        or harness_of(versions[0], request.command, request.ways)
    )
    harness = RUNNABLE[name].value.make(request.harness_settings(name))
    simultaneous = Simultaneous.of(request, harness)
    check_targets(harness, versions, no_ways if request.command else request.ways)
    only = _narrowed_to(request, plan, say)
    for version in versions if harness.builder else ():
        what = f"building {version.name} with {harness.builder}"
        with pulse.aside(f"{what}, which does not count against the time budget"):
            harness.build(version)
    search = Search(
        only=only,
        known=() if plan is None else tuple(plan),
        new=request.new != SKIP,
        seconds=request.list_timeout,
        functions="if same" if request.skips_same_code else "never",
        tell=say,
    )
    seen: dict[str, Sequence[Identity]] = {}
    lost: list[NoResult] = []
    late: list[Identity] = []
    for number, version in enumerate(versions, start=1):
        share = LISTING_SHARE * number / len(versions)
        lose = partial(_lose, lost, version.name)
        remaining = partial(pulse.budget.left, share)
        own = replace(search, left=remaining, lost=lose, late=late.append)
        seen[version.name] = tuple(harness.benchmarks(version, own))
    dropped = _searched_for_in_part(seen, late)
    seen = {name: [i for i in own if i not in dropped] for name, own in seen.items()}
    if plan is None and only is None and not any(seen.values()) and not late:
        _refuse_empty(harness, versions[-1], request.ways)
    _check_benchmarks_of_plan(request, plan, seen)
    held = {name: dict.fromkeys(filter(search.wants, own)) for name, own in seen.items()}
    for remark in unmatched(only, held, seen, request.ways):
        say(remark)
    not_run = tuple(NotRun(i, TOO_SHORT) for i in dropped if search.wants(i))
    return Discovery(
        request, plan, only, versions, harness, held, tuple(lost), not_run, simultaneous
    )


def _lose(lost: list[NoResult], version: str, identity: Identity, reason: str) -> None:
    lost.append(NoResult(version, identity, reason))


def _searched_for_in_part(
    seen: Mapping[str, Sequence[Identity]], late: Iterable[Identity]
) -> dict[Identity, None]:
    """Return the benchmarks of methods whose discovery ran out of time in one of the versions.

    Whether this version has the benchmarks that the other one has is unknown.
    """
    known = by_method(dict.fromkeys(i for own in seen.values() for i in own))
    methods = by_method(dict.fromkeys(late))
    return dict.fromkeys(i for method, own in methods.items() for i in known.get(method, own))


def _check_options(request: RunRequest) -> None:
    """Raise InputError if options contradict each other."""
    full, plan, alone = request.full, request.plan, request.jar is not None
    budget = request.time_budget
    if not (full or plan or request.list or (budget is not None and not alone)):
        raise InputError(_what_to_run(request))
    if request.out is None and not request.only_shown:
        way = request.ways("no folder", "")
        raise InputError(
            f"give --out, the folder for the results; --list and --dry-run need none{way}"
        )
    timed = not full and budget is not None
    require(plan or timed or request.rotation is None, "--rotation needs --plan or --time-budget")
    require(full or request.iteration_seconds is None, "--iteration-seconds needs --full")
    require(plan or request.new is None, "--new needs --plan; without a plan, all benchmarks run")
    require(plan or full or request.shard is None, "--shard needs --plan or --full")
    require(not alone or budget is None, "--time-budget needs --base and --head")
    require(not alone or not request.all_rounds, "--all-rounds needs --base and --head")
    require(
        not request.all_rounds or budget is None,
        "--all-rounds runs all rounds of the plan, however long they take; remove --time-budget "
        "or --all-rounds",
    )
    check_strictness(request)


def _what_to_run(request: RunRequest) -> str:
    """Return the message for a request without a plan, a length or a time budget."""
    way = request.ways("no length", "")
    if request.base is not None and request.head is not None:
        return f"give the length of the run{way}; or follow a plan with --plan"
    return (
        "give --plan or --full, or --list for the names; with --base and --head, --time-budget "
        f"10m is enough{way}"
    )


def _plan_of(request: RunRequest) -> Plan | None:
    """Read the plan of the request; None without one."""
    path = request.plan
    if path is not None and not path.exists():
        way = request.ways("no plan", str(path))
        raise InputError(f"this plan does not exist yet{way}", source=path)
    return None if path is None else plan_at(path)


def _check_harness_of_plan(
    request: RunRequest, plan: Plan | None, versions: Sequence[Version]
) -> None:
    """Raise InputError if the plan was made for another harness."""
    if plan is None or request.harness:
        return
    target, words = versions[0].target, request.command or versions[0].command
    own = harness_of_command(words, target, plan.harness) if words else harness_of_files(target)
    if own in (None, plan.harness):
        return
    way = request.ways("plan of another harness", own or "")
    what = f"'{shlex.join(words)}'" if words else target
    raise InputError(
        f"is a plan for benchmarks of {plan.harness}, but {what} belongs to {own}{way}",
        source=request.plan,
    )


def _check_benchmarks_of_plan(request: RunRequest, plan: Plan | None, seen: Held) -> None:
    """Raise InputError if no benchmark is in the plan: all would run as new ones.

    With ``new`` or ``only`` that is intended.
    """
    if plan is None or not len(plan) or request.new or request.only:
        return
    if not any(identity in plan for own in seen.values() for identity in own):
        way = request.ways("plan of another suite", str(request.plan))
        raise InputError(
            "contains none of these benchmarks: it is the plan of another suite, or all were "
            f"renamed{way}",
            source=request.plan,
        )


def check_targets(harness: Runs, versions: Sequence[Version], ways: Ways) -> None:
    """Raise InputError if a version has no benchmarks; the message suggests a target."""
    try:
        harness.check(versions)
    except InputError as error:
        way = ways("no benchmarks here", error.source or "")
        raise InputError(f"{error.problem}{way}", source=error.source) from None


def _refuse_empty(harness: Runs, version: Version, ways: Ways) -> None:
    """Raise InputError for a version without benchmarks; the message says how to write one."""
    build = ways("no benchmark written", "")
    way = harness_named(harness.name).building.empty.replace("{ways}", build)
    raise InputError(f"contains no benchmarks; {way}", source=version.target)


def _narrowed_to(request: RunRequest, plan: Plan | None, say: Say) -> Only | None:
    """Return the expression of the request, or else that of its plan."""
    if request.only is not None:
        return Only(request.only)
    if plan is None or not plan.only:
        return None
    say(
        f"the plan was made with --only {plan.only}, so no other benchmarks run; --only . also "
        "runs new ones"
    )
    return Only(plan.only)


def unmatched(only: Only | None, held: Held, seen: Held, ways: Ways) -> Iterator[str]:
    """Yield a message for each part of an expression that matches no benchmark.

    Parameters
    ----------
    only : Only, optional
        The expression.
    held, seen : mapping of str to collection of Identity
        The benchmarks of each version that it matches, and all benchmarks.
    ways : callable
        Returns the suggestion at the end of a message.

    Raises
    ------
    InputError
        If no part of it is matched.
    """
    if only is None:
        return
    if not any(held.values()):
        way = ways("no such benchmark", "shows the names")
        raise InputError(
            f"--only {only.text!r} matches no benchmark{way}{nearest(only, all_identities(seen))}"
        )
    for text in only.unmatched(all_identities(held)):
        yield f"--only: {text!r} matches no benchmark; the rest of the expression is used"
