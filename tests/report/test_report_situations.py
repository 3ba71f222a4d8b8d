"""The comment in eight situations, as texts that were read; ``situations.py`` writes them anew."""

from __future__ import annotations

import pytest

from steady.report.fitting import characters
from steady.report.markdown import COMMENT_LIMIT
from tests.report.situations import FOLDER, SITUATIONS, shortened, written


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_comment_is_the_text_that_was_read(name: str) -> None:
    text = written(SITUATIONS[name]())
    assert characters(text) <= COMMENT_LIMIT
    assert shortened(text) == (FOLDER / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SITUATIONS)
def test_what_is_open_fits_a_screen(name: str) -> None:
    """Before the first fold stand at most twenty rows, whatever the suite's size."""
    lines = written(SITUATIONS[name]()).partition("<details>")[0].splitlines()
    assert len(lines) <= 34
