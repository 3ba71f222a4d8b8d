"""What the versions of a run declare, and where a run differs from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from steady.engine.workload import Declarations, Workload
from steady.harness.runs import Runs
from steady.harness.trial import Version
from steady.model import ExecutionConfiguration, Identity

Remark = tuple[Sequence[Identity], str]
"""Benchmarks, and the remark about them."""


def declarations(harness: Runs, versions: Iterable[Version]) -> Mapping[str, Declarations]:
    """Return what the benchmarks of each version declare, by the version's name."""
    return {version.name: harness.declared(version) for version in versions}


def latest(declared: Mapping[str, Declarations]) -> Declarations:
    """Return what each benchmark declares in the last version that has it."""
    return {i: known for version in declared.values() for i, known in version.items()}


def remarks(
    workloads: Sequence[Workload], declared: Mapping[str, Declarations]
) -> Iterator[Remark]:
    """Yield remarks on how a run differs from what its benchmarks declare."""
    unlike = [w.identity for w in workloads if len(_sizes_declared(w, declared)) > 1]
    if unlike:
        yield unlike, "base and head declare different batch sizes; both run with the same one"
    now = latest(declared)
    outdated = [
        w.identity
        for w in workloads
        if w.identity in now and w.configuration.batch_size != now[w.identity].batch_size
    ]
    if outdated:
        yield (
            outdated,
            "the plan has another batch size than the benchmark declares now; it runs as the plan "
            "says and measures another operation: make a new plan",
        )
    unforked = [w.identity for w in workloads if _has_no_forks(now.get(w.identity))]
    if unforked:
        yield unforked, "declared to run in JMH's own JVM (@Fork(0)); each fork gets a JVM instead"


def _sizes_declared(workload: Workload, declared: Mapping[str, Declarations]) -> set[int]:
    configurations = (declared[name].get(workload.identity) for name in workload.versions)
    return {one.batch_size for one in configurations if one is not None}


def _has_no_forks(declared: ExecutionConfiguration | None) -> bool:
    return declared is not None and declared.forks == 0
