"""Savings of plans for the demo's library, and errors of their results on held-out forks.

    python -m evaluation.demo_plans

The two recorded runs of five forks each (`steady.demo.library`) are used for cross-validation:
plans from forks 1 to 5 are judged on forks 6 to 10, and vice versa. The recording is in the
package, so this needs no data. `docs/savings.md` has the table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from statistics import mean, median
from typing import Any

from evaluation._markdown import markdown
from steady.demo import recording
from steady.demo.library import HeldOut
from steady.model import Suite
from steady.text.numbers import percent

FULL = "full run, 5 × 300"

HEADER = (
    "plan", "seconds", "saved", "expected error: median", "largest", "true error: median",
    "largest", "against the same forks: median",
)  # fmt: skip

PLANS: Mapping[str, Mapping[str, Any]] = {
    "`error-budget`, 1 %": {"strategy": "error-budget", "budget": 0.01},
    "`error-budget`, 2 %": {"strategy": "error-budget", "budget": 0.02},
    "`error-budget`, 3 % (default)": {"strategy": "error-budget", "budget": 0.03},
    **{
        f"`uoptime`, {metric}": {"strategy": "uoptime", "metric": metric}
        for metric in ("cv", "rmad", "rciw1", "rciw2", "rciw3")
    },
    "`detect`, 5 %": {"strategy": "detect", "detect": 0.05},
}
"""Options of each plan, by the name of its row."""


def table(halves: tuple[Suite, Suite]) -> str:
    """Return the table of all plans, in Markdown."""
    today = HeldOut.of(halves).plans[0].former_seconds
    rows = [["as annotated today", f"{today:,.0f}", *["–"] * (len(HEADER) - 2)]]
    rows.append(full_run(HeldOut.of(halves)))
    rows += [row(name, HeldOut.of(halves, **options)) for name, options in PLANS.items()]
    return markdown(HEADER, rows)


def row(name: str, held_out: HeldOut) -> list[str]:
    """Return a row of the table: means over both plans."""
    seconds = mean(plan.seconds for plan in held_out.plans)
    former = mean(plan.former_seconds for plan in held_out.plans)
    expected = [list(_expected(held_out, way)) for way in range(2)]
    true = [[one.error for one in way] for way in held_out.judged]
    same = [[one.same_forks for one in way] for way in held_out.judged]
    figures = (1 - seconds / former, *_both(expected), *_both(true), _both(same)[0])
    return [name, f"{seconds:,.0f}", *map(percent, figures)]


def full_run(held_out: HeldOut) -> list[str]:
    """Return the row of the full run, whose true error is due to run-to-run variation."""
    plan = held_out.plans[0]
    errors = [[one.full_run for one in way] for way in held_out.judged]
    saved = percent(1 - plan.full_seconds / plan.former_seconds)
    true = map(percent, _both(errors))
    return [FULL, f"{plan.full_seconds:,.0f}", saved, "–", "–", *true, "–"]


def _both(errors: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return the means over both plans of the median and of the largest error."""
    return mean(map(median, errors)), mean(map(max, errors))


def _expected(held_out: HeldOut, way: int) -> Iterator[float]:
    errors = (entry.expected_error for entry in held_out.plans[way].benchmarks)
    return (error for error in errors if error is not None)


def main(arguments: Sequence[str] | None = None) -> int:  # noqa: ARG001
    """Print the table."""
    with recording() as recorded:
        sys.stdout.write(f"{table(recorded.library.halves)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
