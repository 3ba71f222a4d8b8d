"""The stand-in's comments, people, and commits of files."""

from typing import Any

from description import example
from standin_state import Answer, Call, StandIn, paged, refusal, route, user

_THREAD = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
_COMMITS = "/repos/{owner}/{repo}/commits"
_COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"

COMMENT_LIMIT = 65_536


@route("GET", "/user")
def whoami(state: StandIn, _: Call) -> Answer:
    """Return the user of a personal token."""
    if state.viewer is None or state.viewer.endswith("[bot]"):
        return refusal(403, "Resource not accessible by integration")
    shown = example("/user", "GET", 200) | user(state.viewer)
    return 200, {**shown, "user_view_type": "private"}, {}


@route("GET", _THREAD)
def read_thread(state: StandIn, call: Call) -> Answer:
    """Return one page of comments."""
    number = int(call.path["issue_number"])
    if number not in state.pull_requests:
        return refusal(404, "Not Found")
    return paged(state, call, [c for c in state.comments if _issue(c) == number])


@route("POST", _THREAD)
def write_comment(state: StandIn, call: Call) -> Answer:
    """Create a comment."""
    number = int(call.path["issue_number"])
    if number not in state.pull_requests:
        return refusal(404, "Not Found")
    if len(call.body["body"]) > COMMENT_LIMIT:
        return _too_long()
    login = state.viewer or "github-actions[bot]"
    return 201, state.add_comment(call.body["body"], login, number=number), {}


@route("PATCH", _COMMENT)
def edit_comment(state: StandIn, call: Call) -> Answer:
    """Update a comment's text."""
    comment = _found(state, call)
    if comment is None:
        return refusal(404, "Not Found")
    if len(call.body["body"]) > COMMENT_LIMIT:
        return _too_long()
    comment["body"] = call.body["body"]
    return 200, comment, {}


@route("DELETE", _COMMENT)
def delete_comment(state: StandIn, call: Call) -> Answer:
    """Delete a comment."""
    comment = _found(state, call)
    if comment is None:
        return refusal(404, "Not Found")
    state.comments.remove(comment)
    return 204, None, {}


@route("POST", "/graphql")
def graphql(state: StandIn, _: Call) -> Answer:
    """Return the authenticated user."""
    if state.viewer is None or not state.graphql:
        return refusal(404, "Not Found")
    return 200, {"data": {"viewer": {"login": state.viewer}}}, {}


@route("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission")
def read_permission(state: StandIn, call: Call) -> Answer:
    """Return a person's permission, by legacy and current names."""
    login = call.path["username"]
    if login in state.unknown:
        return refusal(404, f"{login} is not a user")
    role = state.roles.get(login, "read")
    old = {"maintain": "write", "triage": "read"}.get(role, role)
    person = {**user(login), "role_name": role}
    return 200, {"permission": old, "role_name": role, "user": person}, {}


@route("GET", _COMMITS)
def list_commits(state: StandIn, call: Call) -> Answer:
    """List the commits that changed a file, the newest first."""
    listed = []
    for day in state.days.get(call.query["path"], []):
        [commit] = example(_COMMITS, "GET", 200)
        commit["commit"]["committer"]["date"] = f"{day}T12:00:00Z"
        listed.append(commit)
    return 200, listed, {}


def _found(state: StandIn, call: Call) -> dict[str, Any] | None:
    here = [c for c in state.comments if c["id"] == int(call.path["comment_id"])]
    return here[0] if here else None


def _issue(comment: dict[str, Any]) -> int:
    return int(comment["issue_url"].rpartition("/")[2])


def _too_long() -> Answer:
    return refusal(422, f"Body is too long (maximum is {COMMENT_LIMIT} characters)")
