"""The stand-in's check runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from standin_server import NOW, Answer, Call, StandIn, paged, route


@dataclass
class Checks:
    """The check runs of this server.

    Attributes
    ----------
    runs : list of dict
        As GitHub shows them.
    """

    runs: list[dict[str, Any]] = field(default_factory=list)


@route("GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs")
def list_runs(state: StandIn, call: Call) -> Answer:
    """Return a commit's check runs; by default, of each name the latest."""
    runs = [r for r in state.part(Checks).runs if r["head_sha"] == call.path["ref"]]
    if "check_name" in call.query:
        runs = [r for r in runs if r["name"] == call.query["check_name"]]
    if call.query.get("filter", "latest") == "latest":
        runs = list({r["name"]: r for r in runs}.values())
    return paged(state, call, runs, "check_runs")


@route("POST", "/repos/{owner}/{repo}/check-runs")
def create_run(state: StandIn, call: Call) -> Answer:
    """Take a check run."""
    checks = state.part(Checks)
    identifier = 5000 + len(checks.runs)
    address = f"{state.url}/repos/{call.repository}/check-runs/{identifier}"
    run = {
        "id": identifier,
        "node_id": f"CR_{identifier}",
        "head_sha": call.body["head_sha"],
        "name": call.body["name"],
        "external_id": call.body["external_id"],
        "url": address,
        "html_url": f"https://github.test/{call.repository}/runs/{identifier}",
        "details_url": None,
        "status": call.body["status"],
        "conclusion": call.body["conclusion"],
        "started_at": NOW,
        "completed_at": NOW,
        "check_suite": {"id": 1},
        "app": None,
        "pull_requests": [],
        "output": {
            "title": call.body["output"]["title"],
            "summary": call.body["output"]["summary"],
            "text": None,
            "annotations_count": 0,
            "annotations_url": f"{address}/annotations",
        },
    }
    checks.runs.append(run)
    return 201, run, {}
