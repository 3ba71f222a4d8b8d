"""Criterion.rs: its results, and its programs in turn by the clock."""

from __future__ import annotations

from steady.harness.contract import (
    Building,
    Configuring,
    Format,
    Harness,
    HarnessCost,
    Running,
    Score,
)
from steady.registry import OnRequest, Registered

_SOURCE = "Criterion.rs 0.5 to 0.8: src/lib.rs, src/routine.rs, src/analysis/mod.rs"

CRITERION = Harness(
    "criterion",
    "Criterion.rs",
    "Criterion.rs, from check-outs or programs",
    _SOURCE,
    fork="process",
    forks="processes",
    formats=(
        Registered(
            "criterion",
            "Criterion.rs's target/criterion, or one sample.json",
            _SOURCE,
            Format(
                OnRequest("steady.harness.criterion.results:recognizes"),
                OnRequest("steady.harness.criterion.results:read"),
                files="**/new/sample.json",
            ),
        ),
    ),
    unreadable=OnRequest("steady.harness.criterion.results:unreadable"),
    running=Running(
        OnRequest("steady.harness.criterion.benches:holds"),
        OnRequest("steady.harness.criterion.kind:criterion_runs"),
        takes=OnRequest("steady.harness.criterion.benches:takes"),
    ),
    configuring=Configuring(
        "the options of cargo bench for each benchmark",
        "Criterion.rs 0.8: src/lib.rs",
        OnRequest("steady.harness.criterion.options:render_criterion"),
        ("criterion.txt",),
    ),
    building=Building(
        target="a check-out with benchmarks of Criterion.rs, or a program of them",
        usual=".",
        words=("cargo", "bench"),
        empty="`cargo bench -- --list` shows which benchmarks it holds",
    ),
    cost=HarnessCost(fork_seconds=0.1, between_runs=1.0),
    score=Score("Criterion.rs's mean of all samples", "mean"),
)
"""Criterion.rs, as `steady.harness.HARNESSES` has it."""
