"""Which artifact is the default branch's own: GitHub's answers may be anything."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from standin import REPOSITORY, StandIn
from standin_git import GitRepository
from standin_runs import FORK_NUMBER, HEAD, RUN, add_kept

from steady.errors import SteadyError
from steady.github import connect
from steady.github.artifacts import Artifact, Home, candidates_of, find_left, read_home
from steady.github.origin import Run
from tests.looped import looped

HOME = Home(7, "main")
EVENTS = ("push", "schedule")
RUN_OF_OURS = {"id": 5, "repository_id": 7, "head_repository_id": 7, "head_branch": "main"}
ROW = {
    "id": 1,
    "name": "kept",
    "size_in_bytes": 9,
    "expired": False,
    "workflow_run": RUN_OF_OURS,
}


def left(github: StandIn) -> tuple[Artifact, Run] | None:
    client = connect("token", github.url)
    return find_left(client, REPOSITORY, read_home(client, REPOSITORY), "kept", EVENTS)


def test_the_newest_of_ours(github: StandIn) -> None:
    assert left(github) is None
    for number in (11, 13, 12):
        add_kept(github, number)
    add_kept(github, 14, run={"event": "workflow_dispatch"})
    add_kept(github, 15, head_repository_id=FORK_NUMBER)
    newest = left(github)
    assert newest is not None
    artifact, run = newest
    assert artifact == Artifact(13, "kept", 1000, expired=False)
    assert (run.number, run.head, run.event) == (RUN + 13, HEAD, "push")


def test_a_thousand_artifacts_of_others_are_too_many(github: StandIn) -> None:
    add_kept(github, 11)
    for number in range(1000):
        add_kept(github, 100 + number, head_repository_id=FORK_NUMBER)
    with pytest.raises(SteadyError, match="there are many artifacts called 'kept'"):
        left(github)


@looped(
    "change",
    [
        {"id": True},
        {"id": "1"},
        {"name": "Kept"},
        {"size_in_bytes": None},
        {"expired": None},
        {"expired": True},
        {"workflow_run": None},
        *({"workflow_run": {**RUN_OF_OURS, key: None}} for key in RUN_OF_OURS),
        {"workflow_run": {**RUN_OF_OURS, "head_repository_id": 8}},
        {"workflow_run": {**RUN_OF_OURS, "repository_id": 8}},
        {"workflow_run": {**RUN_OF_OURS, "head_branch": "Main"}},
    ],
)
def test_what_is_not_said_is_not_believed(change: dict[str, Any]) -> None:
    artifact = Artifact(1, "kept", 9, expired=False)
    assert candidates_of({"artifacts": [{**ROW, **change}, ROW]}, HOME, "kept") == [(artifact, 5)]


@settings(max_examples=40)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["artifacts", *ROW]), inner)
        ),
    )
)
def test_no_answer_breaks_the_reader(answer: Any) -> None:
    with suppress(SteadyError):
        assert candidates_of(answer, HOME, "kept") == []


def test_a_repository_without_a_default_branch(github: StandIn) -> None:
    github.part(GitRepository).default_branch = ""
    with pytest.raises(SteadyError, match="GitHub's answer does not describe octo/benchmarks"):
        left(github)
