"""``--json``: which commands have it, and that what they print is what its schema says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from written_runs import record, series

from steady.cli import main
from steady.cli.settings import schema
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import BenchmarkPlan, Plan, write_plan
from steady.options.parser import COMMANDS, Parser, build_parser

PAGE = Path(__file__).parents[2].joinpath("docs", "json.md").read_text(encoding="utf-8")
WITH = dict(re.findall(r"^\| `steady ([a-z ]+?) --json` \| \[(\w+)\]", PAGE, re.M))
WITHOUT = dict(re.findall(r"^\| `steady ([a-z ]+)` \| (.+) \|$", PAGE, re.M))


def commands() -> Iterator[tuple[str, Parser]]:
    """Yield every command that does something, with its parser."""
    for name in COMMANDS:
        waiting = [(name, build_parser([name]).below[name])]
        while waiting:
            words, parser = waiting.pop()
            if parser.below:
                waiting += [(f"{words} {below}", p) for below, p in parser.below.items()]
            else:
                yield words, parser


def test_every_command_has_it_or_the_page_says_why_not() -> None:
    has = {
        words: any("--json" in action.option_strings for action in parser.actions)
        for words, parser in commands()
    }
    assert {words for words, it in has.items() if it} == set(WITH)
    assert {words for words, it in has.items() if not it} == set(WITHOUT)


def test_every_schema_of_the_page_is_linked_to_its_file() -> None:
    links = re.findall(r"\[(\w+)\]\(schemas/(\w+)\.schema\.json\)", PAGE)
    assert len(links) == 7
    assert all(text == name for text, name in links)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with results, a plan, and a history of one run."""
    monkeypatch.chdir(tmp_path)
    for seed, side in enumerate(("base", "head")):
        records = [record(f"org.Bench.{n}", series(seed, 4, 20, 1.0)) for n in ("parse", "print")]
        Path(f"{side}.json").write_text(json.dumps(records))
    one = ExecutionConfiguration(2, 2, 3, 1.0, 1.0)
    names = ("org.Bench.parse", "org.Bench.print")
    entries = (BenchmarkPlan(Identity(n), one, one, 10.0, 20.0, "reduced", "") for n in names)
    write_plan(Plan(tuple(entries), "error-budget"), tmp_path / ".steady" / "plan.json")
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], kind: str, *words: str, code: int = 0) -> Any:
    """Return what a command prints, which must hold to its schema."""
    capsys.readouterr()
    assert main([*words, "--json"]) == code
    found = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(schema(kind)).validate(found)
    assert next(iter(found)).startswith("steady_")
    return found


@pytest.mark.usefixtures("folder")
class TestPrinted:
    def test_analyze(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = printed(capsys, WITH["analyze"], "analyze", "base.json")
        assert [len(entry["starts"]) for entry in found["benchmarks"]] == [4, 4]

    def test_compare(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = printed(capsys, WITH["compare"], "compare", "base.json", "head.json")
        assert found["verdict"] == "unchanged"

    def test_plan(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = printed(capsys, "plan", "plan")
        assert found == json.loads(Path(".steady/plan.json").read_text())

    def test_methods(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = printed(capsys, WITH["methods"], "methods")["methods"]
        assert all(entry["summary"] and entry["source"] for entry in found)
        rules = [entry["name"] for entry in found if entry["option"] == "--rule"]
        assert "paired-t" in rules
        main(["methods"])
        assert all(entry["name"] in capsys.readouterr().out for entry in found[:1])

    def test_history(self, capsys: pytest.CaptureFixture[str]) -> None:
        empty = printed(capsys, WITH["history list"], "history", "list", "--store", "kept")
        assert empty["runs"] == []
        commit = "1" * 40
        assert main(["history", "record", "base.json", "--store", "kept", "--commit", commit]) == 0
        found = printed(capsys, "history", "history", "list", "--store", "kept")
        [run] = found["runs"]
        assert (run["suite"], run["commit"], run["benchmarks"]) == ("default", commit, 2)
