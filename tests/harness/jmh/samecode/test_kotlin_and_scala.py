"""Programs compiled by Kotlin and Scala: different code is detected, identical code is skipped.

`IMPRECISE` has the pairs of which the second benchmark may differ, although it runs the same code.
"""

from functools import cache
from pathlib import Path

import pytest
from language_pairs import LANGUAGES, METHODS, Programs, jars_of, pairs_in_language

from steady.harness.jmh.samecode import class_hierarchy
from steady.harness.jmh.samecode.class_file import ClassFile
from steady.harness.jmh.samecode.class_path import Entries
from tests.harness.pair_texts import SIDES

pytestmark = [pytest.mark.needs("java", "mvn"), pytest.mark.thorough]

IMPRECISE = {
    # Their libraries use reflection: to print a coroutine, name a class, or list an object.
    "kotlin": {"suspended", "state_machine", "sequence_builder", "sequences", "class_name"},
    "scala2": {"enumeration"},
    "scala3": {"enumeration"},
}
MAY_BE_LOADED = {"trait_order", "trait_method_added", "case_class", "ordering"}
"""A JVM may load a class whose parents changed, to verify types in other code."""


@pytest.mark.parametrize("name", LANGUAGES)
def test_different_code_may_differ_and_other_code_is_identical(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_hierarchy, "ClassFile", cache(ClassFile))
    language = LANGUAGES[name]
    programs = Programs(tmp_path, language, jars_of(language, tmp_path / "maven"))
    pairs = pairs_in_language(name)
    results = programs.build(pairs)
    differ = {
        (pair.name, method)
        for pair in pairs
        for method in METHODS
        if len({results[pair.name, side, method] for side in SIDES}) > 1
    }
    assert differ == {(pair.name, "run") for pair in pairs}
    jars: dict[Path, Entries] = {}
    decisions = {pair.name: programs.decide(pair, jars) for pair in pairs}
    assert [title for title, own in decisions.items() if own["run"].same] == []
    imprecise = {title for title, own in decisions.items() if not own["still"].same}
    assert imprecise - MAY_BE_LOADED == IMPRECISE[name]
    assert len(pairs) >= 40


def test_names_of_pairs_are_unique() -> None:
    for name in LANGUAGES:
        names = [pair.name for pair in pairs_in_language(name)]
        assert len(names) == len(set(names))
