"""What a workflow runs by a shell: `measure/build.sh` and `run.sh`, and steps of its own."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from projects import ROOT, Project

from tests.looped import looped

MEASURE = ROOT / "measure"
BOTH = {"head": "after", "base": "before"}
COPY = {"BUILD": "cp source x.jar", "JAR": "x.jar"}


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
            ["bash", str(MEASURE / "build.sh")],
            cwd=self.workspace,
            env={**os.environ, **settings, **given, **paths, "GITHUB_WORKSPACE": workspace},
            capture_output=True,
            text=True,
        )

    def named(self, **settings: str) -> dict[str, str]:
        """Build, and return what is named: paths, and the version before."""
        ran = self.run(**settings)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return dict(line.split("=", 1) for line in self.outputs.read_text().splitlines())

    def built(self, **settings: str) -> dict[str, str]:
        """Build, and return what the named files hold."""
        named = self.named(**settings)
        named.pop("base-commit", "")
        return {name: Path(path).read_text() for name, path in named.items()}


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
        assert builder.built(BUILD="mkdir -p out\ncp source out/a.jar", JAR=jar) == BOTH
    # Names with blanks are one name.
    assert builder.built(BUILD="cp source 'a  b.jar'", JAR="a *.jar") == BOTH


def test_a_machine_that_keeps_its_checkout_builds_again(builder: Builder) -> None:
    for _ in range(2):
        # A second suite of a job shares the checkout.
        for jar in ("x.jar", "y.jar"):
            assert builder.built(BUILD=f"cp source {jar}", JAR=jar) == BOTH
        # A runner empties its folder for temporary files after each job.
        shutil.rmtree(builder.temporary)


def test_what_is_built_already_is_handed_on(builder: Builder) -> None:
    given = {"BASE": "some/base.jar", "HEAD": "some/head.jar"}
    assert builder.named(**given) == {name.lower(): path for name, path in given.items()}


def test_a_full_run_builds_what_is_checked_out(builder: Builder) -> None:
    assert builder.built(**COPY, FULL="5x60") == {"head": "after"}


def test_the_version_before_may_be_named(builder: Builder) -> None:
    built = builder.built(**COPY, COMMIT_BEFORE=builder.merge)
    assert built == {"head": "after", "base": "after"}
    assert f"\nbase-commit={builder.merge}\n" in builder.outputs.read_text()


def test_the_build_does_not_see_the_token(builder: Builder) -> None:
    built = builder.built(BUILD="env >x.jar", JAR="x.jar", INPUT_TOKEN="ghs_secret")
    assert [name for name, text in built.items() if "ghs_secret" in text] == []


def test_a_command_needs_no_file(builder: Builder) -> None:
    for build in ("", "cp source prepared"):
        named = builder.named(RUN="pytest benchmarks", BUILD=build)
        folders = {name: Path(named[name]) for name in ("head", "base")}
        assert {name: (one / "source").read_text() for name, one in folders.items()} == BOTH
        assert all((one / "prepared").is_file() == bool(build) for one in folders.values())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"BUILD": "true", "JAR": "x.jar"}, "the build of head created no file x.jar in "),
        ({"BUILD": "true", "JAR": "*.jar"}, "the build of head created no file *.jar in "),
        ({"BUILD": "mkdir x.jar", "JAR": "x.jar"}, "the build of head created no file x.jar in "),
        (
            {"BUILD": "touch a.jar b.jar", "JAR": "*.jar"},
            "*.jar matches several files: a.jar b.jar",
        ),
        ({"BUILD": "touch $'a\\nb.jar'", "JAR": "*.jar"}, "contains a control character"),
        ({"BASE": "x.jar"}, "give both `base` and `head`, or neither"),
        ({"BASE": "x", "HEAD": "y", "JAR": "z"}, "or `build` and `jar`"),
        ({"RUN": "pytest", "JAR": "x.jar", "BUILD": "true"}, "give `run` or `jar`, not both"),
        (
            {"BUILD": "make", "FOLDER": ".git"},
            "`jar` (the file that `build` creates) or `run` (the command",
        ),
        ({"JAR": "x.jar"}, "`build` (the command that creates x.jar) is missing"),
        ({"BUILD": "exit 3", "JAR": "x.jar"}, "the build of head failed (exit code 3); its output"),
        ({"BUILD": "false\ncp source x.jar", "JAR": "x.jar"}, "the build of head failed"),
        ({"FOLDER": "bench"}, "head has no folder bench; check `folder`"),
        ({"FOLDER": ".git"}, "/.git; give `build` and `jar`, `run`, or for Go `folder`"),
        (
            {"BUILD": "true", "JAR": "x", "COMMIT_BEFORE": "old"},
            "commit to compare with, old, is not",
        ),
        ({"BUILD": "true", "JAR": "x", "COMMIT_BEFORE": "--help"}, "for actions/checkout"),
        ({"BUILD": "true", "JAR": "x", "COMMIT_BEFORE": "f" * 40}, "for actions/checkout"),
    ],
)
def test_a_mistake_is_one_sentence(
    builder: Builder, settings: dict[str, str], message: str
) -> None:
    ran = builder.run(**settings)
    assert ran.returncode == 1
    assert builder.outputs.read_text() == ""
    [line] = [line for line in ran.stdout.splitlines() if line.startswith("::error")]
    assert line.startswith("::error title=steady::")
    assert message in line


@looped(
    ("build", "jar"),
    [("grep after source\ncp source x.jar", "x.jar"), ("cp source $(cat source).jar", "after.jar")],
)
def test_a_base_without_benchmarks_is_not_a_riddle(builder: Builder, build: str, jar: str) -> None:
    ran = builder.run(BUILD=build, JAR=jar)
    assert ran.returncode == 1
    *_, end, line = ran.stdout.splitlines()
    assert end == "::endgroup::"
    assert line.startswith("::error title=steady::the build of base ")
    assert line.endswith("nothing to compare yet: comparisons start after it is merged")


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
    assert "is not a Git checkout; run actions/checkout first" in ran.stdout


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
    bash = {"BASH_ENV": str(tmp_path / "bash"), "GO_BUILT": str(tmp_path / "built")}
    named = builder.named(**COPY, **bash)
    assert named["head"] == f"D:{builder.workspace}/x.jar"
    assert named["base"].startswith(f"D:{builder.temporary}/steady-base/")
    # Packages of Go are found there too.
    for name, content in {"a": "func BenchmarkX(b", "b": "func TestX(t"}.items():
        (builder.workspace / name).mkdir()
        (builder.workspace / name / "x_test.go").write_text(f"{content}\n")
    builder.named(FULL="1x5", **bash)
    assert (tmp_path / "built").read_text() == f"{builder.workspace}/a\n"


GO_SOURCES = {
    "go.mod": "module example.com/m\n\ngo 1.18\n",
    "a/a_test.go": """package a

import "testing"

var Version, sink = "", 0

func BenchmarkA(b *testing.B) {
	if Version != "own" {
		b.Fatal("without the user's -ldflags")
	}
	sink = BODY
}
""",
    "b/b_test.go": 'package b\n\nimport "testing"\n\nfunc BenchmarkB(*testing.B) {}\n',
}
OWN_FLAGS = "'-ldflags=-s -X example.com/m/a.Version=own' -tags=x"


@pytest.fixture(scope="module")
def go_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a Go module whose package `a` changes in a pull request; `b` does not."""
    project = Project(tmp_path_factory.mktemp("go") / "project")
    project.commit({name: text.replace("BODY", "1") for name, text in GO_SOURCES.items()})
    project.pull_request({"a/a_test.go": GO_SOURCES["a/a_test.go"].replace("BODY", "2 + b.N")})
    return project.folder


@pytest.mark.needs("go")
def test_changed_go_binaries_are_also_linked_in_three_layouts(
    go_project: Path, tmp_path: Path
) -> None:
    builder = Builder(shutil.copytree(go_project, tmp_path / "project"), "")
    for _ in range(2):  # a machine that keeps its checkout builds again
        named = builder.named(GOFLAGS=OWN_FLAGS)
        for side in ("base", "head"):
            checkout = Path(named[side])
            own = [path.relative_to(checkout).as_posix() for path in checkout.rglob("*.test")]
            layouts = [f"a/_layouts/{number}/a.test" for number in (1, 2, 3)]
            assert sorted(own) == [*layouts, "a/a.test", "b/b.test"]
            contents = {(checkout / one).read_bytes() for one in (*layouts, "a/a.test")}
            assert len(contents) == 4
            for one in (*layouts, "a/a.test"):
                options = ["-test.run=^$", "-test.bench=A", "-test.benchtime=1x"]
                ran = subprocess.run([checkout / one, *options], capture_output=True, text=True)
                assert ran.returncode == 0, ran.stdout


@pytest.mark.needs("go")
def test_a_full_run_links_layouts_of_all_go_binaries(go_project: Path, tmp_path: Path) -> None:
    builder = Builder(shutil.copytree(go_project, tmp_path / "project"), "")
    head = Path(builder.named(FULL="1x5")["head"])
    assert sorted({path.parents[2].name for path in head.rglob("_layouts/*/*.test")}) == ["a", "b"]


def test_an_older_go_builds_the_plain_binaries_and_says_so(
    builder: Builder, tmp_path: Path
) -> None:
    (tmp_path / "bash").write_text(GITS_BASH)
    (builder.workspace / "a").mkdir()
    (builder.workspace / "a/x_test.go").write_text("func BenchmarkX(b\n")
    (builder.workspace / "b").mkdir()
    (builder.workspace / "b/x_test.go").write_text("func TestX(t\n")
    bash = {"BASH_ENV": str(tmp_path / "bash"), "GO_BUILT": str(tmp_path / "built")}
    ran = builder.run(FULL="1x5", **bash)
    assert "The linker of this Go has no -randlayout: head has one function layout." in ran.stdout
    assert (tmp_path / "built").read_text() == f"{builder.workspace}/a\n"


def run_command(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run `measure/run.sh` with a stand-in for steady, which prints its words."""
    steady = folder / "steady"
    steady.write_text('#!/bin/sh\nprintf "%s\\n" "$@" "token: $INPUT_TOKEN"\n')
    steady.chmod(0o755)
    usual = {"BASE": "b", "HEAD": str(folder), "FOLDER": ".", "OUT": "o", "RUN": ""}
    given = {**dict.fromkeys(("PLAN", "TIME_BUDGET", "ONLY"), ""), **usual, **settings}
    path = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "INPUT_TOKEN": "ghs_secret"}
    outputs = {"GITHUB_OUTPUT": str(folder / "outputs")}
    return subprocess.run(
        ["bash", str(MEASURE / "run.sh")],
        cwd=folder,
        env={**os.environ, **path, **outputs, **{f"STEADY_{n}": v for n, v in given.items()}},
        capture_output=True,
        text=True,
    )


PATTERNS = (
    "$(touch canary) `touch canary`; touch canary",
    "' && touch canary && '",
    '" ; touch canary ; "',
    "--out=canary",
    "x%0Acommit=canary ${{ github.token }}",
    "*",
)
"""What somebody may write behind `/steady run`: never more than a pattern."""


@looped(
    ("settings", "words"),
    [
        ({"RUN": "pytest benchmarks"}, ["--time-budget", "10m", "--", "pytest", "benchmarks"]),
        # The words of a command are not expanded.
        (
            {"RUN": "pytest -k 'a or b'\n  \"c d\""},
            ["--time-budget", "10m", "--", "pytest", "-k", "a or b", "c d"],
        ),
        (
            {"RUN": "pytest $(id) `id` $HOME *"},
            ["--time-budget", "10m", "--", "pytest", "$(id)", "`id`", "$HOME", "*"],
        ),
        ({}, ["--time-budget", "10m"]),
        ({"PLAN": "mine.json"}, ["--plan", "mine.json"]),
        ({"FOLDER": "planned"}, ["--plan", "planned/.steady/plan.json"]),
    ],
)
def test_what_steady_is_asked_for(
    tmp_path: Path, settings: Mapping[str, str], words: list[str]
) -> None:
    plan = tmp_path / "planned/.steady/plan.json"
    plan.parent.mkdir(parents=True, exist_ok=True)
    plan.touch()
    ran = run_command(tmp_path, **settings)
    assert ran.returncode == 0, ran.stderr
    begin = ["run", "--out", "o", "--base", "b", "--head", str(tmp_path)]
    assert ran.stdout.splitlines() == [*begin, *words, "token: "]
    suffix = "json" if "RUN" in settings else "txt"
    assert f"base=o/base.{suffix}\n" in (tmp_path / "outputs").read_text()
    (tmp_path / "outputs").unlink()


@looped(
    ("settings", "words", "results"),
    [
        ({"RUN": "pytest benchmarks"}, ["--", "pytest", "benchmarks"], "o/results.json"),
        (
            {"RUN": "./tool", "ITERATION_SECONDS": "0.1", "SHARD": "1/2"},
            ["--", "./tool"],
            "o/results.json",
        ),
        ({}, [], "o/results.txt"),
        # What a pull request may take says nothing of a full run.
        ({"TIME_BUDGET": "10m"}, [], "o/results.txt"),
    ],
)
def test_what_steady_is_asked_for_in_a_full_run(
    tmp_path: Path, settings: Mapping[str, str], words: list[str], results: str
) -> None:
    ran = run_command(tmp_path, FULL="5x60", **{"ITERATION_SECONDS": "", **settings})
    assert ran.returncode == 0, ran.stderr
    shard = ["--shard", "1/2"] if "SHARD" in settings else []
    length = ["--iteration-seconds", "0.1"] if "ITERATION_SECONDS" in settings else []
    everything = ["--full", "5x60", "--jar", str(tmp_path), *length]
    assert ran.stdout.splitlines() == ["run", "--out", "o", *shard, *everything, *words, "token: "]
    assert f"{results}\n" in (tmp_path / "outputs").read_text()
    (tmp_path / "outputs").unlink()


def test_a_pattern_is_one_word_and_a_command_with_an_open_quote_is_not_run(tmp_path: Path) -> None:
    for pattern in PATTERNS:
        ran = run_command(tmp_path, ONLY=pattern)
        assert f"--only={pattern}" in ran.stdout.splitlines()
    assert not (tmp_path / "canary").exists()
    ran = run_command(tmp_path, RUN="pytest 'a")
    assert ran.returncode != 0
    assert ran.stdout == ""
    assert "quote" in ran.stderr


def run_step(
    folder: Path, workflow: str, job: str, name: str, **environment: str
) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
    """Run a step of a workflow of ours as GitHub does; return also what it hands on."""
    text = (ROOT / f".github/workflows/{workflow}.yml").read_text(encoding="utf-8")
    steps: list[dict[str, Any]] = yaml.safe_load(text)["jobs"][job]["steps"]
    [step] = [step for step in steps if step.get("name") == name]
    assert set(environment) - {"PATH", "ANSWERS"} <= set(step["env"])
    (folder / "outputs").write_text("")
    ran = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**os.environ, "GITHUB_OUTPUT": str(folder / "outputs"), **environment},
        capture_output=True,
        text=True,
    )
    lines = (folder / "outputs").read_text().splitlines()
    return ran, dict(line.split("=", 1) for line in lines)


GH = """#!/bin/sh
# Stands in for GitHub's command: gh api PATH --jq EXPRESSION
jq -r "$4" "$ANSWERS/$(echo "$2" | tr / _).json"
"""
PUSHED = "2026-11-28T08:00:00Z"
PULL = {
    "state": "open",
    "mergeable": True,
    "merge_commit_sha": "a" * 40,
    "head": {"sha": "b" * 40, "ref": "a#b", "repo": {"full_name": "bob/shop"}},
}


def comment(
    folder: Path,
    body: str,
    permission: str = "write",
    pushed: object = ({"after": "b" * 40, "timestamp": PUSHED},),
    **pull: object,
) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
    """Run what a comment of ana on pull request 7 starts, a second after the last push."""
    answers = {
        "repos_octo_shop_collaborators_ana_permission": {"permission": permission},
        "repos_octo_shop_pulls_7": {**PULL, **pull},
        "repos_bob_shop_activity?ref=refs_heads_a%23b&per_page=1": pushed,
    }
    for name, answer in answers.items():
        (folder / f"{name}.json").write_text(json.dumps(answer))
    (folder / "gh").write_text(GH)
    (folder / "gh").chmod(0o755)
    return run_step(
        folder, "on-demand", "asked", "Check the request",
        COMMENT=body, WHO="ana", NUMBER="7", REPOSITORY="repos/octo/shop", GH_TOKEN="t",
        WRITTEN="2026-11-28T08:00:01Z", ANSWERS=str(folder),
        PATH=f"{folder}{os.pathsep}{os.environ['PATH']}",
    )  # fmt: skip


@pytest.mark.needs("jq")
@looped(
    ("body", "only", "permission"),
    [
        ("/steady run Bench.alpha\n\nthank you", "Bench.alpha", "admin"),
        ("/steady run", "", "write"),
        ("/steady run  ", "", "write"),
        ("/steady run\r\nmore", "", "write"),
        (f"/steady run {'b' * 40}", "", "write"),
        (f"/steady run  {'b' * 40}  Bench.alpha beta ", "Bench.alpha beta", "write"),
        (f"/steady run {'b' * 39}", "b" * 39, "write"),
        *((f"/steady run {one}\ncommit={'c' * 40}", one, "write") for one in PATTERNS),
    ],
)
def test_who_may_push_asks_for_a_pattern(
    tmp_path: Path, body: str, only: str, permission: str
) -> None:
    ran, outputs = comment(tmp_path, body, permission)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert outputs == {"commit": "a" * 40, "head": "b" * 40, "only": only}
    assert not (tmp_path / "canary").exists()


LATE = f"GitHub does not confirm that commit {'b' * 40} was pushed before the comment: review it"
PUSHED_LATER: tuple[object, ...] = (
    [{"after": "b" * 40, "timestamp": "2026-11-28T08:00:01Z"}],  # in the comment's very second
    [{"after": "b" * 40, "timestamp": "2026-11-28T08:01:00Z"}],
    [{"after": "c" * 40, "timestamp": PUSHED}],  # the newest push is not told yet
    [{"after": "b" * 40, "timestamp": "yesterday"}],
    [],
    {"message": "Not Found"},
)
"""What GitHub says of pushes to the branch, the newest alone, where `b` may be newer."""


@pytest.mark.needs("jq")
def test_a_commit_that_is_named_runs_whenever_it_was_pushed(tmp_path: Path) -> None:
    for pushed in PUSHED_LATER:
        _, outputs = comment(tmp_path, f"/steady run {'b' * 40} x", pushed=pushed)
        assert outputs == {"commit": "a" * 40, "head": "b" * 40, "only": "x"}
    gone = {"sha": "b" * 40, "ref": "main", "repo": None}
    ran, outputs = comment(tmp_path, "/steady run x", head=gone)
    assert (ran.returncode, outputs) == (1, {})
    assert comment(tmp_path, f"/steady run {'b' * 40}", head=gone)[1]["head"] == "b" * 40


@pytest.mark.needs("jq")
@looped(
    ("body", "permission", "pull", "code", "said"),
    [
        ("/steady run", "read", {}, 0, "ana has none"),
        ("/steady run", "none", {}, 0, "ana has none"),
        ("/steady runner", "write", {}, 0, "does not begin with"),
        ("/steady run", "write", {"state": "closed"}, 1, "cannot be merged"),
        ("/steady run", "write", {"mergeable": False}, 1, "cannot be merged"),
        ("/steady run", "write", {"merge_commit_sha": "main; id"}, 1, "cannot be merged"),
        (f"/steady run {'c' * 40}", "write", {}, 1, f"is {'b' * 40}, not {'c' * 40}: review it,"),
        *(("/steady run x", "write", {"pushed": pushed}, 1, LATE) for pushed in PUSHED_LATER),
    ],
)
def test_nothing_else_starts_a_run(
    tmp_path: Path, body: str, permission: str, pull: Mapping[str, Any], code: int, said: str
) -> None:
    ran, outputs = comment(tmp_path, body, permission, **pull)
    assert (ran.returncode, outputs) == (code, {})
    assert said in ran.stdout


def test_the_merge_is_one_of_the_commit_that_was_read(merged: tuple[Path, str]) -> None:
    folder, _ = merged
    name = "Check the requested commit"
    asked = subprocess.run(
        ["git", "rev-parse", "HEAD^2"], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()
    for head, code in ((asked, 0), ("c" * 40, 1)):
        ran, _ = run_step(folder, "on-demand", "measure", name, HEAD=head)
        assert ran.returncode == code, ran.stdout + ran.stderr
    assert f"The merge does not contain commit {'c' * 40}" in ran.stdout


def test_a_full_run_is_cut_and_joined(tmp_path: Path) -> None:
    for shards in (1, 4):
        _, outputs = run_step(tmp_path, "plan", "parts", "Cut", SHARDS=str(shards))
        cells = json.loads(outputs["matrix"])["include"]
        numbers = range(1, shards + 1)
        assert cells == [{"part": n, "shard": f"{n}/{shards}"} for n in numbers]
    (tmp_path / "steady").write_text('#!/bin/sh\nprintf "%s " "$@" >joined\nexit 1\n')
    (tmp_path / "steady").chmod(0o755)
    for number in (1, 2):
        (tmp_path / f"parts/full-run--{number}").mkdir(parents=True)
        (tmp_path / f"parts/full-run--{number}/benchmarks.jar").write_text("a jar")
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    joined = ("plan", "plan", "Join the shards")
    ran, outputs = run_step(tmp_path, *joined, SHARDS="2", PATH=path)
    assert ran.returncode == 0, ran.stderr
    assert outputs == {"jar": "full-run/benchmarks.jar"}
    parts = "parts/full-run--1 parts/full-run--2"
    assert (tmp_path / "joined").read_text() == f"merge {parts} --out full-run "
    assert (tmp_path / "full-run/benchmarks.jar").read_text() == "a jar"
    # One machine has it all.
    shutil.rmtree(tmp_path / "full-run")
    shutil.rmtree(tmp_path / "parts/full-run--2")
    run_step(tmp_path, *joined, SHARDS="1")
    assert (tmp_path / "full-run/benchmarks.jar").is_file()
    # What is no jar is not kept, and no harness but JMH takes one.
    shutil.rmtree(tmp_path / "full-run")
    (tmp_path / "parts/full-run--1/benchmarks.jar").unlink()
    ran, outputs = run_step(tmp_path, *joined, SHARDS="1")
    assert (ran.returncode, outputs) == (0, {})


def test_only_a_jar_is_kept_for_the_plan(tmp_path: Path) -> None:
    (tmp_path / "o").mkdir()
    for content, kept in (("\x7fELF", False), ("P", False), ("PK\x03\x04", True)):
        (tmp_path / "built").write_text(content)
        ran = run_command(tmp_path, FULL="1x5", ITERATION_SECONDS="", HEAD=str(tmp_path / "built"))
        assert ran.returncode == 0, ran.stderr
        assert (tmp_path / "o/benchmarks.jar").is_file() == kept
