"""The series format: reading by the schema, and writing."""

import json
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hypothesis.extra.numpy as npst
import jsonschema
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from steady.cli.settings import schema
from steady.errors import InputError
from steady.model import (
    Benchmark,
    Environment,
    ExecutionConfiguration,
    Failure,
    FloatArray,
    Identity,
    Level,
    Suite,
)
from steady.readers import FORMATS, Document, load, write_series
from steady.readers.forks import missing_before_present
from tests.looped import looped
from tests.readers.test_readers_contract import places

VALIDATOR = jsonschema.Draft202012Validator(schema("series"))

EXAMPLE: dict[str, Any] = {
    "steady_series": 1,
    "unit": "ns/op",
    "iteration_seconds": 0.1,
    "levels": [{"name": "fork", "startup_seconds": 0.5}, {"name": "iteration"}],
    "environment": {"cpu": "EPYC", "jvm_args": ["-Xmx1g"]},
    "benchmarks": [
        {"name": "get", "measurements": [[12.1, 10.4, 10.3], [12.5, 10.2, None]]},
        {"name": "put", "params": {"n": "10"}, "threads": 4, "warmup": 1, "measurements": [[3, 2]]},
    ],
    "failures": [{"name": "del", "reason": "no"}],
}


def changed(**changes: Any) -> dict[str, Any]:
    """Return the example with different top-level keys."""
    return deepcopy(EXAMPLE) | changes


def first(**changes: Any) -> dict[str, Any]:
    """Return the example with different keys in its first benchmark."""
    whole = deepcopy(EXAMPLE)
    whole["benchmarks"][0] |= changes
    return whole


def read(value: object) -> Suite:
    """Write a JSON value to a file, and read it."""
    return FORMATS["series"].value.read(Document(Path("s.json"), json.dumps(value)))


def test_example() -> None:
    suite = read(EXAMPLE)
    get, put = suite.values()
    np.testing.assert_array_equal(get.measurements, [[12.1, 10.4, 10.3], [12.5, 10.2, np.nan]])
    assert get.levels == (Level("fork", 0.5), Level("iteration"))
    assert get.configuration == ExecutionConfiguration(2, 0, 3, 0.1, 0.1)
    assert get.environment == Environment(cpu="EPYC", jvm_args=("-Xmx1g",))
    assert (put.identity, put.warmup) == (Identity("put", "avgt", (("n", "10"),), 4), 1)
    assert put.configuration == ExecutionConfiguration(1, 1, 1, 0.1, 0.1)
    assert suite.failures == (Failure(Identity("del"), "no"),)
    assert (suite.harness, suite.sources) == ("series", ("s.json",))


def test_example_of_the_documentation() -> None:
    docs = Path(__file__).parents[2] / "docs" / "series-format.md"
    blocks = docs.read_text(encoding="utf-8").split("```json\n")[1:]
    examples = [json.loads(block.split("```")[0]) for block in blocks]
    (series,) = [example for example in examples if "steady_series" in example]
    assert [i.label for i in read(series)] == ["org.Bench.get", "org.Bench.put [n=10]"]


def test_fields_of_a_benchmark_override_defaults() -> None:
    names = ("forks", "warmup_iterations", "iterations", "warmup_seconds", "iteration_seconds")
    configuration = dict(zip(names, (7, 5, 3, 1, 2), strict=True))
    own = {"unit": "ops/s", "levels": [{"name": "run"}], "measurements": [1, 2], "environment": {}}
    benchmark = read(first(configuration=configuration, **own))["get"]
    assert (benchmark.unit, benchmark.direction) == ("ops/s", "higher")
    assert benchmark.levels == (Level("run"),)
    assert benchmark.environment == Environment()
    assert benchmark.configuration == ExecutionConfiguration(7, 5, 3, 1.0, 2.0)


def wrong() -> Iterator[tuple[dict[str, Any], str]]:
    """Yield invalid files with their messages, from `refused/series.json` and others."""
    path = Path(__file__).parent / "refused" / "series.json"
    for entry in json.loads(path.read_text(encoding="utf-8")):
        own = first(**entry["benchmark"]) if "benchmark" in entry else changed(**entry["top"])
        yield own, entry["says"]
    yield first(measurements=[[10**400]]), "measurements[0]: holds a number too large"


@looped(("value", "message"), wrong())
def test_every_error_names_its_location(value: object, message: str) -> None:
    with pytest.raises(InputError) as error:
        read(value)
    assert message in str(error.value)
    assert str(error.value).startswith("s.json, ")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


@looped("other", [None, True, 0, -1, 7, 0.5, "", "x", [], [1], {}])
def test_the_reader_is_as_strict_as_the_schema(other: object) -> None:
    """The reader is at least as strict as the schema that other tools check against."""
    VALIDATOR.check_schema(VALIDATOR.schema)
    assert VALIDATOR.is_valid(EXAMPLE)
    for index in range(len(list(places(EXAMPLE)))):
        value = deepcopy(EXAMPLE)
        _, container, key = list(places(value))[index]
        container[key] = other
        with suppress(InputError):
            read(value)
            assert VALIDATOR.is_valid(value), value


TEXTS = st.text(max_size=8)
NAMES = st.text(min_size=1, max_size=8)
SECONDS = st.floats(0, 1e6)
COUNTS = st.integers(0, 2**53 - 1)
PARAMS = st.dictionaries(NAMES, TEXTS, max_size=2).map(lambda params: tuple(params.items()))
IDENTITIES = st.builds(Identity, NAMES, NAMES, PARAMS, st.integers(1, 99))
CONFIGURATIONS = st.none() | st.builds(
    ExecutionConfiguration, COUNTS, COUNTS, COUNTS, SECONDS, SECONDS, COUNTS, COUNTS
)
ENVIRONMENTS = st.builds(
    Environment, TEXTS, TEXTS, TEXTS, TEXTS, st.lists(NAMES, max_size=2).map(tuple)
)


def cut(values: FloatArray, kept: list[int]) -> FloatArray:
    """Set the ends of the innermost axis to NaN, with a different length in each row."""
    result = values.copy()
    for row, keep in zip(result.reshape(-1, result.shape[-1]), kept, strict=False):
        row[keep:] = np.nan
    return result


@st.composite
def benchmarks(draw: st.DrawFn, identity: Identity) -> Benchmark:
    """Draw a benchmark that the format can express."""
    shape = draw(npst.array_shapes(min_dims=1, max_dims=3, max_side=4))
    values = draw(npst.arrays(np.float64, shape, elements=st.floats(0, 1e308)))
    values = cut(values, draw(st.lists(st.integers(1, 4), max_size=4)))
    names = draw(st.lists(NAMES, min_size=len(shape), max_size=len(shape)))
    return Benchmark(
        identity,
        draw(NAMES),
        values,
        tuple(Level(name, draw(SECONDS)) for name in names),
        draw(st.integers(0, shape[-1])),
        draw(CONFIGURATIONS),
        draw(ENVIRONMENTS),
    )


@st.composite
def suites(draw: st.DrawFn) -> Suite:
    """Draw a suite that the format can express."""
    identities = draw(st.lists(IDENTITIES, min_size=1, max_size=3, unique=True))
    return Suite(
        tuple(draw(benchmarks(identity)) for identity in identities),
        draw(NAMES),
        draw(st.text("1.2", max_size=4)),
        failures=tuple(draw(st.lists(st.builds(Failure, IDENTITIES, NAMES), max_size=2))),
    )


COMPARED = ("identity", "unit", "levels", "warmup", "configuration", "environment")


def parts(suite: Suite) -> object:
    """Return all fields of a suite except its sources, as comparable values."""
    fields = [[getattr(benchmark, name) for name in COMPARED] for benchmark in suite.benchmarks]
    tables = [(b.measurements.shape, b.measurements.tobytes()) for b in suite.benchmarks]
    return fields, tables, suite.harness, suite.harness_version, suite.failures


ONE = Identity("one", "avgt")
BENCHMARK = Benchmark(ONE, "ns/op", np.ones(3), (Level("iteration", 0.0),))
FAILED_TWICE = Suite((BENCHMARK,), "harness", failures=(Failure(ONE, "why"),) * 2)


@settings(max_examples=40, deadline=None)
@given(suites())
@example(FAILED_TWICE)
def test_written_suites_are_read_unchanged(suite: Suite) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "suite.json"
        write_series(suite, path)
        assert parts(load(path)) == parts(suite)
        assert VALIDATOR.is_valid(json.loads(path.read_text(encoding="utf-8")))
        written = path.read_bytes()
        write_series(load(path), path)
        assert path.read_bytes() == written
        assert [file.name for file in Path(folder).iterdir()] == ["suite.json"]


def test_suites_that_the_format_cannot_express_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text("before")
    for values in ([1.0, np.inf], [1.0, -1.0], [np.nan, np.nan], [], [1.0, np.nan, 2.0]):
        with pytest.raises(InputError, match="so it cannot be written"):
            write_series(Suite.of({"ok": [1.0], "a": values}, unit="s/op"), path)
    for suite in (
        Suite.of({"\ud800": [1.0]}, unit="s/op"),
        Suite.of({"a": [1.0]}, unit=""),
        Suite.of({"a": [1.0]}, unit="s/op", iteration_seconds=float("nan")),
        Suite(()),
    ):
        with pytest.raises(InputError):
            write_series(suite, path)
    assert (path.read_text(), list(tmp_path.iterdir())) == ("before", [path])


def literal_missing(values: FloatArray) -> bool:
    """Return whether a missing repetition precedes a present one, level by level."""
    if values.ndim == 1:
        gone = [bool(np.isnan(value)) for value in values]
    else:
        gone = [bool(np.isnan(part).all()) for part in values]
        if any(literal_missing(part) for part in values):
            return True
    return gone != sorted(gone)


SHAPES = npst.array_shapes(min_dims=1, max_dims=3, max_side=3)


@given(npst.arrays(np.float64, SHAPES, elements=st.sampled_from([1.0, np.nan])))
def test_missing_repetitions_in_the_middle_are_found(values: FloatArray) -> None:
    assert (missing_before_present(values) is not None) == literal_missing(values)
