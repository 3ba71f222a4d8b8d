"""Take the pictures of the recorded demo's comment and report: ``make pictures``.

A browser draws the comment as GitHub does, in GitHub's colours, light and dark. Narrow pictures
have the width of a telephone. This needs Chromium, so `make docs` does not do it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from markdown_it import MarkdownIt

from docs.recorded_demo import facts, ran
from steady.report.content import ReportData
from steady.report.html import html
from steady.report.provenance import Runs

FOLDER = Path(__file__).resolve().parent
COLORS = {
    "light": ("#ffffff", "#1f2328", "#59636e", "#d1d9e0", "#f6f8fa", "#818b981f", "#0969da"),
    "dark": ("#0d1117", "#f0f6fc", "#9198a1", "#3d444d", "#151b23", "#656c7633", "#4493f8"),
}
"""For each scheme: page, text, faint text, lines, heads, code and links."""
MARKS = {"🔴": "#d1242f", "🟢": "#1a7f37", "⚠️": "#bf8700", "✅": "#1a7f37", "☑️": "#1a7f37"}
"""Discs replace the marks, because not every system has a font with them."""
_ALERT = re.compile(r"<blockquote>\s*<p>\[!(\w+)\]\s*")

_PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; padding: 16px; background: {0}; color: {1};
  font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans Condensed",
  Helvetica, sans-serif; }}
main {{ max-width: {width}px; box-sizing: border-box; border: 1px solid {3};
  border-radius: 6px; overflow: hidden; }}
header {{ padding: 8px 16px; background: {4}; border-bottom: 1px solid {3}; color: {2}; }}
header b {{ color: {1}; }}
article {{ padding: 8px 16px; }}
h3 {{ font-size: 1.25em; margin: 16px 0 12px; }}
h4 {{ font-size: 1em; margin: 16px 0 8px; }}
p, ul, table {{ margin: 0 0 12px; }}
table {{ border-collapse: collapse; display: block; overflow: hidden; }}
th, td {{ border: 1px solid {3}; padding: 5px 12px; }}
tr:nth-child(2n) td {{ background: {4}; }}
code {{ background: {5}; border-radius: 6px; padding: 2px 5px; font-size: 85%; }}
a {{ color: {6}; text-decoration: none; }}
blockquote {{ margin: 0 0 12px; padding: 0 14px; border-left: 4px solid {3}; color: {2}; }}
details {{ margin-bottom: 8px; }}
sub {{ font-size: 85%; vertical-align: baseline; }}
</style><main><header><b>github-actions</b> commented</header><article>{body}</article></main>
"""


def page(text: str, scheme: str, width: int) -> str:
    """Return a page that shows a comment as GitHub does, in light or dark colours."""
    body = MarkdownIt("commonmark").enable("table").render(text)
    shown = _ALERT.sub(lambda alert: f"<blockquote><p><b>{alert[1].title()}</b><br>", body)
    for mark, color in MARKS.items():
        shown = shown.replace(mark, f'<span style="color: {color}">●</span>')
    return _PAGE.format(*COLORS[scheme], body=shown, width=width - 32)


def of_width(source: Path, width: int, height: int) -> Path:
    """Return a page that shows another one in this width, which may be below 500 pixels."""
    frame = source.with_name("frame.html")
    frame.write_text(
        "<!doctype html><style>body { margin: 0 } iframe { border: 0; display: block }</style>"
        f'<iframe src="{source.name}" width="{width}" height="{height}"></iframe>',
        encoding="utf-8",
    )
    return frame


def in_scheme(text: str, scheme: str) -> str:
    """Return a page or picture in a fixed colour scheme, regardless of the reader's preference."""
    asked = "all" if scheme == "dark" else "not all"
    return text.replace("@media (prefers-color-scheme: dark)", f"@media {asked}")


@dataclass(frozen=True)
class Picture:
    """A picture and its content.

    Parameters
    ----------
    name : str
        Of the file, without the scheme.
    text : callable
        Returns the page for a scheme.
    width, height : int
        Of what is shown.
    scale : float
        Pixels of the file for each of these.
    """

    name: str
    text: Callable[[str], str]
    width: int
    height: int
    scale: float


def pictures() -> tuple[Picture, ...]:
    """Return all of them."""
    told = facts()
    comparison, base, head = told.comparison, told.base, told.head
    markdown = ran().comment
    report = html(ReportData(comparison=comparison, runs=Runs(base=base, head=head)))

    def shown_comment(width: int) -> Callable[[str], str]:
        return lambda scheme: page(markdown, scheme, width)

    return (
        Picture("comment", shown_comment(880), 880, 560, 1.5),
        Picture("comment-narrow", shown_comment(390), 390, 760, 1.5),
        Picture("report", partial(in_scheme, report), 1280, 860, 1),
        Picture("report-narrow", partial(in_scheme, report), 390, 1400, 1),
    )


def main(browser: str) -> None:
    """Take all pictures with a browser."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "page.html")
        for picture in pictures():
            for scheme in COLORS:
                source.write_text(picture.text(scheme), encoding="utf-8")
                _take(browser, source, picture, FOLDER / f"{picture.name}-{scheme}.png")


def _take(browser: str, source: Path, picture: Picture, target: Path) -> None:
    width, height = picture.width, picture.height
    subprocess.run(  # noqa: S603
        [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={source.parent}/profile",
            f"--force-device-scale-factor={picture.scale}",
            f"--window-size={width},{height}", f"--screenshot={target}",
            of_width(source, width, height).as_uri(),
        ],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1])
