"""``steady settings`` and ``steady compare --settings``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from written_runs import NAMES, write_run

from steady.cli import main
from steady.cli.settings import schema

ACCEPTED = """\
version: 1
accepted:
  - pattern: Bench.beta
    bound: 50%
    reason: checks its input
    expires: 9999-12-31
"""
EXPIRED = ACCEPTED.replace("9999", "2020")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


class TestCheck:
    def test_a_good_file(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write(here / ".github/steady.yml", ACCEPTED)
        assert main(["settings", "check"]) == 0
        out = capsys.readouterr().out
        assert out == ".github/steady.yml: fine (0 thresholds, 0 ignored, 1 accepted)\n"

    def test_what_has_expired_is_told(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write(here / "mine.yml", EXPIRED)
        assert main(["settings", "check", "mine.yml"]) == 0
        out = capsys.readouterr().out
        assert "mine.yml:3: expired on 2020-12-31: remove it, or renew it\n" in out

    def test_every_mistake_on_a_line(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write(here / "mine.yml", "version: 1\nignore: 3\n\n\u202ex: y\n")
        assert main(["settings", "check", "mine.yml"]) == 2
        assert capsys.readouterr().err.splitlines() == [
            "mine.yml:2: `ignore`: expected a list of at most 500 entries, got 3",
            "mine.yml:4: unknown '\\u202ex': expected `version`, `thresholds`, `ignore`, "
            "`accepted`, `false-alarms`, `important`, `same-code`",
            "steady: 2 mistakes in mine.yml",
        ]

    def test_no_file(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["settings", "check"]) == 2
        assert "steady: .github/steady.yml: there is no such file" in capsys.readouterr().err


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "schema"]) == 0
    assert json.loads(capsys.readouterr().out) == schema("settings")


class TestCompare:
    @pytest.fixture
    def arguments(self, here: Path) -> list[str]:
        """Return a comparison in which one benchmark became 30 % slower."""
        write_run(here / "base.json")
        write_run(here / "head.json", {n: 1.3 if n == NAMES[1] else 1.0 for n in NAMES})
        return ["compare", "--base", "base.json", "--head", "head.json"]

    def test_the_usual_place(
        self, arguments: list[str], here: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(arguments) == 1
        write(here / ".github/steady.yml", ACCEPTED)
        assert main(arguments) == 0
        assert "checks its input" in capsys.readouterr().out
        write(here / ".github/steady.yml", EXPIRED)
        assert main(arguments) == 1
        assert "the acceptance expired on 2020-12-31" in capsys.readouterr().out

    def test_another_place(
        self, arguments: list[str], here: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        write(here / ".github/steady.yml", "no settings at all: [")
        write(here / "mine.yml", ACCEPTED)
        assert main([*arguments, "--settings", "mine.yml"]) == 0
        assert main(arguments) == 2
        assert ".github/steady.yml:1: is not YAML" in capsys.readouterr().err
        assert main([*arguments, "--settings", "none.yml"]) == 2

    def test_reports_too(self, arguments: list[str], here: Path) -> None:
        write(here / "mine.yml", ACCEPTED + "ignore:\n  - {pattern: alpha, reason: disk}\n")
        assert main(["report", *arguments[1:], "--settings", "mine.yml", "--out", "out"]) == 0
        data = json.loads((here / "out/comparison.json").read_text())
        assert data["verdict"] == "accepted"
        assert [one["reason"] for one in data["ledger"]["ignored"]] == ["disk"]
