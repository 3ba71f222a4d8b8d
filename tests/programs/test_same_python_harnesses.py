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
        for name, text in {**FILES, **(head if version.name == "head" else {})}.items():
            path = version.target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    builds = builds_of(runs, versions)
    assert builds is not None
    held = {version.name: runs.benchmarks(version) for version in versions}
    return [one.why for one in builds.decisions(held)]


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (DOCS, ["", ""]),
        ({"p/a.py": "def f(): return sum(range(9999))"}, ["'p/a.py' differs", ""]),
        ({"conftest.py": "import gc\ngc.disable()\n"}, ["'conftest.py' differs"] * 2),
        ({"b/conftest.py": ""}, ["'b/conftest.py' differs"] * 2),
        ({"pytest.ini": "[pytest]\naddopts = -s\n"}, ["'pytest.ini' differs"] * 2),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, ["'pyproject.toml' differs"] * 2),
    ],
    ids=["docs", "module", "conftest", "inner conftest", "settings", "project"],
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
