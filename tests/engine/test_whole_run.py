"""A run by a program: ``steady.run``."""

from pathlib import Path
from typing import Any

import pytest
from scripted_commands import only_harness, stand_in_folder_of_jars
from scripted_harness import CRASHED, NAMES, ScriptedHarness, merged

import steady
from steady.cli import main
from steady.options.parser import parse

PAIR = ("base.jar", "head.jar")


@pytest.fixture(autouse=True)
def harness(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ScriptedHarness:
    """Register the scripted harness as the only one, in a folder with jars."""
    harness = only_harness(monkeypatch)
    stand_in_folder_of_jars(monkeypatch, tmp_path)
    return harness


def test_it_does_what_the_command_does(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "--base=base.jar", "--head=head.jar", "--full=2x20", "--seed=3", "--only=Bench"]
    assert main([*words, "--out=typed", "--all-rounds"]) == 0
    said = capsys.readouterr().err
    lines: list[str] = []
    outcome = steady.run(
        *PAIR, full="2x20", seed=3, only="Bench", out="called", all_rounds=True, say=lines.append
    )
    assert outcome.exit_code == 0
    assert outcome.folder == Path("called")
    called, typed = (merged(Path(folder))["forks"] for folder in ("called", "typed"))
    assert [fork[:4] for fork in called] == [fork[:4] for fork in typed]
    assert lines[0].replace("\u00a0", " ") in said
    assert capsys.readouterr() == ("", "")


def test_its_options_are_those_of_the_command() -> None:
    words = [
        *("--base=base.jar", "--head=head.jar", "--out=results", "--plan=.steady", "--only=a|b"),
        *("--time-budget=10m", "--new=2x3", "--shard=1/3", "--rotation=7"),
        *("--min-change=5%", "--confidence=99%", "--stop=laaber-cv"),
        *("--turns=forks", "--same-code=run", "--jvm-arg=-Xmx1g", "--settings=own.yml"),
    ]
    typed = steady.RunRequest(**vars(parse(["run", *words])))
    assert typed == steady.RunRequest.of(
        base="base.jar", head="head.jar", out="results", plan=".steady", only="a|b",
        time_budget="10m", new="2x3", shard="1/3", rotation=7, min_change="5%",
        confidence=0.99, stop="laaber-cv", turns="forks", same_code="run",
        jvm_arg=["-Xmx1g"], settings="own.yml",
    )  # fmt: skip
    assert typed.only == "a|b"
    assert steady.RunRequest(**vars(parse(["run"]))) == steady.RunRequest()


def test_an_error_names_its_option_without_a_suggested_command() -> None:
    options: dict[str, Any] = {
        "full": "much", "time_budget": "ten", "shard": "3/2", "min_change": "200%", "turns": "both",
    }  # fmt: skip
    for option, value in options.items():
        with pytest.raises(steady.InputError, match=option):
            steady.RunRequest.of(**{option: value})
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({}, "give the length of the run; or follow a plan with --plan"),
        ({"full": "1x1"}, "give --out, the folder for the results; --list and --dry-run need none"),
        ({"plan": "none", "out": "x"}, "none: this plan does not exist yet"),
        ({"full": "1x1", "out": "x", "only": "zzz"}, "--only 'zzz' matches no benchmark"),
    ]
    for options, problem in mistakes:
        with pytest.raises(steady.InputError) as raised:
            steady.run(*PAIR, **options)
        assert str(raised.value) == problem


def test_a_failed_fork_is_no_error_and_a_preview_measures_nothing(
    harness: ScriptedHarness,
) -> None:
    order = steady.run(*PAIR, full="1x1", dry_run=True)
    assert (len(order.state.trials), order.exit_code, harness.ran) == (2 * len(NAMES), 0, [])
    assert {version: len(suite) for version, suite in order.suites.items()} == {
        "base": 0, "head": 0,
    }  # fmt: skip
    harness.script = {0: "crash"}
    outcome = steady.run(jar="head.jar", full="1x1", out="results")
    assert outcome.exit_code == 1
    assert [record.reason for _, record in outcome.state.lost] == [CRASHED]
