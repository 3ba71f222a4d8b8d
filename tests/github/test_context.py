"""Reading of the event, also if it is invalid."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standin import REPOSITORY
from standin_runs import MEASURED

from steady.errors import SteadyError
from steady.github import read_context
from steady.github.artifacts import newest_of
from steady.github.workflow_runs import match_of, run_of
from tests.looped import looped


def payload(head: str | None = "octo/benchmarks", number: Any = 7) -> dict[str, Any]:
    """Return a pull request's event with untrusted fields."""
    return {
        "number": 7,
        "pull_request": {
            "number": number,
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


USUAL = {"pull_request": None, "fork": False, "head": "a" * 40, "finished_run": None, "problem": ""}
OURS = {"pull_request": 7, "head": "c" * 40}
PUSH = {"ref": "refs/heads/main", "before": "0" * 40, "after": "a" * 40, "commits": []}
SCHEDULE = {"schedule": "17 3 * * 6", "workflow": ".github/workflows/plan.yml"}
DISPATCH = {"inputs": {"number": "7"}, "ref": "refs/heads/main", "workflow": "plan.yml"}
ISSUE = {"number": 7, "pull_request": {"url": "https://example.org"}, "title": "\n::error::"}
RUN = {"id": 5, "head_sha": "c" * 40, "head_repository": None, "pull_requests": []}
NO_RUN = "the event does not name a run of a workflow"
NO_PULL_REQUEST = "the event does not name a pull request"
NO_NUMBERS: tuple[Any, ...] = ("7", 0, -7, True, None, 7.0, [7])
NO_RUNS: tuple[Any, ...] = (None, [], 5, {}, *({"id": number} for number in NO_NUMBERS))


@looped(
    ("event", "content", "expected"),
    [
        ("pull_request", payload(), OURS),
        ("pull_request_target", payload(), OURS),
        ("pull_request", payload("stranger/benchmarks"), {**OURS, "fork": True}),
        ("pull_request", payload(None), {**OURS, "fork": True}),  # the fork was deleted
        *(
            ("pull_request", payload(number=number), {"problem": NO_PULL_REQUEST})
            for number in NO_NUMBERS
        ),
        ("issue_comment", {"issue": ISSUE}, {"pull_request": 7, "head": ""}),
        ("issue_comment", {"issue": {"number": 7}}, {}),
        ("issue_comment", {"issue": {"number": "7", "pull_request": {}}}, {}),
        ("issue_comment", {"issue": None}, {}),
        # Everything else about a run is read from GitHub.
        ("workflow_run", {"workflow_run": RUN, **payload()}, {"finished_run": 5}),
        *(("workflow_run", {"workflow_run": run}, {"problem": NO_RUN}) for run in NO_RUNS),
        # A pull request in the payload of another event is not this run's.
        *(
            (event, content, {})
            for event, usual in (
                *(("push", PUSH), ("schedule", SCHEDULE), ("workflow_dispatch", DISPATCH)),
                ("workflow_dispatch", {"inputs": None}),
            )
            for content in (usual, {**usual, **payload()}, {"workflow_run": {"id": 5}}, 7)
        ),
    ],
)
def test_each_event_is_read(
    tmp_path: Path, event: str, content: Any, expected: dict[str, Any]
) -> None:
    context = read_context(environ(tmp_path, event, content))
    assert context.api_url == "https://github.example.org/api/v3"
    assert {name: getattr(context, name) for name in USUAL} == {**USUAL, **expected}


@looped(
    ("change", "problem"),
    [
        ({"GITHUB_EVENT_NAME": ""}, "GITHUB_EVENT_NAME is not set, so this is not a run of GitHub"),
        ({"GITHUB_REPOSITORY": ""}, "not owner/name"),
        ({"GITHUB_REPOSITORY": "../../user"}, "not owner/name"),
        ({"GITHUB_REPOSITORY": "a/b/c?x=1"}, "not owner/name"),
        ({"GITHUB_API_URL": "file:///etc"}, "not an http address"),
        ({"GITHUB_EVENT_PATH": ""}, "GITHUB_EVENT_PATH is not set"),
        ({"GITHUB_EVENT_PATH": "absent.json"}, "cannot be read"),
        ({"GITHUB_EVENT_PATH": "/"}, "cannot be read"),
    ],
)
def test_missing_variables_are_reported(
    tmp_path: Path, change: dict[str, str], problem: str
) -> None:
    context = read_context(environ(tmp_path, "pull_request", **change))
    assert context.pull_request is None
    assert problem in context.problem
    assert read_context({}).problem.startswith("GITHUB_EVENT_NAME is not set")


@looped("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[7]", b"null"])
def test_invalid_payloads_are_reported(tmp_path: Path, content: bytes) -> None:
    values = environ(tmp_path, "pull_request")
    Path(values["GITHUB_EVENT_PATH"]).write_bytes(content)
    assert "the event is not" in read_context(values).problem


GHES = "https://ghes.example:8443"


HTTPS = "https://github.com"
ACTION = {"ACTION_REPOSITORY": "org/steady-action"}
PAGES = f"{GHES}/org/steady-action/blob"


@looped(
    ("server", "variables", "run_url", "pages_url"),
    [
        (HTTPS, {"RUN_ID": "42"}, f"{HTTPS}/octo/benchmarks/actions/runs/42", ""),
        (GHES, {"RUN_ID": "1"}, f"{GHES}/octo/benchmarks/actions/runs/1", ""),
        ("", {"RUN_ID": "42"}, "", ""),
        (HTTPS, {"RUN_ID": "42)](x"}, "", ""),
        ("javascript:alert(1)", {"RUN_ID": "42"}, "", ""),
        (GHES, ACTION | {"ACTION_REF": "v1"}, "", f"{PAGES}/v1"),
        (GHES, ACTION, "", f"{PAGES}/HEAD"),
        (GHES, ACTION | {"ACTION_REF": "a)b](c"}, "", f"{PAGES}/HEAD"),
        (GHES, {"ACTION_REPOSITORY": "](https://evil.test)/x", "ACTION_REF": "v1"}, "", ""),
    ],
)
def test_addresses_are_built_from_valid_variables_only(
    tmp_path: Path, server: str, variables: dict[str, str], run_url: str, pages_url: str
) -> None:
    named = {f"GITHUB_{name}": value for name, value in variables.items()}
    context = read_context(environ(tmp_path, "push", GITHUB_SERVER_URL=server, **named))
    assert (context.run_url, context.pages_url) == (run_url, pages_url and f"{pages_url}/docs")


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
    """Return the path of the event's description."""
    return tmp_path_factory.mktemp("event") / "event.json"


@given(answer=ANY_JSON | st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, ANY_JSON)))
def test_any_payload_or_response_is_read_or_rejected(event: Path, answer: Any) -> None:
    with suppress(SteadyError):
        assert match_of(answer, REPOSITORY, MEASURED).number is None
    with suppress(SteadyError):
        run_of(answer, REPOSITORY, MEASURED.number)
    with suppress(SteadyError):
        assert newest_of(answer, MEASURED, "steady-results") is None
    event.write_text(json.dumps(answer))
    place = {"GITHUB_REPOSITORY": REPOSITORY, "GITHUB_EVENT_PATH": str(event)}
    context = read_context({**place, "GITHUB_EVENT_NAME": "pull_request"})
    assert (context.pull_request is None) == bool(context.problem)
    context = read_context({**place, "GITHUB_EVENT_NAME": "workflow_run"})
    assert (context.finished_run is None) == bool(context.problem)
