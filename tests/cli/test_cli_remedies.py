"""Every remedy that `steady optimize` can name, typed as it was printed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import steady
from steady.cli import main
from steady.model import FloatArray
from steady.optimize import read_plan
from steady.options.parser import parse
from steady.options.run_options import RunCommand
from steady.readers.series_format import write_series


def results(path: Path, benchmarks: dict[str, FloatArray], seconds: float = 1.0) -> None:
    unit = "ops/s" if any((values == 0).any() for values in benchmarks.values()) else "ns/op"
    write_series(steady.Suite.of(benchmarks, unit=unit, iteration_seconds=seconds), path)


def quiet(seed: int, forks: int = 5, iterations: int = 40) -> FloatArray:
    return 1 + 0.005 * np.random.default_rng(seed).standard_normal((forks, iterations))


def warming(seed: int, iterations: int) -> FloatArray:
    """Forks that become four times as fast within fifty iterations."""
    falls = np.interp(np.arange(iterations), [0, 50], [4.0, 1.0])
    return quiet(seed, iterations=iterations) * falls


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def typed(command: str) -> int:
    words = shlex.split(command)
    assert words[0] == "steady"
    return main(words[1:])


def commands_in(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.startswith("  steady ")]


@pytest.mark.parametrize(
    ("benchmarks", "budget"),
    [({"a": quiet(1), "b": quiet(2)}, "50"), ({"a": quiet(1), "b": warming(2, 40)}, "300")],
)
def test_a_time_budget_that_is_too_short_names_a_command_that_fits(
    benchmarks: dict[str, FloatArray], budget: str, capsys: pytest.CaptureFixture[str]
) -> None:
    results(Path("full.json"), benchmarks)
    assert typed("steady optimize full.json --out plans --time-budget=" + budget) == 2
    [command] = re.findall(r"`(steady [^`]+)`", capsys.readouterr().err)
    assert "--time-budget" in command
    assert typed(command) == 0


def test_a_warm_up_to_the_end_is_measured_longer_or_reduced(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results(Path("full.json"), {"a.quiet": quiet(1), "b.warms": warming(2, 40)})
    assert typed("steady optimize full.json --budget 20% --jar b.jar") == 0
    assert read_plan(".steady/plan.json")["b.warms"].status == "full"
    measure, add, reduce = commands_in(capsys.readouterr().out)
    assert measure == (
        r"steady run --full 5x80 --jar b.jar --only 'b\.warms' --iteration-seconds 1 --out longer"
    )
    Path("longer").mkdir()
    results(Path("longer/results.json"), {"b.warms": warming(2, 80)})
    assert typed(add) == 0
    plan = read_plan(".steady/plan.json")
    assert [entry.status for entry in plan.benchmarks] == ["reduced", "reduced"]
    assert not commands_in(capsys.readouterr().out)
    assert typed(reduce) == 0
    assert read_plan(".steady/plan.json")["b.warms"].status == "reduced"


@pytest.mark.parametrize(
    ("few", "enough"),
    [
        (quiet(1, forks=1), quiet(1, forks=5)),
        (quiet(1, iterations=6), quiet(1, iterations=10)),
    ],
)
def test_too_few_forks_or_iterations_are_measured_anew(
    few: FloatArray, enough: FloatArray, capsys: pytest.CaptureFixture[str]
) -> None:
    results(Path("full.json"), {"a": few})
    assert typed("steady optimize full.json") == 0
    measure, add = commands_in(capsys.readouterr().out)
    assert f"--full 5x{enough.shape[1]} " in measure
    assert "--only" not in measure
    Path("longer").mkdir()
    results(Path("longer/results.json"), {"a": enough})
    assert typed(add) == 0
    assert "too few" not in capsys.readouterr().out


def test_iterations_without_an_operation_get_more_time(capsys: pytest.CaptureFixture[str]) -> None:
    stuck = quiet(1)
    stuck[2, 3] = 0.0
    results(Path("full.json"), {"a": stuck}, seconds=0.5)
    assert typed("steady optimize full.json") == 0
    measure, add = commands_in(capsys.readouterr().out)
    assert "--iteration-seconds 1 " in measure
    Path("longer").mkdir()
    results(Path("longer/results.json"), {"a": quiet(1)})
    assert typed(add) == 0
    assert not commands_in(capsys.readouterr().out)


def test_no_remedy_is_named_where_every_benchmark_has_a_plan(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results(Path("full.json"), {"a": quiet(1)})
    assert typed("steady optimize full.json") == 0
    assert not commands_in(capsys.readouterr().out)


def test_a_proposed_command_keeps_operands_behind_a_switch(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results(Path("full.json"), {"a": quiet(1)})
    assert typed("steady optimize full.json --out plans") == 0
    capsys.readouterr()
    assert typed("steady optimize --update full.json --out=plans --time-budget=1") == 2
    commands = re.findall(r"`(steady [^`]+)`", capsys.readouterr().err)
    assert commands
    for command in commands:
        assert command.startswith("steady optimize full.json --time-budget ")
        assert command.endswith(" --update --out plans")


def test_a_benchmark_of_go_is_measured_anew_alone(capsys: pytest.CaptureFixture[str]) -> None:
    name = "github.com/go-chi/chi.BenchmarkMux/size=8"
    results(Path("full.json"), {"x/y.BenchmarkQuiet": quiet(1), name: quiet(1, forks=1)})
    assert typed("steady optimize full.json") == 0
    measure, _ = commands_in(capsys.readouterr().out)
    command = parse(shlex.split(measure)[1:])
    assert isinstance(command, RunCommand)
    assert command.only == re.escape(name)
