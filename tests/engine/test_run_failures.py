"""What a run does about forks that fail, results that are spoilt, and others in its way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from scripted_harness import NAMES, ScriptedHarness, run, workloads

from steady.engine import schedule
from steady.engine.fork_log import LIMIT, MOST_LOGS, excerpt, excerpt_of
from steady.engine.run_folder import RunFolder, locked
from steady.errors import InputError

TRIALS = schedule(workloads(), seed=1)


def of(name: str, version: str) -> list[int]:
    return [t.number for t in TRIALS if (t.identity.name, t.version) == (name, version)]


class TestEqualFailures:
    def test_the_third_ends_the_forks_of_a_benchmark(self, tmp_path: Path) -> None:
        log: list[str] = []
        harness = ScriptedHarness(dict.fromkeys(of(NAMES[0], "base"), "crash"))
        state = run(tmp_path, harness, log=log)
        third = of(NAMES[0], "base")[2]
        left = {n for side in ("base", "head") for n in of(NAMES[0], side) if n > third}
        assert left
        assert set(state.given_up) == left
        assert not left & set(harness.ran)
        assert not state.complete
        assert [(t.version, t.identity.name) for t, _ in state.without_result] == [
            ("base", NAMES[0])
        ]
        assert (
            log.count(
                f"{NAMES[0]}: {len(left)} forks left are not run: it failed 3 times for the same "
                "reason in base"
            )
            == 1
        )
        # What ran in head is a whole result of its own.
        merged = json.loads((tmp_path / "head.json").read_text())
        measured = sum(fork[2] == NAMES[0] for fork in merged["forks"])
        assert merged["planned"].get(NAMES[0], 0) == measured

    def test_that_is_not_taken_back_by_resume(self, tmp_path: Path) -> None:
        state = run(tmp_path, ScriptedHarness(dict.fromkeys(of(NAMES[0], "base"), "crash")))
        again = ScriptedHarness()
        resumed = run(tmp_path, again, resume=True)
        assert again.ran == []
        assert resumed.given_up == state.given_up

    def test_different_reasons_end_nothing(self, tmp_path: Path) -> None:
        harness = ScriptedHarness(dict.fromkeys(of(NAMES[0], "base"), "odd"))
        assert run(tmp_path, harness).given_up == {}
        assert len(harness.ran) == len(TRIALS)


class TestLogs:
    def test_what_a_failed_fork_said_is_kept(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness({4: "crash", 5: "vanish"}))
        assert [path.name for path in (tmp_path / "logs").iterdir()] == ["4.log"]
        assert (tmp_path / "logs" / "4.log").read_bytes() == b"what it said"

    def test_a_long_one_is_cut_in_its_middle(self, tmp_path: Path) -> None:
        text = b"first" + b"x" * (3 * LIMIT) + b"last"
        (tmp_path / "log").write_bytes(text)
        cut = excerpt(text)
        assert len(cut) < LIMIT + 100
        assert cut.startswith(b"first")
        assert cut.endswith(b"last")
        assert excerpt_of(tmp_path / "log") == cut
        assert excerpt_of(tmp_path / "none") == b""
        folder = RunFolder(tmp_path, ".json")
        folder.keep_log(4, cut)
        kept = folder.log(4).read_bytes()
        assert b"[... %d bytes are left out here ...]" % (len(text) - LIMIT) in kept

    def test_there_are_not_too_many(self, tmp_path: Path) -> None:
        folder = RunFolder(tmp_path, ".json")
        for number in range(MOST_LOGS + 5):
            folder.keep_log(number, b"said")
        assert len(list((tmp_path / "logs").iterdir())) == MOST_LOGS


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_text(""),
        lambda path: path.write_text(path.read_text().replace("base", "case")),
        lambda path: path.unlink(),
    ],
)
def test_a_result_that_was_altered_is_measured_again(spoil: object, tmp_path: Path) -> None:
    number = of(NAMES[2], "base")[0]
    run(tmp_path, ScriptedHarness())
    merged = json.loads((tmp_path / "base.json").read_text())["planned"]
    spoil(tmp_path / "forks" / f"{number}.json")  # type: ignore[operator]
    log: list[str] = []
    again = ScriptedHarness()
    assert run(tmp_path, again, resume=True, log=log).complete
    assert again.ran == [number]
    assert log[0] == (
        f"the result of trial {number} is not what the journal says was measured; it is run again"
    )
    assert json.loads((tmp_path / "base.json").read_text())["planned"] == merged
    assert run(tmp_path, ScriptedHarness(), resume=True).complete


class TestBusy:
    def test_a_busy_machine_is_waited_for(self, tmp_path: Path) -> None:
        harness, log, naps = ScriptedHarness({3: "busy"}), list[str](), list[float]()
        harness.patience = 4
        assert run(tmp_path, harness, log=log, naps=naps).complete
        assert naps == [5.0] * 4
        waiting = "another JMH is running; waiting for its end, 30 min at most"
        assert log.count(waiting) == 1
        entries = [
            json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()
        ]
        assert {entry["seconds"] for entry in entries} == {1.0}  # waiting is not measuring

    def test_but_not_for_ever(self, tmp_path: Path) -> None:
        harness = ScriptedHarness({3: "busy"})
        harness.patience = 10_000
        with pytest.raises(InputError, match=r"still after 30 min; end it, or wait .* --resume"):
            run(tmp_path, harness)
        harness.patience = 0
        assert run(tmp_path, harness, resume=True).complete


class TestTheLock:
    def test_two_runs_do_not_write_into_one_folder(self, tmp_path: Path) -> None:
        with (
            locked(tmp_path / "out" / ".lock"),
            pytest.raises(InputError, match="another `steady run` is writing into this folder"),
        ):
            run(tmp_path / "out", ScriptedHarness(), resume=True)
        assert run(tmp_path / "out", ScriptedHarness(), resume=True).complete
        assert not (tmp_path / "out" / ".lock").exists()

    def test_a_dead_owner_holds_nothing(self, tmp_path: Path) -> None:
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
