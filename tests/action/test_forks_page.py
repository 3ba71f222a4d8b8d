"""`docs/forks.md` holds what the log says, word for word, and the limits that are in force."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from action_scenario import sentences
from expressions import substituted, truth
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


STEP = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
GH = '#!/bin/sh\nprintf "%s\\n" "$@"\n'


@pytest.mark.parametrize(
    ("conclusion", "head", "status"),
    [
        ("success", "c" * 40, ("success", "unchanged")),
        ("failure", "c" * 40, ("failure", "incomplete")),
        ("success", "d" * 40, None),  # there are newer commits: nothing was compared
    ],
)
def test_the_pages_step_sets_a_status_where_there_is_a_verdict(
    fork: ForkScenario, tmp_path: Path, conclusion: str, head: str, status: tuple[str, str] | None
) -> None:
    fork.run.update(conclusion=conclusion, head_sha=head)
    code = fork.report()
    outcome = "success" if code == 0 else "failure"
    context = {
        "github": {"token": "t", "event": {"workflow_run": {"head_sha": head}}},
        "steps": {"steady": {"outcome": outcome, "outputs": fork.scenario.outputs}},
        "functions": {"cancelled": lambda: False},
    }
    [block] = STEP.findall(PAGE.read_text(encoding="utf-8"))
    [step] = yaml.safe_load(block)
    assert truth(substituted(step["if"], context)) == (status is not None)
    if status is None:
        return
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "GITHUB_REPOSITORY": "octo/benchmarks"}
    given = {name: substituted(value, context) for name, value in step["env"].items()}
    command = ["bash", "-e", "-c", step["run"]]
    ran = subprocess.run(command, env=path | given, capture_output=True, text=True, check=True)
    fields = ["context=steady", f"state={status[0]}", f"description={status[1]}"]
    asked = ["api", f"repos/octo/benchmarks/statuses/{head}", *("-f", fields[0]), "-f"]
    assert ran.stdout.splitlines() == [*asked, fields[1], "-f", fields[2]]
