from __future__ import annotations

import argparse

import pytest

from steady.cli.common import time_span
from steady.cli.optimize import add_strategy


@pytest.mark.parametrize(
    ("text", "seconds"), [("600", 600.0), ("45s", 45.0), ("10m", 600.0), ("1.5h", 5400.0)]
)
def test_a_time_is_seconds_minutes_or_hours(text: str, seconds: float) -> None:
    parser = argparse.ArgumentParser()
    add_strategy(parser)
    assert time_span(text) == seconds
    assert parser.parse_args(["--time-budget", text]).time_budget == seconds


@pytest.mark.parametrize("text", ["", "m", "0", "-5m", "10d", "nan", "inf", "ten"])
def test_anything_else_is_no_time(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"is not a time; write 600, 10m or 1\.5h"):
        time_span(text)
