"""What is read from the event, and what becomes of one that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.github import Context, read_context

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def payload(head: str | None = "octo/benchmarks") -> dict[str, Any]:
    """Return a pull request's event, with what strangers may write into it."""
    return {
        "number": 7,
        "pull_request": {
            "number": 7,
            "title": "::error::$(rm -rf .) <!-- steady:default --> @everyone",
            "head": {
                "ref": "`id`;${{ secrets.TOKEN }}",
                "sha": "c" * 40,
                "repo": None if head is None else {"full_name": head},
            },
            "base": {"sha": "b" * 40, "repo": {"full_name": "octo/benchmarks"}},
        },
    }


def environ(tmp_path: Path, event: str, content: Any = None, **more: str) -> dict[str, str]:
    """Return an environment with an event file."""
    path = tmp_path / "event.json"
    path.write_text(json.dumps(payload() if content is None else content))
    return {
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": str(path),
        "GITHUB_REPOSITORY": "octo/benchmarks",
        "GITHUB_API_URL": "https://github.example.org/api/v3/",
        "GITHUB_SHA": "a" * 40,
        **more,
    }


def test_a_comment_on_a_pull_request_is_about_it_and_names_no_commit(tmp_path: Path) -> None:
    issue = {"number": 7, "pull_request": {"url": "https://example.org"}, "title": "\n::error::"}
    context = read_context(environ(tmp_path, "issue_comment", {"issue": issue}))
    assert (context.pull_request, context.head, context.problem) == (7, "", "")


@pytest.mark.parametrize("issue", [{"number": 7}, {"number": "7", "pull_request": {}}, None])
def test_a_comment_on_anything_else_is_about_no_pull_request(tmp_path: Path, issue: Any) -> None:
    context = read_context(environ(tmp_path, "issue_comment", {"issue": issue}))
    assert (context.pull_request, context.problem) == (None, "")


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target"])
def test_a_pull_request(tmp_path: Path, event: str) -> None:
    assert read_context(environ(tmp_path, event)) == Context(
        event,
        "octo/benchmarks",
        "https://github.example.org/api/v3",
        pull_request=7,
        fork=False,
        head="c" * 40,
    )


@pytest.mark.parametrize("head", ["stranger/benchmarks", None])
def test_a_pull_request_from_a_fork_or_from_one_that_is_gone(
    tmp_path: Path, head: str | None
) -> None:
    context = read_context(environ(tmp_path, "pull_request", payload(head)))
    assert context.fork
    assert context.pull_request == 7


PUSH = {"ref": "refs/heads/main", "before": "0" * 40, "after": "a" * 40, "commits": []}
SCHEDULE = {"schedule": "17 3 * * 6", "workflow": ".github/workflows/plan.yml"}
DISPATCH = {"inputs": {"number": "7"}, "ref": "refs/heads/main", "workflow": "plan.yml"}


@pytest.mark.parametrize(
    ("event", "content"),
    [
        ("push", PUSH),
        ("schedule", SCHEDULE),
        ("workflow_dispatch", DISPATCH),
        ("workflow_dispatch", {"inputs": None}),
    ],
)
def test_events_without_a_pull_request(tmp_path: Path, event: str, content: Any) -> None:
    # Even where the payload of such an event holds one: it is not this run's.
    payloads: tuple[Any, ...] = (content, content | payload(), {"workflow_run": {"id": 5}}, [])
    for one in payloads:
        context = read_context(environ(tmp_path, event, one))
        assert (context.pull_request, context.finished_run, context.problem) == (None, None, "")
        assert context.head == "a" * 40


def test_the_end_of_a_run(tmp_path: Path) -> None:
    run = {"id": 5, "head_sha": "c" * 40, "head_repository": None, "pull_requests": []}
    context = read_context(environ(tmp_path, "workflow_run", {"workflow_run": run, **payload()}))
    assert context.finished_run == 5
    # All else about it is asked of GitHub.
    assert context.pull_request is None
    assert context.head == "a" * 40
    assert not context.fork


@pytest.mark.parametrize(
    "run", [None, [], 5, {}, {"id": None}, {"id": "5"}, {"id": 5.0}, {"id": True}, {"id": 0}]
)
def test_the_end_of_a_run_that_is_not_named(tmp_path: Path, run: Any) -> None:
    context = read_context(environ(tmp_path, "workflow_run", {"workflow_run": run}))
    assert context.finished_run is None
    assert context.problem == "the event does not name a run of a workflow"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"GITHUB_EVENT_NAME": ""}, "not a run of GitHub Actions"),
        ({"GITHUB_REPOSITORY": ""}, "not owner/name"),
        ({"GITHUB_REPOSITORY": "../../user"}, "not owner/name"),
        ({"GITHUB_REPOSITORY": "a/b/c?x=1"}, "not owner/name"),
        ({"GITHUB_API_URL": "file:///etc"}, "not an http address"),
        ({"GITHUB_EVENT_PATH": ""}, "GITHUB_EVENT_PATH is not set"),
        ({"GITHUB_EVENT_PATH": "absent.json"}, "cannot be read"),
        ({"GITHUB_EVENT_PATH": "/"}, "cannot be read"),
    ],
)
def test_what_is_missing_is_said(tmp_path: Path, change: dict[str, str], problem: str) -> None:
    context = read_context(environ(tmp_path, "pull_request", **change))
    assert context.pull_request is None
    assert problem in context.problem


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[7]", b"null"])
def test_a_file_that_holds_something_else(tmp_path: Path, content: bytes) -> None:
    values = environ(tmp_path, "pull_request")
    Path(values["GITHUB_EVENT_PATH"]).write_bytes(content)
    context = read_context(values)
    assert context.problem
    assert "event" in context.problem


@pytest.mark.parametrize("number", ["7", 0, -7, True, None, 7.0, [7]])
def test_a_number_that_is_none(tmp_path: Path, number: Any) -> None:
    content = payload()
    content["pull_request"]["number"] = number
    context = read_context(environ(tmp_path, "pull_request", content))
    assert context.pull_request is None
    assert context.problem == "the event does not name a pull request"


@given(content=st.fixed_dictionaries({"pull_request": ANY_JSON, "workflow_run": ANY_JSON}))
def test_no_payload_breaks_the_reader(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("event")
    context = read_context(environ(folder, "pull_request", content))
    assert (context.pull_request is None) == bool(context.problem)
    context = read_context(environ(folder, "workflow_run", content))
    assert (context.finished_run is None) == bool(context.problem)


@pytest.mark.parametrize(
    ("server", "run", "url"),
    [
        ("https://github.com", "42", "https://github.com/octo/benchmarks/actions/runs/42"),
        (
            "https://ghes.example:8443",
            "1",
            "https://ghes.example:8443/octo/benchmarks/actions/runs/1",
        ),
        ("", "42", ""),
        ("https://github.com", "", ""),
        ("https://github.com", "42)](x", ""),
        ("javascript:alert(1)", "42", ""),
    ],
)
def test_the_page_of_the_run(tmp_path: Path, server: str, run: str, url: str) -> None:
    values = environ(tmp_path, "push", GITHUB_SERVER_URL=server, GITHUB_RUN_ID=run)
    assert read_context(values).run_url == url


def test_no_environment_at_all() -> None:
    assert (
        read_context({}).problem
        == "GITHUB_EVENT_NAME is not set, so this is not a run of GitHub Actions"
    )
