"""Reports in situations, as texts that were read; ``situations.py`` writes them anew."""

import re

import pytest

from steady.github.acceptances import commands
from steady.report.comment import COMMENT_LIMIT
from steady.report.markdown import characters
from tests.report.situations import FOLDER, SITUATIONS, texts, written


def test_every_report_is_the_text_that_was_read() -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    said = texts()
    assert said.keys() == kept.keys()
    for name, text in kept.items():
        assert said[name] == text, name


@pytest.mark.parametrize("name", SITUATIONS)
def test_what_is_open_in_a_comment_fits_a_screen_and_a_telephone(name: str) -> None:
    """Before the first fold stand at most twenty rows; a table too wide is cut off at its end."""
    text = written(name)
    assert characters(text) <= COMMENT_LIMIT
    assert len(text.partition("<details>")[0].splitlines()) <= 37
    tables = re.findall(r"^(\| .*Change.* \|)\n\|[:-]", text, re.MULTILINE)
    assert all(titles.startswith("| Change |") for titles in tables)
    # Our own text gives no orders, whoever's token wrote it.
    assert all(obstacle for _, obstacle in commands(text))


@pytest.mark.parametrize("name", ["failed", "gone", "no-baseline"])
def test_the_cause_comes_first_and_then_one_thing_to_do(name: str) -> None:
    heading, cause, to_do, facts, *_ = written(name).split("\n\n")
    assert heading.endswith("so this is not a pass")
    assert cause.startswith("- ")
    assert to_do.startswith("**To do:** ")
    assert facts.startswith("Base 1f0c3f2")
