from __future__ import annotations

from dataclasses import replace

from steady.model import ExecutionConfiguration, Identity
from steady.optimize import BenchmarkPlan, Plan
from steady.report.names import ShortNames
from steady.report.plan_report import (
    detectable_change,
    detection_sentences,
    plan_columns,
    plan_numbers,
    plan_section,
    receipt,
    savings_sentence,
)

FULL = ExecutionConfiguration(5, 0, 60, 0.1, 0.1)
REDUCED = ExecutionConfiguration(4, 10, 8, 0.1, 0.1)


def entry(name: str, detectable: float | None, rounds: int = 5) -> BenchmarkPlan:
    known = detectable is not None
    return BenchmarkPlan(
        Identity(name), REDUCED if known else FULL, FULL, 9.2 if known else 32.5, 32.5,
        "reduced" if known else "full", "why", detectable=detectable,
        recorded_rounds=rounds if known else None, pair_seconds=16.4 if known else None,
    )  # fmt: skip


def plan_of(*entries: BenchmarkPlan) -> Plan:
    return Plan(entries, "detect", {"detect": 0.05, "power": 0.8, "confidence": 0.99})


def plain(text: str) -> str:
    return text.replace("\xa0", " ")


def test_it_says_before_anything_runs_what_will_be_found_and_in_which_time() -> None:
    plan = plan_of(entry("a", 0.04), entry("b", 0.05), entry("c", 0.09), entry("d", 0.3))
    assert plain(detection_sentences(plan)) == (
        "Base and head in turn take 1 min 06 s together. 2 of 4 benchmarks find a change of 5 % "
        "with a probability of 80 %. 2 benchmarks find only larger ones, typically 19.5 %."
    )


def test_one_and_none_have_words_of_their_own() -> None:
    one = plain(detection_sentences(plan_of(entry("a", 0.04), entry("b", 0.09))))
    assert "1 of 2 benchmarks finds a change of 5 %" in one
    assert "1 benchmark finds only larger ones, typically 9.0 %." in one
    kept = plain(detection_sentences(plan_of(entry("a", 0.04), entry("b", None))))
    assert "1 benchmark keeps its full run, and what that finds is not known." in kept
    assert "1 min 21 s" in kept  # 16.4 s, and twice 32.5 s
    assert detection_sentences(Plan((entry("a", None),), "uoptime", {"threshold": 0.01})) == ""


def test_what_cannot_be_found_in_any_sense_is_not_given_a_size() -> None:
    sizes = {"a": 0.04, "b": 0.2, "c": 4.1, "d": 6047.78}
    plan = plan_of(*(entry(name, size) for name, size in sizes.items()))
    said = plain(detection_sentences(plan))
    assert "3 benchmarks find only larger ones, typically more than 100 %." in said
    assert plain(detectable_change(plan.benchmarks[3])) == "> 100 %"


def test_an_upper_limit_is_called_so() -> None:
    plan = plan_of(entry("a", 0.04, rounds=0))
    assert plain(detectable_change(plan.benchmarks[0])) == "≤ 4.0 %"
    assert "1 of 1 benchmark finds a change of 5\xa0%" in detection_sentences(plan)
    assert "Sizes with ≤ are upper limits, from forks" in detection_sentences(plan)
    far = plan_of(entry("a", 0.3, rounds=0), entry("b", 1.5, rounds=0))
    assert "How small a change they find will be known" in detection_sentences(far)
    assert "find a change of" not in detection_sentences(far)
    assert [plain(detectable_change(own)) for own in far.benchmarks] == ["≤ 30.0 %", "–"]
    both = plan_of(entry("a", 0.3, rounds=0), entry("b", 0.04))
    assert "Sizes with ≤ are upper limits, from forks" in detection_sentences(both)
    assert "upper limits" not in detection_sentences(plan_of(entry("a", 0.04)))
    assert detectable_change(entry("a", None)) == "–"


def test_report_and_receipt_say_it_and_other_plans_have_no_such_column() -> None:
    plan = plan_of(entry("a", 0.04), entry("b", 0.09))
    for text in (receipt(plan), savings_sentence(plan)):
        assert "1 of 2 benchmarks finds a change of 5 %" in plain(text)
    names = ShortNames.of(plan)
    assert plan_columns(plan, names)[-1].key == "finds"
    assert plain(plan_numbers(plan, plan.benchmarks[1])[-1]) == "9.0 %"
    other = replace(plan, strategy="uoptime", options={"threshold": 0.01})
    assert plan_columns(other, names)[-1].key == "error"
    assert len(plan_numbers(other, plan.benchmarks[1])) == len(plan_columns(other, names))
    section = plan_section(plan, names)
    assert all(len(row.cells) == len(section.columns) for row in section.rows)
