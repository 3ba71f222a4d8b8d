"""Repositories of Git."""

import shutil
from pathlib import Path

import pytest
from git_scenario import Repository, run_git


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a repository, to be copied."""
    folder = tmp_path_factory.mktemp("template")
    bare, clone = folder / "remote.git", folder / "clone"
    run_git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(bare))
    run_git(bare, "config", "uploadpack.allowFilter", "true")
    run_git(folder, "clone", "--quiet", bare.as_uri(), str(clone))
    made = Repository(bare, clone)
    made.git("checkout", "--quiet", "-b", "main")
    (clone / "code.txt").write_text("code\n")
    made.git("add", "code.txt")
    made.commit("first")
    made.git("push", "--quiet", "origin", "main")
    return folder


@pytest.fixture
def repository(template: Path, tmp_path: Path) -> Repository:
    """Return a repository with one commit on its branch main."""
    for name in ("remote.git", "clone"):
        shutil.copytree(template / name, tmp_path / name)
    settings = tmp_path / "clone" / ".git" / "config"
    settings.write_text(settings.read_text().replace(template.as_uri(), tmp_path.as_uri()))
    return Repository(tmp_path / "remote.git", tmp_path / "clone")
