"""Which benchmarks of a Go plan share a process, and what Go cannot be told.

One process runs all its benchmarks alike, and its pattern is matched element by element. So
benchmarks share one if they are of one package, differ in the last element of their names only,
and run alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from steady.emit.go_pattern import exact_pattern, sibling_pattern, split_name
from steady.errors import InputError
from steady.files import is_text
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.plan import BenchmarkPlan, Plan
from steady.readers.go_benchtime import Benchtime

_LONGEST_PATTERN = 30_000
"""Characters; Linux takes four times as many bytes in one argument."""

_PACKAGE = re.compile(r"[^\s\x00-\x1f\x7f-][^\s\x00-\x1f\x7f]*")
_NAME = re.compile(r"[^\s\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class GoGroup:
    """Benchmarks that one process runs.

    Parameters
    ----------
    package : str
        Import path.
    benchmarks : tuple of str
        Their names in there, without the number of processors.
    threads : int
        Processors.
    configuration : ExecutionConfiguration
        Of all of them; `forks` is how often the process is started.
    """

    package: str
    benchmarks: tuple[str, ...]
    threads: int
    configuration: ExecutionConfiguration

    @property
    def pattern(self) -> str:
        """What selects them and nothing else."""
        return sibling_pattern(self.benchmarks)

    @property
    def benchtime(self) -> Benchtime:
        """How long an iteration lasts."""
        return Benchtime(self.configuration.iteration_seconds, self.configuration.batch_size)


def check_go_plan(plan: Plan) -> None:
    """Check that Go can be told what a plan says.

    Raises
    ------
    InputError
        If a benchmark is none of Go's, or Go does not take its configuration.
    """
    for benchmark in plan.benchmarks:
        problem = _identity_problem(benchmark.identity) or _problem(benchmark.configuration)
        if problem:
            raise InputError(
                f"{problem}; Go cannot run this: make the plan anew from what go test printed",
                where=repr(benchmark.identity.label),
            )


def group_for_go(benchmarks: Iterable[BenchmarkPlan]) -> tuple[GoGroup, ...]:
    """Return the processes that run each benchmark as its plan says, in the plan's order."""
    alike: dict[tuple[str, str, int, ExecutionConfiguration], list[str]] = {}
    for benchmark in benchmarks:
        package, name = split_name(benchmark.identity.name)
        above = name.rpartition("/")[0]
        key = (package, above, benchmark.identity.threads, benchmark.configuration)
        alike.setdefault(key, []).append(name)
    return tuple(
        GoGroup(package, names, threads, configuration)
        for (package, _, threads, configuration), siblings in alike.items()
        for names in _parted(siblings)
    )


def _parted(siblings: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Split benchmarks into runs whose patterns are not too long."""
    run: list[str] = []
    size = 0
    for name in siblings:
        length = len(exact_pattern(name))
        if run and size + length > _LONGEST_PATTERN:
            yield tuple(run)
            run, size = [], 0
        run.append(name)
        size += length
    yield tuple(run)


def _identity_problem(identity: Identity) -> str:
    try:
        package, name = split_name(identity.name)
    except ValueError as error:
        return str(error)
    if identity.mode != "avgt" or identity.params:
        return "it has a mode or parameters of another harness"
    if not package:
        return "its package is not known, because no pkg: line stood above its results"
    if not _PACKAGE.fullmatch(package) or not _NAME.fullmatch(name):
        return "its name holds white space or control characters"
    if not is_text(identity.name):
        return "its name is not Unicode text"
    return "" if identity.threads >= 1 else f"{identity.threads} processors are less than one"


def _problem(configuration: ExecutionConfiguration) -> str:
    least = {"forks": 1, "warmup_iterations": 0, "iterations": 1, "batch_size": 1}
    for field, minimum in least.items():
        value = getattr(configuration, field)
        if value < minimum:
            return f"its {field.replace('_', ' ')} cannot be {value}"
    if configuration.warmup_iterations and (
        configuration.warmup_seconds != configuration.iteration_seconds
        or configuration.warmup_batch_size != configuration.batch_size
    ):
        return "its warm-up iterations are not as long as the others"
    return ""
