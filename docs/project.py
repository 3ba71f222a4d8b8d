"""The repository's address, defined by `Source` in `[project.urls]` of `pyproject.toml`.

To publish the project elsewhere, change that line and run `make docs`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_URLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]

SOURCE: str = _URLS["Source"].rstrip("/")
"""The repository's address."""

REPOSITORY = "/".join(SOURCE.split("/")[-2:])
"""Its owner and name, as in `uses:` of a workflow."""

BASE = f"{SOURCE}/blob/main"
"""Beginning of the README's links, which also work on the package index."""

_TEXTS = {".cff", ".md", ".toml", ".yml"}
_PLACES = ("*", "docs/**/*", "examples/**/*", ".github/**/*")


def site_of(repository: str) -> str:
    """Return the address at which GitHub Pages publishes a repository's site."""
    owner, name = repository.split("/")
    return f"https://{owner.lower()}.github.io/{name}/"


SITE = site_of(REPOSITORY)
"""The documentation's address."""


def moved(text: str, before: str, after: str = REPOSITORY) -> str:
    """Return a text with the new names of this repository and its site.

    Parameters
    ----------
    text : str
        Any of the project's files.
    before, after : str
        Old and new owner and name of the repository.
    """
    text = text.replace(site_of(before), site_of(after))
    return re.sub(rf"(?<![\w.-]){re.escape(before)}(?![\w-])", lambda _: after, text)


def named_before(root: Path = ROOT) -> str:
    """Return the repository that the documents name; see `moved`."""
    config = (root / "mkdocs.yml").read_text(encoding="utf-8")
    named = re.search(r"(?m)^repo_name: *(\S+)$", config)
    if named is None:
        raise ValueError("mkdocs.yml has lost its line repo_name: OWNER/NAME")
    return named[1]


def files_that_name_it(root: Path = ROOT) -> Iterator[Path]:
    """Yield the files that may name the repository; the tests take its name from here."""
    for place in _PLACES:
        yield from sorted(path for path in root.glob(place) if path.suffix in _TEXTS)
