"""Comparisons of every kind, without measurements."""

from collections.abc import Sequence

import numpy as np

from steady.compare import Change, Comparison, Estimate, Ledger, Missing, Outcome
from steady.compare.validity import Difference
from steady.model import (
    Benchmark,
    Environment,
    ExecutionConfiguration,
    Identity,
    Level,
    Suite,
)
from steady.optimize.planner import data_digest
from steady.plan.suite_plan import BenchmarkPlan, Plan

LEVELS = (Level("fork"), Level("iteration"))
OPTIONS = {"min_change": 0.03, "confidence": 0.99}
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
    base: float = 100.0,
    half: float = 0.02,
    runs: tuple[int, int] = (3, 30),
    notes: Sequence[str] = (),
) -> Change:
    """Return a change with a confidence interval of half-width `half`; that of each side is 1 %."""
    head = base * (1 + ratio)
    return Change(
        name if isinstance(name, Identity) else Identity(name),
        unit,
        "higher" if unit.startswith("ops") else "lower",
        Estimate(base, base * 0.99, base * 1.01, *runs),
        Estimate(head, head - base * 0.01, head + base * 0.01, *runs),
        outcome,
        0.03,
        tuple(notes),
        (ratio - half, ratio + half),
        excluded=abs(ratio) + half,
    )


def of(*changes: Change, **places: object) -> Comparison:
    """Return the comparison of the changes; `places` are fields of the ledger."""
    ledger = Ledger(tuple(one.identity for one in changes), **places)  # type: ignore[arg-type]
    return Comparison(changes, ledger, options=OPTIONS)


def counted(
    regressions: int = 0,
    improvements: int = 0,
    unchanged: int = 0,
    unclear: int = 0,
    *,
    name: str = "org.example.bench.Bench.method{}",
) -> Comparison:
    """Return a comparison with these numbers of benchmarks by outcome."""
    outcomes: list[tuple[Outcome, float]] = []
    outcomes += [("regression", 0.1 + 0.001 * i) for i in range(regressions)]
    outcomes += [("improvement", -0.1 - 0.0001 * i) for i in range(improvements)]
    outcomes += [("unchanged", 0.0)] * unchanged
    outcomes += [("unclear", 0.05 + 0.1 * i) for i in range(unclear)]
    return of(
        *(change(name.format(i), ratio, outcome) for i, (outcome, ratio) in enumerate(outcomes))
    )


def unlike(reason: str) -> Comparison:
    """Return a comparison in which no benchmark is comparable."""
    names = (Identity(f"org.example.B.b{i}") for i in range(40))
    return of(incomparable=tuple(Missing(one, "both", reason, "incomparable") for one in names))


def eventful() -> Comparison:
    """Return a comparison with every kind of outcome."""
    lost_fork = "only 2 of 3 forks of head have a result"
    compared = (
        change("org.example.A.slow", 0.42, "regression", notes=[lost_fork]),
        change("org.example.A.throughput", -0.2, "regression", unit="ops/s"),
        change("org.example.A.fast", -0.3, "improvement"),
        change("org.example.B.same", 0.001, "unchanged"),
    )
    broken, lost, unit, old, new = (
        Identity(f"org.example.B.{name}")
        for name in ("broken", "lost", "unit", "oldName", "newName")
    )
    unlike = "different units: ns/op in base, B/op in head"
    ledger = Ledger(
        tuple(c.identity for c in compared),
        failed=(Missing(broken, "head", "OutOfMemoryError | x", "failed"),),
        missing=(Missing(lost, "both", "in the plan, but no result in base and head"),),
        new=(new,),
        gone=(old,),
        unplanned=(compared[3].identity,),
        incomparable=(Missing(unit, "both", unlike, "incomparable"),),
        renamed=((old, new),),
    )
    differences = (
        Difference("CPU", "EPYC 7763", "Xeon 8370C", 4),
        Difference("JVM arguments", "-Xmx1g", "", 4),
    )
    return Comparison(compared, ledger, differences, "moderated-t", OPTIONS)


def hostile() -> Comparison:
    """Return a comparison in which all texts are hostile."""
    nasty = Identity(f"org.{HOSTILE}", "avgt", ((HOSTILE, HOSTILE),))
    compared = (change(nasty, 0.5, "regression", unit=HOSTILE, notes=[HOSTILE]),)
    lost = Identity(f"{HOSTILE}2")
    ledger = Ledger(
        (nasty,),
        failed=(Missing(lost, "head", HOSTILE, "failed"),),
        new=(Identity(f"{HOSTILE}3"),),
    )
    differences = (Difference("CPU", HOSTILE, HOSTILE, 1),)
    return Comparison(compared, ledger, differences, "overlap", OPTIONS)


def full_suite() -> Suite:
    """Return a full run of two benchmarks: 3 forks of 400 iterations, steady from iteration 50."""
    generator = np.random.default_rng(1)
    names = ("org.example.A.slow", "org.example.B.same")
    series = 100 + generator.normal(0, 1, (2, 3, 400))
    series[:, :, :50] += 80
    return Suite(
        tuple(
            Benchmark(Identity(name), "ns/op", values, LEVELS, environment=Environment(cpu="EPYC"))
            for name, values in zip(names, series, strict=True)
        )
    )


def plan() -> Plan:
    """Return a plan from the full run; the first benchmark has an unsteady and an odd fork."""
    run = ExecutionConfiguration(3, 50, 10, 1.0, 1.0)
    full = ExecutionConfiguration(3, 0, 400, 1.0, 1.0)
    suite = full_suite()
    first, second = suite
    reduced = BenchmarkPlan(
        first, run, full, 180.0, 1200.0, "reduced", "steady from 50", 0.012, 0.008,
        (50, None, 50), (2,), False,
    )  # fmt: skip
    kept = BenchmarkPlan(second, full, full, 1200.0, 1200.0, "full", "<b>no</b> steady state")
    return Plan((reduced, kept), "uoptime", data_digest=data_digest(suite))
