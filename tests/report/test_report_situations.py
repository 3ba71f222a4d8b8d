"""The comment in situations, as texts that were read; ``situations.py`` writes them anew."""

from __future__ import annotations

import pytest

from steady.report.markdown import COMMENT_LIMIT, characters
from tests.report.situations import FOLDER, SITUATIONS, shortened, written


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_comment_is_the_text_that_was_read_and_what_is_open_fits_a_screen(name: str) -> None:
    """Before the first fold stand at most twenty rows, whatever the suite's size."""
    text = written(SITUATIONS[name]())
    assert characters(text) <= COMMENT_LIMIT
    assert shortened(text) == (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert len(text.partition("<details>")[0].splitlines()) <= 34


@pytest.mark.parametrize("name", ["failed", "gone", "no-baseline"])
def test_the_cause_comes_first_and_then_one_thing_to_do(name: str) -> None:
    heading, cause, to_do, facts, *_ = written(SITUATIONS[name]()).split("\n\n")
    assert heading.endswith("so this is not a pass")
    assert cause.startswith("- ")
    assert to_do.startswith("**To do:** ")
    assert facts.startswith("Base 1f0c3f2")


def test_what_is_missing_leads_the_title_where_it_is_most() -> None:
    _, heading, _, cause, *_ = written(SITUATIONS["half-lost"]()).splitlines()
    assert heading.startswith(
        "### 🔴 16 of 20 benchmarks did not run; 1 of 4 benchmarks became slower"
    )
    assert cause.startswith("- failed in head: ")


def test_rows_that_are_too_noisy_show_their_interval() -> None:
    text = written(SITUATIONS["noisy"]()).replace("\u00a0", " ")
    assert "| +15.0 %<br><sub>+12.0 % to +18.0 %</sub> | `Codec.encode13` | 18.0 % |" in text
    assert "| +0.1 % | `Parser.same0` | 3.1 % |" in text  # what is calm stays short
