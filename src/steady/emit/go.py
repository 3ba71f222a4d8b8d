"""What Go takes: a script with one command for all benchmarks of equal configuration."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from importlib import resources

from steady.emit.emitter import OutputFile, Rendered
from steady.emit.go_groups import GoGroup, check_go_plan, group_for_go
from steady.emit.go_pattern import split_name
from steady.errors import InputError
from steady.optimize.plan import BenchmarkPlan, Plan

SCRIPT = "run.sh"

_PLACES = re.compile(r"^# @(builds|runs|expected)@$", re.MULTILINE)


def render_go(plan: Plan, benchmark_list: bytes | None) -> Rendered:
    """Return Go's configuration; see `steady.emit.Emitter`.

    Parameters
    ----------
    plan : Plan
        What to run.
    benchmark_list : bytes, optional
        Of no use: a list of benchmarks is something that JMH has.

    Raises
    ------
    InputError
        If Go cannot be told what the plan says, or a list was given.
    """
    if benchmark_list is not None:
        raise InputError("a jar is of no use to a plan for Go; leave it out")
    check_go_plan(plan)
    if not plan.benchmarks:
        return Rendered({}, ("the plan holds no benchmarks, so there is nothing to run",))
    script = render_go_script(plan.benchmarks, group_for_go(plan.benchmarks))
    return Rendered({SCRIPT: OutputFile(script.encode(), executable=True)})


def render_go_script(benchmarks: Sequence[BenchmarkPlan], groups: Sequence[GoGroup]) -> str:
    """Return ``run.sh``, which needs only Go and a POSIX shell.

    Parameters
    ----------
    benchmarks : sequence of BenchmarkPlan
        Those that must leave a result.
    groups : sequence of GoGroup
        What runs them.
    """
    packages = {p: n for n, p in enumerate(dict.fromkeys(g.package for g in groups), start=1)}
    parts = {
        "builds": "\n".join(
            f'  build {number} {shlex.quote(package)} "$@"' for package, number in packages.items()
        ),
        "runs": "\n".join(
            [
                f"  rounds={max(group.configuration.forks for group in groups)}",
                *(_command(group, packages[group.package]) for group in groups),
            ]
        ),
        "expected": "\n".join(map(_expected, benchmarks)),
    }
    template = resources.files(__package__).joinpath("go_run.sh").read_text(encoding="utf-8")
    return _PLACES.sub(lambda place: parts[place[1]], template)


def _command(group: GoGroup, package: int) -> str:
    configuration = group.configuration
    arguments = (
        package,
        configuration.forks,
        configuration.warmup_iterations,
        configuration.iterations,
        group.benchtime.text,
        group.threads,
        shlex.quote(group.pattern),
    )
    return "  measure " + " ".join(map(str, arguments))


def _expected(benchmark: BenchmarkPlan) -> str:
    """Return a benchmark as the script finds it in its results, with the number of iterations."""
    identity, configuration = benchmark.identity, benchmark.configuration
    package, name = split_name(identity.name)
    processors = "" if identity.threads == 1 else f"-{identity.threads}"
    return f"{configuration.forks * configuration.iterations} {package} {name}{processors}"
