"""What is imported: the start of a command takes as long as its imports."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import steady
from steady.options.parser import COMMANDS

LIBRARIES = {
    *("distributed", "github", "jinja2", "jsonschema", "numpy", "requests", "rich", "scipy"),
    "yaml",
}
RUN = "from steady.cli import main\ntry: main({})\nexcept SystemExit: pass\n"


def imported(program: str) -> set[str]:
    """Return the modules that a program of its own has imported at its end."""
    program += "\nimport sys\nprint(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines())


def test_a_start_imports_no_library() -> None:
    started = map(RUN.format, ([], ["--version"], ["--help"], ["typo"]))
    assert imported("".join(["import steady\n", *started])) & LIBRARIES == set()


def test_help_imports_no_command() -> None:
    found = imported(RUN.format(["plan", "--help"]))
    assert {name for name in COMMANDS if f"steady.cli.{name}" in found} == set()
    assert found & {"github", "jinja2", "requests"} == set()


def test_a_comparison_imports_neither_history_nor_runner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = imported(DONE.format(["compare", BASE, HEAD]))
    assert {"steady.compare", "steady.engine.run_file", "steady.optimize.suite_plan"} <= found
    others = {"steady.history", "steady.engine.runner", "steady.cli.run", "github"}
    others |= {"steady.engine.finding", "steady.optimize.strategies"}
    assert found & {*others, "xml.etree.ElementTree", "rich.progress"} == set()
    assert found & {"numpy.f2py", "numpy.testing"} == set()


@pytest.mark.parametrize("given", [None, "3"])
def test_numpy_starts_no_threads_and_the_variable_stays_the_users(
    given: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "OPENBLAS_NUM_THREADS"
    monkeypatch.delenv(name)
    if given:
        monkeypatch.setenv(name, given)
    monkeypatch.chdir(tmp_path)
    program = f"{DONE.format(['compare', BASE, HEAD])}import os, pathlib\n"
    program += f"assert os.environ.get({name!r}) == {given!r}\n"
    program += "tasks = pathlib.Path('/proc/self/task')\n"
    program += f"assert not tasks.exists() or {bool(given)} or len([*tasks.iterdir()]) == 1\n"
    assert "numpy" in imported(program)


def test_others_find_all_of_numpy_and_scipy() -> None:
    program = "from steady.special import ndtr\nimport numpy as np, scipy.stats, scipy.special\n"
    program += "from scipy._lib.array_api_compat import numpy as copied\n"
    program += "assert copied.ma is np.ma and 'testing' in dir(np) and 'ma' in np.__all__\n"
    assert "scipy.stats" in imported(program + "assert ndtr is scipy.special.ndtr")


def test_nothing_slow_is_imported_for_a_few_calls_of_it() -> None:
    modules = [
        module.name
        for module in pkgutil.walk_packages(steady.__path__, "steady.")
        if not module.name.endswith("__main__")
    ]
    found = imported("".join(f"import {name}\n" for name in modules))
    assert set(modules) <= found
    slow = {"scipy.stats", "scipy.optimize", "scipy.spatial", "scipy.ndimage", "scipy.fft"}
    assert found & {*slow, "distributed"} == set()


BASE, HEAD = (
    str(Path(__file__).parent / "compare" / "recorded" / f"{side}.json.gz")
    for side in ("base", "head")
)
LISTS = (["--help"], ["methods"], ["methods", "--json"], *([name, "--help"] for name in COMMANDS))
WORK = (
    ["analyze", BASE],
    ["optimize", BASE, "--out", "plan"],
    ["compare", BASE, HEAD],
    ["report", BASE, HEAD, "--out", "report"],
)
DONE = "from steady.cli import main\nassert main({}) in (0, 1)\n"
CALLS = """
import numpy as np
import steady
values = 100 + np.random.default_rng(1).standard_normal((5, 60))
suite = steady.Suite.of({"a": values, "b": 2 * values}, unit="ns/op")
steady.detect(values[0]), steady.similarity(values), steady.stability(values)
steady.analyze(suite), steady.compare(suite, suite)
"""


@pytest.mark.parametrize(
    "program",
    ["".join(map(RUN.format, LISTS)), "".join(map(DONE.format, WORK)), CALLS],
    ids=["lists", "commands", "functions"],
)
def test_no_method_of_a_paper_is_loaded_by_default(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [name for name in imported(program) if name.startswith("steady.papers")] == []


class TestNames:
    def test_every_public_name_is_there(self) -> None:
        for name in steady.__all__:
            assert getattr(steady, name).__name__ == name
        assert set(steady.__all__) <= set(dir(steady))

    def test_a_function_is_not_hidden_by_the_package_of_its_name(self) -> None:
        program = ""
        for name in ("compare", "emit", "optimize", "similarity"):
            program += f"import steady.{name}, steady\nfrom steady import {name}\n"
            program += f"from steady.{name} import *\nassert callable(steady.{name})\n"
            program += f"assert steady.{name} is {name}\n"
        assert "steady.similarity" in imported(program)

    def test_a_package_is_there_without_its_import(self) -> None:
        assert "steady.stats.samples" in imported("import steady\nsteady.stats.METRICS['cv']")

    def test_what_is_not_there_is_an_attribute_error(self) -> None:
        with pytest.raises(AttributeError, match="module 'steady' has no attribute 'faster'"):
            getattr(steady, "faster")  # noqa: B009 - mypy knows that it is not there
