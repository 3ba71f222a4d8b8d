"""Real benchmarks of Python: what their harnesses read decides, too."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from steady.harness import RUNNABLE
from steady.harness.runs import DEFAULTS
from steady.harness.trial import Version
from steady.samecode.decision import builds_of
from tests.harness.program_trials import written

FILES = {
    "p/__init__.py": "",
    "p/a.py": "def f(): return sum(range(99))",
    "p/b.py": "def f(): return 1",
    "b/test_a.py": "from p.a import f\n\ndef test_a(benchmark):\n    benchmark(f)\n",
    "b/test_b.py": "from p.b import f\n\ndef test_b(benchmark):\n    benchmark(f)\n",
    "bench.py": "import pyperf\nr = pyperf.Runner()\nimport p.a\nr.bench_func('f', p.a.f)\n",
    "docs/x.md": "x",
    "setup.cfg": "[tool:pytest]\naddopts = -p no:hypothesispytest\n",  # for it loads a library
    "tests/test_c.py": "",
}
DOCS = {"docs/x.md": "yy", "docs/z.md": "", "tests/test_c.py": "def test_c(): pass\n"}


def reasons(harness: str, head: Mapping[str, str], folder: Path, *command: str) -> list[str]:
    """Return why benchmarks may run other code, in the order of their list."""
    runs = RUNNABLE[harness].value.make(replace(DEFAULTS, command=(sys.executable, *command)))
    versions = [Version(name, folder / name) for name in ("base", "head")]
    for version in versions:
        written(version.target, {**FILES, **(head if version.name == "head" else {})})
    builds = builds_of(runs, versions)
    assert builds is not None
    held = {version.name: runs.benchmarks(version) for version in versions}
    return [one.why for one in builds.decisions(held)]


def settings(name: str, text: str) -> object:
    """Return a file that pytest itself reads, whatever the benchmark is."""
    return pytest.param({name: text}, [f"'{name}' differs"] * 2, marks=pytest.mark.thorough)


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ({**DOCS, "p/a.py": "def f(): return sum(range(9999))"}, ["'p/a.py' differs", ""]),
        ({"conftest.py": "import gc\ngc.disable()\n"}, ["'conftest.py' differs"] * 2),
        settings("b/conftest.py", ""),
        settings("pytest.ini", "[pytest]\naddopts = -s\n"),
        settings("pyproject.toml", "[tool.pytest.ini_options]\n"),
    ],
    ids=["module", "conftest", "inner conftest", "settings", "project"],
)
def test_pytest(head: Mapping[str, str], why: list[str], tmp_path: Path) -> None:
    assert reasons("pytest-benchmark", head, tmp_path, "-m", "pytest", "b") == why


@pytest.mark.needs("pyperf")
@pytest.mark.parametrize(
    ("head", "why"),
    [
        ({**DOCS, "p/b.py": "# nobody loads it"}, ""),
        ({"p/a.py": "def f(): return 5"}, "'p/a.py' differs"),
        ({"p.py": ""}, "the module 'p' is looked for in '.'"),
    ],
    ids=["docs", "module", "hidden"],
)
def test_pyperf(head: Mapping[str, str], why: str, tmp_path: Path) -> None:
    assert reasons("pyperf", head, tmp_path, "bench.py") == [why]
