"""The published JSON schemas are schemas, and not stale."""

from __future__ import annotations

from pathlib import Path

import jsonschema

from steady.cli.settings import KINDS, schema, schema_text
from tests.looped import looped

PUBLISHED = Path(__file__).parents[1] / "docs" / "schemas"


@looped("name", KINDS)
def test_a_published_schema_is_a_schema_and_not_stale(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))
    published = (PUBLISHED / f"{name}.schema.json").read_text(encoding="utf-8")
    assert published == schema_text(name), "make docs"


def test_nothing_else_is_published() -> None:
    assert {path.name for path in PUBLISHED.iterdir()} == {f"{n}.schema.json" for n in KINDS}
