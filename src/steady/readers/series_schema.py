"""The JSON schema of the series format, and its errors in one sentence."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from steady.errors import InputError
from steady.readers.fields import Field, quoted

MARK = "steady_series"
"""The key of documents in this format; its value is the version."""

VERSION = 1

ADVICE = "docs/series-format.md shows what stands where"

_SENTENCE_LENGTH = 200


@cache
def validator() -> Draft202012Validator:
    """Return the validator of ``series.schema.json``."""
    text = resources.files("steady.readers").joinpath("series.schema.json").read_text("utf-8")
    return Draft202012Validator(json.loads(text))


def check(top: Field) -> None:
    """Check a document against the schema, except for its measurements.

    `steady.readers.nested.read_nested` checks these in a second; a validator would take minutes.

    Raises
    ------
    InputError
        If the document is of another version, or differs from the schema.
    """
    version = top.member(MARK)
    if version.whole(0) != VERSION:
        raise version.error(
            f"is version {version.value} of the series format; this release knows version {VERSION}"
        )
    outline = dict(top.table())
    benchmarks = outline.get("benchmarks")
    if isinstance(benchmarks, list):
        outline["benchmarks"] = [_without_measurements(benchmark) for benchmark in benchmarks]
    try:
        found = best_match(validator().iter_errors(outline))
        if found is not None:
            raise _sentence(found, top)
    except RecursionError:  # in a message that shows the wrong value
        raise top.error(f"is nested far too deeply; {ADVICE}") from None


def _without_measurements(benchmark: object) -> object:
    if isinstance(benchmark, dict) and isinstance(benchmark.get("measurements"), list):
        return {**benchmark, "measurements": []}
    return benchmark


def _sentence(found: ValidationError, top: Field) -> InputError:
    place = top
    for step in found.absolute_path:
        place = place.below(step)
    message = found.message
    if found.validator == "type":
        message = f"expected {found.validator_value}, found {quoted(repr(found.instance), 60)}"
    return place.error(f"{quoted(message, _SENTENCE_LENGTH)[1:-1]}; {top.advice}")
