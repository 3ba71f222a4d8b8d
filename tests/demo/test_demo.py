from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import steady
from steady.cli import main
from steady.demo import BUDGET, recording

PACKAGE = "dev.steady.demo."


@dataclass(frozen=True, eq=False)
class Demo:
    plan: steady.Plan
    base: steady.Suite
    head: steady.Suite
    comparison: steady.Comparison


@pytest.fixture(scope="module")
def demo() -> Demo:
    with recording() as recorded:
        plan = steady.read_plan(recorded.plan)
        base, head = steady.load(recorded.base), steady.load(recorded.head)
    return Demo(plan, base, head, steady.compare(base, head, plan=plan))


def names(changes: tuple[steady.Change, ...]) -> list[str]:
    return [change.identity.name.removeprefix(PACKAGE) for change in changes]


def test_it_finds_what_was_planted_and_nothing_else(demo: Demo) -> None:
    assert sorted(names(demo.comparison.regressions)) == [
        "DigestBenchmark.fingerprint",
        "NumericBenchmark.editDistance",
    ]
    assert names(demo.comparison.improvements) == ["CollectionBenchmark.countWords"]
    ledger = demo.comparison.ledger
    assert [(old.name, new.name) for old, new in ledger.renamed] == [
        (f"{PACKAGE}ShapeBenchmark.totalArea", f"{PACKAGE}ShapeBenchmark.sumOfAreas")
    ]
    assert [missing.identity.name for missing in ledger.missing] == [
        f"{PACKAGE}ShapeBenchmark.totalArea"
    ]
    assert not ledger.failed
    assert not ledger.incomparable


def test_the_second_look_settled_what_was_found(demo: Demo) -> None:
    """Every change stands on more rounds than were planned."""
    for change in (*demo.comparison.regressions, *demo.comparison.improvements):
        assert change.base.forks > demo.plan[change.identity].forks
        assert any(note.startswith("looked at again") for note in change.notes)


def test_both_versions_ran_as_planned_in_the_same_rounds(demo: Demo) -> None:
    """Every record's own warm-up, iterations and times are the plan's; forks only become more."""
    for identity in demo.comparison.ledger.compared:
        planned = demo.plan[identity].configuration
        for suite in (demo.base, demo.head):
            configuration = suite[identity].configuration
            assert configuration is not None
            assert configuration == replace(planned, forks=configuration.forks)
            assert configuration.forks >= planned.forks
        assert set(demo.base[identity].blocks) == set(demo.head[identity].blocks)
    assert not any("planned" in note for change in demo.comparison.changes for note in change.notes)


def test_todays_plan_saves_too(demo: Demo) -> None:
    with recording() as recorded:
        plan = steady.optimize(steady.load(recorded.full), budget=BUDGET)
    assert plan.keys() == demo.plan.keys()
    assert plan.data_digest == demo.plan.data_digest
    assert plan.seconds < 0.7 * plan.full_seconds
    assert plan[f"{PACKAGE}AuditBenchmark.recordEvent"].status == "full"


def test_the_same_recording_leaves_the_same_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        assert main(["demo", "--out", str(folder)]) == 0
    printed = capsys.readouterr().out
    files = [path.relative_to(folders[0]) for path in folders[0].rglob("*") if path.is_file()]
    assert {str(path) for path in files} >= {
        ".steady/plan.json", ".steady/jmh/overlay.args", ".steady/overlay/META-INF/BenchmarkList",
        "comment.md", "summary.md", "report.html", "comparison.json",
    }  # fmt: skip
    for path in files:
        assert (folders[0] / path).read_bytes() == (folders[1] / path).read_bytes()
        assert str(tmp_path) not in (folders[0] / path).read_text()
    for name in (".steady/plan.json", "comment.md", "report.html"):
        assert str(folders[0] / name) in printed
