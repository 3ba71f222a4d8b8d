"""Go's -benchtime: parsed, written, and inferred from results."""

import random
from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.harness.go.read.benchtime import Benchtime, infer_benchtime, parse_benchtime
from tests.looped import looped


@looped(
    ("text", "expected"),
    [
        ("1s", Benchtime(1.0)),
        ("100ms", Benchtime(0.1)),
        ("1.5s", Benchtime(1.5)),
        ("1h2m3.5s", Benchtime(3723.5)),
        (".5us", Benchtime(5e-7)),
        ("20µs", Benchtime(2e-5)),
        ("50x", Benchtime(0.0, 50)),
        *((text, None) for text in ("", "1", "s", "0s", "-1s", "0x", "x", "1s ", "1e3s", "1s!2s")),
    ],
)
def test_values_are_parsed_as_by_go(text: str, expected: Benchtime | None) -> None:
    with nullcontext() if expected else pytest.raises(ValueError, match="is not a benchtime"):
        assert parse_benchtime(text) == expected


@given(st.integers(1, 10**13))
def test_any_time_is_read_back(nanoseconds: int) -> None:
    benchtime = Benchtime(nanoseconds / 1e9)
    assert round(parse_benchtime(benchtime.text).seconds * 1e9) == nanoseconds
    counted = Benchtime(0.0, min(nanoseconds, 10**9))
    assert parse_benchtime(counted.text) == counted


def iteration(goal: int, operation: float, generator: random.Random) -> tuple[int, float]:
    """Do what testing.B.launch does, with a clock that is a little noisy; nanoseconds."""
    n, took = 1, operation
    while took < goal and n < 10**9:
        last = n
        n = int(goal * n / max(took, 1))
        n = min(max(min(n + n // 5, 100 * last), last + 1), 10**9)
        took = n * operation * generator.uniform(0.97, 1.05)
    return n, took / 1e9


@looped("text", ["1s", "100ms", "20ms", "2s", "500ms", "3s", "50us"])
def test_a_benchtime_is_inferred_from_results(text: str) -> None:
    generator = random.Random(7)
    goal = round(parse_benchtime(text).seconds * 1e9)
    operations = [10 ** generator.uniform(0.5, 5) for _ in range(20)]
    found = infer_benchtime(iteration(goal, o, generator) for o in operations)
    assert found.text == (text if goal < 10**9 else "1s")


def test_equal_numbers_of_operations_are_a_fixed_number() -> None:
    assert infer_benchtime([(25, 0.1), (25, 0.2)]) == Benchtime(0.0, 25)
    assert infer_benchtime([(1, 1e-6), (1, 2e-6)]) == Benchtime(0.0, 1)


@looped("iterations", [[], [(10**9, 0.3)], [(5, float("nan"))], [(5, float("inf"))], [(1, 30.0)]])
def test_gos_default_unless_iterations_are_shorter(iterations: list[tuple[int, float]]) -> None:
    assert infer_benchtime(iterations) == Benchtime(1.0)
