"""What builds both versions: `measure/build.sh` by itself, for what goes wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from projects import Project
from workflow_runner import ROOT

BUILD = ROOT / "measure/build.sh"


class Builder:
    """A workspace at the merge of a pull request, and the script in it."""

    def __init__(self, workspace: Path, merge: str) -> None:
        self.workspace, self.merge = workspace, merge
        self.temporary = workspace.with_name("temp")
        self.outputs = workspace.with_name("outputs")

    def run(self, **settings: str) -> subprocess.CompletedProcess[str]:
        self.temporary.mkdir(exist_ok=True)
        self.outputs.write_text("")
        names = ("BUILD", "JAR", "RUN", "FOLDER", "COMMIT_BEFORE", "BASE", "HEAD", "FULL")
        given = {f"STEADY_{n}": settings.get(n, "." if n == "FOLDER" else "") for n in names}
        workspace = str(self.workspace)
        paths = {"RUNNER_TEMP": str(self.temporary), "GITHUB_OUTPUT": str(self.outputs)}
        return subprocess.run(
            ["bash", str(BUILD)],
            cwd=self.workspace,
            env={**os.environ, **settings, **given, **paths, "GITHUB_WORKSPACE": workspace},
            capture_output=True,
            text=True,
        )

    @property
    def built(self) -> dict[str, str]:
        """What the named files hold."""
        lines = self.outputs.read_text().splitlines()
        paths = dict(line.split("=", 1) for line in lines)
        paths.pop("base-commit", "")
        return {name: Path(path).read_text() for name, path in paths.items()}


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a repository at the merge of a pull request, and that merge."""
    project = Project(tmp_path_factory.mktemp("merged") / "project")
    project.commit({"source": "before", "go.mod": "module x\n"})
    return project.folder, project.pull_request({"source": "after"})


@pytest.fixture
def builder(merged: tuple[Path, str], tmp_path: Path) -> Builder:
    folder, merge = merged
    return Builder(shutil.copytree(folder, tmp_path / "project"), merge)


def test_each_version_is_built_in_its_own_checkout(builder: Builder) -> None:
    for jar in ("out/a.jar", "out/*.jar", "o*/[a-c].jar"):
        ran = builder.run(BUILD="mkdir -p out\ncp source out/a.jar", JAR=jar)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert builder.built == {"head": "after", "base": "before"}


def test_names_with_blanks_are_one_name(builder: Builder) -> None:
    ran = builder.run(BUILD="cp source 'a  b.jar'", JAR="a *.jar")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert builder.built == {"head": "after", "base": "before"}


def test_a_machine_that_keeps_its_checkout_builds_again(builder: Builder) -> None:
    for _ in range(2):
        assert builder.run(BUILD="cp source x.jar", JAR="x.jar").returncode == 0
        # A runner empties its folder for temporary files after each job.
        shutil.rmtree(builder.temporary)


def test_a_second_suite_of_a_job_shares_the_checkout(builder: Builder) -> None:
    for jar in ("x.jar", "y.jar"):
        assert builder.run(BUILD=f"cp source {jar}", JAR=jar).returncode == 0
    assert builder.built == {"head": "after", "base": "before"}


def test_what_is_built_already_is_handed_on(builder: Builder) -> None:
    ran = builder.run(BASE="some/base.jar", HEAD="some/head.jar")
    assert ran.returncode == 0
    assert builder.outputs.read_text() == "base=some/base.jar\nhead=some/head.jar\n"


def test_a_full_run_builds_what_is_checked_out(builder: Builder) -> None:
    assert builder.run(BUILD="cp source x.jar", JAR="x.jar", FULL="5x60").returncode == 0
    assert builder.built == {"head": "after"}


def test_the_version_before_may_be_named(builder: Builder) -> None:
    ran = builder.run(BUILD="cp source x.jar", JAR="x.jar", COMMIT_BEFORE=builder.merge)
    assert ran.returncode == 0
    assert builder.built == {"head": "after", "base": "after"}
    assert f"\nbase-commit={builder.merge}\n" in builder.outputs.read_text()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"BUILD": "true", "JAR": "x.jar"}, "the build of head left no file x.jar in "),
        ({"BUILD": "true", "JAR": "*.jar"}, "the build of head left no file *.jar in "),
        ({"BUILD": "mkdir x.jar", "JAR": "x.jar"}, "the build of head left no file x.jar in "),
        ({"BUILD": "touch a.jar b.jar", "JAR": "*.jar"}, "*.jar names several files: a.jar b.jar"),
        ({"BUILD": "touch $'a\\nb.jar'", "JAR": "*.jar"}, "holds a control character"),
        ({"BASE": "x.jar"}, "give both `base` and `head`, or neither"),
        ({"BASE": "x", "HEAD": "y", "JAR": "z"}, "or `build` and `jar`"),
        (
            {"BUILD": "make", "FOLDER": ".git"},
            "`jar` or `run` is missing: which file does `build` leave, or",
        ),
        ({"JAR": "x.jar"}, "`build` is missing: which command leaves x.jar?"),
        ({"BUILD": "exit 3", "JAR": "x.jar"}, "the build of head failed (exit code 3); its output"),
        ({"FOLDER": "bench"}, "head has no folder bench; check `folder`"),
        ({"FOLDER": ".git"}, "/.git; give `build` and `jar`, `run`, or for Go `folder`"),
        ({"BUILD": "true", "JAR": "x", "COMMIT_BEFORE": "old"}, "version before, old, is not"),
        ({"BUILD": "true", "JAR": "x", "COMMIT_BEFORE": "--help"}, "give actions/checkout"),
        ({"BUILD": "true", "JAR": "x", "COMMIT_BEFORE": "f" * 40}, "give actions/checkout"),
    ],
)
def test_a_mistake_is_one_sentence(
    builder: Builder, settings: dict[str, str], message: str
) -> None:
    ran = builder.run(**settings)
    assert ran.returncode == 1
    [line] = [line for line in ran.stdout.splitlines() if line.startswith("::error")]
    assert line.startswith("::error title=steady::")
    assert message in line


@pytest.mark.parametrize(
    ("build", "jar"),
    [("grep after source\ncp source x.jar", "x.jar"), ("cp source $(cat source).jar", "after.jar")],
)
def test_a_base_without_benchmarks_is_not_a_riddle(builder: Builder, build: str, jar: str) -> None:
    ran = builder.run(BUILD=build, JAR=jar)
    assert ran.returncode == 1
    *_, end, line = ran.stdout.splitlines()
    assert end == "::endgroup::"
    assert line.startswith("::error title=steady::the build of base ")
    assert line.endswith("nothing to compare yet: merge it, and the next one is compared")


def test_a_build_that_ends_no_line_leaves_the_groups_as_they_are(builder: Builder) -> None:
    ran = builder.run(BUILD="cp source x.jar; printf open", JAR="x.jar")
    lines = ran.stdout.splitlines()
    assert [line for line in lines if "group" in line] == [
        *("::group::Build head", "::endgroup::", "::group::Build base", "::endgroup::"),
    ]


def test_without_git_it_says_so(builder: Builder) -> None:
    (builder.workspace / ".git").rename(builder.workspace / "git")
    ran = builder.run(BUILD="true", JAR="x.jar", GIT_CEILING_DIRECTORIES=str(builder.workspace))
    assert ran.returncode == 1
    assert ran.stdout.startswith("::error title=steady::")
    assert "is not a checkout of Git; let actions/checkout come before" in ran.stdout


def test_a_command_needs_no_file(builder: Builder) -> None:
    for build in ("", "cp source prepared"):
        ran = builder.run(RUN="pytest benchmarks", BUILD=build)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        head, base, _ = builder.outputs.read_text().splitlines()
        folders = [Path(line.partition("=")[2]) for line in (head, base)]
        assert [(one / "source").read_text() for one in folders] == ["after", "before"]
        assert all((one / "prepared").is_file() == bool(build) for one in folders)
    ran = builder.run(RUN="pytest benchmarks", JAR="x.jar", BUILD="true")
    assert ran.returncode == 1
    assert "give `run` or `jar`, not both" in ran.stdout


def run_command(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run `measure/run.sh` with a stand-in for steady, which prints its words."""
    steady = folder / "steady"
    steady.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    steady.chmod(0o755)
    given = {
        **dict.fromkeys(("PLAN", "TIME_BUDGET", "ONLY"), ""),
        "BASE": "b",
        "HEAD": str(folder),
        "FOLDER": ".",
        "OUT": "o",
        "RUN": command,
    }
    path = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    outputs = {"GITHUB_OUTPUT": str(folder / "outputs")}
    return subprocess.run(
        ["bash", str(ROOT / "measure/run.sh")],
        cwd=folder,
        env={**os.environ, **path, **outputs, **{f"STEADY_{n}": v for n, v in given.items()}},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("pytest benchmarks", ["pytest", "benchmarks"]),
        ("pytest -k 'a or b'\n  \"c d\"", ["pytest", "-k", "a or b", "c d"]),
        ("pytest $(id) `id` $HOME *", ["pytest", "$(id)", "`id`", "$HOME", "*"]),
        ("", []),
    ],
)
def test_the_words_of_a_command_are_not_expanded(
    tmp_path: Path, command: str, words: list[str]
) -> None:
    ran = run_command(tmp_path, command)
    assert ran.returncode == 0, ran.stderr
    begin = ["run", "--out", "o", "--base", "b", "--head", str(tmp_path), "--time-budget", "10m"]
    assert ran.stdout.splitlines() == [*begin, *(["--", *words] if words else [])]
    suffix = "json" if words else "txt"
    assert f"base=o/base.{suffix}\n" in (tmp_path / "outputs").read_text()


def test_a_command_with_an_open_quote_is_not_run(tmp_path: Path) -> None:
    ran = run_command(tmp_path, "pytest 'a")
    assert ran.returncode != 0
    assert ran.stdout == ""
    assert "quote" in ran.stderr


def test_a_build_that_fails_is_the_end(builder: Builder) -> None:
    ran = builder.run(BUILD="false\ncp source x.jar", JAR="x.jar")
    assert ran.returncode == 1
    assert builder.outputs.read_text() == ""


GITS_BASH = """
pwd() { [[ ${1-} == -W ]] && echo "D:$(builtin pwd)" || builtin pwd; }
go() {
  case $1 in
    list) printf '%s\\r\\n' "$PWD/a" "$PWD/b" ;;
    test) builtin pwd >>"$GO_BUILT" ;;
  esac
}
export -f pwd go
"""
"""What Git's bash on Windows answers: paths in two forms, and lines of Go that end otherwise."""


def test_a_path_is_named_as_windows_knows_it(builder: Builder, tmp_path: Path) -> None:
    (tmp_path / "bash").write_text(GITS_BASH)
    ran = builder.run(BUILD="cp source x.jar", JAR="x.jar", BASH_ENV=str(tmp_path / "bash"))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    head, base, _ = builder.outputs.read_text().splitlines()
    assert head == f"head=D:{builder.workspace}/x.jar"
    assert base.startswith(f"base=D:{builder.temporary}/steady-base/")


def test_packages_of_go_are_found_on_windows(builder: Builder, tmp_path: Path) -> None:
    (tmp_path / "bash").write_text(GITS_BASH)
    for name, content in {"a": "func BenchmarkX(b", "b": "func TestX(t"}.items():
        (builder.workspace / name).mkdir()
        (builder.workspace / name / "x_test.go").write_text(f"{content}\n")
    bash = {"BASH_ENV": str(tmp_path / "bash"), "GO_BUILT": str(tmp_path / "built")}
    ran = builder.run(FULL="1x5", **bash)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (tmp_path / "built").read_text() == f"{builder.workspace}/a\n"
