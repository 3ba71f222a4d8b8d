"""Criterion.rs: its results, and clock-based interleaving of its programs."""

from steady.harness import contract
from steady.registry import OnRequest

_SOURCE = "Criterion.rs 0.5 to 0.8: src/lib.rs, src/routine.rs, src/analysis/mod.rs"
_RESULTS = "criterion.results"
_FORMAT = "Criterion.rs's target/criterion, or one sample.json"

CRITERION = contract.Harness(
    "criterion",
    "Criterion.rs",
    "Criterion.rs, from check-outs or programs",
    _SOURCE,
    fork="process",
    forks="processes",
    formats=(
        contract.format_in(_RESULTS, "criterion", _FORMAT, _SOURCE, files="**/new/sample.json"),
    ),
    unreadable=OnRequest("steady.harness.criterion.results:unreadable"),
    running=contract.Running(
        OnRequest("steady.harness.criterion.kind:holds"),
        OnRequest("steady.harness.criterion.kind:make_runs"),
        takes=OnRequest("steady.harness.criterion.kind:takes"),
    ),
    configuring=contract.Configuring(
        "the options of cargo bench for each benchmark",
        "Criterion.rs 0.8: src/lib.rs",
        OnRequest("steady.harness.criterion.kind:OPTIONS"),
        ("criterion.txt",),
    ),
    building=contract.Building(
        target="a check-out with benchmarks of Criterion.rs, or a program of them",
        usual=".",
        words=("cargo", "bench"),
        empty="`cargo bench -- --list` lists its benchmarks",
    ),
    cost=contract.HarnessCost(fork_seconds=0.1, between_runs=1.0),
    score=contract.Score("Criterion.rs's mean of all samples", "mean"),
)
"""Criterion.rs, the entry of `steady.harnesses.HARNESSES`."""
