"""A project, its repository on the server, and the runner that its workflows run on."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from act_runner import Ran, Runner
from emulate_server import MAINTAINER, Hosted
from projects import JAVA_OPTIONS, ROOT, Project, maven_project

EXAMPLES = ROOT / "examples/workflows"


@dataclass
class Scene:
    """What a test about one workflow needs.

    Attributes
    ----------
    pull : dict
        The pull request, as the server shows it.
    token : str
        What a job gets; left out, one with the rights that the workflow asks for.
    """

    project: Project
    hosted: Hosted
    runner: Runner
    pull: dict[str, Any]
    token: str = ""

    def open(
        self, before: Mapping[str, str], *after: Mapping[str, str], fork: Hosted | None = None
    ) -> None:
        """Commit a project, and open a pull request with further commits."""
        self.project.commit(before)
        self.project.pull_request(*after)
        self.hosted.push(self.project.folder, self.git("rev-parse", "HEAD^1"), "main")
        source = fork or self.hosted
        by = source.owner if fork else MAINTAINER
        source.push(self.project.folder, self.git("rev-parse", "topic"), "topic", token=by)
        head = f"{source.owner}:topic" if fork else "topic"
        # GitHub has the commits of a pull request in its target too.
        self.hosted.bring(self.project.folder, self.git("rev-parse", "topic"))
        self.pull = self.hosted.pull_request(head, by=by)

    def push(self, files: Mapping[str, str]) -> None:
        """Push another commit to the pull request's branch, and merge it anew."""
        base = self.git("rev-parse", "HEAD^1")
        self.git("switch", "--quiet", "topic")
        after = self.project.commit(files)
        self.git("switch", "--quiet", "main")
        self.git("reset", "--quiet", "--hard", base)
        self.git("merge", "--quiet", "--no-ff", "--message=Merge", "topic")
        self.hosted.push(self.project.folder, after, "topic")
        self.pull = self.hosted.ask("GET", f"/pulls/{self.number}")

    @property
    def number(self) -> int:
        """The pull request's."""
        return int(self.pull["number"])

    def git(self, *arguments: str) -> str:
        """Run Git in the project."""
        return self.project.git(*arguments)

    def on_pull_request(self, workflow: str, file: Path | None = None) -> Ran:
        """Run a workflow on the pull request, with the rights that it asks for."""
        content = {"action": "synchronize", "number": self.number, "pull_request": self.pull}
        merge = self.git("rev-parse", "HEAD")
        ref = f"refs/pull/{self.number}/merge"
        return self.run(workflow, "pull_request", content, sha=merge, ref=ref, file=file)

    def run(
        self, workflow: str, event: str, content: Mapping[str, Any], *, sha: str,
        ref: str = "refs/heads/main", file: Path | None = None,
    ) -> Ran:  # fmt: skip
        """Run a workflow, with the rights that its jobs ask for."""
        path = file or EXAMPLES / f"{workflow}.yml"
        payload = {"repository": self.hosted.ask("GET", ""), **content}
        token = self.token or self.hosted.server.token(rights(path))
        return self.runner.run(path, event, payload, sha=sha, ref=ref, token=token)

    def comments(self) -> list[str]:
        """Return what Actions' app has said on the pull request."""
        written = self.hosted.comments(self.number)
        return [c["body"] for c in written if c["user"]["login"] == "github-actions[bot]"]


def rights(workflow: Path) -> dict[str, str]:
    """Return what the jobs of a workflow may do: act has one token for all of them."""
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
    granted: dict[str, str] = {}
    for job in jobs:
        for name, level in job["permissions"].items():
            granted[name] = max(level, granted.get(name, ""))
    return granted


def maven(
    scene: Scene, files: Mapping[str, str] | None = None, folder: str = "", *,
    fork: Hosted | None = None, also: Mapping[str, str] | None = None,
) -> None:  # fmt: skip
    """Open a pull request to a project of Maven, which may change further files also."""
    before, after = maven_project(folder)
    scene.runner.environment = {**scene.runner.environment, "JAVA_TOOL_OPTIONS": JAVA_OPTIONS}
    before = {**before, ".gitignore": "target/\n*.test\n", **(files or {})}
    scene.open(before, {"README.md": "one"}, {**after, **(also or {})}, fork=fork)
