"""The entry point: our own mistakes are told apart from the user's and from verdicts."""

from __future__ import annotations

import io
import sys

import pytest

from steady.action import __main__ as entry


def test_a_mistake_of_the_user(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("INPUT_MODE", "guess")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    assert entry.main() == 2
    assert "got 'guess'" in capsys.readouterr().out


def test_a_mistake_of_ours_is_neither_a_regression_nor_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> int:
        raise LookupError("\n::set-output name=verdict::unchanged")

    monkeypatch.setattr("steady.action.one_run.run", broken)
    assert entry.main() == 2
    lines = capsys.readouterr().out.splitlines()
    assert ": :set-output name=verdict::unchanged" in lines
    assert [line for line in lines if line.startswith("::")] == [
        "::error title=steady::steady failed: LookupError; please report the log above"
    ]


def test_a_log_that_takes_no_lines_is_no_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setenv("INPUT_MODE", "guess")
    monkeypatch.setattr(sys, "stdout", Full())
    assert entry.main() == 2
