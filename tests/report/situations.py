"""Situations that a reader of a comment is in; run as a script, it writes their texts anew.

Each text is to be read as a reviewer reads it who has five seconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from itertools import groupby
from pathlib import Path

from steady.compare import Acceptance, Change, Comparison, Estimate, Ledger, Missing, Outcome
from steady.model import Environment, ExecutionConfiguration, Identity
from steady.optimize import BenchmarkPlan, Plan
from steady.optimize.freshness import Freshness
from steady.report.accepted_changes import accept_lines
from steady.report.provenance import Measured
from steady.settings import RepoSettings, apply_settings
from tests.report.from_comparison import comment

FOLDER = Path(__file__).with_name("situations")
URL = "https://github.com/octo/benchmarks/actions/runs/42#artifacts"
MACHINE = Environment("AMD EPYC 7763 64-Core Processor", "Linux 6.8", "21.0.5")
MEASURED = Measured("1f0c3f2" + "0" * 33, "9ab4d51" + "0" * 33, 321.0)
PACKAGE = "org.example.codec"
_MOST_ROWS = 5


def change(name: str, ratio: float, outcome: Outcome, base: float = 76_450.0) -> Change:
    """Return a change with an interval of 3 % on either side."""
    head = base * (1 + ratio)
    return Change(
        Identity(f"{PACKAGE}.{name}"),
        "ns/op",
        "lower",
        Estimate(base, base * 0.99, base * 1.01, 10, 60),
        Estimate(head, head * 0.99, head * 1.01, 10, 60),
        outcome,
        0.03,
        (),
        (ratio - 0.03, ratio + 0.03),
        excluded=abs(ratio) + 0.03,
    )


def same(number: int) -> tuple[Change, ...]:
    return tuple(change(f"Parser.same{i}", 0.001, "unchanged") for i in range(number))


def of(*changes: Change, **places: object) -> Comparison:
    """Return the comparison of the changes; `places` are those of the ledger."""
    ledger = Ledger(tuple(one.identity for one in changes), **places)  # type: ignore[arg-type]
    options = {"min_change": 0.03, "confidence": 0.99}
    environments = (MACHINE,)
    return Comparison(
        changes, ledger, (), "paired-t", options,
        base_environments=environments, head_environments=environments,
    )  # fmt: skip


def changed() -> Comparison:
    worse = (
        change("Base64Benchmark.encodeLargeArray", 0.283, "regression"),
        change("Base64.decode", 0.117, "regression", 11.6),
    )
    return of(*worse, change("Parser.parse", -0.336, "improvement"), *same(16))


def failed() -> Comparison:
    reason = "java.lang.NoSuchMethodError: org.example.codec.Tables.load()"
    lost = tuple(
        Missing(Identity(f"{PACKAGE}.Table.lookUp{i}"), "head", reason, "failed") for i in range(16)
    )
    return of(*same(3), failed=lost)


def half_lost() -> Comparison:
    """Return the comparison in which most is missing, and a regression is among the rest."""
    found = failed()
    worse = change("Base64.decode", 0.283, "regression", 11.6)
    compared = (worse.identity, *found.ledger.compared)
    return replace(
        found, changes=(worse, *found.changes), ledger=replace(found.ledger, compared=compared)
    )


def gone() -> Comparison:
    """Return the comparison in which head has no longer what base has."""
    lost = tuple(Identity(f"{PACKAGE}.Table.lookUp{i}") for i in range(16))
    return of(*same(3), gone=lost)


def noisy() -> Comparison:
    """Return the comparison that cannot tell of most benchmarks."""
    return of(*(change(f"Codec.encode{i}", 0.02 + i / 100, "unclear") for i in range(14)), *same(5))


def no_baseline() -> Comparison:
    return of(new=tuple(Identity(f"{PACKAGE}.Parser.parse{i}") for i in range(19)))


def accepted() -> Comparison:
    entry = Acceptance(
        "Base64.decode", "checks its input", bound=0.2, expires=date(2027, 1, 31), author="ada",
        source=".github/steady.yml:3",
    )  # fmt: skip
    slower = change("Base64.decode", 0.117, "regression", 11.6)
    return of(replace(slower, accepted=entry), *same(18))


def outgrown() -> Comparison:
    """Return the comparison in which an accepted change has become larger than was accepted."""
    entry = Acceptance("Base64.decode", "checks its input", bound=0.2)
    slower = change("Base64.decode", 0.283, "regression", 11.6)
    settings = RepoSettings(accepted=(entry,))
    return apply_settings(of(slower, *same(18)), settings, date(2026, 11, 21))


def stale_plan() -> Comparison:
    configuration = ExecutionConfiguration(5, 0, 60, 0.1, 0.1)
    entry = BenchmarkPlan(
        Identity(f"{PACKAGE}.Parser.same0"), configuration, configuration, 35, 35, "full", ""
    )
    plan = Plan((entry,), "detect", {"detect": 0.05, "min_change": 0.03})
    remarks = Freshness(plan, (), (), (), 19, age_days=200).advice
    return replace(of(*same(19)), remarks=remarks)


def many(total: int) -> Comparison:
    worse = (change(f"Codec{i}.encode", 0.5 + i / 1000, "regression") for i in range(total // 5))
    return of(*worse, *same(total - total // 5))


SITUATIONS: Mapping[str, Callable[[], Comparison]] = {
    "changed": changed,
    "unchanged": lambda: of(*same(19)),
    "improved": lambda: of(change("Parser.parse", -0.336, "improvement"), *same(18)),
    "failed": failed,
    "half-lost": half_lost,
    "gone": gone,
    "noisy": noisy,
    "no-baseline": no_baseline,
    "500": lambda: many(500),
    "5000": lambda: many(5000),
    "accepted": accepted,
    "outgrown": outgrown,
    "stale-plan": stale_plan,
}


def written(comparison: Comparison) -> str:
    """Return the comment as the Action writes it."""
    lines = accept_lines(comparison)
    return comment(comparison, measured=MEASURED, report_url=URL, accept=lines)


def shortened(text: str) -> str:
    """Return a text with only the first rows of each table."""
    short: list[str] = []
    for is_row, lines in groupby(
        text.splitlines(), lambda line: re.match(r"\|.*`|/steady", line) is not None
    ):
        kept = list(lines)
        left = len(kept) - _MOST_ROWS if is_row else 0
        short += [*kept[:_MOST_ROWS], f"({left} rows)"] if left > 0 else kept
    return "\n".join(short) + "\n"


def main() -> None:
    """Write the texts."""
    for name, make in SITUATIONS.items():
        (FOLDER / f"{name}.md").write_text(shortened(written(make())), encoding="utf-8")


if __name__ == "__main__":
    main()
