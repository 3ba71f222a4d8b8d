"""The contract of every registered format, with valid, invalid and hostile input."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steady.errors import SteadyError
from steady.model import Suite
from steady.readers import FORMATS, Document, load, write_series
from tests.looped import looped

RECORDED = Path(__file__).parent / "recorded"
HOSTILE = ["@everyone", "<script>", "a|b|c", "../../x", "::error file=a::b", "$(id)", "`id`", "%0A"]
TEXT = ("jmh-log", "go")
JSON = [name for name in FORMATS if name not in TEXT]
OWN = {
    "google-benchmark": "BM_work",
    "criterion": "price/99",
    "pytest-benchmark": r"python_benchmarks\.py::test_work",
    "pyperf": "sum",
    "hyperfine": r"sleep 0(?!\.)",
    "tinybench": "work",
    "tinybench-vitest": r"recorded\.bench\.mjs",
    "asv": r"prices\.time_price",
    "benchmarkdotnet": r"Shop\.Prices\.Price",
    "kotlinx-benchmark": r"shop\.PriceBenchmark\.price",
}
"""A benchmark in the sample of each format; for other formats, `recorded.Recorded.work`."""

BY_FORMAT = pytest.mark.parametrize("name", list(FORMATS))


def sample(name: str, folder: Path) -> Path:
    """Return a small valid file of a format."""
    if name == "series":
        path = folder / "s.json"
        write_series(load(RECORDED / "1.37" / "failing.log"), path)
        return path
    if name == "go":
        return RECORDED / "go" / "plain.txt"
    if name in OWN:
        return RECORDED / "programs" / f"{name}.json"
    return RECORDED / "1.37" / {"jmh": "plain.json", "jmh-log": "plain.log"}[name]


def outcome(read: Callable[[], Suite]) -> Suite | SteadyError:
    """Return the suite or the input error; any other exception is a failure."""
    try:
        return read()
    except SteadyError as error:
        return error


def survives(name: str, text: str) -> Suite | None:
    """Read a text; the only allowed results are a suite and a message in one line."""
    suite = outcome(lambda: FORMATS[name].value.read(Document(Path("f"), text)))
    if isinstance(suite, SteadyError):
        assert str(suite).startswith("f")
        assert "\n" not in str(suite)
        assert len(str(suite)) < 600
        return None
    for benchmark in suite.values():
        assert benchmark.measurements.ndim == len(benchmark.levels)
        given = benchmark.measurements[~np.isnan(benchmark.measurements)]
        assert np.isfinite(given).all()
    return suite


@BY_FORMAT
def test_valid_file_is_recognized_by_its_own_format_only(name: str, tmp_path: Path) -> None:
    assert FORMATS[name].summary
    assert FORMATS[name].source
    path = sample(name, tmp_path)
    document = Document(path, path.read_text(encoding="utf-8"))
    assert [n for n, entry in FORMATS.items() if entry.value.recognizes(document)] == [name]
    one, two = load(path), load(path, format=name)
    assert len(one) > 0
    assert one.sources == (str(path),)
    assert list(one) == list(two)
    for identity, benchmark in one.items():
        np.testing.assert_array_equal(benchmark.measurements, two[identity].measurements)
        assert not benchmark.measurements.flags.writeable


@BY_FORMAT
def test_file_cut_off_at_any_length(name: str, tmp_path: Path) -> None:
    text = sample(name, tmp_path).read_text(encoding="utf-8")
    last = len(text.rstrip())
    step = 5 if name in TEXT else 17  # truncated JSON is rejected before any of it is read
    for length in (*range(0, last - 40, step), *range(max(last - 40, 0), len(text))):
        whole = survives(name, text[:length])
        # JSON is complete only with its last bracket.
        assert name in TEXT or whole is None or length >= last


@BY_FORMAT
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(data=st.data())
def test_file_with_any_corrupt_byte(name: str, tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(sample(name, tmp_path).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        if data.draw(st.booleans()):
            content[place] = data.draw(st.integers(0, 255))
        else:
            del content[place : place + data.draw(st.integers(1, 20))]
    path = tmp_path / "spoilt"
    path.write_bytes(bytes(content))
    survives(name, bytes(content).decode(errors="replace"))
    loaded = outcome(lambda: load(path))
    assert isinstance(loaded, Suite) or str(loaded).startswith(str(path))


@given(text=st.text() | st.text('[]{}:,"01.eE-+ntf# \n', max_size=60))
def test_any_text(text: str) -> None:
    for name in FORMATS:
        survives(name, text)


def places(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Yield path, container and key of every place in a JSON value; list items share a path."""
    if isinstance(value, dict):
        pairs: list[tuple[Any, object]] = list(value.items())
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    else:
        return
    for key, inner in pairs:
        own = (*path, key if isinstance(key, str) else "[]")
        yield own, value, key
        yield from places(inner, own)


def kinds_of_places(value: object) -> Iterator[tuple[Any, Any]]:
    """Yield container and key of two places of each path; the others are read in the same way."""
    seen: Counter[tuple[str, ...]] = Counter()
    for path, container, key in places(value):
        seen[path] += 1
        if seen[path] <= 2:
            yield container, key


OTHERS: list[Any] = [
    *(None, True, 0, -1, 1e400, 10**400, "", "NaN", "\ud800"),
    *([], {}, [[]], {"a": {}}, [None]),
]


@pytest.mark.parametrize("name", JSON)
def test_any_value_of_another_type(name: str, tmp_path: Path) -> None:
    value = json.loads(sample(name, tmp_path).read_text(encoding="utf-8"))
    for container, key in list(kinds_of_places(value)):
        before = copy(container)
        for other in OTHERS:
            container[key] = other
            survives(name, json.dumps(value))
        del container[key]
        survives(name, json.dumps(value))
        container.clear()
        (container.update if isinstance(container, dict) else container.extend)(before)


@BY_FORMAT
def test_hostile_names_are_plain_data(name: str, tmp_path: Path) -> None:
    text = sample(name, tmp_path).read_text(encoding="utf-8")
    own = OWN.get(name, r"recorded\.Recorded\.work")
    for hostile in HOSTILE:
        shown = hostile if name in TEXT else json.dumps(hostile)[1:-1]
        suite = survives(name, re.sub(own, shown.replace("\\", "\\\\"), text))
        assert suite is not None
        assert any(identity.name.startswith(hostile) for identity in suite)


@looped("name", JSON)
def test_unlimited_nesting(name: str) -> None:
    for opening in ("[", '{"a":'):
        assert survives(name, opening * 100_000) is None


@pytest.mark.parametrize(("name", "key"), [("jmh", "jvmArgs"), ("series", "environment")])
def test_the_deepest_nesting_that_can_be_parsed(name: str, key: str, tmp_path: Path) -> None:
    text = sample(name, tmp_path).read_text(encoding="utf-8")
    for depth in range(50, 1200, 50):
        nested = "[" * depth + "]" * depth
        spoilt = re.sub(rf'"{key}" ?: (\[[^]]*\]|{{[^}}]*}})', f'"{key}": {nested}', text)
        assert spoilt != text
        assert survives(name, spoilt) is None
