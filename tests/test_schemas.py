"""The published JSON schemas are those of the code."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from steady.schemas import KINDS, main, schema, schema_text

PUBLISHED = Path(__file__).parents[1] / "docs" / "schemas"


@pytest.mark.parametrize("name", KINDS)
def test_a_published_schema_is_a_schema_and_not_stale(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))
    published = (PUBLISHED / f"{name}.schema.json").read_text(encoding="utf-8")
    assert published == schema_text(name), "python -m steady.schemas docs/schemas"


def test_one_command_writes_them_all(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 0
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert written == {path.name: path.read_bytes() for path in PUBLISHED.iterdir()}
