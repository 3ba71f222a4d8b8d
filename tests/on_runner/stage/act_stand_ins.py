"""Stands in for the actions of others that workflows use, as a step of a composite action.

A checkout clones, an upload copies files. act starts this once a step, with the step's inputs, so
little is imported here.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """Where a step runs.

    Parameters
    ----------
    workspace, artifacts : Path
        The job's folder, and where artifacts are kept.
    repository : Path
        The project's, as the checkout finds it.
    commit : str
        What is checked out.
    """

    workspace: Path
    repository: Path
    commit: str
    artifacts: Path


class MissingError(Exception):
    """What an action wants is not there."""


def _checkout(place: Place, given: Mapping[str, str]) -> None:
    """Clone the repository at the commit that was asked for, as deep as that."""
    assert given.get("persist-credentials") == "false", "benchmarks could read the token"
    depth = given.get("fetch-depth", "1")
    deep = [] if depth == "0" else [f"--depth={depth}"]
    git = ["git", "-C", str(place.workspace)]
    subprocess.run([*git, "init", "--quiet"], check=True)
    fetch = [*git, "fetch", "--quiet", *deep, place.repository.resolve().as_uri(), place.commit]
    subprocess.run(fetch, check=True)
    if folder := given.get("sparse-checkout"):
        subprocess.run([*git, "sparse-checkout", "set", "--cone", folder], check=True)
    subprocess.run([*git, "checkout", "--quiet", "--detach", place.commit], check=True)


def _nothing(place: Place, given: Mapping[str, str]) -> None:
    """Java or Go: the machine's own serves."""


def _upload(place: Place, given: Mapping[str, str]) -> None:
    """Copy files into the artifact's folder, from their nearest common folder on."""
    patterns = given["path"].strip().split("\n")
    found = [p for each in patterns for p in place.workspace.glob(each.strip())]
    files = [f for p in found for f in (p.rglob("*") if p.is_dir() else [p]) if f.is_file()]
    if given.get("include-hidden-files") != "true":
        files = [f for f in files if not _hidden(f.relative_to(place.workspace))]
    if not files:
        if given.get("if-no-files-found") == "error":
            raise MissingError(f"no files found at {given['path']}")
        return
    whole = len(patterns) == 1 and found[0].is_dir()
    common = found[0] if whole else Path(os.path.commonpath([f.parent for f in found]))
    target = place.artifacts / given["name"]
    if target.exists():
        assert given.get("overwrite") == "true", "a name is taken once"
        shutil.rmtree(target)
    for file in files:
        copy = target / file.relative_to(common)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)


def _download(place: Place, given: Mapping[str, str]) -> None:
    """Copy artifacts into the workspace: one by its name, or several into folders of their own."""
    target, artifacts = place.workspace / given.get("path", "."), place.artifacts
    if "name" in given:
        if not (artifacts / given["name"]).is_dir():
            raise MissingError(f"no artifact {given['name']}")
        shutil.copytree(artifacts / given["name"], target, dirs_exist_ok=True)
        return
    for artifact in sorted(artifacts.glob(given["pattern"])):
        shutil.copytree(artifact, target / artifact.name, dirs_exist_ok=True)


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


STAND_INS: Mapping[str, Callable[[Place, Mapping[str, str]], None]] = {
    "actions/checkout": _checkout,
    "actions/setup-java": _nothing,
    "actions/setup-go": _nothing,
    "actions/upload-artifact": _upload,
    "actions/download-artifact": _download,
}
STEP = """\
name: {name}
inputs: {inputs}
runs:
  using: composite
  steps:
    - shell: bash
      env:
        ON_RUNNER_INPUTS: ${{{{ toJSON(inputs) }}}}
      run: exec "$ON_RUNNER_PYTHON" "$ON_RUNNER_ACTIONS" {name}
"""

INPUTS = {
    "actions/checkout": ("ref", "fetch-depth", "persist-credentials", "sparse-checkout"),
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
