"""Strangers' texts are as long as honest ones at most, and honest ones fit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import steady
from steady.errors import InputError
from steady.model import Benchmark, Environment, Failure, Identity, Level, Metric, Suite
from steady.readers import lengths
from steady.readers.lengths import check_lengths, limited
from tests.looped import looped

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


def with_words(name: str) -> Suite:
    one = np.ones((1, 1))
    metrics = {name: Metric("B/op", one)}
    return Suite((Benchmark(FINE, "ns/op", one, LEVELS, metrics=metrics),))


PARAMETER = "x" * (lengths.LONGEST_PARAMS - 1)


@looped(
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
        (with_words("w" * 1_000), with_words("w" * 1_001), "where the name of a metric belongs"),
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
    check_lengths(fits, "head.json")
    with pytest.raises(InputError, match=words) as caught:
        check_lengths(too_much, "head.json")
    assert str(caught.value).startswith("head.json: ")


def test_all_together_have_a_limit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    many = suite(*(Identity(f"name{n}") for n in range(8)))
    monkeypatch.setattr(lengths, "MOST_CHARACTERS", 40)
    check_lengths(many, "head.json")
    monkeypatch.setattr(lengths, "MOST_CHARACTERS", 39)
    with pytest.raises(InputError, match="names and parameters of more than 39 characters"):
        check_lengths(many, "head.json")


def test_a_reason_that_is_too_long_ends_early() -> None:
    (whole,) = limited(failed("r" * 10_000), "head.json").failures
    (cut,) = limited(failed("r" * 9_999 + "sx"), "head.json").failures
    assert (len(whole.reason), cut.reason) == (10_000, "r" * 9_999 + "s")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"name": "n" * 5_000_000}, "is a name of more than 2,000 characters"),
        ({"unit": "u" * 1_000_000}, "holds a unit of more than 1,000 characters"),
        ({"mode": "m" * 1_001}, "the mode of 'b' has more than 1,000 characters"),
        ({"levels": [{"name": "l" * 1_001}]}, "where the name of a level belongs"),
    ],
)
def test_whoever_reads_results_has_the_limits(
    words: dict[str, object], told: str, tmp_path: Path
) -> None:
    top: dict[str, object] = {"steady_series": 1, "unit": "ns/op", "levels": [{"name": "fork"}]}
    benchmark: dict[str, object] = {"name": "b", "measurements": [1.0]}
    for key, value in words.items():
        (top if key in top else benchmark)[key] = value
    path = tmp_path / "series.json"
    path.write_text(json.dumps(top | {"benchmarks": [benchmark]}))
    with pytest.raises(InputError, match=told) as caught:
        steady.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert len(str(caught.value)) < 600


def test_long_names_of_real_languages_fit() -> None:
    scala = ".".join(["org", "example", *(f"Package{'$' * 20}Companion" for _ in range(20))])
    kotlin = f"org.example.Bench.`{'a sentence with spaces that names a case ' * 20}`"
    params = tuple((f"parameter{n}", "x" * 1_000) for n in range(19))
    check_lengths(suite(*(Identity(name, params=params) for name in (scala, kotlin))), "it")
