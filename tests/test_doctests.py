"""Every public name has an example, and every example of the code prints what it says."""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from pathlib import Path

import pytest

import steady
from tests.looped import looped

SOURCE = Path(steady.__path__[0])
MODULES = sorted(
    ".".join(("steady", *path.relative_to(SOURCE).with_suffix("").parts))
    for path in SOURCE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8") and path.name != "__main__.py"
)
"""The modules that hold examples."""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@looped("name", steady.__all__)
def test_every_public_name_has_an_example(name: str) -> None:
    documentation = inspect.getdoc(getattr(steady, name)) or ""
    section = documentation.partition("\nExamples\n--------\n")[2]
    examples = doctest.DocTestParser().get_examples(section)
    assert examples, f"steady.{name} has no section Examples"
    if inspect.isfunction(getattr(steady, name)):
        assert any(f"{name}(" in example.source for example in examples), "use it"
    assert any(example.want for example in examples), "show what comes of it"


@looped("name", [name.removesuffix(".__init__") for name in MODULES])
def test_an_example_prints_what_it_says(name: str) -> None:
    results = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert results.attempted > 0
    assert results.failed == 0
