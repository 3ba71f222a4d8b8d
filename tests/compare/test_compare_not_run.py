"""What a run left out on purpose is counted and named, and it is not missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import steady
from steady.compare import compare, to_json
from steady.errors import InputError
from steady.model import ExecutionConfiguration, Identity, NotRun, Suite
from steady.optimize import BenchmarkPlan, Plan
from steady.readers.beside_results import not_run_json, read_not_run
from steady.readers.joined_suites import join
from steady.readers.series_format import write_series
from tests.report.from_comparison import comment

WHY = "this is part 2 of 3, and 3 pull requests look at all once"
OTHERS = (
    NotRun(Identity("a.B.<c>", "thrpt", (("n", "1"),), 2), WHY),
    NotRun(Identity("a.B.d"), WHY),
)


def written(folder: Path, seed: int, entries: tuple[NotRun, ...] = OTHERS) -> Suite:
    folder.mkdir()
    values = 100 + np.random.default_rng(seed).standard_normal((5, 20))
    write_series(Suite.of({"a.B.a": values}, unit="ns/op"), folder / "base.json")
    (folder / "not-run.json").write_text(not_run_json(entries))
    return steady.load(str(folder / "*.json"))


def plan() -> Plan:
    run = ExecutionConfiguration(5, 0, 20, 1.0, 1.0)
    names = (Identity("a.B.a"), *(entry.identity for entry in OTHERS), Identity("a.B.lost"))
    entries = (BenchmarkPlan(name, run, run, 1.0, 1.0, "reduced", "") for name in names)
    return Plan(tuple(entries), "error-budget", harness="series")


def test_it_is_read_beside_results_and_is_not_missing(tmp_path: Path) -> None:
    base, head = written(tmp_path / "base", 1), written(tmp_path / "head", 2)
    assert base.not_run == OTHERS
    comparison = compare(base, head, plan=plan())
    assert comparison.ledger.not_run == OTHERS
    assert [missing.identity.name for missing in comparison.ledger.missing] == ["a.B.lost"]
    assert '"not_run": [' in to_json(comparison)
    text = comment(comparison)
    assert f"2 of 4 benchmarks were not looked at this time: {WHY}." in text
    assert "2 not looked at this time" in text
    assert "`a.B.<c> [n=1] (thrpt, 2 threads)`" in text


def test_what_only_one_side_left_out_is_missing(tmp_path: Path) -> None:
    base, head = written(tmp_path / "base", 1), written(tmp_path / "head", 2, ())
    ledger = compare(base, head, plan=plan()).ledger
    assert ledger.not_run == ()
    assert len(ledger.missing) == 3


def test_what_was_measured_all_the_same_is_compared(tmp_path: Path) -> None:
    control = (*OTHERS, NotRun(Identity("a.B.a"), WHY))
    sides = [written(tmp_path / name, seed, control) for name, seed in (("b", 1), ("h", 2))]
    ledger = compare(*sides).ledger
    assert ledger.compared == (Identity("a.B.a"),)
    assert ledger.not_run == OTHERS
    joined = join([sides[0], Suite.of({"a.B.d": np.ones((2, 3))}, unit="ns/op")])
    assert joined.not_run == OTHERS[:1]


def test_the_comment_of_a_run_that_left_nothing_out_does_not_speak_of_it(tmp_path: Path) -> None:
    base, head = written(tmp_path / "base", 1, ()), written(tmp_path / "head", 2, ())
    assert "looked at" not in comment(compare(base, head))


@pytest.mark.parametrize("text", ["{}", '{"steady_not_run": 2, "benchmarks": []}', "[", "\xff"])
def test_another_file_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "not-run.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match="the benchmarks that a run left out, version 1"):
        read_not_run(path)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "not-run.json"
    path.write_text(" " * (2**24 + 1))
    with pytest.raises(InputError, match=r"is larger than 16,777,216 bytes"):
        read_not_run(path)
