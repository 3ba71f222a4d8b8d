"""The image, built from the Dockerfile and run as GitHub's runner would.

It takes minutes, so it runs where STEADY_CONTAINER_CHECK names the program that does both:

    container-check build CONTEXT TAG
    container-check run TAG WORKSPACE [-e K=V ...]
"""

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest
from action_scenario import EVENT_FILE, TOKEN, read_outputs, runner_environ, write_event
from fork_scenario import measured, packed, results
from history_scenario import Job
from standin import StandIn
from standin_runs import RUN, Runs, add_artifact, add_pull, add_run, storage
from written_runs import slower, write_full_run, write_run

ROOT = Path(__file__).parents[2]
TAG = "localhost/steady-action:test"
WORKSPACE = "/github/workspace"
OWNER = (1001, 121)
"""User and group of GitHub's hosted runners."""


class Result(NamedTuple):
    """The outcome of a run of the image."""

    code: int
    log: str
    summary: str
    outputs: dict[str, str]


@dataclass(frozen=True)
class Image:
    """The built image, and the program that runs it."""

    program: str

    def run(
        self, workspace: Path, github: StandIn, more: dict[str, str] | None = None, **given: str
    ) -> Result:
        """Run it on a workspace with the given inputs; check the log for tokens and traps."""
        environ = {
            **runner_environ(github.url, WORKSPACE),
            "PYTHONPATH": WORKSPACE,
            "PYTHONSTARTUP": f"{WORKSPACE}/os.py",
            **{f"INPUT_{name.upper().replace('_', '-')}": value for name, value in given.items()},
            **(more or {}),
        }
        variables = [part for item in environ.items() for part in ("-e", "=".join(item))]
        command = [self.program, "run", TAG, str(workspace), *variables]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        log, _, rest = done.stdout.partition("--- GITHUB_OUTPUT\n")
        outputs, _, summary = rest.partition("--- GITHUB_STEP_SUMMARY\n")
        log += done.stderr
        told = [line for line in log.splitlines() if not line.startswith("::add-mask::")]
        assert TOKEN not in "\n".join(told)
        assert "a module of the workspace ran" not in log
        assert "Traceback" not in log
        return Result(done.returncode, log, summary, read_outputs(outputs))


def context(folder: Path) -> Path:
    """Return the build context of the image; the substitute base image has another digest."""
    for name in ("Dockerfile", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    for path in ROOT.glob("requirements*.txt"):
        shutil.copy(path, folder)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / "Dockerfile"
    file.write_text(re.sub(r"@sha256:[0-9a-f]{64}", "", file.read_text()))
    return folder


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """Build the image, once."""
    program = os.environ.get("STEADY_CONTAINER_CHECK")
    if program is None:
        if os.environ.get("STEADY_REQUIRE_TOOLS") and (ROOT.parent / "shared/tools").is_dir():
            pytest.fail("STEADY_CONTAINER_CHECK is not set, and STEADY_REQUIRE_TOOLS is")
        pytest.skip("building the image takes minutes: set STEADY_CONTAINER_CHECK")
    done = subprocess.run(
        [program, "build", str(context(tmp_path_factory.mktemp("image"))), TAG],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    print(done.stdout.splitlines()[-1])
    return Image(program)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return a workspace owned by the runner's user, with malicious files."""
    root = tmp_path / "of-the-runner"
    root.mkdir()
    write_full_run(root / "results/full.json")
    write_run(root / "results/base.json")
    write_run(root / "results/head.json", slower(1.4))
    write_event(root / EVENT_FILE)
    for module in ("steady", "numpy", "github", "sitecustomize", "os", "json"):
        (root / f"{module}.py").write_text("raise SystemExit('a module of the workspace ran')\n")
    for path in (root, *root.rglob("*")):
        shutil.chown(path, *OWNER)
    return root


def test_optimize_record_and_compare_in_the_container(
    image: Image, workspace: Path, github: StandIn, job: Job
) -> None:
    made = image.run(workspace, github, mode="optimize", results="results/f*.json")
    assert made.code == 0, made.log
    assert made.outputs["plan"] == ".steady/plan.json"
    assert float(made.outputs["seconds-saved"]) > 0
    assert "→" in made.summary

    commits = [job.commit(), job.commit()]
    ours = {"GITHUB_SERVER_URL": job.server, "GITHUB_RUN_ID": "1", "GITHUB_RUN_ATTEMPT": "1"}
    on_main = {"GITHUB_EVENT_NAME": "push", "GITHUB_REF": "refs/heads/main"}
    more = {**ours, **on_main, "GITHUB_SHA": commits[0]}
    recorded = image.run(workspace, github, more, mode="record", results="results/base.json")
    assert recorded.code == 0, recorded.log

    more = {**ours, "GITHUB_SHA": commits[1], "GITHUB_BASE_REF": "main"}
    given = {"mode": "compare", "head": "results/head.json", "history": "git:"}
    compared = image.run(workspace, github, more, **given)
    assert compared.code == 1, compared.log
    assert compared.outputs.get("verdict") == "regression", compared.log
    assert compared.outputs["plan"] == ".steady/plan.json"
    assert "::error title=steady::Failed because of `fail-on`: regression." in compared.log
    assert f"Baseline: commit {commits[0][:12]}, 1 commit before" in compared.log
    assert "beta" in compared.summary
    assert re.findall(r"^<!-- steady:\S+ -->", "\n".join(github.bodies()), re.MULTILINE) == [
        "<!-- steady:default:plan -->",
        "<!-- steady:default -->",
    ]
    assert {request.token for request in github.requests} == {TOKEN}

    written = [
        path
        for folder in (workspace / ".steady", workspace / "steady-report")
        for path in (folder, *folder.rglob("*"))
    ]
    assert {(path.stat().st_uid, path.stat().st_gid) for path in written} == {OWNER}
    assert all(path.stat().st_mode & 0o444 == 0o444 for path in written)
    assert (workspace / ".steady/jmh/1.args").is_file()
    assert not list(workspace.rglob("__pycache__"))


def test_report_in_the_container_and_exit_code_2_for_user_errors(
    image: Image, workspace: Path, github: StandIn
) -> None:
    with storage() as elsewhere:
        github.part(Runs).location = elsewhere.url
        for add in (add_run, add_artifact, add_pull):
            add(github)
        elsewhere.content = packed(results(head=measured(slower(2.0))))
        (workspace / EVENT_FILE).write_text(json.dumps({"workflow_run": {"id": RUN}}))
        finished = {"GITHUB_EVENT_NAME": "workflow_run"}
        result = image.run(workspace, github, finished, mode="report")
    assert (result.code, result.outputs.get("verdict")) == (1, "regression"), result.log
    assert "beta" in github.bodies()[0]
    assert [TOKEN in str(headers) for headers in elsewhere.received] == [False]
    written = (workspace / "steady-report", *(workspace / "steady-report").iterdir())
    assert {(path.stat().st_uid, path.stat().st_gid) for path in written} == {OWNER}

    refused = image.run(workspace, github, mode="compare", base="/etc/hostname", head="x.json")
    assert refused.code == 2, refused.log
    assert "is outside the workspace" in refused.log
