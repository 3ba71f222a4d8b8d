"""Whatever GitHub, or something on the way to it, answers: no reader breaks."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standin import REPOSITORY
from standin_runs import BRANCH, FORK_NUMBER, HEAD, MEASURE, RUN

from steady.errors import SteadyError
from steady.github import read_context
from steady.github.artifacts import newest_of
from steady.github.origin import Run, match_of, run_of

MEASURED = Run(RUN, MEASURE, "pull_request", "success", HEAD, BRANCH, "stranger", FORK_NUMBER)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
KEYS = (
    *("id", "path", "event", "conclusion", "head_sha", "head_branch", "repository"),
    *("head_repository", "artifacts", "pull_request", "workflow_run"),
)


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the event is described."""
    return tmp_path_factory.mktemp("event") / "event.json"


@given(answer=ANY_JSON | st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, ANY_JSON)))
def test_no_answer_breaks_a_reader(event: Path, answer: Any) -> None:
    with suppress(SteadyError):
        assert match_of(answer, REPOSITORY, MEASURED).number is None
    with suppress(SteadyError):
        run_of(answer, REPOSITORY, RUN)
    with suppress(SteadyError):
        assert newest_of(answer, MEASURED, "steady-results") is None
    event.write_text(json.dumps(answer))
    place = {"GITHUB_REPOSITORY": REPOSITORY, "GITHUB_EVENT_PATH": str(event)}
    context = read_context({**place, "GITHUB_EVENT_NAME": "pull_request"})
    assert (context.pull_request is None) == bool(context.problem)
    context = read_context({**place, "GITHUB_EVENT_NAME": "workflow_run"})
    assert (context.finished_run is None) == bool(context.problem)
