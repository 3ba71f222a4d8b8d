"""The stand-in's check runs: annotations are appended, 50 a request, and never taken back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from standin_server import NOW, Answer, Call, StandIn, paged, refusal, route

BATCH = 50

_RUN = "/repos/{owner}/{repo}/check-runs/{check_run_id}"


@dataclass
class Checks:
    """The check runs of this server.

    Attributes
    ----------
    runs : list of dict
        As GitHub shows them.
    annotations : dict
        By identifier of the run.
    """

    runs: list[dict[str, Any]] = field(default_factory=list)
    annotations: dict[int, list[dict[str, Any]]] = field(default_factory=dict)


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
        "output": {},
    }
    checks.annotations[identifier] = []
    checks.runs.append(run)
    return 201, _told(state, run, call.body["output"]), {}


@route("PATCH", _RUN)
def edit_run(state: StandIn, call: Call) -> Answer:
    """Change a check run's text, and append annotations."""
    for run in state.part(Checks).runs:
        if run["id"] == int(call.path["check_run_id"]):
            return 200, _told(state, run, call.body["output"]), {}
    return refusal(404, "Not Found")


def _told(state: StandIn, run: dict[str, Any], output: dict[str, Any]) -> dict[str, Any]:
    present = state.part(Checks).annotations[run["id"]]
    present += output.get("annotations", [])
    run["output"] = {
        "title": output["title"],
        "summary": output["summary"],
        "text": None,
        "annotations_count": len(present),
        "annotations_url": f"{run['url']}/annotations",
    }
    return run
