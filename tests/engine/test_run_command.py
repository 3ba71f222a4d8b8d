"""`steady run` as it is typed: what it says, what it refuses, and what ends it."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from scripted_commands import only_harness
from scripted_harness import NAMES, ScriptedHarness, merged, run_file

from steady.cli import main
from steady.engine import HarnessSettings, Trial
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import BenchmarkPlan, Plan, read_plan, write_plan

HOUR = "--time-budget=1h"


class Command:
    """`steady run` on two jars, by a plan of three benchmarks, into a folder ``out``.

    It knows one harness only, the scripted one.
    """

    def __init__(
        self, folder: Path, harness: ScriptedHarness, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder, self.harness, self._capsys = folder, harness, capsys
        for name in ("base", "head"):
            (folder / f"{name}.jar").write_text(f"content of {name}")
        full = ExecutionConfiguration(5, 0, 60, 1.0, 1.0)
        reduced = ExecutionConfiguration(3, 2, 3, 1.0, 1.0)
        entries = (
            BenchmarkPlan(Identity(n), reduced, full, 16.5, 300.0, "reduced", "") for n in NAMES[:3]
        )
        plan = Plan(tuple(entries), "uoptime", harness="scripted")
        self.plan = write_plan(plan, folder / ".steady" / "plan.json")
        self.alone = [f"--jar={folder / 'base.jar'}"]
        self.pair = [f"--{name}={folder / name}.jar" for name in ("base", "head")]
        self.out = self.err = ""

    def __call__(
        self,
        *more: str,
        what: list[str] | None = None,
        versions: list[str] | None = None,
        out: str = "out",
    ) -> int:
        """Run it, and keep what it says; return its exit code."""
        what = ["--plan", str(self.folder / ".steady")] if what is None else what
        # What the script leaves has no numbers, so that nothing could be decided.
        whole = ["--all-rounds"] if versions is None and HOUR not in more else []
        sides = self.pair if versions is None else versions
        return self.main("run", *what, *sides, f"--out={self.folder / out}", *whole, *more)

    def main(self, *words: str) -> int:
        try:
            code = main([*words])
        except SystemExit as ended:
            code = int(ended.code or 0)
        self.out, self.err = self._capsys.readouterr()
        return code

    @property
    def told(self) -> str:
        """What it said to standard error, in one line."""
        return " ".join(self.err.split())

    def planned(self, version: str = "head", out: str = "out") -> dict[str, int]:
        found: dict[str, int] = merged(self.folder / out, version)["planned"]
        return found


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    return Command(tmp_path, only_harness(monkeypatch), capsys)


def test_base_and_head_as_planned(command: Command, tmp_path: Path) -> None:
    assert command("--new", "skip") == 0
    assert command.out.splitlines() == [
        f"wrote {tmp_path / 'out' / 'base.json'}",
        f"wrote {tmp_path / 'out' / 'head.json'}",
        f"the verdict: steady compare {tmp_path / 'out'} --plan {tmp_path / '.steady'}",
    ]
    assert "3 benchmarks, 18 forks of base and head in turn, about 1 min 39 s" in command.told
    assert "not clear" not in command.told
    assert "18 of 18 forks done" in command.told
    assert f"plan does not know 1 benchmark ({NAMES[3]}): left out, as --new says" in command.told
    assert command.planned() == dict.fromkeys(NAMES[:3], 3)


class TestWithoutAPlan:
    def test_a_time_is_enough(self, command: Command, tmp_path: Path) -> None:
        assert command(HOUR, "--min-change", "4%", what=[]) == 0
        assert "4 benchmarks, 24 forks of base and head in turn" in command.told
        assert "at most about 1 h" in command.told
        assert len(command.harness.together) == 12
        base, head = (tmp_path / "out" / f"{name}.json" for name in ("base", "head"))
        assert (
            f"a plan of what was learnt, for later runs: steady optimize {base} --detect 5% "
            f"--earlier {base} {head}" in command.out
        )
        assert f"the verdict: steady compare {tmp_path / 'out'} --min-change 4%\n" in command.out

    def test_too_short_a_time_is_said_and_is_no_failure(self, command: Command) -> None:
        command.harness.pause = 0.15
        assert command(HOUR, "--time-budget=3", what=[]) == 0
        assert "the time was too short to look at" in command.told
        assert len(command.harness.together) < 12

    def test_a_folder_that_is_taken_is_refused_before_anything_runs(
        self, command: Command, tmp_path: Path
    ) -> None:
        assert command(HOUR, what=[]) == 0
        command.harness.together.clear()
        (tmp_path / "file").write_text("")
        for out, problem in (
            ("out", "already holds run.json"),
            ("file/out", "cannot be written (Not a directory); choose a folder"),
        ):
            assert command(HOUR, what=[], out=out) == 2
            assert problem in command.told
            assert "forks of base and head" not in command.told
        assert command.harness.together == []


def test_new_benchmarks_run_too(command: Command) -> None:
    for number, (more, forks) in enumerate([((), 5), (("--new", "2x10"), 2)]):
        assert command(*more, out=str(number)) == 0
        expected = {**dict.fromkeys(NAMES[:3], 3), NAMES[3]: forks}
        assert command.planned(out=str(number)) == expected
        assert f"run with {forks} forks of" in command.told


def test_what_a_version_does_not_hold_is_said_and_left_out(command: Command) -> None:
    command.harness.held["head"] = tuple(map(Identity, NAMES[1:3]))
    assert command("--new=skip") == 0
    assert f"head does not hold 1 benchmark ({NAMES[0]}) of the plan" in command.told
    assert set(command.planned("base")) == set(NAMES[:3])
    assert set(command.planned("head")) == set(NAMES[1:3])


def test_the_plan_of_another_suite_is_refused(command: Command) -> None:
    """Else all of a suite would run for hours, as if every benchmark were new."""
    command.harness.held = dict.fromkeys(("base", "head"), (Identity("other.Suite.one"),))
    assert command() == 2
    assert "holds none of these benchmarks, so it is the plan of another suite" in command.told
    assert "or run without one: `steady run --base" in command.told
    assert command("--new", "1x1") == 0


def test_a_full_run_of_one_version(command: Command) -> None:
    what = ["--full", "2x6", "--iteration-seconds", "0.1", "--only", r"Bench\.(alpha|beta)$"]
    assert command(what=what, versions=command.alone) == 0
    assert command.planned("results") == dict.fromkeys(NAMES[:2], 2)


def test_failed_forks_make_the_exit_code_one(command: Command) -> None:
    command.harness.script = {**dict.fromkeys(range(18), "crash"), 4: ""}
    assert command("--new=skip") == 1
    assert "17 forks of 18 left no result" in command.told
    assert command.err.count("steady: no result of ") == 5


def test_ctrl_c_and_resume(command: Command) -> None:
    command.harness.script = {7: "interrupt"}
    assert command("--new=skip") == 130
    assert "stopped; this goes on: `steady run " in command.told
    assert " --resume " in command.told.rpartition("`steady run ")[2]
    assert "the verdict:" not in command.out
    command.harness.script = {}
    assert command("--new=skip") == 2
    assert "already holds run.json; go on with that run by --resume" in command.told
    assert command("--new=skip", "--resume", "--seed=3") == 2
    assert "its seed was 0" in command.told
    assert command("--new=skip", "--resume", "--fork-timeout=5") == 0
    assert command.harness.ran == [*range(8), *range(6, 18)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_once(
    number: int, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(number)
    measure = command.harness.measure

    def signalled(trial: Trial, result: Path) -> None:
        if trial.number == 3:
            try:
                os.kill(os.getpid(), number)
                os.kill(os.getpid(), number)
            finally:
                os.kill(os.getpid(), number)  # while the harness ends its processes
        measure(trial, result)

    monkeypatch.setattr(command.harness, "measure", signalled)
    assert command("--new=skip") == 130
    assert command.harness.closed == 1
    assert signal.getsignal(number) is before


def test_github_folds_the_log(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert command("--new=skip") == 0
    lines = command.err.splitlines()
    start, end = lines.index("::group::steady run"), lines.index("::endgroup::")
    assert all("forks done" in line for line in lines[start + 1 : end])
    assert end - start == 1 + 9  # a line for each pair of forks


def test_no_name_is_a_command_of_the_log(command: Command) -> None:
    hostile = Identity("a\n::error::x ##[error]y \x1b[2J")
    command.harness.held = dict.fromkeys(("base", "head"), (hostile,))
    command.harness.script = dict.fromkeys(range(10), "crash")
    assert command("--new", "5x5") == 1
    assert all(line.startswith("steady: ") for line in command.err.splitlines())
    assert "##[" not in command.err
    assert "\x1b" not in command.err
    assert command.out == ""


def test_settings_reach_the_harness(command: Command) -> None:
    assert command("--java", "/jdk/bin/java", "--jvm-arg=-Xmx1g", "--jvm-arg=-Xms1g") == 0
    assert command.harness.settings == HarnessSettings("/jdk/bin/java", ("-Xmx1g", "-Xms1g"))  # type: ignore[attr-defined]
    assert command("--turns=forks", out="forks") == 0
    assert command.harness.settings == HarnessSettings(turns="forks")  # type: ignore[attr-defined]


def test_base_and_head_take_turns_unless_told_otherwise(command: Command) -> None:
    """What is stopped by a rule does, too; a run of an earlier release went fork by fork."""
    skip, together = "--new=skip", command.harness.together
    for number, stop in enumerate((skip, "--stop=georges")):
        together.clear()
        assert command(skip, stop, out=f"iterations{number}") == 0
        assert len(together) == 9
        together.clear()
        assert command(skip, stop, "--turns=forks", out=f"forks{number}") == 0
        assert together == []
        assert "about 1 min 39 s" in command.told
    for turns, other in (("iterations", "forks"), ("forks", "iterations")):
        described = run_file(command.folder / f"{turns}0")["header"]["described"]
        assert described["turns"] == turns
        assert command(skip, f"--turns={other}", "--resume", out=f"{turns}0") == 2
        assert f"its --turns was {turns}" in command.told
    path = command.folder / "forks0" / "run.json"
    path.write_text(path.read_text().replace(',\n      "turns": "forks"', ""))
    assert '"turns"' not in path.read_text()
    assert command(skip, "--resume", out="forks0") == 2
    assert "its --turns was forks" in command.told
    assert command(skip, "--turns=forks", "--resume", out="forks0") == 0


def test_a_mistake_says_what_to_write(command: Command, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("no benchmark")
    full, alone, nothing = ["--full=1x5"], command.alone, list[str]()
    usual = ["--plan", str(tmp_path / ".steady")]
    for options, what, versions, problem in (
        (["--base=b.jar"], usual, nothing, "give --base and --head to measure both in turn"),
        ([], usual, nothing, "give --base and --head to measure both in turn"),
        (["--base=b.jar"], usual, alone, "--jar is for a single version"),
        (["--jar=gone.jar"], usual, nothing, "gone.jar: is not there; build it first"),
        (["--iteration-seconds=1"], usual, alone, "--iteration-seconds goes with --full"),
        (["--turns=forks"], usual, alone, "--turns goes with --base and --head"),
        (["--only=nothing"], usual, None, "matches no benchmark; `steady run --base "),
        (["--new=5x5"], full, alone, "--new goes with --plan"),
        (["--time-budget=5m"], full, alone, "--time-budget goes with --base"),
        (["--all-rounds"], full, alone, "--all-rounds goes with --base"),
        (["--time-budget=5m"], usual, None, "leave out --time-budget, or --all-rounds"),
        (["--confidence=95%", "--false-alarms=5%"], usual, None, "but not both"),
        ([HOUR, "--new=5x5"], nothing, None, "--new"),
        ([HOUR, "--shard=1/2"], nothing, None, "--shard"),
        ([HOUR, "--all-rounds"], nothing, None, "--all-rounds"),
        ([HOUR], nothing, alone, "give --plan or --full, or --list to see the names"),
        (["--time-budget=1 hour"], usual, None, "'1 hour' is not a time; write 600, 10m or 1.5h"),
        (["--full=5"], usual, None, "'5' is not forks x iterations; write 5x60"),
        (["--only=("], usual, None, "'(' is not a regular expression"),
        (["--fork-timeout=0"], usual, None, "'0' is not a number of seconds"),
        (["--fork-timeout=soon"], usual, None, "'soon' is not a number of seconds"),
        ([f"--jar={tmp_path / 'gone.jar'}"], full, nothing, "gone.jar: does not exist; check the"),
        ([f"--jar={notes}"], full, nothing, "does not tell which harness it belongs to; give --ha"),
    ):
        assert command(*options, what=what, versions=versions) == 2
        assert problem in command.told
    assert command("--harness=scripted", f"--jar={notes}", what=full, versions=[]) == 0
    for what, problem in (
        ([], "give --plan or --full, or --list"),
        (full, "give --out, the folder"),
    ):
        assert command.main("run", *what, *alone) == 2
        assert problem in command.told


def test_a_folder_without_benchmarks_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--full=1x5", f"--jar={tmp_path}", f"--out={tmp_path / 'out'}"]) == 2
    assert "does not hold a test binary of Go" in capsys.readouterr().err


def test_the_names_are_listed_and_nothing_runs(command: Command, tmp_path: Path) -> None:
    command.harness.held["head"] = tuple(map(Identity, NAMES[1:]))
    assert command("--list", what=[], out="none") == 0
    assert command.out.splitlines() == [f"{NAMES[0]}  (base only)", *NAMES[1:]]
    assert command("--list", "--only=Other", what=[], out="none") == 0
    assert command.out.splitlines() == [NAMES[3]]
    assert command.harness.ran == []
    assert not (tmp_path / "none").exists()


def test_a_dry_run_shows_the_order_and_the_seconds(command: Command, tmp_path: Path) -> None:
    assert command("--new=skip", "--dry-run", "--only=alpha", out="none") == 0
    assert "1 benchmark, 6 forks of base and head in turn, about 33 s" in command.told
    lines = [line.split() for line in command.out.splitlines()]
    assert [line[1] for line in lines] == ["1", "1", "2", "2", "3", "3"]
    assert {line[2] for line in lines} == {"base", "head"}
    # Two that take turns start together: half of the 0.5 s that a start takes is saved by each.
    assert all(line[3:] == ["5.5", "s", NAMES[0]] for line in lines)
    assert command.harness.ran == []
    assert not (tmp_path / "none").exists()


def test_a_narrowed_run_says_so_and_goes_on_only_as_it_began(command: Command) -> None:
    assert command("--only=alpha|Typo|beta") == 0
    assert "--only: 'Typo' matches no benchmark" in command.told
    assert set(command.planned()) == set(NAMES[:2])
    described = run_file(command.folder / "out")["header"]["described"]
    assert described["only"] == "alpha|Typo|beta"
    assert command("--only=alpha|beta", "--resume") == 2
    assert "its only was alpha|Typo|beta" in command.told


def test_a_plan_of_a_narrowed_run_stays_narrow(command: Command) -> None:
    write_plan(replace(read_plan(command.plan), only="Bench"), command.plan)
    assert command() == 0
    assert "the plan was made with --only Bench, so nothing else is run" in command.told
    assert set(command.planned()) == set(NAMES[:3])
    assert run_file(command.folder / "out")["header"]["described"]["only"] == "Bench"
    assert command("--only=.", out="all") == 0
    assert set(command.planned(out="all")) == set(NAMES)


def test_a_run_goes_on_only_with_what_decided_before(command: Command, tmp_path: Path) -> None:
    assert command(HOUR) == 0
    said = "forks of base and head in turn, then more of what is not clear, at most about 1 h"
    assert said in command.told
    assert list(run_file(tmp_path / "out")["header"]["decides"]) == [
        *("rule", "min-change", "confidence", "false-alarms", "time-budget", "looks", "settings")
    ]
    settings = tmp_path / "steady.yml"
    settings.write_text("version: 1\nthresholds:\n- {pattern: a, min-change: 5%}\n")
    for option, problem in (
        ("--confidence=95%", "its --confidence was by default"),
        ("--time-budget=2h", "its --time-budget was 3600"),
        ("--false-alarms=5%", "its --false-alarms was by default"),
        ("--rule=overlap", "its --rule was paired-t"),
        ("--min-change=7%", "its --min-change was 0.03"),
        (f"--settings={settings}", "its --settings had other thresholds, another rate"),
        ("--new=4x5", "it planned other numbers of rounds"),
    ):
        assert command(HOUR, option, "--resume") == 2
        assert f"cannot go on with the run in this folder: {problem}" in command.told
    # What is accepted does not decide what is measured.
    settings.write_text("version: 1\n")
    assert command(HOUR, f"--settings={settings}", "--resume") == 0
