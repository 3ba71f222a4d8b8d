"""Lazy imports: names are imported on first use."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType


def lazy_names(package: str) -> list[str]:
    """Make a package import each of its names on first use, and return the names.

    Importing everything at once would take longer than many commands. The package's `__init__.pyi`
    has an import line for each name.
    """
    module = sys.modules[package]
    stub = Path(str(module.__file__)).with_suffix(".pyi")
    words = map(str.split, stub.read_text(encoding="utf-8").splitlines())
    homes = {line[-1]: line[1] for line in words if line[:1] == ["from"]}
    module.__dict__["_HOMES"] = homes
    module.__class__ = _Package
    return list(homes)


class _Package(ModuleType):
    """The lazy package; `_HOMES` maps each name to its module."""

    _HOMES: dict[str, str]

    def __getattr__(self, name: str) -> object:
        if name in self._HOMES:
            value = getattr(import_module(self._HOMES[name]), name)
            super().__setattr__(name, value)
            return value
        if f"{self.__name__}.{name}" in self._HOMES.values():
            return import_module(f"{self.__name__}.{name}")
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        # The import system sets submodules as attributes, such as `steady.compare`; keep the
        # function of the same name.
        if name not in self._HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        # Only public names, without imported modules and subpackages.
        return sorted(
            {*(name for name in super().__dir__() if name.startswith("__")), *self._HOMES}
        )


@contextmanager
def one_thread() -> Iterator[None]:
    """Prevent NumPy from starting threads if it is imported in this context.

    Threads took a quarter of a command's CPU time without benefit, because the matrices are small.
    The variable is restored for the benchmarks that a command runs.
    """
    name = "OPENBLAS_NUM_THREADS"
    if name in os.environ:
        yield
        return
    os.environ[name] = "1"
    try:
        yield
    finally:
        del os.environ[name]
