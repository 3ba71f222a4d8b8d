"""The stand-in's comments, and who the token belongs to."""

from __future__ import annotations

from typing import Any

from standin_server import Answer, Call, StandIn, paged, refusal, route, user

_THREAD = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
_COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"

COMMENT_LIMIT = 65_536


@route("GET", "/user")
def whoami(state: StandIn, _: Call) -> Answer:
    """Tell a person's own token who it is."""
    if state.viewer is None or state.viewer.endswith("[bot]"):
        return refusal(403, "Resource not accessible by integration")
    return 200, _in_full(state.viewer), {}


@route("GET", _THREAD)
def read_thread(state: StandIn, call: Call) -> Answer:
    """Return one page of comments."""
    number = int(call.path["issue_number"])
    if number not in state.pull_requests:
        return refusal(404, "Not Found")
    return paged(state, call, [c for c in state.comments if _issue(c) == number])


@route("POST", _THREAD)
def write_comment(state: StandIn, call: Call) -> Answer:
    """Take a comment."""
    number = int(call.path["issue_number"])
    if number not in state.pull_requests:
        return refusal(404, "Not Found")
    if len(call.body["body"]) > COMMENT_LIMIT:
        return refusal(422, f"Body is too long (maximum is {COMMENT_LIMIT} characters)")
    login = state.viewer or "github-actions[bot]"
    return 201, state.add_comment(call.body["body"], login, number=number), {}


@route("PATCH", _COMMENT)
def edit_comment(state: StandIn, call: Call) -> Answer:
    """Change a comment's text."""
    comment = _found(state, call)
    if comment is None:
        return refusal(404, "Not Found")
    if len(call.body["body"]) > COMMENT_LIMIT:
        return refusal(422, f"Body is too long (maximum is {COMMENT_LIMIT} characters)")
    comment["body"] = call.body["body"]
    return 200, comment, {}


@route("DELETE", _COMMENT)
def delete_comment(state: StandIn, call: Call) -> Answer:
    """Take a comment away."""
    comment = _found(state, call)
    if comment is None:
        return refusal(404, "Not Found")
    state.comments.remove(comment)
    return 204, None, {}


@route("POST", "/graphql")
def graphql(state: StandIn, _: Call) -> Answer:
    """Tell who asks."""
    if state.viewer is None or not state.graphql:
        return refusal(404, "Not Found")
    return 200, {"data": {"viewer": {"login": state.viewer}}}, {}


def _found(state: StandIn, call: Call) -> dict[str, Any] | None:
    here = [c for c in state.comments if c["id"] == int(call.path["comment_id"])]
    return here[0] if here else None


def _issue(comment: dict[str, Any]) -> int:
    return int(comment["issue_url"].rpartition("/")[2])


def _in_full(login: str) -> dict[str, Any]:
    """Return a person as GitHub tells about the token's own."""
    return {
        **user(login),
        "user_view_type": "public",
        "name": login,
        "company": None,
        "blog": None,
        "location": None,
        "email": None,
        "hireable": None,
        "bio": None,
        "public_repos": 1,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": "2020-01-01T00:00:00Z",
        "updated_at": "2020-01-01T00:00:00Z",
    }
