"""Where the project lives: `[project.urls]` in `pyproject.toml` says it, once."""

from __future__ import annotations

import tomllib
from pathlib import Path

_FILE = Path(__file__).resolve().parent.parent / "pyproject.toml"
_URLS = tomllib.loads(_FILE.read_text(encoding="utf-8"))["project"]["urls"]

SOURCE: str = _URLS["Source"]
"""The repository's address."""

BASE = f"{SOURCE}/blob/main"
"""What links of the README begin with, so that the package index follows them too."""
