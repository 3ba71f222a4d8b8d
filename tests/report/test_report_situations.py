"""Reports of typical situations, compared with reviewed texts; ``situations.py`` updates them."""

import re

import pytest

from steady.github.acceptances import commands
from steady.report.comment import COMMENT_LIMIT
from steady.report.markdown import characters
from tests.report.situations import FOLDER, SITUATIONS, texts, written


def test_every_report_equals_the_reviewed_text() -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    said = texts()
    assert said.keys() == kept.keys()
    for name, text in kept.items():
        assert said[name] == text, name


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_unfolded_part_of_a_comment_fits_a_screen_and_a_phone(name: str) -> None:
    """At most twenty rows come before the first fold, and the change is the first column."""
    text = written(name)
    assert characters(text) <= COMMENT_LIMIT
    assert len(text.partition("<details>")[0].splitlines()) <= 37
    tables = re.findall(r"^(\| .*Change.* \|)\n\|[:-]", text, re.MULTILINE)
    assert all(titles.startswith("| Change |") for titles in tables)
    # No comment of steady contains a command to it.
    assert all(obstacle for _, obstacle in commands(text))


@pytest.mark.parametrize("name", ["failed", "gone", "no-baseline"])
def test_the_cause_comes_first_then_one_action(name: str) -> None:
    heading, cause, to_do, facts, *_ = written(name).split("\n\n")
    assert heading.endswith("so this is not a pass")
    assert cause.startswith("- ")
    assert to_do.startswith("**To do:** ")
    assert facts.startswith("Base 1f0c3f2")
