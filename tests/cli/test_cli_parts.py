"""A run in parts, with a scripted harness: `--shard` and `steady merge`, `--rotation`, `--stop`."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from scripted_commands import only_harness, stand_in_folder_of_jars
from scripted_harness import NAMES, ScriptedHarness

from steady.engine import StopRule
from steady.engine.request import RunRequest
from steady.engine.rotation import too_short_sentence
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import write_plan
from tests.cli.shell import Ended, Shell, plan_of
from tests.looped import looped

BOTH = "run --base=base.jar --head=head.jar"
TWO = ExecutionConfiguration(2, 2, 3, 1.0, 1.0)


@pytest.fixture(autouse=True)
def harness(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ScriptedHarness:
    """Register only one harness, in a folder with two jars."""
    harness = only_harness(monkeypatch)
    stand_in_folder_of_jars(monkeypatch, tmp_path)
    return harness


def planned(path: str) -> dict[str, int]:
    found: dict[str, int] = json.loads(Path(path).read_text())["planned"]
    return found


class TestShards:
    @pytest.fixture(autouse=True)
    def _plan(self) -> None:
        """Write a plan of three benchmarks, with increasing cost."""
        plan = plan_of(NAMES[:3], TWO, harness="scripted")
        entries = (
            replace(entry, seconds=cost, full_seconds=cost)
            for entry, cost in zip(plan.benchmarks, (10.0, 20.0, 30.0), strict=True)
        )
        write_plan(replace(plan, benchmarks=tuple(entries)), Path("plan.json"))

    def run(self, shell: Shell, out: str, more: str, what: str = "--plan=plan.json") -> Ended:
        return shell(f"{BOTH} {what} --out={out} --all-rounds {more}")

    def test_shards_divide_planned_and_new_benchmarks(self, shell: Shell) -> None:
        assert self.run(shell, "one", "--shard=1/2 --new=1x3").code == 0
        assert self.run(shell, "two", "--shard=2/2 --new=1x3").code == 0
        assert planned("one/head.json") == {NAMES[2]: 2, NAMES[3]: 1}
        assert planned("two/head.json") == {NAMES[0]: 2, NAMES[1]: 2}
        assert self.run(shell, "one", "--shard=2/2 --resume").code == 2

    def test_merge_joins_shards_once(self, shell: Shell) -> None:
        for out, shard in (("one", 1), ("two", 2), ("again", 1)):
            self.run(shell, out, f"--shard={shard}/2 --new=skip")
        ended = shell("merge one two --out=out --plan=plan.json")
        assert (ended.code, ended.out) == (0, "wrote out/base.json\nwrote out/head.json\n")
        for version in ("base", "head"):
            assert planned(f"out/{version}.json") == dict.fromkeys(NAMES[:3], 2)
        ended = shell("merge one again --out=out")
        assert ended.code == 2
        assert f"both contain '{NAMES[2]}'" in ended.err

    def test_missing_shards_are_exit_code_1(self, shell: Shell, harness: ScriptedHarness) -> None:
        harness.script = {0: "crash"}
        assert self.run(shell, "one", "--shard=1/2 --new=skip").code == 1
        ended = shell("merge one --out=out --plan=plan.json")
        assert ended.code == 1
        assert "wrote" in ended.out
        assert "steady: shard 2/2 is missing" in ended.err
        assert f"steady: no shard contains {NAMES[0]} of the plan" in ended.err
        assert "is incomplete" in ended.err

    def test_shards_of_a_full_run_can_be_merged(
        self, shell: Shell, harness: ScriptedHarness
    ) -> None:
        slow, quick = (ExecutionConfiguration(1, 0, 5, each, each) for each in (0.9, 0.1))
        declared = dict(zip(map(Identity, NAMES), (slow, quick, quick, quick), strict=True))
        harness.declares = {"base": declared, "head": declared}
        harness.script = {1: "interrupt"}
        second = "--shard=2/2 --turns=forks"
        assert self.run(shell, "two", second, "--full=2x20").code == 130
        harness.script = {}
        assert self.run(shell, "two", f"{second} --resume", "--full=2x20").code == 0
        assert self.run(shell, "one", "--shard=1/2", "--full=2x20").code == 0
        assert planned("one/head.json") == {NAMES[0]: 2}
        assert planned("two/head.json") == dict.fromkeys(NAMES[1:], 2)
        assert shell("merge one two --out=out").code == 0
        assert planned("out/head.json") == dict.fromkeys(NAMES, 2)
        assert self.run(shell, "other", "--shard=2/2", "--full=2x10").code == 0
        ended = shell("merge one other --out=mixed")
        assert ended.code == 2
        assert "have different suites or configurations; give shards of one run" in ended.err

    def test_the_stop_method_reaches_the_harness(
        self, shell: Shell, harness: ScriptedHarness
    ) -> None:
        harness.held = dict.fromkeys(("base", "head"), (Identity(NAMES[0]), Identity("a.B", "ss")))
        ended = self.run(shell, "out", "--stop=laaber-cv --new=1x3")
        assert ended.code == 0
        assert harness.settings.stop == StopRule("laaber-cv")  # type: ignore[attr-defined]
        single = "--stop works only for average time and throughput; 1 benchmark (a.B (ss))"
        assert ended.err.count(single) == 1
        assert "at most about" in ended.err
        assert "first decides" not in ended.err
        ended = self.run(shell, "window", "--stop=rocket --new=1x3")
        assert ended.code == 0
        late = "--stop rocket needs 100 iterations to decide, but the warm-up of 1 benchmark "
        assert ended.err.count(late + f"({NAMES[0]}) is shorter: it ends as configured") == 1
        assert self.run(shell, "other", "--new=skip").code == 0
        assert harness.settings.stop is None  # type: ignore[attr-defined]

    @looped(
        ("more", "what", "message"),
        [
            ("--shard=1/9", "--full=1x5", "9 shards were requested, but the suite has only 4"),
            (
                ("--shard=1/9"),
                "--plan=plan.json",
                "9 shards were requested, but the suite has only 4",
            ),
            *(
                (f"--shard={text}", "--plan=plan.json", "write 1/3, 2/3 or 3/3")
                for text in ("3/2", "0/2", "1", "a/b")
            ),
        ],
    )
    def test_invalid_shards_are_rejected(
        self, more: str, what: str, message: str, shell: Shell
    ) -> None:
        ended = self.run(shell, "out", more, what)
        assert ended.code == 2
        assert message in ended.err


class TestLongFullRuns:
    """Suggestions of `steady run` for a long full run, typed as printed."""

    LONG = "steady run --full 5x600 --jar head.jar --out full"

    def test_suggested_shards_run_and_can_be_merged(
        self, harness: ScriptedHarness, shell: Shell
    ) -> None:
        ended = shell(f"{self.LONG} --dry-run")
        assert ended.code == 0
        assert harness.ran == []
        assert "4 benchmarks, 20 forks, about 3 h 20 min" in ended.said
        assert "this full run takes 3 h 20 min; shorter alternatives:" in ended.said
        assert "on 4 machines, at most 50 min 02 s each:" in ended.said
        assert ended.commands == [
            "steady run --full 5x600 --jar head.jar --shard 1/4 --out full-1",
            "steady merge full-1 full-2 full-3 full-4 --out full",
            "steady run --base BASE --head head.jar --time-budget 10m --out results",
        ]
        first, merge, _ = ended.commands
        for number in range(1, 5):
            part = first.replace("1/4", f"{number}/4").replace("full-1", f"full-{number}")
            ended = shell(part)
            assert ended.code == 0
            assert "shorter alternatives" not in ended.err
        assert shell(merge).code == 0
        assert set(harness.measured(Path("full/results.json"))) == set(map(Identity, NAMES))

    def test_many_shards_are_merged_by_a_pattern_and_options_are_kept(
        self, harness: ScriptedHarness, shell: Shell
    ) -> None:
        held = tuple(Identity(f"org.Bench.m{number}") for number in range(40))
        harness.held = dict.fromkeys(("base", "head"), held)
        parts, merge, none = shell(
            "steady run --full=5x600 --iteration-seconds 2 --base base.jar --head head.jar "
            "--java java17 --out 'a folder' --all-rounds --shard 2/2 --dry-run"
        ).commands
        assert re.search(r" --shard 1/40 .* --out 'a folder-1'$", parts)
        assert merge == "steady merge 'a folder-'* --out 'a folder'"
        pair = "--base base.jar --head head.jar --java java17"
        assert none == f"steady run {pair} --time-budget 10m --out results"

    def test_short_runs_and_single_benchmarks_are_not_divided(self, shell: Shell) -> None:
        ended = shell("steady run --full 5x60 --jar head.jar --out full")
        assert ended.code == 0
        assert "shorter alternatives" not in ended.err
        ended = shell(f"{self.LONG} --only {NAMES[0]} --full 10x600 --dry-run")
        assert ended.code == 0
        assert "--shard" not in ended.err


SIX = tuple(f"org.Bench.b{number}" for number in range(6))


class TestRotation:
    """A plan of pairs of 30 s, two of which fit into its time, run part by part."""

    @pytest.fixture(autouse=True)
    def _plan(self, harness: ScriptedHarness) -> None:
        harness.held = dict.fromkeys(("base", "head", "results"), tuple(map(Identity, SIX)))
        self.plan()

    def plan(self, important: str = "") -> None:
        plan = plan_of(SIX, TWO, harness="scripted")
        entries = (
            replace(entry, pair_seconds=30.0, important=entry.identity.name == important)
            for entry in plan.benchmarks
        )
        plan = replace(
            plan, benchmarks=tuple(entries), strategy="error-budget", rotation=3,
            options={"time_budget": 60.0},
        )  # fmt: skip
        write_plan(plan, Path(".steady/plan.json"))

    def run(self, shell: Shell, out: str, more: str) -> Ended:
        return shell(f"{BOTH} --plan=.steady --out={out} --all-rounds {more}")

    def left_out(self, out: str) -> set[str]:
        entries = json.loads(Path(out, "not-run.json").read_text())["benchmarks"]
        return {entry["name"] for entry in entries}

    def test_three_pull_requests_measure_every_benchmark_once(self, shell: Shell) -> None:
        looked_at: list[str] = []
        for number in range(3):
            ended = self.run(shell, f"out{number}", f"--rotation={number}")
            assert ended.code == 0
            part = f"measures 2 of 6 benchmarks: part {number + 1} of 3, chosen by --rotation"
            assert part in ended.said
            measured = planned(f"out{number}/head.json").keys()
            assert measured | self.left_out(f"out{number}") == set(SIX)
            header = json.loads(Path(f"out{number}/run.json").read_text())["header"]
            assert header["described"]["rotation"] == f"{number + 1}/3"
            looked_at += measured
        assert sorted(looked_at) == list(SIX)
        assert self.run(shell, "out0", "--rotation=1 --resume").code == 2
        assert self.run(shell, "out0", "--rotation=3 --resume").code == 0

    def test_on_github_the_part_is_chosen_by_pull_request(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        queue = "refs/heads/gh-readonly-queue/main/pr-43-0a1b"
        for ref, run_number, says in (
            ("refs/pull/41/merge", "7", "part 3 of 3, chosen by the number of pull request 41"),
            (queue, "7", "part 2 of 3, chosen by the number of pull"),
            ("refs/heads/main", "7", "part 2 of 3, chosen by the number of the workflow's run, 7"),
            ("refs/heads/main", "seven", "part 1 of 3, chosen by --seed"),
        ):
            monkeypatch.setenv("GITHUB_REF", ref)
            monkeypatch.setenv("GITHUB_RUN_NUMBER", run_number)
            ended = self.run(shell, "none", "--dry-run")
            assert ended.code == 0
            assert says in ended.said
        monkeypatch.setenv("GITHUB_RUN_NUMBER", "8")
        said = too_short_sentence(RunRequest(rotation="all", seed=4), 60.0, 6, 3)
        assert "this run starts with part 2 of 3, chosen by --seed" in said

    def test_rotation_all_measures_every_benchmark(self, shell: Shell) -> None:
        assert self.run(shell, "all", "--rotation=all").code == 0
        assert planned("all/head.json").keys() == set(SIX)
        assert not Path("all/not-run.json").exists()
        assert self.run(shell, "some", "'--only=b[0-4]'").code == 0
        assert planned("some/head.json").keys() == set(SIX[:5])

    def test_important_benchmarks_are_always_measured(self, shell: Shell) -> None:
        self.plan(important=SIX[4])
        for number in range(5):
            assert self.run(shell, f"out{number}", f"--rotation={number}").code == 0
            assert SIX[4] in planned(f"out{number}/head.json")

    def test_new_benchmarks_take_time_from_the_part(
        self, shell: Shell, harness: ScriptedHarness
    ) -> None:
        new = Identity("org.Bench.new")
        harness.held = {name: (*map(Identity, SIX), new) for name in ("base", "head")}
        assert self.run(shell, "out", "--rotation=0 --new=1x5").code == 0
        assert planned("out/head.json").keys() == {new.name, SIX[0]}
        assert self.left_out("out") == set(SIX[1:])

    def test_shards_of_a_part_are_merged(self, shell: Shell) -> None:
        for shard in (1, 2):
            self.run(shell, f"part{shard}", f"--rotation=0 --shard={shard}/2")
        assert shell("merge part1 part2 --plan=.steady --out=joined").code == 0
        measured = planned("joined/head.json").keys()
        assert len(measured) == 2
        assert measured | self.left_out("joined") == set(SIX)

    @looped("text", ["-1", "1/3", "some", "1.5"])
    def test_invalid_parts_are_rejected(self, text: str, shell: Shell) -> None:
        ended = self.run(shell, "out", f"--rotation={text}")
        assert ended.code == 2
        assert "is not a part; write a whole number, such as 7, or all" in ended.said
