"""Accessibility of the pages, checked with axe-core in a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from steady.report.names import anchor
from steady.report.plan_page import plan_page
from steady.report.provenance import Runs
from tests.report.from_comparison import html
from tests.report.made import counted, eventful, full_suite, plan

if TYPE_CHECKING:  # slow to import, and only needed with a browser
    from playwright.sync_api import Browser

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Run one browser for all tests."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        yield browser
        browser.close()


def test_the_report_s_page_is_accessible(browser: Browser, tmp_path: Path) -> None:
    """Contrast, names of controls, order of headings and more, in both themes, all unfolded."""
    from axe_playwright_python.sync_playwright import Axe

    path, suite = tmp_path / "report.html", full_suite()
    text = html(eventful(), plan(), runs=Runs(base=suite, head=suite, full=suite))
    path.write_text(text, encoding="utf-8")
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        # The page's policy allows only its own script, and axe-core is another one.
        page = browser.new_page(bypass_csp=True, color_scheme=scheme)
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        found = Axe().run(page)
        assert found.violations_count == 0, f"{scheme}: {found.generate_report()}"
        assert len(found.response["passes"]) > 20
    # A search hides headings without rows.
    bare = (
        "[...document.querySelectorAll('section.chapter')].filter(one => one.offsetParent && "
        "one.querySelector('td.name') && !one.querySelector('tr:not([hidden]) td.name')).length"
    )
    before = page.locator("section.chapter:visible").count()
    page.locator("input[type=search]").fill("no such benchmark")
    page.wait_for_function("document.querySelector('output').textContent.startsWith('0 of')")
    assert page.evaluate(bare) == 0
    page.locator("input[type=search]").fill("")
    page.wait_for_function("document.querySelector('output').textContent === ''")
    assert page.locator("section.chapter:visible").count() == before


def test_a_plan_s_page_is_accessible_and_unfolds_with_the_keyboard(
    browser: Browser, tmp_path: Path
) -> None:
    """In addition, each row stays with its unfolded part, also in print."""
    from axe_playwright_python.sync_playwright import Axe

    path = tmp_path / "plan.html"
    path.write_text(plan_page(plan(), full_suite()), encoding="utf-8")
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        page = browser.new_page(bypass_csp=True, color_scheme=scheme)
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        found = Axe().run(page)
        assert found.violations_count == 0, f"{scheme}: {found.generate_report()}"
    for width in (390, 1000, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.pdf().startswith(b"%PDF")
    first, second = (anchor(one.identity) for one in full_suite().benchmarks)
    page.goto(f"{path.as_uri()}?again")
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = false })")
    page.focus("tr.below-row summary")
    page.keyboard.press("Enter")
    assert page.locator("svg.side:visible").count() == 2
    pairs = (
        "[...document.querySelectorAll('tr.planned-row')].filter(one => one.offsetParent)"
        ".map(one => [one.id, one.nextElementSibling.textContent.trim().split(' ')[0]])"
    )
    assert page.evaluate(pairs) == [[first, "steady"], [second, "<b>no</b>"]]
    page.locator("input[type=search]").fill("B.same")
    page.wait_for_function("document.querySelector('output').textContent === '1 of 2 benchmarks'")
    assert page.evaluate(pairs) == [[second, "<b>no</b>"]]
    assert page.locator("tr.below-row:visible").count() == 1
    page.evaluate(f"location.hash = '{first}'")
    page.wait_for_function(f"document.getElementById('{first}').offsetParent !== null")
    assert page.locator("svg.side:visible").count() == 2


def test_rows_have_two_lines_and_nothing_overlaps(browser: Browser, tmp_path: Path) -> None:
    """At 1280 pixels, an interval is on one line, and the scale's last number is visible."""
    name = "org.example.bench.SerializationBenchmark.roundTripOfLargeMessages{}"
    path = tmp_path / "report.html"
    path.write_text(html(counted(20, 20, 200, 60, name=name)), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    lines = page.evaluate(
        "[...document.querySelectorAll('.compared td.number small')].filter(one => "
        "one.offsetParent).map(one => one.getClientRects().length > 1 || one.offsetHeight > 24)"
    )
    assert len(lines) > 100
    assert not any(lines)
    room = page.evaluate(
        "(() => { const axis = document.querySelector('.compared th.of-plot');"
        "const ticks = [...axis.querySelectorAll('text')].map("
        "one => one.getBoundingClientRect().right);"
        "return axis.nextElementSibling.getBoundingClientRect().left - Math.max(...ticks) })()"
    )
    assert room >= 0
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
