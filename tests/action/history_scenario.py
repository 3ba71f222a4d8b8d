"""A repository on a server, and jobs that store its history."""

import base64
import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from action_scenario import TOKEN, Scenario
from git_scenario import Repository, run_git
from standin import REPOSITORY, StandIn
from written_runs import NAMES, write_run

HEADER = "basic " + base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()


@cache
def _made() -> TemporaryDirectory[str]:
    """Return a folder with an empty repository and its clone, to be copied."""
    folder = TemporaryDirectory()
    bare, clone = (Path(folder.name, name) for name in ("bare", "clone"))
    run_git(bare.parent, "init", "--quiet", "--bare", "--initial-branch=main", str(bare))
    for key in ("http.receivepack", "uploadpack.allowFilter"):
        run_git(bare, "config", key, "true")
    run_git(bare.parent, "clone", "--quiet", bare.as_uri(), str(clone))
    run_git(clone, "checkout", "--quiet", "-b", "main")
    return folder


class Job:
    """A repository on the server, its clone, and a workspace in which jobs run."""

    def __init__(self, folder: Path, server: str, github: StandIn) -> None:
        bare, clone = folder / f"{REPOSITORY}.git", folder / "clone"
        made = Path(_made().name)
        shutil.copytree(made / "bare", bare)
        shutil.copytree(made / "clone", clone)
        settings = clone / ".git" / "config"
        origin = (made / "bare").as_uri()
        settings.write_text(settings.read_text().replace(origin, bare.as_uri()))
        self.repository = Repository(bare, clone)
        self.server = server
        self.github = github
        self.root = folder / "workspace"
        self.root.mkdir()
        self.scenario = Scenario(self.root, github.url)

    def commit(self, branch: str = "main") -> str:
        """Push a commit to a branch, and return its hash."""
        made = self.repository.commit()
        self.repository.git("push", "--quiet", "--force", "origin", f"HEAD:{branch}")
        return made

    def run(
        self, mode: str, commit: str, run: int, *, target: str = "", event: str = "", **inputs: str
    ) -> int:
        """Run a job on a commit as GitHub's runner does; by default of a pull request or a push."""
        environ = {
            "GITHUB_REF": "refs/pull/7/merge" if target else "refs/heads/main",
            "GITHUB_SERVER_URL": self.server,
            "GITHUB_EVENT_NAME": event or ("pull_request" if target else "push"),
            "GITHUB_SHA": commit,
            "GITHUB_BASE_REF": target,
            "GITHUB_RUN_ID": str(run),
            "GITHUB_RUN_ATTEMPT": "1",
        }
        return self.scenario.run({"mode": mode, **inputs}, environ)

    def record(self, commit: str, run: int, factor: float = 1.0, **inputs: str) -> int:
        """Measure a commit of main and record it."""
        write_run(self.root / f"results/run-{run}.json", dict.fromkeys(NAMES, factor))
        return self.run("record", commit, run, results=f"results/run-{run}.json", **inputs)

    def compare(self, commit: str, run: int, *, target: str = "main", **inputs: str) -> int:
        """Compare a pull request's commit with the history."""
        given = {"head": "results/head.json", "history": "git:steady-data", "comment": "always"}
        given.update(inputs)
        return self.run("compare", commit, run, target=target, **given)

    def protect(self) -> None:
        """Reject every push, as branch protection does."""
        hook = self.repository.bare / "hooks/pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\necho 'GH006: Protected branch update failed' >&2\nexit 1\n")
        hook.chmod(0o755)

    def recorded(self) -> list[dict[str, object]]:
        """Return the entries of the branch."""
        bare = self.repository.bare
        listed = run_git(bare, "ls-tree", "-r", "--name-only", "steady-data", "entries/")
        shown = [run_git(bare, "show", f"steady-data:{path}") for path in listed.splitlines()]
        return [json.loads(text) for text in shown]
