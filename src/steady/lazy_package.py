"""Imports that take little time: names that are imported when they are first used."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType


def names_on_demand(package: str) -> list[str]:
    """Let a package import each of its names when it is first used, and return the names.

    An import of everything at once takes longer than much of the work. The `__init__.pyi` beside
    the package's `__init__.py` says where each name is from, in a line for each.
    """
    module = sys.modules[package]
    stub = Path(str(module.__file__)).with_suffix(".pyi")
    words = map(str.split, stub.read_text(encoding="utf-8").splitlines())
    homes = {line[-1]: line[1] for line in words if line[:1] == ["from"]}
    module.__dict__["_HOMES"] = homes
    module.__class__ = _Package
    return list(homes)


class _Package(ModuleType):
    """The package; `_HOMES` has the module that each name is from."""

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
        # Python sets a module here, such as `steady.compare`; the function of this name stays.
        if name not in self._HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        # What somebody may use: no module that this one needs, and no room that was imported.
        return sorted(
            {*(name for name in super().__dir__() if name.startswith("__")), *self._HOMES}
        )


@contextmanager
def one_thread() -> Iterator[None]:
    """Have NumPy start no threads, if it is imported within.

    They took a quarter of a command's processor time, and its matrices are small. The variable
    is taken back: benchmarks that a command runs get the user's own.
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
