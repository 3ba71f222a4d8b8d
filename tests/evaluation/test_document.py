"""The frame: which tables there are, on which pages, and in which order."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from evaluation import TABLES
from evaluation.__main__ import made, main, pages
from evaluation._markdown import Section
from tests.looped import looped


@looped("name", TABLES)
def test_every_table_is_a_module_with_a_title_line(name: str) -> None:
    module = importlib.import_module(f"evaluation.{name}")
    assert callable(module.table)
    assert (module.__doc__ or "").startswith("Table ")


def test_order_is_kept_and_processes_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.__main__.section", a_title)
    one = made(tmp_path, TABLES, 1)
    assert list(one) == list(TABLES)
    assert one == made(tmp_path, TABLES, 2)


def a_title(name: str, _: Path) -> Section:
    return [f"## {name}"]


def test_every_table_is_on_one_page_and_the_first_page_names_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("evaluation.__main__.goals", lambda _: "## Targets")
    first, *others = pages({name: [f"## {name}"] for name in TABLES}).items()
    assert first[0] == "evaluation.md"
    assert re.findall(r"\]\((evaluation-\w+\.md)\)\n", first[1]) == [name for name, _ in others]
    text = "".join(text for _, text in others)
    assert re.findall(r"(?m)^## (\w+)$", text) == list(TABLES)
    assert all(text.startswith("# Evaluation: ") for _, text in others)


def test_a_folder_without_the_data_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "no folder jmh-steady" in capsys.readouterr().err


def test_a_part_is_printed_and_does_not_replace_the_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("jmh-steady", "uoptime"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("evaluation.__main__.section", lambda name, _: [f"## {name}"])
    main([str(tmp_path), "--only", "verdicts"])
    assert capsys.readouterr().out == "## verdicts\n"
    assert not (tmp_path / "docs").exists()
