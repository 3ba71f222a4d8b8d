"""Messages of a first run with missing files; suggested commands are typed as printed."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from jmh_forks import LINE, jar
from msgspec import structs
from scripted_commands import commands_of, only_harness, stand_in_folder_of_jars
from scripted_harness import NAMES, ScriptedHarness

from steady.engine import Header, RunRecord, Target, Trial, Version
from steady.engine.journal import JournalEntry
from steady.engine.machine import Machine
from steady.engine.request import RunRequest
from steady.engine.run_file import RunFile, Stretch
from steady.engine.run_outcome import RunOutcome, had_no_time
from steady.engine.time_limit import OUT_OF_TIME
from steady.errors import InputError
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import read_plan, write_plan
from steady.options.run_options import RunCommand
from steady.suggestions.for_run import suggest_for_obstacles
from tests.cli.shell import Shell, plan_of, write_values
from tests.looped import looped

RUN = ExecutionConfiguration(3, 2, 3, 1.0, 1.0)
PAIR = "--base base.jar --head head.jar"
MEASURE = f"steady run {PAIR} --time-budget 10m --out results"
FULL = "steady run --full 5x60 --jar head.jar --out full"


@pytest.fixture(autouse=True)
def harness(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ScriptedHarness:
    """Register only the scripted harness, in a folder with two jars."""
    harness = only_harness(monkeypatch)
    stand_in_folder_of_jars(monkeypatch, tmp_path)
    return harness


def results(*paths: str, noise: float = 0.005, count: int = 2) -> None:
    for seed, path in enumerate(paths):
        random = np.random.default_rng(seed)
        names = [f"a.B.b{number:02}" for number in range(count)]
        write_values(path, {name: random.lognormal(0, noise, (5, 40)) for name in names})


SIDES = ("results/base.json", "results/head.json")


def hold_benchmarks(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(exist_ok=True)
        jar(Path(name), {"META-INF/BenchmarkList": LINE})


def write_plan_of(name: str, harness: str) -> None:
    plan = plan_of((name,), RUN, seconds=16.5, harness=harness)
    write_plan(plan, Path(".steady/plan.json"))


def test_no_plan(shell: Shell) -> None:
    ended = shell(f"steady run --plan .steady {PAIR} --out results")
    assert ended.code == 2
    full, make, without = ended.commands
    assert full == FULL
    assert shell(full).code == 0
    results("full/results.json")
    assert shell(make).code == 0
    assert len(read_plan(".steady/plan.json")) == 2
    assert without == MEASURE
    shutil.rmtree(".steady")
    for plan in ("", " .steady/plan.json"):
        ended = shell(f"steady plan{plan}")
        assert ended.code == 2
        assert "steady optimize full" in ended.commands


def test_no_benchmark_of_that_name(shell: Shell) -> None:
    ended = shell("steady run --full 1x5 --jar head.jar --only Typo --out full")
    assert ended.code == 2
    (listing,) = ended.commands
    ended = shell(listing)
    assert ended.code == 0
    assert ended.out.split() == list(NAMES)


def test_all_benchmarks_are_excluded(shell: Shell) -> None:
    write_plan_of("org.Gone.a", "scripted")
    ended = shell(f"steady run --plan .steady {PAIR} --new skip --out results")
    assert ended.code == 2
    (listing,) = ended.commands
    ended = shell(listing)
    assert ended.code == 0
    assert set(NAMES) <= set(ended.out.split())


def test_no_results(shell: Shell) -> None:
    ended = shell("steady optimize full --jar head.jar")
    assert ended.code == 2
    (full,) = ended.commands
    assert shell(full).code == 0
    assert Path("full/results.json").is_file()


RUN_BOTH = f"steady run --full 2x1 {PAIR} --out results"


def test_a_run_without_results_is_explained(harness: ScriptedHarness, shell: Shell) -> None:
    """Its folder was called "only one result"."""
    harness.script = dict.fromkeys(range(1000), "crash")
    shell(RUN_BOTH)
    ended = shell("steady compare results")
    assert (ended.code, ended.err) == (
        2,
        "steady: results: contains a run without results of base and head: every fork failed (the "
        "first: its JVM ended with code 134); see the output in results/logs, fix the cause, and "
        "run again with another folder\n",
    )


def test_an_interrupted_run_suggests_resume(harness: ScriptedHarness, shell: Shell) -> None:
    harness.script = {0: "interrupt"}
    shell(RUN_BOTH)
    ended = shell("steady compare results")
    assert (ended.code, ended.err) == (
        2,
        "steady: results: contains an unfinished run without results of base and head; if no run "
        "is active, repeat its `steady run` command with --resume\n",
    )
    harness.script = {}
    shell(f"{RUN_BOTH} --resume")
    assert all(Path(side).is_file() for side in SIDES)


def test_a_run_of_one_version_is_not_compared(shell: Shell) -> None:
    assert shell("steady run --full 1x1 --jar head.jar --out full").code == 0
    ended = shell("steady compare full")
    assert (ended.code, ended.err) == (
        2,
        "steady: full: contains a run of one version; give two results, the older one first, or "
        "run both: `steady run --base OLD --head NEW --out FOLDER`\n",
    )


def test_a_noisy_machine(shell: Shell) -> None:
    results(*SIDES, noise=0.08)
    targets = tuple(Target(name, f"{name}.jar", "") for name in ("base", "head"))
    header = Header("scripted", 0, "", targets, "", {}, Machine("", "", 2, ""), 0.0)
    file = RunFile(1, "id", header, (Stretch(100.0, None, 400.0, None),))
    Path("results/run.json").write_text(file.text())
    compare = "steady compare --base results/base.json --head results/head.json"
    ended = shell(compare)
    assert ended.code == 0
    longer, less = ended.commands
    assert longer == f"steady run {PAIR} --time-budget 10m --out results-longer"
    assert less.startswith(f"{compare} --min-change ")
    assert re.findall(r"but (\d) of 2", shell(less).err) != ["2"]
    narrow = structs.replace(header, described={"only": "B|b"})
    Path("results/run.json").write_text(structs.replace(file, header=narrow).text())
    longer, _ = shell(compare).commands
    assert " --only 'B|b' --time-budget 10m" in longer
    results(*SIDES, noise=0.5)
    ended = shell(compare)
    assert ended.commands == [longer]  # no threshold at the size of the noise
    assert "too noisy to detect small changes; use a quieter one" in ended.said


def test_a_suite_longer_than_the_time_budget(shell: Shell) -> None:
    results("full.json", count=12)
    ended = shell("steady optimize full.json --time-budget 200")
    assert ended.code == 0
    assert read_plan(".steady/plan.json").rotation > 1
    assert "A run for a pull request measures a part of the suite; " in ended.said
    longer, shard, again = ended.lines
    Path(".github").mkdir()
    Path(".github/steady.yml").write_text('version: 1\nimportant: ["B.b03"]\n')
    assert shell(again).code == 0
    assert read_plan(".steady/plan.json")["a.B.b03"].important
    assert shell(longer).code == 0
    assert read_plan(".steady/plan.json").rotation == 1
    assert "--shard 1/" in shard


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
def test_no_benchmarks_were_built(shell: Shell) -> None:
    Path("go.mod").write_text("module example.org/a\n\ngo 1.21\n")
    Path("a_test.go").write_text(
        'package a\n\nimport "testing"\n\nfunc BenchmarkA(b *testing.B) { for b.Loop() {} }\n'
    )
    ended = shell("steady run --full 1x5 --jar benchmarks --out full")
    assert ended.code == 2
    (build,) = re.findall(r"build them with `([^`]+)`", ended.err)
    subprocess.run(shlex.split(build), check=True)
    assert [path.name for path in Path("benchmarks").iterdir()] == ["a.test"]


@pytest.mark.parametrize("command", ["compare", "report"])
def test_no_results_to_compare(command: str, shell: Shell) -> None:
    hold_benchmarks("base.jar", "head.jar")
    ended = shell(f"steady {command} --base results/base.json --head results/head.json")
    assert ended.code == 2
    measure, compare = ended.commands
    assert measure == MEASURE
    assert compare == f"steady {command} results"
    results(*SIDES)
    assert shell(compare).code == 0


def test_results_of_one_side_only(shell: Shell) -> None:
    hold_benchmarks("base.jar", "head.jar")
    results("mine/old.json")
    Path("later").mkdir()
    for missing in ("mine/new.json", "later"):
        ended = shell(f"steady compare mine/old.json {missing}")
        assert ended.code == 2
        assert f"{missing}: head has no results yet" in ended.err
        assert ended.commands[1] == "steady compare results"


def test_missing_builds(shell: Shell) -> None:
    Path("pom.xml").touch()
    for name in ("base.jar", "head.jar"):
        Path(name).unlink()
    ended = shell("steady compare --base a.json --head b.json")
    assert ended.code == 2
    assert "(BASE and BENCHMARKS stand for the benchmarks of a version" in ended.said
    assert "build them with `mvn package`" in ended.said


def test_a_jar_without_benchmarks(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, harness: ScriptedHarness
) -> None:
    hold_benchmarks("base.jar", "target/benchmarks.jar")

    def check(versions: list[Version]) -> None:
        for version in versions:
            if version.target.name == "head.jar":
                raise InputError("holds no benchmarks", source=version.target)

    monkeypatch.setattr(harness, "check", check)
    run = "steady run --base base.jar --head {} --time-budget 9s --out results"
    ended = shell(run.format("head.jar"))
    assert ended.code == 2
    (other,) = ended.commands
    assert other == run.format("target/benchmarks.jar")
    assert shell(other).code == 0


def test_a_plan_for_another_harness(shell: Shell) -> None:
    write_plan_of("p.BenchmarkX", "go")
    ended = shell(f"steady run --plan .steady {PAIR} --out results")
    assert ended.code == 2
    assert "is a plan for benchmarks of go, but base.jar belongs to scripted" in ended.err
    assert "--out .steady-scripted" in ended.commands[1]


@looped(
    ("words", "next_one"),
    [(PAIR, MEASURE), (f"{PAIR} --time-budget 10m", MEASURE), ("--jar head.jar", FULL)],
)
def test_a_long_run_only_suggests_commands(words: str, next_one: str, shell: Shell) -> None:
    ended = shell(f"steady run {words}")
    assert (ended.code, ended.commands) == (2, [next_one])


def out_of_time(*names: str, rounds: int, reason: str = "") -> RunRecord:
    """Return a run that started the first trials of each side, without time for the others."""
    trials = tuple(
        Trial(2 * pair + side, pair % rounds, version, Identity(name), RUN, 10.0, 60.0)
        for pair, name in enumerate(name for name in names for _ in range(rounds))
        for side, version in enumerate(("base", "head"))
    )
    records = {t.number: JournalEntry.of(t, "id:0", 0.0, 10.0, reason=reason) for t in trials[:2]}
    return RunRecord(trials, records, {}, given_up={2: OUT_OF_TIME, 3: OUT_OF_TIME})


def told(request: RunRequest, state: RunRecord, *looks: int) -> list[str]:
    """Return the message for a run with interim analyses after the given rounds."""
    known = {trial.identity: looks for trial in state.trials}
    return list(had_no_time(RunOutcome(request, "scripted", (), {}, state, known)))


def test_too_little_time(shell: Shell) -> None:
    arguments = RunCommand(
        base=Path("base.jar"), head=Path("head.jar"), time_budget=30.0, out=Path("results")
    )
    request = RunRequest(time_budget=30.0, ways=suggest_for_obstacles(arguments))
    (error,) = told(request, out_of_time(*NAMES[:2], rounds=1), 3, 5)
    assert "the time was too short for 1 benchmark (org.Bench.beta)" in error
    (longer,) = commands_of(error)
    # Six rounds of 20 s precede the first interim analysis, with a reserve of a quarter.
    assert longer == f"steady run {PAIR} --time-budget 3m --out results-longer"
    assert shell(longer).code == 0
    assert "select fewer with --only, or others with another --rotation" in error


def test_too_little_time_for_the_only_benchmark() -> None:
    *_, error = told(RunRequest(time_budget=30.0), out_of_time(NAMES[0], rounds=2), 3)
    assert error.startswith("the time was too short for all planned rounds; increase --time-b")
    assert not {"--only", "--rotation"} & {*error.replace(",", "").split()}


def test_more_time_is_not_suggested_for_failing_benchmarks() -> None:
    state = out_of_time(NAMES[0], rounds=2, reason="died")
    assert state.too_few_rounds({Identity(NAMES[0]): (3, 5)})
    assert told(RunRequest(time_budget=30.0), state, 3, 5) == []


def test_a_history_without_runs(shell: Shell) -> None:
    ended = shell("steady history list --store kept")
    assert ended.code == 0
    full, record = ended.commands
    assert full == "steady run BENCHMARKS --full 5x60 --out full"
    assert "BENCHMARKS stands for the benchmarks of a version" in ended.said
    assert record == "steady history record full --store kept"
    results("full/results.json")
    commit = "0123456789abcdef0123456789abcdef01234567"
    assert shell(f"{record} --commit {commit}").code == 0
    assert commit[:12] in shell("steady history list --store kept").out


def test_no_settings(shell: Shell) -> None:
    ended = shell("steady settings check")
    assert ended.code == 2
    (begin,) = re.findall(r"`([^`]+)`", ended.said)
    subprocess.run(["sh", "-c", begin], check=True)
    assert shell("steady settings check").code == 0


def test_a_missing_shard(shell: Shell) -> None:
    merge = "steady merge part-1 part-2 --out full"
    for number in (1, 2):
        ended = shell(merge)
        assert ended.code == 2
        shard, again = ended.commands
        assert shard == (
            f"steady run BENCHMARKS --full 5x60 --shard {number}/2 --out part-{number}"
        )
        assert again == merge
        assert shell(shard.replace("BENCHMARKS", "head.jar")).code == 0
    assert shell(merge).code == 0
    hold_benchmarks("base.jar", "head.jar")
    ended = shell("steady merge one two --plan .steady --out joined")
    assert ended.code == 2
    assert ended.commands[0] == f"steady run --plan .steady {PAIR} --shard 1/2 --out one"


@pytest.mark.parametrize("command", ["changed", "run --time-budget 9s --out results"])
def test_a_missing_jar(command: str, shell: Shell) -> None:
    kind, _, more = command.partition(" ")
    changed = f"steady {kind} --base {{}} --head head.jar {more}".strip()
    ended = shell(changed.format("target/none.jar"))
    assert ended.code == 2
    assert "common build commands are `mvn package`, `./gradlew jmhJar`" in ended.said
    hold_benchmarks("target/benchmarks.jar")
    ended = shell(changed.format("target/none.jar"))
    assert ended.code == 2
    assert ended.commands == [changed.format("target/benchmarks.jar")]


def test_a_folder_without_binaries(shell: Shell) -> None:
    Path("built here").mkdir()
    ended = shell("steady run --full 1x5 --jar 'built here' --out full")
    assert ended.code == 2
    assert "build them with `go test -c -o 'built here/' ./...`" in ended.said


def test_no_benchmarks(shell: Shell, harness: ScriptedHarness) -> None:
    harness.held = dict.fromkeys(("base", "head", "results"), ())
    harness.name = "jmh"
    for words in ("--list", "--full 1x5 --out full"):
        ended = shell(f"steady run {words} --jar head.jar")
        assert ended.code == 2
        assert "head.jar: contains no benchmarks; annotate methods with @Benchmark" in ended.said
    harness.name = "go"
    ended = shell("steady run --list --jar head.jar")
    assert ended.code == 2
    hint = "`go test -list ^Benchmark ./...` shows which packages of a module contain benchmarks"
    assert hint in ended.said
