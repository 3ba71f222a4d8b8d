"""Files of every released version, stored in `tests/kept`, can still be read."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

import steady
from docs.surface import recorded
from steady.cli.settings import schema
from steady.engine.run_file import read_run
from steady.harness.fork_facts import VERSION
from steady.harnesses import RUNNABLE
from steady.history.entry import decode
from steady.readers import load
from steady.samecode.choice import SameCodeFile
from tests.harness.facts_in_files import facts_in_file

KEPT = Path(__file__).with_name("kept")
MERGED = sorted(KEPT.glob("facts-*/*"))
OTHERS = sorted(KEPT.glob("*.json"))


def by_old_keys(path: Path) -> list[dict[str, Any]]:
    """Return the facts in a file that predates the first versioned format."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".txt":
        lines = re.findall(r"(?m)^# steady process (.+)", text)
        facts: list[dict[str, Any]] = [dict(re.findall(r"(\w+)=(\S+)", line)) for line in lines]
        for one in facts:
            one |= {"in_turn": one.get("turns") == "1", "seconds": float(one["seconds"])}
            one["looks"] = [int(number) for number in one["looks"].split(",")]
        return facts
    if path.stem != "jmh":
        return facts_in_file(path)
    return [
        {
            "block": block,
            "in_turn": record["steadyTurns"][n],
            "seconds": record["steadySeconds"][n][0],
            "looks": record["steadyLooks"],
        }
        for record in json.loads(text)
        for n, block in enumerate(record["steadyBlocks"])
    ]


@pytest.mark.parametrize("path", MERGED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_merged_results_of_every_version_keep_their_facts(path: Path) -> None:
    facts = by_old_keys(path) if path.parent.name == "facts-0" else facts_in_file(path)
    suite = load(path)
    assert suite.harness == path.stem
    assert not suite.failures
    (benchmark,) = suite.benchmarks
    spent = [None if one is None else one.seconds for one in benchmark.spent]
    in_turn = benchmark.in_turn or [False] * len(benchmark.blocks)
    read = zip(benchmark.blocks, in_turn, spent, strict=True)
    # A process may have several entries, each with the same facts.
    told = {one["block"]: (one.get("in_turn", False), one["seconds"]) for one in facts}
    assert len(told) > 2
    assert {block: (turns, seconds) for block, turns, seconds in read} == told
    assert list(benchmark.looks) == facts[0]["looks"]
    assert benchmark.configuration is not None
    assert (benchmark.declared is not None) == (path.stem == "jmh")


def test_every_harness_has_a_file_of_the_current_version() -> None:
    assert {path.stem for path in (KEPT / f"facts-{VERSION}").iterdir()} == set(RUNNABLE)


def _validated(path: Path) -> None:
    kind = path.stem.partition("-")[0]
    data = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema(kind)).validate(data)


READERS: Mapping[str, Callable[[Path], object]] = {
    "plan": steady.read_plan,
    "series": load,
    "comparison": _validated,  # steady only writes it
    "run": read_run,
    "same_code": lambda path: msgspec.json.decode(path.read_bytes(), type=SameCodeFile),
    "history": lambda path: decode(path.read_bytes(), path.name),
}


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_other_files_of_every_version_are_read(path: Path) -> None:
    READERS[path.stem.partition("-")[0]](path)


def test_the_current_version_of_each_file_is_kept() -> None:
    versions = re.compile(r".*\bsteady_(\w+) = (\d+)")
    lines = filter(None, map(versions.fullmatch, recorded("json")))
    present = {f"{kind}-{number}" for kind, number in (line.groups() for line in lines)}
    kept = {path.stem for path in OTHERS}
    assert kept >= {one for one in present if one.partition("-")[0] in READERS}
    assert {one.partition("-")[0] for one in kept} == set(READERS)
