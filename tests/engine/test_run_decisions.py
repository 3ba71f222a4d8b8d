"""Further rounds: who is asked when, what the journal keeps, and what a resumed run replays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scripted_harness import NAMES, ScriptedHarness, run, workloads

from steady.compare.alpha_spending import looks_of
from steady.engine import FollowUp, RunState, Trial, Turns, further_rounds
from steady.model import Identity

BOTH: tuple[Turns, ...] = ("iterations", "forks")


def rounds_until(most: int) -> FollowUp:
    """Return what asks for one more round of two benchmarks until a run has so many trials."""

    def follow_up(state: RunState) -> tuple[Trial, ...]:
        assert len(state.records) == len(state.trials)
        assert all(path.is_file() for path in state.merged.values())
        if len(state.trials) >= most:
            return ()
        rounds = {Identity(NAMES[0]): 1, Identity(NAMES[2]): 1}
        return further_rounds(state.trials, rounds, seed=len(state.trials))

    return follow_up


def never(state: RunState) -> tuple[Trial, ...]:
    raise AssertionError("asked after the last decision")


def journal_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]


def content_of(folder: Path) -> list[object]:
    """Return everything that a run leaves, without its sessions and its clock."""
    forks = [[path.name, path.read_bytes()] for path in sorted((folder / "forks").iterdir())]
    merged = [json.loads((folder / f"{version}.json").read_text()) for version in ("base", "head")]
    for one in merged:
        one["forks"] = [[*fork[:4], fork[4].partition("+")[0]] for fork in one["forks"]]
    kept = ("kind", "number", "trials", "version", "benchmark", "status", "in_turn")
    lines = [{key: line[key] for key in kept if key in line} for line in journal_of(folder)]
    header = json.loads((folder / "run.json").read_text())
    return [forks, merged, lines, header["header"], header["outcome"]]


@pytest.mark.parametrize("turns", BOTH)
def test_it_is_asked_after_each_batch_until_nothing_follows(turns: Turns, tmp_path: Path) -> None:
    state = run(tmp_path, ScriptedHarness(), follow_up=rounds_until(30), turns=turns)
    assert state.complete
    assert len(state.trials) == 30
    kinds = [line["kind"] for line in journal_of(tmp_path)]
    batch = ["decision", *["further"] * 4]
    assert kinds == ["planned"] * 22 + batch + batch + ["decision"]
    decisions = [line["trials"] for line in journal_of(tmp_path) if line["kind"] == "decision"]
    assert [[trial["number"] for trial in own] for own in decisions] == [
        [22, 23, 24, 25], [26, 27, 28, 29], [],
    ]  # fmt: skip
    assert sorted({trial.round for trial in state.trials[22:]}) == [5, 6]
    assert json.loads((tmp_path / "head.json").read_text())["planned"][NAMES[0]] == 7


@pytest.mark.parametrize("turns", BOTH)
@pytest.mark.parametrize("moment", [3, 22, 25, 26, 29])
def test_a_resumed_run_leaves_what_one_without_a_stop_leaves(
    turns: Turns, moment: int, tmp_path: Path
) -> None:
    stopped = run(
        tmp_path / "out",
        ScriptedHarness({moment: "interrupt"}),
        follow_up=rounds_until(30),
        turns=turns,
    )
    assert stopped.interrupted
    state = run(
        tmp_path / "out", ScriptedHarness(), resume=True, follow_up=rounds_until(30), turns=turns
    )
    assert state.complete
    run(tmp_path / "whole", ScriptedHarness(), follow_up=rounds_until(30), turns=turns)
    assert content_of(tmp_path / "out") == content_of(tmp_path / "whole")


def test_it_may_be_stopped_at_every_line_of_its_journal(tmp_path: Path) -> None:
    """Whatever the last whole line is, the run goes on to the same end."""
    follow_up = rounds_until(30)
    run(tmp_path / "whole", ScriptedHarness(), follow_up=follow_up, turns="iterations")
    expected = content_of(tmp_path / "whole")
    lines = (tmp_path / "whole" / "journal.jsonl").read_bytes().splitlines(keepends=True)
    for kept in (*range(20, len(lines)), len(lines)):
        (tmp_path / "whole" / "journal.jsonl").write_bytes(b"".join(lines[:kept]))
        asked = never if kept == len(lines) else follow_up
        run(tmp_path / "whole", ScriptedHarness(), resume=True, follow_up=asked, turns="iterations")
        assert content_of(tmp_path / "whole") == expected


def test_a_finished_run_leaves_the_same_bytes_again(tmp_path: Path) -> None:
    run(tmp_path, ScriptedHarness(), follow_up=rounds_until(30), turns="iterations")
    files = [tmp_path / name for name in ("base.json", "head.json", "journal.jsonl")]
    before = [path.read_bytes() for path in files]
    harness = ScriptedHarness()
    run(tmp_path, harness, resume=True, follow_up=never, turns="iterations")
    assert harness.opened == 0
    assert [path.read_bytes() for path in files] == before


def test_progress_counts_what_was_decided(tmp_path: Path) -> None:
    log: list[str] = []
    run(tmp_path, ScriptedHarness(), follow_up=rounds_until(30), turns="iterations", log=log)
    counted = [line.partition(" forks")[0] for line in log]
    assert "20 of 22" in counted
    assert counted[counted.index("22 of 22") :] == [
        *("22 of 22", "22 of 26", "24 of 26", "26 of 26"),
        *("26 of 30", "28 of 30", "30 of 30"),
    ]


class TestLooks:
    @pytest.mark.parametrize("follow_up", [rounds_until(26), rounds_until(0)])
    def test_are_those_of_the_planned_rounds(self, follow_up: FollowUp, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness(), follow_up=follow_up)
        for version in ("base", "head"):
            assert json.loads((tmp_path / f"{version}.json").read_text())["looks"] == {
                name: list(looks_of(forks)) for name, forks in zip(NAMES, (5, 3, 2, 1), strict=True)
            }

    def test_are_not_there_where_nothing_is_decided(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness())
        assert json.loads((tmp_path / "base.json").read_text())["looks"] == {}

    def test_are_not_there_for_what_one_version_lacks(self, tmp_path: Path) -> None:
        planned = [*workloads(NAMES[:1], [2]), *workloads(NAMES[1:2], [2], ("head",))]
        run(tmp_path, ScriptedHarness(), planned, follow_up=lambda _: ())
        assert json.loads((tmp_path / "head.json").read_text())["looks"].keys() == {NAMES[0]}
