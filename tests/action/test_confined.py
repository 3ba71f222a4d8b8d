"""A stranger's results are read, compared and rendered in a process with limits."""

from __future__ import annotations

import json
import os
import sys
from functools import partial

import pytest
from action_scenario import here
from confined_work import ask_and_fail, ask_and_refuse, surroundings
from fork_scenario import ForkScenario, measured, packed, results
from standin import StandIn
from written_runs import NAMES, record

from steady.action.confined import Allowance, Confine, in_a_child
from steady.action.runner import SUMMARY_BYTES
from steady.errors import InputError
from steady.report.markdown import COMMENT_LIMIT
from tests.looped import looped

SLOWER = dict(zip(NAMES, (1.0, 1.3, 1.0), strict=True))


def test_a_regression_is_told_through_the_child(fork: ForkScenario, github: StandIn) -> None:
    fork.storage.content = packed(results(head=measured(SLOWER)))
    assert fork.report() == 1
    apart = (fork.scenario.outputs, fork.scenario.summary)
    alone = {path: path.read_bytes() for path in fork.scenario.root.glob("steady-report/*")}

    fork.scenario.confine = in_a_child
    github.comments.clear()
    assert fork.report() == 1
    assert (fork.scenario.outputs, fork.scenario.summary) == apart
    assert "head: 3 benchmarks, 0 failures" in fork.scenario.log
    assert alone == {path: path.read_bytes() for path in alone}
    assert "slower" in github.bodies()[0]


def many(count: int) -> str:
    """Return results that are within every limit of lengths and numbers."""
    one = json.dumps(record("NAME", [[1.0, 1.1, 1.2]] * 5))
    return "[" + ",".join(one.replace("NAME", f"org.Bench.m{i}") for i in range(count)) + "]"


def long_names(count: int, factor: float) -> str:
    """Return results of benchmarks whose names have 1,000 characters each."""
    one = json.dumps(record("NAME", [[factor, 1.01 * factor, 1.02 * factor]] * 3))
    names = (f"org.Bench.m{i:05d}".ljust(1_000, "x") for i in range(count))
    return f"[{','.join(one.replace('NAME', name) for name in names)}]"


@pytest.mark.parametrize(
    ("count", "confine"),
    [(200, here), pytest.param(15_900, in_a_child, marks=pytest.mark.thorough)],
)
def test_names_as_long_as_they_may_be_fit_into_what_github_takes(
    fork: ForkScenario, github: StandIn, count: int, confine: Confine
) -> None:
    files = {"base.json": long_names(count, 1.0), "head.json": long_names(count, 2.0)}
    fork.storage.content = packed(files)
    fork.scenario.confine = confine
    assert fork.report() == 1
    assert fork.scenario.outputs["regressions"] == f"{count}"
    (comment,) = github.bodies()
    assert len(comment) <= COMMENT_LIMIT
    assert len(fork.scenario.summary.encode()) <= SUMMARY_BYTES
    assert len(fork.scenario.log) < 20_000


@pytest.mark.parametrize(
    ("count", "most"),
    [(210, 200_000), pytest.param(16_100, 16_000_000, marks=pytest.mark.thorough)],
)
def test_more_of_them_are_refused(
    fork: ForkScenario, github: StandIn, count: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steady.readers.lengths.MOST_CHARACTERS", most)
    fork.storage.content = packed(results(base=long_names(count, 1.0)))
    assert fork.report() == 1
    assert fork.scenario.outputs["verdict"] == "incomplete"
    assert f"names and parameters of more than {most:,} characters" in github.bodies()[0]


def ragged(count: int) -> str:
    """Return results of a few values that become large arrays."""
    rows = [[1.0] * 100, *[[1.0]] * 40]
    one = json.dumps(record("NAME", [[0.0]])).replace("[[0.0]]", json.dumps(rows))
    return "[" + ",".join(one.replace("NAME", f"org.Bench.m{i}") for i in range(count)) + "]"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other limits")
@pytest.mark.parametrize(
    ("text", "allowance", "words"),
    [
        (many(19_000), Allowance(seconds=1), "the 1 seconds of processor time that it may"),
        (ragged(4_000), Allowance(memory=2**26), "the 64 MiB of memory that it may"),
    ],
    ids=["time", "memory"],
)
def test_what_takes_too_much_is_incomplete(
    fork: ForkScenario, github: StandIn, text: str, allowance: Allowance, words: str
) -> None:
    noise = bytes(range(256)) * 40
    fork.storage.content = packed({"base.json": text, "head.json": text, "run.json": noise})
    fork.scenario.confine = partial(in_a_child, allowance=allowance)
    assert fork.report() == 1
    assert fork.scenario.outputs["verdict"] == "incomplete"
    assert f"takes more than {words}" in github.bodies()[0]


@looped(
    ("work", "kind", "words"),
    [
        (ask_and_fail, RuntimeError, "ValueError: a mistake, Ada"),
        (ask_and_refuse, InputError, "no use, Ada"),
    ],
)
def test_errors_come_out_as_what_they_are(work: object, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        in_a_child(work, {"name": lambda: "Ada"})  # type: ignore[arg-type]


def test_the_child_knows_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("INPUT_TOKEN", "GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "MY_SECRET"):
        monkeypatch.setenv(name, "t0p")
    for name in ("INPUT_RESULTS", "ACTIONS_CACHE_URL"):
        monkeypatch.setenv(name, "theirs")
    monkeypatch.setenv("KEPT", "yes")
    surrounding = in_a_child(surroundings, {})
    assert surrounding["safe_path"]
    assert "KEPT" in surrounding["names"]
    hidden = ("TOKEN", "SECRET", "INPUT_", "ACTIONS_")
    assert not [name for name in surrounding["names"] if any(one in name for one in hidden)]
    assert os.environ["INPUT_TOKEN"] == "t0p"
