"""The comparison as a file: whole, checked, and the same bytes each time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steady.compare import (
    Acknowledgement,
    Change,
    Comparison,
    Difference,
    Estimate,
    Ignored,
    Ledger,
    Missing,
    compare,
    comparison_schema,
    from_json,
    read_comparison,
    to_json,
    write_comparison,
)
from steady.errors import InputError
from steady.model import Environment, Identity

numbers = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
identities = st.builds(
    Identity,
    texts.filter(bool),
    st.sampled_from(["avgt", "thrpt"]),
    st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
    st.integers(1, 8),
)
acknowledgements = st.builds(
    Acknowledgement,
    texts,
    texts,
    st.sampled_from(["regression", "improvement"]),
    st.none() | st.floats(0, exclude_min=True, allow_nan=False, allow_infinity=False),
    st.none() | st.dates(),
    texts,
    texts,
)
estimates = st.builds(Estimate, numbers, numbers, numbers, st.integers(1, 10), st.integers(1, 1000))
changes = st.builds(
    Change,
    identities,
    texts,
    st.sampled_from(["lower", "higher"]),
    estimates,
    estimates,
    st.sampled_from(["regression", "improvement", "unchanged", "unclear"]),
    st.floats(0, allow_nan=False),
    st.lists(texts, max_size=2).map(tuple),
    st.none() | st.tuples(numbers, numbers),
    st.none() | st.floats(0, allow_nan=False, allow_infinity=False),
    st.none() | acknowledgements,
    st.floats(0, allow_nan=False),
    texts,
)
sides = st.sampled_from(["base", "head", "both"])
environments = st.builds(Environment, texts, texts, texts, texts, st.lists(texts).map(tuple))


def tuples(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, max_size=3).map(tuple)


def missing(kind: str) -> st.SearchStrategy[tuple[Missing, ...]]:
    return tuples(st.builds(Missing, identities, sides, texts, st.just(kind)))


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    found = draw(tuples(changes))
    ledger = Ledger(
        tuple(change.identity for change in found),
        draw(missing("failed")),
        draw(missing("missing")),
        draw(tuples(identities)),
        draw(tuples(identities)),
        draw(tuples(identities)),
        draw(missing("incomparable")),
        draw(tuples(st.tuples(identities, identities))),
        draw(tuples(st.builds(Ignored, identities, texts))),
    )
    differences = st.builds(Difference, texts, texts, texts, st.integers(1, 9))
    scalars = texts | st.booleans() | st.none() | numbers | st.integers(-9, 9)
    return Comparison(
        found,
        ledger,
        draw(tuples(differences)),
        draw(texts),
        draw(st.dictionaries(texts, scalars, max_size=3)),
        draw(st.booleans()),
        draw(tuples(environments)),
        draw(tuples(environments)),
        draw(tuples(texts)),
    )


def parts(comparison: Comparison) -> dict[str, Any]:
    return {name: value for name, value in vars(comparison).items() if not name.startswith("_")}


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=50)
@given(comparisons())
def test_round_trip_loses_nothing_and_obeys_the_schema(comparison: Comparison) -> None:
    text = to_json(comparison)
    jsonschema.validate(json.loads(text), comparison_schema())
    assert parts(from_json(text)) == parts(comparison)
    assert to_json(from_json(text)) == text


@pytest.fixture
def text(make_suite: Callable[..., Any]) -> str:
    return to_json(compare(make_suite(a=1.0, b=1.0), make_suite(a=2.0, b=1.0)))


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(comparison_schema())


def test_the_same_comparison_gives_the_same_bytes(make_suite: Callable[..., Any]) -> None:
    base, head = make_suite(a=1.0), make_suite(a=1.2)
    first, second = (to_json(compare(base, head, rule="overlap-forks")) for _ in range(2))
    assert first == second
    assert first.endswith("}\n")


@pytest.mark.parametrize(
    ("key", "value"),
    [("steady_comparison", 1), ("verdict", "fine"), ("changes", [{}]), ("ledger", None)],
)
def test_what_is_no_comparison_is_refused(text: str, key: str, value: Any) -> None:
    data = {**json.loads(text), key: value}
    with pytest.raises(InputError, match="expected a steady comparison, version 2: make it anew"):
        from_json(json.dumps(data), source="c.json")


def test_a_verdict_that_does_not_follow_is_refused(text: str) -> None:
    data = {**json.loads(text), "verdict": "unchanged"}
    with pytest.raises(InputError, match=r"c.json: the verdict is 'unchanged' where 'regression'"):
        from_json(json.dumps(data), source="c.json")


def test_changes_that_the_ledger_does_not_know_are_refused(text: str) -> None:
    data = json.loads(text)
    data["ledger"]["compared"].pop()
    with pytest.raises(InputError, match="not those of the benchmarks compared"):
        from_json(json.dumps(data))


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" + "0" * 400])
@pytest.mark.parametrize("key", ["center", "high", "smallest", "min_change"])
def test_numbers_beyond_all_others_are_refused(text: str, key: str, number: str) -> None:
    text = re.sub(rf'"{key}": [^,]+,', f'"{key}": {number},', text)
    with pytest.raises(InputError, match="expected a steady comparison, version 2: make it anew"):
        from_json(text)


def test_a_whole_number_may_be_written_with_a_point(text: str) -> None:
    pointed = re.sub(r'("(?:forks|iterations|threads)": \d+)', r"\1.0", text)
    assert pointed != text
    assert to_json(from_json(pointed)) == text


def test_cut_text_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="not complete JSON"):
        from_json(text[:-20])


def test_files(tmp_path: Path, make_suite: Callable[..., Any]) -> None:
    comparison = compare(make_suite(a=1.0), make_suite(a=2.0))
    path = write_comparison(comparison, tmp_path / "out" / "comparison.json")
    assert parts(read_comparison(path)) == parts(comparison)
    with pytest.raises(InputError, match="cannot be read"):
        read_comparison(tmp_path / "none.json")
