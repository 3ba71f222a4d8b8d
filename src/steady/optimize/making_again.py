"""The command that makes a plan again, to be pasted whole: as it was made, from a new full run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields

from steady.harness import harness_named
from steady.model import Identity
from steady.optimize.cost import STARTUP_SECONDS
from steady.optimize.plan import BenchmarkPlan, Plan
from steady.optimize.strategies import DEFAULT_STRATEGY, SHARES, STRATEGIES

FULL = (5, 60)
"""Forks and iterations of the full run, for a plan that does not name its own."""

_MOST_NAMED = 3
_HARMLESS = re.compile(r"[\w.$/]{1,120}", re.ASCII)
"""Names that may stand in a command: people paste it, and the names are a stranger's."""

_VALUE = re.compile(r"[\w.%-]{1,40}", re.ASCII)

OPTIONS = (
    "detector", "similarity", "min_forks", "startup_seconds", "unsteady", "metric", "threshold",
    "budget", "time_budget", "detect", "power", "confidence", "min_change",
)  # fmt: skip
"""Options of a plan that `steady optimize` takes under the same name."""

_USUAL: Mapping[str, object] = {
    "detector": "kb-kssd",
    "similarity": "heuristic",
    "startup_seconds": STARTUP_SECONDS,
    "unsteady": "keep",
}
"""The defaults of `steady.optimize.optimize`."""


def made_again(plan: Plan, identities: Sequence[Identity] = ()) -> str:
    """Return the command that measures benchmarks fully and plans anew.

    Parameters
    ----------
    plan : Plan
        The plan as it is. Its options are repeated if they are not the default, and the full run is
        as long as the one that it was made from.
    identities : sequence of Identity
        The benchmarks whose plan is to be made again; without any, those of the whole plan.
    """
    harness = harness_named(plan.harness)
    jar = ["--jar", harness.building.usual]
    only = only_words(identities) if identities else _words_of(plan.only)
    entries = [plan[one] for one in identities if one in plan] or [*plan.benchmarks]
    run = ["steady", "run", *_full_run(entries), *only, *jar, "--out", "full"]
    declared = () if harness.declaring is None else jar
    make = ["steady", "optimize", "full", *declared, *_options(plan)]
    if identities:
        make.append("--update")
    return f"{shlex.join(run)} && {shlex.join(make)}"


def only_words(identities: Iterable[Identity]) -> list[str]:
    """Return the option that chooses benchmarks: by name if they are few, or by their class.

    It is left out if a name holds something that should not be pasted, or if no short pattern
    exists.
    """
    known = {identity.name: identity.parts for identity in identities}
    names = list(known)
    if len(names) > _MOST_NAMED:
        holders = {name.removesuffix(parts.member) for name, parts in known.items()}
        names = list(holders) if len(holders) == 1 else [""]
    if not names or not all(map(_HARMLESS.fullmatch, names)):
        return []
    return ["--only", "|".join(re.escape(name) for name in names)]


def _words_of(only: str) -> list[str]:
    return ["--only", only] if only and only.isprintable() and "`" not in only else []


def _full_run(entries: Sequence[BenchmarkPlan]) -> list[str]:
    """Return the options of a full run that is as long as the last one."""
    configurations = [entry.full for entry in entries]
    forks = max((c.forks for c in configurations), default=0) or FULL[0]
    lengths = (c.warmup_iterations + c.iterations for c in configurations)
    iterations = max(lengths, default=0) or FULL[1]
    seconds = {c.iteration_seconds for c in configurations}
    words = ["--full", f"{forks}x{iterations}"]
    if len(seconds) == 1 and (least := min(seconds)) > 0:
        words += ["--iteration-seconds", f"{least:g}"]
    return words


def _options(plan: Plan) -> Iterator[str]:
    """Yield the options with which the plan was made, except for defaults."""
    if plan.strategy not in STRATEGIES:
        return
    kind = STRATEGIES[plan.strategy].value
    usual = {
        **_USUAL,
        "min_forks": kind.min_forks,
        **{field.name: field.default for field in fields(kind)},  # type: ignore[arg-type]
        "detect": None,  # as an option it names the strategy, so it has no default
    }
    if plan.strategy not in (DEFAULT_STRATEGY, "detect"):
        yield from ("--strategy", plan.strategy)
    for name in OPTIONS:
        value = plan.options.get(name)
        if value is None or value == usual.get(name):
            continue
        is_share = name in SHARES and isinstance(value, float)
        shown = f"{100 * value:.12g}%" if is_share else f"{value}"
        if _VALUE.fullmatch(shown):
            yield from (f"--{name.replace('_', '-')}", shown)
