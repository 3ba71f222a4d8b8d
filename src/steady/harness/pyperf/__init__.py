"""pyperf: its results, and clock-based interleaving of its benchmarks."""

from steady.harness import contract
from steady.registry import OnRequest

_SOURCE = "pyperf 2.10: _bench.py, _runner.py"

PYPERF = contract.Harness(
    "pyperf",
    "pyperf",
    "pyperf, from check-outs",
    _SOURCE,
    fork="process",
    forks="processes",
    formats=(contract.format_in("pyperf.results", "pyperf", "pyperf's JSON (-o)", _SOURCE),),
    running=contract.only_by_command("pyperf.kind", ("allocations",)),
    configuring=contract.Configuring(
        "pyperf's options for each benchmark",
        _SOURCE,
        OnRequest("steady.harness.pyperf.kind:OPTIONS"),
        ("pyperf.txt",),
    ),
    building=contract.Building(
        target="a check-out in which a script of pyperf runs",
        usual=".",
        words=("python", "bench.py"),
    ),
    cost=contract.HarnessCost(fork_seconds=0.5, between_runs=1.0),
    score=contract.Score("pyperf's mean of all values", "mean"),
    same_code=OnRequest("steady.programs.same_python:python_builds"),
)
"""pyperf, the entry of `steady.harnesses.HARNESSES`."""
