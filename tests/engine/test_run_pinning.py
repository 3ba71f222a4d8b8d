"""A run may be kept on some processors, with all that it starts."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from steady.engine.whole_run import pinned
from steady.errors import InputError
from steady.options.kinds import ANYWHERE, parse_processors
from tests.looped import looped

linux = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux alone can pin")


@pytest.mark.parametrize(
    ("text", "processors"),
    [("1", {1}), ("0,2-3", {0, 2, 3}), ("2-2", {2}), ("0-3,1", {0, 1, 2, 3}), ("none", set())],
)
def test_processors_are_named_as_taskset_names_them(text: str, processors: set[int]) -> None:
    assert parse_processors(text) == processors


@looped("text", ["", "a", "1-", "-1", "3-2", "1,,2", "1;2", "99999", "¹"])
def test_what_does_not_name_processors_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write 1, 0,2-3 or none"):
        parse_processors(text)


@linux
def test_whatever_is_started_stays_on_the_processors_named() -> None:
    usable = os.sched_getaffinity(0)
    one = max(usable)
    program = [sys.executable, "-c", "import os; print(*os.sched_getaffinity(0))"]
    with pinned(frozenset({one})):
        started = subprocess.run(program, capture_output=True, text=True, check=True)
    assert started.stdout.split() == [str(one)]
    assert os.sched_getaffinity(0) == usable


@linux
def test_a_processor_that_the_process_may_not_use_is_refused() -> None:
    problem = pytest.raises(InputError, match=r"^--pin names processor 9999; this process may use")
    with problem, pinned(frozenset({9999})):
        raise AssertionError


def test_a_system_that_cannot_pin_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    with pytest.raises(InputError, match="Linux only"), pinned(frozenset({0})):
        raise AssertionError


def test_without_processors_nothing_is_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    for processors in (None, ANYWHERE):
        with pinned(processors):
            pass
