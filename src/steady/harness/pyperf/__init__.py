"""pyperf: its results, and the benchmarks of a script in turn by the clock."""

from __future__ import annotations

from steady.harness.contract import (
    Building,
    Configuring,
    Format,
    Harness,
    HarnessCost,
    Running,
    SameCodeSearch,
    Score,
)
from steady.registry import OnRequest, Registered

_SOURCE = "pyperf 2.10: _bench.py, _runner.py"

PYPERF = Harness(
    "pyperf",
    "pyperf",
    "pyperf, from check-outs",
    _SOURCE,
    fork="process",
    forks="processes",
    formats=(
        Registered(
            "pyperf",
            "pyperf's JSON (-o)",
            _SOURCE,
            Format(
                OnRequest("steady.harness.pyperf.results:recognizes"),
                OnRequest("steady.harness.pyperf.results:read"),
            ),
        ),
    ),
    running=Running(
        OnRequest("steady.programs.program_runs:holds_nothing"),
        OnRequest("steady.harness.pyperf.kind:pyperf_runs"),
        takes=OnRequest("steady.harness.pyperf.kind:takes"),
        counts=("allocations",),
    ),
    configuring=Configuring(
        "pyperf's options for each benchmark",
        _SOURCE,
        OnRequest("steady.harness.pyperf.options:render_pyperf"),
        ("pyperf.txt",),
    ),
    building=Building(
        target="a check-out in which a script of pyperf runs",
        usual=".",
        words=("python", "bench.py"),
    ),
    cost=HarnessCost(fork_seconds=0.5, between_runs=1.0),
    score=Score("pyperf's mean of all values", "mean"),
    same_code=SameCodeSearch(OnRequest("steady.programs.same_python:python_builds")),
)
"""pyperf, as `steady.harness.HARNESSES` has it."""
