"""Each job of a workflow to copy or to call may do what its steps need, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from docs.project import REPOSITORY
from tests.looped import looped

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted(
    [
        *(ROOT / "examples/workflows").glob("*.yml"),
        *(ROOT / ".github/workflows" / f"{name}.yml" for name in ("compare", "on-demand", "plan")),
    ]
)
STRONGER = ("read", "write")


def needed(step: dict[str, Any]) -> dict[str, str]:
    """Return the permissions without which a step fails."""
    action, given = step.get("uses", ""), step.get("with", {})
    if action.startswith("actions/checkout@"):
        return {"contents": "read"}
    if action.startswith(f"{REPOSITORY}/compare@"):
        return {"pull-requests": "write"}
    if "gh api" in step.get("run", ""):
        return {"pull-requests": "read"}
    if not action.startswith(f"{REPOSITORY}@"):
        return {}
    mode, commit = given["mode"], given.get("commit", "false")
    wanted = {
        "actions: read": mode == "report",
        "contents: write": commit != "false" or mode == "record",
        # The optimizing jobs are not on pull requests: only what they open is one.
        "pull-requests: write": mode in ("compare", "report") or mode == "optimize",
    }
    return dict(name.split(": ") for name, asked in wanted.items() if asked)


def needed_by(job: dict[str, Any]) -> dict[str, str]:
    """Return what a job's steps need, or the jobs of the workflow that it calls."""
    if "uses" in job:
        called = job["uses"].removeprefix(f"{REPOSITORY}/").partition("@")[0]
        jobs = yaml.safe_load((ROOT / called).read_text(encoding="utf-8"))["jobs"].values()
        wanted = [needed_by(inner) for inner in jobs]
    else:
        wanted = [needed(step) for step in job["steps"]]
    expected: dict[str, str] = {}
    for name, level in (item for each in wanted for item in each.items()):
        expected[name] = max(level, expected.get(name, level), key=STRONGER.index)
    return expected


@looped("path", WORKFLOWS)
def test_no_job_may_do_more_than_it_needs(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job.get("permissions", {}) == needed_by(job)
