"""Strangers' texts are as long as honest ones at most, and honest ones fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from steady.action import measured
from steady.action.measured import check_lengths
from steady.errors import InputError
from steady.model import Benchmark, Environment, Failure, Identity, Level, Suite

LEVELS = (Level("fork"), Level("iteration"))
FINE = Identity("org.Bench.fine")


def suite(*identities: Identity, unit: str = "ns/op", shape: tuple[int, int] = (1, 1)) -> Suite:
    return Suite(tuple(Benchmark(i, unit, np.ones(shape), LEVELS) for i in identities))


def on_machines(environment: Environment, names: int = 1) -> Suite:
    return Suite(
        tuple(
            Benchmark(
                Identity(f"b{n}"),
                "ns/op",
                np.ones((1, 1)),
                LEVELS,
                environment=Environment(cpu=f"{n}", jvm_args=environment.jvm_args),
            )
            for n in range(names)
        )
    )


def units(count: int) -> Suite:
    one = np.ones((1, 1))
    return Suite(tuple(Benchmark(Identity(f"b{n}"), f"unit{n}", one, LEVELS) for n in range(count)))


def failed(reason: str) -> Suite:
    return Suite(suite(FINE).benchmarks, failures=(Failure(Identity("b"), reason),))


PARAMETER = "x" * (measured.LONGEST_PARAMS - 1)


@pytest.mark.parametrize(
    ("fits", "too_much", "words"),
    [
        (suite(Identity("n" * 2_000)), suite(Identity("n" * 2_001)), "a name of more than 2,000"),
        (
            suite(Identity("n", params=(("p", PARAMETER),))),
            suite(Identity("n", params=(("p", PARAMETER + "x"),))),
            "the parameters of 'n' have more than 20,000",
        ),
        (
            suite(Identity("n", params=tuple((f"p{i}", "") for i in range(100)))),
            suite(Identity("n", params=tuple((f"p{i}", "") for i in range(101)))),
            "'n' has more than 100 parameters",
        ),
        (suite(FINE, unit="u" * 1_000), suite(FINE, unit="u" * 1_001), "a unit of more than 1,000"),
        (units(100), units(101), "more than 100 different units"),
        (
            suite(Identity("n", "m" * 1_000)),
            suite(Identity("n", "m" * 1_001)),
            "the mode of 'n' has",
        ),
        (failed("r" * 10_000), failed("r" * 10_001), "in more than 10,000 characters why 'b'"),
        (
            on_machines(Environment(), 1_000),
            on_machines(Environment(), 1_001),
            "1,000 different machines",
        ),
        (
            on_machines(Environment(jvm_args=("a" * 99_999,))),
            on_machines(Environment(jvm_args=("a" * 100_001,))),
            "in more than 100,000 characters; give the arguments in a file",
        ),
    ],
)
def test_one_more_than_the_limit_is_refused(fits: Suite, too_much: Suite, words: str) -> None:
    check_lengths(fits, Path("head.json"))
    with pytest.raises(InputError, match=words) as caught:
        check_lengths(too_much, Path("head.json"))
    assert str(caught.value).startswith("head.json: ")


def test_all_together_have_a_limit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    many = suite(*(Identity(f"name{n}") for n in range(8)), shape=(2, 2))
    monkeypatch.setattr(measured, "MOST_CHARACTERS", 40)
    monkeypatch.setattr(measured, "MOST_CELLS", 32)
    check_lengths(many, Path("head.json"))
    monkeypatch.setattr(measured, "MOST_CELLS", 31)
    with pytest.raises(InputError, match="arrays of more than 31 cells"):
        check_lengths(many, Path("head.json"))
    monkeypatch.setattr(measured, "MOST_CHARACTERS", 39)
    with pytest.raises(InputError, match="names and parameters of more than 39 characters"):
        check_lengths(many, Path("head.json"))


def test_long_names_of_real_languages_fit() -> None:
    scala = ".".join(["org", "example", *(f"Package{'$' * 20}Companion" for _ in range(20))])
    kotlin = f"org.example.Bench.`{'a sentence with spaces that names a case ' * 20}`"
    params = tuple((f"parameter{n}", "x" * 1_000) for n in range(19))
    check_lengths(suite(*(Identity(name, params=params) for name in (scala, kotlin))), Path("it"))
