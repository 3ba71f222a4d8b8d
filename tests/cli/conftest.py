"""A shell for each test, in a folder of its own."""

from pathlib import Path

import pytest

from tests.cli.shell import Shell, shell_of


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    """Return a function that runs a command."""
    return shell_of(capsys)
