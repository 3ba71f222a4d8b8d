"""What a run left out on purpose: named and not missing, or the same code, or a control."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import steady
from steady.compare import Comparison, compare, to_json
from steady.errors import InputError
from steady.judging import DEFAULT, parse_fail_on, reasons_to_fail
from steady.model import Identity, NotRun, SameCode, Suite
from steady.optimize import Plan
from steady.readers.beside_results import not_run_json, read_not_run
from steady.readers.joined_suites import join
from steady.readers.series_format import write_series
from tests.compare.small_suites import make_plan, make_suite
from tests.report.from_comparison import comment

WHY = "this is part 2 of 3, and 3 pull requests look at all once"
OTHERS = (
    NotRun(Identity("a.B.<c>", "thrpt", (("n", "1"),), 2), WHY),
    NotRun(Identity("a.B.d"), WHY),
)
MEASURED = Identity("a.B.a")


def written(folder: Path, seed: int, entries: tuple[NotRun, ...] = OTHERS) -> Suite:
    folder.mkdir()
    values = 100 + np.random.default_rng(seed).standard_normal((5, 20))
    write_series(Suite.of({MEASURED.name: values}, unit="ns/op"), folder / "base.json")
    (folder / "not-run.json").write_text(not_run_json(entries))
    return steady.load(str(folder / "*.json"))


def plan() -> Plan:
    [entry] = make_plan("a.B.a").benchmarks
    names = (MEASURED, *(one.identity for one in OTHERS), Identity("a.B.lost"))
    entries = tuple(replace(entry, identity=name) for name in names)
    return Plan(entries, "error-budget", harness="series")


def test_what_both_sides_left_out_is_read_beside_results_and_is_not_missing(tmp_path: Path) -> None:
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
    nothing = written(tmp_path / "other", 2, ())
    ledger = compare(base, nothing, plan=plan()).ledger
    assert (ledger.not_run, len(ledger.missing)) == ((), 3)
    assert "looked at" not in comment(compare(nothing, written(tmp_path / "another", 3, ())))


def test_what_was_measured_all_the_same_is_compared(tmp_path: Path) -> None:
    control = (*OTHERS, NotRun(MEASURED, WHY))
    sides = [written(tmp_path / name, seed, control) for name, seed in (("b", 1), ("h", 2))]
    ledger = compare(*sides).ledger
    assert (ledger.compared, ledger.not_run) == ((MEASURED,), OTHERS)
    joined = join([sides[0], Suite.of({"a.B.d": np.ones((2, 3))}, unit="ns/op")])
    assert joined.not_run == OTHERS[:1]


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "not-run.json"
    for text in ("{}", '{"steady_not_run": 2, "benchmarks": []}', "[", "\xff"):
        path.write_bytes(text.encode("latin-1"))
        with pytest.raises(InputError, match="the benchmarks that a run left out, version 1"):
            read_not_run(path)
    path.write_text(" " * (2**24 + 1))
    with pytest.raises(InputError, match=r"is larger than 16,777,216 bytes"):
        read_not_run(path)


A, B, C, D = make_suite(a=1.0, b=1.0, c=1.0, d=1.0)


def compared(same_code: SameCode, plan: Plan | None = None, **head: float) -> Comparison:
    base = replace(make_suite(**dict.fromkeys(head, 100.0)), same_code=same_code)  # type: ignore[arg-type]
    return compare(base, replace(make_suite(**head), same_code=same_code), plan=plan)  # type: ignore[arg-type]


def test_what_runs_the_same_code_is_not_missing() -> None:
    plan = make_plan("a", "b", "c", "d")
    ledger = compared(SameCode((B, C, D)), plan, a=100.1).ledger
    assert (ledger.same_code, ledger.compared, ledger.missing) == ((B, C, D), (A,), ())
    assert ledger.complete
    assert set(ledger.identities) == set(plan) == {A, B, C, D}
    others = compared(SameCode((B, C)), plan, a=100.1)
    assert [missing.identity for missing in others.ledger.missing] == [D]
    # Both sides must say so, and what has a result is compared.
    base = replace(make_suite(a=100.0), same_code=SameCode((B, C)))
    head = replace(make_suite(a=100.1), same_code=SameCode((C,)))
    assert compare(base, head).ledger.same_code == (C,)
    assert compare(base, make_suite(a=100.1)).ledger.same_code == ()
    ledger = compared(SameCode((A, B)), a=100.1, b=100.1).ledger
    assert (ledger.same_code, ledger.compared) == ((), (A, B))


def test_no_verdict_counts_a_control() -> None:
    comparison = compared(SameCode((), (B,)), a=100.1, b=150.0)
    assert [change.identity for change in comparison.changes] == [A]
    assert [(c.identity, c.outcome) for c in comparison.controls] == [(B, "regression")]
    assert comparison.verdict == "unchanged"
    assert comparison.ledger.controls == (B,)
    assert comparison.metrics.changes == ()


def test_where_nothing_can_have_changed_that_is_the_verdict() -> None:
    for measured in ({}, {"a": 100.1}):
        comparison = compared(SameCode((B, C), (A,)), None, **measured)
        assert comparison.verdict == "same code"
        assert reasons_to_fail(comparison, parse_fail_on(DEFAULT)) == ()
        assert comparison.remarks == ()
    assert compared(SameCode()).verdict == "incomplete"  # nothing at all
