from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from scripted_commands import only_harness
from scripted_harness import NAMES, ScriptedHarness

from steady.cli import main
from steady.engine import HarnessSettings, Trial
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import BenchmarkPlan, Plan, read_plan, write_plan

HOUR = "--time-budget=1h"

Command = Callable[..., int]


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch) -> ScriptedHarness:
    """Let `steady run` know one harness only: the scripted one."""
    return only_harness(monkeypatch)


@pytest.fixture
def command(harness: ScriptedHarness, tmp_path: Path) -> Command:
    """Return `steady run` on two jars, a plan of three benchmarks, and a folder."""
    for name in ("base", "head"):
        (tmp_path / f"{name}.jar").write_text(f"content of {name}")
    full = ExecutionConfiguration(5, 0, 60, 1.0, 1.0)
    reduced = ExecutionConfiguration(3, 2, 3, 1.0, 1.0)
    plan = Plan(
        tuple(
            BenchmarkPlan(Identity(n), reduced, full, 16.5, 300.0, "reduced", "") for n in NAMES[:3]
        ),
        "uoptime",
        harness="scripted",
    )
    write_plan(plan, tmp_path / ".steady" / "plan.json")
    what = ["--plan", str(tmp_path / ".steady")]
    pair = [f"--{n}={tmp_path / n}.jar" for n in ("base", "head")]

    def run(
        *more: str, what: list[str] = what, versions: list[str] = pair, out: str = "out"
    ) -> int:
        always = ["--out", str(tmp_path / out)]
        # What the script leaves has no numbers, so that nothing could be decided.
        whole = ["--all-rounds"] if versions == pair and HOUR not in more else []
        return main(["run", *what, *versions, *always, *whole, *more])

    return run


def _planned(path: Path) -> dict[str, int]:
    found: dict[str, int] = json.loads(path.read_text())["planned"]
    return found


def test_base_and_head_as_planned(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--new", "skip") == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        f"wrote {tmp_path / 'out' / 'base.json'}",
        f"wrote {tmp_path / 'out' / 'head.json'}",
        f"the verdict: steady compare {tmp_path / 'out'} --plan {tmp_path / '.steady'}",
    ]
    assert "3 benchmarks, 18 forks of base and head in turn, about 1 min 39 s" in err
    assert "not clear" not in err
    assert "18 of 18 forks done" in err
    assert f"the plan does not know 1 benchmark ({NAMES[3]}): left out, as --new says" in err
    assert _planned(tmp_path / "out" / "head.json") == dict.fromkeys(NAMES[:3], 3)
    sidecar = json.loads((tmp_path / "out" / "environment.json").read_text())
    assert sidecar["steady_environment"] == 1


def test_how_long_it_may_decide_is_announced(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--new=skip", HOUR) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert "18 forks of base and head in turn, then more of what is not clear, at most" in told
    assert "at most about 1 h" in told


@pytest.mark.parametrize(
    ("option", "problem"),
    [
        ("--time-budget=1 hour", "'1 hour' is not a time; write 600, 10m or 1.5h"),
    ],
)
def test_what_is_not_an_option_says_what_is(
    option: str, problem: str, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        command(option)
    assert caught.value.code == 2
    assert problem in " ".join(capsys.readouterr().err.split())


def test_options_that_contradict_each_other(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = ["--jar", str(tmp_path / "base.jar")]
    full = ["--full", "2x6"]
    for options, more, problem in (
        (["--time-budget=5m"], {}, "leave out --time-budget, or --all-rounds"),
        (["--confidence=95%", "--false-alarms=5%"], {}, "but not both"),
        (["--time-budget=5m"], {"versions": alone, "what": full}, "--time-budget goes with --base"),
        (["--all-rounds"], {"versions": alone, "what": full}, "--all-rounds goes with --base"),
    ):
        assert command(*options, **more) == 2
        assert problem in capsys.readouterr().err


class TestWithoutAPlan:
    def test_a_time_is_enough(
        self, command: Command, harness: ScriptedHarness, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert command(HOUR, what=[]) == 0
        told = " ".join(capsys.readouterr().err.split())
        assert "4 benchmarks, 24 forks of base and head in turn" in told
        assert "at most about 1 h" in told
        assert len(harness.together) == 12

    def test_too_short_a_time_is_said_and_is_no_failure(
        self, command: Command, harness: ScriptedHarness, capsys: pytest.CaptureFixture[str]
    ) -> None:
        harness.pause = 0.15
        assert command(HOUR, "--time-budget=3", what=[]) == 0
        told = " ".join(capsys.readouterr().err.split())
        assert "the time was too short to look at" in told
        assert len(harness.together) < 12

    def test_it_prints_what_makes_a_plan_of_it(
        self, command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert command(HOUR, what=[]) == 0
        base, head = (tmp_path / "out" / f"{name}.json" for name in ("base", "head"))
        told = capsys.readouterr().out
        assert (
            f"a plan of what was learnt, for later runs: steady optimize {base} --detect 5% "
            f"--earlier {base} {head}" in told
        )

    def test_it_prints_what_says_the_verdict_by_the_same_rule(
        self, command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert command(HOUR, "--min-change", "4%", what=[]) == 0
        told = capsys.readouterr().out
        assert f"the verdict: steady compare {tmp_path / 'out'} --min-change 4%\n" in told

    def test_a_folder_with_another_run_is_refused_before_anything_runs(
        self, command: Command, harness: ScriptedHarness, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert command(HOUR, what=[]) == 0
        ran = len(harness.together)
        capsys.readouterr()
        assert command(HOUR, what=[]) == 2
        told = capsys.readouterr().err
        assert "already holds run.json" in told
        assert "forks of base and head" not in told
        assert len(harness.together) == ran

    def test_a_folder_that_cannot_be_made_is_refused_before_anything_runs(
        self, command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "file").write_text("")
        assert command(HOUR, f"--out={tmp_path / 'file' / 'out'}", what=[]) == 2
        told = capsys.readouterr().err
        assert "cannot be written (Not a directory); choose a folder" in told
        assert "forks of base and head" not in told

    @pytest.mark.parametrize("option", ["--new=5x5", "--shard=1/2", "--all-rounds"])
    def test_what_needs_a_plan(
        self, option: str, command: Command, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert command(HOUR, option, what=[]) == 2
        assert option.partition("=")[0] in capsys.readouterr().err

    def test_a_single_version_needs_a_plan(
        self, command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        alone = [f"--jar={tmp_path / 'base.jar'}"]
        assert command(HOUR, what=[], versions=alone) == 2
        assert "give --plan or --full, or --list to see the names" in capsys.readouterr().err


@pytest.mark.parametrize(("more", "forks"), [((), 5), (("--new", "2x10"), 2)])
def test_new_benchmarks_run_too(
    more: tuple[str, ...],
    forks: int,
    command: Command,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command(*more) == 0
    assert _planned(tmp_path / "out" / "head.json") == {
        **dict.fromkeys(NAMES[:3], 3),
        NAMES[3]: forks,
    }
    assert f"run with {forks} forks of" in capsys.readouterr().err


def test_what_a_version_does_not_hold_is_said_and_left_out(
    command: Command, harness: ScriptedHarness, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    harness.held["head"] = tuple(map(Identity, NAMES[1:3]))
    assert command("--new=skip") == 0
    assert f"head does not hold 1 benchmark ({NAMES[0]}) of the plan" in capsys.readouterr().err
    assert set(_planned(tmp_path / "out" / "base.json")) == set(NAMES[:3])
    assert set(_planned(tmp_path / "out" / "head.json")) == set(NAMES[1:3])


def test_the_plan_of_another_suite_is_refused(
    command: Command, harness: ScriptedHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else all of a suite would run for hours, as if every benchmark were new."""
    harness.held = dict.fromkeys(("base", "head"), (Identity("other.Suite.one"),))
    assert command() == 2
    told = capsys.readouterr().err
    assert "holds none of these benchmarks, so it is the plan of another suite" in told
    assert "or run without one: `steady run --base" in told
    assert command("--new", "1x1") == 0


def test_a_full_run_of_one_version(command: Command, tmp_path: Path) -> None:
    jar = ["--jar", str(tmp_path / "base.jar")]
    what = ["--full", "2x6", "--iteration-seconds", "0.1", "--only", r"Bench\.(alpha|beta)$"]
    assert command(what=what, versions=jar) == 0
    assert _planned(tmp_path / "out" / "results.json") == dict.fromkeys(NAMES[:2], 2)


def test_failed_forks_make_the_exit_code_one(
    command: Command, harness: ScriptedHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    harness.script = dict.fromkeys(range(18), "crash")
    harness.script[4] = ""
    assert command("--new=skip") == 1
    err = capsys.readouterr().err
    assert "17 forks of 18 left no result" in err
    assert err.count("steady: no result of ") == 5


def test_ctrl_c_and_resume(
    command: Command, harness: ScriptedHarness, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    harness.script = {7: "interrupt"}
    assert command("--new=skip") == 130
    told = capsys.readouterr()
    assert "stopped; this goes on: `steady run " in told.err
    assert " --resume " in told.err.rpartition("`steady run ")[2]
    assert "the verdict:" not in told.out
    harness.script = {}
    assert command("--new=skip") == 2
    assert "already holds run.json; go on with that run by --resume" in capsys.readouterr().err
    assert command("--new=skip", "--resume", "--seed=3") == 2
    assert "its seed was 0" in capsys.readouterr().err
    assert command("--new=skip", "--resume", "--fork-timeout=5") == 0
    assert harness.ran == [*range(8), *range(6, 18)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_once(
    number: int, command: Command, harness: ScriptedHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(number)
    measure = harness.measure

    def signalled(trial: Trial, result: Path) -> None:
        if trial.number == 3:
            try:
                os.kill(os.getpid(), number)
                os.kill(os.getpid(), number)
            finally:
                os.kill(os.getpid(), number)  # while the harness ends its processes
        measure(trial, result)

    monkeypatch.setattr(harness, "measure", signalled)
    assert command("--new=skip") == 130
    assert harness.closed == 1
    assert signal.getsignal(number) is before


def test_github_folds_the_log(
    command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert command("--new=skip") == 0
    lines = capsys.readouterr().err.splitlines()
    start, end = lines.index("::group::steady run"), lines.index("::endgroup::")
    assert all("forks done" in line for line in lines[start + 1 : end])
    assert end - start == 1 + 9  # a line for each pair of forks


def test_no_name_is_a_command_of_the_log(
    command: Command, harness: ScriptedHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    harness.held = dict.fromkeys(("base", "head"), (Identity("a\n::error::x ##[error]y \x1b[2J"),))
    harness.script = dict.fromkeys(range(10), "crash")
    assert command("--new", "5x5") == 1
    out, err = capsys.readouterr()
    assert all(line.startswith("steady: ") for line in err.splitlines())
    assert "##[" not in err
    assert "\x1b" not in err
    assert out == ""


def test_settings_reach_the_harness(command: Command, harness: ScriptedHarness) -> None:
    assert command("--java", "/jdk/bin/java", "--jvm-arg=-Xmx1g", "--jvm-arg=-Xms1g") == 0
    assert harness.settings == HarnessSettings("/jdk/bin/java", ("-Xmx1g", "-Xms1g"))  # type: ignore[attr-defined]
    assert command("--turns=forks", out="forks") == 0
    assert harness.settings == HarnessSettings(turns="forks")  # type: ignore[attr-defined]


def test_base_and_head_take_turns_unless_told_otherwise(
    command: Command, harness: ScriptedHarness, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--new=skip") == 0
    assert len(harness.together) == 9
    harness.together.clear()
    assert command("--new=skip", "--turns=forks", out="forks") == 0
    assert harness.together == []
    assert "about 1 min 39 s" in " ".join(capsys.readouterr().err.split())
    described = [
        json.loads((tmp_path / name / "run.json").read_text())["header"]["described"]["turns"]
        for name in ("out", "forks")
    ]
    assert described == ["iterations", "forks"]
    assert command("--new=skip", "--turns=forks", "--resume") == 2
    assert "its --turns was iterations" in capsys.readouterr().err
    assert command("--new=skip", "--resume", out="forks") == 2
    assert "its --turns was forks" in capsys.readouterr().err


def test_a_run_of_an_earlier_release_went_fork_by_fork(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--new=skip", "--turns=forks") == 0
    path = tmp_path / "out" / "run.json"
    path.write_text(path.read_text().replace(',\n      "turns": "forks"', ""))
    assert "turns" not in path.read_text()
    assert command("--new=skip", "--resume") == 2
    assert "its --turns was forks" in capsys.readouterr().err
    assert command("--new=skip", "--turns=forks", "--resume") == 0


def test_forks_that_are_stopped_take_turns_too(
    command: Command, harness: ScriptedHarness, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--new=skip", "--stop=georges", "--turns=forks", out="forks") == 0
    assert harness.together == []
    assert command("--new=skip", "--stop=georges") == 0
    assert len(harness.together) == 9
    jar = ["--jar", str(tmp_path / "base.jar")]
    assert command("--new=skip", "--turns=forks", versions=jar, out="none") == 2
    assert "--turns goes with --base and --head" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "versions", "message"),
    [
        ((), ["--base=b.jar"], "give --base and --head to measure both in turn"),
        ((), [], "give --base and --head to measure both in turn"),
        ((), ["--base=b.jar", "--jar=c.jar"], "--jar is for a single version"),
        ((), ["--jar=gone.jar"], "gone.jar: is not there; build it first"),
        (("--iteration-seconds=1",), ["--jar=c.jar"], "--iteration-seconds goes with --full"),
        (
            ("--only=nothing",),
            None,
            "matches no benchmark; `steady run --base ",
        ),
    ],
)
def test_mistakes(
    more: tuple[str, ...],
    versions: list[str] | None,
    message: str,
    command: Command,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert (command(*more) if versions is None else command(*more, versions=versions)) == 2
    assert message in capsys.readouterr().err


def test_mistakes_of_a_full_run(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "binary").touch()
    full, binary = ["--full=1x5"], [f"--jar={tmp_path / 'binary'}"]
    assert command(what=full, versions=binary) == 2
    assert "does not tell which harness it belongs to; give --harness" in capsys.readouterr().err
    assert command("--harness=scripted", what=full, versions=binary) == 0
    assert command("--new=5x5", what=full) == 2
    assert "--new goes with --plan" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--full=5", "'5' is not forks x iterations; write 5x60"),
        ("--only=(", "'(' is not a regular expression"),
        ("--fork-timeout=0", "'0' is not a number of seconds"),
        ("--fork-timeout=soon", "'soon' is not a number of seconds"),
    ],
)
def test_a_bad_option_says_what_to_write(
    option: str, message: str, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_info:
        command(option)
    assert exit_info.value.code == 2
    assert message in capsys.readouterr().err


def test_the_names_are_listed_and_nothing_runs(
    command: Command, harness: ScriptedHarness, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    harness.held["head"] = tuple(map(Identity, NAMES[1:]))
    assert command("--list", what=[], out="none") == 0
    assert capsys.readouterr().out.splitlines() == [f"{NAMES[0]}  (base only)", *NAMES[1:]]
    assert command("--list", "--only=Other", what=[], out="none") == 0
    assert capsys.readouterr().out.splitlines() == [NAMES[3]]
    assert harness.ran == []
    assert not (tmp_path / "none").exists()


def test_a_dry_run_shows_the_order_and_the_seconds(
    command: Command, harness: ScriptedHarness, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--new=skip", "--dry-run", "--only=alpha", out="none") == 0
    out, err = capsys.readouterr()
    assert "1 benchmark, 6 forks of base and head in turn, about 33 s" in err.replace("\xa0", " ")
    lines = [line.split() for line in out.splitlines()]
    assert [line[1] for line in lines] == ["1", "1", "2", "2", "3", "3"]
    assert {line[2] for line in lines} == {"base", "head"}
    # Two that take turns start together: half of the 0.5 s that a start takes is saved by each.
    assert all(line[3:] == ["5.5", "s", NAMES[0]] for line in lines)
    assert harness.ran == []
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("what", "message"),
    [([], "give --plan or --full, or --list"), (["--full", "1x5"], "give --out, the folder")],
)
def test_what_is_missing_is_said(
    what: list[str],
    message: str,
    command: Command,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["run", *what, f"--jar={tmp_path / 'base.jar'}"]) == 2
    assert message in capsys.readouterr().err


def test_lost_alternatives_are_said(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--only=alpha|Typo|beta") == 0
    assert "--only: 'Typo' matches no benchmark" in capsys.readouterr().err
    assert set(_planned(tmp_path / "out" / "head.json")) == set(NAMES[:2])


def test_a_narrowed_run_says_so_and_goes_on_only_as_it_began(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--only=alpha") == 0
    header = json.loads((tmp_path / "out" / "run.json").read_text())["header"]
    assert header["described"]["only"] == "alpha"
    assert command("--only=alph.", "--resume") == 2
    assert "its only was alpha" in capsys.readouterr().err


def test_a_run_goes_on_only_with_what_decided_before(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(HOUR) == 0
    header = json.loads((tmp_path / "out" / "run.json").read_text())["header"]
    assert list(header["decides"]) == [
        *("rule", "min-change", "confidence", "false-alarms", "time-budget", "looks", "settings")
    ]
    settings = tmp_path / "steady.yml"
    settings.write_text("version: 1\nthresholds:\n- {pattern: a, min-change: 5%}\n")
    for options, problem in (
        ([HOUR, "--confidence=95%"], "its --confidence was by default"),
        ([HOUR, "--false-alarms=5%"], "its --false-alarms was by default"),
        ([HOUR, "--rule=overlap"], "its --rule was paired-t"),
        ([HOUR, "--min-change=7%"], "its --min-change was 0.03"),
        ([HOUR, f"--settings={settings}"], "its --settings had other thresholds, another rate"),
        ([HOUR, "--new=4x5"], "it planned other numbers of rounds"),
    ):
        assert command(*options, "--resume") == 2
        printed = " ".join(capsys.readouterr().err.split())
        assert f"cannot go on with the run in this folder: {problem}" in printed
    # What is accepted does not decide what is measured.
    settings.write_text("version: 1\n")
    assert command(HOUR, f"--settings={settings}", "--resume") == 0


def test_a_plan_of_a_narrowed_run_stays_narrow(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / ".steady" / "plan.json"
    write_plan(replace(read_plan(path), only="Bench"), path)
    assert command() == 0
    assert "the plan was made with --only Bench, so nothing else is run" in capsys.readouterr().err
    assert set(_planned(tmp_path / "out" / "head.json")) == set(NAMES[:3])
    header = json.loads((tmp_path / "out" / "run.json").read_text())["header"]
    assert header["described"]["only"] == "Bench"
    assert command("--only=.", out="all") == 0
    assert set(_planned(tmp_path / "all" / "head.json")) == set(NAMES)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone.jar", "does not exist; check the path"),
        ("folder", "does not hold a test binary of Go"),
        ("notes.md", "does not tell which harness"),
    ],
)
def test_a_wrong_path_is_said(
    name: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.md").write_text("no benchmark")
    options = [f"--jar={tmp_path / name}", f"--out={tmp_path / 'out'}"]
    assert main(["run", "--full=1x5", *options]) == 2
    assert message in capsys.readouterr().err
