"""The semantics of patterns, thresholds, ignored benchmarks and accepted changes."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import msgspec
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steady.compare import Comparison, Ignored, Missing, compare, to_json
from steady.compare.comparison_files import ComparisonFile
from steady.judging import DEFAULT, apply_settings, parse_fail_on
from steady.model import Failure, Identity, Suite
from steady.settings import RepoSettings, matches
from steady.settings.repo_settings import Acceptance, Ignore, Threshold
from tests.report.from_comparison import reasons_to_fail

# The semantics of patterns: stars, labels and omitted packages.


GET = Identity("org.example.Bench.get")
SIZED = Identity("org.example.Bench.get", "thrpt", (("n", "10"), ("file", "a.json")), 4)


MEANT = "org.example.Bench.get example.Bench.get Bench.get get * ** Bench.* org.*.get B*h.g*t *get"
OTHERS = """ench.get Bench bench.get Bench.get2 B?nch.get Bench.[g]et Bench.ge[t] (Bench|X).get
    Bench.get.* *getget org.example.Bench.get*t"""


def test_a_name_matches_with_and_without_parameters() -> None:
    for pattern in MEANT.split():
        assert matches(pattern, GET), pattern
        assert matches(pattern, SIZED), pattern
    for pattern in (*OTHERS.split(), "", " Bench.get"):
        assert not matches(pattern, GET), pattern


def test_a_label_selects_parameters_mode_and_threads() -> None:
    label = "Bench.get [n=10, file=a.json] (thrpt, 4 threads)"
    assert matches(label, SIZED)
    assert matches("Bench.get [n=10,*", SIZED)
    assert matches("*(thrpt, 4 threads)", SIZED)
    assert not matches("Bench.get [n=1*(avgt)", SIZED)
    # A dot in a parameter does not separate packages.
    assert not matches("json] (thrpt, 4 threads)", SIZED)


def test_a_dot_in_a_go_sub_benchmark_begins_no_name() -> None:
    one = Identity("example.com/shop/text.v2.BenchmarkWords/ratio=1.5/a.b", threads=8)
    for pattern in ("5/a.b", "b", "5*", "*.b (8 processors)*x", "5/a.b (8 processors)"):
        assert not matches(pattern, one)
    for pattern in (
        "BenchmarkWords/ratio=1.5/a.b",
        "v2.BenchmarkWords/*",
        "com/shop/text.v2.BenchmarkWords*",
        "BenchmarkWords/ratio=1.5/a.b (8 processors)",
        "*1.5/a.b",
    ):
        assert matches(pattern, one)


NAMES = st.text("abA.*[", min_size=1, max_size=12)


@given(NAMES, NAMES)
def test_patterns_match_like_the_equivalent_regular_expression(pattern: str, name: str) -> None:
    expression = ".*".join(map(re.escape, pattern.split("*")))
    tails = [name, *(name[i + 1 :] for i, c in enumerate(name) if c == ".")]
    expected = any(re.fullmatch(expression, tail, re.DOTALL) for tail in tails)
    assert matches(pattern, Identity(name)) == expected


def test_patterns_are_matched_in_linear_time() -> None:
    hostile = Identity("a" * 5_000)
    started = time.process_time()
    assert not matches("*a" * 250 + "*b", Identity("a" * 5_000 + "b" + "c"))
    assert matches("*a" * 250, hostile)
    assert time.process_time() - started < 5  # exhaustive backtracking would not finish


# Thresholds, ignored benchmarks and accepted changes, from the settings to the verdict.


TODAY = date(2026, 11, 21)
SLOW, FAST, SAME = (Identity(f"org.example.Bench.{name}") for name in ("slow", "fast", "same"))
ALL = parse_fail_on(DEFAULT)


def suite(*failures: Failure, **levels: float) -> Suite:
    """Return quiet results of benchmarks by their method's name."""
    quiet = {
        f"org.example.Bench.{name}": level
        * (1 + 0.001 * np.random.default_rng(seed).standard_normal((5, 10)))
        for seed, (name, level) in enumerate(levels.items())
    }
    return replace(Suite.of(quiet, unit="ns/op"), failures=failures)


BASE = suite(slow=100.0, fast=100.0, same=100.0)
HEAD = suite(slow=112.0, fast=80.0, same=100.0)


def accept(pattern: str = "Bench.slow", **more: object) -> Acceptance:
    terms = {"bound": 0.2, "expires": TODAY, "author": "Ada", "source": "s:3"} | more
    return Acceptance(pattern, "checks its input", **terms)  # type: ignore[arg-type]


def applied(comparison: Comparison, entries: Sequence[Acceptance], today: date) -> Comparison:
    return apply_settings(comparison, RepoSettings(accepted=tuple(entries)), today)


def found(*entries: Acceptance, today: date = TODAY) -> Comparison:
    return applied(compare(BASE, HEAD), entries, today)


def refused(comparison: Comparison, identity: Identity = SLOW) -> tuple[str, ...]:
    (change,) = [change for change in comparison.changes if change.identity == identity]
    return change.refused


def test_empty_settings_change_nothing() -> None:
    bare = compare(BASE, HEAD)
    assert (bare.verdict, reasons_to_fail(bare, ALL)) == ("regression", ("regression",))
    assert to_json(applied(bare, (), TODAY)) == to_json(bare)
    assert apply_settings(bare, None, TODAY) is bare
    assert to_json(compare(BASE, HEAD, settings=RepoSettings())) == to_json(bare)


def test_an_accepted_regression_is_shown_and_does_not_fail() -> None:
    entry = accept()
    comparison = found(entry)
    (change,) = comparison.accepted
    assert (change.identity, change.outcome, change.accepted) == (SLOW, "regression", entry)
    assert comparison.regressions == ()
    assert [c.identity for c in comparison.improvements] == [FAST]
    assert comparison.verdict == "accepted"
    assert reasons_to_fail(comparison, ALL) == ()


def test_an_acceptance_ends_after_its_last_day_and_above_its_bound() -> None:
    size = abs(compare(BASE, HEAD).regressions[0].ratio)
    late = "the acceptance expired on 2026-11-21"
    large = "the change is larger than the 10 % that was accepted"
    for entry, today, why in (
        (accept(), TODAY, ""),
        (accept(), TODAY - timedelta(days=400), ""),
        (accept(), TODAY + timedelta(days=1), late),
        (accept(expires=None), date.max, ""),
        (accept(bound=size), TODAY, ""),
        (accept(bound=None), TODAY, ""),
        (accept(bound=0.1), TODAY, large),
    ):
        comparison = found(entry, today=today)
        assert comparison.verdict == ("regression" if why else "accepted")
        assert reasons_to_fail(comparison, ALL) == (("regression",) if why else ())
        assert refused(comparison) == ((f"{why} (checks its input)",) if why else ())


def test_only_the_given_direction_is_accepted() -> None:
    both = (accept("*"), accept("*", direction="improvement", bound=0.5))
    assert [c.identity for c in found(accept("*")).improvements] == [FAST]
    better = found(accept("*", direction="improvement", bound=0.3))
    assert [c.identity for c in better.accepted] == [FAST]
    assert (better.verdict, better.improvements) == ("regression", ())
    assert [c.identity for c in found(*both).accepted] == [SLOW, FAST]
    # Accepted improvements alone are not reported.
    faster = compare(suite(fast=100.0), suite(fast=90.0))
    same = applied(faster, [accept("*", direction="improvement")], TODAY)
    assert (len(same.accepted), same.verdict) == (1, "unchanged")


def test_one_valid_entry_is_sufficient() -> None:
    expired = accept(expires=TODAY - timedelta(days=1))
    narrow, wide, wider = accept(bound=0.01), accept(bound=0.15), accept(bound=0.5)
    comparison = found(expired, narrow, wide, wider)
    assert comparison.accepted[0].accepted is wide
    assert refused(comparison) == ()
    assert len(refused(found(expired, narrow, narrow))) == 2


def test_acceptances_of_file_and_comments_are_combined() -> None:
    first = found(accept(bound=0.01))
    both = applied(first, [accept(expires=None, author="Bea")], TODAY)
    assert both.verdict == "accepted"
    assert refused(both) == refused(first)
    again = applied(both, [accept(author="Cyd")], TODAY)
    assert to_json(again) == to_json(both)


def test_missing_benchmarks_are_not_accepted() -> None:
    head = suite(Failure(SAME, "out of memory"), slow=112.0, fast=80.0)
    comparison = applied(compare(BASE, head), [accept("*")], TODAY)
    assert comparison.verdict == "incomplete"
    assert reasons_to_fail(comparison, ALL) == ("incomplete",)


def test_a_change_from_zero_exceeds_every_bound() -> None:
    base, head = (
        Suite(tuple(replace(b, unit="B/op") for b in suite(slow=count).benchmarks))
        for count in (0.0, 5.0)
    )
    bare = compare(base, head)
    assert bare.verdict == "regression"
    assert applied(bare, [accept(bound=1000.0)], TODAY).verdict == "regression"
    assert applied(bare, [accept(bound=None)], TODAY).verdict == "accepted"


def test_a_benchmarks_own_threshold_is_used() -> None:
    settings = RepoSettings(thresholds=(Threshold("*", 0.5), Threshold("Bench.fast", 0.1)))
    comparison = compare(BASE, HEAD, settings=settings)
    assert [c.outcome for c in comparison.changes] == ["unchanged", "improvement", "unchanged"]
    assert [c.min_change for c in comparison.changes] == [0.5, 0.1, 0.5]
    assert [c.smallest for c in comparison.changes] == [0.5, 0.1, 0.5]
    # A smaller threshold than the default reports more.
    finer = RepoSettings(thresholds=(Threshold("Bench.slow", 0.0),))
    tiny = suite(slow=102.0, fast=102.0, same=102.0)
    outcomes = [c.outcome for c in compare(BASE, tiny, settings=finer).changes]
    assert outcomes == ["regression", "unchanged", "unchanged"]


def test_ignored_benchmarks_are_listed_without_effect() -> None:
    settings = RepoSettings(ignore=(Ignore("Bench.s*", "disk"), Ignore("gone", "left")))
    head = suite(Failure(SAME, "out of memory"), slow=200.0, fast=100.0)
    comparison = compare(BASE, head, settings=settings)
    assert comparison.ledger.ignored == (Ignored(SLOW, "disk"), Ignored(SAME, "disk"))
    assert comparison.ledger.compared == (FAST,)
    assert comparison.ledger.failed == ()
    assert comparison.verdict == "unchanged"
    everything = compare(BASE, head, settings=RepoSettings(ignore=(Ignore("*", "all"),)))
    assert len(everything.ledger.ignored) == 3
    assert everything.verdict == "incomplete"


def test_entries_without_matches_are_reported() -> None:
    settings = RepoSettings(
        thresholds=(Threshold("Bench.*", 0.03, "s:3"), Threshold("Bench.slo", 0.1, "s:4")),
        ignore=(Ignore("org.Bench.same", "x", "s:6"), Ignore("Bench.fast", "x", "s:7")),
        accepted=(accept("bench.slow", source=""), accept("Bench.slow")),
    )
    bare = compare(BASE, HEAD, settings=settings)
    told = "no benchmark matches Bench.slo (s:4), org.Bench.same (s:6), bench.slow"
    assert apply_settings(bare, settings, TODAY).remarks == (*bare.remarks, told)
    many = RepoSettings(tuple(Threshold(f"x{i}", 0.1) for i in range(8)))
    *_, remark = apply_settings(bare, many, TODAY).remarks
    assert remark == "no benchmark matches x0, x1, x2, x3, x4 and 3 more"
    # A benchmark without a result still matches.
    missing = (Missing(Identity("x0"), "head", ""),)
    lost = replace(bare, ledger=replace(bare.ledger, missing=missing))
    assert "x0" not in apply_settings(lost, many, TODAY).remarks[0]


def test_the_settings_file_applies_all_entries() -> None:
    settings = RepoSettings(
        thresholds=(Threshold("Bench.fast", 0.5),),
        ignore=(Ignore("Bench.same", "disk"),),
        accepted=(accept(), accept("nowhere", bound=None, expires=None)),
    )
    comparison = apply_settings(compare(BASE, HEAD, settings=settings), settings, TODAY)
    again = msgspec.json.decode(to_json(comparison), type=ComparisonFile)
    accepted = [change.accepted for change in again.changes if change.accepted]
    assert accepted == [change.accepted for change in comparison.accepted]
    assert again.ledger.ignored == comparison.ledger.ignored
    assert again.remarks == comparison.remarks
