from __future__ import annotations

import io
from dataclasses import replace

from markdown_it import MarkdownIt
from rich.console import Console

from steady.model import ExecutionConfiguration, Identity
from steady.optimize import BenchmarkPlan, Plan
from steady.report.plan_report import receipt
from steady.report.plan_view import print_plan

FULL = ExecutionConfiguration(5, 0, 60, 0.1, 0.1)
REDUCED = ExecutionConfiguration(3, 12, 5, 0.1, 0.1)
ENTRY = BenchmarkPlan(
    Identity("org.example.Bench.parse"), REDUCED, FULL, 6.6, 32.5, "reduced", "steady after 12",
    expected_error=0.012,
)  # fmt: skip
KEPT = BenchmarkPlan(
    Identity("org.example.Bench.drift"), FULL, FULL, 32.5, 32.5, "full", "never steady in 5 of 5"
)
PLAN = Plan((KEPT, ENTRY), "uoptime")
HOSTILE = "a|b`c\n@everyone <script>alert(1)</script> ::error::x [l](http://x) ../../etc <!--"


def table(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ")]


def test_the_headline_and_the_rows_add_up() -> None:
    text = receipt(PLAN)
    assert text.startswith(
        "**1\u00a0min\u00a005\u00a0s become 39\u00a0s** (39.8\u00a0% saved): "
        "1 of 2 benchmarks reduced."
    )
    assert "median 1.2\u00a0%, worst 1.2\u00a0%" in text
    greatest_first = table(text)[1:]
    assert "All names begin with org.example" in text
    assert "`Bench.parse`" in greatest_first[0]
    assert "3 × (12 + 5)" in greatest_first[0]
    assert "| – |" in greatest_first[1]


DECLARED = ExecutionConfiguration(5, 5, 5, 10.0, 10.0)
TODAY = Plan(
    tuple(replace(e, today=DECLARED, today_seconds=502.5) for e in PLAN.benchmarks), "uoptime"
)


def test_what_the_project_runs_today_is_the_headline() -> None:
    text = receipt(TODAY).replace("\u00a0", " ")
    assert text.startswith("**16 min 45 s today become 39 s** (96.1 % saved): 1 of 2")
    assert "The full run, which the plan is made from, takes 1 min 05 s." in text
    assert "| benchmark | today | full | reduced |" in text
    assert "| 8 min 22 s | 32 s | 6.6 s | 3 × (12 + 5) |" in text
    printed = io.StringIO()
    print_plan(TODAY, Console(file=printed, width=120))
    assert (
        "2 benchmarks: 16 min 45 s today become 39 s, 96.1 % saved"
        in printed.getvalue().replace("\u00a0", " ")
    )


def test_a_plan_that_takes_longer_than_today_saves_nothing() -> None:
    short = tuple(replace(entry, today_seconds=6.0) for entry in TODAY.benchmarks)
    text = receipt(replace(TODAY, benchmarks=short)).replace("\u00a0", " ")
    assert text.startswith("**12 s today become 39 s** (27 s more): 1 of 2")
    assert "--time-budget holds it to a time" in text


def test_where_today_is_not_known_of_all_the_full_run_counts() -> None:
    partly = replace(TODAY, benchmarks=(KEPT, TODAY.benchmarks[1]))
    assert receipt(partly) == receipt(PLAN)


def test_errors_far_above_the_budget_are_said() -> None:
    """Four fifths of the time were saved, and nothing said what that was worth."""
    sentence = "The median expected error is far above the budget of 0.5\u00a0%"
    tight = replace(PLAN, strategy="error-budget", options={"budget": 0.005})
    printed = io.StringIO()
    print_plan(tight, Console(file=printed, width=400))
    assert sentence in receipt(tight)
    assert sentence in printed.getvalue()
    for options in ({"budget": 0.006}, {"budget": 0.005, "time_budget": 60.0}):
        assert "far above" not in receipt(replace(tight, options=options))


def test_nothing_saved_is_said_and_not_sold() -> None:
    assert receipt(Plan((KEPT,), "uoptime")).startswith("**steady found nothing to save**")


def test_five_thousand_benchmarks_fit_and_none_is_lost() -> None:
    entries = [
        replace(ENTRY, identity=Identity(f"org.example.Bench{i}.method"), seconds=float(i % 32))
        for i in range(5000)
    ]
    text = receipt(Plan(tuple(entries), "uoptime"))
    assert len(text) <= 60_000
    shown = len(table(text)) - 1
    assert f"{5000 - shown:,} more benchmarks in `plan.json`." in text
    assert text.endswith("</details>\n")


def test_a_hostile_name_stays_in_its_cell() -> None:
    entry = replace(ENTRY, identity=Identity(HOSTILE), reason=HOSTILE)
    text = receipt(Plan((entry,), "uoptime"))
    rows = [line for line in table(text) if "everyone" in line]
    assert len(rows) == 1
    lines = [table(text)[0], "|---|--:|--:|--:|--:|---|", *rows]
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render("\n".join(lines))
    assert rendered.count("<td") == 6
    assert "<script" not in rendered
    assert "<a " not in rendered


def shown(plan: Plan) -> str:
    file = io.StringIO()
    print_plan(plan, Console(file=file, width=100, highlight=False))
    return file.getvalue()


def test_a_terminal_shows_what_is_reduced_and_why_the_rest_is_not() -> None:
    text = shown(PLAN)
    assert "3 × (12 + 5)" in text
    assert "Bench.drift: never steady in 5 of 5" in text
    assert text.rstrip().endswith("2 benchmarks: 1\u00a0min\u00a005\u00a0s become 39\u00a0s, "
                                  "39.8\u00a0% saved")  # fmt: skip


def test_a_terminal_gets_no_control_characters() -> None:
    text = shown(Plan((replace(KEPT, identity=Identity("a\x1b[31mb\nc"), reason="x\x07"),), "u"))
    assert "\x1b" not in text
    assert "\x07" not in text
