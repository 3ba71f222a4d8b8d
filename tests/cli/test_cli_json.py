"""Machine-readable output: ``--json`` and ``--junit``, their schemas, and the page's recipes."""

import csv
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
import yaml
from written_runs import NAMES

from steady.cli.settings import schema
from steady.model import ExecutionConfiguration
from steady.optimize import write_plan
from steady.options.parser import COMMANDS, Parser, build_parser, parse
from tests.cli.shell import Shell, plan_of, write_sides

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "json.md").read_text(encoding="utf-8")
WITH = dict(re.findall(r"^\| `steady ([a-z ]+?) --json` \| \[(\w+)\]", PAGE, re.M))
WITHOUT = dict(re.findall(r"^\| `steady ([a-z ]+)` \| (.+) \|$", PAGE, re.M))
OTHER_CI = (DOCS / "other-ci.md").read_text(encoding="utf-8")


def commands() -> Iterator[tuple[str, Parser]]:
    """Yield every leaf command with its parser."""
    for name in COMMANDS:
        waiting = [(name, build_parser([name]).subcommands[name])]
        while waiting:
            words, parser = waiting.pop()
            if parser.subcommands:
                waiting += [(f"{words} {below}", p) for below, p in parser.subcommands.items()]
            else:
                yield words, parser


def test_every_command_has_json_or_a_documented_reason() -> None:
    has = {
        words: any("--json" in action.option_strings for action in parser.actions)
        for words, parser in commands()
    }
    assert {words for words, it in has.items() if it} == set(WITH)
    assert {words for words, it in has.items() if not it} == set(WITHOUT)
    links = re.findall(r"\[(\w+)\]\(schemas/(\w+)\.schema\.json\)", PAGE)
    assert len(links) == 7
    assert all(text == name for text, name in links)


def printed(shell: Shell, kind: str, words: str) -> Any:
    """Return a command's output, validated against its schema."""
    ended = shell(f"{words} --json")
    assert ended.code == 0
    found = json.loads(ended.out)
    jsonschema.Draft202012Validator(schema(kind)).validate(found)
    assert next(iter(found)).startswith("steady_")
    return found


def test_output_conforms_to_its_schema(shell: Shell) -> None:
    write_sides()
    one = ExecutionConfiguration(2, 2, 3, 1.0, 1.0)
    write_plan(plan_of(NAMES, one), Path(".steady/plan.json"))
    found = printed(shell, WITH["analyze"], "analyze base.json")
    assert [len(entry["starts"]) for entry in found["benchmarks"]] == [3, 3, 3]
    found = printed(shell, WITH["compare"], "compare base.json head.json")
    assert found["verdict"] == "unchanged"
    found = printed(shell, "plan", "plan")
    assert found == json.loads(Path(".steady/plan.json").read_text())
    found = printed(shell, WITH["methods"], "methods")["methods"]
    assert all(entry["summary"] and entry["source"] for entry in found)
    assert "paired-t" in [entry["name"] for entry in found if entry["option"] == "--rule"]
    assert found[0]["name"] in shell("methods").out
    assert printed(shell, WITH["history list"], "history list --store kept")["runs"] == []
    commit = "1" * 40
    assert shell(f"history record base.json --store kept --commit {commit}").code == 0
    [run] = printed(shell, "history", "history list --store kept")["runs"]
    assert (run["suite"], run["commit"], run["benchmarks"]) == ("default", commit, 3)
    short = shell("compare base.json head.json --json").out
    assert shell("compare base.json head.json --output json").out == short
    shell("compare base.json head.json --json --out x.json")
    assert Path("x.json").read_text() == short


@pytest.mark.parametrize("command", ["compare", "report"])
def test_the_junit_file_is_written_in_addition_to_the_output(command: str, shell: Shell) -> None:
    write_sides(1.5)
    for more, code, tag in (("", 1, "failure"), (" --fail-on never", 0, "system-out")):
        ended = shell(f"{command} base.json head.json --junit ci/junit.xml{more}")
        assert ended.code == code
        assert "steady: wrote ci/junit.xml" in ended.err
        cases = {
            case.attrib["name"]: case[0].tag for case in ElementTree.parse("ci/junit.xml").getroot()
        }
        assert cases["beta"] == tag


def test_csv_has_a_record_for_each_benchmark_on_standard_output_and_in_a_file(shell: Shell) -> None:
    [words] = re.findall(r"steady (compare .* --csv) > ", OTHER_CI)
    write_sides(1.5)
    line = words.replace("old.json new.json", "base.json head.json")
    ended = shell(line)
    assert ended.code == 1
    records = list(csv.DictReader(ended.out.splitlines()))
    assert [record["benchmark"] for record in records if not record["metric"]] == list(NAMES)
    assert records[1]["outcome"] == "regression"
    assert float(records[1]["head"]) > 1.2 * float(records[1]["base"])
    assert shell("compare base.json head.json --output csv").out == ended.out
    written = shell(f"{line} --out changes/all.csv")
    assert (written.code, written.out) == (1, "wrote changes/all.csv\n")
    content = Path("changes/all.csv").read_bytes()
    assert content.count(b"\r\n") == content.count(b"\n") == 1 + len(records)
    assert content.decode().splitlines() == ended.out.splitlines()
    assert shell(f"{line} --fail-on never").code == 0


def test_the_documented_recipes_work() -> None:
    [recipe] = re.findall(r"```yaml\n(.*?)```", OTHER_CI, re.DOTALL)
    job = yaml.safe_load(recipe)["benchmarks"]
    assert f"--junit {job['artifacts']['reports']['junit']}" in job["script"][-1]
    [pipeline] = re.findall(r"```groovy\n(.*?)```", OTHER_CI, re.DOTALL)
    assert pipeline.count("{") == pipeline.count("}")
    assert "--junit junit.xml" in pipeline
    assert "junit 'junit.xml'" in pipeline
    lines = re.findall(r"^[ -]*(steady (?:run|compare) .*)$", OTHER_CI, re.MULTILINE)
    assert len(lines) >= 7
    for line in lines:
        parse(shlex.split(re.split(r" \|\|? | > ", line)[0])[1:])
