"""Downloads: the token stays with the API, and nothing larger than the limit comes in."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from github import GithubException
from standin import REPOSITORY, StandIn
from standin_runs import FORK_NUMBER, HEAD, MEASURE, RUN, Runs, Storage, add_artifact, storage

from steady.errors import InputError, SteadyError
from steady.github import connect
from steady.github.artifacts import Artifact, ExpiredError, download, find_artifact, newest_of
from steady.github.origin import Run
from steady.github.patience import Patience

MEASURED = Run(RUN, MEASURE, "pull_request", "success", HEAD, "b", "stranger", FORK_NUMBER)
NAME = "steady-results"
TOKEN = "ghs_the-token-nobody-may-see"
LIMIT = 10_000


@pytest.fixture
def elsewhere(github: StandIn) -> Iterator[Storage]:
    with storage() as held:
        held.content = b"an archive"
        github.part(Runs).location = held.url
        yield held


def fetched(github: StandIn, artifact: Artifact | None = None, waits: Any = None) -> bytes:
    asked = artifact or Artifact(11, NAME, 10, False)
    sleep = [].append if waits is None else waits.append
    return Patience(sleep=sleep).ask(lambda: download(asked, REPOSITORY, TOKEN, github.url, LIMIT))


def newest(github: StandIn) -> Artifact | None:
    return find_artifact(connect(TOKEN, github.url), REPOSITORY, MEASURED, NAME)


def test_the_newest_of_the_name_is_found(github: StandIn) -> None:
    for number in (11, 13, 12):
        add_artifact(github, number)
    add_artifact(github, 99, name="another")
    assert newest(github) == Artifact(13, NAME, 1000, False)


def test_what_is_of_another_run_or_commit_is_not_it(github: StandIn) -> None:
    assert newest(github) is None
    add_artifact(github)["workflow_run"]["head_sha"] = "d" * 40
    assert newest(github) is None
    rows = [
        {"id": 1, "name": NAME, "size_in_bytes": 1, "workflow_run": run}
        for run in ({"id": RUN + 1, "head_sha": HEAD}, {"id": str(RUN), "head_sha": HEAD}, None)
    ]
    assert newest_of({"artifacts": rows}, MEASURED, NAME) is None
    rows[0]["workflow_run"] = {"id": RUN, "head_sha": HEAD}
    # Whether it has expired is not said: better not believed in.
    assert newest_of({"artifacts": rows}, MEASURED, NAME) == Artifact(1, NAME, 1, True)


def test_the_token_stays_with_the_api(
    github: StandIn, elsewhere: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password ghs_of-a-netrc\n")
    monkeypatch.setenv("NETRC", str(netrc))
    add_artifact(github)
    assert fetched(github) == b"an archive"
    assert [request.token for request in github.requests] == [TOKEN]
    [headers] = elsewhere.received
    assert "Authorization" not in headers
    assert "Cookie" not in headers
    assert TOKEN not in str(headers)


def test_it_is_asked_for_again_where_that_may_help(github: StandIn, elsewhere: Storage) -> None:
    add_artifact(github)
    waits: list[float] = []
    github.fail("GET", "/zip$", 502)
    elsewhere.status, elsewhere.times = 503, 1
    assert fetched(github, waits=waits) == b"an archive"
    assert len(waits) == 2
    # The address to which GitHub redirects is short-lived: each attempt asks for a new one.
    assert len(github.requests) == 3


def test_a_refusal_is_not_asked_again(github: StandIn, elsewhere: Storage) -> None:
    for status in (401, 403, 404):
        github.requests.clear()
        github.fail("GET", "/zip$", status, message="Resource not accessible by integration")
        with pytest.raises(GithubException) as caught:
            fetched(github)
        assert (caught.value.status, len(github.requests)) == (status, 1)
        assert caught.value.data["message"] == "Resource not accessible by integration"
    assert elsewhere.received == []


def test_an_artifact_that_has_expired(github: StandIn) -> None:
    add_artifact(github, expired=True)
    with pytest.raises(ExpiredError, match="run the workflow that measures again"):
        fetched(github)
    artifact = newest(github)
    github.requests.clear()
    with pytest.raises(ExpiredError):
        fetched(github, artifact)
    assert github.requests == []


def test_too_large_by_its_own_word_is_not_asked_for(github: StandIn) -> None:
    with pytest.raises(InputError, match=r"more than 0\.00953674 MiB"):
        fetched(github, Artifact(11, NAME, LIMIT + 1, False))
    assert github.requests == []


def test_reading_stops_at_the_limit(github: StandIn, elsewhere: Storage) -> None:
    add_artifact(github)
    elsewhere.content = b"x" * LIMIT
    assert len(fetched(github)) == LIMIT
    elsewhere.content = b"x" * (50 * LIMIT)
    with pytest.raises(InputError, match="which is the most that is downloaded"):
        fetched(github)


def test_what_another_host_may_do_is_no_artifact(github: StandIn, elsewhere: Storage) -> None:
    add_artifact(github)
    elsewhere.headers = {"Content-Encoding": "gzip"}
    with pytest.raises(SteadyError, match="an encoding that was not asked for"):
        fetched(github)
    elsewhere.headers = {"Content-Length": "5000"}
    with pytest.raises(OSError, match=r"IncompleteRead|Connection broken"):
        fetched(github)
    elsewhere.headers = {}
    elsewhere.status, elsewhere.times = 403, 1
    with pytest.raises(SteadyError, match="answered 403; run the job again"):
        fetched(github)


def test_a_redirect_to_something_else_than_the_web_or_in_a_circle(
    github: StandIn, elsewhere: Storage
) -> None:
    add_artifact(github)
    elsewhere.status, elsewhere.times = 302, 99
    elsewhere.headers = {"Location": "/again"}
    with pytest.raises(SteadyError, match="in a circle"):
        fetched(github)
    assert len(elsewhere.received) == 3
    for location in ("ftp://storage.test", "file:///etc/passwd#", "gopher://x"):
        github.part(Runs).location = location
        with pytest.raises(SteadyError, match="not https; nothing was downloaded"):
            fetched(github)
