from __future__ import annotations

import pytest

from steady.options.kinds import seconds_of
from tests.looped import looped


@pytest.mark.parametrize(
    ("text", "seconds"), [("600", 600), ("1s", 1), ("10m", 600), ("1.5h", 5400)]
)
def test_times_as_people_write_them(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@looped("text", ["", "m", "0", "-5m", "10d", "nan", "inf", "1e999h", "ten"])
def test_anything_else_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        seconds_of(text)
