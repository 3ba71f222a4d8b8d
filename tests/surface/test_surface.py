"""Nothing that users can reach disappears by accident: what there is, against what was recorded."""

from functools import cache
from pathlib import Path

import pytest

from docs.surface import LISTS, record, recorded, removed, unrecorded
from docs.surface_json import paths
from docs.surface_python import parameters

FOLDER = Path(__file__).parent


@cache
def present(name: str) -> frozenset[str]:
    _, derive = LISTS[name]
    return frozenset(derive())


@pytest.mark.parametrize("name", LISTS)
def test_what_was_recorded_is_still_there(name: str) -> None:
    problem = removed(name, present(name))
    assert not problem, problem


@pytest.mark.parametrize("name", LISTS)
def test_what_is_there_is_recorded(name: str) -> None:
    problem = unrecorded(name, present(name))
    assert not problem, problem


def test_every_recorded_list_is_compared_and_holds_what_everybody_knows() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(LISTS)
    known = {
        "commands": {"steady compare --junit FILE", "steady compare --output terminal"},
        "action-inputs": {"fail-on", "fail-on: regression", "mode (required)"},
        "action-outputs": {"verdict", "verdict: same-code"},
        "workflows": {"compare.yml input time-budget string", "measure/action.yml output base"},
        "settings": {"accepted[].bound", 'same-code = "run"'},
        "names": {"rule overlap", "strategy detect takes power", "fail-on unclear"},
        "python": {"steady.compare(base) at 1", "steady.compare(*, rule='paired-t')"},
        "json": {"comparison: changes[].base.center", "run.json: header.versions[].sha256"},
        "files": {"run of go: base.txt", "report: report.html", "plan: pyperf.txt"},
    }
    assert known.keys() == LISTS.keys()
    for name, lines in known.items():
        assert lines <= recorded(name), name


# The guard itself, on lists that are made up.


def test_what_disappears_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "made-up.txt").write_text("# What it is.\na --kept\na --gone\n", encoding="utf-8")
    assert removed("made-up", ["a --kept", "a --new"], tmp_path) == (
        "no longer there: a --gone. Restore it, or delete the line from "
        "tests/surface/made-up.txt if the removal was asked for"
    )
    assert removed("made-up", ["a --kept", "a --gone"], tmp_path) == ""


def test_what_is_new_is_named_until_it_is_recorded(tmp_path: Path) -> None:
    lists = {"made-up": ("Letters", lambda: ["b", "a"])}
    assert unrecorded("made-up", ["a", "b"], tmp_path) == (
        "not recorded in tests/surface/made-up.txt: a; b. Run `make docs`"
    )
    record(lists, tmp_path)
    assert unrecorded("made-up", ["a", "b"], tmp_path) == ""
    text = (tmp_path / "made-up.txt").read_text(encoding="utf-8")
    assert text.startswith("# Letters, one a line.\n")
    assert text.endswith("\na\nb\n")
    record(lists, tmp_path)
    assert (tmp_path / "made-up.txt").read_text(encoding="utf-8") == text


def test_make_docs_deletes_no_line(tmp_path: Path) -> None:
    record({"made-up": ("Letters", lambda: ["a", "b"])}, tmp_path)
    record({"made-up": ("Letters", lambda: ["b", "c"])}, tmp_path)
    assert recorded("made-up", tmp_path) == {"a", "b", "c"}
    assert "no longer there: a." in removed("made-up", ["b", "c"], tmp_path)


def test_a_schema_becomes_paths_and_names_even_where_it_holds_itself() -> None:
    node = {
        "properties": {
            "kind": {"enum": ["a", "b"]},
            "below": {"anyOf": [{"items": {"$ref": "#/$defs/Node"}}, {"type": "null"}]},
            "named": {"additionalProperties": {"properties": {"x": {}}}},
        }
    }
    whole = {"properties": {"top": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}
    assert set(paths(whole)) == {
        "top", "top.kind", 'top.kind = "a"', 'top.kind = "b"',
        "top.below", "top.named", "top.named{}.x",
    }  # fmt: skip


def test_a_parameter_is_known_by_its_place_or_as_a_keyword_and_by_its_default() -> None:
    def made(first: int, second: str = "s", *rest: int, key: object = len, **more: int) -> None:
        """Do nothing."""

    assert list(parameters("made", made)) == [
        "made(first) at 1", "made(second='s') at 2", "made(*rest)", "made(*, key=len)",
        "made(**more)",
    ]  # fmt: skip
