"""Results of all five kinds, of any size and with any names."""

from collections.abc import Sequence
from typing import get_args

import numpy as np

import steady
from steady.compare import Change, Comparison, Estimate, Ledger, Outcome
from steady.model import Benchmark, Level, Suite

HOSTILE = (
    "<script>alert(1)</script>",
    "--><script>alert(2)</script>",
    "a&b\"c'd",
    "=HYPERLINK(1)",
    "x\n::error::y",
    "\x1b[31m\u202e",
    "$\\frac{$",
    "漢" * 400,
    "—" * 400,
)
"""Names with special characters of HTML, spreadsheets, logs, terminals or formulas."""


def suite_of(names: Sequence[str]) -> Suite:
    """Return a suite of benchmarks with two forks of 3 and 2 iterations, of which 1 is warm-up."""
    values = np.array([[3.0, 1.0, 1.5], [2.0, 1.0, np.nan]])
    levels = (Level("fork"), Level("iteration"))
    identities = (
        steady.Identity(name, params=(("n", str(i % 3)),) if i % 2 else ())
        for i, name in enumerate(names)
    )
    return Suite(tuple(Benchmark(i, "ns/op", values, levels, warmup=1) for i in identities))


def plan_of(names: Sequence[str]) -> steady.Plan:
    """Return a plan of these benchmarks, with an unknown error for every second one."""
    full = steady.ExecutionConfiguration(5, 0, 60, 1.0, 1.0)
    short = steady.ExecutionConfiguration(3, 8, 10, 1.0, 1.0)
    entries = (
        steady.BenchmarkPlan(
            steady.Identity(name), short, full, 54.0 + i, 300.0, "reduced", f"why {name}",
            expected_error=0.01 if i % 2 else None,
        )
        for i, name in enumerate(names)
    )  # fmt: skip
    return steady.Plan(tuple(entries), "error-budget")


def comparison_of(names: Sequence[str]) -> Comparison:
    """Return a comparison with every outcome; each fifth change is infinite, with no interval."""
    outcomes: tuple[Outcome, ...] = get_args(Outcome)
    heads = (120.0, 80.0, 101.0, 100.0)
    identities = tuple(map(steady.Identity, names))
    changes = tuple(
        Change(
            identity, "ns/op", "lower",
            Estimate(100.0 if i % 5 else 0.0, 99.0, 101.0, 10, 200),
            Estimate(heads[i % 4], 99.0, 101.0, 10, 200),
            outcomes[i % 4], 0.03,
            interval=(heads[i % 4] / 100 - 1.01, heads[i % 4] / 100 - 0.99) if i % 5 else None,
        )
        for i, identity in enumerate(identities)
    )  # fmt: skip
    return Comparison(changes, Ledger(identities), options={"min_change": 0.03})


def state_of(names: Sequence[str]) -> steady.SteadyState:
    """Return a steady state whose texts are these names."""
    intervals = tuple((i, 0.5) for i, _ in enumerate(names))
    return steady.SteadyState(None, "kb-kssd", None, intervals, " ".join(names))


def similarity_of(names: Sequence[str]) -> steady.Similarity:
    """Return a similarity whose measures have these names."""
    odd = tuple(range(len(names)))
    return steady.Similarity(False, "heuristic", dict.fromkeys(names, 0.5), odd, " ".join(names))
