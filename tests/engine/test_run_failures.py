"""Failed forks, results changed by other processes, and busy machines."""

import ctypes
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from scripted_commands import stand_in_folder_of_jars
from scripted_harness import NAMES, TRIALS, ScriptedHarness, journal_of, merged, numbers_of, run

from steady.engine import Trial, Turns, Version
from steady.engine.journal import Journal
from steady.engine.run_folder import RunFolder, locked
from steady.errors import InputError
from steady.execution.fork_log import LIMIT, MOST_LOGS, excerpt, excerpt_of
from steady.execution.processes import unreadable
from tests.looped import looped


def test_the_third_equal_failure_ends_the_forks_of_a_benchmark(tmp_path: Path) -> None:
    log: list[str] = []
    harness = ScriptedHarness(dict.fromkeys(numbers_of(NAMES[0], "base"), "crash"))
    state = run(tmp_path, harness, log=log)
    third = numbers_of(NAMES[0], "base")[2]
    left = {n for side in ("base", "head") for n in numbers_of(NAMES[0], side) if n > third}
    assert left
    assert set(state.given_up) == left
    assert not left & set(harness.ran)
    assert not state.complete
    assert [(t.version, t.identity.name) for t, _ in state.without_result] == [("base", NAMES[0])]
    said = f"{NAMES[0]}: {len(left)} remaining forks skipped: it failed 3 times for the same "
    assert log.count(f"{said}reason in base") == 1
    # What ran in head is a whole result of its own.
    head = merged(tmp_path)
    assert head["planned"].get(NAMES[0], 0) == sum(fork[2] == NAMES[0] for fork in head["forks"])
    # That is not taken back by a resumed run.
    again = ScriptedHarness()
    assert run(tmp_path, again, resume=True).given_up == state.given_up
    assert again.ran == []


def test_different_reasons_do_not_end_a_benchmark(tmp_path: Path) -> None:
    harness = ScriptedHarness(dict.fromkeys(numbers_of(NAMES[0], "base"), "odd"))
    assert run(tmp_path, harness).given_up == {}
    assert len(harness.ran) == len(TRIALS)


class TestLogs:
    def test_the_output_of_a_failed_fork_is_kept(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness({4: "crash", 5: "vanish"}))
        assert [path.name for path in (tmp_path / "logs").iterdir()] == ["4.log"]
        assert (tmp_path / "logs" / "4.log").read_bytes() == b"what it said"

    def test_long_logs_are_cut_in_the_middle_and_their_number_is_limited(
        self, tmp_path: Path
    ) -> None:
        text = b"first" + b"x" * (3 * LIMIT) + b"last"
        (tmp_path / "log").write_bytes(text)
        cut = excerpt(text)
        assert len(cut) < LIMIT + 100
        assert cut.startswith(b"first")
        assert cut.endswith(b"last")
        assert b"[... %d bytes are left out here ...]" % (len(text) - LIMIT) in cut
        assert excerpt_of(tmp_path / "log") == cut
        assert excerpt_of(tmp_path / "none") == b""
        folder = RunFolder(tmp_path, ".json")
        for number in range(MOST_LOGS + 5):
            folder.keep_log(number, b"said")
        assert len(list((tmp_path / "logs").iterdir())) == MOST_LOGS


def test_an_altered_result_is_measured_again(tmp_path: Path) -> None:
    number = numbers_of(NAMES[2], "base")[0]
    path, log = tmp_path / "forks" / f"{number}.json", list[str]()
    run(tmp_path, ScriptedHarness())
    whole, planned = path.read_text(), merged(tmp_path, "base")["planned"]
    for spoilt in ("", whole.replace("base", "case"), None):
        path.unlink() if spoilt is None else path.write_text(spoilt)
        log.clear()
        again = ScriptedHarness()
        assert run(tmp_path, again, resume=True, log=log).complete
        assert again.ran == [number]
        assert log[0] == (
            f"the result of trial {number} does not match the journal; it is run again"
        )
        assert merged(tmp_path, "base")["planned"] == planned
        assert path.read_text() == whole


@looped(("turns", "seconds"), [("forks", 1.0), ("iterations", 0.5)])
def test_waiting_for_a_busy_machine_is_limited(
    turns: Turns, seconds: float, tmp_path: Path
) -> None:
    harness, log, naps = ScriptedHarness({3: "busy"}), list[str](), list[float]()
    folder, harness.patience = tmp_path / turns, 10_000
    with pytest.raises(InputError, match=r"after waiting 30 min; stop it, or wait .* --resume"):
        run(folder, harness, turns=turns)
    harness.patience = 4
    assert run(folder, harness, resume=True, turns=turns, log=log, naps=naps).complete
    assert naps == [5.0] * 4
    assert log.count("another JMH is running; waiting at most 30 min") == 1
    # Waiting is not measuring.
    assert {entry["seconds"] for entry in journal_of(folder)} == {seconds}


class TestTheLock:
    def test_two_runs_do_not_write_into_one_folder(self, tmp_path: Path) -> None:
        with (
            locked(tmp_path / "out" / ".lock"),
            pytest.raises(InputError, match="another `steady run` is writing into this folder"),
        ):
            run(tmp_path / "out", ScriptedHarness(), resume=True)
        assert run(tmp_path / "out", ScriptedHarness(), resume=True).complete
        assert not (tmp_path / "out" / ".lock").exists()

    def test_the_lock_of_a_dead_owner_is_released(self, tmp_path: Path) -> None:
        hold = (
            "import sys, time; from pathlib import Path\n"
            "from steady.engine.run_folder import locked\n"
            "with locked(Path(sys.argv[1])): print('held', flush=True); time.sleep(1000)"
        )
        lock = tmp_path / ".lock"
        command = [sys.executable, "-c", hold, str(lock)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "held\n"
            with pytest.raises(InputError), locked(lock):
                pass
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
        assert lock.exists()
        with locked(lock):
            pass


LAST = max(trial.number for trial in TRIALS if trial.version == "head")


class Hostile(ScriptedHarness):
    """Interferes in the last fork of head, or after all forks have ended."""

    def __init__(self, deed: Callable[[], object], *, at_the_end: bool = False) -> None:
        super().__init__()
        self.deed = deed
        self.at_the_end = at_the_end

    def measure(self, trial: Trial, result: Path) -> None:
        super().measure(trial, result)
        if trial.number == LAST and not self.at_the_end:
            self.deed()

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[ScriptedHarness]:
        with super().open(versions, scratch) as opened:
            yield opened
        if self.at_the_end:
            self.deed()


def reasons(folder: Path) -> dict[tuple[str, str], str]:
    """Return the reasons for missing results from the file beside the results."""
    path = folder / "not-run.json"
    rows = json.loads(path.read_text())["benchmarks"] if path.exists() else []
    return {(row["name"], row["version"]): row["reason"] for row in rows}


def test_a_failed_fork_has_a_reason(tmp_path: Path) -> None:
    run(tmp_path, ScriptedHarness({numbers_of(NAMES[0], "head")[1]: "crash"}))
    assert reasons(tmp_path) == {(NAMES[0], "head"): "its JVM ended with code 134"}


def test_a_jar_that_changed_gives_no_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in_folder_of_jars(monkeypatch, tmp_path)
    out = tmp_path / "out"
    state = run(out, Hostile(lambda: Path("base.jar").write_text("other code")))
    assert not state.complete
    assert not (out / "base.json").exists()
    assert len(merged(out)["forks"]) == 11
    told = reasons(out)
    assert set(told) == {(name, "base") for name in NAMES}
    assert set(told.values()) == {"tampering: the files of base changed during the run"}


@pytest.mark.parametrize("turns", ["forks", "iterations"])
def test_a_result_that_changed_does_not_count(tmp_path: Path, turns: str) -> None:
    (only,) = numbers_of(NAMES[3], "base")
    path = tmp_path / "forks" / f"{only}.json"

    def falsify() -> None:
        text = path.read_text()
        assert "alpha" not in text
        path.write_text(text.replace("delta", "alpha"))

    state = run(tmp_path, Hostile(falsify), turns=turns)  # type: ignore[arg-type]
    assert state.merged.keys() == {"base", "head"}
    assert reasons(tmp_path) == {
        (NAMES[3], "base"): "tampering: its result was changed after the measurement"
    }
    sides = [merged(tmp_path, side) for side in ("base", "head")]
    assert [len(one["forks"]) for one in sides] == [10, 11]
    assert [len(one["in_turn"]) for one in sides] == ([0, 0] if turns == "forks" else [10, 10])
    again = Journal.open(tmp_path / "journal.jsonl")
    assert again.records[only].status == "failed"


@pytest.mark.parametrize("line", ["", "no line of a journal\n"])
def test_a_journal_that_changed_makes_all_fail(tmp_path: Path, line: str) -> None:
    journal = tmp_path / "journal.jsonl"

    def falsify() -> None:
        journal.write_text(line + "".join(journal.read_text().splitlines(keepends=True)[1:]))

    state = run(tmp_path, Hostile(falsify))
    assert state.merged == {}
    assert set(reasons(tmp_path).values()) == {
        "tampering: a process other than steady changed the run's journal"
    }
    assert len(Journal.open(journal).records) == len(TRIALS)


class WaitedError(BaseException):
    """An error that is not mistaken for an unreadable file."""


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
@pytest.mark.parametrize("at_the_end", [False, True])
@pytest.mark.parametrize("name", ["journal.jsonl", ".run.json.new", "forks/1.json", "base.jar"])
def test_pipes_are_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, at_the_end: bool, name: str
) -> None:
    stand_in_folder_of_jars(monkeypatch, tmp_path)

    def exchange() -> None:
        Path(name).unlink(missing_ok=True)
        os.mkfifo(name)

    harness = Hostile(exchange, at_the_end=at_the_end)
    assert run(tmp_path, harness).complete == (name == ".run.json.new")
    assert len(Journal.open(tmp_path / "journal.jsonl").records) == len(TRIALS)
    if name != ".run.json.new":
        assert all(reason.startswith("tampering: ") for reason in reasons(tmp_path).values())


@pytest.mark.skipif(sys.platform != "linux", reason="PR_GET_DUMPABLE")
def test_the_memory_of_steady_is_protected_during_a_run() -> None:
    control = ctypes.CDLL(None).prctl
    before = control(3, 0, 0, 0, 0)
    with unreadable():
        assert control(3, 0, 0, 0, 0) == 0
    assert control(3, 0, 0, 0, 0) == before
