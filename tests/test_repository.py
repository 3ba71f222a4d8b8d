"""The files for maintainers are valid, up to date, and name this repository."""

import re
import shutil
import subprocess
import sys
import tomllib
from itertools import combinations
from pathlib import Path

import pytest
import yaml

from docs.project import REPOSITORY, ROOT, SOURCE, files_that_name_it, moved, named_before
from tests.looped import looped

# The repository's address is configured in one line, and all files use it.


OLD, NEW = "org/steady-action", "ana-b/steady"


@looped(
    ("before", "after"),
    [
        ("uses: org/steady-action@v1", "uses: ana-b/steady@v1"),
        ("uses: org/steady-action/compare@v1", "uses: ana-b/steady/compare@v1"),
        (
            "https://github.com/org/steady-action/blob/main",
            "https://github.com/ana-b/steady/blob/main",
        ),
        ("https://org.github.io/steady-action/", "https://ana-b.github.io/steady/"),
        ("see `org/steady-action`.", "see `ana-b/steady`."),
        ("pip install steady-action", "pip install steady-action"),
        ("https://pypi.org/project/steady-action/", "https://pypi.org/project/steady-action/"),
        ("an.org/steady-action", "an.org/steady-action"),
        ("org/steady-actions", "org/steady-actions"),
    ],
)
def test_renaming_the_repository_keeps_the_package_name(before: str, after: str) -> None:
    assert moved(before, OLD, NEW) == after
    assert moved(after, NEW, OLD) == before


def test_all_files_name_the_configured_repository() -> None:
    assert named_before() == REPOSITORY, "type `make docs`"
    for path in files_that_name_it():
        text = path.read_text(encoding="utf-8")
        owners = re.findall(r"([\w.-]+/[\w.-]+)(?:/[\w./-]+)?@v\d+\b(?! *#)", text)
        owners += re.findall(r"https://github\.com/([\w.-]+/steady[\w.-]*)", text)
        others = {owner for owner in owners if owner != REPOSITORY and "steady" in owner}
        assert not others, f"{path.relative_to(ROOT)}: see `Source` in pyproject.toml"


@pytest.mark.thorough
def test_one_line_and_make_docs_rename_the_repository(tmp_path: Path) -> None:
    names = subprocess.run(
        ["git", "ls-files", "--", ".", ":!tests", ":!benchmarks"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    project = tmp_path / "pyproject.toml"
    line = f'Source = "{SOURCE}"'
    assert project.read_text().count(line) == 1
    project.write_text(project.read_text().replace(line, f'Source = "https://github.com/{NEW}"'))
    make_docs = [sys.executable, "-m", "docs.generate"]
    done = subprocess.run(make_docs, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    owner, name = REPOSITORY.split("/")
    for path in map(tmp_path.joinpath, names):
        content = path.read_bytes()
        assert f"{owner}/{name}".encode() not in content, path
        assert f"{owner}.github.io".encode() not in content, path
    assert f"uses: {NEW}/compare@v1" in (tmp_path / "docs/workflows.md").read_text()
    assert f"uses: {NEW}/.github/workflows/compare.yml@v1" in (tmp_path / "README.md").read_text()


def test_ci_installs_every_tool_that_tests_need() -> None:
    """CI machines are fresh: every test that needs a missing tool fails."""
    needed = {
        tool
        for path in ROOT.glob("tests/**/*.py")
        for words in re.findall(r"mark\.needs\(([^)]*)\)", path.read_text(encoding="utf-8"))
        for tool in re.findall(r'"([^"]+)"', words)
    }
    installed = set(re.findall(r"\[([\w+]+)\]=", (ROOT / ".ci/run").read_text(encoding="utf-8")))
    locked = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    packages = set(re.findall(r"(?m)^([\w-]+)==", locked))
    with_others = {"javac", "gcc", "cc", "awk", "act", "emulate"}
    elsewhere = {"curl", "gradle", "jq", "setarch"}  # preinstalled on runners
    assert "valgrind" in needed
    assert needed <= installed | packages | with_others | elsewhere


# The files for maintainers.


PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]


@looped(
    ("schema", "files"),
    [
        ("vendor.citation-file-format", ["CITATION.cff"]),
        ("vendor.github-issue-config", [".github/ISSUE_TEMPLATE/config.yml"]),
        (
            "vendor.github-issue-forms",
            [".github/ISSUE_TEMPLATE/bug.yml", ".github/ISSUE_TEMPLATE/feature.yml"],
        ),
    ],
)
def test_the_published_schemas_are_valid(schema: str, files: list[str]) -> None:
    tool = str(Path(sys.executable).with_name("check-jsonschema"))
    command = [tool, "--builtin-schema", schema, "--default-filetype", "yaml", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_citation_has_the_current_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    pages = sorted((ROOT / "docs").glob("methods*.md"))
    methods = " ".join(page.read_text(encoding="utf-8") for page in pages)
    for paper in citation["references"]:
        assert paper["title"].lower() in " ".join(methods.lower().split())


def test_the_changelog_has_the_current_version() -> None:
    titles = re.findall(r"(?m)^## \[?([\w.]+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert titles[:2] == ["Unreleased", PROJECT["version"]]


def test_the_hooks_run_the_checks_of_make() -> None:
    """A downloaded hook could have a different version than CI."""
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    (source,) = config["repos"]
    assert source["repo"] == "local"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for hook in source["hooks"]:
        assert hook["language"] == "system"
        program, *options = hook["entry"].removesuffix(" --force-exclude").split()
        assert " ".join(["$(BIN)/" + Path(program).name, *options]) in makefile


def test_make_targets_are_documented_and_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [phony] = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    described = re.findall(r"^([a-z-]+):.*## \S", makefile, re.MULTILINE)
    assert sorted(described) == sorted(phony.split())
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        named = re.findall(r"(?m)(?:`|^)make ([a-z-]+)", document.read_text(encoding="utf-8"))
        assert set(named) <= set(described), document.name


def test_lock_files_exist_and_are_consistent() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    kinds = {"extra": PROJECT["optional-dependencies"], "group": PYPROJECT["dependency-groups"]}
    named = re.findall(r"--(extra|group) (\w+)", makefile)
    assert {name for _, name in named} == {name for kind in kinds.values() for name in kind}
    assert all(name in kinds[kind] for kind, name in named)
    # The site has a separate environment.
    locks = [lock for lock in ROOT.glob("requirements*.txt") if lock.stem != "requirements-site"]
    pins = [set(re.findall(r"(?m)^([^=\s]+)==(\S+)", lock.read_text("utf-8"))) for lock in locks]
    assert len(pins) == 4
    for ours, theirs in combinations(pins, 2):
        both = {name for name, _ in ours} & {name for name, _ in theirs}
        assert {pin for pin in ours ^ theirs if pin[0] in both} == set()
