"""Each example's job may do what its steps need, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

EXAMPLES = sorted((Path(__file__).parents[2] / "examples/workflows").glob("*.yml"))


def needed(step: dict[str, Any]) -> dict[str, str]:
    """Return the permissions without which a step fails."""
    action, given = step.get("uses", ""), step.get("with", {})
    if action.startswith("actions/checkout@"):
        return {"contents": "read"}
    if not action.startswith("org/steady-action@"):
        return {}
    mode, commit = given["mode"], given.get("commit", "false")
    wanted = {
        "actions: read": mode == "report",
        "checks: write": given.get("check") == "true",
        "contents: write": commit != "false" or mode == "record",
        # The optimizing jobs are not on pull requests: only what they open is one.
        "pull-requests: write": mode in ("compare", "report") or commit == "pull-request",
    }
    return dict(name.split(": ") for name, asked in wanted.items() if asked)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_no_example_may_do_more_than_it_needs(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        expected: dict[str, str] = {}
        for step in job["steps"]:
            for name, level in needed(step).items():
                expected[name] = "write" if "write" in (level, expected.get(name)) else level
        assert job["permissions"] == expected
