"""Take the pictures of the recorded demo's comment: ``make pictures``.

A browser draws the comment as GitHub does, in GitHub's colours, light and dark, as wide as on a
screen and as narrow as on a telephone. It needs Chromium, so `make docs`
does not take them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

from markdown_it import MarkdownIt

from docs.recorded_demo import facts
from steady.action.accepting import accept_lines
from steady.report.markdown import comment

FOLDER = Path(__file__).resolve().parent
SIZES = {"": (880, 560), "narrow-": (390, 760)}
"""Width and height of each picture, by what its name has before the scheme."""
SCALE = 1.5
COLORS = {
    "light": ("#ffffff", "#1f2328", "#59636e", "#d1d9e0", "#f6f8fa", "#818b981f", "#0969da"),
    "dark": ("#0d1117", "#f0f6fc", "#9198a1", "#3d444d", "#151b23", "#656c7633", "#4493f8"),
}
"""For each scheme: page, text, faint text, lines, heads, code and links."""
MARKS = {"🔴": "#d1242f", "🟢": "#1a7f37", "⚠️": "#bf8700", "✅": "#1a7f37", "☑️": "#1a7f37"}
"""Discs stand in for the marks, since not every system has a font with them."""
_ALERT = re.compile(r"<blockquote>\s*<p>\[!(\w+)\]\s*")

_PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; padding: 16px; background: {0}; color: {1};
  font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans Condensed", Helvetica, sans-serif; }}
main {{ max-width: {width}px; box-sizing: border-box; border: 1px solid {3}; border-radius: 6px; overflow: hidden; }}
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


def main(browser: str) -> None:
    """Take all pictures with a browser."""
    comparison = facts().comparison
    text = comment(comparison, accept=accept_lines(comparison))
    with tempfile.TemporaryDirectory() as folder:
        for scheme, (size, (width, height)) in product(COLORS, SIZES.items()):
            source = Path(folder, "comment.html")
            source.write_text(page(text, scheme, width), encoding="utf-8")
            picture = FOLDER / f"comment-{size}{scheme}.png"
            subprocess.run(  # noqa: S603
                [
                    browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    f"--user-data-dir={folder}/profile", f"--force-device-scale-factor={SCALE}",
                    f"--window-size={width},{height}", f"--screenshot={picture}",
                    source.as_uri(),
                ],
                check=True, capture_output=True, timeout=300,
            )  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1])
