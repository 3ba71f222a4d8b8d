"""The page of a plan: its text, the pictures of forks, and omitted pictures."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from steady import parallel
from steady.errors import InputError
from steady.model import Benchmark, Identity, Suite
from steady.optimize import optimize
from steady.plan.suite_plan import Plan
from steady.report import plan_page as page_module
from steady.report.fork_marks import ForkMarks, starts_in_words
from steady.report.names import anchor
from steady.report.plan_page import plan_page, write_plan_page
from steady.report.side_picture import SERIES_WIDTH
from steady.steadystate import detect
from tests.looped import looped
from tests.report.made import HOSTILE, LEVELS, full_suite, plan
from tests.report.page import Page, assert_needs_nothing_else

OPTIONS: dict[str, str | float | int | bool | None] = {
    "detector": "kb-kssd",
    "similarity": "heuristic",
    "min_forks": 3,
    "budget": 0.03,
}
BUDGETED = replace(plan(), strategy="error-budget", options=OPTIONS)


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", Page(page).text).strip()


def test_the_page_is_self_contained_and_gives_the_savings() -> None:
    page = plan_page(BUDGETED, full_suite())
    assert_needs_nothing_else(page)
    text = text_of(page)
    for said in (
        "Plan: 40 min 00 s → 23 min 00 s, 42.5 % saved",
        "1 of 2 benchmarks reduced; 1 is not reduced.",
        "One run of the suite: 2,400 s before, 1,380 s planned",
        "error-budget (budget 3 %)",
        "Warm-up: kb-kssd: 2 of 3 forks steady, after 50 iterations (median); recommended: ",
        "A.slow 20 min 00 s 3 min 00 s 3 × (50 + 10) 3 × (0 + 400) 1.2 % reduced steady from 50",
        "B.same 20 min 00 s 20 min 00 s 3 × (0 + 400) 3 × (0 + 400) – full run kept "
        "<b>no</b> steady state",
        "Detectorkb-kssd Fork similarityheuristic",
        "EPYC",
    ):
        assert said in text, said
    assert "without a picture" not in text
    assert plan_page(BUDGETED, full_suite()) == page


def test_the_largest_saving_is_first_and_kept_full_runs_are_last() -> None:
    first, kept = BUDGETED.benchmarks
    more = replace(first, identity=Identity("org.example.C.more"), seconds=60.0)
    page = plan_page(replace(BUDGETED, benchmarks=(kept, first, more)), full_suite())
    places = [page.index(f'id="{anchor(entry.identity)}"') for entry in (more, first, kept)]
    assert places == sorted(places)
    assert places[1] < page.index('id="kept"') < places[2]
    assert "1 without a picture: their full run is not among these results." in page
    today = [replace(one, today=one.full, today_seconds=1500.0) for one in (kept, first)]
    text = text_of(plan_page(replace(BUDGETED, benchmarks=tuple(today)), full_suite()))
    assert "Plan: 50 min 00 s today → 23 min 00 s" in text
    assert "A.slow 25 min 00 s 3 min 00 s" in text


def drawn(page: str, kind: str) -> list[str]:
    return re.findall(rf'<path class="{kind}" d="([^"]*)"', page)


def test_every_fork_has_its_own_start_and_that_of_the_recommended_detector() -> None:
    page, suite = plan_page(BUDGETED, full_suite()), full_suite()
    # The run of 400 iterations, and its first 120: twice as many as the plan requires.
    assert "The beginning of the same forks, iterations 1 to 120" in page
    for ticks, length in zip(drawn(page, "start"), (400, 120), strict=True):
        at = SERIES_WIDTH * 50 / length
        xs = [float(x) for x in re.findall(r"M([\d.]+)", ticks)]
        assert xs == [pytest.approx(at, abs=0.1)] * 2
    assert [never.count(f"h{SERIES_WIDTH}") for never in drawn(page, "lane-never")] == [1, 1]
    diamonds, _ = drawn(page, "recommended")
    starts = [detect(fork, "recommended").start for fork in suite.benchmarks[0].fork_times]
    expected = [SERIES_WIDTH * start / 400 for start in starts if start is not None]
    found = [float(x) for x in re.findall(r"M([\d.]+)", diamonds)]
    assert found == pytest.approx(expected, abs=0.1)
    assert page.count("line line-full apart") == 2
    assert "full 3: median" in page
    assert "(odd fork)" in page
    assert "odd fork: 3. In each fork, the plan runs 50 warm-up, then 10 measured" in page
    assert page.count('class="warmup-bar"') == 2
    # If the plan's detector is the recommended one, it has no separate marks.
    for name in ("recommended", "onset"):
        same = replace(BUDGETED, options={**OPTIONS, "detector": name})
        assert drawn(plan_page(same, suite), "recommended") == []
        assert "Diamond" not in plan_page(same, suite)


def test_without_an_analysis_only_the_forks_are_drawn() -> None:
    page = plan_page(BUDGETED, full_suite())
    _, second = page.split(f'id="{anchor(full_suite().benchmarks[1].identity)}"')
    assert second.count('class="line line-full"') == 3
    assert '<path class="start"' not in second


@looped(
    ("starts", "words"),
    [
        ((3, None, 9, 5), "x: 3 of 4 forks steady, after 5 iterations (median; 3 to 9)"),
        ((1,), "x: 1 of 1 fork steady, after 1 iteration (median)"),
        ((None, None), "x: no fork steady"),
    ],
)
def test_starts_in_words(starts: tuple[int | None, ...], words: str) -> None:
    assert starts_in_words("x", starts) == words


def test_lanes_are_thin_only_for_many_forks() -> None:
    heights = [ForkMarks("x", (1,) * forks).height for forks in (1, 5, 20, 60, 500)]
    assert heights == [6, 30, 100, 100, 600]


def test_hostile_text_is_escaped_on_the_page() -> None:
    first, _ = BUDGETED.benchmarks
    name = Identity(f"org.{HOSTILE}", "avgt", ((HOSTILE, HOSTILE),))
    nasty = replace(first, identity=name, reason=HOSTILE)
    values = full_suite().benchmarks[0].measurements
    suite = Suite((Benchmark(name, HOSTILE, values, LEVELS),))
    options = {**OPTIONS, "detector": HOSTILE}
    page = Page(plan_page(Plan((nasty,), HOSTILE, options, only=HOSTILE), suite))
    assert "img" not in page.tags
    assert page.tags.count("script") == 1
    assert "\u202e" not in page.text
    assert "<img src=x onerror=alert(1)>" in page.text


def test_omitted_pictures_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).normal(100, 1, (3, 60))
    suite = Suite.of({f"b{i}": values for i in range(12)}, unit="ns/op", iteration_seconds=1)
    made = optimize(suite, detector="kb-kssd")
    whole = plan_page(made, suite)
    assert whole.count("<figure>") == 24
    monkeypatch.setattr(page_module, "_MOST_CHARACTERS", 60_000)
    page = plan_page(made, suite)
    shown = page.count('<svg class="side"')
    assert 0 < shown < 12
    drawings = re.findall(r"<svg.*?</svg>", page)
    assert sum(map(len, drawings)) <= 60_000 - 12 * page_module._ROW
    assert f"{12 - shown} without a picture: the page would be too large." in page
    assert page.count('<tr class="planned-row"') == 12


def test_several_processes_write_the_same_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "START_DELAY", 0.0)
    paths = [write_plan_page(tmp_path / str(jobs), BUDGETED, full_suite(), jobs) for jobs in (1, 2)]
    assert paths[1] == tmp_path / "2" / "report.html"
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with pytest.raises(InputError, match="cannot be written"):
        write_plan_page(paths[0], BUDGETED, full_suite(), 1)
