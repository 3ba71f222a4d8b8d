"""The stand-in validates every exchange by GitHub's own description."""

import json
from typing import Any

import pytest
import requests
import standin
from description import EDITIONS, Exchange, complaints_about_reply, complaints_about_request
from standin import REPOSITORY

from tests.looped import looped

THREAD = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
OWNER = (("owner", "octo"), ("repo", "benchmarks"))
REF = Exchange(
    "GET", "/repos/{owner}/{repo}/git/ref/{ref}", (*OWNER, ("ref", "heads/steady/plan")), (), b""
)


def posted(body: Any, query: Any = (), method: str = "POST") -> Exchange:
    """Return a comment on its way."""
    path = (*OWNER, ("issue_number", "7"))
    return Exchange(method, THREAD, path, query, json.dumps(body).encode())


@looped("edition", EDITIONS)
@looped(
    ("exchange", "complaint"),
    [
        (posted({"body": "text"}), ""),
        (posted({"body": 7}), "7 is not of type 'string'"),
        (posted({"body": "text", "text": "?"}), "'text' was unexpected"),
        (posted({}), "'body' is a required property"),
        (posted({"body": "text"}, (("page", "1"),)), "query 'page' is unknown"),
        (posted({}, method="PUT"), "describes no PUT"),
        (REF, ""),  # refs may contain slashes
    ],
)
def test_invalid_requests_are_found(edition: str, exchange: Exchange, complaint: str) -> None:
    complaints = complaints_about_request(exchange, edition)
    assert complaint in " ".join(complaints)
    assert bool(complaint) == bool(complaints)


@looped(
    ("status", "body", "complaint"),
    [
        (201, {"id": 1}, "'node_id' is a required property"),
        (403, {"message": "no"}, ""),
        (502, {"message": "no"}, ""),
        (502, ["no"], "502 is not described"),
        (200, {}, "200 is not described"),
    ],
)
def test_invalid_replies_are_found(status: int, body: Any, complaint: str) -> None:
    complaints = complaints_about_reply(posted({"body": "x"}), status, json.dumps(body).encode())
    assert complaint in " ".join(complaints)
    assert bool(complaint) == bool(complaints)


@looped(
    ("enterprise", "path", "complaint"),
    [
        (False, f"/repos/{REPOSITORY}/issues/7/comments", "'bodi' was unexpected"),
        (True, f"/api/v3/repos/{REPOSITORY}/issues/7/comments", "'bodi' was unexpected"),
        (True, "/user", "is not below"),
        (False, "/rate_limit", "no route for POST"),
    ],
)
def test_an_invalid_request_fails_its_test(enterprise: bool, path: str, complaint: str) -> None:
    def send() -> None:
        with standin.github(enterprise=enterprise) as state:
            address = state.url.removesuffix("/api/v3") + path
            requests.post(address, json={"body": "text", "bodi": "?"}, timeout=9)

    with pytest.raises(AssertionError, match=complaint):
        send()
