"""Every step of every workflow: its permissions, the source of its results, and its sandbox.

A job with write permissions must not trust the output of untrusted code. So only steps of the
action read it, in a sandboxed process (`steady.action.confined`).
"""

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from test_workflows import ACTIONS, OWN, ROOT, TO_COPY, read

from docs.project import REPOSITORY

WORKFLOWS = [*OWN, *TO_COPY]
PUSHED = {"push", "schedule", "workflow_dispatch"}
"""Events whose code is from authors with push permission."""

HANDLED_BY_GITHUB = ("actions/",)
"""Actions that move files without reading their contents."""


@dataclass(frozen=True)
class Reading:
    """A step that reads results.

    Parameters
    ----------
    place : str
        File, job and step.
    rights : bool
        Whether its job has any write permission.
    strangers : bool
        Whether another job, which can have run untrusted code, measured them.
    confined : bool
        Whether a sandboxed process reads them.
    """

    place: str
    rights: bool
    strangers: bool
    confined: bool


def events_of(path: Path, workflows: list[Path]) -> set[str]:
    """Return the events of a workflow or of its callers; unknown callers are untrusted."""
    on = read(path)[True]  # YAML 1.1 reads the key `on` as true
    events = {on} if isinstance(on, str) else set(on)
    if "workflow_call" not in events:
        return events
    name = f"{REPOSITORY}/.github/workflows/{path.name}@"
    here = f"./.github/workflows/{path.name}"
    callers = [
        other
        for other in workflows
        for job in read(other)["jobs"].values()
        if job.get("uses", "").startswith(name) or job.get("uses") == here
    ]
    called = [events_of(one, workflows) for one in callers]
    return events - {"workflow_call"} | set().union(*called or [{"anything"}])


def confined(step: dict[str, Any]) -> bool:
    """Return whether a step is one of ours that reads results in a sandboxed process."""
    given = step.get("with", {})
    ours: bool = step.get("uses", "").startswith(f"{REPOSITORY}@")
    elsewhere = given.get("mode") == "compare" and given.get("measured") == "elsewhere"
    return ours and bool(elsewhere or given.get("mode") == "report")


def narrowed(events: set[str], job: dict[str, Any]) -> set[str]:
    """Return the events of a workflow for which a job runs."""
    condition = re.fullmatch(r"github.event_name ([!=]=) '(\w+)'", str(job.get("if", "")))
    if condition is None:
        return events
    named = {condition[2]}
    return events & named if condition[1] == "==" else events - named


def readings(name: str, jobs: dict[str, Any], events: set[str]) -> Iterator[Reading]:
    """Yield the steps that read results, of this job or of others."""
    for key, job in jobs.items():
        fetched = False
        for step in job.get("steps", []):
            uses = step.get("uses", "")
            fetches = "download-artifact" in uses or " run download " in step.get("run", "")
            from_others = fetched or step.get("with", {}).get("mode") == "report"
            fetched = fetched or fetches
            if fetches or uses.startswith(HANDLED_BY_GITHUB) or not (from_others or uses):
                continue
            yield Reading(
                f"{name}: {key}: {step['name']}",
                rights="write" in job["permissions"].values(),
                strangers=from_others and not narrowed(events, job) <= PUSHED,
                confined=confined(step),
            )


def of_workflow(path: Path) -> list[Reading]:
    return list(readings(path.name, read(path)["jobs"], events_of(path, WORKFLOWS)))


def trusting(found: list[Reading]) -> list[str]:
    """Return the steps that have write permissions and trust untrusted results."""
    return [one.place for one in found if one.rights and one.strangers and not one.confined]


def test_no_privileged_step_trusts_untrusted_results() -> None:
    found = [one for path in WORKFLOWS for one in of_workflow(path)]
    assert trusting(found) == []
    assert {one.place for one in found if one.rights and one.strangers} == {
        "on-demand.yml: report: Compare and comment",
        "steady-fork-report.yml: report: Compare and comment",
        "steady-steps.yml: compare: Compare and comment",
    }
    assert len(found) > 10


def test_composite_actions_download_nothing_from_other_jobs() -> None:
    """So `compare` reads results of its own job."""
    for path in ACTIONS[1:]:
        assert "artifact" not in path.read_text(encoding="utf-8")
    assert '"INPUT_MEASURED=here"' in (ROOT / "compare/compare.sh").read_text(encoding="utf-8")


def test_results_do_not_determine_the_selection() -> None:
    """It comes from the job that read the comment, which ran no code of the pull request."""
    jobs = read(ROOT / ".github/workflows/on-demand.yml")["jobs"]
    asked = "${{ needs.asked.outputs.only || '.' }}"
    for job in ("measure", "report"):
        assert "asked" in jobs[job]["needs"]
        assert [asked] == [
            s["with"]["only"] for s in jobs[job]["steps"] if "only" in s.get("with", {})
        ]
    assert not any("uses" in step for step in jobs["asked"]["steps"])


@pytest.mark.parametrize(
    "change", [{"measured": "here"}, {"measured": ""}, {"mode": "optimize"}, {"mode": "record"}]
)
def test_a_trusting_step_would_be_found(change: dict[str, str]) -> None:
    path = ROOT / ".github/workflows/on-demand.yml"
    jobs = copy.deepcopy(read(path)["jobs"])
    events = events_of(path, WORKFLOWS)
    assert events == {"issue_comment"}
    step = jobs["report"]["steps"][-1]
    step["with"] |= change
    name = f"on-demand.yml: report: {step['name']}"
    assert trusting(list(readings(path.name, jobs, events))) == [name]
    step["with"] |= {"mode": "compare", "measured": "elsewhere"}
    jobs["report"]["steps"].append({"name": "Look", "run": "steady compare steady-results"})
    assert trusting(list(readings(path.name, jobs, events))) == ["on-demand.yml: report: Look"]
    jobs["report"]["permissions"] = {"contents": "read"}
    assert trusting(list(readings(path.name, jobs, events))) == []
