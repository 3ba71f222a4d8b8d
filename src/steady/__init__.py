"""steady: microbenchmark suites fast enough for every pull request, and verdicts to act on.

Arrays in, small frozen results out; everything that the Action does, a notebook can do::

    import steady

    suite = steady.load("results/*.json")
    plan = steady.optimize(suite)
    diff = steady.compare(steady.load("base.json"), steady.load("head.json"), plan=plan)

    run = steady.run("base.jar", "head.jar", time_budget="10m", out="results")
    diff = steady.compare(run.suites["base"], run.suites["head"])
"""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

# Each name is imported when it is first used: an import of everything at once takes longer than
# much of the work.
_HOMES = {
    name.name: str(node.module)
    for node in ast.parse(Path(__file__).with_suffix(".pyi").read_bytes()).body
    if isinstance(node, ast.ImportFrom)
    for name in node.names
}
"""The module that each public name is from."""

__all__ = list(_HOMES)


class _Package(ModuleType):
    """The package, whose names are imported on demand."""

    def __getattr__(self, name: str) -> object:
        if name in _HOMES:
            value = getattr(import_module(_HOMES[name]), name)
            super().__setattr__(name, value)
            return value
        if f"{__name__}.{name}" in _HOMES.values():
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        # Python sets the package `steady.compare` here; the function of this name stays.
        if name not in _HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        # What somebody may use: no module that this one needs, and no room that was imported.
        return sorted({*(name for name in super().__dir__() if name.startswith("__")), *_HOMES})


sys.modules[__name__].__class__ = _Package
