"""MkDocs hooks for the site: the documents are also written for GitHub.

MkDocs loads this file by its path, so it imports nothing of the project.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

BRANCH = "main"


def github_anchor(heading: str, separator: str = "-") -> str:
    """Return the name that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", separator)


def absolute(markdown: str, page: str, repository: str) -> str:
    """Return a page whose links out of `docs` lead to the repository.

    Parameters
    ----------
    markdown : str
        The page's text.
    page : str
        Its path below ``docs``.
    repository : str
        The repository's address, without a slash at its end.
    """
    folder = posixpath.join("docs", posixpath.dirname(page))

    def moved(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link["path"]))
        if path.startswith("docs/"):
            return link[0]
        kind = "blob" if "." in posixpath.basename(path) else "tree"
        return f"]({repository}/{kind}/{BRANCH}/{path}{link['anchor'] or ''})"

    return re.sub(r"\]\((?P<path>\.\./[^)#\s]*)(?P<anchor>#[^)\s]*)?\)", moved, markdown)


def as_table(flowchart: str) -> str:
    """Return a flowchart of Mermaid, which the site does not draw, as a table of its arrows.

    Parameters
    ----------
    flowchart : str
        Its lines; ``a & b --> c`` are two arrows.
    """
    ends: dict[str, list[str]] = {}
    for left, right in re.findall(r"(?m)^ *(.+?) --> (.+?)$", flowchart):
        for start in left.split(" & "):
            ends.setdefault(start, []).extend(right.split(" & "))
    rows = "".join(f"| {start} | {', '.join(names)} |\n" for start, names in ends.items())
    return f"| from | to |\n|---|---|\n{rows}"


def on_config(config: Any) -> Any:
    """Give headings the anchors that they have on GitHub."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = github_anchor
    return config


def on_post_page(output: str, **_: Any) -> str:
    """Prevent the browser from requesting the repository's stars from GitHub."""
    return output.replace(' data-md-component="source"', "")


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Rewrite links that leave the site; show Mermaid, and Markdown in `<details>`."""
    moved = absolute(markdown, page.file.src_uri, config.repo_url.rstrip("/"))
    moved = re.sub(r"(?ms)^```mermaid\n(.*?)^```\n", lambda chart: as_table(chart[1]), moved)
    return re.sub(r"(?m)^<details>", '<details markdown="1">', moved)
