"""GitLab's and Jenkins' recipes: their lines run here as those systems' runners run them."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import recorded_run
import yaml
from projects import JAVA_OPTIONS, ROOT, Project, maven_project
from written_runs import NAMES

PAGE = (ROOT / "docs/other-ci.md").read_text(encoding="utf-8")

BUILD = """#!/bin/sh
# Stands in for a build tool: its jar is a text that says from which sources it was built.
echo "$0 $*" >>"$BUILDS"
mkdir -p target
cp source target/benchmarks.jar
"""

PYTHON = """#!/bin/sh
# Stands in for the image's Python: its environments have the steady of the tests.
[ "$1 $2" = "-m venv" ] || exit 1
mkdir -p "$3/bin"
printf '#!/bin/sh\\n[ "$1" = install ]\\n' >"$3/bin/pip"
cp "$STEADY" "$3/bin/steady"
chmod +x "$3/bin/pip"
"""

STEADY = """#!/bin/sh
# Runs are recorded ones; comparisons are steady's own.
case $1 in
  run) exec env PYTHONPATH={rooms} {python} {recorded} "$@" ;;
  *) exec {python} -m steady.cli "$@" ;;
esac
"""

REAL = """#!/bin/sh
exec {python} -m steady.cli "$@"
"""

ELEMENTS = {
    "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, {"testcase"}),
    "testcase": ({"name", "classname"}, {"failure", "error", "skipped", "system-out"}),
    "failure": ({"message", "type"}, set()),
    "error": ({"message", "type"}, set()),
    "skipped": ({"message"}, set()),
    "system-out": (set(), set()),
}
"""A part of the schema that Jenkins' plugin xUnit checks with, `junit-10.xsd`."""


def gitlab() -> Mapping[str, Any]:
    """Return the job of the page."""
    [block] = re.findall(r"```yaml\n(benchmarks:.*?)```", PAGE, re.DOTALL)
    job: Mapping[str, Any] = yaml.safe_load(block)["benchmarks"]
    return job


GITLAB = "\n".join(gitlab()["script"])
[JENKINS] = re.findall(r"sh '''\n(.*?)'''", PAGE, re.DOTALL)


class Runner:
    """A machine of either system, at a change of which the source is slower."""

    def __init__(self, folder: Path, project: Project) -> None:
        self.folder, self.workspace, self._image = folder, folder / "build", folder / "image"
        self._image.mkdir(parents=True)
        rooms = os.pathsep.join(str(ROOT / room) for room in ("", "tests/action", "tests/github"))
        names = {"rooms": rooms, "python": sys.executable, "recorded": recorded_run.__file__}
        self.install("steady", STEADY.format(**names))
        self.install("python3", PYTHON)
        self.install("apt-get", "#!/bin/sh\n")
        self._project = project

    def install(self, name: str, script: str) -> None:
        (self._image / name).write_text(script)
        (self._image / name).chmod(0o755)

    def check_out(self, commit: str) -> None:
        """Fetch one commit and nothing by name, as both systems do."""
        source = str(self._project.folder)
        self.workspace.mkdir()
        for command in (
            ("init", "--quiet"),
            ("remote", "add", "origin", source),
            ("fetch", "--quiet", "origin", commit),
            ("checkout", "--quiet", "--detach", commit),
        ):
            subprocess.run(["git", *command], cwd=self.workspace, check=True)

    def run(
        self, script: str, shell: list[str], **variables: str
    ) -> subprocess.CompletedProcess[str]:
        # What the page writes outside of the workspace belongs into the test's folder.
        script = re.sub(r"(?<![\w.])/(opt|tmp)/", rf"{self.folder}/\1/", script)
        for place in ("opt", "tmp"):
            (self.folder / place).mkdir(exist_ok=True)
        environment = {
            **os.environ,
            "CI": "true",
            "PATH": f"{self._image}{os.pathsep}{os.environ['PATH']}",
            "BUILDS": str(self.folder / "builds"),
            "STEADY": str(self._image / "steady"),
            "JAVA_TOOL_OPTIONS": JAVA_OPTIONS,
            **variables,
        }
        return subprocess.run(
            [*shell, script],
            cwd=self.workspace,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture
def runner(tmp_path: Path, project: Project) -> Runner:
    return Runner(tmp_path / "runner", project)


def run_gitlab(
    runner: Runner, project: Project, script: str, shell: str = "bash"
) -> subprocess.CompletedProcess[str]:
    """Run the job for a merge request: GitLab checks out the last commit of its branch."""
    head = project.git("rev-parse", "HEAD^2")
    runner.check_out(head)
    options = {"bash": ["bash", "-eo", "pipefail", "-c"], "sh": ["sh", "-ec"]}
    return runner.run(
        script,
        options[shell],
        CI_PIPELINE_SOURCE="merge_request_event",
        CI_MERGE_REQUEST_DIFF_BASE_SHA=project.git("merge-base", "HEAD^1", "HEAD^2"),
        CI_COMMIT_SHA=head,
        **{name: str(value) for name, value in gitlab()["variables"].items()},
    )


def run_jenkins(
    runner: Runner, project: Project, script: str, later: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the stage for a pull request: Jenkins merges it into its target, on no branch.

    The target may get another commit before the stage begins.
    """
    merge = project.git("rev-parse", "HEAD")
    project.git("reset", "--quiet", "--hard", "HEAD^1")
    if later:
        project.commit(later)
    runner.check_out(merge)
    variables = {"CHANGE_ID": "7", "CHANGE_TARGET": "main", "BRANCH_NAME": "PR-7"}
    return runner.run(script, ["sh", "-xec"], **variables)


def junit(folder: Path) -> dict[str, str]:
    """Return what became of each test of a report that holds to the schema."""
    root = ElementTree.parse(folder / "junit.xml").getroot()
    for element in root.iter():
        attributes, children = ELEMENTS[element.tag]
        assert set(element.attrib) == attributes
        assert {child.tag for child in element} <= children
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(root.attrib[name]) == len(root.findall(f"testcase/{tag}"))
    assert int(root.attrib["tests"]) == len(root)
    return {f"{case.attrib['classname']}.{case.attrib['name']}": case[0].tag for case in root}


SLOWER = {NAMES[0]: "failure", NAMES[1]: "system-out", NAMES[2]: "system-out"}


@pytest.fixture
def change(runner: Runner, project: Project) -> Project:
    """Return a project whose branch makes one benchmark slower."""
    project.commit({"source": "as it was\n"})
    project.pull_request({"README.md": "one"}, {"source": "slower now\n"})
    runner.install("mvn", BUILD)
    return project


@pytest.mark.parametrize("shell", [pytest.param("bash", marks=pytest.mark.thorough), "sh"])
def test_gitlab_shows_what_became_slower_since_the_branch_began(
    shell: str, runner: Runner, change: Project
) -> None:
    change.git("reset", "--quiet", "--hard", "HEAD^1")
    change.commit({"source": "slower too, on the target since\n"})
    change.git("merge", "--quiet", "--no-ff", "--strategy=ours", "--message=Merge", "topic")
    ran = run_gitlab(runner, change, GITLAB, shell)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert junit(runner.workspace) == SLOWER
    assert len((runner.folder / "builds").read_text().splitlines()) == 2
    kept = gitlab()["artifacts"]
    assert kept["when"] == "always", "a regression fails the job"
    for name in (*kept["paths"], *kept["reports"].values()):
        assert (runner.workspace / name).exists(), name


@pytest.mark.parametrize(
    "later",
    [pytest.param(None, marks=pytest.mark.thorough), {"source": "slower too, after the merge\n"}],
)
def test_jenkins_shows_what_became_slower(
    later: Mapping[str, str] | None, runner: Runner, change: Project
) -> None:
    ran = run_jenkins(runner, change, JENKINS, later)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert junit(runner.workspace) == SLOWER
    assert (runner.workspace / "results").is_dir()


@pytest.mark.thorough
@pytest.mark.needs("mvn")
@pytest.mark.parametrize("system", ["gitlab", "jenkins"])
def test_a_real_build_and_a_real_run(system: str, runner: Runner, project: Project) -> None:
    before, after = maven_project()
    without_plan = {name: text for name, text in before.items() if "plan" not in name}
    project.commit({**without_plan, ".gitignore": "target/\n"})
    project.pull_request(after)
    runner.install("steady", REAL.format(python=sys.executable))
    script = GITLAB if system == "gitlab" else JENKINS
    assert "--time-budget 10m" in script
    script = script.replace("--time-budget 10m", "--time-budget 1m")
    ran = (run_gitlab if system == "gitlab" else run_jenkins)(runner, project, script)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert junit(runner.workspace)["shop.ShopBenchmark.price"] == "failure"
