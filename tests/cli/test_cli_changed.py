"""``steady changed``: what it prints, and how it holds the list against results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steady.cli.main import main
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.two_jars import JmhBuilds
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


def write_results(folder: Path, head: float) -> Path:
    """Write results of the benchmark with the same code; base takes 100 ns."""
    for side, level in (("base", 100.0), ("head", head)):
        rows = [
            [level * (1 + 0.001 * ((3 * i + 5 * fork + len(side)) % 7)) for i in range(10)]
            for fork in range(5)
        ]
        record = {
            "benchmark": SAME.name,
            "mode": "avgt",
            "threads": 1,
            "primaryMetric": {"scoreUnit": "ns/op", "rawData": rows},
        }
        (folder / f"{side}.json").write_text(json.dumps([record]), encoding="utf-8")
    return folder


COMMAND = ["changed", "--base=base.jar", "--head=head.jar"]


def test_the_list_begins_with_what_may_differ(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(COMMAND) == 0
    assert capsys.readouterr().out.splitlines() == [
        "may differ  a.Bench.other: loads a.B, which changed",
        "same        a.Bench.same",
        "1 of 2 benchmarks runs the same compiled code",
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


@pytest.mark.parametrize(
    ("head", "code", "outcome"), [(100.05, 0, "1 unchanged"), (150.0, 1, "1 regression")]
)
def test_an_audit_says_what_was_measured_of_what_is_the_same(
    head: float, code: int, outcome: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_results(tmp_path, head)
    assert main([*COMMAND, f"--audit={folder}"]) == code
    out = capsys.readouterr().out
    assert f"audit: 1 benchmark with the same code: {outcome}" in out
    assert ("a.Bench.same: regression" in out) == bool(code)


def test_an_audit_is_not_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND, "--json", f"--audit={tmp_path}"]) == 2
    assert "leave out --json, or --audit" in capsys.readouterr().err


def test_an_audit_needs_results_of_what_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_results(tmp_path, 100.0)
    for side in ("base", "head"):
        path = folder / f"{side}.json"
        path.write_text(path.read_text().replace("Bench.same", "Bench.else"))
    assert main([*COMMAND, f"--audit={folder}"]) == 2
    assert "measure them with `steady run --same-code run`" in capsys.readouterr().err
