"""The comparison as a file: whole, checked, and the same bytes each time."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import date
from math import inf
from typing import Any

import jsonschema
import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steady.cli.settings import schema
from steady.compare import (
    Acceptance,
    Change,
    Comparison,
    Estimate,
    Ignored,
    Ledger,
    Missing,
    compare,
    to_json,
)
from steady.compare.comparison import MetricComparison
from steady.compare.comparison_files import ComparisonFile
from steady.compare.surroundings import Difference
from steady.files import json_text
from tests.compare.any_values import ENVIRONMENTS, IDENTITIES, TEXTS
from tests.compare.small_suites import make_suite

numbers = st.floats(allow_nan=False, allow_infinity=False)
acceptances = st.builds(
    Acceptance,
    TEXTS,
    TEXTS,
    st.sampled_from(["regression", "improvement"]),
    st.none() | st.floats(0, exclude_min=True, allow_nan=False, allow_infinity=False),
    st.none() | st.dates(),
    TEXTS,
    TEXTS,
)
estimates = st.builds(Estimate, numbers, numbers, numbers, st.integers(1, 10), st.integers(1, 1000))
changes = st.builds(
    Change,
    IDENTITIES,
    TEXTS,
    st.sampled_from(["lower", "higher"]),
    estimates,
    estimates,
    st.sampled_from(["regression", "improvement", "unchanged", "unclear"]),
    st.floats(0, allow_nan=False),
    st.lists(TEXTS, max_size=2).map(tuple),
    st.none() | st.tuples(numbers, numbers),
    st.none() | st.floats(0, allow_nan=False, allow_infinity=False),
    st.none() | acceptances,
    st.floats(0, allow_nan=False),
    TEXTS,
)
metrics = st.builds(replace, changes, metric=TEXTS)
sides = st.sampled_from(["base", "head", "both"])


def tuples(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, max_size=3).map(tuple)


def missing(kind: str) -> st.SearchStrategy[tuple[Missing, ...]]:
    return tuples(st.builds(Missing, IDENTITIES, sides, TEXTS, st.just(kind)))


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    found = draw(tuples(changes))
    ledger = Ledger(
        tuple(change.identity for change in found),
        draw(missing("failed")),
        draw(missing("missing")),
        *(draw(tuples(IDENTITIES)) for _ in range(3)),
        draw(missing("incomparable")),
        draw(tuples(st.tuples(IDENTITIES, IDENTITIES))),
        draw(tuples(st.builds(Ignored, IDENTITIES, TEXTS))),
    )
    differences = st.builds(Difference, TEXTS, TEXTS, TEXTS, st.integers(1, 9))
    scalars = TEXTS | st.booleans() | st.none() | numbers | st.integers(-9, 9)
    return Comparison(
        found,
        ledger,
        draw(tuples(differences)),
        draw(TEXTS),
        draw(st.dictionaries(TEXTS, scalars, max_size=3)),
        draw(st.booleans()),
        draw(tuples(ENVIRONMENTS)),
        draw(tuples(ENVIRONMENTS)),
        draw(tuples(TEXTS)),
        MetricComparison(draw(tuples(metrics)), draw(tuples(metrics))),
    )


def without_infinity(value: Any) -> Any:
    """Return data as JSON says them: lists for tuples, null for infinity, TEXTS for dates."""
    if isinstance(value, dict):
        return {
            key: without_infinity(item)
            for key, item in value.items()
            if (key, item) not in (("score", None), ("cold_seconds", 0.0))
        }
    if isinstance(value, list | tuple):
        return list(map(without_infinity, value))
    if isinstance(value, date):
        return value.isoformat()
    return None if value == inf else value


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=25)
@given(comparisons())
def test_round_trip_loses_nothing_and_obeys_the_schema(comparison: Comparison) -> None:
    text = to_json(comparison)
    data = json.loads(text)
    jsonschema.validate(data, schema("comparison"))
    verdicts = {name: getattr(comparison, name) for name in ("verdict", "metric_verdict")}
    plain = without_infinity(asdict(comparison))
    for place in ("failed", "missing", "incomparable"):
        lost_ones = getattr(comparison.ledger, place)
        for entry, lost in zip(plain["ledger"][place], lost_ones, strict=True):
            del entry["kind"]
            entry["reason"] = lost.what_happened
    for change in plain["changes"]:
        del change["metric"]
    del plain["metrics"]["asked"]
    assert data == {"steady_comparison": 2, **verdicts, **plain}
    assert text == json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    assert json_text(msgspec.json.decode(text, type=ComparisonFile)) == text


def test_the_keys_stand_in_their_order() -> None:
    text = to_json(compare(make_suite(a=1.0, b=1.0), make_suite(a=2.0, b=1.0)))
    data = json.loads(text)
    assert list(data) == schema("comparison")["required"]
    assert list(data["ledger"])[:4] == ["compared", "failed", "missing", "incomparable"]
    assert list(data["changes"][0])[-8:] == [
        *("smallest", "interval", "notes", "min_change", "accepted", "excluded", "lacking"),
        "refused",
    ]
