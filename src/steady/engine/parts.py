"""What a run's header says of parts, and a full run in parts, which no plan cuts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from steady.engine.workload import Workload
from steady.files import plain
from steady.optimize.suite_parts import check_parts, deal

FULL_RUN = "full run"
"""Key, in a run's header, of the digest of the whole full run of which it is a part."""

ROTATION = "rotation"
"""Key, in a run's header, of the part of a plan in rotation that was looked at, such as ``2/3``."""


def part_of(workloads: Sequence[Workload], number: int, count: int) -> list[Workload]:
    """Return part `number` of `count`, from 1: nearly equal expected seconds for each.

    Raises
    ------
    InputError
        If there are fewer benchmarks than parts.
    """
    check_parts(count, len(workloads), "suite")
    places = deal({workload.identity: seconds_of(workload) for workload in workloads}, count)
    return [workload for workload in workloads if places[workload.identity] == number - 1]


def seconds_of(workload: Workload) -> float:
    """Return what all forks of a benchmark should take, of all versions together."""
    return workload.fork_seconds * workload.configuration.forks * len(workload.versions)


def whole_digest(workloads: Sequence[Workload]) -> str:
    """Return the SHA-256 of what a full run measures; parts of one run have it in common."""
    entries = [
        [workload.identity.label, workload.versions, plain(workload.configuration)]
        for workload in workloads
    ]
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()
