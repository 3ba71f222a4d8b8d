"""Two forks of a round that are alive together: what is kept of them, whatever ends them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import scripted_harness
from scripted_harness import NAMES, ScriptedHarness, many, run, workloads

from steady.engine import RunState, Trial, Turn, further_rounds, schedule
from steady.engine.pairs import rounds_of
from steady.model import Identity

TRIALS = schedule(workloads(), seed=1)
PAIRS = [tuple(trial.number for trial in pair) for pair in rounds_of(TRIALS)]


def in_turn(folder: Path, harness: ScriptedHarness, **more: Any) -> RunState:
    return run(folder, harness, turns="iterations", **more)


def journal_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]


def merged(folder: Path, version: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / f"{version}.json").read_text())
    return data


def expect_the_same(folder: Path, reference: Path) -> None:
    """Check that two folders hold the same results, apart from the sessions in their blocks."""
    for version in ("base", "head"):
        ours, theirs = (merged(one, version) for one in (folder, reference))
        for one in (ours, theirs):
            one["forks"] = [[*fork[:4], fork[4].partition("+")[0]] for fork in one["forks"]]
        assert ours == theirs
    runs = [json.loads((one / "run.json").read_text()) for one in (folder, reference)]
    for one in runs:
        del one["sessions"]
    assert runs[0] == runs[1]


class TestAWholeRun:
    def test_runs_the_two_forks_of_a_round_together(self, tmp_path: Path) -> None:
        harness = ScriptedHarness()
        assert in_turn(tmp_path, harness).complete
        assert harness.together == PAIRS == [(2 * i, 2 * i + 1) for i in range(11)]
        for version in ("base", "head"):
            own = [trial.number for trial in TRIALS if trial.version == version]
            assert merged(tmp_path, version)["in_turn"] == own

    def test_the_seconds_of_a_pair_are_shared(self, tmp_path: Path) -> None:
        in_turn(tmp_path, ScriptedHarness())
        entries = journal_of(tmp_path)
        for first, second in zip(entries[::2], entries[1::2], strict=True):
            assert (first["beside"], second["beside"]) == (second["number"], first["number"])
            assert (first["start"], first["end"]) == (second["start"], second["end"])
            assert first["seconds"] + second["seconds"] == first["end"] - first["start"] == 1
            assert first["iteration_seconds"] == 0.375
            assert first["in_turn"]
            assert second["in_turn"]

    def test_the_lines_of_a_pair_are_written_together(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lines: list[int] = []
        journal = tmp_path / "journal.jsonl"

        def looked(self: ScriptedHarness, trial: Trial, result: Path) -> None:
            lines.append(journal.read_bytes().count(b"\n") if journal.exists() else 0)
            measure(self, trial, result)

        measure = ScriptedHarness.measure
        monkeypatch.setattr(ScriptedHarness, "measure", looked)
        in_turn(tmp_path, ScriptedHarness())
        assert lines == [2 * (i // 2) for i in range(22)]

    def test_one_version_has_nothing_to_take_turns_with(self, tmp_path: Path) -> None:
        harness = ScriptedHarness()
        planned = workloads(versions=("results",))
        assert in_turn(tmp_path, harness, planned=planned).complete
        assert harness.together == []
        assert harness.asked == []
        assert {entry["beside"] for entry in journal_of(tmp_path)} == {None}

    def test_a_benchmark_of_one_version_runs_alone(self, tmp_path: Path) -> None:
        planned = [*workloads(NAMES[:1], [2]), *workloads(NAMES[1:2], [2], ("head",))]
        harness = ScriptedHarness()
        assert in_turn(tmp_path, harness, planned=planned).complete
        assert len(harness.together) == 2
        assert len(harness.ran) == 6
        assert harness.asked == [NAMES[0]]


class TestWhatCannotTakeTurns:
    def test_runs_fork_by_fork_and_each_reason_is_said_once(self, tmp_path: Path) -> None:
        harness = ScriptedHarness()
        harness.obstacles = dict.fromkeys(NAMES[:2], "they write the same file") | {
            NAMES[2]: "too little memory"
        }
        log: list[str] = []
        assert in_turn(tmp_path / "out", harness, log=log).complete
        assert sorted(line for line in log if "fork by fork" in line) == [
            f"1 benchmark ({NAMES[2]}) runs fork by fork: too little memory",
            f"2 benchmarks ({NAMES[0]}, {NAMES[1]}) run fork by fork: they write the same file",
        ]
        assert len(harness.together) == 1
        assert sorted(harness.asked) == sorted(NAMES)
        run(tmp_path / "reference", ScriptedHarness())
        blocks, expected = (
            [entry["block"] for entry in journal_of(tmp_path / name)]
            for name in ("out", "reference")
        )
        assert blocks == expected
        assert len(merged(tmp_path / "out", "head")["in_turn"]) == 1

    def test_a_reason_that_shows_in_the_first_round_holds_for_the_others(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def measured(
            self: ScriptedHarness, trials: Sequence[Trial], results: Sequence[Path]
        ) -> Any:
            ends = measure(self, trials, results)
            if trials[0].identity.name != NAMES[0]:
                return ends
            self.obstacles[NAMES[0]] = "it prints"
            return [Turn(None, in_turn=False) for _ in ends]

        measure = ScriptedHarness.measure_in_turn
        monkeypatch.setattr(ScriptedHarness, "measure_in_turn", measured)
        harness, log = ScriptedHarness(), list[str]()
        assert in_turn(tmp_path, harness, log=log).complete
        first, *others = [pair for pair in PAIRS if TRIALS[pair[0]].identity.name == NAMES[0]]
        assert harness.together == [pair for pair in PAIRS if pair not in others]
        assert set(first) < {trial.number for trial in TRIALS} - set(
            merged(tmp_path, "base")["in_turn"] + merged(tmp_path, "head")["in_turn"]
        )
        said = [line for line in log if "fork by fork" in line]
        assert said == [f"1 benchmark ({NAMES[0]}) runs fork by fork: it prints"]

    def test_is_not_asked_if_nothing_shall_take_turns(self, tmp_path: Path) -> None:
        harness = ScriptedHarness()
        log: list[str] = []
        run(tmp_path, harness, turns="forks", log=log)
        assert harness.asked == []
        assert harness.together == []
        assert not any("fork by fork" in line for line in log)


class TestForksThatFail:
    def test_one_side_alone_keeps_its_result_out_of_turn(self, tmp_path: Path) -> None:
        lost, kept = PAIRS[3]
        state = in_turn(tmp_path, ScriptedHarness({lost: "crash"}))
        assert [(t.number, r.reason) for t, r in state.lost] == [
            (lost, "its JVM ended with code 134")
        ]
        assert (tmp_path / "logs" / f"{lost}.log").read_bytes() == b"what it said"
        other = TRIALS[kept].version
        assert kept in [fork[0] for fork in merged(tmp_path, other)["forks"]]
        assert kept not in merged(tmp_path, other)["in_turn"]
        entry = next(entry for entry in journal_of(tmp_path) if entry["number"] == kept)
        assert (entry["status"], entry["in_turn"], entry["beside"]) == ("ok", False, lost)
        assert (entry["seconds"], entry["iteration_seconds"]) == (0.5, None)

    def test_both_sides(self, tmp_path: Path) -> None:
        state = in_turn(tmp_path, ScriptedHarness(dict.fromkeys(PAIRS[3], "crash")))
        assert {trial.number for trial, _ in state.lost} == set(PAIRS[3])
        assert len(state.records) == 22

    def test_they_are_not_run_again(self, tmp_path: Path) -> None:
        in_turn(tmp_path, ScriptedHarness({PAIRS[3][1]: "crash", PAIRS[8][1]: "interrupt"}))
        harness = ScriptedHarness()
        state = in_turn(tmp_path, harness, resume=True)
        assert harness.together == PAIRS[8:]
        assert [trial.number for trial, _ in state.lost] == [PAIRS[3][1]]

    @pytest.mark.parametrize("sides", [("head",), ("base", "head")])
    def test_the_third_equal_failure_ends_a_benchmark(
        self, sides: tuple[str, ...], tmp_path: Path
    ) -> None:
        alpha = [t for t in TRIALS if t.identity.name == NAMES[0]]
        harness = ScriptedHarness({t.number: "crash" for t in alpha if t.version in sides})
        state = in_turn(tmp_path, harness)
        assert sorted(state.given_up) == [trial.number for trial in alpha[6:]]
        assert {trial.number for trial, _ in state.lost} == {
            trial.number for trial in alpha[:6] if trial.version in sides
        }

    def test_failures_of_planned_and_further_rounds_count_together(self, tmp_path: Path) -> None:
        """Once, three failures among the further trials were asked for before any was given up."""
        gamma = [t.number for t in TRIALS if (t.identity.name, t.version) == (NAMES[2], "base")]
        harness = ScriptedHarness(dict.fromkeys([*gamma, *range(22, 40)], "crash"))

        def one_more(state: RunState) -> tuple[Trial, ...]:
            if state.given_up:
                return ()
            return further_rounds(state.trials, {Identity(NAMES[2]): 2}, seed=0)

        log: list[str] = []
        state = in_turn(tmp_path, harness, follow_up=one_more, log=log)
        assert len(state.trials) == 26
        assert len(state.given_up) == 2
        assert f"{NAMES[2]}: 2 forks left are not run: it failed 3 times" in "\n".join(log)
        assert log[-1] == "24 of 24 forks done"


class TestARunThatIsStopped:
    @pytest.mark.parametrize("moment", [0, 1, 10, 21])
    def test_loses_the_running_pair_and_goes_on(self, moment: int, tmp_path: Path) -> None:
        harness = ScriptedHarness({moment: "interrupt"})
        state = in_turn(tmp_path / "out", harness)
        done = moment - moment % 2
        assert state.interrupted
        assert harness.closed == 1
        assert sorted(state.records) == list(range(done))
        again = ScriptedHarness()
        assert in_turn(tmp_path / "out", again, resume=True).complete
        assert again.together == PAIRS[done // 2 :]
        in_turn(tmp_path / "reference", ScriptedHarness())
        expect_the_same(tmp_path / "out", tmp_path / "reference")

    def test_a_torn_pair_counts_as_not_run(self, tmp_path: Path) -> None:
        """Wherever its two lines are cut, it runs again, and pairs with nothing before."""
        out = tmp_path / "out"
        in_turn(out, ScriptedHarness({6: "interrupt"}))
        whole = (out / "journal.jsonl").read_bytes()
        lines = whole.splitlines(keepends=True)
        before = len(whole) - len(lines[-1]) - len(lines[-2])
        cuts = (before + 1, before + len(lines[-2]) - 1, before + len(lines[-2]), len(whole) - 1)
        for session, cut in enumerate(cuts, start=1):
            (out / "journal.jsonl").write_bytes(whole[:cut])
            harness = ScriptedHarness({6: "interrupt"})
            in_turn(out, harness, resume=True)
            assert harness.together == [PAIRS[2]]
            blocks = [entry["block"] for entry in journal_of(out)]
            assert [block.partition("+")[2] for block in blocks[-2:]] == [str(session)] * 2
            assert "+" not in "".join(blocks[:4])
            assert len(blocks) == 6

    def test_a_pair_with_a_damaged_result_runs_again(self, tmp_path: Path) -> None:
        in_turn(tmp_path, ScriptedHarness())
        (tmp_path / "forks" / "8.json").write_text("damaged")
        log: list[str] = []
        harness = ScriptedHarness()
        assert in_turn(tmp_path, harness, resume=True, log=log).complete
        assert harness.together == [(8, 9)]
        assert (
            "the result of trial 8 is not what the journal says was measured; it is run again, "
            "and trial 9 with it"
        ) in log
        assert set(merged(tmp_path, "base")["in_turn"]) | set(
            merged(tmp_path, "head")["in_turn"]
        ) == set(range(22))

    def test_a_trial_whose_partner_has_ended_runs_alone(self, tmp_path: Path) -> None:
        """As in the folder of a run that went fork by fork, and was stopped within a round."""
        run(tmp_path, ScriptedHarness({7: "interrupt"}))
        harness = ScriptedHarness()
        in_turn(tmp_path, harness, resume=True)
        assert harness.ran == list(range(7, 22))
        assert harness.together == PAIRS[4:]
        entries = {entry["number"]: entry for entry in journal_of(tmp_path)}
        assert entries[7]["block"] == f"{entries[6]['block']}+1"
        assert (entries[7]["beside"], entries[7]["in_turn"]) == (None, False)

    @pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.thorough)])
    def test_killed_at_random_moments_loses_and_doubles_nothing(
        self, seed: int, tmp_path: Path
    ) -> None:
        killed = subprocess.run(
            [sys.executable, scripted_harness.__file__, "pairs", tmp_path / "out", str(seed)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert killed.returncode == 0, killed.stderr
        assert int(killed.stdout) >= 5
        started = json.loads((tmp_path / "out" / "run.json").read_text())["header"]["started"]
        in_turn(tmp_path / "reference", ScriptedHarness(), planned=many(), started=started)
        expect_the_same(tmp_path / "out", tmp_path / "reference")
        entries = journal_of(tmp_path / "out")
        assert sorted(entry["number"] for entry in entries) == list(range(len(entries)))
        blocks = {entry["number"]: entry["block"] for entry in entries}
        assert all(blocks[entry["beside"]] == entry["block"] for entry in entries)


def test_a_busy_machine_is_waited_for_by_both(tmp_path: Path) -> None:
    harness = ScriptedHarness({3: "busy"})
    harness.patience = 2
    naps: list[float] = []
    assert in_turn(tmp_path, harness, naps=naps).complete
    assert naps == [5.0, 5.0]
    assert harness.together == PAIRS
    entry = journal_of(tmp_path)[2]
    assert entry["seconds"] == 0.5
