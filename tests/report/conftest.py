"""Comparisons of every kind, made by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from steady.compare import Change, Comparison, Estimate, Ledger, Missing, Outcome
from steady.compare.surroundings import Difference
from steady.model import (
    Benchmark,
    Environment,
    ExecutionConfiguration,
    Identity,
    Level,
    Suite,
)
from steady.optimize.planner import data_digest
from steady.optimize.suite_plan import BenchmarkPlan, Plan

MakeComparison = Callable[..., Comparison]
HOSTILE = (
    "`|@everyone #1 https://evil.example <img src=x onerror=alert(1)> **b** "
    "<!-- steady:x -->\n::error::\u202e"
)


def change(
    name: str | Identity,
    ratio: float,
    outcome: Outcome,
    *,
    unit: str = "ns/op",
    notes: Sequence[str] = (),
) -> Change:
    """Return a change of a base of 100 with intervals of 1 % on either side."""
    identity = name if isinstance(name, Identity) else Identity(name)
    head = 100.0 * (1 + ratio)
    return Change(
        identity,
        unit,
        "higher" if unit.startswith("ops") else "lower",
        Estimate(100.0, 99.0, 101.0, 3, 30),
        Estimate(head, head - 1, head + 1, 3, 30),
        outcome,
        0.03,
        tuple(notes),
        (ratio - 0.02, ratio + 0.02),
        excluded=abs(ratio) + 0.02,
    )


@pytest.fixture
def make_change() -> Callable[..., Change]:
    """Return the function that makes a change."""
    return change


@pytest.fixture
def make_comparison() -> MakeComparison:
    """Return a function that makes a comparison with as many benchmarks of each kind."""

    def make(
        regressions: int = 0,
        improvements: int = 0,
        unchanged: int = 0,
        unclear: int = 0,
        *,
        name: str = "org.example.bench.Bench.method{}",
        **more: object,
    ) -> Comparison:
        outcomes: list[tuple[Outcome, float]] = []
        outcomes += [("regression", 0.1 + 0.001 * i) for i in range(regressions)]
        outcomes += [("improvement", -0.1 - 0.0001 * i) for i in range(improvements)]
        outcomes += [("unchanged", 0.0)] * unchanged
        outcomes += [("unclear", 0.05 + 0.1 * i) for i in range(unclear)]
        changes = tuple(
            change(name.format(i), ratio, outcome) for i, (outcome, ratio) in enumerate(outcomes)
        )
        ledger = more.pop("ledger", None) or Ledger(tuple(c.identity for c in changes))
        options = {"min_change": 0.03, "confidence": 0.99, "strict_environment": False}
        return Comparison(changes, ledger, options=options, **more)  # type: ignore[arg-type]

    return make


@pytest.fixture
def eventful() -> Comparison:
    """Return a comparison in which everything happened at once."""
    compared = (
        change(
            "org.example.A.slow",
            0.42,
            "regression",
            notes=["only 2 of 3 forks of head left a result"],
        ),
        change("org.example.A.throughput", -0.2, "regression", unit="ops/s"),
        change("org.example.A.fast", -0.3, "improvement"),
        change("org.example.B.same", 0.001, "unchanged"),
    )
    old, new = Identity("org.example.B.oldName"), Identity("org.example.B.newName")
    ledger = Ledger(
        tuple(c.identity for c in compared),
        failed=(
            Missing(Identity("org.example.B.broken"), "head", "OutOfMemoryError | x", "failed"),
        ),
        missing=(
            Missing(
                Identity("org.example.B.lost"),
                "both",
                "the plan expects it, and neither run has a result",
            ),
        ),
        new=(new,),
        gone=(old,),
        unplanned=(compared[3].identity,),
        incomparable=(
            Missing(
                Identity("org.example.B.unit"),
                "both",
                "measured in ns/op in base and in B/op in head",
                "incomparable",
            ),
        ),
        renamed=((old, new),),
    )
    return Comparison(
        compared,
        ledger,
        (
            Difference("CPU", "EPYC 7763", "Xeon 8370C", 4),
            Difference("JVM arguments", "-Xmx1g", "", 4),
        ),
        "moderated-t",
        {"min_change": 0.03, "confidence": 0.99, "strict_environment": False},
    )


@pytest.fixture
def hostile() -> Comparison:
    """Return a comparison whose every text was written by an attacker."""
    nasty = Identity(f"org.{HOSTILE}", "avgt", ((HOSTILE, HOSTILE),))
    compared = (change(nasty, 0.5, "regression", unit=HOSTILE, notes=[HOSTILE]),)
    lost = Identity(f"{HOSTILE}2")
    ledger = Ledger(
        (nasty,),
        failed=(Missing(lost, "head", HOSTILE, "failed"),),
        new=(Identity(f"{HOSTILE}3"),),
    )
    return Comparison(
        compared,
        ledger,
        (Difference("CPU", HOSTILE, HOSTILE, 1),),
        "overlap",
        {"min_change": 0.03, "confidence": 0.99},
    )


@pytest.fixture
def full_suite() -> Suite:
    """Return a full run of two benchmarks, 3 forks of 400 iterations that settle at 50."""
    generator = np.random.default_rng(1)
    names = ("org.example.A.slow", "org.example.B.same")
    series = 100 + generator.normal(0, 1, (2, 3, 400))
    series[:, :, :50] += 80
    levels = (Level("fork"), Level("iteration"))
    return Suite(
        tuple(
            Benchmark(Identity(name), "ns/op", values, levels, environment=Environment(cpu="EPYC"))
            for name, values in zip(names, series, strict=True)
        )
    )


@pytest.fixture
def plan(full_suite: Suite) -> Plan:
    """Return a plan made from the full run; a fork of the first never settles, one stands apart."""
    run = ExecutionConfiguration(3, 50, 10, 1.0, 1.0)
    full = ExecutionConfiguration(3, 0, 400, 1.0, 1.0)
    first, second = full_suite
    reduced = BenchmarkPlan(
        first, run, full, 180.0, 1200.0, "reduced", "steady from 50", 0.012, 0.008,
        (50, None, 50), (2,), False,
    )  # fmt: skip
    kept = BenchmarkPlan(second, full, full, 1200.0, 1200.0, "full", "<b>no</b> steady state")
    return Plan((reduced, kept), "uoptime", data_digest=data_digest(full_suite))
