"""The comparison of two suites, their environments, and checks of validity."""

from dataclasses import fields, replace
from inspect import Parameter, signature

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.compare import RULES, Comparison, compare, to_json
from steady.compare.benchmark_change import relative_change
from steady.compare.comparison_files import ComparisonFile
from steady.compare.criteria import CompareOptions
from steady.compare.pair import Pair
from steady.compare.validity import (
    Difference,
    busy_remarks,
    compare_environments,
    iteration_steps,
    refuse_same_measurements,
    repeated_forks_remark,
)
from steady.errors import InputError
from steady.model import Environment, ExecutionConfiguration, FloatArray, Suite
from steady.options.strictness import Strictness
from tests.compare.small_suites import make_benchmark, make_plan, make_suite
from tests.looped import looped

EMPTY = Suite(())
ROUNDS = ("r:0", "r:1", "r:2")


def outcomes(comparison: Comparison) -> list[str]:
    return [change.outcome for change in comparison.changes]


@looped("rule", RULES)
def test_the_unit_determines_the_direction(rule: str) -> None:
    values = np.array([[100.0, 100.5, 99.5, 100.2]] * 4) * [[1], [1.001], [0.999], [1.002]]
    for unit, factor, outcome in (
        ("ns/op", 1.2, "regression"),
        ("ns/op", 0.8, "improvement"),
        ("ops/s", 1.2, "improvement"),
        ("ops/s", 0.8, "regression"),
        ("MB/s", 0.8, "regression"),
        ("B/op", 1.2, "regression"),
        ("ns/op", 1.0, "unchanged"),
    ):
        sides = (make_suite(make_benchmark("b", x * values, unit)) for x in (1.0, factor))
        comparison = compare(*sides, rule=rule)
        [change] = comparison.changes
        assert (change.outcome, comparison.verdict) == (outcome, outcome)
        assert (change.worsening > 0) == (outcome == "regression")
        assert change.smallest >= 0.03


def test_a_change_below_the_threshold_is_not_reported() -> None:
    base, head = make_suite(a=100.0), make_suite(a=102.0)
    assert outcomes(compare(base, head)) == ["unchanged"]
    # Up to about 3.1 %, by its interval: it may count, and it may not.
    assert outcomes(compare(base, make_suite(a=102.9))) == ["unclear"]
    assert outcomes(compare(base, head, min_change=0.019)) == ["regression"]
    assert outcomes(compare(base, make_suite(a=103.1))) == ["regression"]


@looped("rule", RULES)
def test_noisy_results_are_unclear_instead_of_unchanged(rule: str) -> None:
    """If only changes of 40 % are detectable, the outcome must not be unchanged."""
    noise = np.random.default_rng(2).normal(0, 0.25, (2, 4, 6))
    base, head = (make_suite(make_benchmark("b", 100 * np.exp(side)), a=10.0) for side in noise)
    comparison = compare(base, head, rule=rule)
    assert outcomes(comparison) == ["unclear", "unchanged"]
    assert comparison.verdict == "unclear"
    noisy, quiet = comparison.changes
    assert noisy.interval is not None
    assert noisy.excluded == max(map(abs, noisy.interval)) > 0.03
    assert quiet.excluded < 0.03
    wide = compare(base, head, rule=rule, min_change=1.01 * noisy.excluded)
    assert outcomes(wide) == ["unchanged", "unchanged"]


def test_verdicts_in_order_of_importance() -> None:
    noisy = make_benchmark("n", [[100.0], [150.0], [80.0]])
    base, head = make_suite(noisy, a=100.0), make_suite(noisy, a=90.0)
    assert compare(base, head).verdict == "improvement"
    assert compare(head, base).verdict == "regression"
    assert compare(base, base).verdict == "unclear"
    both, one = make_suite(a=100.0, b=100.0), make_suite(a=100.0)
    for ours, theirs in ((base, one), (both, one), (EMPTY, EMPTY), (EMPTY, one), (one, EMPTY)):
        assert compare(ours, theirs).verdict == "incomplete"
    assert compare(one, one, plan=make_plan("a", "b")).verdict == "incomplete"
    assert compare(one, one, plan=make_plan("a")).verdict == "unchanged"
    comparison = compare(both, make_suite(a=200.0))
    assert comparison.verdict == "regression"
    assert not comparison.ledger.complete


def test_too_few_runs_are_unclear() -> None:
    """A single result per side was a regression with an interval of zero width."""
    single, other = (Suite.of({"a": [[10.0 * x]]}, unit="ns/op") for x in (1, 1.2))
    for head in (single, other):
        comparison = compare(single, head)
        [change] = comparison.changes
        assert (change.outcome, comparison.verdict) == ("unclear", "unclear")
        assert change.lacking == "too few results: 1 on each side; at least 2 are needed"
        assert (change.interval, change.smallest, change.excluded) == (None, np.inf, np.inf)
    # One process of Go decides.
    values = np.array([[100.0, 101, 99, 100.5, 99.5, 100.2, 99.9, 100.1, 100.3, 99.8]])
    for levels, outcome in ((("suite run", "iteration"), "regression"), (None, "unclear")):
        base, head = (Suite.of({"a": x * values}, unit="ns/op", levels=levels) for x in (1.0, 1.2))
        assert outcomes(compare(base, head)) == [outcome]


@given(st.integers(0, 2**32 - 1), st.sampled_from([*RULES]), st.sampled_from([0.0, 0.03, 0.3]))
@settings(max_examples=60)
def test_a_change_is_reported_if_it_reaches_the_smallest(
    seed: int, rule: str, min_change: float
) -> None:
    generator = np.random.default_rng(seed)
    noise = generator.choice([0.0, 0.01, 0.2])
    values = 100 * np.exp(generator.normal(0, noise, (2, 5, 3, 4)))
    values[1] *= generator.choice([0.5, 0.9, 1.0, 1.02, 1.2, 3.0], (5, 1, 1))
    base, head = (Suite.of({str(i): v for i, v in enumerate(s)}, unit="ns/op") for s in values)
    for change in compare(base, head, rule=rule, min_change=min_change, resamples=100).changes:
        reported = change.outcome in ("regression", "improvement")
        size = abs(change.ratio) * (1 + 1e-9 if reported else 1 - 1e-9)
        assert reported == (size >= change.smallest and change.ratio != 0)
        assert change.excluded >= abs(change.ratio) * (1 - 1e-9)


def test_only_options_of_the_rule_are_recorded() -> None:
    base = make_suite(a=1.0)
    plain = compare(base, base, min_change=0.05, confidence=0.95)
    assert plain.options == {"min_change": 0.05, "confidence": 0.95, "strict_environment": False}
    resampled = compare(base, base, rule="overlap-fast", seed=7, resamples=500)
    assert (resampled.options["seed"], resampled.options["resamples"]) == (7, 500)
    for name, value in (
        ("min_change", -0.1),
        ("min_change", float("nan")),
        ("confidence", 1.0),
        ("confidence", 99),
        ("seed", -1),
        ("resamples", 3),
    ):
        with pytest.raises(InputError, match=f"^{name} is .*; give"):
            compare(EMPTY, EMPTY, **{name: value})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword argument 'min_chnge'"):
        compare(EMPTY, EMPTY, min_chnge=0.03)  # type: ignore[call-arg]


def test_the_signature_shows_each_option() -> None:
    base, head, *keywords = signature(compare).parameters.values()
    assert (base.name, head.name) == ("base", "head")
    assert (base.kind, head.kind) == (Parameter.POSITIONAL_OR_KEYWORD,) * 2
    assert {one.kind for one in keywords} == {Parameter.KEYWORD_ONLY}
    declared = {one.name: one.default for one in fields(CompareOptions) if one.kw_only}
    assert {one.name: one.default for one in keywords} == declared
    assert {one.name for one in fields(Strictness)} <= set(declared)
    assert signature(compare).return_annotation is Comparison


def test_a_strict_environment_prevents_a_verdict() -> None:
    base, head = (
        make_suite(make_benchmark("b", np.full((2, 4), v), environment=Environment(cpu=cpu)))
        for v, cpu in ((1.0, "EPYC"), (9.0, "Xeon"))
    )
    assert compare(base, head).verdict == "regression"
    assert compare(base, head).differences[0].what == "CPU"
    strict = compare(base, head, strict_environment=True)
    assert (strict.comparable, strict.verdict) == (False, "not comparable")
    assert compare(base, base, strict_environment=True).verdict == "unchanged"
    assert strict.base_environments == (Environment(cpu="EPYC"),)


def test_deviations_from_the_plan_become_notes_of_the_change() -> None:
    run = ExecutionConfiguration(1, 2, 10, 1.0, 1.0)
    head = make_suite(make_benchmark("a", np.ones((1, 10)), configuration=run))
    [change] = compare(make_suite(a=1.0), head, plan=make_plan("a")).changes
    assert change.notes == ("head deviates from the plan: 1 fork (planned: 3 forks)",)


def test_a_change_from_zero_is_infinite() -> None:
    base, head = (make_suite(make_benchmark("b", np.full((2, 4), n), "B/op")) for n in (0.0, 16.0))
    comparison = compare(base, head)
    assert comparison.verdict == "regression"
    assert comparison.changes[0].ratio == float("inf")
    assert compare(base, base).verdict == "unchanged"
    assert compare(head, base).verdict == "improvement"
    assert relative_change(4.0, 5.0) == 0.25
    assert relative_change(-4.0, -5.0) == -0.25
    assert relative_change(0.0, -1.0) == float("-inf")


@looped("value", [1.7e308, -1.7e308, 1e101, 1e-101, 5e-324])
@looped("side", [0, 1])
def test_a_value_out_of_range_is_an_input_error(side: int, value: float) -> None:
    suites = [make_suite(a=1.0, b=1.0), make_suite(a=1.0, b=1.0)]
    suites[side] = make_suite(make_benchmark("b", [[1.0, 1.0, value]] * 3), a=1.0)
    with pytest.raises(
        InputError, match=r"^b has a value out of range; the magnitude of a value is 0"
    ):
        compare(*suites)
    # Where there is nothing to compare it with, it does no harm.
    suites[1 - side] = make_suite(a=1.0)
    assert outcomes(compare(*suites)) == ["unchanged"]


@looped("rule", RULES)
def test_values_in_range_can_be_written(rule: str) -> None:
    tables = [np.full((3, 4), size) for size in (0.0, 1e-100, 1.0, 1e100)]
    tables += [np.array([[1e-100, 1e100, 1.0]] * 3), np.array([[1e-100] * 3, [1e100] * 3])]
    suites = [make_suite(make_benchmark("b", table)) for table in tables]
    for base in suites:
        for head in suites:
            comparison = compare(base, head, rule=rule)
            read = msgspec.json.decode(to_json(comparison), type=ComparisonFile)
            assert [c.identity for c in read.changes] == list(comparison.ledger.compared)
            assert comparison.changes or comparison.ledger.incomparable


def test_earlier_runs_with_values_out_of_range_are_ignored() -> None:
    base, head = make_suite(a=100.0), make_suite(a=110.0)
    fine = [make_suite(a=90.0 + run) for run in range(6)]
    broken = [make_suite(make_benchmark("a", [[9e307, 1.7e308]] * 3))] * 5
    for rule in ("known-spread", "moderated-t"):
        known = compare(base, head, rule=rule, earlier=fine)
        spoilt = compare(base, head, rule=rule, earlier=[*broken, *fine])
        assert spoilt.changes == known.changes


def test_changes_are_sorted_worst_first_and_ties_by_name() -> None:
    base = make_suite(a=100.0, b=100.0, c=100.0, d=100.0)
    head = make_suite(a=110.0, b=150.0, c=110.0, d=70.0)
    comparison = compare(base, head)
    assert [c.identity.name for c in comparison.regressions] == ["b", "a", "c"]
    assert [c.identity.name for c in comparison.improvements] == ["d"]


def test_rules_use_earlier_runs_for_the_variance_between_forks() -> None:
    def forks(*levels: float, unit: str = "ns/op") -> Suite:
        return make_suite(make_benchmark("a", [[level] * 8 for level in levels], unit))

    quiet, noisy = forks(50.0, 50.1, 50.2), forks(50.0, 58.0, 53.0)
    for earlier, outcome in (
        ([quiet], "regression"),
        ([noisy], "unclear"),
        ([quiet, noisy], "unclear"),
        ([quiet, forks(50.0, 58.0, unit="us/op")], "regression"),
    ):
        comparison = compare(forks(100.0), forks(106.0), rule="known-spread", earlier=earlier)
        assert outcomes(comparison) == [outcome]
        assert comparison.options["earlier_runs"] == len(earlier)
    assert "earlier_runs" not in compare(forks(100.0), forks(106.0)).options


BASE = Environment("EPYC", "Linux 6.8", "21.0.5", "OpenJDK 21.0.5+11", ("-Xmx1g",))


def test_differences_of_environments_have_numbers_of_benchmarks() -> None:
    head = Environment("Xeon", "Linux 6.9", "22", "OpenJDK 22", ())
    assert compare_environments([(BASE, head), (BASE, head), (BASE, BASE)]) == (
        Difference("CPU", "EPYC", "Xeon", 2),
        Difference("operating system", "Linux 6.8", "Linux 6.9", 2),
        Difference("JDK", "21.0.5", "22", 2),
        Difference("JVM", "OpenJDK 21.0.5+11", "OpenJDK 22", 2),
        Difference("JVM arguments", "-Xmx1g", "", 2),
    )
    # What touches most benchmarks comes first.
    one, two = Environment(cpu="Xeon 1"), Environment(cpu="Xeon 2")
    found = compare_environments([(BASE, one), (BASE, two), (BASE, two)])
    assert [(d.head, d.benchmarks) for d in found] == [("Xeon 2", 2), ("Xeon 1", 1)]


def test_an_unknown_field_is_not_a_difference() -> None:
    assert compare_environments([(BASE, Environment()), (Environment(), BASE)]) == ()
    # No arguments are one, where the harness tells them.
    found = compare_environments(
        [(Environment(jdk="21", jvm_args=("-Xss1m",)), Environment(jdk="21"))]
    )
    assert found == (Difference("JVM arguments", "-Xss1m", "", 1),)


def restless(size: float) -> Pair:
    """Return a benchmark whose successive iterations differ by a factor."""
    row = np.tile([1.0, 1 + size], 5)
    return Pair("ns/op", np.stack([row, 2 * row]), np.stack([row, 7 * row]))


def test_iteration_steps_are_within_forks() -> None:
    slow, none = Pair("ns/op", np.ones((3, 1)), np.ones((3, 1))), np.zeros((2, 4))
    assert iteration_steps([restless(0.4), slow, Pair("ns/op", none, none)]) == pytest.approx([0.4])
    missing = restless(0.25)
    missing.base[0, 3] = np.nan
    assert iteration_steps([missing]) == pytest.approx([0.25])


def test_the_remark_on_a_busy_machine_has_the_median_step() -> None:
    [sentence] = busy_remarks([restless(0.02), restless(0.41), restless(0.6)])
    assert sentence.startswith("this machine was busy: successive iterations of a benchmark differ")
    assert "differ by 41.0\u00a0% (median)" in sentence
    assert "a quieter machine" in sentence
    for calm in ((), (0.9, 0.9), (0.02, 0.05, 0.9), (0.09, 0.09, 0.09)):
        assert busy_remarks([restless(size) for size in calm]) == []
    values = {f"b{place}": restless(0.3).base for place in range(3)}
    head = {name: 1.01 * table for name, table in values.items()}
    comparison = compare(Suite.of(values, unit="ns/op"), Suite.of(head, unit="ns/op"))
    assert [remark for remark in comparison.remarks if remark.startswith("this machine was busy")]


@looped(
    ("harness", "layouts", "blocks", "remarks"),
    [
        ("go", ((), ()), (ROUNDS, ROUNDS), 1),
        ("go", (("1", "2", "3"), ("2", "3", "1")), (ROUNDS, ROUNDS), 0),
        # Two separate results of `go test` may be of several builds.
        ("go", ((), ()), ((), ()), 0),
        ("go", ((), ()), (ROUNDS, ("x", "y", "z")), 0),
        ("jmh", ((), ()), (ROUNDS, ROUNDS), 0),
        ("google-benchmark", ((), ()), (ROUNDS, ROUNDS), 0),
    ],
)
def test_one_layout_of_each_version_is_a_remark_for_go_only(
    harness: str,
    layouts: tuple[tuple[str, ...], ...],
    blocks: tuple[tuple[str, ...], ...],
    remarks: int,
) -> None:
    values = np.random.default_rng(4).normal(100, 1, (2, 3, 5))
    sides = [
        Suite(
            tuple(
                replace(make_benchmark(name, table), layouts=own, blocks=rounds)
                for name in ("a", "b")
            ),
            harness=harness,
        )
        for table, own, rounds in zip(values, layouts, blocks, strict=True)
    ]
    said = [one for one in compare(*sides).remarks if "memory layout" in one]
    assert len(said) == remarks
    for one in said:
        assert one.startswith("2 benchmarks ran in one memory layout of each version")
        assert "-randlayout" in one


VALUES = 100 * np.exp(np.random.default_rng(1).normal(0, 0.02, (3, 3, 6)))
"""Measurements of three benchmarks with three forks."""


def suite(values: FloatArray, *names: str, unit: str = "ns/op") -> Suite:
    return Suite.of(dict(zip(names or "abc", values, strict=False)), unit=unit)


def test_a_run_is_not_compared_with_itself() -> None:
    for same in (
        suite(VALUES),
        suite(VALUES[::-1], "c", "b", "a"),
        suite(VALUES[:, ::-1]),
        suite(VALUES[:, :, ::-1]),
        suite(np.pad(VALUES, ((0, 0), (0, 0), (0, 2)), constant_values=np.nan)),
        suite(VALUES[:2]),
    ):
        with pytest.raises(InputError, match="base and head contain identical measurements"):
            refuse_same_measurements(suite(VALUES), same)
    other = VALUES.copy()
    other[1, 2, 3] *= 1.001
    refuse_same_measurements(suite(VALUES), suite(other))


def test_repeated_counts_are_no_evidence_of_identical_runs() -> None:
    for values in ([16.0] * 6, [16.0, 17.0] * 3):
        counts = suite(np.broadcast_to(values, (3, 3, 6)), unit="B/op")
        refuse_same_measurements(counts, counts)
        assert repeated_forks_remark(counts, counts) == ""
    counts = suite(np.full((1, 3, 6), 16.0), "bytes", unit="B/op")
    mixed = Suite((*suite(VALUES).benchmarks, *counts.benchmarks))
    with pytest.raises(InputError, match="identical measurements"):
        refuse_same_measurements(mixed, mixed)


def test_a_fork_in_both_runs_gets_a_remark() -> None:
    head = 100 * np.exp(np.random.default_rng(2).normal(0, 0.02, (3, 3, 6)))
    assert compare(suite(VALUES), suite(head)).remarks == ()
    head[:2, 2] = VALUES[:2, 0]
    [remark] = compare(suite(VALUES), suite(head)).remarks
    assert remark.startswith("2 benchmarks have forks with the same measurements in base and in")
    for lost in (np.nan, np.inf):  # at the end of another fork, or at the beginning of all
        ours, theirs = VALUES.copy(), head.copy()
        if lost == np.inf:
            ours[:, :, 0] = theirs[:, :, 0] = lost
        else:
            theirs[:, 1, -1] = lost
        assert repeated_forks_remark(suite(ours), suite(theirs)).startswith(
            "2 benchmarks have forks"
        )
