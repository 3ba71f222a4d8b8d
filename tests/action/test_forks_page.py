"""`docs/forks.md` holds what the log says, word for word, and the limits that are in force."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from action_scenario import sentences
from fork_scenario import ForkScenario, packed, results
from standin import StandIn
from standin_runs import Runs, add_pull

from steady.action.report import FILES, MOST_BENCHMARKS, MOST_LISTS, MOST_VALUES
from steady.github.archive import LIMITS
from steady.readers.forks import MOST_CELLS_A_VALUE

PAGE = Path(__file__).parents[2] / "docs/forks.md"

Arrange = Callable[[ForkScenario, StandIn], object]


def refused(path: str, status: int) -> Arrange:
    message = "Resource not accessible by integration"
    return lambda _, github: github.fail("GET", path, status, times=99, message=message)


def strange(fork: ForkScenario, _: StandIn) -> None:
    fork.storage.content = packed(results() | {"../evil.sh": "rm -rf /"})


ARRANGED: dict[str, Arrange] = {
    "The run failed": lambda fork, _: fork.run.update(conclusion="failure"),
    "It left no artifact": lambda _, github: github.part(Runs).artifacts.clear(),
    "The artifact holds something else": strange,
    "The pull request has moved on": lambda fork, _: fork.run.update(head_sha="d" * 40),
    "Two pull requests have the commit": lambda _, github: add_pull(github, 9),
    "The run waits": lambda fork, _: fork.run.update(conclusion="action_required"),
    "It is another workflow's run": lambda fork, _: fork.run.update(path=".github/workflows/x.yml"),
    "The token may not read artifacts": refused("/artifacts$", 403),
    "The artifact has expired": lambda fork, _: fork.artifact.update(expired=True),
}


@pytest.mark.parametrize("name", ARRANGED)
def test_the_page_says_what_the_log_says(name: str, fork: ForkScenario, github: StandIn) -> None:
    ARRANGED[name](fork, github)
    fork.report()
    assert sentences(PAGE)[name] in fork.scenario.log


def test_every_sentence_of_the_page_is_provoked() -> None:
    assert list(sentences(PAGE)) == list(ARRANGED)


def test_the_page_names_the_limits() -> None:
    sizes = [f"{size // 2**20} MiB" for size in (LIMITS.archive, LIMITS.entry, LIMITS.total)]
    counts = [f"{LIMITS.ratio} times", f"{MOST_CELLS_A_VALUE} cells"]
    counts += [f"{most:,}" for most in (MOST_BENCHMARKS, MOST_LISTS, MOST_VALUES)]
    text = PAGE.read_text(encoding="utf-8")
    assert [words for words in (*sizes, *counts) if words not in text] == []
    assert [name for name in FILES if f"`{name}`" not in text] == []
    assert len(FILES) == 8
