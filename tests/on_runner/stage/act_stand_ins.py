"""Stands in for the actions of others that workflows use, as a step of a composite action.

They are those of `stand_in_actions`; act starts this with the step's inputs.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from stand_in_actions import STAND_INS, Place

STEP = """\
name: {name}
inputs: {inputs}
runs:
  using: composite
  steps:
    - shell: bash
      env:
        ON_RUNNER_INPUTS: ${{{{ toJSON(inputs) }}}}
      run: exec env PYTHONPATH="$ON_RUNNER_ROOM" "$ON_RUNNER_PYTHON" "$ON_RUNNER_ACTIONS" {name}
"""

INPUTS = {
    "actions/checkout": ("ref", "fetch-depth", "persist-credentials"),
    "actions/setup-java": ("distribution", "java-version", "cache"),
    "actions/setup-go": ("go-version-file", "cache-dependency-path", "cache"),
    "actions/upload-artifact": (
        *("name", "path", "overwrite", "if-no-files-found"),
        *("include-hidden-files", "retention-days"),
    ),
    "actions/download-artifact": ("name", "path", "pattern"),
}
"""What workflows of ours say to them."""


def write(folder: Path) -> dict[str, Path]:
    """Write the actions that stand in; return their folders."""
    folders = {name: folder / name for name in INPUTS}
    for name, place in folders.items():
        place.mkdir(parents=True)
        inputs = json.dumps({one: {"default": ""} for one in INPUTS[name]})
        (place / "action.yml").write_text(STEP.format(name=name, inputs=inputs))
    return folders


def main(action: str) -> None:
    """Do what a step asks for."""
    given = {n: v for n, v in json.loads(os.environ["ON_RUNNER_INPUTS"]).items() if v}
    place = Place(
        Path.cwd(),
        Path(os.environ["ON_RUNNER_REPOSITORY"]),
        given.get("ref") or os.environ["GITHUB_SHA"],
        Path(os.environ["ON_RUNNER_ARTIFACTS"]),
    )
    STAND_INS[action](place, given)


if __name__ == "__main__":
    main(sys.argv[1])
