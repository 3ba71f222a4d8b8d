"""The output of ``steady changed``."""

import json

import pytest

from steady.harness.builds import Decision
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.decide import JmhBuilds
from steady.model import Identity
from steady.model.changed_method import ChangedMethod, ChangedMethods
from tests.cli.shell import Shell

COMMAND = "changed --base=base.jar --head=head.jar"


def decide(
    monkeypatch: pytest.MonkeyPatch, *decided: Decision, methods: ChangedMethods | None = None
) -> None:
    """Set the decisions about the benchmarks of two jars, and their changed methods."""
    monkeypatch.setattr("steady.cli.changed.harness_of", lambda *_: "jmh")
    monkeypatch.setattr(JmhRuns, "check", lambda *_: None)
    monkeypatch.setattr(JmhRuns, "benchmarks", lambda *_: tuple(d.identity for d in decided))
    monkeypatch.setattr(JmhBuilds, "decisions", lambda *_: decided)
    monkeypatch.setattr(JmhBuilds, "changed_methods", lambda *_: methods)


def test_benchmarks_that_may_differ_come_first(
    monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    why = "loads a.B, which changed"
    decide(
        monkeypatch,
        Decision(Identity("a.Bench.same")),
        Decision(Identity("a.Bench.other"), why),
    )
    ended = shell(COMMAND)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "may differ  a.Bench.other: loads a.B, which changed",
        "same        a.Bench.same",
        "1 of 2 benchmarks runs the same code",
    ]
    listed = json.loads(shell(f"{COMMAND} --json").out)
    assert listed["steady_changed"] == 1
    assert [entry.get("why") for entry in listed["benchmarks"]] == [None, why]
    assert "changed_methods" not in listed, "they are unknown"


def test_changed_methods_that_no_benchmark_reaches_are_listed(
    monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    methods = (
        ChangedMethod("a.Parser", "parse", reached=True),
        ChangedMethod("a.Parser", "skip", "int\n"),
        ChangedMethod("a.Parser$Sub", "<init>"),
    )
    decide(monkeypatch, Decision(Identity("a.Bench.same")), methods=methods)
    assert shell(COMMAND).out.splitlines()[-3:] == [
        "2 of 3 changed methods are reached by no benchmark:",
        r"  a.Parser.skip(int\n)",
        "  a.Parser$Sub.<init>()",
    ]
    listed = json.loads(shell(f"{COMMAND} --json").out)["changed_methods"]
    assert [one["reached"] for one in listed] == [True, False, False]
    assert listed[1] == {
        "holder": "a.Parser", "name": "skip", "parameters": "int\n", "reached": False
    }  # fmt: skip


def test_the_cases_of_a_method_share_a_line(monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    cases = [Identity("a.Bench.get", params=(("n", str(n)),)) for n in range(4)]
    whys = ["", "loads a.B", "loads a.B", ""]
    decide(monkeypatch, *(Decision(*pair) for pair in zip(cases, whys, strict=True)))
    assert shell(COMMAND).out.splitlines()[:2] == [
        "may differ  a.Bench.get (2 cases): loads a.B",
        "same        a.Bench.get (2 cases)",
    ]
