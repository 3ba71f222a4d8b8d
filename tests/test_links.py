"""Every link in the documents leads somewhere, to the section that it names."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from docs.project import SOURCE
from tests.looped import looped

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("examples/**/*.md"),
        *ROOT.glob("tests/*.md"),
        *ROOT.glob(".github/*.md"),
    ]
)
OWN = re.compile(rf"{re.escape(SOURCE)}/(?:blob|raw|tree)/main/")
"""What absolute links to files of this repository begin with."""
SCHEMES = frozenset({"gh-light-mode-only", "gh-dark-mode-only"})
"""What follows the address of a picture that GitHub and the site show in one scheme alone."""


def without_code(text: str) -> str:
    """Leave out fenced blocks and code spans: what stands there is no link and no heading."""
    text = re.sub(r"(?ms)^(```+)[^\n]*\n.*?^\1$", "", text)
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", lambda span: span[0].replace("](", "] ("), text)


@cache
def anchors(document: Path) -> frozenset[str]:
    """Return the names that GitHub gives a document's headings, or knows of a picture."""
    if document.suffix == ".png":
        return SCHEMES
    text = re.sub(r"(?ms)^(```+)[^\n]*\n.*?^\1$", "", document.read_text(encoding="utf-8"))
    names: list[str] = []
    for heading in re.findall(r"(?m)^#{1,6} +(.+?) *$", text):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        earlier = sum(re.sub(r"-\d+$", "", other) == name for other in names)
        names.append(f"{name}-{earlier}" if earlier else name)
    return frozenset(names)


@looped("document", DOCUMENTS)
def test_every_link_leads_somewhere(document: Path) -> None:
    text = without_code(document.read_text(encoding="utf-8"))
    for found in re.findall(r"\]\(([^)\s]+)\)|srcset=\"([^\"]+)\"|src=\"([^\"]+)\"", text):
        target = "".join(found)
        path, _, anchor = target.partition("#")
        if own := OWN.match(path):
            led = ROOT / path[own.end() :]
        elif path.startswith(("http:", "https:")):
            continue
        else:
            led = (document.parent / path).resolve() if path else document
        assert led.exists(), f"{document.name}: {target}"
        if anchor:
            assert anchor in anchors(led), f"{document.name}: {target}"


def test_headings_become_anchors_as_on_github(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text("# When it can't: `a-b`, c\n## Twice\n## Twice\n```\n# no heading\n```\n")
    assert anchors(document) == {"when-it-cant-a-b-c", "twice", "twice-1"}
