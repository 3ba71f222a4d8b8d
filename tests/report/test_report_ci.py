"""What GitLab, Jenkins and spreadsheets read: as their own readers ask for it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from steady.compare import Acceptance, Comparison, Ledger
from steady.compare.benchmark_change import COLUMNS
from steady.compare.comparison import MetricComparison
from steady.compare.comparison_files import csv_table
from steady.judging import CONDITIONS, reasons_to_fail
from steady.model import Identity
from steady.report.findings import Title, findings, lines_of_findings
from steady.report.findings_files import junit, sarif

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


def checked_sarif(text: str) -> dict[str, Any]:
    """Return the run of a log that holds to the schema of SARIF 2.1.0, as far as it is used."""
    log = json.loads(text)
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("/sarif-schema-2.1.0.json")
    [run] = log["runs"]
    assert set(run) == {"tool", "columnKind", "results"}
    driver = run["tool"]["driver"]
    assert driver["name"] == "steady"
    names = [rule["id"] for rule in driver["rules"]]
    assert len(set(names)) == len(names)
    for rule in driver["rules"]:
        assert re.fullmatch(r"[A-Z][^.]+\.", rule["shortDescription"]["text"])
        assert rule["defaultConfiguration"]["level"] in {"error", "warning", "note", "none"}
    for result in run["results"]:
        assert names[result["ruleIndex"]] == result["ruleId"]
        assert (result["kind"] == "fail") == (result["level"] != "none")
        assert result["level"] in {"error", "warning", "note", "none"}
        assert result["message"]["text"].endswith(".")
        [location] = result["locations"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"(?:[\w.~/-]|%[0-9A-F]{2})+", uri, re.ASCII)
        assert not uri.startswith("/")
    marks = [tuple(result["partialFingerprints"].values()) for result in run["results"]]
    assert len(set(marks)) == len(marks)
    return dict(run)


class TestSarif:
    def results(self, comparison: Comparison, folder: Path) -> list[dict[str, Any]]:
        return list(
            checked_sarif(sarif(comparison, lines_of_findings(comparison, folder)))["results"]
        )

    def test_every_kind_of_finding_is_a_rule(self, eventful: Comparison, tmp_path: Path) -> None:
        run = checked_sarif(sarif(eventful, lines_of_findings(eventful, tmp_path)))
        known = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        assert known == [title.lower().replace(" ", "-") for title in get_args(Title)]
        assert len(run["results"]) == len(findings(eventful))

    def test_the_level_is_that_of_the_verdict(self, eventful: Comparison, tmp_path: Path) -> None:
        results = self.results(eventful, tmp_path)
        levels = {result["ruleId"]: result["level"] for result in results}
        assert levels == {
            "benchmark-regression": "error", "benchmark-without-result": "warning",
            "benchmarks-in-different-surroundings": "warning", "benchmark-improvement": "none",
        }  # fmt: skip
        first = results[0]["message"]["text"].replace("\u00a0", " ")
        assert first == "A.slow is slower: +42.0 % (+40.0 % to +44.0 %)."

    def test_nothing_that_needs_no_look_is_listed(
        self, make_comparison: MakeComparison, tmp_path: Path
    ) -> None:
        assert self.results(make_comparison(unchanged=3, unclear=2), tmp_path) == []

    def test_an_accepted_change_is_suppressed(
        self, make_comparison: MakeComparison, tmp_path: Path
    ) -> None:
        comparison = make_comparison(regressions=1)
        entry = Acceptance("*", "a better hash", bound=0.5)
        [change] = comparison.changes
        accepted = replace(comparison, changes=(replace(change, accepted=entry),))
        [result] = self.results(accepted, tmp_path)
        assert (result["level"], len(result["suppressions"])) == ("note", 1)
        assert "a better hash" in result["message"]["text"]

    def test_places_are_those_of_the_sources(
        self, make_comparison: MakeComparison, tmp_path: Path
    ) -> None:
        comparison = make_comparison(regressions=1, name="example.com/p.BenchmarkGet")
        [unknown] = self.results(comparison, tmp_path)
        [location] = unknown["locations"]
        assert "region" not in location["physicalLocation"]
        (tmp_path / "go.mod").write_text("module example.com/p\n")
        (tmp_path / "a b_test.go").write_text("package p\n\nfunc BenchmarkGet(b *testing.B) {}\n")
        [known] = self.results(comparison, tmp_path)
        assert known["partialFingerprints"] == unknown["partialFingerprints"]
        [location] = known["locations"]
        assert location["physicalLocation"] == {
            "artifactLocation": {"uri": "a%20b_test.go"}, "region": {"startLine": 3},
        }  # fmt: skip
        [logical] = location["logicalLocations"]
        assert logical["fullyQualifiedName"] == "example.com/p.BenchmarkGet"

    def test_a_fingerprint_does_not_depend_on_figures(
        self, make_comparison: MakeComparison, tmp_path: Path
    ) -> None:
        before = make_comparison(regressions=1)
        [change] = before.changes
        after = replace(before, changes=(replace(change, head=replace(change.head, center=150.0)),))
        [one], [other] = (self.results(c, tmp_path) for c in (before, after))
        assert one["partialFingerprints"] == other["partialFingerprints"]
        assert one["message"] != other["message"]

    def test_each_finding_is_listed_once(
        self, make_comparison: MakeComparison, tmp_path: Path
    ) -> None:
        comparison = with_allocation(make_comparison(unchanged=1))
        assert len(self.results(comparison, tmp_path)) == 2
        first, *_ = comparison.metrics.changes
        twice = replace(comparison, metrics=MetricComparison((first, first)))
        assert len(self.results(twice, tmp_path)) == 1

    def test_hostile_text_stays_text(
        self, hostile: Comparison, make_comparison: MakeComparison, tmp_path: Path
    ) -> None:
        for result in self.results(hostile, tmp_path):
            assert result["message"]["text"].replace("\u2060", "").isprintable()
        [result] = self.results(
            make_comparison(regressions=1, name="a.[b](https://example.com){{0}}\ud800"), tmp_path
        )
        text = result["message"]["text"]
        assert "](" not in text
        assert "{{0}}" in text
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert "{0}" in unquote(uri)


class TestCsv:
    def test_every_result_is_a_row(self, eventful: Comparison) -> None:
        rows = list(csv.DictReader(io.StringIO(csv_table(eventful))))
        assert [tuple(row) for row in rows] == [COLUMNS] * 4
        assert rows[0]["benchmark"] == "org.example.A.slow"
        assert rows[0]["outcome"] == "regression"
        assert float(rows[0]["change"]) == pytest.approx(0.42)
        assert (rows[0]["base"], rows[0]["head_forks"]) == ("100.0", "3")

    def test_no_cell_is_a_formula(self, make_comparison: MakeComparison) -> None:
        for start in "=+-@":
            table = csv_table(make_comparison(unchanged=1, name=f"{start}cmd|' /C calc'!A0"))
            assert table.splitlines()[1].startswith(f"'{start}cmd")

    def test_hostile_text_stays_in_its_cell(self, hostile: Comparison) -> None:
        table = csv_table(hostile)
        assert [len(row) for row in csv.reader(io.StringIO(table))] == [len(COLUMNS)] * 2
        assert "\u202e" not in table
