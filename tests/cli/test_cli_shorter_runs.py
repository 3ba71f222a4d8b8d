"""What `steady run` offers where a full run takes long, typed as it was printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scripted_commands import commands_of, only_harness, stand_in_folder_of_jars, typed
from scripted_harness import NAMES, ScriptedHarness

from steady.model import Identity


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ScriptedHarness:
    """Let the commands know one harness only, in a folder with two jars."""
    harness = only_harness(monkeypatch)
    stand_in_folder_of_jars(monkeypatch, tmp_path)
    return harness


LONG = "steady run --full 5x600 --jar head.jar --out full"


def test_a_long_full_run_says_its_price_and_what_takes_less(
    harness: ScriptedHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(f"{LONG} --dry-run") == 0
    said = capsys.readouterr().err.replace("\xa0", " ")
    assert harness.ran == []
    assert "4 benchmarks, 20 forks, about 3 h 20 min" in said
    assert "this full run takes 3 h 20 min; these take less:" in said
    assert "on 4 machines, at most 50 min 02 s each:" in said
    assert commands_of(said) == [
        "steady run --full 5x600 --jar head.jar --shard 1/4 --out full-1",
        "steady merge full-1 full-2 full-3 full-4 --out full",
        "steady run --base BASE --head head.jar --time-budget 10m --out results",
    ]


def test_the_parts_that_are_offered_run_and_are_joined(
    harness: ScriptedHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(f"{LONG} --dry-run") == 0
    first, merge, _ = commands_of(capsys.readouterr().err)
    for number in range(1, 5):
        part = first.replace("1/4", f"{number}/4").replace("full-1", f"full-{number}")
        assert typed(part) == 0
        assert "these take less" not in capsys.readouterr().err
    assert typed(merge) == 0
    assert set(harness.measured(Path("full/results.json"))) == set(map(Identity, NAMES))


def test_many_parts_are_joined_by_a_pattern_and_other_options_stay(
    harness: ScriptedHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    held = tuple(Identity(f"org.Bench.m{number}") for number in range(40))
    harness.held = dict.fromkeys(("base", "head"), held)
    command = (
        "steady run --full=5x600 --iteration-seconds 2 --base base.jar --head head.jar "
        "--java java17 --out 'a folder' --all-rounds --shard 2/2 --dry-run"
    )
    assert typed(command) == 0
    said = capsys.readouterr().err
    parts, merge, none = commands_of(said)
    assert re.search(r" --shard 1/40 .* --out 'a folder-1'$", parts)
    assert merge == "steady merge 'a folder-'* --out 'a folder'"
    assert none == (
        "steady run --base base.jar --head head.jar --java java17 --time-budget 10m --out results"
    )


@pytest.mark.usefixtures("harness")
def test_a_short_full_run_needs_no_advice(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("steady run --full 5x60 --jar head.jar --out full") == 0
    assert "these take less" not in capsys.readouterr().err


def test_one_benchmark_alone_is_not_cut(
    harness: ScriptedHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(f"{LONG} --only {NAMES[0]} --full 10x600 --dry-run") == 0
    assert "--shard" not in capsys.readouterr().err
    assert harness.ran == []
