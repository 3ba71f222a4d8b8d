"""The two results that a command compares, and what it is narrowed to.

They are two words, or given by ``--base`` and ``--head``; the user, the run or the plan narrows it.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from steady.cli.printing import say
from steady.engine.run_file import read_run
from steady.engine.run_folder import header_beside
from steady.errors import InputError
from steady.harness.only import ONLY, Only, nearest
from steady.model import Identity, Suite
from steady.optimize import Plan
from steady.options.compare_options import Comparing

ComparingT = TypeVar("ComparingT", bound=Comparing)

SIDES = ("base", "head")
_SUFFIXES = (".json", ".json.gz", ".txt", ".txt.gz")


def settled(arguments: ComparingT) -> ComparingT:
    """Return the command with the results of each side as its base and head.

    Raises
    ------
    InputError
        If it is not clear which two results are meant; the message says what to type.
    """
    pair = arguments.pair
    if pair and (arguments.base or arguments.head):
        raise InputError("give two results as OLD NEW, or by --base and --head, but not both")
    if pair:
        base, head = _of_words(pair)
        return replace(arguments, pair=(), base=base, head=head)
    if not (arguments.base and arguments.head):
        missing = " and ".join(f"--{side}" for side in SIDES if not getattr(arguments, side))
        raise InputError(
            "give two results, as in `steady compare OLD NEW`"
            + (f"; {missing} is missing" if len(missing) == len("--base") else "")
        )
    return arguments


def _of_words(pair: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if len(pair) > len(SIDES):
        raise InputError(
            f"{len(pair)} results were given; give two, the older one first, or several of each "
            "side by --base and --head"
        )
    if len(pair) == 1:
        found = of_run(pair[0])
        if found is None:
            raise InputError(_why_not_two(pair[0]), source=pair[0])
        return (found["base"],), (found["head"],)
    for word in pair:
        found = of_run(word)
        if found is not None:
            raise InputError(
                f"holds results of base and of head; name one of them, such as {found['head']}, or "
                "give this folder alone to compare both",
                source=word,
            )
    old, new = pair
    return (old,), (new,)


def _why_not_two(word: str) -> str:
    """Say why a path does not stand for two results, and what to type next."""
    header = Path(word) / "run.json"
    if not header.is_file():
        return _what_it_is(Path(word))
    run = read_run(header)
    if {version.name for version in run.header.versions} != set(SIDES):
        return (
            "holds a run of one version; give two results, the older one first, or run both: "
            "`steady run --base OLD --head NEW --out FOLDER`"
        )
    missing = " and ".join(side for side in SIDES if _result(word, side) is None)
    if run.outcome is None or run.outcome.interrupted:
        return (
            f"holds a run that has not ended and has no results of {missing} yet; if nothing is "
            "running, give its `steady run` command again with --resume"
        )
    lost = [fork for fork in run.outcome.lost_forks if fork.version in missing]
    if not lost:
        return (
            f"holds a run without results of {missing}: no fork was run; run again into the same "
            "folder with more time (--time-budget): what was learned is kept there"
        )
    return (
        f"holds a run without results of {missing}: every fork failed (the first: "
        f"{lost[0].reason}); see the output in {Path(word) / 'logs'}, mend that, and run again "
        "into another folder"
    )


def _what_it_is(path: Path) -> str:
    """Say what a path is that does not hold a run."""
    folder = "the folder of a `steady run` of base and head"
    if path.is_dir():
        return f"does not hold base.json and head.json (Go: .txt); name {folder}, or two results"
    pattern = any(character in path.name for character in "*?[")
    if not pattern and not path.exists():
        return f"does not exist; name {folder}, or two results, the older one first"
    return f"is only one result; give two, the older one first, or {folder}"


def of_run(word: str) -> dict[str, str] | None:
    """Return the results of both sides in the folder of a run; None if it does not hold both."""
    found: dict[str, str] = {}
    for side in SIDES:
        file = _result(word, side)
        if file is None:
            return None
        found[side] = str(file)
    return found


def _result(word: str, side: str) -> Path | None:
    """Return the file of one side's results in the folder of a run."""
    paths = (Path(word) / f"{side}{suffix}" for suffix in _SUFFIXES)
    return next((path for path in paths if path.is_file()), None)


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
