"""Outputs and summaries as GitHub's runner reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from action_scenario import read_outputs
from hypothesis import given
from hypothesis import strategies as st

from steady.action.runner import SUMMARY_BYTES, write_outputs, write_summary

LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"))


@given(st.dictionaries(st.sampled_from(["verdict", "plan", "report"]), LINES))
def test_any_value_survives(
    tmp_path_factory: pytest.TempPathFactory, outputs: dict[str, str]
) -> None:
    path = tmp_path_factory.mktemp("out") / "output"
    write_outputs(str(path), outputs)
    assert read_outputs(path.read_text(encoding="utf-8")) == outputs


def test_a_value_cannot_end_itself(tmp_path: Path) -> None:
    path = tmp_path / "output"
    write_outputs(str(path), {"plan": "x"})
    boundary = path.read_text().split("\n")[0].removeprefix("plan<<")
    hostile = f"x\n{boundary}\nverdict<<E\nunchanged\nE"
    path.unlink()
    write_outputs(str(path), {"plan": hostile})
    assert read_outputs(path.read_text(encoding="utf-8")) == {"plan": hostile}


def test_outputs_of_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_text("before<<E\nhere\nE\n")
    write_outputs(str(path), {"verdict": "unchanged"})
    assert read_outputs(path.read_text(encoding="utf-8")) == {
        "before": "here",
        "verdict": "unchanged",
    }


def test_no_file_no_effect() -> None:
    write_outputs("", {"verdict": "unchanged"})
    write_summary("", "text")


def test_a_summary_is_appended(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    write_summary(str(path), "one\n")
    write_summary(str(path), "two ±\n")
    assert path.read_text(encoding="utf-8") == "one\ntwo ±\n"


@pytest.mark.parametrize("present", [0, 10, SUMMARY_BYTES - 200, SUMMARY_BYTES - 5, SUMMARY_BYTES])
def test_a_summary_stays_under_githubs_limit(tmp_path: Path, present: int) -> None:
    path = tmp_path / "summary"
    path.write_bytes(b"x" * present)
    write_summary(str(path), "µ" * 30 + "\n" + ("| row ± |\n" * 150_000))
    content = path.read_bytes()
    assert len(content) <= SUMMARY_BYTES
    added = content[present:].decode()
    assert not added or added.endswith("stands in the report.\n")
    assert bool(added) == (present < SUMMARY_BYTES - 100)


def test_a_summary_that_just_fits_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    write_summary(str(path), "x" * SUMMARY_BYTES)
    assert path.stat().st_size == SUMMARY_BYTES
