"""Every pair with different output may differ; the others have identical code paths."""

import subprocess
from pathlib import Path

import pytest
from reach_pairs import compile_all, decide, pairs_of, run_all, write_pair

from steady.harness.jmh.samecode.jdk_effects import OBJECT_METHODS, overridable_methods
from tests.harness.pair_texts import SIDES

OTHER = pairs_of(
    *("late", "natural", "calls", "callbacks", "names", "reflection", "effects"),
    *("stacks", "files", "places"),
)
SAME = pairs_of("same")

pytestmark = [pytest.mark.needs("java", "javac"), pytest.mark.xdist_group("reach")]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pairs")
    pairs = (*OTHER, *SAME)
    compile_all(pairs, folder)
    for side in SIDES:
        for pair in pairs:
            write_pair(pair, folder, side)
    return folder


def test_pairs_with_different_output_may_differ(built: Path) -> None:
    decisions = {pair.name: decide(pair, built) for pair in OTHER}
    assert [name for name, one in decisions.items() if one.same or one.distance < 0] == []


def test_pairs_that_cannot_reach_the_change_are_identical(built: Path) -> None:
    decisions = {pair.name: decide(pair, built).why for pair in SAME}
    assert decisions == dict.fromkeys(decisions, "")


@pytest.mark.thorough
def test_pairs_have_the_described_output(built: Path) -> None:
    proven = [pair for pair in (*OTHER, *SAME) if "unproven" not in pair.notes]
    results = run_all(proven, built)
    other = {pair.name for pair in proven if pair in OTHER}
    differ = {p.name for p in proven if results[p.name, "base"] != results[p.name, "head"]}
    assert differ == other
    assert 2 * len(other) > len(OTHER)


def test_there_are_many_pairs() -> None:
    names = [pair.name for pair in (*OTHER, *SAME)]
    assert len(names) == len(set(names))
    assert len(OTHER) >= 190


FINAL = {"java/lang/Enum": {"describeConstable"}}
"""Declared by an interface, and final in the class."""


@pytest.mark.needs("java")
@pytest.mark.thorough
def test_table_is_complete_for_its_types() -> None:
    program = Path(__file__).with_name("Overridable.java")
    done = subprocess.run(["java", str(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = {line.split()[0]: set(line.split()[1:]) for line in done.stdout.splitlines()}
    known = {name: own for name in found if (own := overridable_methods(name)) is not None}
    assert len(known) > 200
    lacking = {n: found[n] - own - OBJECT_METHODS - FINAL.get(n, set()) for n, own in known.items()}
    assert {name: own for name, own in lacking.items() if own} == {}
