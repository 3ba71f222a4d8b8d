"""The workflows beside the comparison: history, plan, and runs on demand."""

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest
from act_runner import Ran
from emulate_server import MAINTAINER, STRANGER
from git_scenario import git_server, run_git
from scene import EXAMPLES, Scene, maven, rights

from steady.optimize import plan_from_json

pytestmark = [pytest.mark.thorough, pytest.mark.needs("act", "emulate", "java", "mvn")]

GH = """\
#!/bin/bash
# Stands in for GitHub's command, which knows no server without TLS: gh api PATH --jq EXPRESSION
set -o pipefail
curl --silent --fail --header "Authorization: Bearer $GH_TOKEN" "$GITHUB_API_URL/$2" |
  jq --raw-output "$4"
"""


def test_a_pull_request_is_compared_with_what_was_recorded(
    with_image: Scene, tmp_path: Path
) -> None:
    scene = with_image
    maven(scene)
    merge, before = (scene.git("rev-parse", name) for name in ("HEAD", "HEAD^1"))
    bare = tmp_path / f"{scene.hosted.name}.git"
    bare.parent.mkdir()
    scene.git("clone", "--quiet", "--bare", str(scene.project.folder), str(bare))
    for key in ("http.receivepack", "uploadpack.allowFilter"):
        run_git(bare, "config", key, "true")
    plain = scene.runner.environment
    for workflow, event, sha in (
        ("steady-record", "push", before),
        ("steady-compare-history", "pull_request", merge),
    ):
        token = scene.hosted.server.token(rights(EXAMPLES / f"{workflow}.yml"))
        login = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        with git_server(tmp_path, f"basic {login}") as (server, _):
            scene.runner.environment = {**plain, "GITHUB_SERVER_URL": server}
            scene.token = token
            if event == "push":
                content = {"ref": "refs/heads/main", "after": sha}
                ran = scene.run(workflow, event, content, sha=sha)
                assert ran.code == 0, ran.log
            else:
                ran = scene.on_pull_request(workflow)
    assert "verdict: regression" in ran.log, ran.log
    [body] = scene.comments()
    assert before[:7] in body
    assert "became slower" in body


@pytest.mark.parametrize("shards", [1, 2])
def test_machines_make_one_plan_which_is_proposed(
    with_image: Scene, tmp_path: Path, shards: int
) -> None:
    scene = with_image
    text = (EXAMPLES / "steady-optimize.yml").read_text(encoding="utf-8")
    file = tmp_path / "steady-optimize.yml"
    here = text.replace("shards: 4", f"shards: {shards}\n      folder: a")
    file.write_text(here, encoding="utf-8")
    maven(scene, folder="a")
    scene.git("reset", "--quiet", "--hard", "HEAD^1")
    sha = scene.git("rev-parse", "HEAD")
    content: dict[str, Any] = {"ref": "refs/heads/main", "inputs": {}}
    ran = scene.run("steady-optimize", "workflow_dispatch", content, sha=sha, file=file)
    assert ran.code == 0, ran.log
    [pull] = [p for p in scene.hosted.ask("GET", "/pulls") if p["number"] != scene.number]
    assert pull["user"]["login"] == "github-actions[bot]"
    proposed = f"/contents/a/.steady/plan.json?ref={pull['head']['ref']}"
    text = base64.b64decode(scene.hosted.ask("GET", proposed)["content"]).decode()
    names = {entry.identity.name for entry in plan_from_json(text).benchmarks}
    assert names == {"shop.ShopBenchmark.price", "shop.ShopBenchmark.tax"}
    parts = {path.name for path in scene.runner.artifacts.iterdir()}
    assert {"full-run--default--1", "steady-plan-default"} <= parts
    run = json.loads((scene.runner.artifacts / "full-run--default--1/run.json").read_text())
    assert run["header"]["described"].get("shard") == {1: None, 2: "1/2"}[shards]


def asked(scene: Scene, who: str, text: str, *, on_issue: bool = False) -> Ran:
    """Have somebody comment, and run what that starts."""
    path = f"/issues/{scene.number}/comments"
    comment = scene.hosted.ask("POST", path, {"body": text}, token=who)
    issue = {"number": scene.number, "pull_request": {"url": scene.pull["url"]}}
    if on_issue:
        del issue["pull_request"]
    content = {"action": "created", "issue": issue, "comment": comment}
    main = scene.git("rev-parse", "HEAD^1")
    return scene.run("steady-on-demand", "issue_comment", content, sha=main)


@pytest.mark.needs("jq", "curl")
def test_a_maintainer_asks_for_a_run_and_a_stranger_cannot(
    with_image: Scene, tmp_path: Path
) -> None:
    scene = with_image
    maven(scene)
    merge = scene.git("rev-parse", "HEAD")
    scene.hosted.server.front.merges[f"/repos/{scene.hosted.name}/pulls/{scene.number}"] = merge
    gh = tmp_path / "bin/gh"
    gh.parent.mkdir()
    gh.write_text(GH)
    gh.chmod(0o755)
    path = f"{gh.parent}{os.pathsep}{os.environ['PATH']}"
    scene.runner.environment = {**scene.runner.environment, "PATH": path}
    refused = asked(scene, STRANGER, "/steady run price")
    assert "Build, run interleaved" not in refused.log, refused.log
    for text, on_issue in (("/steady run price", True), ("please /steady run price", False)):
        ran = asked(scene, MAINTAINER, text, on_issue=on_issue)
        assert "Check the request" not in ran.log, ran.log
    # emulate does not say when the branch was pushed, so the commit has to be named.
    head = scene.pull["head"]["sha"]
    ran = asked(scene, MAINTAINER, "/steady run price")
    assert ran.code != 0
    assert f"ask with `/steady run {head}`" in ran.log, ran.log
    assert scene.comments() == []
    one, every = f"/steady run {head} price\n\nthank you", f"/steady run {head}"
    for text, only in ((one, "price"), (every, ".")):
        ran = asked(scene, MAINTAINER, text)
        assert ran.code == 0, ran.log
        [body] = scene.comments()
        assert "Benchmarks: on-demand" in body
        assert "1 of 1 benchmark became slower" in body
        assert "did not run" not in body
        assert ("; narrowed to 'price'" in body) == (only == "price"), body
        assert "Measured by another job, which runs the pull request's untrusted code" in body
        assert ("Benchmarks: 2 (1 compared, 1 same code)." in body) == (only == ".")
        run = json.loads((scene.runner.artifacts / "benchmarks-on-demand/run.json").read_text())
        assert run["header"]["described"]["only"] == only
