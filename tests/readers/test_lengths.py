"""Strangers' texts and tables are as large as honest ones at most, and honest ones fit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.errors import InputError
from steady.model import Environment, Failure, Identity, Metric, Suite
from steady.readers import lengths, load
from steady.readers.forks import FREE_CELLS, MOST_CELLS_A_VALUE, sprawls
from steady.readers.lengths import check_lengths, limited
from tests.compare.small_suites import make_benchmark
from tests.jmh_records import jmh_record

FINE = make_benchmark("org.Bench.fine", [[1.0]])


def suite(*identities: Identity) -> Suite:
    return Suite(tuple(replace(FINE, identity=identity) for identity in identities))


def units(count: int) -> Suite:
    return Suite(tuple(make_benchmark(f"b{n}", [[1.0]], f"unit{n}") for n in range(count)))


def on_machines(*arguments: str, machines: int = 1) -> Suite:
    environments = (Environment(cpu=f"{n}", jvm_args=arguments) for n in range(machines))
    return Suite(
        tuple(
            make_benchmark(f"b{n}", [[1.0]], environment=one) for n, one in enumerate(environments)
        )
    )


def with_metric(name: str) -> Suite:
    return Suite((replace(FINE, metrics={name: Metric("B/op", np.ones((1, 1)))}),))


PARAMETER = "x" * (lengths.LONGEST_PARAMS - 1)


def test_one_more_than_the_limit_is_refused() -> None:
    for fits, too_much, words in (
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
        (
            Suite((replace(FINE, unit="u" * 1_000),)),
            Suite((replace(FINE, unit="u" * 1_001),)),
            "a unit of more than 1,000",
        ),
        (units(100), units(101), "more than 100 different units"),
        (
            suite(Identity("n", "m" * 1_000)),
            suite(Identity("n", "m" * 1_001)),
            "the mode of 'n' has",
        ),
        (with_metric("w" * 1_000), with_metric("w" * 1_001), "where the name of a metric belongs"),
        (on_machines(machines=1_000), on_machines(machines=1_001), "1,000 different machines"),
        (
            on_machines("a" * 99_999),
            on_machines("a" * 100_001),
            "in more than 100,000 characters; give the arguments in a file",
        ),
    ):
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
    for reason, kept in (("r" * 10_000, "r" * 10_000), ("r" * 9_999 + "sx", "r" * 9_999 + "s")):
        failed = Suite((FINE,), failures=(Failure(Identity("b"), reason),))
        (failure,) = limited(failed, "head.json").failures
        assert failure.reason == kept


def test_whoever_reads_results_has_the_limits(tmp_path: Path) -> None:
    path = tmp_path / "series.json"
    top = {"steady_series": 1, "unit": "ns/op", "levels": [{"name": "fork"}]}
    for words, told in (
        ({"name": "n" * 5_000_000}, "is a name of more than 2,000 characters"),
        ({"unit": "u" * 1_000_000}, "holds a unit of more than 1,000 characters"),
        ({"mode": "m" * 1_001}, "the mode of 'b' has more than 1,000 characters"),
        ({"levels": [{"name": "l" * 1_001}]}, "where the name of a level belongs"),
    ):
        benchmark = {"name": "b", "measurements": [1.0]} | words
        path.write_text(json.dumps(top | {"benchmarks": [benchmark]}))
        with pytest.raises(InputError, match=told) as caught:
            load(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert len(str(caught.value)) < 600


def test_long_names_of_real_languages_fit() -> None:
    scala = ".".join(["org", "example", *(f"Package{'$' * 20}Companion" for _ in range(20))])
    kotlin = f"org.example.Bench.`{'a sentence with spaces that names a case ' * 20}`"
    params = tuple((f"parameter{n}", "x" * 1_000) for n in range(19))
    check_lengths(suite(*(Identity(name, params=params) for name in (scala, kotlin))), "it")


WIDE = [[1.0] * 20_000, *[[1.0]] * 5000]
"""As an array, a hundred million cells for 25,000 values: no small file asks for gigabytes."""


def test_one_benchmark_that_sprawls_fails_and_the_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    records = [
        jmh_record("org.Bench.wide", WIDE),
        jmh_record("org.Bench.fine", [[1.0, 2.0], [1.0]]),
    ]
    path.write_text(json.dumps(records))
    suite = load(path)
    assert [identity.name for identity in suite] == ["org.Bench.fine"]
    [failure] = [one for one in suite.failures if one.identity.name == "org.Bench.wide"]
    assert failure.reason == "its forks are of too different lengths, up to 20000 iterations"
    levels = [{"name": "fork"}, {"name": "iteration"}]
    series = {"steady_series": 1, "unit": "ns/op", "levels": levels}
    path.write_text(json.dumps(series | {"benchmarks": [{"name": "b", "measurements": WIDE}]}))
    with pytest.raises(InputError, match=r"measurements: holds lists of too different lengths"):
        load(path)


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=MOST_CELLS_A_VALUE))
def test_few_forks_never_sprawl(lengths: list[int]) -> None:
    assert not sprawls(len(lengths) * max(lengths), sum(lengths))
    assert not sprawls(FREE_CELLS, 1)
    assert sprawls(FREE_CELLS + 1, 1)
    assert not sprawls(MOST_CELLS_A_VALUE * 1000, 1000)
    assert sprawls(MOST_CELLS_A_VALUE * 1000 + 1, 1000)
