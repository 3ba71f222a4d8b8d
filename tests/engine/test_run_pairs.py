"""Simultaneous forks of a round: their results and their failures."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scripted_harness import (
    CRASHED,
    NAMES,
    TRIALS,
    ScriptedHarness,
    journal_of,
    merged,
    numbers_of,
    run,
    workloads,
)

from steady.engine import RunRecord, Trial, Turn, further_rounds
from steady.engine.step import rounds_of
from steady.model import Identity
from tests.looped import looped

PAIRS = [tuple(trial.number for trial in pair) for pair in rounds_of(TRIALS)]


def in_turn(folder: Path, harness: ScriptedHarness, **more: Any) -> RunRecord:
    return run(folder, harness, turns="iterations", **more)


class TestAWholeRun:
    def test_runs_the_two_forks_of_a_round_together(self, tmp_path: Path) -> None:
        harness = ScriptedHarness()
        assert in_turn(tmp_path, harness).complete
        assert harness.together == PAIRS == [(2 * i, 2 * i + 1) for i in range(11)]
        for version in ("base", "head"):
            own = [trial.number for trial in TRIALS if trial.version == version]
            assert merged(tmp_path, version)["in_turn"] == own
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

    def test_benchmarks_of_only_one_version_run_alone(self, tmp_path: Path) -> None:
        harness = ScriptedHarness()
        assert in_turn(tmp_path / "1", harness, planned=workloads(versions=("results",))).complete
        assert (harness.together, harness.asked) == ([], [])
        assert {entry["beside"] for entry in journal_of(tmp_path / "1")} == {None}
        planned = [*workloads(NAMES[:1], [2]), *workloads(NAMES[1:2], [2], ("head",))]
        harness = ScriptedHarness()
        assert in_turn(tmp_path / "2", harness, planned=planned).complete
        assert (len(harness.together), len(harness.ran), harness.asked) == (2, 6, [NAMES[0]])


class TestWhatCannotTakeTurns:
    def test_runs_fork_by_fork_and_each_reason_is_printed_once(self, tmp_path: Path) -> None:
        harness, log = ScriptedHarness(), list[str]()
        harness.obstacles = dict.fromkeys(NAMES[:2], "they write the same file") | {
            NAMES[2]: "too little memory"
        }
        assert in_turn(tmp_path / "out", harness, log=log).complete
        assert sorted(line for line in log if "fork by fork" in line) == [
            f"1 benchmark ({NAMES[2]}) runs fork by fork: too little memory",
            f"2 benchmarks ({NAMES[0]}, {NAMES[1]}) run fork by fork: they write the same file",
        ]
        assert len(harness.together) == 1
        assert sorted(harness.asked) == sorted(NAMES)
        assert len(merged(tmp_path / "out")["in_turn"]) == 1
        # As if nothing should take turns: then nobody is asked.
        reference = ScriptedHarness()
        run(tmp_path / "reference", reference, turns="forks")
        assert (reference.asked, reference.together) == ([], [])
        ours, theirs = (journal_of(tmp_path / name) for name in ("out", "reference"))
        assert [entry["block"] for entry in ours] == [entry["block"] for entry in theirs]

    def test_a_reason_in_the_first_round_applies_to_the_others(
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
        turned = {n for side in ("base", "head") for n in merged(tmp_path, side)["in_turn"]}
        assert not set(first) & turned
        said = [line for line in log if "fork by fork" in line]
        assert said == [f"1 benchmark ({NAMES[0]}) runs fork by fork: it prints"]


class TestForksThatFail:
    def test_one_side_keeps_its_result_and_none_is_run_again(self, tmp_path: Path) -> None:
        (lost, kept), (left, _) = PAIRS[3], PAIRS[8]
        script = {lost: "crash", **dict.fromkeys(PAIRS[5], "crash"), left: "interrupt"}
        in_turn(tmp_path, ScriptedHarness(script))
        harness = ScriptedHarness()
        state = in_turn(tmp_path, harness, resume=True)
        assert harness.together == PAIRS[8:]
        assert {t.number: record.reason for t, record in state.lost} == dict.fromkeys(
            (lost, *PAIRS[5]), CRASHED
        )
        assert len(state.records) == 22
        assert (tmp_path / "logs" / f"{lost}.log").read_bytes() == b"what it said"
        other = merged(tmp_path, TRIALS[kept].version)
        assert kept in [fork[0] for fork in other["forks"]]
        assert kept not in other["in_turn"]
        entry = next(entry for entry in journal_of(tmp_path) if entry["number"] == kept)
        assert (entry["status"], entry["in_turn"], entry["beside"]) == ("ok", False, lost)
        assert (entry["seconds"], entry["iteration_seconds"]) == (0.5, None)

    @pytest.mark.parametrize("sides", [("head",), ("base", "head")])
    def test_the_third_equal_failure_ends_a_benchmark(
        self, sides: tuple[str, ...], tmp_path: Path
    ) -> None:
        alpha = [t for t in TRIALS if t.identity.name == NAMES[0]]
        failing = [trial.number for trial in alpha if trial.version in sides]
        state = in_turn(tmp_path, ScriptedHarness(dict.fromkeys(failing, "crash")))
        assert sorted(state.given_up) == [trial.number for trial in alpha[6:]]
        assert [trial.number for trial, _ in state.lost] == failing[: 3 * len(sides)]

    def test_failures_of_planned_and_further_rounds_count_together(self, tmp_path: Path) -> None:
        """Formerly, three failures among the further trials were needed to give up a benchmark."""
        gamma = numbers_of(NAMES[2], "base")
        harness = ScriptedHarness(dict.fromkeys([*gamma, *range(22, 40)], "crash"))

        def one_more(state: RunRecord) -> tuple[Trial, ...]:
            if state.given_up:
                return ()
            return further_rounds(state.trials, {Identity(NAMES[2]): 2}, seed=0)

        log: list[str] = []
        state = in_turn(tmp_path, harness, follow_up=one_more, log=log)
        assert len(state.trials) == 26
        assert len(state.given_up) == 2
        assert f"{NAMES[2]}: 2 remaining forks skipped: it failed 3 times" in "\n".join(log)
        assert log[-1] == "24 of 24 forks done"


class TestARunThatIsStopped:
    def test_a_pair_with_a_damaged_result_runs_again(self, tmp_path: Path) -> None:
        in_turn(tmp_path, ScriptedHarness())
        (tmp_path / "forks" / "8.json").write_text("damaged")
        harness, log = ScriptedHarness(), list[str]()
        assert in_turn(tmp_path, harness, resume=True, log=log).complete
        assert harness.together == [(8, 9)]
        assert log[0] == (
            "the result of trial 8 does not match the journal; it is run again, and trial 9 with it"
        )
        turned = [n for side in ("base", "head") for n in merged(tmp_path, side)["in_turn"]]
        assert sorted(turned) == list(range(22))

    def test_a_trial_whose_partner_has_ended_runs_alone(self, tmp_path: Path) -> None:
        """As in the folder of a run without interleaving that was stopped within a round."""
        run(tmp_path, ScriptedHarness({7: "interrupt"}))
        harness = ScriptedHarness()
        in_turn(tmp_path, harness, resume=True)
        assert harness.ran == list(range(7, 22))
        assert harness.together == PAIRS[4:]
        entries = {entry["number"]: entry for entry in journal_of(tmp_path)}
        assert entries[7]["block"] == f"{entries[6]['block']}+1"
        assert (entries[7]["beside"], entries[7]["in_turn"]) == (None, False)


class TestThreeForksOfARound:
    """Base twice and head, as for an A/A test beside a comparison."""

    VERSIONS = ("again", "base", "head")
    ROUNDS = workloads(NAMES[:2], (3, 2), VERSIONS)

    def test_are_simultaneous_and_kept_together(self, tmp_path: Path) -> None:
        harness = ScriptedHarness()
        assert in_turn(tmp_path, harness, planned=self.ROUNDS).complete
        assert harness.together == [tuple(range(3 * i, 3 * i + 3)) for i in range(5)]
        entries = journal_of(tmp_path)
        for place in range(0, len(entries), 3):
            step = entries[place : place + 3]
            numbers = {entry["number"] for entry in step}
            assert {entry["version"] for entry in step} == set(self.VERSIONS)
            for entry in step:
                assert set(entry["beside"]) == numbers - {entry["number"]}
                assert entry["seconds"] == pytest.approx(1 / 3, abs=1e-3)
                assert entry["iteration_seconds"] == 0.25
        for version in self.VERSIONS:
            assert len(merged(tmp_path, version)["in_turn"]) == 5

    @looped("torn", [0, 1, 2])
    def test_an_incomplete_step_runs_again(self, tmp_path: Path, torn: int) -> None:
        folder = tmp_path / str(torn)
        in_turn(folder, ScriptedHarness(), planned=self.ROUNDS)
        journal = folder / "journal.jsonl"
        lines = journal.read_bytes().splitlines(keepends=True)
        journal.write_bytes(b"".join(lines[: len(lines) - 3 + torn]))
        again = ScriptedHarness()
        assert in_turn(folder, again, planned=self.ROUNDS, resume=True).complete
        assert again.together == [(12, 13, 14)]

    def test_a_damaged_result_runs_the_whole_step_again(self, tmp_path: Path) -> None:
        in_turn(tmp_path, ScriptedHarness(), planned=self.ROUNDS)
        (tmp_path / "forks" / "4.json").write_text("[]")
        again, log = ScriptedHarness(), list[str]()
        assert in_turn(tmp_path, again, planned=self.ROUNDS, resume=True, log=log).complete
        assert again.together == [(3, 4, 5)]
        assert "trial 3 and 5 with it" in log[0]
