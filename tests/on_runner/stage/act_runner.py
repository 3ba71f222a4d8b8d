"""act: a runner of GitHub's workflows on this machine, without a container.

act needs this repository as it is published, and here the Action's container has a stand-in: its
Python in an environment of its own, made as the Dockerfile makes it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import act_stand_ins
import yaml
from projects import ROOT

from docs.project import REPOSITORY as OURS

_PUBLISHED = (
    *("action.yml", "pyproject.toml", "README.md", "LICENSE", "requirements.txt"),
    *("requirements-dev.txt", "src", "setup", "measure", "compare", ".github"),
)
_CONTAINER = """\
import os
given = {n.upper(): v for n, v in __import__("json").loads(os.environ["ON_RUNNER_INPUTS"]).items()}
python = os.environ["ON_RUNNER_IMAGE"] + "/bin/python"
words = [python, "-IB", "-X", "utf8", "-m", "steady.action"]
kept = {n: v for n, v in os.environ.items() if not n.startswith("INPUT_")}
os.execve(python, words, {**kept, **{f"INPUT_{n}": v for n, v in given.items()}})
"""
_INSTALLED = """\
# What the installer itself has made before.
echo "$ON_RUNNER_IMAGE/bin" >>"$GITHUB_PATH"
echo "version=$("$ON_RUNNER_IMAGE/bin/steady" --version)" >>"$GITHUB_OUTPUT"
"""


def publish(folder: Path) -> Path:
    """Copy what users get of this repository; the container is a step that runs its Python."""
    target = folder / "steady-action"
    target.mkdir(parents=True)
    for name in _PUBLISHED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, target / name)
    action = yaml.safe_load((target / "action.yml").read_text())
    assert action["runs"]["using"] == "docker"
    for name, output in action["outputs"].items():
        output["value"] = f"${{{{ steps.run.outputs.{name} }}}}"
    environment = {"ON_RUNNER_INPUTS": "${{ toJSON(inputs) }}"}
    step = {"id": "run", "shell": "python3 {0}", "env": environment, "run": _CONTAINER}
    action["runs"] = {"using": "composite", "steps": [step]}
    (target / "action.yml").write_text(yaml.safe_dump(action))
    return target


def install(published: Path, folder: Path) -> Path:
    """Make the container's environment: what setup/install.sh makes is the same."""
    for name in ("output", "path"):
        (folder / name).touch()
    environ = {**os.environ, "RUNNER_TEMP": str(folder), "STEADY_PYTHON": sys.executable}
    environ |= {"GITHUB_PATH": str(folder / "path"), "GITHUB_OUTPUT": str(folder / "output")}
    subprocess.run(["bash", str(published / "setup/install.sh")], env=environ, check=True)
    return folder / "steady"


def reuse(published: Path, folder: Path) -> Path:
    """Copy what is published; its installer does not make the same environment once more."""
    copy = folder / published.name
    shutil.copytree(published, copy)
    (copy / "setup/install.sh").write_text(_INSTALLED)
    return copy


@dataclass(frozen=True)
class Ran:
    """A workflow that came to its end."""

    code: int
    log: str

    def step(self, name: str) -> str:
        """Return what became of a step: the word before its name."""
        found = re.findall(rf"(Success|Failure) - \w+ {re.escape(name)} \[", self.log)
        assert found, f"no step {name} in:\n{self.log}"
        return str(found[-1])


@dataclass(kw_only=True)
class Runner:
    """Where workflows run.

    Attributes
    ----------
    folder : Path
        For what runs leave, each in a folder of its own.
    artifacts : Path
        Those of the newest run.
    project : Path
        The Git repository that is checked out.
    repository : str
        Its name on the server.
    published, image : Path
        See `publish` and `install`.
    """

    folder: Path
    project: Path
    repository: str
    published: Path
    api: str
    image: Path = Path()
    environment: Mapping[str, str] = field(default_factory=dict)
    artifacts: Path = Path()

    def run(
        self, workflow: Path, event: str, payload: Mapping[str, Any], *, sha: str, token: str,
        ref: str = "refs/heads/main", run: int = 1,
    ) -> Ran:  # fmt: skip
        """Let act run a workflow file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        place = self.folder / f"run-{len(list(self.folder.iterdir()))}"
        place.mkdir()
        self.artifacts = place / "artifacts"
        (place / "event.json").write_text(json.dumps(payload))
        local = {f"{OURS}@v1": self.published}
        stand_ins = act_stand_ins.write(place / "actions")
        text = workflow.read_text() + "".join(
            path.read_text() for path in (self.published / ".github/workflows").iterdir()
        )
        for name, used in set(re.findall(r"uses: (actions/[\w-]+)@(\w+)", text)):
            if name in stand_ins:
                local[f"{name}@{used}"] = stand_ins[name]
        variables = {
            "GITHUB_API_URL": self.api,
            "GITHUB_REPOSITORY": self.repository,
            "GITHUB_REF": ref,
            "GITHUB_RUN_ID": str(run),
            "SHA_REF": sha,
            "ON_RUNNER_ACTIONS": str(Path(act_stand_ins.__file__)),
            "ON_RUNNER_ARTIFACTS": str(self.artifacts),
            "ON_RUNNER_IMAGE": str(self.image),
            "ON_RUNNER_PYTHON": sys.executable,
            "ON_RUNNER_REPOSITORY": str(self.project),
            **self.environment,
        }
        (place / "environment").write_text("".join(f"{n}={v}\n" for n, v in variables.items()))
        (place / "secrets").write_text(f"GITHUB_TOKEN={token}\n")
        (place / "work").mkdir()
        command = [
            *("act", event, "--workflows", str(workflow), "--eventpath", str(place / "event.json")),
            *("--env-file", str(place / "environment"), "--secret-file", str(place / "secrets")),
            *("--platform", "ubuntu-latest=-self-hosted", "--platform", "self-hosted=-self-hosted"),
            *("--no-skip-checkout", "--action-offline-mode", "--directory", str(place / "work")),
            *("--action-cache-path", str(place / "cache")),
        ]
        for name, path in local.items():
            command += ["--local-repository", f"{name}={path}"]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900,
            check=False, env=_environ(place),
        )  # fmt: skip
        (place / "log").write_text(done.stdout)
        return Ran(done.returncode, done.stdout)


def _environ(place: Path) -> dict[str, str]:
    """Return our environment, without our sources on Python's path."""
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    home = {"XDG_CACHE_HOME": str(place / "cache"), "XDG_CONFIG_HOME": str(place / "config")}
    return {**ours, **home}
