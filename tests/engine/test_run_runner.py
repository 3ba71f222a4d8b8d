from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import scripted_harness
from msgspec.structs import replace
from scripted_harness import NAMES, ScriptedHarness, many, run, workloads

from steady.engine import RunState, Target, Trial, TrialError, further_rounds, schedule
from steady.engine.machine import Machine
from steady.errors import InputError
from steady.model import Identity


def _forks(path: Path) -> list[list[Any]]:
    """Return the merged forks without their blocks, by number."""
    return sorted(fork[:4] for fork in json.loads(path.read_text())["forks"])


def _journal(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]


def _run_json(folder: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return data


def _with_header(folder: Path, **changes: object) -> None:
    data = _run_json(folder)
    data["header"].update(changes)
    (folder / "run.json").write_text(json.dumps(data))


def _expect_whole(folder: Path, suite: list[Any], reference: Path) -> None:
    """Check that a folder holds every trial once, and what an undisturbed run holds."""
    trials = schedule(suite, seed=1)
    assert sorted(entry["number"] for entry in _journal(folder)) == list(range(len(trials)))
    suffixes = {path.name for path in (folder / "forks").iterdir()}
    assert suffixes == {f"{trial.number}.json" for trial in trials}
    run(reference, ScriptedHarness(), suite)
    for name in ("base.json", "head.json"):
        assert _forks(folder / name) == _forks(reference / name)
    assert sorted(p.name for p in folder.iterdir()) == sorted(p.name for p in reference.iterdir())
    assert _run_json(folder)["outcome"]["complete"]


class TestAWholeRun:
    def test_leaves_every_fork_and_says_so(self, tmp_path: Path) -> None:
        harness = ScriptedHarness()
        state = run(tmp_path / "out", harness)
        trials = schedule(workloads(), seed=1)
        assert state.complete
        assert harness.ran == list(range(len(trials)))
        assert (harness.opened, harness.closed) == (1, 1)
        merged = json.loads((tmp_path / "out" / "base.json").read_text())
        assert merged["planned"] == dict(zip(NAMES, (5, 3, 2, 1), strict=True))
        assert len(merged["forks"]) == 11
        assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
            *("base.json", "environment.json", "forks", "head.json", "journal.jsonl", "run.json"),
        ]

    def test_names_blocks_by_run_and_round(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness())
        run_id = _run_json(tmp_path)["id"]
        assert len(run_id) == 8
        base = json.loads((tmp_path / "base.json").read_text())["forks"]
        assert all(block == f"{run_id}:{number}" for *_, number, block in base)

    def test_journal_tells_order_times_and_kind(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness())
        entries = _journal(tmp_path)
        assert [entry["number"] for entry in entries] == list(range(22))
        assert {entry["kind"] for entry in entries} == {"planned"}
        assert all(entry["seconds"] == entry["end"] - entry["start"] == 1 for entry in entries)
        assert entries[0]["start"] < entries[0]["end"] < entries[1]["start"]

    def test_header_tells_what_ran_where(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness())
        data = _run_json(tmp_path)
        assert data["header"]["machine"]["cpu"] == "A processor"
        assert data["header"]["versions"][1] == {
            "name": "head", "path": "head.jar", "sha256": "",
        }  # fmt: skip
        assert [session["start"] for session in data["sessions"]] == [1000.0]
        assert data["outcome"] == {
            "complete": True, "interrupted": False, "trials": 22, "measured": 22,
            "lost_forks": [],
        }  # fmt: skip

    def test_one_version_alone(self, tmp_path: Path) -> None:
        state = run(tmp_path, ScriptedHarness(), workloads(versions=("results",)))
        assert state.merged == {"results": tmp_path / "results.json"}
        assert len(_forks(tmp_path / "results.json")) == 11


class TestForksThatFail:
    def test_the_others_stay(self, tmp_path: Path) -> None:
        trials = schedule(workloads(), seed=1)
        alpha = [t for t in trials if t.identity.name == NAMES[0] and t.version == "head"]
        state = run(tmp_path, ScriptedHarness({alpha[2].number: "crash"}))
        assert not state.complete
        assert [(t.number, r.reason) for t, r in state.lost] == [
            (alpha[2].number, "its JVM ended with code 134")
        ]
        assert state.without_result == ()
        merged = json.loads((tmp_path / "head.json").read_text())
        assert sum(fork[2] == NAMES[0] for fork in merged["forks"]) == 4
        assert merged["planned"][NAMES[0]] == 5
        assert not (tmp_path / "forks" / f"{alpha[2].number}.json").exists()

    def test_a_benchmark_without_any_fork_is_named(self, tmp_path: Path) -> None:
        trials = schedule(workloads(), seed=1)
        beta = [t.number for t in trials if t.identity.name == NAMES[1] and t.version == "base"]
        state = run(tmp_path, ScriptedHarness(dict.fromkeys(beta, "crash")))
        assert [(t.version, t.identity.name) for t, _ in state.without_result] == [
            ("base", NAMES[1])
        ]
        lost = _run_json(tmp_path)["outcome"]["lost_forks"]
        assert {(one["version"], one["benchmark"], one["reason"]) for one in lost} == {
            ("base", NAMES[1], "its JVM ended with code 134")
        }

    def test_no_reason_is_no_result_either(self, tmp_path: Path) -> None:
        state = run(tmp_path, ScriptedHarness({0: "vanish"}))
        assert [record.reason for _, record in state.lost] == ["it left no result"]

    def test_a_version_without_any_result_has_no_file(self, tmp_path: Path) -> None:
        trials = schedule(workloads(), seed=1)
        head = {t.number: "crash" for t in trials if t.version == "head"}
        state = run(tmp_path, ScriptedHarness(head))
        assert list(state.merged) == ["base"]
        assert not (tmp_path / "head.json").exists()

    def test_they_are_not_run_again(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness({3: "crash", 9: "interrupt"}))
        harness = ScriptedHarness()
        state = run(tmp_path, harness, resume=True)
        assert harness.ran == list(range(9, 22))
        assert [trial.number for trial, _ in state.lost] == [3]


class TestARunThatIsStopped:
    @pytest.mark.parametrize("moment", [0, 1, 10, 21])
    def test_leaves_valid_results_and_goes_on(self, moment: int, tmp_path: Path) -> None:
        harness = ScriptedHarness({moment: "interrupt"})
        state = run(tmp_path / "out", harness)
        assert state.interrupted
        assert not state.complete
        assert harness.closed == 1
        assert sorted(state.records) == list(range(moment))
        forks = [f for path in state.merged.values() for f in _forks(path)]
        assert sorted(fork[0] for fork in forks) == list(range(moment))
        assert _run_json(tmp_path / "out")["outcome"]["interrupted"]
        assert run(tmp_path / "out", ScriptedHarness(), resume=True).complete
        _expect_whole(tmp_path / "out", workloads(), tmp_path / "reference")

    def test_what_ran_in_different_sessions_did_not_run_close_in_time(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness({5: "interrupt"}))
        run(tmp_path, ScriptedHarness(), resume=True, started=9000.0)
        blocks = {entry["number"]: entry["block"] for entry in _journal(tmp_path)}
        run_id = _run_json(tmp_path)["id"]
        assert blocks[4] == f"{run_id}:0"
        assert blocks[5] == f"{run_id}:0+1"
        assert [session["start"] for session in _run_json(tmp_path)["sessions"]] == [1000.0, 9000.0]

    def test_a_finished_run_needs_no_harness(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness())
        (tmp_path / "base.json").unlink()
        harness = ScriptedHarness()
        assert run(tmp_path, harness, resume=True).complete
        assert harness.opened == 0
        assert len(_forks(tmp_path / "base.json")) == 11

    def test_resume_without_a_run_begins_one(self, tmp_path: Path) -> None:
        assert run(tmp_path / "out", ScriptedHarness(), resume=True).complete

    def test_a_torn_line_counts_as_not_written(self, tmp_path: Path) -> None:
        run(tmp_path / "out", ScriptedHarness({7: "interrupt"}))
        journal = tmp_path / "out" / "journal.jsonl"
        journal.write_bytes(journal.read_bytes()[:-20])
        harness = ScriptedHarness()
        run(tmp_path / "out", harness, resume=True)
        assert harness.ran == list(range(6, 22))
        _expect_whole(tmp_path / "out", workloads(), tmp_path / "reference")

    def test_leftovers_are_removed(self, tmp_path: Path) -> None:
        run(tmp_path / "out", ScriptedHarness({7: "interrupt"}))
        (tmp_path / "out" / "forks" / "7.json").write_text("half")
        (tmp_path / "out" / ".scratch" / "harness").mkdir(parents=True)
        (tmp_path / "out" / ".scratch" / "7.json").write_text("half")
        run(tmp_path / "out", ScriptedHarness({7: "crash"}), resume=True)
        assert not (tmp_path / "out" / "forks" / "7.json").exists()
        assert not (tmp_path / "out" / ".scratch").exists()

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
    @pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.thorough)])
    def test_killed_at_random_moments_loses_and_doubles_nothing(
        self, seed: int, tmp_path: Path
    ) -> None:
        killed = _program("kill", tmp_path / "out", seed)
        assert killed.returncode == 0, killed.stderr
        assert int(killed.stdout) >= 5
        _expect_whole(tmp_path / "out", many(), tmp_path / "reference")


class TestAFullDisk:
    def test_stops_the_run_and_keeps_what_is_there(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"cannot be written \(No space left on device\)"):
            run(tmp_path / "out", ScriptedHarness({8: "full"}))
        assert [entry["number"] for entry in _journal(tmp_path / "out")] == list(range(8))
        run(tmp_path / "out", ScriptedHarness(), resume=True)
        _expect_whole(tmp_path / "out", workloads(), tmp_path / "reference")

    def test_whatever_file_it_hits(self, tmp_path: Path) -> None:
        limited = _program("limit", tmp_path / "out", 3000)
        assert limited.returncode == 2, limited.stderr
        assert "correct that and continue with --resume" in limited.stdout
        assert (tmp_path / "out" / "journal.jsonl").read_bytes().count(b"\n") > 3
        run(tmp_path / "out", ScriptedHarness(), many(), resume=True)
        _expect_whole(tmp_path / "out", many(), tmp_path / "reference")

    def test_of_its_own(self, small_disk: Path, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="--resume"):
            run(small_disk / "out", ScriptedHarness(size=2**16), many())
        done = len(_journal(small_disk / "out"))
        assert 2 < done < 60
        (small_disk / "ballast").unlink()
        state = run(small_disk / "out", ScriptedHarness(), many(), resume=True)
        assert state.complete
        _expect_whole(small_disk / "out", many(), tmp_path / "reference")

    def test_a_fork_without_a_result_is_not_blamed(self, small_disk: Path) -> None:
        with pytest.raises(InputError, match="no room left"):
            run(small_disk / "out", CrashesWhenFull(size=2**16), many())
        assert {entry["status"] for entry in _journal(small_disk / "out")} == {"ok"}


class CrashesWhenFull(ScriptedHarness):
    """As JMH: where a result cannot be written, there is none."""

    def measure(self, trial: Trial, result: Path) -> None:
        try:
            super().measure(trial, result)
        except OSError:
            result.unlink()
            raise TrialError("left no result") from None


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount 2 MiB, half of them taken; skip where nobody may."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    try:
        mounted = subprocess.run(mounting, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("a small disk cannot be mounted here")
    (disk / "ballast").write_bytes(b"x" * 2**20)
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


class TestARunOfAnother:
    def test_is_not_overwritten(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness())
        with pytest.raises(InputError, match=r"already holds run\.json; go on .* --resume, or"):
            run(tmp_path, ScriptedHarness())

    @pytest.mark.parametrize("name", ["base.json", "environment.json", "forks"])
    def test_nor_are_files_of_somebody_else(self, name: str, tmp_path: Path) -> None:
        (tmp_path / name).write_text("mine")
        with pytest.raises(InputError, match=f"already holds {name}"):
            run(tmp_path, ScriptedHarness())
        assert (tmp_path / name).read_text() == "mine"

    @pytest.mark.parametrize("resume", [False, True])
    def test_nor_is_a_folder_of_somebody_else_taken_for_scratch(
        self, *, resume: bool, tmp_path: Path
    ) -> None:
        mine = tmp_path / ".scratch" / "mine"
        mine.parent.mkdir()
        mine.write_text("mine")
        with pytest.raises(InputError, match=r"already holds \.scratch"):
            run(tmp_path, ScriptedHarness(), resume=resume)
        assert mine.read_text() == "mine"

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"harness": "go"}, "it was run by scripted"),
            ({"seed": 2}, "its seed was 1"),
            ({"plan": "abc"}, "it followed another plan"),
            ({"trials": "abc"}, "it runs other benchmarks, or runs them otherwise"),
            ({"described": {"harness": "scripted 2"}}, "its harness was scripted 1"),
            ({"machine": Machine("B", "An os", 2, "")}, "it ran on another CPU, A processor"),
        ],
    )
    def test_is_not_gone_on_with(
        self, changes: dict[str, object], reason: str, tmp_path: Path
    ) -> None:
        run(tmp_path, ScriptedHarness({4: "interrupt"}))
        with pytest.raises(InputError, match=reason):
            run(tmp_path, ScriptedHarness(), resume=True, changes=changes)
        assert len(_journal(tmp_path)) == 4

    def test_nor_after_a_new_build(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness({4: "interrupt"}))
        versions = _versions_of(tmp_path)
        built = (versions[0], replace(versions[1], sha256="other"))
        with pytest.raises(InputError, match="head has changed since"):
            run(tmp_path, ScriptedHarness(), resume=True, changes={"versions": built})
        with pytest.raises(InputError, match="it was a run of base and head"):
            run(tmp_path, ScriptedHarness(), resume=True, changes={"versions": versions[:1]})

    @pytest.mark.parametrize(
        ("spoil", "message"),
        [
            (lambda out: (out / "run.json").write_text("{}"), "expected the header of a run"),
            (lambda out: (out / "run.json").write_text("{"), "is not complete JSON"),
            (
                lambda out: (out / "run.json").write_text(
                    (out / "run.json").read_text().replace('"cpu"', '"gpu"')
                ),
                "header.machine: holds an unknown field, `gpu`",
            ),
            (
                lambda out: _with_header(out, described=3),
                "expected an object, found a whole number",
            ),
            (
                lambda out: _with_header(out, described={"a": 3}),
                r"described\[\.\.\.\]: expected a text, found a whole number",
            ),
            (lambda out: _with_header(out, machine=[]), "expected an object, found a list"),
            (lambda out: _with_header(out, versions=3), "expected a list, found a whole number"),
            (
                lambda out: (out / "journal.jsonl").write_text("[]\n"),
                r"journal\.jsonl, line 1: is not a line of a journal",
            ),
            (
                lambda out: (out / "journal.jsonl").write_text(
                    (out / "journal.jsonl").read_text().replace('"number": 2,', '"number": 99,')
                ),
                "the journal names trial 99, which this run does not have",
            ),
        ],
    )
    def test_nor_if_it_is_damaged(
        self, spoil: Callable[[Path], object], message: str, tmp_path: Path
    ) -> None:
        run(tmp_path, ScriptedHarness({4: "interrupt"}))
        spoil(tmp_path)
        with pytest.raises(InputError, match=message):
            run(tmp_path, ScriptedHarness(), resume=True)


class TestAFollowUp:
    @staticmethod
    def _twice_alpha(state: RunState) -> tuple[Trial, ...]:
        return further_rounds(state.trials, {Identity(NAMES[0]): 2}, seed=0)

    def test_runs_after_the_planned_trials(self, tmp_path: Path) -> None:
        seen: list[RunState] = []

        def follow_up(state: RunState) -> tuple[Trial, ...]:
            seen.append(state)
            assert all(path.is_file() for path in state.merged.values())
            return self._twice_alpha(state) if len(seen) == 1 else ()

        state = run(tmp_path, ScriptedHarness(), follow_up=follow_up)
        assert [len(state.trials) for state in seen] == [22, 26]
        assert len(seen[0].trials) == len(seen[0].records) == 22
        assert state.complete
        assert len(state.trials) == 26
        head = json.loads((tmp_path / "head.json").read_text())
        assert head["planned"][NAMES[0]] == 7
        assert sum(fork[2] == NAMES[0] for fork in head["forks"]) == 7
        kinds = [entry["kind"] for entry in _journal(tmp_path)]
        assert kinds == ["planned"] * 22 + ["decision"] + ["further"] * 4 + ["decision"]

    def test_is_decided_once(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness({24: "interrupt"}), follow_up=self._twice_alpha)

        def after_it(state: RunState) -> tuple[Trial, ...]:
            assert len(state.records) == 26, "decided twice"
            return ()

        harness = ScriptedHarness()
        assert run(tmp_path, harness, resume=True, follow_up=after_it).complete
        assert harness.ran == [24, 25]

        def never(state: RunState) -> tuple[Trial, ...]:
            raise AssertionError("decided after the last decision")

        assert run(tmp_path, ScriptedHarness(), resume=True, follow_up=never).complete

    def test_its_trials_run_even_if_nobody_asks_again(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness({22: "interrupt"}), follow_up=self._twice_alpha)
        state = run(tmp_path, ScriptedHarness(), resume=True)
        assert state.complete
        assert len(state.records) == 26

    def test_may_find_nothing_to_do(self, tmp_path: Path) -> None:
        state = run(tmp_path, ScriptedHarness(), follow_up=lambda _: ())
        assert state.complete
        assert len(state.trials) == 22


def _program(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, scripted_harness.__file__, *map(str, arguments)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def _versions_of(folder: Path) -> tuple[Target, ...]:
    return tuple(Target(**version) for version in _run_json(folder)["header"]["versions"])
