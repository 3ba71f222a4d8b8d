"""Facts about forks: the format that all harnesses write and read."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.errors import InputError
from steady.harness.fields import Field
from steady.harness.fork_facts import (
    KEY,
    NO_FACTS,
    VERSION,
    ForkFacts,
    Stop,
    as_list,
    as_text,
    facts_in,
    facts_in_list,
    facts_in_text,
    facts_of,
    of_forks,
)
from steady.harness.go.read.output import old_facts as of_go
from steady.harness.jmh.read.conditions import old_facts as of_jmh
from steady.harness.runs import ForkResult, RunFacts
from steady.harness.trial import Trial
from steady.model import ExecutionConfiguration, Identity, Spent
from tests.looped import looped

NAME = Identity("org.Bench.get", threads=2)
PLANNED = ExecutionConfiguration(1, 3, 5, 0.1, 0.1, 2, 2)
DECLARED = ExecutionConfiguration(0, 5, 5, 10.0, 2.5, 1, 7)
TRIAL = Trial(4, 2, "head", NAME, PLANNED, 1.0, 60.0)
FORK = ForkResult(
    TRIAL,
    "ab12:2",
    Path("4.json"),
    Spent(7.9324, 3.1741),
    in_turn=True,
    screening=True,
    processor=3,
    layout="b",
    process="ab12:p7",
)
RUN = RunFacts({NAME: 5}, {NAME: DECLARED}, {NAME: 1}, {NAME: (3, 5, 10)})
STOP = Stop("flat", None, 31, 2, "as much time as it may have", 3.1)
COUNTED = (("instructions", 1e9), ("allocations", None))

WRITTEN: dict[str, Any] = {
    "version": 1,
    "block": "ab12:2",
    "in_turn": True,
    "seconds": 7.932,
    "active_seconds": 3.174,
    "stop": {
        "method": "flat",
        "start": None,
        "warmup": 31,
        "iterations": 2,
        "reason": "as much time as it may have",
        "cold_seconds": 3.1,
    },
    "counts": [["instructions", 1e9], ["allocations", None]],
    "screening": True,
    "processor": 3,
    "layout": "b",
    "process": "ab12:p7",
    "forks": 5,
    "warmup": 3,
    "iterations": 5,
    "iteration_seconds": 0.1,
    "batch_size": 2,
    "threads": 2,
    "looks": [3, 5, 10],
    "declared": {
        "forks": 0,
        "warmup_iterations": 5,
        "iterations": 5,
        "warmup_seconds": 10.0,
        "iteration_seconds": 2.5,
        "warmup_batch_size": 1,
        "batch_size": 7,
    },
    "not_run": 1,
}
"""All fields, as docs/series-format.md explains them."""


def as_json(value: object) -> Any:
    return json.loads(json.dumps(value))


def field(value: object) -> Field:
    return Field(value, "f.json", (3,))


def test_every_field_is_written_and_read_back() -> None:
    written = as_json(facts_of(FORK, RUN, counts=COUNTED, stop=STOP))
    assert written == WRITTEN
    assert written.keys() == set(ForkFacts.__struct_encode_fields__)
    facts = facts_in(field({KEY: written}))
    assert msgspec.to_builtins(facts) == facts_of(FORK, RUN, counts=COUNTED, stop=STOP)
    assert facts.configuration == replace(PLANNED, forks=5)
    assert of_forks([facts, NO_FACTS]) == {
        "blocks": ("ab12:2", ""),
        "in_turn": (True, False),
        "spent": (Spent(7.932, 3.174), None),
        "cold_seconds": (3.1, 0.0),
        "layouts": ("b", ""),
        "looks": (3, 5, 10),
        "declared": DECLARED,
    }


def test_unknown_facts_are_absent() -> None:
    plain = ForkResult(TRIAL, "ab12:2", Path("4.json"))
    how = {"warmup": 3, "iterations": 5, "iteration_seconds": 0.1, "batch_size": 2, "threads": 2}
    expected = {"version": 1, "block": "ab12:2", "forks": 1, **how}
    assert facts_of(plain, RunFacts({NAME: 1})) == expected
    assert facts_in(field({})) == NO_FACTS
    assert NO_FACTS.configuration is None
    assert set(of_forks([NO_FACTS, NO_FACTS]).values()) == {(), None}


def test_the_page_explains_every_field() -> None:
    page = Path(__file__).parents[2] / "docs" / "series-format.md"
    section = page.read_text(encoding="utf-8").partition("## Facts about forks")[2]
    explained = re.findall(r"(?m)^\| (`.+?`) \|", section.partition("\n## ")[0])
    names = {name for cell in explained for name in re.findall(r"`(\w+)`", cell)}
    assert names == set(ForkFacts.__struct_encode_fields__)


def test_a_list_has_the_facts_of_the_benchmark_once() -> None:
    second = replace(FORK, block="ab12:3", spent=None, in_turn=False, processor=None)
    forks = [facts_of(one, RUN) for one in (FORK, second)]
    first, other = listed = as_json(as_list(forks))
    assert first == as_json(forks[0])
    assert other == {"block": "ab12:3", "screening": True, "layout": "b", "process": "ab12:p7"}
    read = facts_in_list(field({KEY: listed}), 2)
    assert [msgspec.to_builtins(one) for one in read] == forks


def test_facts_in_a_line_of_text() -> None:
    text = as_text(replace(FORK, layout='"\n# steady process {'), RUN)
    assert "\n" not in text
    assert facts_in_text(text, "f.txt", 7).layout == '"\n# steady process {'
    with pytest.raises(InputError, match=r"^f\.txt, line 7: has facts about forks that are not"):
        facts_in_text("{", "f.txt", 7)


@looped("later", [{"temperature": 61.5}, {"stop": {"why": "x"}}, {"block": "a", "pair": [1, {}]}])
def test_fields_of_a_later_release_are_ignored(later: dict[str, object]) -> None:
    known = facts_in(field({KEY: {**later, "version": VERSION}}))
    assert known.version == VERSION
    assert known.block == later.get("block", "")


def test_a_later_version_is_an_error_of_one_sentence() -> None:
    message = (
        r"^f\.json, \[3\]: has facts about forks of version 2; this release of steady reads up to "
        "version 1: install a newer release$"
    )
    facts = {"version": VERSION + 1, "block": 7}
    with pytest.raises(InputError, match=message):
        facts_in(field({KEY: facts}))
    for value in ([facts, {}], facts):
        with pytest.raises(InputError, match=message):
            facts_in_list(field({KEY: value}), 2)


@looped(
    ("wrong", "problem"),
    [
        ("x", "Expected `object`, got `str`"),
        ({"version": -1}, "Expected `int` >= 0"),
        ({"version": 10**4000}, "Expected `int`"),
        ({"block": "a", "in_turn": 1}, "Expected `bool`"),
        ({"seconds": -0.5}, "Expected `float` >= 0"),
        ({"active_seconds": 1e10}, "Expected `float` <= 1"),
        ({"stop": {"cold_seconds": -1}}, "Expected `float` >= 0"),
        ({"looks": [5, 3]}, "looks are not in ascending order"),
        ({"looks": [0]}, "Expected `int` >= 1"),
        ({"processor": "0"}, "Expected `int | null`, got `str`"),
        ({"declared": {"forks": 1}}, "missing required field"),
        ({"declared": {**WRITTEN["declared"], "forks": -1}}, "a declared number is below 0"),
        ({"declared": {**WRITTEN["declared"], "iteration_seconds": 1e300}}, "or too large"),
    ],
)
def test_another_format_is_an_error_of_one_sentence(wrong: object, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        facts_in(field({KEY: wrong}))
    assert str(caught.value).startswith("f.json, [3]: has facts about forks in another format (")
    assert problem in str(caught.value)
    assert len(str(caught.value)) < 300


FACTS = st.builds(
    ForkFacts,
    version=st.just(VERSION),
    block=st.text(max_size=5),
    in_turn=st.booleans(),
    seconds=st.none() | st.floats(0, 1e9),
    active_seconds=st.none() | st.floats(0, 1e9),
    stop=st.none() | st.builds(Stop, start=st.none() | st.integers(0, 9)),
    processor=st.none() | st.integers(0, 999),
    looks=st.sets(st.integers(1, 99)).map(lambda rounds: tuple(sorted(rounds))),
    declared=st.none() | st.just(DECLARED),
)


@given(FACTS)
def test_any_facts_are_read_back(facts: ForkFacts) -> None:
    written = as_json(msgspec.to_builtins(facts))
    assert facts_in(field({KEY: written})) == facts
    assert facts_in_text(json.dumps(written), "f.txt", 1) == facts


# As earlier releases wrote them.


def test_the_old_keys_of_jmh_are_the_same_facts() -> None:
    table = {
        "steadyBlocks": ["a:0", "a:1"],
        "steadyTurns": [True, False],
        "steadySeconds": [[7.9, 3.1], [4.5]],
        "steadyStop": [{"cold_seconds": 3.1}, {"cold_seconds": 0.0}],
        "steadyLooks": [3, 5],
        "steadyNotRun": 2,
        "mode": "avgt",
        "steadyDeclared": {
            "forks": 0,
            "warmupIterations": 5,
            "warmupTime": "10 s",
            "measurementIterations": 5,
            "measurementTime": "2500 ms",
            "measurementBatchSize": 7,
        },
    }
    facts = of_jmh(field(table), 2)
    common: dict[str, Any] = {"looks": (3, 5), "not_run": 2, "declared": DECLARED}
    first, second = Stop(cold_seconds=3.1), Stop()
    assert facts == (
        ForkFacts(block="a:0", in_turn=True, seconds=7.9, active_seconds=3.1, stop=first, **common),
        ForkFacts(block="a:1", seconds=4.5, stop=second, **common),
    )
    assert of_jmh(field({"forks": 2}), 2) == (NO_FACTS, NO_FACTS)
    (alone,) = of_jmh(field({"steadyStop": {"method": "flat"}}), 1)
    assert alone.stop == Stop("flat")


def test_the_old_options_of_go_are_the_same_facts() -> None:
    options = {"block": "a:0", "benchtime": "20ms", "cpu": "8", "forks": "5", "turns": "1"}
    facts = of_go({**options, "looks": "5,10", "seconds": "1.250"}, InputError)
    assert facts == ForkFacts(
        block="a:0", in_turn=True, seconds=1.25, forks=5, threads=8, looks=(5, 10)
    )
    odd = {"cpu": "x", "forks": "-1", "seconds": "1e3"}
    assert of_go(odd, InputError) == of_go({}, InputError) == NO_FACTS
