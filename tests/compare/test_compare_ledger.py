"""Every benchmark is in exactly one list of the ledger."""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steady
from steady.compare import Comparison, Ledger, Missing, compare, to_json
from steady.compare.ledger_building import build_ledger, find_renames
from steady.errors import InputError
from steady.judging import DEFAULT, parse_fail_on
from steady.model import (
    Benchmark,
    ExecutionConfiguration,
    Failure,
    Identity,
    NotRun,
    SameCode,
    Suite,
)
from steady.optimize import Plan
from steady.readers.joined_suites import join
from steady.readers.series_format import write_series
from steady.readers.sidecars import NoResult, add_sidecar, not_run_json, read_not_run
from tests.compare.small_suites import make_benchmark, make_plan, make_suite
from tests.report.from_comparison import comment, reasons_to_fail

A, B, C, X = (Identity(name) for name in ("Bench.a", "Bench.b", "Bench.c", "Other.x"))


def suite(*results: Benchmark | Identity, failed: tuple[Identity, ...] = ()) -> Suite:
    one = make_benchmark("a", [[1.0, 1.0]])
    return Suite(
        tuple(r if isinstance(r, Benchmark) else replace(one, identity=r) for r in results),
        failures=tuple(Failure(identity, "out of memory") for identity in failed),
    )


def test_results_are_compared_gone_new_or_missing() -> None:
    ledger = build_ledger(suite(A, B), suite(B, A), None)
    assert ledger == Ledger(compared=(B, A))  # in the order of head
    assert ledger.complete
    ledger = build_ledger(suite(A, B), suite(B, X), None)
    assert (ledger.gone, ledger.new, ledger.complete) == ((A,), (X,), False)
    ledger = build_ledger(suite(A, B), suite(A, X), (A, B, C, X))
    missing = [(m.identity, m.side) for m in ledger.missing]
    assert missing == [(X, "base"), (B, "head"), (C, "both")]
    assert (ledger.gone, ledger.new, ledger.complete) == ((), (), False)
    ledger = build_ledger(suite(A, B), suite(A, B), (A,))
    assert (ledger.compared, ledger.unplanned) == ((A, B), (B,))
    assert build_ledger(suite(A, B), suite(A, B), None).unplanned == ()


def test_failures_have_side_and_reason_even_with_a_result() -> None:
    ledger = build_ledger(suite(A, failed=(B, C)), suite(A, B, failed=(C,)), (A, B, C))
    assert ledger.failed == (
        Missing(B, "base", "out of memory", "failed"),
        Missing(C, "both", "out of memory", "failed"),
    )
    ledger = build_ledger(suite(A), suite(A, failed=(A,)), None)
    assert ledger == Ledger((), failed=(Missing(A, "head", "out of memory", "failed"),))


def test_other_units_configurations_or_no_values_are_incomparable() -> None:
    fine, nothing = make_benchmark("a", [[1.0]]), make_benchmark("a", [[float("nan")]])
    rate = make_benchmark("a", [[1.0]], "ops/s")
    runs = (ExecutionConfiguration(1, w, 2, 1.0, s) for w, s in ((3, 1.0), (0, 0.1)))
    full, short = (replace(fine, configuration=run) for run in runs)
    unlike = (
        "base ran iterations of 1 s after 3 of 1 s as warm-up, head iterations of 0.1 s without"
    )
    for base, head, side, why in (
        (full, short, "both", f"{unlike} warm-up"),  # it ended in dozens of remarks
        (fine, rate, "both", "different units: ns/op in base, ops/s in head"),
        (nothing, fine, "base", "no measured value in base"),
        (fine, nothing, "head", "no measured value in head"),
        (nothing, nothing, "both", "no measured value in base or head"),
    ):
        ledger = build_ledger(suite(base), suite(head), None)
        [entry] = ledger.incomparable
        assert (entry.identity, entry.side, entry.reason) == (fine.identity, side, why)
        assert (ledger.compared, ledger.complete) == ((), False)


def test_a_time_or_rate_of_zero_is_not_a_result() -> None:
    """A score of 0.0 would be an improvement by 100 %."""
    for unit, values, comparable in (
        ("ns/op", [0.0, 0.0], False),
        ("ns/op", [0.0, 5.0], False),
        ("ops/s", [0.0, 0.0], False),
        ("ops/s", [0.0, 5.0, 5.0], True),
        ("B/op", [0.0, 0.0], True),
    ):
        zero, fine = (make_benchmark("a", [row], unit) for row in (values, [1.0, 1.0]))
        for base, head, side in ((fine, zero, "head"), (zero, fine, "base")):
            ledger = build_ledger(suite(base), suite(head), None)
            assert ledger.complete == comparable
            why = f"results of 0 {unit} in {side}: nothing was timed"
            told = [(entry.side, entry.reason) for entry in ledger.incomparable]
            assert told == ([] if comparable else [(side, why)])


NAMES = st.sampled_from([Identity(f"org.Bench.m{i}", threads=1 + i % 2) for i in range(8)])
SIDES = st.lists(NAMES, unique=True)


@given(st.lists(SIDES, min_size=4, max_size=4), st.none() | SIDES)
def test_every_benchmark_is_in_exactly_one_list(
    sides: list[list[Identity]], planned: list[Identity] | None
) -> None:
    base, head, base_failed, head_failed = sides
    runs = suite(*base, failed=tuple(base_failed)), suite(*head, failed=tuple(head_failed))
    ledger = build_ledger(*runs, planned)
    lost = (*ledger.failed, *ledger.missing, *ledger.incomparable)
    places = [*ledger.compared, *ledger.new, *ledger.gone, *(m.identity for m in lost)]
    assert len(places) == len(set(places))
    assert set(places) == {*base, *head, *base_failed, *head_failed, *(planned or ())}
    assert set(ledger.unplanned) <= set(ledger.compared)
    expected = {*base, *(planned or ()), *base_failed, *head_failed}
    assert ledger.complete == (expected <= set(ledger.compared))


def test_a_probable_rename_is_named_but_not_compared() -> None:
    old, new = Identity("org.ShapeBenchmark.totalArea"), Identity("org.ShapeBenchmark.sumOfAreas")
    ledger = build_ledger(suite(A, old), suite(A, new), None)
    assert (ledger.renamed, ledger.gone, ledger.new) == (((old, new),), (old,), (new,))
    # A moved class too; the likelier name wins, and each is guessed once.
    old = Identity("org.example.codec.JsonBenchmark.parse")
    near, far = Identity("org.example.json.JsonBenchmark.parse"), Identity("com.z.Q.parse")
    assert find_renames([old], [far, near]) == [(old, near)]
    lost, found = map(Identity, ("Bench.parseOne", "Bench.parseTwo")), Identity("Bench.parseOneX")
    assert find_renames([*lost], [found]) == [(Identity("Bench.parseOne"), found)]


def test_other_parameters_modes_or_cases_are_not_renames() -> None:
    old = Identity("Bench.parse", params=(("n", "1"),))
    others = [Identity("Bench.parse2", params=(("n", "2"),)), Identity("Bench.parse2", "thrpt")]
    assert find_renames([old], others) == []
    old, new = (Identity(f"codec.BenchmarkDecode/ratio={ratio}") for ratio in (1.5, 2.5))
    assert find_renames([old], [new]) == []


def test_many_lost_and_new_benchmarks_are_matched_fast() -> None:
    lost, new = (
        [Identity(f"org.Bench.{name}{i}" + "x" * 2000) for i in range(1500)]
        for name in ("before", "after")
    )
    start = time.process_time()
    find_renames(lost, new)
    assert time.process_time() - start < 5


WHY = "this run measures part 2 of 3; 3 pull requests measure all once"
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


def test_benchmarks_skipped_in_both_runs_are_not_missing(tmp_path: Path) -> None:
    base, head = written(tmp_path / "base", 1), written(tmp_path / "head", 2)
    assert base.not_run == OTHERS
    comparison = compare(base, head, plan=plan())
    assert comparison.ledger.not_run == OTHERS
    assert [missing.identity.name for missing in comparison.ledger.missing] == ["a.B.lost"]
    assert '"not_run": [' in to_json(comparison)
    text = comment(comparison)
    assert f"2 of 4 benchmarks were not measured in this run: {WHY}." in text
    assert "2 not measured in this run" in text
    assert "`a.B.<c> [n=1] (thrpt, 2 threads)`" in text
    nothing = written(tmp_path / "other", 2, ())
    ledger = compare(base, nothing, plan=plan()).ledger
    assert (ledger.not_run, len(ledger.missing)) == ((), 3)
    assert "looked at" not in comment(compare(nothing, written(tmp_path / "another", 3, ())))


def test_skipped_benchmarks_with_results_are_compared(tmp_path: Path) -> None:
    control = (*OTHERS, NotRun(MEASURED, WHY))
    sides = [written(tmp_path / name, seed, control) for name, seed in (("b", 1), ("h", 2))]
    ledger = compare(*sides).ledger
    assert (ledger.compared, ledger.not_run) == ((MEASURED,), OTHERS)
    joined = join([sides[0], Suite.of({"a.B.d": np.ones((2, 3))}, unit="ns/op")])
    assert joined.not_run == OTHERS[:1]


def test_a_missing_benchmark_has_the_reason_of_its_fork(tmp_path: Path) -> None:
    crashed = NoResult("base", MEASURED, "code 134")
    (tmp_path / "not-run.json").write_text(not_run_json((), (crashed,)))
    suite = replace(Suite(()), failures=(Failure(MEASURED, "2 of 3 forks gave a result"),))
    (told,) = add_sidecar(suite, tmp_path / "base.json").failures
    assert told.reason == "2 of 3 forks gave a result; code 134"
    assert add_sidecar(suite, tmp_path / "head.json").failures == suite.failures


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "not-run.json"
    for text in ("{}", '{"steady_not_run": 2, "benchmarks": []}', "[", "\xff"):
        path.write_bytes(text.encode("latin-1"))
        with pytest.raises(InputError, match="the benchmarks that a run omitted, version 1"):
            read_not_run(path)
    path.write_text(" " * (2**24 + 1))
    with pytest.raises(InputError, match=r"is larger than 16,777,216 bytes"):
        read_not_run(path)


P, Q, R, S = make_suite(a=1.0, b=1.0, c=1.0, d=1.0)


def compared(same_code: SameCode, plan: Plan | None = None, **head: float) -> Comparison:
    base = replace(make_suite(**dict.fromkeys(head, 100.0)), same_code=same_code)  # type: ignore[arg-type]
    return compare(base, replace(make_suite(**head), same_code=same_code), plan=plan)  # type: ignore[arg-type]


def test_benchmarks_with_an_identical_code_path_are_not_missing() -> None:
    plan = make_plan("a", "b", "c", "d")
    ledger = compared(SameCode((Q, R, S)), plan, a=100.1).ledger
    assert (ledger.same_code, ledger.compared, ledger.missing) == ((Q, R, S), (P,), ())
    assert ledger.complete
    assert set(ledger.identities) == set(plan) == {P, Q, R, S}
    others = compared(SameCode((Q, R)), plan, a=100.1)
    assert [missing.identity for missing in others.ledger.missing] == [S]
    # Both sides must say so, and what has a result is compared.
    base = replace(make_suite(a=100.0), same_code=SameCode((Q, R)))
    head = replace(make_suite(a=100.1), same_code=SameCode((R,)))
    assert compare(base, head).ledger.same_code == (R,)
    assert compare(base, make_suite(a=100.1)).ledger.same_code == ()
    ledger = compared(SameCode((P, Q)), a=100.1, b=100.1).ledger
    assert (ledger.same_code, ledger.compared) == ((), (P, Q))


def test_controls_are_not_part_of_the_verdict() -> None:
    comparison = compared(SameCode((), (Q,)), a=100.1, b=150.0)
    assert [change.identity for change in comparison.changes] == [P]
    assert [(c.identity, c.outcome) for c in comparison.controls] == [(Q, "regression")]
    assert comparison.verdict == "unchanged"
    assert comparison.ledger.controls == (Q,)
    assert comparison.metrics.changes == ()


def test_identical_code_paths_alone_are_a_verdict() -> None:
    for measured in ({}, {"a": 100.1}):
        comparison = compared(SameCode((Q, R), (P,)), None, **measured)
        assert comparison.verdict == "same code"
        assert reasons_to_fail(comparison, parse_fail_on(DEFAULT)) == ()
        assert comparison.remarks == ()
    assert compared(SameCode()).verdict == "incomplete"  # nothing at all
