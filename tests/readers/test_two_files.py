"""The contract of every format: two different files are compared, in both directions.

Expected results are common to all formats; each format has a writer in `two_files.py`.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from steady.compare import Comparison
from steady.errors import InputError
from steady.judging import Evidence, judge
from steady.model import Suite
from steady.readers import FORMATS, load
from tests.readers.two_files import WRITERS, Files, Made, Writer, made

KEYS = ("alpha", "beta", "gamma")
EVERYWHERE = pytest.mark.parametrize("name", list(FORMATS))


def test_every_format_has_a_writer() -> None:
    assert WRITERS.keys() == set(FORMATS)


class Compared:
    """A comparison of two runs by the keys of their benchmarks."""

    def __init__(self, writer: Writer, comparison: Comparison) -> None:
        self.writer, self.comparison = writer, comparison
        self.outcomes = {self.key(c): c.outcome for c in comparison.changes}
        self.ratios = {self.key(c): c.ratio for c in comparison.changes}
        ledger = comparison.ledger
        self.failed = [self.key(one) for one in ledger.failed]
        self.incomparable = [self.key(one) for one in ledger.incomparable]
        self.gone, self.new = (self.keys(ids) for ids in (ledger.gone, ledger.new))
        self.complete = ledger.complete

    def key(self, entry: Any) -> str:
        return self.keys([entry.identity])[0]

    def keys(self, identities: Sequence[Any]) -> list[str]:
        before = self.writer.name.partition("{}")[0]
        return [i.name.removeprefix(before).lower() for i in identities]

    @property
    def changed(self) -> dict[str, str]:
        return {k: o for k, o in self.outcomes.items() if o in ("regression", "improvement")}


def loaded(files: Files) -> Suite:
    """Read files without an explicit format."""
    return load([str(file) for file in files], empty=True)


class Pair:
    """Two runs in a folder, written in one format."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.writer, self.folder = name, WRITERS[name], folder
        self.number = 0

    def written(self, run: Sequence[Made]) -> Files:
        self.number += 1
        folder = self.folder / str(self.number)
        folder.mkdir()
        return self.writer.write(run, folder)

    def of_files(self, base: Files, head: Files) -> Compared:
        sides = (loaded(base), loaded(head))
        assert {suite.harness for suite in sides} == {sides[0].harness}
        evidence = Evidence(base=sides[0], head=sides[1], today=date(2026, 1, 1))
        return Compared(self.writer, judge(evidence.of_same_names()))

    def compared(self, base: Sequence[Made], head: Sequence[Made]) -> Compared:
        return self.of_files(self.written(base), self.written(head))


@pytest.fixture
def pair(name: str, tmp_path: Path) -> Pair:
    return Pair(name, tmp_path)


@EVERYWHERE
def test_equal_up_to_noise(pair: Pair) -> None:
    for seed in range(3):
        found = pair.compared(made(seed, *KEYS), made(100 + seed, *KEYS))
        assert found.changed == {}
        assert found.outcomes.keys() == set(KEYS)
        assert found.complete


@EVERYWHERE
def test_slower_and_faster_by_30_percent(pair: Pair) -> None:
    before, after = made(1, *KEYS), made(2, *KEYS, slower={"beta": 1.3})
    slower, faster = pair.compared(before, after), pair.compared(after, before)
    assert slower.changed == {"beta": "regression"}
    assert slower.ratios["beta"] == pytest.approx(0.3, abs=0.02)
    assert faster.changed == {"beta": "improvement"}
    assert faster.ratios["beta"] == pytest.approx(1 / 1.3 - 1, abs=0.02)


@EVERYWHERE
def test_one_added_and_one_removed(pair: Pair) -> None:
    fewer = made(1, *KEYS, slower={"gamma": 1.3})
    more = made(2, *KEYS, "delta")
    added, removed = pair.compared(fewer, more), pair.compared(more, fewer)
    assert (added.new, added.gone, added.complete) == (["delta"], [], True)
    assert added.changed == {"gamma": "improvement"}
    assert (removed.new, removed.gone, removed.complete) == ([], ["delta"], False)
    assert removed.changed == {"gamma": "regression"}


@EVERYWHERE
def test_a_failed_execution_is_not_a_measurement(pair: Pair) -> None:
    before, after = made(1, *KEYS), made(2, *KEYS, slower={"gamma": 1.3})
    for places in ((0,), (1,), (0, 1)):
        sides = [before, after]
        for place in places:
            sides[place] = [replace(o, failed=o.key == "beta") for o in sides[place]]
        found = pair.compared(*sides)
        assert "beta" not in found.outcomes
        assert found.changed == {"gamma": "regression"}
        if pair.writer.reports_failures:
            assert (found.failed, found.complete) == (["beta"], False)
        elif places == (1,):
            assert (found.gone, found.complete) == (["beta"], False)


@EVERYWHERE
def test_another_unit_is_converted_or_rejected(pair: Pair) -> None:
    before, after = made(1, *KEYS), made(2, *KEYS, slower={"gamma": 1.3})
    if pair.writer.units == "fixed":
        return
    other = [replace(one, other_unit=one.key == "beta") for one in after]
    for base, head, outcome in ((before, other, "regression"), (other, before, "improvement")):
        found = pair.compared(base, head)
        assert found.changed == {"gamma": outcome}
        if pair.writer.units == "converted":
            assert found.outcomes["beta"] == "unchanged"
        else:
            assert "beta" not in found.outcomes
            assert not found.complete


@EVERYWHERE
def test_duplicate_names(pair: Pair) -> None:
    """Two benchmarks of one name are not two forks of one benchmark."""
    before, after = made(1, *KEYS), made(2, *KEYS, slower={"gamma": 1.3})
    other = [replace(one, seconds=one.seconds * 50) for one in made(3, "beta")]
    if pair.writer.repeats:
        other = made(3, "beta")
    for base, head in (([*before, *other], [*after, *other]), (before, [*after, *other])):
        found = pair.compared(base, head)
        assert found.changed == {"gamma": "regression"}
        if not pair.writer.repeats:
            assert (found.failed, found.complete) == (["beta"], False)
            [missing] = found.comparison.ledger.failed
            assert "occurs twice under one name" in missing.reason


@EVERYWHERE
def test_the_order_does_not_matter(pair: Pair) -> None:
    before, after = made(1, *KEYS), made(2, *KEYS, slower={"gamma": 1.3})
    first, second = pair.compared(before, after), pair.compared(before, after[::-1])
    assert first.outcomes == second.outcomes
    assert first.ratios == second.ratios


@EVERYWHERE
def test_a_truncated_file_is_rejected_or_incomplete(pair: Pair) -> None:
    before, after = pair.written(made(1, *KEYS)), pair.written(made(2, *KEYS))
    cut = next(file for file in after if file.suffix in (".json", ".txt", ".log"))
    text = cut.read_text(encoding="utf-8")
    refused: list[InputError] = []
    for share in (0.3, 0.5, 0.9):
        cut.write_text(text[: int(share * len(text))], encoding="utf-8")
        for base, head in ((before, after), (after, before)):
            try:
                found = pair.of_files(base, head)
            except InputError as error:
                refused.append(error)
                continue
            assert found.changed == {}
            missing = set(KEYS) - found.outcomes.keys()
            assert not missing or found.new or not found.complete
    assert all(str(cut) in str(error) for error in refused)


@EVERYWHERE
def test_an_empty_file_is_rejected_without_advice_for_another_harness(pair: Pair) -> None:
    after = pair.written(made(2, *KEYS))
    for text in ("", " \n"):
        after[0].write_text(text)
        for format_ in (None, pair.name):
            with pytest.raises(InputError, match=r"is empty|contains no benchmark") as refused:
                load([str(file) for file in after], format=format_)
            words = str(refused.value).replace(str(after[0]), "")
            assert pair.name == "jmh" or "JMH" not in words
