"""The frame of the tables, and those on labels, counts and values made by hand."""

import importlib
import math
import re
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation import TABLES
from evaluation.__main__ import main, pages
from evaluation._calls import Calls
from evaluation._markdown import Cell, Number, Section, Table, cell, markdown, number, percent
from evaluation._onset_people import agreement, likely_range, passes_table
from evaluation._uoptime import Group, quality
from evaluation.sections import made
from evaluation.steady_state import Labels, calls_table, crossed_constants, read_labels, read_starts
from evaluation.uoptime_changes import count_changes, is_slower, minimum, published_counts
from evaluation.uoptime_metrics import cliffs_delta, dunn
from tests.looped import looped

# The frame of the tables, and the small ones: on labels and counts made by hand.


# The frame: which tables there are, on which pages, and in which order.


@looped("name", TABLES)
def test_every_table_is_a_module_with_a_title_line(name: str) -> None:
    module = importlib.import_module(f"evaluation.{name}")
    assert callable(module.table)
    assert (module.__doc__ or "").startswith("Table ")


def test_every_table_is_on_one_page_in_its_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("evaluation.sections.section", a_title)
    monkeypatch.setattr("evaluation.__main__.goals", lambda _: "## Targets")
    tables = made(tmp_path, TABLES, 1)
    assert list(tables) == list(TABLES)
    assert made(tmp_path, TABLES, 2) == tables, "processes change nothing"
    with ThreadPoolExecutor(2) as executor:
        assert made(tmp_path, TABLES, executor) == tables
    first, *others = pages(tables).items()
    assert first[0] == "evaluation.md"
    assert re.findall(r"\]\((evaluation-\w+\.md)\)\n", first[1]) == [name for name, _ in others]
    text = "".join(text for _, text in others)
    assert re.findall(r"(?m)^## (\w+)$", text) == list(TABLES)
    assert all(text.startswith("# Evaluation: ") for _, text in others)
    # The data are needed, and a part is printed and does not replace the pages.
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "no folder jmh-steady" in capsys.readouterr().err
    for folder in ("jmh-steady", "uoptime"):
        (tmp_path / folder).mkdir()
    main([str(tmp_path), "--only", "verdicts"])
    assert capsys.readouterr().out == "## verdicts\n"
    assert not (tmp_path / "docs").exists()


def a_title(_: Path, name: str) -> Section:
    return [f"## {name}"]


# Numbers and tables as they stand in the document.


def test_a_table_has_text_columns_and_says_once_what_rows_have_in_common() -> None:
    expected = "| a | b |\n| --- | --: |\n| x | 1 |"
    assert markdown(["a", "b"], [["x", "1"]]) == expected
    rows: list[list[Cell]] = [["a", "x", "1"], ["a", "y", "2"], ["b", "y", ("3", "4")]]
    shown = ["| a | x | 1 |", "|  | y | 2 |", "| b | y | 3 / 4 |"]
    assert str(Table(["", "", "n"], rows, texts=2, grouped=True)).splitlines()[2:] == shown
    # No sign on zero, and a dash for no number.
    assert [percent(0.1234, 1), percent(-1e-9, 0), percent(math.nan, 2)] == ["12.3", "0", "–"]


def test_a_cell_is_found_by_its_row_and_column() -> None:
    first, second = (Table(["", "n"], [["a", number(n, 1)]]) for n in (1.26, 2.0))
    found = cell(["text", first, second], ["a"], "n")
    assert found == "1.3"
    assert isinstance(found, Number)
    assert found.value == 1.3
    assert cell(["text", first, second], ["a"], "n", part=1) == "2.0"
    with pytest.raises(LookupError, match="no table number 2"):
        cell([first, second], ["a"], "n", part=2)


# Calls counted against the truth: hand-computed values.


def test_calls_are_counted_by_truth() -> None:
    called = np.array([True, True, True, False, False, True])
    truth = np.array([True, True, False, True, False, True])
    calls = Calls.of(called, truth)
    assert calls == Calls(3, 1, 1, 1)
    assert calls.agreements == 4
    assert calls.balanced_accuracy == pytest.approx((3 / 4 + 1 / 2) / 2)
    assert calls.correlation == pytest.approx((3 * 1 - 1 * 1) / np.sqrt(4 * 4 * 2 * 2))


# How far onset agrees with people: counts by hand, and draws of projects that must vary.


def test_agreement_is_a_share_and_a_correlation() -> None:
    steady = np.array([True, True, False, False])
    label = np.array([True, False, False, False])
    share, mcc = agreement(steady, label)
    # One of each call but a false negative: (1 * 2 - 1 * 0) / sqrt(2 * 1 * 3 * 2).
    assert share == 0.75
    assert math.isclose(mcc, 2 / math.sqrt(12))
    assert agreement(np.array([True] * 4), label) == (0.25, 0.0)
    assert agreement(steady, np.array([True] * 4)) == (0.5, 0.0)


def test_series_are_counted_by_the_passes_that_agree_with_their_label() -> None:
    label = np.array([True, True, False, False, True])
    steady = np.array([True, False, False, True, False])
    passes = np.array([[True, True, False, True, False], [True, False, False, True, False]])
    assert passes_table(steady, label, passes)[2:] == [
        "| 2 | 2 | 0.500 | 1.000 | 1.000 |",
        "| 1 | 1 | 1.000 | 0.000 | 0.000 |",
        "| 0 | 2 | 0.500 | 0.000 | -1.000 |",
    ]


def test_other_projects_vary_the_figures() -> None:
    label = np.tile([True, False], 40)
    steady = label.copy()
    steady[:20] = True  # one project of four, in which half of the calls are wrong
    project = np.repeat(["a", "b", "c", "d"], 20)
    (low, low_mcc), (high, high_mcc) = likely_range(steady, label, project, draws=400)
    # It is drawn 0 to 4 times, and 1 - its count / 8 agree; in a quarter of draws it is 2 or more.
    assert 0.5 <= low <= 0.75
    assert high == 1.0
    assert low_mcc < high_mcc == 1.0
    same = likely_range(label, label, project, draws=20)
    assert np.all(same == 1.0)


# Table 1 on labels made by hand.


LABELS = Labels(
    ["a#1", "a#2", "b#1", "b#2", "b#3"],
    np.array(["a", "a", "b", "b", "b"]),
    np.array([10, 30, 100, 200, -1]),
)


def test_a_project_gets_the_median_of_the_others() -> None:
    assert crossed_constants(LABELS).tolist() == [150, 150, 20, 20, 20]


def test_calls_count_a_found_start_as_steady() -> None:
    found = np.array([0, -1, 5, 5, 5])
    table = calls_table(LABELS.starts, {"mine": found}, {}, {})
    lines = str(table).splitlines()
    assert lines[2].startswith("| always steady | 4 | 80.0 | 1 | 0 | 0.50 | 0.00 |")
    # 3 of 4 steady ones found, the unsteady one missed: MCC = (3*0 - 1*1) / sqrt(4*4*1*1)
    assert lines[3].startswith("| steady: mine | 3 | 60.0 | 1 | 1 | 0.38 | -0.25 |")


def test_the_published_counts_of_the_open_labels(shared: Path) -> None:
    """The data's README: KB-KSSD agrees 301 times, CP-SSD 299, always-steady 302, of 430."""
    folder = shared / "data" / "jmh-steady"
    labels = read_labels(folder)
    starts = read_starts(folder, "baselines", labels, {"kb": "kb_kssd_start", "cp": "cp_ssd_start"})
    assert len(labels.starts) == 430
    assert labels.steady.sum() == 302
    agreements = {k: int(((v >= 0) == labels.steady).sum()) for k, v in starts.items()}
    assert agreements == {"kb": 301, "cp": 299}
    both = labels.steady & (starts["kb"] >= 0) & (starts["cp"] >= 0)
    distances = {k: int(np.abs(v - labels.starts)[both].sum()) for k, v in starts.items()}
    assert distances == {"kb": 101716, "cp": 119935}


# Table 3: tests and counts against hand-computed values and a brute-force oracle.


VALUES = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=8)


@given(VALUES, VALUES)
def test_cliffs_delta_counts_pairs(first: list[float], second: list[float]) -> None:
    signs = [np.sign(x - y) for x, y in product(first, second)]
    assert cliffs_delta(np.array(first), np.array(second)) == pytest.approx(np.mean(signs))


def test_dunn_is_kruskal_and_wallis_for_two_samples_and_corrects_for_the_number_of_pairs() -> None:
    random = np.random.default_rng(3)
    two = [random.integers(0, 9, 20).astype(float), random.integers(2, 12, 15).astype(float)]
    assert dunn(two)[0] == pytest.approx(stats.kruskal(*two).pvalue)
    samples = [np.array([1.0, 2, 3]), np.array([4.0, 5, 6]), np.array([7.0, 8, 9])]
    # Mean ranks 2, 5, 8; sd of a difference sqrt(9 * 10 / 12 * 2 / 3)
    scores = np.array([3, 6, 3]) / np.sqrt(5)
    assert dunn(samples) == pytest.approx(np.minimum(1, 3 * 2 * stats.norm.sf(scores)))


def test_quality_of_configurations_by_hand() -> None:
    values = np.array([[10.0, 10, 10, 13, 13], [10, 10, 10, 13, 13]])
    key = ("ds2", "p", "v", "b", "")
    group = Group("ds2", "p", "warmup50", ("v",), (key, key), (values, np.ones((2, 5))))
    found = quality(group, [(1, 3), (2, 5)], "cv")
    assert found.saved == pytest.approx(1 - (3 + 10) / 20)
    assert found.total_saved == pytest.approx(1 - (3 + 50 + 10 + 100) / (20 + 200))
    # 10 instead of 11.2 is 10.7 % off; the second benchmark is not reduced.
    assert found.near == (0.5, 0.5, 0.5, 0.5)


def test_slower_by_the_papers_rule() -> None:
    base, head = (100, 99, 101), (104, 102, 106)
    assert is_slower(base, head)
    assert is_slower((100, 99, 102), head), "touching intervals do not overlap"
    assert not is_slower((100, 99, 103), head)
    assert not is_slower(base, (103, 102, 106)), "3 % is not more than 3 %"
    assert not is_slower(head, base), "faster"


def test_changes_are_counted_against_the_full_configuration() -> None:
    flat, slow = np.full((3, 20), 10.0), np.full((3, 20), 11.0)
    late = flat.copy()
    late[1:] = 12.0  # the minimum, fork 1 x 3, does not see it
    versions = [{"a": flat, "b": flat, "c": flat}, {"a": slow, "b": late, "d": flat}]
    assert count_changes(versions, minimum, "ds3") == (1, 0, 1)


def test_the_minimum_baseline_is_the_published_one(shared: Path) -> None:
    """The data's README: toml 25/0/1, bytebuddy 3/45/8."""
    counts = published_counts(shared / "data" / "uoptime")
    assert counts["toml", "minimum"] == "25 / 0 / 1"
    assert counts["bytebuddy", "minimum"] == "3 / 45 / 8"
