"""The project's own workflows: their permissions, and the release scripts, executed."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from docs.project import REPOSITORY, SOURCE
from tests.looped import looped

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github/workflows"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = PROJECT["version"]
JOBS = yaml.safe_load((FOLDER / "release.yml").read_text(encoding="utf-8"))["jobs"]

IMAGE = f"registry.example/{REPOSITORY}@sha256:{'0' * 64}"
GH = """\
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


def run_step(
    step: str, folder: Path, environ: Mapping[str, str], root: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run a step of the release in the workflow's shell, in which failed pipes are errors."""
    steps = [one for job in JOBS.values() for one in job["steps"]]
    [script] = [one["run"] for one in steps if one["name"] == step]
    (folder / "gh").write_text(f"#!{sys.executable} -SE\n{GH}")
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
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=root, env=variables, capture_output=True, text=True)


def test_each_release_job_has_minimal_permissions_and_waits_for_others() -> None:
    read = yaml.safe_load((FOLDER / "release.yml").read_text(encoding="utf-8"))
    assert read["defaults"]["run"]["shell"] == "bash"
    assert {name: (job.get("needs"), job["permissions"]) for name, job in JOBS.items()} == {
        "test": (None, {"contents": "read"}),
        "image": ("test", {"contents": "read", "packages": "write", "id-token": "write"}),
        "package": ("test", {"contents": "read"}),
        "attest": ("package", {"id-token": "write", "attestations": "write"}),
        "publish": (["image", "attest"], {"id-token": "write"}),
        "tag": (["image", "publish"], {"contents": "write"}),
    }


def test_jobs_that_sign_or_publish_run_no_code_of_the_project() -> None:
    publish, attest = JOBS["publish"], JOBS["attest"]
    assert not any("run" in step for step in (*publish["steps"], *attest["steps"]))
    fetch, provenance, materials = attest["steps"]
    assert fetch["with"]["path"] == "dist"
    assert provenance["with"] == {"subject-path": "dist/*.whl\ndist/*.tar.gz\n"}
    assert materials["with"] == {**provenance["with"], "sbom-path": "dist/sbom.cdx.json"}
    kept = [s["with"] for s in JOBS["package"]["steps"] if "upload-artifact" in s.get("uses", "")]
    paths = {one["name"]: one["path"] for one in kept}
    assert paths == {"dist": "dist", "sbom": "build/sbom.cdx.json"}
    assert [step["uses"].partition("@")[0] for step in publish["steps"]] == [
        "actions/download-artifact",
        "pypa/gh-action-pypi-publish",
    ]
    assert publish["environment"]["url"] == f"https://pypi.org/project/{PROJECT['name']}/"


def built(folder: Path) -> tuple[Path, Path]:
    """Build wheel and source distribution from a copy of the required files."""
    for name in ("Makefile", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "src", folder / "src")
    tools = f"BIN={Path(sys.executable).parent}"
    command = ["make", "--silent", "--old-file=.venv/.installed", "dist", tools]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True)
    assert ran.returncode == 0, ran.stderr
    [wheel] = (folder / "dist").glob("*.whl")
    [sources] = (folder / "dist").glob("*.tar.gz")
    return wheel, sources


def test_the_package_is_built_from_the_required_files(tmp_path: Path) -> None:
    wheel, sources = built(tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("steady/")}
    own = [path for path in (ROOT / "src/steady").rglob("*") if path.is_file()]
    files = [path.relative_to(ROOT / "src") for path in own if "__pycache__" not in path.parts]
    assert packed == {path.as_posix() for path in files}
    with tarfile.open(sources) as archive_of_sources:
        names = archive_of_sources.getnames()
    assert {"pyproject.toml", "README.md", "LICENSE"} <= {Path(name).name for name in names}


def test_the_bill_of_materials_lists_all_pinned_packages(tmp_path: Path) -> None:
    locked = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    pinned = re.findall(r"(?m)^([\w.-]+)==(\S+).*\n    --hash=sha256:(\w+)", locked)
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
    assert bill["metadata"]["component"]["purl"] == f"pkg:pypi/steady-action@{VERSION}"
    parts = {(c["name"], c["version"], c["hashes"][0]["content"]) for c in bill["components"]}
    assert parts == set(pinned)
    assert len(parts) > 20
    assert {c["licenses"][0]["expression"] for c in bill["components"]} == {"MIT"}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [0, 1], ids=["wheel", "sources"])
def test_the_published_package_runs_with_pinned_dependencies(tmp_path: Path, kind: int) -> None:
    package = built(tmp_path)[kind]
    bin_folder = tmp_path / "empty/bin"
    subprocess.run([sys.executable, "-I", "-m", "venv", str(tmp_path / "empty")], check=True)
    pip = [str(bin_folder / "python"), "-I", "-m", "pip", "install", "--quiet"]
    locked = ["--only-binary", ":all:", "--require-hashes", "-r", "requirements.txt"]
    subprocess.run([*pip, *locked], cwd=ROOT, check=True)
    subprocess.run([*pip, "--no-deps", str(package)], check=True)
    ran = subprocess.run([str(bin_folder / "steady"), "demo"], cwd=tmp_path, capture_output=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert list(tmp_path.rglob("report.html"))


def test_every_supported_python_version_is_tested() -> None:
    read = yaml.safe_load((FOLDER / "test.yml").read_text(encoding="utf-8"))
    promised = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert read["jobs"]["test"]["strategy"]["matrix"]["python"] == promised


@looped(
    ("environ", "words"),
    [
        ({}, ""),
        ({"REGISTRY": ""}, "::error::set the repository's variable IMAGE_REGISTRY"),
        ({"GITHUB_REF_NAME": "v9.9.9"}, "::error::pyproject.toml names another version"),
        ({"GITHUB_REPOSITORY": "ana/steady"}, "::error::pyproject.toml names another repository"),
    ],
)
def test_the_tag_matches_the_version(tmp_path: Path, environ: dict[str, str], words: str) -> None:
    usual = {"REGISTRY": "registry.example", "GITHUB_REF_NAME": f"v{VERSION}"}
    ran = run_step("Check the tag", tmp_path, {**usual, **environ})
    assert (ran.returncode != 0) == bool(words)
    assert words in ran.stdout


def test_workflows_refer_to_the_tag_that_a_release_moves(tmp_path: Path) -> None:
    places = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *FOLDER.glob("*.yml")]
    places += (ROOT / "examples").rglob("*.yml")
    named = [
        name
        for place in places
        for name in re.findall(rf"{REPOSITORY}[\w/.-]*@(v\d+)\b", place.read_text("utf-8"))
    ]
    assert len(named) > len(list((ROOT / "examples/workflows").glob("*.yml"))) / 2
    assert set(named) == {f"v{VERSION.partition('.')[0]}"}

    for folder in ("docs", "examples", ".github"):
        (tmp_path / folder).mkdir()
    (tmp_path / "pyproject.toml").write_text(f'version = "2.0.0"\nSource = "{SOURCE}"\n')
    for major, code in (("v1", 1), ("v2", 0)):
        used = f"uses: {REPOSITORY}/compare@{major}\nuses: actions/checkout@v5\n"
        (tmp_path / "README.md").write_text(used)
        tag = {"REGISTRY": "r", "GITHUB_REF_NAME": "v2.0.0"}
        ran = run_step("Check the tag", tmp_path, tag, tmp_path)
        assert ran.returncode == code, ran.stdout + ran.stderr
        refused = "::error::documents and workflows name v1, and this release moves v2"
        assert (refused in ran.stdout) == bool(code)


def moved(folder: Path, *tags: str, **environ: str) -> tuple[int, str, list[str]]:
    """Move the major version's tag at release 1.10.0; return exit code, log, and requests."""
    calls = folder / "calls"
    calls.write_text("")
    if tags:
        (folder / "refs").write_text("".join(f"refs/tags/{tag}\n" for tag in tags))
    ran = run_step("Move", folder, {"GITHUB_REF_NAME": "v1.10.0", **environ})
    return ran.returncode, ran.stdout + ran.stderr, calls.read_text().splitlines()


@looped(
    ("tags", "there", "words"),
    [
        (["v1.9.0", "v1.10.0"], True, ["PATCH", "refs/tags/v1"]),
        (["v1.10.0", "v1.10.0-rc1", "v1.10.0x"], True, ["PATCH", "refs/tags/v1"]),
        (["v1.10.0"], False, ["POST", "ref=refs/tags/v1"]),
        (["v1.10.0", "v1.11.0"], True, []),
    ],
)
def test_v1_moves_only_to_the_newest_version(
    tmp_path: Path, tags: list[str], there: bool, words: list[str]
) -> None:
    (tmp_path / "major").unlink(missing_ok=True)
    if there:
        (tmp_path / "major").touch()
    code, log, calls = moved(tmp_path, *tags)
    assert code == 0, log
    last = calls[3:]
    assert len(last) == bool(words)
    assert all(word in call for word in (*words, "sha=new-commits") for call in last)


def test_v1_differs_only_in_the_signed_image(tmp_path: Path) -> None:
    code, log, calls = moved(tmp_path, "v1.10.0")
    assert code == 0, log
    ours = (ROOT / "action.yml").read_text(encoding="utf-8")
    there = (tmp_path / "action.yml").read_text(encoding="utf-8")
    assert there == ours.replace("  image: Dockerfile\n", f"  image: docker://{IMAGE}\n")
    base, tree, commit, _ = calls
    assert base == f"api repos/{REPOSITORY}/git/commits/{'a' * 40} --jq .tree.sha"
    assert "base_tree=base-tree" in tree
    assert f"tree[][content]=@{tmp_path}/action.yml" in tree
    assert f"tree=new-trees -f parents[]={'a' * 40}" in commit


def test_v1_does_not_move_without_digest_and_other_tags(tmp_path: Path) -> None:
    code, _, calls = moved(tmp_path)  # GitHub does not list the tags
    assert (code != 0, calls) == (True, [])
    for image in ("", f"registry.example/{REPOSITORY}:v1.10.0"):
        code, log, calls = moved(tmp_path, "v1.10.0", IMAGE=image)
        assert (code, calls) == (1, [])
        assert "::error::action.yml would name no image by its digest" in log
