"""What GitLab, Jenkins and spreadsheets read: as their own readers ask for it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from steady.compare import Acknowledgement, Comparison, Ledger
from steady.compare.records import COLUMNS
from steady.gate import CONDITIONS, reasons_to_fail
from steady.model import Identity
from steady.report.code_quality import code_quality
from steady.report.csv_table import csv_table
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
        )
        for comparison in several:
            suite = checked(junit(comparison, fail_on))
            failed = int(suite.attrib["failures"]) + int(suite.attrib["errors"])
            assert bool(failed) == bool(reasons_to_fail(comparison, frozenset(fail_on)))

    def test_an_accepted_regression_passes(self, make_comparison: MakeComparison) -> None:
        comparison = make_comparison(regressions=1)
        entry = Acknowledgement("*", "a better hash", bound=0.5)
        [change] = comparison.changes
        accepted = replace(comparison, changes=(replace(change, acknowledged=entry),))
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


class TestCodeQuality:
    def entries(self, comparison: Comparison, folder: Path) -> list[dict[str, object]]:
        """Return a report's entries, held to what GitLab's documentation asks for."""
        entries: list[dict[str, object]] = json.loads(code_quality(comparison, folder))
        for entry in entries:
            assert set(entry) == {
                "description", "check_name", "fingerprint", "severity", "location"
            }  # fmt: skip
            assert entry["severity"] in {"info", "minor", "major", "critical", "blocker"}
            assert re.fullmatch("[0-9a-f]{64}", str(entry["fingerprint"]))
            location = entry["location"]
            assert isinstance(location, dict)
            assert not location["path"].startswith(("/", "./"))
            assert location["lines"]["begin"] >= 1
        fingerprints = [entry["fingerprint"] for entry in entries]
        assert len(set(fingerprints)) == len(fingerprints)
        return entries

    def test_what_is_wrong_is_listed(self, eventful: Comparison, tmp_path: Path) -> None:
        entries = self.entries(eventful, tmp_path)
        checks = [str(entry["check_name"]) for entry in entries]
        assert checks.count("steady: Benchmark regression") == 2
        assert checks.count("steady: Benchmark without result") == 4
        assert not any("improvement" in check for check in checks)
        assert entries[0]["severity"] == "major"

    def test_lines_are_those_of_the_sources(
        self, make_comparison: MakeComparison, tmp_path: Path
    ) -> None:
        comparison = make_comparison(regressions=1, name="example.com/p.BenchmarkGet")
        (tmp_path / "go.mod").write_text("module example.com/p\n")
        (tmp_path / "get_test.go").write_text("package p\n\nfunc BenchmarkGet(b *testing.B) {}\n")
        [entry] = self.entries(comparison, tmp_path)
        assert entry["location"] == {"path": "get_test.go", "lines": {"begin": 3}}

    def test_a_fingerprint_does_not_depend_on_figures(
        self, make_comparison: MakeComparison, tmp_path: Path
    ) -> None:
        before = make_comparison(regressions=1)
        [change] = before.changes
        head = replace(change.head, center=150.0)
        after = replace(before, changes=(replace(change, head=head),))
        one, other = (self.entries(c, tmp_path)[0] for c in (before, after))
        assert one["fingerprint"] == other["fingerprint"]
        assert one["description"] != other["description"]

    def test_hostile_text_stays_text(self, hostile: Comparison, tmp_path: Path) -> None:
        for entry in self.entries(hostile, tmp_path):
            assert str(entry["description"]).isprintable()


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
