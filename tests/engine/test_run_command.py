"""`steady run` on the command line: its output, its errors, and its end."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from scripted_harness import NAMES
from transcripts import FOLDER, Terminal

from steady.cli import main
from steady.engine import HarnessSettings, Trial
from steady.optimize import read_plan, write_plan

PAIR = ("run", "--base=base.jar", "--head=head.jar", "--out=out")
PLANNED = (*PAIR, "--plan=.steady", "--all-rounds", "--new=skip")


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return Terminal(tmp_path, monkeypatch)


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.iterdir()))
def test_the_transcript_is_the_reviewed_one(name: str, terminal: Terminal) -> None:
    """`python -m tests.engine.transcripts` regenerates the transcripts."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert terminal.typed(text) == text


def test_too_short_a_time_is_reported_and_is_no_failure(terminal: Terminal) -> None:
    terminal.harness.pause = 0.15
    said = terminal.steady(*PAIR, "--time-budget=3")
    assert "the time was too short for" in said
    assert said.endswith("exit code 0\n")
    assert len(terminal.harness.together) < 12


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_once(
    number: int, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(number)
    measure = terminal.harness.measure

    def signalled(trial: Trial, result: Path) -> None:
        if trial.number == 3:
            try:
                os.kill(os.getpid(), number)
                os.kill(os.getpid(), number)
            finally:
                os.kill(os.getpid(), number)  # while the harness ends its processes
        measure(trial, result)

    monkeypatch.setattr(terminal.harness, "measure", signalled)
    assert terminal.steady(*PLANNED).endswith("exit code 130\n")
    assert terminal.harness.closed == 1
    assert signal.getsignal(number) is before


def test_github_folds_the_log(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert main([*PLANNED]) == 0
    lines = capsys.readouterr().err.splitlines()
    start, end = lines.index("::group::steady run"), lines.index("::endgroup::")
    assert all("forks done" in line for line in lines[start + 1 : end])
    assert end - start == 1 + 9  # a line for each pair of forks


def test_names_cannot_inject_log_commands(terminal: Terminal) -> None:
    for version in ("base", "head"):
        terminal.holds(version, "a\n::error::x ##[error]y \x1b[2J")
    terminal.script(*(f"{number}=crash" for number in range(10)))
    *lines, code = terminal.steady(*PAIR, "--full=5x5", "--all-rounds").splitlines()
    assert code == "exit code 1"
    assert all(line.startswith("steady: ") for line in lines)
    assert "##[" not in "".join(lines)
    assert "\x1b" not in "".join(lines)


def test_settings_reach_the_harness(terminal: Terminal) -> None:
    for options, settings in (
        (
            ["--java=/jdk/bin/java", "--jvm-arg=-Xmx1g", "--jvm-arg=-Xms1g"],
            HarnessSettings("/jdk/bin/java", ("-Xmx1g", "-Xms1g")),
        ),
        (["--turns=forks", "--out=forks"], HarnessSettings(turns="forks")),
    ):
        assert "exit code 0" in terminal.steady(*PLANNED, *options)
        assert terminal.harness.settings == settings  # type: ignore[attr-defined]


def test_runs_of_earlier_releases_were_not_interleaved(terminal: Terminal) -> None:
    terminal.steady(*PLANNED, "--turns=forks")
    path = Path("out/run.json")
    path.write_text(path.read_text().replace(',\n      "turns": "forks"', ""))
    assert '"turns"' not in path.read_text()
    assert "its --turns was forks" in terminal.steady(*PLANNED, "--resume")
    assert "exit code 0" in terminal.steady(*PLANNED, "--turns=forks", "--resume")


def test_a_plan_of_a_limited_run_stays_limited(terminal: Terminal) -> None:
    plan = Path(".steady/plan.json")
    write_plan(replace(read_plan(plan), only="Bench"), plan)
    said = terminal.steady(*PLANNED, "--new=2x5")
    assert "the plan was made with --only Bench, so no other benchmarks run" in said
    assert NAMES[3] not in terminal.shows("out")
    assert "\nonly: Bench\n" in terminal.shows("out")
    terminal.steady(*PLANNED, "--new=2x5", "--only=.", "--out=all")
    assert f"2 of {NAMES[3]}" in terminal.shows("all")


def test_a_folder_without_benchmarks_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--full=1x5", f"--jar={tmp_path}", f"--out={tmp_path / 'out'}"]) == 2
    assert "contains no Go test binary" in capsys.readouterr().err
