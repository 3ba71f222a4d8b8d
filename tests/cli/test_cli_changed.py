"""``steady changed``: what it prints."""

from __future__ import annotations

import json

import pytest

from steady.cli.main import main
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.decide import JmhBuilds
from steady.model import Identity
from steady.samecode.decision import Decision

SAME, OTHER = Identity("a.Bench.same"), Identity("a.Bench.other")


@pytest.fixture(autouse=True)
def _decided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two benchmarks, of which one runs the same code."""
    decided = (Decision(SAME), Decision(OTHER, "loads a.B, which changed"))
    monkeypatch.setattr("steady.cli.changed.harness_of", lambda *_: "jmh")
    monkeypatch.setattr(JmhRuns, "check", lambda *_: None)
    monkeypatch.setattr(JmhRuns, "benchmarks", lambda *_: (SAME, OTHER))
    monkeypatch.setattr(JmhBuilds, "decisions", lambda *_: decided)


COMMAND = ["changed", "--base=base.jar", "--head=head.jar"]


def test_the_list_begins_with_what_may_differ(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(COMMAND) == 0
    assert capsys.readouterr().out.splitlines() == [
        "may differ  a.Bench.other: loads a.B, which changed",
        "same        a.Bench.same",
        "1 of 2 benchmarks runs the same code",
    ]


def test_the_cases_of_a_method_share_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [Identity("a.Bench.get", params=(("n", str(n)),)) for n in range(4)]
    whys = ["", "loads a.B", "loads a.B", ""]
    decided = tuple(Decision(*pair) for pair in zip(cases, whys, strict=True))
    monkeypatch.setattr(JmhBuilds, "decisions", lambda *_: decided)
    assert main(COMMAND) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "may differ  a.Bench.get (2 cases): loads a.B",
        "same        a.Bench.get (2 cases)",
    ]


def test_the_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["steady_changed"] == 1
    assert [entry.get("why") for entry in listed["benchmarks"]] == [
        None,
        "loads a.B, which changed",
    ]
