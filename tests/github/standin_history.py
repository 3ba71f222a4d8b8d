"""The stand-in's commits of files: who changed a file last, and when."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from standin_server import REPOSITORY, Answer, Call, StandIn, route, user


@dataclass
class Changes:
    """When files of the default branch were changed.

    Attributes
    ----------
    days : dict of str to list of str
        By path, the newest first: ``2026-05-31``.
    """

    days: dict[str, list[str]] = field(default_factory=dict)


@route("GET", "/repos/{owner}/{repo}/commits")
def list_commits(state: StandIn, call: Call) -> Answer:
    """List the commits that changed a file, the newest first."""
    days = state.part(Changes).days.get(call.query["path"], [])
    return 200, [_commit(state, number, day) for number, day in enumerate(days)], {}


def _commit(state: StandIn, number: int, day: str) -> dict[str, Any]:
    commit = f"{number:040x}"
    url = f"{state.url}/repos/{REPOSITORY}/commits/{commit}"
    person = {"name": "Ada", "email": "ada@example.org", "date": f"{day}T12:00:00Z"}
    return {
        "sha": commit,
        "node_id": "C_1",
        "url": url,
        "html_url": url,
        "comments_url": url,
        "author": user("ada"),
        "committer": user("ada"),
        "parents": [],
        "commit": {
            "url": url,
            "author": person,
            "committer": person,
            "message": "Update the benchmark plan",
            "comment_count": 0,
            "tree": {"sha": commit, "url": url},
        },
    }
