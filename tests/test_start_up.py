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
BASE, HEAD = (
    str(Path(__file__).parent / "compare" / "recorded" / f"{side}.json.gz")
    for side in ("base", "head")
)
LISTS = (["--help"], ["methods"], ["methods", "--json"], *([name, "--help"] for name in COMMANDS))
WORK = (
    ["analyze", BASE],
    ["optimize", BASE, "--out", "plan"],
    ["report", BASE, HEAD, "--out", "report"],
)
RUN = "from steady.cli import main\ntry: main({})\nexcept SystemExit: pass\n"
DONE = "from steady.cli import main\nassert main({}) in (0, 1)\n"
COMPARE = DONE.format(["compare", BASE, HEAD])
THREADS = """
import os, pathlib
assert os.environ.get("OPENBLAS_NUM_THREADS") == {given!r}
tasks = pathlib.Path("/proc/self/task")
assert not tasks.exists() or {given!r} or len([*tasks.iterdir()]) == 1
"""
CALLS = """
import numpy as np
import steady
values = 100 + np.random.default_rng(1).standard_normal((5, 60))
suite = steady.Suite.of({"a": values, "b": 2 * values}, unit="ns/op")
steady.detect(values[0]), steady.similarity(values), steady.stability(values)
steady.analyze(suite), steady.compare(suite, suite)
"""
WHOLE = """
from steady.special import ndtr
import numpy as np, scipy.stats, scipy.special
from scipy._lib.array_api_compat import numpy as copied
assert copied.ma is np.ma and "testing" in dir(np) and "ma" in np.__all__
assert ndtr is scipy.special.ndtr
"""


def imported(folder: Path, *programs: str) -> list[set[str]]:
    """Run programs in one process, one after the other; return what is imported behind each."""
    shown = "\nimport sys\nprint('imported:', *sys.modules)\n"
    command = [sys.executable, "-c", "".join(program + shown for program in programs)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return [set(line.split()[1:]) for line in lines if line.startswith("imported: ")]


def test_nothing_is_imported_before_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    starts = "".join(map(RUN.format, ([], ["--version"], ["--help"], ["typo"])))
    start, help_of_one, comparison, *by_default = imported(
        tmp_path,
        f"import steady\n{starts}",
        RUN.format(["plan", "--help"]),
        COMPARE + THREADS.format(given=None),
        "".join(map(RUN.format, LISTS)),
        "".join(map(DONE.format, WORK)),
        CALLS,
    )
    assert start & LIBRARIES == set()

    assert {name for name in COMMANDS if f"steady.cli.{name}" in help_of_one} == set()
    assert help_of_one & {"github", "jinja2", "requests"} == set()

    used = {"steady.compare", "steady.engine.run_file", "steady.optimize.suite_plan", "numpy"}
    assert used <= comparison
    others = {"steady.history", "steady.engine.runner", "steady.cli.run", "github"}
    others |= {"steady.engine.finding", "steady.optimize.strategies"}
    others |= {"xml.etree.ElementTree", "rich.progress", "numpy.f2py", "numpy.testing"}
    assert comparison & others == set()

    for modules in by_default:
        assert [name for name in modules if name.startswith("steady.papers")] == []


def test_no_module_imports_what_takes_long_and_others_find_it_all(tmp_path: Path) -> None:
    modules = [
        module.name
        for module in pkgutil.walk_packages(steady.__path__, "steady.")
        if not module.name.endswith("__main__")
    ]
    every_module, _ = imported(tmp_path, "".join(f"import {one}\n" for one in modules), WHOLE)
    assert set(modules) <= every_module
    slow = {"scipy.stats", "scipy.optimize", "scipy.spatial", "scipy.ndimage", "scipy.fft"}
    assert every_module & {*slow, "distributed"} == set()


def test_the_number_of_threads_stays_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    imported(tmp_path, COMPARE + THREADS.format(given="3"))


def test_every_public_name_is_there() -> None:
    for name in steady.__all__:
        assert getattr(steady, name).__name__ == name
    assert set(steady.__all__) <= set(dir(steady))
    with pytest.raises(AttributeError, match="module 'steady' has no attribute 'faster'"):
        getattr(steady, "faster")  # noqa: B009 - mypy knows that it is not there


def test_a_package_is_there_without_its_import_and_hides_no_function(tmp_path: Path) -> None:
    program = ""
    for name in ("compare", "emit", "optimize", "similarity"):
        program += f"import steady.{name}, steady\nfrom steady import {name}\n"
        program += f"from steady.{name} import *\nassert callable(steady.{name})\n"
        program += f"assert steady.{name} is {name}\n"
    imported(tmp_path, "import steady\nsteady.stats.METRICS['cv']", program)
