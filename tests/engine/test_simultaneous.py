"""The number of benchmarks that a run measures simultaneously: default, refusals and records."""

from pathlib import Path
from typing import Any

import pytest
from scripted_commands import only_harness, stand_in_folder_of_jars
from scripted_harness import ScriptedHarness

import steady
from steady.engine import simultaneous
from steady.engine.run_file import read_run
from steady.engine.simultaneous import Simultaneous
from steady.errors import InputError
from steady.harness.command.runs import CommandRuns
from steady.harness.go.run.go_runs import GoRuns
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.runs import Runs

PAIR: dict[str, Any] = {"base": "base.jar", "head": "head.jar"}


@pytest.fixture
def processors(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Stand in for a machine with a number of processors, which tests may change."""
    own = {"number": 4}
    monkeypatch.setattr(simultaneous, "available_processors", lambda: own["number"])
    return own


def chosen(harness: Runs, **options: Any) -> Simultaneous:
    return Simultaneous.of(steady.RunRequest.of(**options), harness)


def test_the_default_follows_from_the_number_of_processors() -> None:
    by_default = {number: Simultaneous.by_default(number) for number in (1, 2, 3, 4, 5, 8, 16)}
    assert {n: (one.measured, one.screened) for n, one in by_default.items()} == {
        1: (1, 1),
        2: (1, 2),
        3: (1, 2),
        4: (1, 2),
        5: (1, 2),
        8: (1, 2),
        16: (1, 2),
    }


def test_it_is_the_default_or_the_given_number(processors: dict[str, int]) -> None:
    for harness in (JmhRuns(), GoRuns()):
        assert chosen(harness, **PAIR) == Simultaneous(1, 2)
        assert chosen(harness, **PAIR, pairs=3) == Simultaneous(3, 3)
        assert chosen(harness, **PAIR, pairs=1) == Simultaneous(1, 1)
        assert chosen(harness, **PAIR, turns="forks") == Simultaneous(1, 1)
        assert chosen(harness, jar="base.jar") == Simultaneous(1, 1)
    assert chosen(CommandRuns(("ls",)), **PAIR) == Simultaneous(1, 1)
    assert chosen(CommandRuns(("ls",)), **PAIR, pairs=1) == Simultaneous(1, 1)
    processors["number"] = 2
    assert chosen(JmhRuns(), **PAIR) == Simultaneous(1, 2)


@pytest.mark.parametrize(
    ("options", "harness", "why"),
    [
        ({"jar": "base.jar"}, JmhRuns(), "--pairs 2 needs --base and --head"),
        (
            {**PAIR, "turns": "forks"},
            JmhRuns(),
            "--pairs 2 needs interleaved forks; omit --turns forks or --pairs",
        ),
        (PAIR, CommandRuns(("ls",)), "--pairs 2 is not for a command; omit it"),
    ],
)
def test_it_is_refused_without_interleaved_pairs(
    options: dict[str, Any], harness: Runs, why: str, processors: dict[str, int]
) -> None:
    assert processors["number"] >= 2
    with pytest.raises(InputError) as error:
        chosen(harness, **options, pairs=2)
    assert str(error.value) == why


def test_more_pairs_than_processors_are_refused(processors: dict[str, int]) -> None:
    with pytest.raises(InputError) as error:
        chosen(JmhRuns(), **PAIR, pairs=5)
    assert str(error.value) == (
        "--pairs 5 needs 5 processors, and 4 are available; give a smaller number"
    )
    processors["number"] = 1
    with pytest.raises(InputError, match="needs 2 processors, and 1 is available"):
        chosen(JmhRuns(), **PAIR, pairs=2)


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", ""])
def test_it_is_a_whole_number_from_1(text: str) -> None:
    with pytest.raises(InputError, match="is not a whole number from 1; write one, such as 2"):
        steady.RunRequest.of(pairs=text)


def test_numbers_in_words() -> None:
    both, only_screened, neither = Simultaneous(2, 2), Simultaneous(1, 2), Simultaneous()
    assert both.described(screening=True) == "2"
    assert only_screened.described(screening=True) == "1, 2 during screening"
    assert only_screened.described(screening=False) == neither.described(screening=True) == "1"
    assert both.announced(screening=False) == "2 benchmarks simultaneously"
    assert only_screened.announced(screening=True) == "2 benchmarks simultaneously during screening"
    assert only_screened.announced(screening=False) == neither.announced(screening=True) == ""


class TestRuns:
    """Whole runs of a scripted harness."""

    @pytest.fixture(autouse=True)
    def harness(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ScriptedHarness:
        harness = only_harness(monkeypatch)
        stand_in_folder_of_jars(monkeypatch, tmp_path)
        return harness

    def test_a_run_announces_and_records_it(
        self, monkeypatch: pytest.MonkeyPatch, processors: dict[str, int]
    ) -> None:
        monkeypatch.setattr(ScriptedHarness, "has_pairs", True)
        announced: dict[str, str] = {}
        recorded: dict[str, str | None] = {}
        cases: dict[str, dict[str, Any]] = {"two": {"pairs": "2"}, "default": {}}
        for name, options in cases.items():
            said: list[str] = []
            steady.run(**PAIR, full="1x2", out=name, say=said.append, **options)
            announced[name] = next(one for one in said if "interleaved" in one)
            recorded[name] = read_run(Path(name, "run.json")).header.described.get("pairs")
        assert ", 2 benchmarks simultaneously, then" in announced["two"]
        assert "simultaneously" not in announced["default"]
        assert recorded == {"two": "2", "default": None}
        others: list[dict[str, Any]] = [{"pairs": 1}, {}]
        for given in others:
            with pytest.raises(InputError, match="its --pairs was 2"):
                steady.run(**PAIR, full="1x2", out="two", resume=True, **given)
        processors["number"] = 2
        assert steady.run(**PAIR, full="1x2", out="default", resume=True).exit_code == 0

    def test_it_is_refused_before_anything_is_listed(
        self, harness: ScriptedHarness, processors: dict[str, int]
    ) -> None:
        assert processors
        assert not harness.has_pairs
        with pytest.raises(InputError, match="--pairs 2 is not for"):
            steady.run(**PAIR, full="1x2", out="out", pairs=2)
        assert not Path("out").exists()
