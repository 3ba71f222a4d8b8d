"""Five thousand benchmarks of which 700 regressed: whatever does not fit stands somewhere else."""

from __future__ import annotations

import html as markup
import re
from collections.abc import Callable

from steady.compare import Comparison
from steady.report.markdown import COMMENT_LIMIT, characters
from steady.report.report_files import SUMMARY_LIMIT
from tests.report.from_comparison import comment, html, summary

MakeComparison = Callable[..., Comparison]

COUNTS = {"regression": 700, "improvement": 300, "unchanged": 4000}
LONG = f"org.example.Bench.{'veryLong' * 25}.method{{}}"


def shown_and_counted(text: str) -> tuple[list[int], dict[str, int]]:
    """Return the numbers of the benchmarks in a text's rows, and how many it counts instead."""
    named = r"^\|(?: [^|`]+ \|)? `[^|]*method(\d+)` \|"
    rows = [int(n) for n in re.findall(named, text, re.MULTILINE)]
    left = re.findall(r"^([\d,]+) more (change|unchanged)s? in ", text, re.MULTILINE)
    return rows, {kind: int(number.replace(",", "")) for number, kind in left}


def test_every_row_is_somewhere_and_the_worst_stand_first(make_comparison: MakeComparison) -> None:
    comparison = make_comparison(*COUNTS.values(), name=LONG)
    short, full = comment(comparison), summary(comparison)
    assert characters(short) <= COMMENT_LIMIT
    assert len(full.encode()) <= SUMMARY_LIMIT
    for text in (short, full):
        rows, counted = shown_and_counted(text)
        assert len(rows) + sum(counted.values()) == sum(COUNTS.values())
        worst = [number for number in rows if number < COUNTS["regression"]]
        assert worst == list(range(COUNTS["regression"] - 1, -1, -1))[: len(worst)]
        assert rows[: len(worst)] == worst
        changes = COUNTS["regression"] + COUNTS["improvement"]
        changed = [number for number in rows if number < changes]
        assert len(changed) + counted.get("change", 0) == changes
    assert set(range(COUNTS["regression"])) <= set(rows)
    assert set(counted) == {"unchanged"}


def test_the_report_has_every_row(make_comparison: MakeComparison) -> None:
    comparison = make_comparison(*COUNTS.values(), name=LONG)
    page = markup.unescape(html(comparison))
    assert {int(n) for n in re.findall(r"method(\d+)", page)} == set(range(5000))
