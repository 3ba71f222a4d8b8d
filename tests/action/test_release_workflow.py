"""The project's own workflows: what they may do, and the release's scripts, really run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.project import REPOSITORY, SOURCE
from tests.looped import looped

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github/workflows"
VERSION = re.search(r'(?m)^version = "(.+)"$', (ROOT / "pyproject.toml").read_text())

IMAGE = f"registry.example/{REPOSITORY}@sha256:{'0' * 64}"
GH = """\
#!/usr/bin/env python3
import os, sys
from pathlib import Path
folder = Path(os.environ["FOLDER"])
path = next(word for word in sys.argv[2:] if word.startswith("repos/"))
if "matching-refs" in path:
    print((folder / "refs").read_text(), end="")
elif "/contents/action.yml?ref=" in path:
    print(Path("action.yml").read_text(), end="")
elif "--silent" in sys.argv:
    sys.exit(not (folder / "major").exists())
else:
    (folder / "calls").open("a").write(" ".join(sys.argv[1:]) + "\\n")
    if "--jq" in sys.argv:
        print("new-" + path.split("/")[4] if "-f" in sys.argv else "base-tree")
"""


def workflow(name: str) -> dict[str, Any]:
    """Read one of the project's workflows."""
    read: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yml").read_text(encoding="utf-8"))
    return read


def run_step(
    step: str, folder: Path, root: Path = ROOT, **environ: str
) -> subprocess.CompletedProcess[str]:
    """Run a step of the release as GitHub's runner does: pipes fail only where a shell is named."""
    shell = workflow("release").get("defaults", {}).get("run", {}).get("shell")
    steps = [s for job in workflow("release")["jobs"].values() for s in job["steps"]]
    [script] = [s["run"] for s in steps if s["name"] == step]
    (folder / "gh").write_text(GH)
    (folder / "gh").chmod(0o755)
    variables = {
        **os.environ,
        "PATH": f"{folder}:{os.environ['PATH']}",
        "FOLDER": str(folder),
        "GITHUB_REF": f"refs/tags/{environ.get('GITHUB_REF_NAME', '')}",
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_SHA": "a" * 40,
        "REPOSITORY": f"repos/{REPOSITORY}",
        "RUNNER_TEMP": str(folder),
        "IMAGE": IMAGE,
        **environ,
    }
    options = ["--noprofile", "--norc", "-eo", "pipefail"] if shell == "bash" else ["-e"]
    command = ["bash", *options, "-c", script]
    return subprocess.run(command, cwd=root, env=variables, capture_output=True, text=True)


@looped("path", sorted(FOLDER.glob("*.yml")))
def test_actions_are_pinned_and_permissions_are_named(path: Path) -> None:
    read = workflow(path.stem)
    assert read["permissions"] == {}
    assert all("permissions" in job for job in read["jobs"].values())
    used = re.findall(r"(?m)^ *(?:- )?uses: (.+)", path.read_text(encoding="utf-8"))
    assert used
    pinned = r"[\w/-]+@[0-9a-f]{40} # v[0-9.]+"
    own = rf"{REPOSITORY}[\w/-]*@v1 # zizmor: ignore\[unpinned-uses\] of this very repository"
    assert [u for u in used if not re.fullmatch(f"{pinned}|{own}", u)] == []
    assert "secrets." not in path.read_text(encoding="utf-8")


def test_each_job_of_the_release_may_do_one_thing() -> None:
    jobs = workflow("release")["jobs"]
    assert {name: job["permissions"] for name, job in jobs.items()} == {
        "test": {"contents": "read"},
        "image": {"contents": "read", "packages": "write", "id-token": "write"},
        "package": {"contents": "read"},
        "publish": {"id-token": "write"},
        "tag": {"contents": "write"},
    }
    assert {name: job["needs"] for name, job in jobs.items() if "needs" in job} == {
        "image": "test",
        "package": "test",
        "publish": ["image", "package"],
        "tag": ["image", "publish"],
    }


def test_nothing_of_the_project_runs_where_pypi_trusts_the_release() -> None:
    publish = workflow("release")["jobs"]["publish"]
    assert not any("run" in step for step in publish["steps"])
    assert [step["uses"].partition("@")[0] for step in publish["steps"]] == [
        "actions/download-artifact",
        "pypa/gh-action-pypi-publish",
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert publish["environment"]["url"] == f"https://pypi.org/project/{project['name']}/"


def test_the_package_is_built_of_what_is_needed(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src")
    command = ["make", "--silent", "--old-file=.venv/.installed", "dist"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    tools = f"BIN={Path(sys.executable).parent}"
    ran = subprocess.run([*command, tools], cwd=tmp_path, env=environment, capture_output=True)
    assert ran.returncode == 0, ran.stderr
    [wheel] = (tmp_path / "dist").glob("*.whl")
    [sources] = (tmp_path / "dist").glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("steady/")}
    own = [path for path in (ROOT / "src/steady").rglob("*") if path.is_file()]
    assert packed == {
        f"steady/{path.relative_to(ROOT / 'src/steady').as_posix()}"
        for path in own
        if "__pycache__" not in path.parts
    }
    with tarfile.open(sources) as archive_of_sources:
        names = archive_of_sources.getnames()
    assert {"pyproject.toml", "README.md", "LICENSE"} <= {Path(name).name for name in names}


def test_every_python_that_is_promised_is_tested() -> None:
    tested = workflow("test")["jobs"]["test"]["strategy"]["matrix"]["python"]
    promised = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text())
    assert tested == promised


@pytest.mark.parametrize(
    ("registry", "tag", "words"),
    [
        ("registry.example", None, ""),
        ("", None, "::error::set the repository's variable IMAGE_REGISTRY"),
        ("registry.example", "v9.9.9", "::error::pyproject.toml names another version"),
    ],
)
def test_the_tag_is_the_version(tmp_path: Path, registry: str, tag: str | None, words: str) -> None:
    assert VERSION is not None
    tag = tag or f"v{VERSION[1]}"
    ran = run_step("Check the tag", tmp_path, REGISTRY=registry, GITHUB_REF_NAME=tag)
    assert (ran.returncode != 0) == bool(words)
    assert words in ran.stdout


def test_a_release_from_another_repository_stops(tmp_path: Path) -> None:
    assert VERSION is not None
    ran = run_step(
        "Check the tag",
        tmp_path,
        REGISTRY="registry.example",
        GITHUB_REPOSITORY="ana/steady",
        GITHUB_REF_NAME=f"v{VERSION[1]}",
    )
    assert ran.returncode == 1
    assert "::error::pyproject.toml names another repository as Source" in ran.stdout


def test_what_workflows_name_is_what_a_release_moves(tmp_path: Path) -> None:
    places = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *FOLDER.glob("*.yml")]
    places += (ROOT / "examples").rglob("*.yml")
    named = [
        name
        for place in places
        for name in re.findall(rf"{REPOSITORY}[\w/.-]*@(v\d+)\b", place.read_text("utf-8"))
    ]
    assert len(named) > len(list((ROOT / "examples/workflows").glob("*.yml"))) / 2
    assert VERSION is not None
    assert set(named) == {f"v{VERSION[1].partition('.')[0]}"}


def test_a_release_of_another_major_version_stops(tmp_path: Path) -> None:
    for folder in ("docs", "examples", ".github"):
        (tmp_path / folder).mkdir()
    (tmp_path / "pyproject.toml").write_text(f'version = "2.0.0"\nSource = "{SOURCE}"\n')
    named = f"uses: {REPOSITORY}/compare@{{}}\nuses: actions/checkout@v5\n"
    for major, code in (("v1", 1), ("v2", 0)):
        (tmp_path / "README.md").write_text(named.format(major))
        ran = run_step("Check the tag", tmp_path, tmp_path, REGISTRY="r", GITHUB_REF_NAME="v2.0.0")
        assert ran.returncode == code, ran.stdout + ran.stderr
        refused = "::error::documents and workflows name v1, and this release moves v2"
        assert (refused in ran.stdout) == bool(code)


@pytest.mark.parametrize(
    ("tags", "there", "calls"),
    [
        (["v1.9.0", "v1.10.0"], True, ["PATCH", "refs/tags/v1"]),
        pytest.param(
            ["v1.10.0", "v1.10.0-rc1", "v1.10.0x"],
            True,
            ["PATCH", "refs/tags/v1"],
            marks=pytest.mark.thorough,
        ),
        pytest.param(["v1.10.0"], False, ["POST", "ref=refs/tags/v1"], marks=pytest.mark.thorough),
        (["v1.10.0", "v1.11.0"], True, []),
    ],
)
def test_v1_moves_to_the_newest_version_only(
    tmp_path: Path, tags: list[str], there: bool, calls: list[str]
) -> None:
    (tmp_path / "refs").write_text("".join(f"refs/tags/{tag}\n" for tag in tags))
    if there:
        (tmp_path / "major").touch()
    ran = run_step("Move", tmp_path, GITHUB_REF_NAME="v1.10.0")
    assert ran.returncode == 0, ran.stderr
    made = (tmp_path / "calls").read_text() if (tmp_path / "calls").exists() else ""
    moved = made.splitlines()[3:]
    assert len(moved) == bool(calls)
    assert all(word in made for word in calls)
    assert [call for call in moved if "sha=new-commits" not in call] == []


def test_v1_names_the_signed_image_and_nothing_else_is_changed(tmp_path: Path) -> None:
    (tmp_path / "refs").write_text("refs/tags/v1.10.0\n")
    ran = run_step("Move", tmp_path, GITHUB_REF_NAME="v1.10.0")
    assert ran.returncode == 0, ran.stderr
    ours = (ROOT / "action.yml").read_text(encoding="utf-8")
    there = (tmp_path / "action.yml").read_text(encoding="utf-8")
    assert there == ours.replace("  image: Dockerfile\n", f"  image: docker://{IMAGE}\n")
    base, tree, commit, _ = (tmp_path / "calls").read_text().splitlines()
    assert base == f"api repos/{REPOSITORY}/git/commits/{'a' * 40} --jq .tree.sha"
    assert "base_tree=base-tree" in tree
    assert f"tree[][content]=@{tmp_path}/action.yml" in tree
    assert f"tree=new-trees -f parents[]={'a' * 40}" in commit


@pytest.mark.parametrize("image", ["", f"registry.example/{REPOSITORY}:v1.10.0"])
def test_an_image_without_its_digest_moves_nothing(tmp_path: Path, image: str) -> None:
    (tmp_path / "refs").write_text("refs/tags/v1.10.0\n")
    ran = run_step("Move", tmp_path, GITHUB_REF_NAME="v1.10.0", IMAGE=image)
    assert ran.returncode == 1
    assert "::error::action.yml would name no image by its digest" in ran.stdout
    assert not (tmp_path / "calls").exists()


def test_v1_that_cannot_be_compared_with_other_tags_is_a_failure(tmp_path: Path) -> None:
    ran = run_step("Move", tmp_path, GITHUB_REF_NAME="v1.10.0")
    assert ran.returncode != 0
    assert not (tmp_path / "calls").exists()
