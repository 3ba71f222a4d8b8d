"""The README and the pages that quote the demo say what is so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from docs.recorded_demo import ran
from steady.cli.methods import REGISTRIES
from steady.demo import Facts, recording
from steady.report.accepted_changes import accept_lines
from steady.report.plan_report import receipt
from tests.looped import looped

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(page: str, name: str) -> str:
    """Return what stands between a pair of markers."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- /{name} -->", text, re.DOTALL)
    assert found is not None, f"{page} has lost its markers of {name}"
    return found[1]


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


@pytest.fixture(scope="module")
def demo() -> Facts:
    with recording() as recorded:
        return Facts.of(recorded)


def test_the_comment_is_that_of_the_demo(demo: Facts) -> None:
    _, _, text = ran().comment.partition("\n")
    assert block("docs/demo-comment.md", "comment") == quoted(text)
    assert accept_lines(demo.comparison)[0] in text


def test_the_receipt_is_that_of_the_demo(demo: Facts) -> None:
    assert block("docs/savings.md", "receipt") == quoted(receipt(demo.full))


@looped("title", REGISTRIES)
def test_every_method_stands_in_the_table(title: tuple[str, str]) -> None:
    registry: Mapping[str, object] = REGISTRIES[title]
    table = (ROOT / "docs/names.md").read_text(encoding="utf-8")
    shown = {"jmh": "JMH", "jmh-log": "text log", "series": "series JSON"}
    for name in registry:
        assert f"`{name}`" in table or shown.get(name, "\0") in table


def test_it_is_short_and_shows_on_the_package_index() -> None:
    assert len(README.encode()) <= 8192
    assert "[!" not in README.replace("[![", ""), "only GitHub draws alerts"
    targets = re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", README)
    assert all(target.startswith("https://") for pair in targets for target in pair if target)


@looped("name", ["steady-compare", "steady-compare-gradle", "steady-compare-go"])
def test_a_short_workflow_calls_what_the_example_calls(name: str) -> None:
    shown = block("README.md", f"short {name}").removeprefix("```yaml\n").removesuffix("```")
    assert 5 <= len(shown.splitlines()) <= 15
    short = yaml.safe_load(shown)
    example = yaml.safe_load((ROOT / f"examples/workflows/{name}.yml").read_text(encoding="utf-8"))
    assert [short[True]] == list(example[True])
    for job, written in short["jobs"].items():
        assert written == {key: example["jobs"][job][key] for key in written}
        assert set(example["jobs"][job]) - set(written) == {"name"}


def test_what_it_costs_was_measured() -> None:
    table = README.partition("## What it costs")[2].partition("\n## ")[0]
    measured = (ROOT / "docs/measured.md").read_text(encoding="utf-8")
    costs = re.findall(r"([\d.]+) minutes \((\d+) s\)", table)
    assert len(costs) == 4
    for minutes, seconds in costs:
        assert re.search(rf"\b{seconds}\b", measured)
        assert minutes == f"{int(seconds) / 60:.1f}"


def test_what_a_full_run_costs_was_measured_or_computed(demo: Facts) -> None:
    measured = (ROOT / "docs/measured.md").read_text(encoding="utf-8")
    four = re.search(r"--only '(fingerprint\|[\w|]+)'", measured)
    of_go = re.search(r"full run by the clock: 60 forks, promised 75 s \| (\d+) \|", measured)
    assert four is not None
    assert of_go is not None
    chosen = [e for e in demo.full.benchmarks if re.search(four[1], e.identity.name)]
    seconds = (
        *(demo.full_seconds, demo.full_seconds),
        2 * sum(entry.full_seconds for entry in chosen),
        2 * int(of_go[1]),
    )
    table = README.partition("## What it costs")[2].partition("\n\nA full run")[0]
    assert re.findall(r"\| ([\d.]+) minutes \| [\d.]+ minutes \(", table) == [
        f"{one / 60:.1f}" for one in seconds
    ]
