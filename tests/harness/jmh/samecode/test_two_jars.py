"""Deciding about JMH's benchmarks where something keeps the short forks from running."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_jars import a_class, record, write_jar
from steady.harness.jmh.samecode.class_log import Loaded

from steady.engine import Version
from steady.errors import InputError
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.two_jars import JmhBuilds
from steady.harness.trial import BusyError
from steady.model import Identity

ONE = Identity("a.Bench.one")
HELD = {"base": [ONE], "head": [ONE]}


class Waiting:
    """A harness whose forks can only run after some attempts."""

    def __init__(self, busy: int) -> None:
        self.busy = busy

    def probe(self, *_: object) -> dict[Identity, Loaded]:
        self.busy -= 1
        if self.busy >= 0:
            raise BusyError("another JMH is running")
        return {ONE: Loaded(frozenset({"a/Bench"}))}


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    files: dict[str, bytes | str] = {
        "a/Bench.class": a_class("a/Bench"),
        "org/openjdk/jmh/Main.class": a_class("org/openjdk/jmh/Main"),
        "META-INF/BenchmarkList": record(ONE.name) + "\n",
    }
    return write_jar(tmp_path / "a.jar", files)


def builds(
    jar: Path, monkeypatch: pytest.MonkeyPatch, busy: int, *, logs: bool = True
) -> tuple[JmhBuilds, list[str], list[float]]:
    waiting = Waiting(busy)
    monkeypatch.setattr(JmhRuns, "logs_classes", logs)
    monkeypatch.setattr(JmhRuns, "jvm", "17")
    monkeypatch.setattr(JmhRuns, "probe", lambda _, *arguments: waiting.probe(*arguments))
    said: list[str] = []
    naps: list[float] = []
    versions = Version("base", jar), Version("head", jar)
    made = JmhBuilds(JmhRuns(), versions, (), said.append, sleep=naps.append)
    return made, said, naps


def test_another_jmh_is_waited_for(jar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, said, naps = builds(jar, monkeypatch, 3)
    (decision,) = made.decisions(HELD)
    assert decision.same
    assert said == [
        "one short fork of 1 benchmark shows what each loads",
        "another JMH is running; waiting for its end, 30 min at most",
    ]
    assert naps == [5.0] * 3


def test_it_is_not_waited_for_without_end(jar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, _, naps = builds(jar, monkeypatch, 10**9)
    with pytest.raises(InputError, match="another JMH is running, still after 30 min; end it"):
        made.decisions(HELD)
    assert sum(naps) == 1800


def test_a_java_that_says_nothing_leaves_everything_to_be_measured(
    jar: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, said, _ = builds(jar, monkeypatch, 0, logs=False)
    (decision,) = made.decisions(HELD)
    assert decision.why.startswith("this Java does not say which classes it loads")
    assert said == []


def test_what_is_known_is_kept_for_both_builds(
    jar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _, _ = builds(jar, monkeypatch, 0)
    made.decisions(HELD)
    made.record(tmp_path, [ONE])
    text = (tmp_path / "classes.json").read_text(encoding="utf-8")
    assert text.count('"a.Bench.one"') == 2
