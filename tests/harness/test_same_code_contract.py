"""What every harness keeps to that looks for the same code in two builds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from made_jars import a_class, record, write_jar
from scripted_harness import ScriptedHarness

from steady.harness import HARNESSES, RUNNABLE
from steady.harness.contract import Learned, SameCodeSearch
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.runs import HarnessSettings, Runs
from steady.harness.trial import Version
from steady.model import Identity
from steady.readers.beside_results import is_sidecar
from steady.readers.sources import open_document
from steady.registry import OnRequest
from steady.samecode.builds import builds_of, carry_on
from steady.samecode.choice import SameCodeChoice, keep_learned
from steady.samecode.decision import Audit

BOTH, GONE, NEW = (Identity(f"a.Benchmark{end}") for end in ("Both", "Gone", "New"))
HELD = {"base": (GONE, BOTH), "head": (NEW, BOTH)}


def _jar(folder: Path) -> Path:
    files: dict[str, bytes | str] = {
        "a/Bench.class": a_class("a/Bench"),
        "org/openjdk/jmh/Main.class": a_class("org/openjdk/jmh/Main"),
        "META-INF/BenchmarkList": record(BOTH.name) + "\n",
    }
    return write_jar(folder / "a.jar", files)


def _binary(folder: Path) -> Path:
    path = folder / "a.test"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


TARGETS: dict[str, Callable[[Path], Path]] = {"jmh": _jar, "go": _binary}
"""What each harness may be asked to run."""


@pytest.fixture(autouse=True)
def _no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what logs classes, nothing can be known of a jar."""
    monkeypatch.setattr(JmhRuns, "logs_classes", False)
    monkeypatch.setattr(JmhRuns, "jvm", "17")


def _searches() -> Iterator[tuple[str, SameCodeSearch]]:
    for name, entry in HARNESSES.items():
        if entry.value.same_code is not None:
            yield name, entry.value.same_code


SEARCHES = dict(_searches())
LEARNED = {name: one.learned for name, one in SEARCHES.items() if one.learned is not None}


@pytest.fixture(params=SEARCHES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=LEARNED)
def learned(request: pytest.FixtureRequest) -> Learned:
    return LEARNED[str(request.param)]


@pytest.fixture
def versions(name: str, tmp_path: Path) -> list[Version]:
    target = TARGETS[name](tmp_path)
    return [Version("base", target), Version("head", target)]


@pytest.fixture
def runs(name: str) -> Runs:
    return RUNNABLE[name].value.make(HarnessSettings())


def test_every_part_is_where_the_harness_says(name: str) -> None:
    search = SEARCHES[name]
    parts = search.builds, search.learned and search.learned.joined
    for part in filter(None, parts):
        assert isinstance(part, OnRequest)
        assert callable(part.load())


def test_there_is_a_decision_for_each_benchmark(
    runs: Runs, versions: list[Version], tmp_path: Path
) -> None:
    said: list[str] = []
    builds = builds_of(runs, versions, tmp_path, said.append)
    assert builds is not None
    decisions = builds.decisions(HELD)
    assert [one.identity for one in decisions] == [GONE, BOTH, NEW]
    assert (decisions[0].why, decisions[2].why) == ("only in base", "only in head")


def test_what_is_not_known_counts_as_a_difference(runs: Runs, versions: list[Version]) -> None:
    builds = builds_of(runs, versions, None, lambda _: None)
    assert builds is not None
    assert [one.same for one in builds.decisions(HELD)] == [False] * 3


def test_a_run_that_showed_nothing_leaves_nothing_and_passes_an_audit(
    runs: Runs, versions: list[Version], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    builds = builds_of(runs, versions, None, lambda _: None)
    assert builds is not None
    decisions = builds.decisions(HELD)
    builds.record(out)
    keep_learned(SameCodeChoice(), runs, versions[:1], out, lambda _: None)
    assert list(out.iterdir()) == []
    assert builds.audited(decisions, out, HELD) == Audit()


def test_the_file_of_what_was_learned_is_no_file_of_results(
    learned: Learned, tmp_path: Path
) -> None:
    path = tmp_path / learned.file
    path.write_text(json.dumps({learned.mark: 1}))
    assert is_sidecar(open_document(path))
    path.write_text(json.dumps([{"benchmark": "a.BenchmarkBoth"}]))
    assert not is_sidecar(open_document(path))


def test_what_nobody_learned_is_not_carried_on(learned: Learned, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / learned.file).write_text('["of somebody else"]')
    assert learned.joined([tmp_path / "one" / learned.file, tmp_path / learned.file]) == ""
    assert carry_on([tmp_path / "one", tmp_path], tmp_path / "out") == []


def test_a_harness_without_this_part_leaves_nothing_out(tmp_path: Path) -> None:
    runs = ScriptedHarness()
    versions = [Version("base", tmp_path), Version("head", tmp_path)]
    assert builds_of(runs, versions, tmp_path, lambda _: None) is None
    for number in (1, 2):
        keep_learned(SameCodeChoice(), runs, versions[:number], tmp_path, lambda _: None)
    assert list(tmp_path.iterdir()) == []
    assert SameCodeChoice().measured({"base": [BOTH]}) == {"base": {BOTH: None}}
