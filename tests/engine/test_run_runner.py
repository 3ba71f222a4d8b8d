"""A run without interleaving: its files, interruptions, and errors."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import scripted_harness
from msgspec.structs import replace
from scripted_harness import (
    CRASHED,
    NAMES,
    TRIALS,
    ScriptedHarness,
    expect_whole,
    journal_of,
    many,
    merged,
    numbers_of,
    run,
    run_file,
)

from steady.engine import Target, Turns
from steady.engine.machine import Machine
from steady.errors import InputError
from tests.looped import looped


def test_a_complete_run_has_every_fork(tmp_path: Path) -> None:
    harness = ScriptedHarness()
    assert run(tmp_path, harness).complete
    assert harness.ran == list(range(22))
    assert (harness.opened, harness.closed) == (1, 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("base.json", "environment.json", "forks", "head.json", "journal.jsonl", "run.json"),
    ]
    data, base, entries = run_file(tmp_path), merged(tmp_path, "base"), journal_of(tmp_path)
    assert base["planned"] == dict(zip(NAMES, (5, 3, 2, 1), strict=True))
    assert len(base["forks"]) == 11
    assert len(data["id"]) == 8
    assert all(block == f"{data['id']}:{number}" for *_, number, block in base["forks"])
    assert [entry["number"] for entry in entries] == harness.ran
    assert {entry["kind"] for entry in entries} == {"planned"}
    assert all(entry["seconds"] == entry["end"] - entry["start"] == 1 for entry in entries)
    assert entries[0]["start"] < entries[0]["end"] < entries[1]["start"]
    assert data["header"]["machine"]["cpu"] == "A processor"
    assert data["header"]["versions"][1] == {"name": "head", "path": "head.jar", "sha256": ""}
    assert [session["start"] for session in data["sessions"]] == [1000.0]
    assert data["outcome"] == {
        "complete": True, "interrupted": False, "trials": 22, "measured": 22, "lost_forks": [],
    }  # fmt: skip


def test_failures_are_listed_and_not_retried(tmp_path: Path) -> None:
    alpha, beta = numbers_of(NAMES[0], "head")[2], numbers_of(NAMES[1], "base")
    last = TRIALS[-1].number
    script = {0: "vanish", **dict.fromkeys((alpha, *beta), "crash"), last: "interrupt"}
    run(tmp_path, ScriptedHarness(script))
    harness = ScriptedHarness()
    state = run(tmp_path, harness, resume=True)
    assert harness.ran == [last]
    assert not state.complete
    assert {trial.number: record.reason for trial, record in state.lost} == {
        0: "it produced no result", **dict.fromkeys((alpha, *beta), CRASHED)
    }  # fmt: skip
    assert [(t.version, t.identity.name) for t, _ in state.without_result] == [("base", NAMES[1])]
    head = merged(tmp_path)
    kept = [number for number in numbers_of(NAMES[0], "head") if number not in (0, alpha)]
    assert sorted(fork[0] for fork in head["forks"] if fork[2] == NAMES[0]) == kept
    assert head["planned"][NAMES[0]] == 5
    assert not (tmp_path / "forks" / f"{alpha}.json").exists()
    lost = run_file(tmp_path)["outcome"]["lost_forks"]
    named = [(one["version"], one["benchmark"], one["reason"]) for one in lost]
    assert named.count(("base", NAMES[1], CRASHED)) == 3


class TestARunThatIsStopped:
    @looped("moment", [0, 1, 10, 21])
    @looped("turns", ["forks", "iterations"])
    def test_has_valid_results_and_can_be_resumed(
        self, turns: Turns, moment: int, tmp_path: Path
    ) -> None:
        """Two simultaneous forks are lost together."""
        out, harness = tmp_path / f"{turns}-{moment}", ScriptedHarness({moment: "interrupt"})
        done = moment - (moment % 2 if turns == "iterations" else 0)
        state = run(out, harness, turns=turns)
        assert state.interrupted
        assert not state.complete
        assert harness.closed == 1
        assert sorted(state.records) == list(range(done))
        forks = [fork for version in state.merged for fork in merged(out, version)["forks"]]
        assert sorted(fork[0] for fork in forks) == list(range(done))
        assert run_file(out)["outcome"]["interrupted"]
        again = ScriptedHarness()
        assert run(out, again, resume=True, turns=turns).complete
        assert again.ran == list(range(done, 22))
        expect_whole(out, tmp_path / f"{turns}-{moment}-whole", turns=turns)

    def test_forks_of_different_sessions_are_in_different_rounds(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness({5: "interrupt"}))
        run(tmp_path, ScriptedHarness(), resume=True, started=9000.0)
        blocks = {entry["number"]: entry["block"] for entry in journal_of(tmp_path)}
        data = run_file(tmp_path)
        assert blocks[4] == f"{data['id']}:0"
        assert blocks[5] == f"{data['id']}:0+1"
        assert [session["start"] for session in data["sessions"]] == [1000.0, 9000.0]

    def test_an_incomplete_line_is_ignored_and_leftovers_are_removed(self, tmp_path: Path) -> None:
        out = tmp_path / "out"
        run(out, ScriptedHarness({7: "interrupt"}))
        journal = out / "journal.jsonl"
        journal.write_bytes(journal.read_bytes()[:-20])
        (out / "forks" / "7.json").write_text("half")
        (out / ".scratch" / "harness").mkdir(parents=True)
        (out / ".scratch" / "7.json").write_text("half")
        harness = ScriptedHarness({7: "interrupt"})
        run(out, harness, resume=True)
        assert harness.ran == [6, 7]
        assert not (out / "forks" / "7.json").exists()
        run(out, ScriptedHarness(), resume=True)
        expect_whole(out, tmp_path / "reference")

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
    @pytest.mark.parametrize("turns", ["forks", "iterations"])
    @pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.thorough)])
    def test_random_kills_lose_and_duplicate_nothing(
        self, seed: int, turns: str, tmp_path: Path
    ) -> None:
        out = str(tmp_path / "out")
        command = [sys.executable, scripted_harness.__file__, out, str(seed), turns]
        killed = subprocess.run(command, capture_output=True, text=True, check=False)
        assert killed.returncode == 0, killed.stderr
        assert int(killed.stdout) >= 5
        expect_whole(tmp_path / "out", tmp_path / "reference", planned=many(), turns=turns)
        entries = journal_of(tmp_path / "out")
        blocks = {entry["number"]: entry["block"] for entry in entries}
        pairs = [entry for entry in entries if entry["beside"] is not None]
        assert bool(pairs) == (turns == "iterations")
        assert all(blocks[entry["beside"]] == entry["block"] for entry in pairs)


class TestAFullDisk:
    def test_stops_the_run_and_keeps_its_results(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"cannot be written \(No space left on device\)"):
            run(tmp_path / "out", ScriptedHarness({8: "full"}))
        assert [entry["number"] for entry in journal_of(tmp_path / "out")] == list(range(8))
        run(tmp_path / "out", ScriptedHarness(), resume=True)
        expect_whole(tmp_path / "out", tmp_path / "reference")

    def test_affects_any_file(self, tmp_path: Path) -> None:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, before[1]))
        try:
            with pytest.raises(InputError, match="correct that and continue with --resume"):
                run(tmp_path / "out", ScriptedHarness(), many())
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert (tmp_path / "out" / "journal.jsonl").read_bytes().count(b"\n") > 3
        run(tmp_path / "out", ScriptedHarness(), many(), resume=True)
        expect_whole(tmp_path / "out", tmp_path / "reference", planned=many())

    def test_a_fork_without_a_result_is_not_blamed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Like JMH, which writes no result on a full disk."""
        usage = shutil.disk_usage(tmp_path)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=2**15))
        with pytest.raises(InputError, match="is on a full disk"):
            run(tmp_path, ScriptedHarness({3: "vanish"}))
        assert [entry["number"] for entry in journal_of(tmp_path)] == [0, 1, 2]


class TestARunOfAnother:
    def test_is_not_overwritten(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness())
        with pytest.raises(
            InputError, match=r"already contains run\.json; continue .* --resume, or"
        ):
            run(tmp_path, ScriptedHarness())

    @pytest.mark.parametrize("name", ["base.json", "environment.json", "forks", ".scratch/mine"])
    def test_foreign_files_are_not_overwritten(self, name: str, tmp_path: Path) -> None:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("mine")
        for resume in (False, True) if name.startswith(".") else (False,):
            with pytest.raises(InputError, match=f"already contains {name.partition('/')[0]}"):
                run(tmp_path, ScriptedHarness(), resume=resume)
        assert (tmp_path / name).read_text() == "mine"

    def test_is_not_resumed(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness({4: "interrupt"}))
        versions = [Target(**version) for version in run_file(tmp_path)["header"]["versions"]]
        built = (versions[0], replace(versions[1], sha256="other"))
        others: list[tuple[dict[str, object], str]] = [
            ({"harness": "go"}, "it was run by scripted"),
            ({"seed": 2}, "its seed was 1"),
            ({"plan": "abc"}, "it followed a different plan"),
            ({"trials": "abc"}, "it runs different benchmarks, or the same ones differently"),
            ({"described": {"harness": "scripted 2"}}, "its harness was scripted 1"),
            ({"machine": Machine("B", "An os", 2, "")}, "it ran on a different CPU, A processor"),
            ({"versions": built}, "head has changed since that run"),
            ({"versions": built[:1]}, "it was a run of base and head"),
        ]
        for changes, reason in others:
            with pytest.raises(InputError, match=reason):
                run(tmp_path, ScriptedHarness(), resume=True, changes=changes)
        assert len(journal_of(tmp_path)) == 4

    def test_is_not_resumed_if_damaged(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness({4: "interrupt"}))
        journal = (tmp_path / "journal.jsonl").read_text()
        other = journal.replace('"number": 2,', '"number": 99,')
        for name, content, message in (
            ("journal.jsonl", "[]\n", r"journal\.jsonl, line 1: is not a valid line of a"),
            (
                "journal.jsonl",
                other,
                "the journal contains trial 99, which does not belong to this run",
            ),
            ("run.json", "{}", "expected the header of a run"),
            ("run.json", "{", "is not complete JSON"),
        ):
            (tmp_path / name).write_text(content)
            with pytest.raises(InputError, match=message):
                run(tmp_path, ScriptedHarness(), resume=True)
