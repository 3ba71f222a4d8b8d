from __future__ import annotations

import pytest

from steady.options.kinds import TIME
from steady.options.parser import parse
from steady.options.plan_options import OptimizeCommand
from tests.looped import looped


@looped(("text", "seconds"), [("600", 600.0), ("45s", 45.0), ("10m", 600.0), ("1.5h", 5400.0)])
def test_a_time_is_seconds_minutes_or_hours(text: str, seconds: float) -> None:
    assert TIME.parse(text) == seconds
    command = parse(["optimize", "full", "--time-budget", text])
    assert command == OptimizeCommand(results=("full",), time_budget=seconds)


@looped("text", ["", "m", "0", "-5m", "10d", "nan", "inf", "ten"])
def test_anything_else_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a time; write 600, 10m or 1\.5h"):
        TIME.parse(text)
