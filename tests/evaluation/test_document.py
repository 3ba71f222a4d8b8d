"""The frame: which tables there are, and that the same data give the same text."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from evaluation import TABLES
from evaluation.__main__ import document, main
from tests.looped import looped


@looped("name", TABLES)
def test_every_table_is_a_module_with_a_title_line(name: str) -> None:
    module = importlib.import_module(f"evaluation.{name}")
    assert callable(module.table)
    assert (module.__doc__ or "").startswith("Table ")


def test_order_is_kept_and_processes_change_nothing(tmp_path: Path) -> None:
    for folder in ("jmh-steady", "uoptime"):
        (tmp_path / folder).mkdir()
    one = document(tmp_path, [], 1)
    assert one == document(tmp_path, [], 2)
    assert one.startswith("# Evaluation\n")
    assert one.endswith(".\n")


def test_a_folder_without_the_data_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "no folder jmh-steady" in capsys.readouterr().err


def test_a_part_is_printed_and_does_not_replace_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("jmh-steady", "uoptime"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("evaluation.__main__.section", lambda name, _: [f"## {name}"])
    main([str(tmp_path), "--only", "verdicts"])
    assert capsys.readouterr().out.endswith("\n\n## verdicts\n")
    assert not (tmp_path / "docs").exists()
