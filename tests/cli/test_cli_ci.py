"""What other systems than GitHub get, and the recipes for them."""

from __future__ import annotations

import csv
import json
import re
import shlex
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from written_runs import record, series

from steady.cli import main
from steady.options.parser import parse

TEXT = Path(__file__).parents[2].joinpath("docs", "other-ci.md").read_text(encoding="utf-8")


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Write two results of one benchmark, which became slower; return their names."""
    monkeypatch.chdir(tmp_path)
    for seed, (name, factor) in enumerate((("old.json", 1.0), ("new.json", 1.5))):
        text = json.dumps([record("org.Bench.parse", series(seed, 4, 12, factor))])
        Path(name).write_text(text)
    return ["old.json", "new.json"]


@pytest.mark.parametrize("command", ["compare", "report"])
def test_the_files_are_written_beside_the_output(
    command: str, pair: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = [command, *pair, "--junit", "ci/junit.xml"]
    assert main(words) == 1
    [case] = ElementTree.parse("ci/junit.xml").getroot()
    assert (case.attrib["name"], case[0].tag) == ("parse", "failure")
    err = capsys.readouterr().err
    assert "steady: wrote ci/junit.xml" in err
    assert main([*words, "--fail-on", "never"]) == 0
    [case] = ElementTree.parse("ci/junit.xml").getroot()
    assert case[0].tag == "system-out"


def test_json_has_a_short_name(pair: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(["compare", *pair, "--json"])
    short = capsys.readouterr().out
    main(["compare", *pair, "--output", "json"])
    assert capsys.readouterr().out == short
    assert main(["compare", *pair, "--json", "--out", "x.json", "--fail-on", "never"]) == 0
    assert Path("x.json").read_text() == short


@pytest.mark.needs("jq")
def test_the_pages_line_writes_csv(pair: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    [expression] = re.findall(r"jq -r '(.*@csv)'", TEXT)
    main(["compare", *pair, "--json", "--fail-on", "never"])
    answer = capsys.readouterr().out
    command = ["jq", "-r", expression]
    table = subprocess.run(command, input=answer, capture_output=True, text=True, check=True)
    [row] = csv.reader(table.stdout.splitlines())
    assert row[:2] == ["org.Bench.parse", "regression"]
    assert float(row[3]) > 1.2 * float(row[2])


def test_the_recipes_hold_what_they_promise() -> None:
    [recipe] = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    job = yaml.safe_load(recipe)["benchmarks"]
    last = job["script"][-1]
    assert f"--junit {job['artifacts']['reports']['junit']}" in last
    [pipeline] = re.findall(r"```groovy\n(.*?)```", TEXT, re.DOTALL)
    assert pipeline.count("{") == pipeline.count("}")
    assert "--junit junit.xml" in pipeline
    assert "junit 'junit.xml'" in pipeline


def test_every_command_of_the_page_is_one() -> None:
    lines = re.findall(r"^[ -]*(steady (?:run|compare) .*)$", TEXT, re.MULTILINE)
    assert len(lines) >= 7
    for line in lines:
        words = shlex.split(re.split(r" \|\|? | > ", line)[0])[1:]
        parse(words)
