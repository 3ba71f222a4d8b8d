"""The site has every page, and its links lead where those of the documents lead on GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from docs.project import REPOSITORY, SITE, SOURCE
from docs.site_hooks import absolute, as_table, github_anchor
from tests.looped import looped

ROOT = Path(__file__).resolve().parent.parent
CONFIG: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def pages(navigation: list[Any]) -> Iterator[str]:
    """Yield the pages of a navigation, in its order."""
    for entry in navigation:
        named = entry.values() if isinstance(entry, dict) else [entry]
        for value in named:
            yield from pages(value) if isinstance(value, list) else [value]


def test_the_navigation_has_every_page_once() -> None:
    named = list(pages(CONFIG["nav"]))
    present = [path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")]
    assert sorted(named) == sorted(present), "a page belongs into `nav` of mkdocs.yml"


def test_the_site_is_strict_and_names_this_repository() -> None:
    assert CONFIG["strict"] is True
    assert {"absolute_links", "anchors", "not_found", "omitted_files"} <= {
        check for check, level in CONFIG["validation"].items() if level == "warn"
    }
    assert (CONFIG["repo_url"], CONFIG["repo_name"]) == (SOURCE, REPOSITORY)
    assert CONFIG["site_url"] == SITE


@looped(
    ("page", "link", "expected"),
    [
        ("workflows.md", "../SECURITY.md", f"{SOURCE}/blob/main/SECURITY.md"),
        ("howto/go.md", "../../examples/go-demo", f"{SOURCE}/tree/main/examples/go-demo"),
        ("forks.md", "../SECURITY.md#a-b", f"{SOURCE}/blob/main/SECURITY.md#a-b"),
        ("howto/go.md", "../go.md#a-full-run", "../go.md#a-full-run"),
        ("go.md", "methods.md", "methods.md"),
    ],
)
def test_links_out_of_the_documents_lead_to_the_repository(
    page: str, link: str, expected: str
) -> None:
    assert absolute(f"See [it]({link}).", page, SOURCE) == f"See [it]({expected})."


def test_a_flowchart_of_mermaid_becomes_a_table() -> None:
    table = as_table("flowchart TD\n    a & b --> c & d\n    a --> e\n")
    assert table == "| from | to |\n|---|---|\n| a | c, d, e |\n| b | c, d |\n"


def test_no_page_that_people_write_is_long() -> None:
    generated = {"api.md", "commands.md"}
    for path in ROOT.glob("docs/**/*.md"):
        words = re.findall(r"\S*\w\S*", path.read_text(encoding="utf-8"))
        assert len(words) <= 2500 or path.name in generated, path.name


def test_anchors_are_those_of_github() -> None:
    assert github_anchor("When it can't: a-b, c") == "when-it-cant-a-b-c"
    assert github_anchor("A / B") == "a--b"
