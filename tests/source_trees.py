"""The package's own sources, parsed once for all tests that look at them."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "steady"


@cache
def by_file() -> Mapping[str, ast.Module]:
    """Return the modules by their files: ``stats/samples.py``."""
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_bytes())
        for path in sorted(SOURCE.rglob("*.py"))
    }


def by_module() -> Mapping[str, ast.Module]:
    """Return the modules by their names, without the package itself: ``stats.samples``."""
    named = {file[:-3].replace("/", "."): tree for file, tree in by_file().items()}
    del named["__init__"]
    return {name.removesuffix(".__init__"): tree for name, tree in named.items()}
