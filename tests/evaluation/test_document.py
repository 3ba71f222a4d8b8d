"""The frame: which tables there are, and that the same data give the same text."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from evaluation import TABLES
from evaluation.__main__ import document, main


@pytest.mark.parametrize("name", TABLES)
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
