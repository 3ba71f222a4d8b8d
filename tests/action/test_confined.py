"""Untrusted results are read, compared and rendered in a sandboxed process."""

import json
import os
import sys

import confined_work
import pytest
from action_scenario import here
from fork_scenario import ForkScenario, measured, packed, results
from written_runs import record, slower

from steady.action.confined import Allowance, Confine, Work, run_in_child
from steady.action.runner import SUMMARY_BYTES
from steady.errors import InputError
from steady.report.comment import COMMENT_LIMIT
from tests.looped import looped


def test_a_regression_is_reported_by_the_child(fork: ForkScenario) -> None:
    fork.storage.content = packed(results(head=measured(slower(1.3))))
    assert fork.report() == 1
    apart = (fork.scenario.outputs, fork.scenario.summary)
    alone = {path: path.read_bytes() for path in fork.scenario.root.glob("steady-report/*")}

    fork.scenario.confine = run_in_child
    fork.github.comments.clear()
    assert fork.report() == 1
    assert (fork.scenario.outputs, fork.scenario.summary) == apart
    assert "head: 3 benchmarks, 0 failures" in fork.scenario.log
    assert alone == {path: path.read_bytes() for path in alone}
    assert "slower" in fork.github.bodies()[0]


def long_names(count: int, factor: float) -> str:
    """Return results of benchmarks whose names have 1,000 characters each."""
    one = json.dumps(record("NAME", [[factor, 1.01 * factor, 1.02 * factor]] * 3))
    names = (f"org.Bench.m{i:05d}".ljust(1_000, "x") for i in range(count))
    return f"[{','.join(one.replace('NAME', name) for name in names)}]"


@pytest.mark.parametrize(
    ("count", "confine"),
    [(200, here), pytest.param(15_900, run_in_child, marks=pytest.mark.thorough)],
)
def test_names_of_maximum_length_fit_into_a_comment(
    fork: ForkScenario, count: int, confine: Confine
) -> None:
    files = {"base.json": long_names(count, 1.0), "head.json": long_names(count, 2.0)}
    fork.storage.content = packed(files)
    fork.scenario.confine = confine
    assert fork.report() == 1
    assert fork.scenario.outputs["regressions"] == f"{count}"
    (comment,) = fork.github.bodies()
    assert len(comment) <= COMMENT_LIMIT
    assert len(fork.scenario.summary.encode()) <= SUMMARY_BYTES
    assert len(fork.scenario.log) < 20_000


linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems have other limits")


@linux
@looped(
    ("work", "allowance", "words"),
    [
        (confined_work.run_out_of_time, Allowance(), "300 s of CPU time"),
        (confined_work.wait, Allowance(seconds=0), "0 s of CPU time"),
        (confined_work.run_out_of_memory, Allowance(memory=2**26), "64 MiB of memory"),
    ],
)
def test_exceeded_limits_are_errors(work: Work, allowance: Allowance, words: str) -> None:
    with pytest.raises(InputError, match=f"exceeded the limit of {words};"):
        run_in_child(work, {}, allowance)


@looped(
    ("work", "kind", "words"),
    [
        (confined_work.ask_and_fail, RuntimeError, "ValueError: a mistake, Ada"),
        (confined_work.ask_and_refuse, InputError, "no use, Ada"),
    ],
)
def test_errors_keep_their_type(work: Work, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        run_in_child(work, {"name": lambda: "Ada"})


@linux
def test_the_child_has_limits_and_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("INPUT_TOKEN", "GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "MY_SECRET"):
        monkeypatch.setenv(name, "t0p")
    for name in ("INPUT_RESULTS", "ACTIONS_CACHE_URL"):
        monkeypatch.setenv(name, "theirs")
    monkeypatch.setenv("KEPT", "yes")
    surrounding = run_in_child(
        confined_work.surroundings, {}, Allowance(seconds=1_000, memory=2**33)
    )
    assert surrounding["safe_path"]
    assert "KEPT" in surrounding["names"]
    hidden = ("TOKEN", "SECRET", "INPUT_", "ACTIONS_")
    assert not [name for name in surrounding["names"] if any(one in name for one in hidden)]
    assert os.environ["INPUT_TOKEN"] == "t0p"
    seconds, memory, core = surrounding["limits"]
    assert 1_000 < seconds < 1_060
    assert 2**33 < memory < 2**34
    assert core == 0
