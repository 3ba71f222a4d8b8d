"""Further rounds: decisions, their entries in the journal, and their replay by a resumed run."""

from pathlib import Path

import pytest
from scripted_harness import (
    NAMES,
    ScriptedHarness,
    content_of,
    expect_whole,
    journal_of,
    merged,
    run,
    workloads,
)

from steady.compare.alpha_spending import looks_of
from steady.engine import FollowUp, RunRecord, Trial, Turns, further_rounds
from steady.model import Identity
from tests.looped import looped

BOTH = pytest.mark.parametrize("turns", ["iterations", "forks"])


def rounds_until(most: int) -> FollowUp:
    """Return a decider that requests one more round of two benchmarks up to a number of trials."""

    def follow_up(state: RunRecord) -> tuple[Trial, ...]:
        assert len(state.records) == len(state.trials)
        assert all(path.is_file() for path in state.merged.values())
        if len(state.trials) >= most:
            return ()
        rounds = {Identity(NAMES[0]): 1, Identity(NAMES[2]): 1}
        return further_rounds(state.trials, rounds, seed=len(state.trials))

    return follow_up


def never(state: RunRecord) -> tuple[Trial, ...]:
    raise AssertionError("asked after the last decision")


@BOTH
def test_it_is_called_after_each_batch_until_nothing_follows(turns: Turns, tmp_path: Path) -> None:
    log: list[str] = []
    state = run(tmp_path, ScriptedHarness(), follow_up=rounds_until(30), turns=turns, log=log)
    assert state.complete
    assert len(state.trials) == 30
    lines = journal_of(tmp_path)
    batch = ["decision", *["further"] * 4]
    assert [line["kind"] for line in lines] == ["planned"] * 22 + batch + batch + ["decision"]
    decisions = [line["trials"] for line in lines if line["kind"] == "decision"]
    assert [[trial["number"] for trial in own] for own in decisions] == [
        [22, 23, 24, 25], [26, 27, 28, 29], [],
    ]  # fmt: skip
    assert sorted({trial.round for trial in state.trials[22:]}) == [5, 6]
    head = merged(tmp_path)
    assert head["planned"][NAMES[0]] == sum(fork[2] == NAMES[0] for fork in head["forks"]) == 7
    if turns == "iterations":
        counted = [line.partition(" forks")[0] for line in log]
        assert counted[counted.index("22 of 22") - 1 :] == [
            *("20 of 22", "22 of 22", "22 of 26", "24 of 26", "26 of 26"),
            *("26 of 30", "28 of 30", "30 of 30"),
        ]


@BOTH
def test_a_resumed_run_equals_an_uninterrupted_one(turns: Turns, tmp_path: Path) -> None:
    for moment in (22, 25, 29):
        out, follow_up = tmp_path / f"out-{moment}", rounds_until(30)
        stopping = ScriptedHarness({moment: "interrupt"})
        assert run(out, stopping, follow_up=follow_up, turns=turns).interrupted
        assert run(out, ScriptedHarness(), resume=True, follow_up=follow_up, turns=turns).complete
        expect_whole(out, tmp_path / f"whole-{moment}", follow_up=follow_up, turns=turns)


def test_it_may_be_stopped_at_every_line_of_its_journal(tmp_path: Path) -> None:
    """For every last complete line, the resumed run has the same outcome."""
    follow_up = rounds_until(30)
    run(tmp_path, ScriptedHarness(), follow_up=follow_up, turns="iterations")
    expected = content_of(tmp_path)
    lines = (tmp_path / "journal.jsonl").read_bytes().splitlines(keepends=True)
    for kept in range(20, len(lines)):
        (tmp_path / "journal.jsonl").write_bytes(b"".join(lines[:kept]))
        run(tmp_path, ScriptedHarness(), resume=True, follow_up=follow_up, turns="iterations")
        assert content_of(tmp_path) == expected


def test_resuming_a_finished_run_writes_the_same_bytes(tmp_path: Path) -> None:
    run(tmp_path, ScriptedHarness(), follow_up=rounds_until(30), turns="iterations")
    files = [tmp_path / name for name in ("base.json", "head.json", "journal.jsonl")]
    before = [path.read_bytes() for path in files]
    (tmp_path / "base.json").unlink()
    harness = ScriptedHarness()
    run(tmp_path, harness, resume=True, follow_up=never, turns="iterations")
    assert harness.opened == 0
    assert [path.read_bytes() for path in files] == before


def test_decided_trials_run_without_another_decision(tmp_path: Path) -> None:
    run(tmp_path, ScriptedHarness({22: "interrupt"}), follow_up=rounds_until(24))
    state = run(tmp_path, ScriptedHarness(), resume=True)
    assert state.complete
    assert len(state.records) == 26


class TestLooks:
    @looped("most", [26, 0])
    def test_are_those_of_the_planned_rounds(self, most: int, tmp_path: Path) -> None:
        folder = tmp_path / str(most)
        run(folder, ScriptedHarness(), follow_up=rounds_until(most))
        expected = {n: list(looks_of(forks)) for n, forks in zip(NAMES, (5, 3, 2, 1), strict=True)}
        assert merged(folder, "base")["looks"] == merged(folder)["looks"] == expected

    def test_are_absent_without_decisions(self, tmp_path: Path) -> None:
        run(tmp_path / "1", ScriptedHarness())
        assert merged(tmp_path / "1")["looks"] == {}
        # Nor for what one version lacks.
        planned = [*workloads(NAMES[:1], [2]), *workloads(NAMES[1:2], [2], ("head",))]
        run(tmp_path / "2", ScriptedHarness(), planned, follow_up=lambda _: ())
        assert merged(tmp_path / "2")["looks"].keys() == {NAMES[0]}
