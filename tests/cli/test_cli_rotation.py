"""A plan in rotation, run part by part and compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted_commands import only_harness, stand_in_folder_of_jars
from scripted_harness import ScriptedHarness

from steady.cli import main
from steady.engine.part_by_number import too_short_sentence
from steady.engine.request import RunRequest
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import BenchmarkPlan, Plan, write_plan

NAMES = tuple(f"org.Bench.b{number}" for number in range(6))
RUN = ExecutionConfiguration(3, 2, 3, 1.0, 1.0)

Run = Callable[..., int]


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ScriptedHarness:
    """Let the commands know the scripted harness only, in a folder with jars and a plan."""
    harness = only_harness(monkeypatch)
    harness.held = dict.fromkeys(("base", "head", "results"), tuple(map(Identity, NAMES)))
    stand_in_folder_of_jars(monkeypatch, tmp_path)
    plan_of()
    return harness


def plan_of(*important: str) -> None:
    """Write a plan of pairs of 30 s, two of which fit into its time."""
    entries = (
        BenchmarkPlan(
            Identity(name), RUN, RUN, 16.5, 16.5, "reduced", "",
            pair_seconds=30.0, important=name in important,
        )
        for name in NAMES
    )  # fmt: skip
    plan = Plan(
        tuple(entries), "error-budget", {"time_budget": 60.0}, harness="scripted", rotation=3
    )
    write_plan(plan, Path(".steady/plan.json"))


def run(out: str, *more: str) -> int:
    words = ["run", "--plan=.steady", "--base=base.jar", "--head=head.jar", f"--out={out}"]
    return main([*words, "--all-rounds", *more])


def measured(out: str) -> set[str]:
    return set(json.loads(Path(out, "head.json").read_text())["planned"])


def left_out(out: str) -> set[str]:
    entries = json.loads(Path(out, "not-run.json").read_text())["benchmarks"]
    return {entry["name"] for entry in entries}


@pytest.mark.usefixtures("harness")
def test_three_pull_requests_look_at_everything_once(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(3):
        assert run(f"out{number}", f"--rotation={number}") == 0
        said = " ".join(capsys.readouterr().err.split())
        assert f"looks at 2 of 6 benchmarks: part {number + 1} of 3, as --rotation says" in said
        assert measured(f"out{number}") | left_out(f"out{number}") == set(NAMES)
        header = json.loads(Path(f"out{number}", "run.json").read_text())
        assert header["header"]["described"]["rotation"] == f"{number + 1}/3"
    assert sorted(name for number in range(3) for name in measured(f"out{number}")) == list(NAMES)
    assert run("out0", "--rotation=1", "--resume") == 2
    assert run("out0", "--rotation=3", "--resume") == 0


@pytest.mark.usefixtures("harness")
def test_on_github_the_number_is_the_pull_requests(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for ref, run_number, says in (
        ("refs/pull/41/merge", "7", "part 3 of 3, as the number of pull request 41 says"),
        ("refs/heads/gh-readonly-queue/main/pr-43-0a1b", "7", "part 2 of 3, as the number of pull"),
        ("refs/heads/main", "7", "part 2 of 3, as the number of the workflow's run, 7, says"),
        ("refs/heads/main", "seven", "part 1 of 3, as --seed says"),
    ):
        monkeypatch.setenv("GITHUB_REF", ref)
        monkeypatch.setenv("GITHUB_RUN_NUMBER", run_number)
        assert run("none", "--dry-run") == 0
        assert says in " ".join(capsys.readouterr().err.split())


@pytest.mark.usefixtures("harness")
def test_all_is_looked_at_where_somebody_asks_for_it() -> None:
    assert run("all", "--rotation=all") == 0
    assert measured("all") == set(NAMES)
    assert not Path("all/not-run.json").exists()
    assert run("some", "--only=b[0-4]") == 0
    assert measured("some") == set(NAMES[:5])


@pytest.mark.usefixtures("harness")
def test_important_benchmarks_are_looked_at_each_time() -> None:
    plan_of(NAMES[4])
    for number in range(5):
        assert run(f"out{number}", f"--rotation={number}") == 0
        assert NAMES[4] in measured(f"out{number}")


def test_what_is_new_takes_its_time_from_the_part(harness: ScriptedHarness) -> None:
    new = Identity("org.Bench.new")
    harness.held = {name: (*map(Identity, NAMES), new) for name in ("base", "head")}
    assert run("out", "--rotation=0", "--new=1x5") == 0
    assert measured("out") == {new.name, NAMES[0]}
    assert left_out("out") == set(NAMES[1:])


@pytest.mark.usefixtures("harness")
def test_shards_share_a_part_and_are_joined(capsys: pytest.CaptureFixture[str]) -> None:
    for shard in (1, 2):
        assert run(f"part{shard}", "--rotation=0", f"--shard={shard}/2") == 0
    capsys.readouterr()
    assert main(["merge", "part1", "part2", "--plan=.steady", "--out=joined"]) == 0
    assert len(measured("joined")) == 2
    assert measured("joined") | left_out("joined") == set(NAMES)


@pytest.mark.parametrize("text", ["-1", "1/3", "some", "1.5"])
@pytest.mark.usefixtures("harness")
def test_another_word_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run("out", f"--rotation={text}")
    assert "does not say which part; write a whole number, such as 7, or all" in " ".join(
        capsys.readouterr().err.split()
    )


def test_all_in_rotation_begins_where_the_seed_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_RUN_NUMBER", "8")
    said = too_short_sentence(RunRequest(rotation="all", seed=4), 60.0, 6, 3)
    assert "this run begins with part 2 of 3, as --seed says" in said
