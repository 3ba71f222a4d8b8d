"""Report texts of a plan; ``situations`` contains the receipt and the terminal output."""

from dataclasses import replace

from markdown_it import MarkdownIt

from steady.model import Identity
from steady.optimize import Plan
from steady.report.names import ShortNames
from steady.report.plan_receipt import receipt
from steady.report.plan_report import (
    detectable_change,
    detection_sentences,
    plan_columns,
    plan_numbers,
    plan_section,
    savings_sentence,
)
from tests.looped import looped
from tests.report.situations import DETECTING, ENTRY, KEPT, PLAN, TODAY, on_terminal

HOSTILE = "a|b`c\n@everyone <script>alert(1)</script> ::error::x [l](http://x) ../../etc <!--"


def table(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ")]


def test_a_plan_that_takes_longer_than_today_saves_nothing() -> None:
    short = tuple(replace(entry, today_seconds=6.0) for entry in TODAY.benchmarks)
    text = plain(receipt(replace(TODAY, benchmarks=short)))
    assert text.startswith("**12 s today → 39 s** (27 s more): 1 of 2")
    assert "--time-budget limits it" in text
    # If today's configuration is unknown for some benchmarks, the full run is used.
    partly = replace(TODAY, benchmarks=(KEPT, TODAY.benchmarks[1]))
    assert receipt(partly) == receipt(PLAN)
    assert receipt(Plan((KEPT,), "uoptime")).startswith("**steady found nothing to save**")


def test_errors_far_above_the_budget_give_a_warning() -> None:
    """The plan saves four fifths of the time."""
    tight = replace(PLAN, strategy="error-budget", options={"budget": 0.005})
    sentence = "The median expected error is far above the budget of 0.5 %"
    for text in (receipt(tight), on_terminal(tight)):
        assert sentence in " ".join(text.split())
    for options in ({"budget": 0.006}, {"budget": 0.005, "time_budget": 60.0}):
        assert "far above" not in receipt(replace(tight, options=options))


def test_a_receipt_of_five_thousand_benchmarks_fits_and_counts_all() -> None:
    entries = [
        replace(ENTRY, identity=Identity(f"org.example.Bench{i}.method"), seconds=float(i % 32))
        for i in range(5000)
    ]
    text = receipt(Plan(tuple(entries), "uoptime"))
    assert len(text) <= 60_000
    shown = len(table(text)) - 2  # headings
    assert f"{5000 - shown:,} more reduced benchmarks in `plan.md`." in text
    assert text.endswith("</details>\n")


def test_a_hostile_name_stays_in_its_cell_and_is_escaped_on_a_terminal() -> None:
    entry = replace(ENTRY, identity=Identity(HOSTILE), reason=HOSTILE)
    text = receipt(Plan((entry,), "uoptime"))
    rows = [line for line in table(text) if "everyone" in line]
    assert len(rows) == 1
    lines = [table(text)[0], "|---|--:|--:|--:|--:|--:|", *rows]
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render("\n".join(lines))
    assert rendered.count("<td") == 6
    assert "<script" not in rendered
    assert "<a " not in rendered
    shown = on_terminal(
        Plan((replace(KEPT, identity=Identity("a\x1b[31mb\nc"), reason="x\x07"),), "u")
    )
    assert "\x1b" not in shown
    assert "\x07" not in shown


def plain(text: str) -> str:
    return text.replace("\xa0", " ")


def detecting(*sizes: float | None, rounds: int = 5) -> Plan:
    """Return a plan of benchmarks with known detectable effects."""
    known = replace(ENTRY, recorded_rounds=rounds, pair_seconds=16.4)
    entries = (
        replace(KEPT if size is None else known, identity=Identity(name), detectable=size)
        for name, size in zip("abcd", sizes, strict=False)
    )
    return replace(DETECTING, benchmarks=tuple(entries))


MIXED = replace(
    DETECTING,
    benchmarks=detecting(0.3, rounds=0).benchmarks + detecting(None, 0.04).benchmarks[1:],
)
"""The forks of one benchmark were interleaved, those of the other were not."""


@looped(
    ("plan", "said", "unsaid"),
    [
        (
            detecting(0.04, 0.05, 0.09, 0.3),
            "Base and head, interleaved, take 1 min 06 s. A change of 5 % is detectable in 2 of 4 "
            "benchmarks with a probability of 80 %. In 2 benchmarks, only larger changes are "
            "detectable: 19.5 % (median).",
            "upper limits",
        ),
        (
            detecting(0.04, 0.09),
            "A change of 5 % is detectable in 1 of 2 benchmarks",
            "upper limits",
        ),
        (
            detecting(0.04, 0.09),
            "In 1 benchmark, only larger changes are detectable: 9.0 % (median).",
            "upper limits",
        ),
        # A practically undetectable effect has no size.
        (
            detecting(0.04, 0.2, 4.1, 6047.78),
            "In 3 benchmarks, only larger changes are detectable: more than 100 % (median).",
            "6047",
        ),
        # Forks that took no turns give an upper limit.
        (
            detecting(0.04, rounds=0),
            "A change of 5 % is detectable in 1 of 1 benchmark",
            "will be known",
        ),
        (detecting(0.04, rounds=0), "Sizes with ≤ are upper limits, from forks", "will be known"),
        (
            detecting(0.3, 1.5, rounds=0),
            "The detectable change will be known",
            "is detectable in",
        ),
        (MIXED, "Sizes with ≤ are upper limits, from forks", "will be known"),
    ],
)
def test_the_plan_gives_detectable_changes_before_a_run(plan: Plan, said: str, unsaid: str) -> None:
    assert said in plain(detection_sentences(plan))
    assert unsaid not in plain(detection_sentences(plan))


def test_a_detectable_change_is_exact_an_upper_limit_or_unknown() -> None:
    def sizes(plan: Plan) -> list[str]:
        return [plain(detectable_change(entry)) for entry in plan.benchmarks]

    assert sizes(detecting(0.09, 6047.78, None)) == ["9.0 %", "> 100 %", "–"]
    assert sizes(detecting(0.3, 1.5, rounds=0)) == ["≤ 30.0 %", "–"]


def test_other_plans_have_no_column_of_detectable_changes() -> None:
    names = ShortNames.of(DETECTING)
    assert plan_columns(DETECTING, names)[-1].key == "finds"
    said = plain(savings_sentence(DETECTING))
    assert "A change of 5 % is detectable in 1 of 2 benchmarks" in said
    other = replace(DETECTING, strategy="uoptime", options={"threshold": 0.01})
    assert detection_sentences(other) == ""
    assert plan_columns(other, names)[-1].key == "error"
    assert len(plan_numbers(other, KEPT)) == len(plan_columns(other, names))
    section = plan_section(DETECTING, names)
    assert all(len(row.cells) == len(section.columns) for row in section.rows)
