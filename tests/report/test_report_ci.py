"""JUnit XML and annotations, in the form that GitLab, Jenkins and GitHub's runner read."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from steady.compare.comparison import MetricComparison
from steady.judging import CONDITIONS
from steady.report.ci import SHOWN_PER_KIND
from steady.settings.repo_settings import Acceptance
from tests.report.from_comparison import junit, reasons_to_fail, workflow_commands
from tests.report.made import change, counted, eventful, hostile, of
from tests.report.situations import FOLDER

EVERYTHING = frozenset(CONDITIONS)
USUAL = frozenset({"regression", "incomplete", "not-comparable"})


def checked(text: str) -> ElementTree.Element:
    """Return a JUnit report, checked against the parsers of GitLab and Jenkins."""
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


def test_each_situation_gives_a_valid_junit_file() -> None:
    files = sorted(FOLDER.glob("*.xml"))
    assert len(files) > 3
    for file in files:
        checked(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("fail_on", [frozenset(), USUAL, EVERYTHING, {"unclear"}])
def test_junit_has_failures_exactly_if_the_job_fails(fail_on: frozenset[str]) -> None:
    [first] = counted(unchanged=1).changes
    metrics = [replace(first, outcome="regression", metric=name) for name in ("B/op", "B")]
    allocates = replace(of(first), metrics=MetricComparison(tuple(metrics)))
    several = (
        eventful(),
        replace(eventful(), comparable=False),
        *(counted(regressions=1, unclear=2), counted(unchanged=3), counted(unclear=1), counted()),
        allocates,
    )
    for comparison in several:
        suite = checked(junit(comparison, fail_on))
        failed = int(suite.attrib["failures"]) + int(suite.attrib["errors"])
        assert bool(failed) == bool(reasons_to_fail(comparison, frozenset(fail_on)))


def test_at_most_ten_annotations_of_a_kind_the_last_counts_the_rest() -> None:
    lines = workflow_commands(counted(25, 10, 3))
    errors = [line for line in lines if line.startswith("::error")]
    assert len(errors) == SHOWN_PER_KIND
    assert "method24 " in errors[0]
    assert errors[-1] == "::error title=Benchmarks::16 more of this kind in the report"
    assert sum(line.startswith("::notice") for line in lines) == 10


def test_severity_of_annotations() -> None:
    [line] = workflow_commands(counted(1), regressions="warning")
    assert line.startswith("::warning title=Benchmark regression::")
    assert workflow_commands(counted()) == [
        "::warning title=Benchmarks incomplete::Nothing was compared, so this is not a pass."
    ]
    assert workflow_commands(counted(unchanged=2)) == []
    accepted = replace(change("a", 0.1, "regression"), accepted=Acceptance("*", "a better hash"))
    lines = workflow_commands(replace(of(accepted), comparable=False))
    assert [line.split("::")[1] for line in lines] == ["warning title=Benchmarks not comparable"]


def test_hostile_text_is_escaped() -> None:
    text = junit(hostile(), EVERYTHING)
    checked(text)
    assert "<img" not in text
    assert "\u202e" not in text
    assert not any(line.startswith("::") for line in text.splitlines())
    lines = workflow_commands(hostile())
    assert len(lines) == 3
    for line in lines:
        assert line.isprintable()
        kind, _, rest = line.removeprefix("::").partition(" title=")
        assert kind in ("error", "warning")
        assert rest.partition("::")[0] in (
            "Benchmark regression",
            "Benchmarks in different environments",
            "Benchmark without result",
        )
        assert len(line) < 2000
