"""What a first run says where something is not there yet, typed as it was printed."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from jmh_forks import LINE, jar
from msgspec import structs
from scripted_commands import commands_of, only_harness, stand_in_folder_of_jars, typed
from scripted_harness import NAMES, ScriptedHarness

import steady
from steady.engine import Header, RunState, Target, Trial, Version
from steady.engine.journal import JournalEntry
from steady.engine.machine import Machine
from steady.engine.request import RunRequest
from steady.engine.run_file import RunFile, Stretch
from steady.engine.run_outcome import RunOutcome, had_no_time
from steady.engine.time_limit import OUT_OF_TIME
from steady.errors import InputError
from steady.model import ExecutionConfiguration, Identity
from steady.next_steps.run_ways import ways_of
from steady.optimize import BenchmarkPlan, Plan, read_plan, write_plan
from steady.options.run_options import RunCommand
from steady.readers.series_format import write_series

RUN = ExecutionConfiguration(3, 2, 3, 1.0, 1.0)


@pytest.fixture(autouse=True)
def harness(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ScriptedHarness:
    """Let the commands know the scripted harness only, in a folder with two jars."""
    harness = only_harness(monkeypatch)
    stand_in_folder_of_jars(monkeypatch, tmp_path)
    return harness


def results(path: Path, seed: int, noise: float = 0.005, count: int = 2) -> None:
    path.parent.mkdir(exist_ok=True)
    random = np.random.default_rng(seed)
    values = {f"a.B.b{number:02}": random.lognormal(0, noise, (5, 40)) for number in range(count)}
    write_series(steady.Suite.of(values, unit="ns/op", iteration_seconds=1.0), path)


def test_no_plan(capsys: pytest.CaptureFixture[str]) -> None:
    command = "steady run --plan .steady --base base.jar --head head.jar --out results"
    assert typed(command) == 2
    full, make, without = commands_of(capsys.readouterr().err)
    assert full == "steady run --full 5x60 --jar head.jar --out full"
    assert typed(full) == 0
    results(Path("full/results.json"), 1)
    assert typed(make) == 0
    assert len(read_plan(".steady/plan.json")) == 2
    assert without == ("steady run --base base.jar --head head.jar --time-budget 10m --out results")


def test_no_benchmark_of_that_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("steady run --full 1x5 --jar head.jar --only Typo --out full") == 2
    (listing,) = commands_of(capsys.readouterr().err)
    assert typed(listing) == 0
    assert capsys.readouterr().out.split() == list(NAMES)


def test_nothing_is_left_to_run(capsys: pytest.CaptureFixture[str]) -> None:
    entry = BenchmarkPlan(Identity("org.Gone.a"), RUN, RUN, 16.5, 16.5, "reduced", "")
    write_plan(Plan((entry,), "uoptime", harness="scripted"), Path(".steady/plan.json"))
    pair = "--base base.jar --head head.jar"
    assert typed(f"steady run --plan .steady {pair} --new skip --out results") == 2
    (listing,) = commands_of(capsys.readouterr().err)
    assert typed(listing) == 0
    assert set(NAMES) <= set(capsys.readouterr().out.split())


def test_no_results(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("steady optimize full --jar head.jar") == 2
    (full,) = commands_of(capsys.readouterr().err)
    assert typed(full) == 0
    assert Path("full/results.json").is_file()


RUN_BOTH = "steady run --full 2x1 --base base.jar --head head.jar --out results"


def test_a_run_without_results_says_why(
    harness: ScriptedHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its folder was called "only one result"."""
    harness.script = dict.fromkeys(range(1000), "crash")
    typed(RUN_BOTH)
    capsys.readouterr()
    assert typed("steady compare results") == 2
    assert capsys.readouterr().err == (
        "steady: results: holds a run without results of base and head: every fork failed (the "
        "first: its JVM ended with code 134); see the output in results/logs, mend that, and run "
        "again into another folder\n"
    )


def test_a_run_that_was_stopped_says_how_to_go_on(
    harness: ScriptedHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    harness.script = {0: "interrupt"}
    typed(RUN_BOTH)
    capsys.readouterr()
    assert typed("steady compare results") == 2
    assert capsys.readouterr().err == (
        "steady: results: holds a run that has not ended and has no results of base and head yet; "
        "if nothing is running, give its `steady run` command again with --resume\n"
    )
    harness.script = {}
    typed(f"{RUN_BOTH} --resume")
    assert Path("results/base.json").is_file()
    assert Path("results/head.json").is_file()


def test_a_run_of_one_version_is_not_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("steady run --full 1x1 --jar head.jar --out full") == 0
    capsys.readouterr()
    assert typed("steady compare full") == 2
    assert capsys.readouterr().err == (
        "steady: full: holds a run of one version; give two results, the older one first, or run "
        "both: `steady run --base OLD --head NEW --out FOLDER`\n"
    )


def test_a_noisy_machine(capsys: pytest.CaptureFixture[str]) -> None:
    for seed, name in enumerate(("base", "head")):
        results(Path("results", f"{name}.json"), seed, noise=0.08)
    targets = tuple(Target(name, f"{name}.jar", "") for name in ("base", "head"))
    header = Header("scripted", 0, "", targets, "", {}, Machine("", "", 2, ""), 0.0)
    file = RunFile(1, "id", header, (Stretch(100.0, None, 400.0, None),))
    Path("results/run.json").write_text(file.text())
    compare = "steady compare --base results/base.json --head results/head.json"
    assert typed(compare) == 0
    longer, less = commands_of(capsys.readouterr().err)
    assert longer == (
        "steady run --base base.jar --head head.jar --time-budget 10m --out results-longer"
    )
    assert less.startswith(f"{compare} --min-change ")
    typed(less)
    unclear = re.findall(r"but (\d) of 2", capsys.readouterr().err)
    assert unclear != ["2"]
    narrow = structs.replace(header, described={"only": "B|b"})
    Path("results/run.json").write_text(structs.replace(file, header=narrow).text())
    typed(compare)
    longer, _ = commands_of(capsys.readouterr().err)
    assert " --only 'B|b' --time-budget 10m" in longer
    for seed, name in enumerate(("base", "head")):
        results(Path("results", f"{name}.json"), seed, noise=0.5)
    typed(compare)
    printed = capsys.readouterr().err
    assert commands_of(printed) == [longer]  # no threshold at the size of the noise
    assert "a quieter machine finds smaller changes" in " ".join(printed.split())


def test_a_suite_that_takes_longer_than_a_pull_request(capsys: pytest.CaptureFixture[str]) -> None:
    results(Path("full.json"), 1, count=12)
    assert typed("steady optimize full.json --time-budget 200") == 0
    assert read_plan(".steady/plan.json").rotation > 1
    printed = capsys.readouterr().out
    assert "pull requests look at every benchmark once" in " ".join(printed.split())
    longer, shard, again = (
        line.strip() for line in printed.splitlines() if line.startswith("  steady ")
    )
    Path(".github").mkdir()
    Path(".github/steady.yml").write_text('version: 1\nimportant: ["B.b03"]\n')
    assert typed(again) == 0
    assert read_plan(".steady/plan.json")["a.B.b03"].important
    assert typed(longer) == 0
    assert read_plan(".steady/plan.json").rotation == 1
    assert "--shard 1/" in shard


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
def test_no_benchmarks_were_built(capsys: pytest.CaptureFixture[str]) -> None:
    Path("go.mod").write_text("module example.org/a\n\ngo 1.21\n")
    Path("a_test.go").write_text(
        'package a\n\nimport "testing"\n\nfunc BenchmarkA(b *testing.B) { for b.Loop() {} }\n'
    )
    assert typed("steady run --full 1x5 --jar benchmarks --out full") == 2
    (build,) = re.findall(r"build them with `([^`]+)`", capsys.readouterr().err)
    subprocess.run(shlex.split(build), check=True)
    assert [path.name for path in Path("benchmarks").iterdir()] == ["a.test"]


def hold_benchmarks(*names: str) -> None:
    for name in names:
        jar(Path(name), {"META-INF/BenchmarkList": LINE})


@pytest.mark.parametrize("command", ["compare", "report"])
def test_no_results_to_compare(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    hold_benchmarks("base.jar", "head.jar")
    assert typed(f"steady {command} --base results/base.json --head results/head.json") == 2
    measure, compare = commands_of(capsys.readouterr().err)
    assert measure == ("steady run --base base.jar --head head.jar --time-budget 10m --out results")
    assert compare == f"steady {command} results"
    for seed, name in enumerate(("base", "head")):
        results(Path("results", f"{name}.json"), seed)
    assert typed(compare) == 0


def test_results_of_one_side_only(capsys: pytest.CaptureFixture[str]) -> None:
    hold_benchmarks("base.jar", "head.jar")
    results(Path("mine/old.json"), 1)
    Path("later").mkdir()
    for missing in ("mine/new.json", "later"):
        assert typed(f"steady compare mine/old.json {missing}") == 2
        error = capsys.readouterr().err
        assert f"{missing}: head has no results yet" in error
        assert commands_of(error)[1] == "steady compare results"


def test_nothing_is_built(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pom.xml").touch()
    for name in ("base.jar", "head.jar"):
        Path(name).unlink()
    assert typed("steady compare --base a.json --head b.json") == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "(BASE and BENCHMARKS stand for the benchmarks of a version" in error
    assert "build them with `mvn package`" in error


def test_a_jar_without_benchmarks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, harness: ScriptedHarness
) -> None:
    hold_benchmarks("base.jar")
    Path("target").mkdir()
    hold_benchmarks("target/benchmarks.jar")

    def check(versions: list[Version]) -> None:
        for version in versions:
            if version.target.name == "head.jar":
                raise InputError("holds no benchmarks", source=version.target)

    monkeypatch.setattr(harness, "check", check)
    run = "steady run --base base.jar --head {} --time-budget 9s --out results"
    assert typed(run.format("head.jar")) == 2
    (other,) = commands_of(capsys.readouterr().err)
    assert other == run.format("target/benchmarks.jar")
    assert typed(other) == 0


def test_a_plan_of_another_harness(capsys: pytest.CaptureFixture[str]) -> None:
    entry = BenchmarkPlan(Identity("p.BenchmarkX"), RUN, RUN, 16.5, 16.5, "reduced", "")
    write_plan(Plan((entry,), "uoptime", harness="go"), Path(".steady/plan.json"))
    assert typed("steady run --plan .steady --base base.jar --head head.jar --out results") == 2
    error = capsys.readouterr().err
    assert "is a plan of benchmarks of go, and base.jar belongs to scripted" in error
    assert "--out .steady-scripted" in commands_of(error)[1]


@pytest.mark.parametrize("plan", ["", " .steady/plan.json"])
def test_no_plan_to_show(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(f"steady plan{plan}") == 2
    assert "steady optimize full" in commands_of(capsys.readouterr().err)


def test_nothing_is_said_but_what_to_run(capsys: pytest.CaptureFixture[str]) -> None:
    pair = "steady run --base base.jar --head head.jar"
    for words in (pair, f"{pair} --time-budget 10m"):
        assert typed(words) == 2
        (command,) = commands_of(capsys.readouterr().err)
        assert command == f"{pair} --time-budget 10m --out results"
    assert typed("steady run --jar head.jar") == 2
    (full,) = commands_of(capsys.readouterr().err)
    assert full == "steady run --full 5x60 --jar head.jar --out full"


def test_too_little_time() -> None:
    trials = tuple(
        Trial(2 * number + side, 0, version, Identity(name), RUN, 10.0, 60.0)
        for number, name in enumerate(NAMES[:2])
        for side, version in enumerate(("base", "head"))
    )
    records = {t.number: JournalEntry.of(t, "id:0", 0.0, 10.0) for t in trials[:2]}
    state = RunState(trials, records, {}, given_up={2: OUT_OF_TIME, 3: OUT_OF_TIME})
    arguments = RunCommand(
        base=Path("base.jar"), head=Path("head.jar"), time_budget=30.0, out=Path("results")
    )
    request = RunRequest(time_budget=30.0, ways=ways_of(arguments))
    looks = dict.fromkeys(map(Identity, NAMES[:2]), (3, 5))
    (error,) = had_no_time(RunOutcome(request, "scripted", (), {}, state, looks))
    assert "the time was too short to look at 1 benchmark (org.Bench.beta)" in error
    (longer,) = commands_of(error)
    # Six rounds of 20 s each come before the first look, and a quarter of that is spare.
    assert longer == (
        "steady run --base base.jar --head head.jar --time-budget 3m --out results-longer"
    )
    assert typed(longer) == 0
    assert "name fewer by --only, or look at others by another --rotation" in error


def test_too_little_time_for_the_only_benchmark() -> None:
    alone = Identity(NAMES[0])
    trials = tuple(
        Trial(number, number // 2, ("base", "head")[number % 2], alone, RUN, 10.0, 60.0)
        for number in range(4)
    )
    records = {t.number: JournalEntry.of(t, "id:0", 0.0, 10.0) for t in trials[:2]}
    state = RunState(trials, records, {}, given_up={2: OUT_OF_TIME, 3: OUT_OF_TIME})
    outcome = RunOutcome(RunRequest(time_budget=30.0), "scripted", (), {}, state, {alone: (3,)})
    *_, error = had_no_time(outcome)
    assert error.startswith("the time was too short to end what was begun; give more by --time-b")
    assert not {"--only", "--rotation"} & {*error.replace(",", "").split()}


def test_more_time_is_not_advised_to_what_fails() -> None:
    trials = tuple(
        Trial(2 * number + side, number, version, Identity(NAMES[0]), RUN, 10.0, 60.0)
        for number in range(2)
        for side, version in enumerate(("base", "head"))
    )
    records = {t.number: JournalEntry.of(t, "id:0", 0.0, 10.0, reason="died") for t in trials[:2]}
    state = RunState(trials, records, {}, given_up={2: OUT_OF_TIME, 3: OUT_OF_TIME})
    looks = {Identity(NAMES[0]): (3, 5)}
    assert state.too_few_rounds(looks)
    request = RunRequest(time_budget=30.0)
    assert list(had_no_time(RunOutcome(request, "scripted", (), {}, state, looks))) == []


def test_a_history_without_runs(
    capsys: pytest.CaptureFixture[str], harness: ScriptedHarness
) -> None:
    assert typed("steady history list --store kept") == 0
    error = capsys.readouterr().err
    full, record = commands_of(error)
    assert full == "steady run --full 5x60 --jar BENCHMARKS --out full"
    assert "BENCHMARKS stands for the benchmarks of a version" in " ".join(error.split())
    assert record == "steady history record full --store kept"
    results(Path("full/results.json"), 1)
    commit = "0123456789abcdef0123456789abcdef01234567"
    assert typed(f"{record} --commit {commit}") == 0
    assert typed("steady history list --store kept") == 0
    assert commit[:12] in capsys.readouterr().out


def test_no_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("steady settings check") == 2
    (begin,) = re.findall(r"`([^`]+)`", " ".join(capsys.readouterr().err.split()))
    subprocess.run(["sh", "-c", begin], check=True)
    assert typed("steady settings check") == 0


def test_a_shard_that_was_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    merge = "steady merge part-1 part-2 --out full"
    for number in (1, 2):
        assert typed(merge) == 2
        shard, again = commands_of(capsys.readouterr().err)
        assert shard == (
            f"steady run --full 5x60 --jar BENCHMARKS --shard {number}/2 --out part-{number}"
        )
        assert again == merge
        assert typed(shard.replace("BENCHMARKS", "head.jar")) == 0
    assert typed(merge) == 0
    hold_benchmarks("base.jar", "head.jar")
    assert typed("steady merge one two --plan .steady --out joined") == 2
    shard, _ = commands_of(capsys.readouterr().err)
    assert shard == (
        "steady run --plan .steady --base base.jar --head head.jar --shard 1/2 --out one"
    )


@pytest.mark.parametrize("command", ["changed", "run --time-budget 9s --out results"])
def test_a_jar_that_is_not_there(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    kind, _, more = command.partition(" ")
    changed = f"steady {kind} --base {{}} --head head.jar {more}".strip()
    assert typed(changed.format("target/none.jar")) == 2
    assert "one of `mvn package`, `./gradlew jmhJar`" in " ".join(capsys.readouterr().err.split())
    Path("target").mkdir()
    hold_benchmarks("target/benchmarks.jar")
    assert typed(changed.format("target/none.jar")) == 2
    (other,) = commands_of(capsys.readouterr().err)
    assert other == changed.format("target/benchmarks.jar")


def test_a_folder_without_binaries(capsys: pytest.CaptureFixture[str]) -> None:
    Path("built here").mkdir()
    assert typed("steady run --full 1x5 --jar 'built here' --out full") == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "build them with `go test -c -o 'built here/' ./...`" in error


def test_no_benchmark_at_all(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, harness: ScriptedHarness
) -> None:
    monkeypatch.setattr(harness, "name", "jmh")
    harness.held = dict.fromkeys(("base", "head", "results"), ())
    harness.name = "jmh"
    for words in ("--list", "--full 1x5 --out full"):
        assert typed(f"steady run {words} --jar head.jar") == 2
        error = " ".join(capsys.readouterr().err.split())
        assert "head.jar: holds no benchmarks; annotate methods with @Benchmark" in error
    harness.name = "go"
    assert typed("steady run --list --jar head.jar") == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "`go test -list ^Benchmark ./...` shows which packages of a module hold some" in error
