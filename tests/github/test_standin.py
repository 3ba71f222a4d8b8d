"""The stand-in holds every exchange against GitHub's own description."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests
import standin
from description import EDITIONS, Exchange, complaints_about_reply, complaints_about_request
from standin import PARTS, REPOSITORY
from standin_server import ROUTES

from tests.looped import looped

THREAD = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
PATH = (("owner", "octo"), ("repo", "benchmarks"), ("issue_number", "7"))


@looped("edition", EDITIONS)
@looped(
    ("query", "body", "complaint"),
    [
        ((), {"body": "text"}, ""),
        ((), {"body": 7}, "7 is not of type 'string'"),
        ((), {"body": "text", "text": "?"}, "'text' was unexpected"),
        ((), {}, "'body' is a required property"),
        ((("page", "1"),), {"body": "text"}, "query 'page' is unknown"),
    ],
)
def test_requests(edition: str, query: Any, body: Any, complaint: str) -> None:
    exchange = Exchange("POST", THREAD, PATH, query, json.dumps(body).encode())
    complaints = complaints_about_request(exchange, edition)
    assert complaint in " ".join(complaints)
    assert bool(complaint) == bool(complaints)


def test_what_github_does_not_describe_is_refused() -> None:
    exchange = Exchange("PUT", THREAD, PATH, (), b"")
    assert "describes no PUT" in complaints_about_request(exchange)[0]


@pytest.mark.parametrize(
    ("status", "body", "complaint"),
    [
        (201, {"id": 1}, "'node_id' is a required property"),
        (403, {"message": "no"}, ""),
        (502, {"message": "no"}, ""),
        (502, ["no"], "502 is not described"),
        (200, {}, "200 is not described"),
    ],
)
def test_replies(status: int, body: Any, complaint: str) -> None:
    exchange = Exchange("POST", THREAD, PATH, (), b'{"body": "text"}')
    complaints = complaints_about_reply(exchange, status, json.dumps(body).encode())
    assert complaint in " ".join(complaints)
    assert bool(complaint) == bool(complaints)


def test_slashes_of_refs_belong_to_them() -> None:
    path = (("owner", "octo"), ("repo", "benchmarks"), ("ref", "heads/steady/plan"))
    exchange = Exchange("GET", "/repos/{owner}/{repo}/git/ref/{ref}", path, (), b"")
    assert complaints_about_request(exchange) == ()


@pytest.mark.parametrize("enterprise", [True, False])
def test_a_wrong_request_fails_the_test_that_sent_it(enterprise: bool) -> None:
    thread = f"/repos/{REPOSITORY}/issues/7/comments"
    with (
        pytest.raises(AssertionError, match="'bodi' was unexpected"),
        standin.github(enterprise=enterprise) as state,
    ):
        requests.post(f"{state.url}{thread}", json={"body": "text", "bodi": "?"}, timeout=9)
    with pytest.raises(AssertionError, match="no route for GET"), standin.github() as state:
        requests.get(f"{state.url}/rate_limit", timeout=9)


def test_enterprise_server_has_nothing_beside_its_path() -> None:
    with (
        pytest.raises(AssertionError, match="is not below"),
        standin.github(enterprise=True) as state,
    ):
        requests.get(f"{state.url.removesuffix('/api/v3')}/user", timeout=9)


def test_every_part_has_routes() -> None:
    names = {handler.__module__ for handler in ROUTES.values()}
    assert {part.__name__ for part in PARTS} <= names
