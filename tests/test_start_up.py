"""Imports: few at the start, and only of installed dependencies."""

import pkgutil
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import steady
from steady.options.parser import COMMANDS

# Imports, which determine the start-up time of a command.


LIBRARIES = {
    *("distributed", "github", "jinja2", "jsonschema", "matplotlib", "numpy", "pandas", "requests"),
    *("rich", "scipy", "shtab", "yaml"),
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
suite._repr_html_()
import sys
assert not sys.modules.keys() & {"matplotlib", "pandas"}
"""
WHOLE = """
from steady.scipy_special import ndtr
import numpy as np, scipy.stats, scipy.special
from scipy._lib.array_api_compat import numpy as copied
assert copied.ma is np.ma and "testing" in dir(np) and "ma" in np.__all__
assert ndtr is scipy.special.ndtr
"""


def imported(folder: Path, *programs: str) -> list[set[str]]:
    """Run programs one after the other in one process; return the modules imported by each."""
    shown = "\nimport sys\nprint('imported:', *sys.modules)\n"
    command = [sys.executable, "-c", "".join(program + shown for program in programs)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return [set(line.split()[1:]) for line in lines if line.startswith("imported: ")]


def test_imports_are_lazy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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

    used = {"steady.compare", "steady.engine.run_file", "steady.plan.suite_plan", "numpy"}
    assert used <= comparison
    others = {"steady.history", "steady.engine.runner", "steady.cli.run", "github"}
    others |= {"steady.engine.discovery", "steady.optimize.strategy", "steady.optimize.analysis"}
    others |= {"xml.etree.ElementTree", "rich.progress", "numpy.f2py", "numpy.testing", "jinja2"}
    others |= {"concurrent.futures"}
    assert comparison & others == set()

    # Only a plan's page imports a detector from `papers`: `recommended`, for its starts.
    recommended = {"steady.papers", "steady.papers.onset"}
    recommended |= {f"steady.papers.onset_{name}" for name in ("features", "model")}
    lists, work, calls = by_default
    nothing: set[str] = set()
    for modules, asked in ((lists, nothing), (work, recommended), (calls, recommended)):
        assert {name for name in modules if name.startswith("steady.papers")} == asked


def test_slow_modules_are_not_imported_but_remain_available(tmp_path: Path) -> None:
    modules = [
        module.name
        for module in pkgutil.walk_packages(steady.__path__, "steady.")
        if not module.name.endswith("__main__")
    ]
    every_module, _ = imported(tmp_path, "".join(f"import {one}\n" for one in modules), WHOLE)
    assert set(modules) <= every_module
    slow = {"scipy.stats", "scipy.optimize", "scipy.spatial", "scipy.ndimage", "scipy.fft"}
    assert every_module & {*slow, "distributed"} == set()


def test_the_users_number_of_threads_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    imported(tmp_path, COMPARE + THREADS.format(given="3"))


def test_public_names_can_be_imported() -> None:
    for name in steady.__all__:
        assert getattr(steady, name).__name__ == name
    assert set(steady.__all__) <= set(dir(steady))
    with pytest.raises(AttributeError, match="module 'steady' has no attribute 'faster'"):
        getattr(steady, "faster")  # noqa: B009 - mypy knows that it is not there


def test_subpackages_are_accessible_and_do_not_hide_functions(tmp_path: Path) -> None:
    program = ""
    for name in ("compare", "emit", "optimize", "similarity"):
        program += f"import steady.{name}, steady\nfrom steady import {name}\n"
        program += f"from steady.{name} import *\nassert callable(steady.{name})\n"
        program += f"assert steady.{name} is {name}\n"
    imported(tmp_path, "import steady\nsteady.stats.METRICS['cv']", program)


# The dependencies without extras are few, and sufficient for everything except the Action.


ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def closure(declared: list[str]) -> set[str]:
    """Return the packages of an installation, from the installed metadata."""
    found: set[str] = set()

    def look(requirements: list[str]) -> None:
        for requirement in map(Requirement, requirements):
            name = canonicalize_name(requirement.name)
            wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            if wanted and name not in found:
                found.add(name)
                look(requires(name) or [])

    look(declared)
    return found


def test_without_extras_ten_packages_are_installed() -> None:
    packages = "jinja2 markdown-it-py markupsafe mdurl msgspec numpy pygments pyyaml rich scipy"
    assert closure(PROJECT["dependencies"]) == set(packages.split())


def test_the_image_has_what_the_action_needs_and_every_package_by_its_hash() -> None:
    lock = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    extras = PROJECT["optional-dependencies"]
    asked = [*PROJECT["dependencies"], *extras["github"]]
    pinned = set(re.findall(r"(?m)^([\w.-]+)==", lock))
    assert closure(asked) <= pinned
    assert "requirements.txt" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "requirements.txt" in (ROOT / "setup" / "install.sh").read_text(encoding="utf-8")


def test_each_extra_is_described() -> None:
    page = (ROOT / "docs" / "howto" / "shell.md").read_text(encoding="utf-8")
    described = re.findall(r"(?m)^\| `(\w+)` \| \S", page)
    assert sorted(described) == sorted(PROJECT["optional-dependencies"])


BLOCKED = """
import pkgutil, sys
refused = set({refused!r})
class Absent:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in refused:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent)
import steady
from steady.cli import main
"""


def without_extras(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in which only dependencies without extras can be imported."""
    own = closure(PROJECT["dependencies"]) | {"steady-action"}
    refused = {
        module
        for module, distributions in packages_distributions().items()
        if not {canonicalize_name(name) for name in distributions} & own
    }
    assert {"github", "requests", "cryptography", "pytest"} <= refused
    command = [sys.executable, "-c", BLOCKED.format(refused=sorted(refused)) + program]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


MODULES = "[m.name for m in pkgutil.walk_packages(steady.__path__, 'steady.', lambda _: None)]"
IMPORTED = f"""
for name in {MODULES}:
    of_extras = ('steady.github', 'steady.action', 'steady.plots')
    own = name.startswith(of_extras)
    if not (own or name.endswith('__main__')): __import__(name)
"""
MEASURE = ["run", "--base", "a.jar", "--head", "b.jar", "--time-budget", "1m", "--out", "out"]
PROGRAMS = (
    "for name in steady.__all__: getattr(steady, name)",
    IMPORTED,
    f"assert main({['compare', BASE, HEAD, '--fail-on', 'never']!r}) == 0",
    f"assert main({['report', BASE, HEAD, '--fail-on', 'never', '--out', 'r']!r}) == 0",
    f"assert main({['optimize', BASE, '--out', 'plan']!r}) == 0",
    "assert main(['demo']) == 0",
    f"assert main({MEASURE!r}) == 2",
)
"""Programs of a user without the extras."""


def test_measuring_and_comparing_need_no_extra(tmp_path: Path) -> None:
    done = without_extras("\n".join(PROGRAMS), tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert re.search(r"steady: \S*a\.jar: does not exist", done.stderr), done.stderr


def test_the_action_without_its_extra_names_the_package(tmp_path: Path) -> None:
    done = without_extras("from steady.action.__main__ import main\nsys.exit(main())", tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "steady: the GitHub Action needs PyGithub and requests; install them with `pip install "
        "'steady-action[github]'`\n"
    )


def test_a_missing_extra_is_named() -> None:
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    for name in PROJECT["optional-dependencies"]:
        assert f"pip install 'steady-action[{name}]'" in sources
