"""Repositories of Git, and small runs to keep in them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from git_scenario import Repository, run_git

from steady.history import Fingerprint, HistoryEntry
from steady.history.entry import Object
from steady.model import Suite


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
    bare, clone = (
        shutil.copytree(template / name, tmp_path / name) for name in ("remote.git", "clone")
    )
    settings = clone / ".git" / "config"
    settings.write_text(settings.read_text().replace(template.as_uri(), tmp_path.as_uri()))
    return Repository(bare, clone)


@pytest.fixture
def make_suite() -> Callable[..., Suite]:
    """Return a function that makes a small suite of random measurements."""

    def make(seed: int = 0, benchmarks: int = 3) -> Suite:
        random = np.random.default_rng(seed)
        measurements: Mapping[str, np.ndarray] = {
            f"org.example.Bench.b{number}": random.normal(100.0, 1.0, (2, 5))
            for number in range(benchmarks)
        }
        return Suite.of(measurements, unit="ns/op", iteration_seconds=0.1)

    return make


@pytest.fixture
def make_entry() -> Callable[..., HistoryEntry]:
    """Return a function that makes an entry whose objects nobody has."""

    def make(
        number: int = 0,
        suite: str = "core",
        size: int = 100,
        *,
        commit: str = "",
        environment: Fingerprint | None = None,
    ) -> HistoryEntry:
        return HistoryEntry(
            suite=suite,
            commit=commit or f"{number:040x}",
            run=f"run-{number}",
            time=1_700_000_000 + number,
            results=Object(f"{number:064x}", size),
            environment=Fingerprint() if environment is None else environment,
        )

    return make
