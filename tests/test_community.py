"""The files for those who carry on: valid, and true of this repository."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

from tests.looped import looped

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


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
def test_the_published_schemas_hold(schema: str, files: list[str]) -> None:
    tool = str(Path(sys.executable).with_name("check-jsonschema"))
    command = [tool, "--builtin-schema", schema, "--default-filetype", "yaml", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    pages = sorted((ROOT / "docs").glob("methods*.md"))
    methods = " ".join(page.read_text(encoding="utf-8") for page in pages)
    for paper in citation["references"]:
        assert paper["title"].lower() in " ".join(methods.lower().split())


def test_the_changelog_knows_this_version() -> None:
    titles = re.findall(r"(?m)^## \[?([\w.]+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert titles[:2] == ["Unreleased", PROJECT["version"]]


def test_the_hooks_are_the_checks_of_make() -> None:
    """A hook from the network would judge with another version than CI."""
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    (source,) = config["repos"]
    assert source["repo"] == "local"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for hook in source["hooks"]:
        assert hook["language"] == "system"
        program, *options = hook["entry"].removesuffix(" --force-exclude").split()
        assert " ".join(["$(BIN)/" + Path(program).name, *options]) in makefile


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"(?m)^([a-z-]+)[a-z -]*:(?!=)", (ROOT / "Makefile").read_text()))
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        named = re.findall(r"(?m)(?:`|^)make ([a-z-]+)", document.read_text(encoding="utf-8"))
        assert set(named) <= targets, document.name
