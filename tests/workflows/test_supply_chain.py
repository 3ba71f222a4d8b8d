"""What is downloaded has a hash, and SECURITY.md says what has none."""

import re
import subprocess
from pathlib import Path

import pytest
from projects import ROOT

DOCKER = """#!/bin/sh
[ "$*" = "buildx imagetools inspect --format {{{{.Manifest.Digest}}}} {name}" ] && echo {told}
"""
NAME = "docker.io/library/python:3.13-slim"
PINNED = re.compile(r"(?m)^ARG PYTHON=docker\.io/library/python:3\.13-slim@sha256:([0-9a-f]{64})$")


def test_the_base_is_named_by_its_digest() -> None:
    text = (ROOT / "Dockerfile").read_text()
    assert len(PINNED.findall(text)) == 1
    assert set(re.findall(r"(?m)^FROM (\S+)", text)) == {"${PYTHON}"}


def test_what_apt_installs_is_what_the_page_says() -> None:
    installed = re.findall(
        r"apt-get install --yes --no-install-recommends (.*)$",
        (ROOT / "Dockerfile").read_text(),
        re.MULTILINE,
    )
    assert installed == ["git \\"]
    page = " ".join((ROOT / "SECURITY.md").read_text().split())
    assert "Git is the one package in the image that is not pinned" in page


def moved(folder: Path, told: str) -> subprocess.CompletedProcess[str]:
    """Let `make base` ask a docker that answers so, in a copy."""
    for name in ("Makefile", "Dockerfile"):
        (folder / name).write_text((ROOT / name).read_text())
    docker = folder / "docker"
    docker.write_text(DOCKER.format(name=NAME, told=told))
    docker.chmod(0o755)
    return subprocess.run(
        ["make", "base"],
        cwd=folder,
        env={"PATH": f"{folder}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_make_base_moves_the_digest(tmp_path: Path) -> None:
    done = moved(tmp_path, f"sha256:{'5' * 64}")
    assert done.returncode == 0, done.stderr
    assert PINNED.findall((tmp_path / "Dockerfile").read_text()) == ["5" * 64]
    assert done.stdout == f"{NAME}@sha256:{'5' * 64}\n"


@pytest.mark.parametrize("told", ["''", "sha256:55", "'sha256:x|e touch a'"])
def test_an_answer_that_is_no_digest_moves_nothing(tmp_path: Path, told: str) -> None:
    assert moved(tmp_path, told).returncode != 0
    assert (tmp_path / "Dockerfile").read_text() == (ROOT / "Dockerfile").read_text()
