"""The sources of the package, parsed once for all tests."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "steady"


@cache
def by_file() -> Mapping[str, ast.Module]:
    """Return the modules by file name, such as ``stats/samples.py``."""
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_bytes())
        for path in sorted(SOURCE.rglob("*.py"))
    }


def by_module() -> Mapping[str, ast.Module]:
    """Return the modules by name, such as ``stats.samples``, without the package itself."""
    named = {file[:-3].replace("/", "."): tree for file, tree in by_file().items()}
    del named["__init__"]
    return {name.removesuffix(".__init__"): tree for name, tree in named.items()}
