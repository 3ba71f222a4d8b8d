"""A pull request from a fork: one job measures and may only read, another one reports."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import requests
from act_runner import Ran
from emulate_server import MAINTAINER, STRANGER, Hosted
from scene import EXAMPLES, Scene, maven, rights

pytestmark = [pytest.mark.thorough, pytest.mark.needs("act", "emulate", "java", "mvn")]

REPORT = EXAMPLES / "steady-fork-report.yml"
MEASURE = ".github/workflows/steady-fork-measure.yml"


@pytest.fixture
def measured(with_image: Scene) -> Scene:
    """Return a scene in which the first half has run for a stranger's pull request."""
    scene = with_image
    hosted = scene.hosted
    made = hosted.ask("POST", "/forks", {}, token=STRANGER)
    # The plan that counts is that of the version before.
    theirs = {".steady/plan.json": "a stranger's"}
    maven(scene, fork=Hosted(hosted.server, made["full_name"]), also=theirs)
    ran = scene.on_pull_request("steady-fork-measure")
    assert ran.code == 0, ran.log
    return scene


def run_of(scene: Scene, number: int, **more: Any) -> dict[str, Any]:
    """Return what GitHub says of the first half's run."""
    head = scene.pull["head"]
    return {
        "id": number,
        "path": MEASURE,
        "event": "pull_request",
        "status": "completed",
        "conclusion": "success",
        "created_at": "2026-01-01T00:00:00Z",
        "head_branch": head["ref"],
        "head_sha": head["sha"],
        "repository": scene.pull["base"]["repo"],
        "head_repository": head["repo"],
        **more,
    }


def report(scene: Scene, number: int) -> Ran:
    """Run the second half."""
    content = {"action": "completed", "workflow_run": {"id": number, "event": "pull_request"}}
    content |= {"workflow": {"name": "Benchmark run"}}
    main = scene.git("rev-parse", "HEAD^1")
    return scene.run("", "workflow_run", content, sha=main, file=REPORT)


def test_what_was_measured_without_rights_is_posted_with_them(measured: Scene) -> None:
    scene = measured
    front, results = scene.hosted.server.front, scene.runner.artifacts / "steady-results"
    token = scene.hosted.server.token(rights(EXAMPLES / "steady-fork-measure.yml"))
    assert rights(EXAMPLES / "steady-fork-measure.yml") == {"contents": "read"}
    with pytest.raises(requests.HTTPError, match="403"):
        scene.hosted.ask("POST", f"/issues/{scene.number}/comments", {"body": "x"}, token=token)
    front.keep(run_of(scene, 71), "steady-results", results)
    ran = report(scene, 71)
    assert ran.code != 0, "as `fail-on` asks"
    [body] = scene.comments()
    assert "became slower" in body
    assert f"run {71}" in ran.log

    orders = re.findall(r"/steady accept [^`\n]* REASON", body)
    order = "\n".join(orders).replace("REASON", "it must")
    assert order
    for who, may in ((STRANGER, False), (MAINTAINER, True)):
        path = f"/issues/{scene.number}/comments"
        scene.hosted.ask("POST", path, {"body": order}, token=who)
        ran = report(scene, 71)
        assert (ran.code == 0) == may, ran.log
    assert len(scene.comments()) == 1
    assert "accepted" in scene.comments()[0]


def test_what_is_forged_is_refused(measured: Scene, tmp_path: Path) -> None:
    scene = measured
    front, results = scene.hosted.server.front, scene.runner.artifacts / "steady-results"
    # An artifact of that name which another commit's run has left.
    other = run_of(scene, 72, head_sha="f" * 40)
    front.keep(other, "steady-results", results)
    front.artifacts[-1][0]["workflow_run"]["id"] = 73
    front.runs[73] = run_of(scene, 73)
    ran = report(scene, 73)
    assert ran.code != 0
    assert "left no artifact" in ran.log, ran.log
    # A run that says it measured the commit of somebody else's pull request.
    front.keep(
        run_of(scene, 74, head_repository={"id": 9, "owner": {"login": "octo"}}), "x", results
    )
    ran = report(scene, 74)
    assert "no open pull request has commit" in ran.log, ran.log
    # More in the archive than may be there.
    forged = tmp_path / "forged"
    shutil.copytree(results, forged)
    (forged / "comment.md").write_text("### All is well")
    (forged / "run.json").write_text(json.dumps({"pull_request": 1, "verdict": "unchanged"}))
    front.keep(run_of(scene, 75), "steady-results", forged)
    ran = report(scene, 75)
    assert ran.code != 0
    [body] = scene.comments()
    assert "comment.md" in body
    assert "All is well" not in body
