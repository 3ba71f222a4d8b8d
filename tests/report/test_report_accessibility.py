"""The page in a real browser, held to the rules of accessibility that axe-core can check."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Literal

import pytest

from steady.compare import Comparison
from steady.model import Suite
from steady.optimize.suite_plan import Plan
from steady.report.html import html
from steady.report.provenance import Runs

OPEN_ALL = "document.querySelectorAll('details').forEach(one => { one.open = true })"


@pytest.mark.needs("chromium")
def test_nobody_is_shut_out_of_the_page(
    eventful: Comparison, plan: Plan, full_suite: Suite, tmp_path: Path
) -> None:
    """Contrast, names of controls, order of headings and more, light and dark, all unfolded."""
    # Their import takes long, and is of use only where there is a browser.
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright

    path = tmp_path / "report.html"
    text = html(eventful, plan, runs=Runs(base=full_suite, head=full_suite, full=full_suite))
    path.write_text(text, encoding="utf-8")
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        for scheme in schemes:
            # The page's own policy allows no script but the page's; axe-core is one more.
            page = browser.new_page(bypass_csp=True, color_scheme=scheme)
            page.goto(path.as_uri())
            page.evaluate(OPEN_ALL)
            found = Axe().run(page)
            assert found.violations_count == 0, f"{scheme}: {found.generate_report()}"
            assert len(found.response["passes"]) > 20
        browser.close()
