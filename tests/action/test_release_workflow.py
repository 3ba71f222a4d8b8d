"""The project's own workflows: what they may do, and the release's scripts, really run."""

from __future__ import annotations

import json
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
from action_scenario import read_outputs
from written_runs import NAMES, write_run

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
        "attest": {"id-token": "write", "attestations": "write"},
        "publish": {"id-token": "write"},
        "tag": {"contents": "write"},
    }
    assert {name: job["needs"] for name, job in jobs.items() if "needs" in job} == {
        "image": "test",
        "package": "test",
        "attest": "package",
        "publish": ["image", "attest"],
        "tag": ["image", "publish"],
    }


def test_nothing_of_the_project_runs_where_the_release_is_signed_or_published() -> None:
    jobs = workflow("release")["jobs"]
    publish, attest = jobs["publish"], jobs["attest"]
    assert not any("run" in step for step in (*publish["steps"], *attest["steps"]))
    fetch, provenance, materials = attest["steps"]
    assert fetch["with"]["path"] == "dist"
    assert provenance["with"] == {"subject-path": "dist/*.whl\ndist/*.tar.gz\n"}
    assert materials["with"] == {**provenance["with"], "sbom-path": "dist/sbom.cdx.json"}
    kept = [s["with"] for s in jobs["package"]["steps"] if "upload-artifact" in s.get("uses", "")]
    assert {one["name"]: one["path"] for one in kept} == {
        "dist": "dist",
        "sbom": "build/sbom.cdx.json",
    }
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


def test_the_bill_of_materials_names_all_that_is_pinned(tmp_path: Path) -> None:
    pinned = re.findall(
        r"(?m)^([\w.-]+)==(\S+).*\n    --hash=sha256:(\w+)",
        (ROOT / "requirements.txt").read_text(encoding="utf-8"),
    )
    found = [
        {
            "metadata": {"name": name, "version": version, "license_expression": "MIT"},
            "download_info": {"archive_info": {"hashes": {"sha256": digest}}},
        }
        for name, version, digest in pinned
    ]
    report = tmp_path / "installed.json"
    report.write_text(json.dumps({"install": found}))
    command = [sys.executable, "-I", str(ROOT / "setup/sbom.py"), str(report)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    bill = json.loads(ran.stdout)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert VERSION is not None
    assert bill["metadata"]["component"]["purl"] == f"pkg:pypi/steady-action@{VERSION[1]}"
    parts = {(c["name"], c["version"], c["hashes"][0]["content"]) for c in bill["components"]}
    assert parts == set(pinned)
    assert len(parts) > 20
    assert {c["licenses"][0]["expression"] for c in bill["components"]} == {"MIT"}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_what_is_published_runs_the_composite_actions_steps(tmp_path: Path, kind: str) -> None:
    """Into an empty environment, beside what is pinned; then the action's own script compares."""
    command = ["make", "--silent", "--old-file=.venv/.installed", "dist"]
    for name in ("Makefile", "pyproject.toml", "README.md", "LICENSE", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src")
    tools = Path(sys.executable).parent
    subprocess.run([*command, f"BIN={tools}"], cwd=tmp_path, check=True, capture_output=True)
    [package] = (tmp_path / "dist").glob(kind)
    bin_folder = tmp_path / "empty/bin"
    subprocess.run([sys.executable, "-I", "-m", "venv", str(tmp_path / "empty")], check=True)
    pip = [str(bin_folder / "python"), "-I", "-m", "pip", "install", "--quiet"]
    locked = ["--only-binary", ":all:", "--require-hashes", "-r", "requirements.txt"]
    subprocess.run([*pip, *locked], cwd=tmp_path, check=True)
    subprocess.run([*pip, "--no-deps", str(package)], check=True)

    root = tmp_path / "workspace"
    for side, factor in (("base", 1.0), ("head", 1.3)):
        write_run(root / f"results/{side}.json", {NAMES[0]: factor, NAMES[1]: 1.0})
    environment = {
        **{f"STEADY_{name}": "" for name in ("PLAN", "KEY", "COMMENT", "FAIL_ON")},
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "STEADY_BASE": "results/base.json",
        "STEADY_HEAD": "results/head.json",
        "STEADY_OUT": "out",
        "GITHUB_WORKSPACE": str(root),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }
    script = ["bash", str(ROOT / "compare/compare.sh")]
    ran = subprocess.run(script, cwd=root, env=environment, capture_output=True, text=True)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "verdict: regression" in ran.stdout
    assert read_outputs((tmp_path / "output").read_text())["regressions"] == "1"
    assert (root / "out/report/report.html").is_file()
    assert "alpha" in (tmp_path / "summary").read_text()


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
