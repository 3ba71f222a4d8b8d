"""What GitLab and Jenkins read: as their own readers ask for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from steady.compare import Acceptance, Comparison, Ledger
from steady.compare.comparison import MetricComparison
from steady.judging import CONDITIONS, reasons_to_fail
from steady.model import Identity
from steady.report.junit import junit

MakeComparison = Callable[..., Comparison]
EVERYTHING = frozenset(CONDITIONS)
USUAL = frozenset({"regression", "incomplete", "not-comparable"})


def checked(text: str) -> ElementTree.Element:
    """Return a report that holds to what the readers of GitLab and Jenkins expect."""
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n')
    suite = ElementTree.fromstring(text.encode("utf-8"))
    assert suite.tag == "testsuite"
    cases = list(suite)
    assert int(suite.attrib["tests"]) == len(cases)
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.attrib[name]) == len(suite.findall(f"testcase/{tag}"))
    for case in cases:
        assert case.tag == "testcase"
        assert set(case.attrib) == {"classname", "name"}
        assert all(case.attrib.values())
        [outcome] = case
        assert outcome.tag in {"failure", "error", "skipped", "system-out"}
        assert set(outcome.attrib) <= {"message", "type"}
        assert outcome.text, "GitLab shows the text, and no attribute"
        if outcome.tag in {"failure", "error"}:
            assert outcome.attrib["message"]
            assert outcome.attrib["type"]
    return suite


def with_allocation(comparison: Comparison) -> Comparison:
    """Return the comparison in which the first benchmark allocates more, by two metrics."""
    [first, *_] = comparison.changes
    by = [replace(first, outcome="regression", metric=name, unit=name) for name in ("B/op", "B")]
    return replace(comparison, metrics=MetricComparison(tuple(by)))


def tags(suite: ElementTree.Element) -> dict[str, str]:
    return {case.attrib["name"]: next(iter(case)).tag for case in suite}


class TestJUnit:
    def test_each_benchmark_is_a_case(self, eventful: Comparison) -> None:
        suite = checked(junit(eventful, USUAL))
        assert tags(suite) == {
            "slow": "failure", "throughput": "failure", "fast": "system-out",
            "same": "system-out", "broken": "error", "lost": "error", "newName": "skipped",
            "oldName": "error", "unit": "error",
        }  # fmt: skip
        slow = suite.find("testcase[@name='slow']")
        assert slow is not None
        assert slow.attrib["classname"] == "org.example.A"
        [failure] = slow
        assert failure.attrib["type"] == "regression"
        assert failure.attrib["message"].replace("\u00a0", " ").startswith("+42.0 % (slower)")

    @pytest.mark.parametrize("fail_on", [frozenset(), USUAL, EVERYTHING, {"unclear"}])
    def test_it_fails_exactly_where_the_job_does(
        self, fail_on: frozenset[str], eventful: Comparison, make_comparison: MakeComparison
    ) -> None:
        several = (
            eventful,
            replace(eventful, comparable=False),
            make_comparison(regressions=1, unclear=2),
            make_comparison(unchanged=3),
            make_comparison(unclear=1),
            Comparison((), Ledger(())),
            with_allocation(make_comparison(unchanged=1)),
        )
        for comparison in several:
            suite = checked(junit(comparison, fail_on))
            failed = int(suite.attrib["failures"]) + int(suite.attrib["errors"])
            assert bool(failed) == bool(reasons_to_fail(comparison, frozenset(fail_on)))

    def test_an_accepted_regression_passes(self, make_comparison: MakeComparison) -> None:
        comparison = make_comparison(regressions=1)
        entry = Acceptance("*", "a better hash", bound=0.5)
        [change] = comparison.changes
        accepted = replace(comparison, changes=(replace(change, accepted=entry),))
        [case] = checked(junit(accepted, USUAL))
        assert case[0].tag == "system-out"
        assert "accepted: a better hash" in str(case[0].text)

    def test_what_was_left_out_is_skipped(self, make_comparison: MakeComparison) -> None:
        same = Identity("org.B.same")
        comparison = make_comparison(ledger=Ledger((), same_code=(same,)))
        assert tags(checked(junit(comparison, USUAL))) == {"same": "skipped"}

    def test_hostile_text_stays_text(self, hostile: Comparison) -> None:
        text = junit(hostile, EVERYTHING)
        checked(text)
        assert "<img" not in text
        assert "\u202e" not in text
        assert not any(line.startswith("::") for line in text.splitlines())
