"""A process that head starts writes into base's files while the run measures."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from scripted_harness import NAMES, ScriptedHarness, run, workloads

from steady.engine import Trial, Version, schedule
from steady.engine.journal import Journal
from steady.engine.processes import unreadable

TRIALS = schedule(workloads(), seed=1)
LAST = max(trial.number for trial in TRIALS if trial.version == "head")


class Hostile(ScriptedHarness):
    """Does something in the last fork of head."""

    def __init__(self, deed: Callable[[], object]) -> None:
        super().__init__()
        self.deed = deed

    def measure(self, trial: Trial, result: Path) -> None:
        super().measure(trial, result)
        if trial.number == LAST:
            self.deed()


def reasons(folder: Path) -> dict[tuple[str, str], str]:
    """Return what the file beside the results says of benchmarks without any."""
    path = folder / "not-run.json"
    rows = json.loads(path.read_text())["benchmarks"] if path.exists() else []
    return {(row["name"], row["version"]): row["reason"] for row in rows}


def test_a_jar_that_changed_gives_no_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("base.jar", "head.jar"):
        Path(name).write_text("code")
    out = tmp_path / "out"
    state = run(out, Hostile(lambda: Path("base.jar").write_text("other code")))
    assert not state.complete
    assert not (out / "base.json").exists()
    assert len(json.loads((out / "head.json").read_text())["forks"]) == 11
    told = reasons(out)
    assert set(told) == {(name, "base") for name in NAMES}
    assert set(told.values()) == {
        "tampering: what base was run from is not what it was when the run began"
    }


@pytest.mark.parametrize("turns", ["forks", "iterations"])
def test_a_result_that_changed_does_not_count(tmp_path: Path, turns: str) -> None:
    (only,) = (t for t in TRIALS if t.identity.name == NAMES[3] and t.version == "base")
    path = tmp_path / "forks" / f"{only.number}.json"

    def falsify() -> None:
        text = path.read_text()
        assert "alpha" not in text
        path.write_text(text.replace("delta", "alpha"))

    state = run(tmp_path, Hostile(falsify), turns=turns)  # type: ignore[arg-type]
    assert state.merged.keys() == {"base", "head"}
    assert reasons(tmp_path) == {
        (NAMES[3], "base"): "tampering: its result is not what it was when it had been measured"
    }
    merged = [json.loads((tmp_path / f"{side}.json").read_text()) for side in ("base", "head")]
    assert [len(one["forks"]) for one in merged] == [10, 11]
    assert [len(one["in_turn"]) for one in merged] == ([0, 0] if turns == "forks" else [10, 10])
    again = Journal.open(tmp_path / "journal.jsonl")
    assert again.records[only.number].status == "failed"


@pytest.mark.parametrize("line", ["", "no line of a journal\n"])
def test_a_journal_that_changed_makes_all_fail(tmp_path: Path, line: str) -> None:
    journal = tmp_path / "journal.jsonl"

    def falsify() -> None:
        journal.write_text(line + "".join(journal.read_text().splitlines(keepends=True)[1:]))

    state = run(tmp_path, Hostile(falsify))
    assert state.merged == {}
    assert set(reasons(tmp_path).values()) == {
        "tampering: something else than steady wrote into the run's journal"
    }
    assert len(Journal.open(journal).records) == len(TRIALS)


class HostileAtTheEnd(Hostile):
    """Does something when all forks have ended."""

    def measure(self, trial: Trial, result: Path) -> None:
        ScriptedHarness.measure(self, trial, result)

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[ScriptedHarness]:
        with super().open(versions, scratch) as opened:
            yield opened
        self.deed()


class WaitedError(BaseException):
    """Nobody takes it for a file that cannot be read."""


@pytest.fixture
def impatient() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise WaitedError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("when", [Hostile, HostileAtTheEnd])
@pytest.mark.parametrize("name", ["journal.jsonl", ".run.json.new", "forks/1.json", "base.jar"])
def test_no_pipe_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: type[Hostile], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for jar in ("base.jar", "head.jar"):
        Path(jar).write_text("code")

    def exchange() -> None:
        Path(name).unlink(missing_ok=True)
        os.mkfifo(name)

    assert run(tmp_path, when(exchange)).complete == (name == ".run.json.new")
    assert len(Journal.open(tmp_path / "journal.jsonl").records) == len(TRIALS)
    if name != ".run.json.new":
        assert all(reason.startswith("tampering: ") for reason in reasons(tmp_path).values())


def test_what_nobody_touched_counts(tmp_path: Path) -> None:
    assert run(tmp_path, Hostile(lambda: None)).complete
    assert reasons(tmp_path) == {}


@pytest.mark.skipif(sys.platform != "linux", reason="PR_GET_DUMPABLE")
def test_the_memory_of_steady_is_its_own_while_it_runs() -> None:
    control = ctypes.CDLL(None).prctl
    before = control(3, 0, 0, 0, 0)
    with unreadable():
        assert control(3, 0, 0, 0, 0) == 0
    assert control(3, 0, 0, 0, 0) == before
