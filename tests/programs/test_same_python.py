"""Pairs of small projects: where base and head behave differently, none is called the same."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from steady.harness import RUNNABLE
from steady.harness.runs import DEFAULTS
from steady.harness.trial import Version
from steady.model import Identity
from steady.programs.process import Program
from steady.programs.program_runs import Place
from steady.programs.same_python import PythonBuilds
from steady.samecode.decision import builds_of
from tests.harness.program_trials import written

ONE = Identity("one")
IN_BOTH = {"base": [ONE], "head": [ONE]}


class Script:
    """A kind of program that is one script."""

    scripts: tuple[str, ...] = ()
    names_only = ""
    asks = ""

    def glimpse(self, place: Place, identity: Identity) -> Program:
        """Return what runs it."""
        return Program(place.command or (sys.executable, "bench.py"), place.target)


Files = Mapping[str, str]


def _nothing(_: Path) -> None: ...


@dataclass(frozen=True)
class Pair:
    """What base holds, and what head holds instead or besides.

    Parameters
    ----------
    base, head : mapping of str to str
        Texts by path.
    make : callable
        Makes what is no text, in the folder of base and in that of head.
    """

    base: Files
    head: Files = field(default_factory=dict)
    make: Callable[[Path], None] = _nothing


def _naming(folder: Path) -> None:
    (folder / "data").write_text(f"{folder / 'x'}")


def _is_head(folder: Path) -> bool:
    return folder.name == "head"


def _link(folder: Path) -> None:
    (folder / "data").symlink_to("two" if _is_head(folder) else "one")


def _table(folder: Path) -> None:
    with sqlite3.connect(folder / "r.db") as rows:
        rows.execute("create table t as select ? as x", (folder.name,))


def _archive(folder: Path) -> None:
    with zipfile.ZipFile(folder / "lib.zip", "w") as archive:
        archive.writestr("packed.py", f"X = '{folder.name}'")


def _beside(folder: Path) -> None:
    folder.with_name(f"{folder.name}.txt").write_text(folder.name)


def _environment(folder: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", "--symlinks", str(folder / ".venv")],
        check=True,
    )
    [packages] = (folder / ".venv").glob("lib/*/site-packages")
    (packages / "shop-1.dist-info").mkdir()
    record = f"../../../bin/shop,sha256={folder.name},9\nshop/x.py,sha256=abc,5\n"
    (packages / "shop-1.dist-info" / "RECORD").write_text(record)


def _installed(folder: Path) -> None:
    _environment(folder)
    if _is_head(folder):
        [packages] = (folder / ".venv").glob("lib/*/site-packages")
        (packages / "first.pth").write_text("import sys; sys.speed = 'fast'\n")


def pair(code: str, base: Files, head: Files | None = None) -> Pair:
    """Return a script, and what differs beside it."""
    return Pair({"bench.py": code, **base}, head or {})


def data(code: str) -> Pair:
    """Return a script, and a file ``data`` that differs."""
    return pair(code, {"data": "1"}, {"data": "2"})


def late(code: str, base: Files, head: Files) -> Pair:
    """Return a script that comes to something as after many rounds only."""
    return Pair(
        {**LOADS, "bench.py": f"import os, p.a\nif 'LONG' in os.environ: {code}", **base}, head
    )


READS = "print(open('data').read())"
LOADS = {"p/__init__.py": "", "p/a.py": "X = 1", "bench.py": "from p import a; print(a.X)"}
SPAWNS = """
import multiprocessing as m, w
if __name__ == '__main__':
    m.set_start_method('spawn'); p = m.Process(target=w.f); p.start(); p.join()
"""
FORKS = "import os\nif os.fork(): os.wait()\nelse: print(open('da' + 'ta').read())"
IN_C = """
import ctypes; c = ctypes.CDLL(None); c.fopen.restype = ctypes.c_void_p
b = ctypes.create_string_buffer(9); f = c.fopen(b'da' b'ta', b'r')
c.fread(b, 1, 8, ctypes.c_void_p(f)); print(b.value)
"""
TABLE = "import sqlite3 as s; print(*s.connect('r.db').execute('select * from t'))"
PACKED = "import sys; sys.path[:0] = ['lib.zip']; import packed; print(packed.X)"
HIDES = "import colorsys; print(hasattr(colorsys, 'rgb_to_hls'))"
MATCHES = "import glob; print(glob.glob('d/**/*.x', recursive=True))"
SIZES = "import os; print([e.stat().st_size for e in os.scandir('d')])"
DIES = "import os; print(open('da' + 'ta').read(), flush=True); os._exit(0)"
NAMED = "import os; print(open(os.getcwd() + '.txt').read())"
SPEED = "import sys; print(getattr(sys, 'speed', 'slow'))"
SLOW = {"p/b.py": "print('slow')"}

DIFFERENT = {
    "a module": Pair(LOADS, {"p/a.py": "X = 2"}),
    "a package above it": Pair(LOADS, {"p/__init__.py": "print('slow')"}),
    "a data file": data(READS),
    "the script": Pair({"bench.py": "print(1)"}, {"bench.py": "print(2)"}),
    "a module of Python's own is hidden": pair(HIDES, {}, {"colorsys.py": ""}),
    "a module that may be missing": pair(
        "try:\n    import fast\nexcept ImportError: print('slow')", {}, {"fast.py": ""}
    ),
    "a package hides a module": pair(
        "import a; print(a.X)", {"a.py": "X = 1"}, {"a/__init__.py": "X = 2"}
    ),
    "a folder becomes a package": pair(
        "import p; print(p.__file__)", {"p/a.py": "X = 1"}, {"p/__init__.py": "__file__ = 'y'"}
    ),
    "a file that may be missing": pair(
        "import os; print(os.path.exists('flag'))", {}, {"flag": ""}
    ),
    "a file that may be missing, asked otherwise": pair(
        "import pathlib; print(pathlib.Path('flag').is_file())", {}, {"flag": ""}
    ),
    "a file in a folder": pair("import os; print(os.listdir('d'))", {"d/x": ""}, {"d/y": ""}),
    "files that match": pair(MATCHES, {"d/e/1.x": ""}, {"d/e/2.x": ""}),
    "the size of files": pair(SIZES, {"d/x": "1"}, {"d/x": "12"}),
    "another program reads": data("import os; os.system('cat data')"),
    "another program is started": data(
        "import subprocess as s; print(s.check_output(['cat', 'd' + 'ata']))"
    ),
    "a child reads": data(FORKS),
    "a child of multiprocessing reads": pair(
        SPAWNS, {"w.py": "def f(): print(open('da' + 'ta').read())", "data": "1"}, {"data": "2"}
    ),
    "a link": Pair({"bench.py": READS, "one": "1", "two": "2"}, make=_link),
    "a table": Pair({"bench.py": TABLE}, make=_table),
    "an archive of modules": Pair({"bench.py": PACKED}, make=_archive),
    "another folder": pair(
        "import os; os.chdir('d'); print(open('x').read())", {"d/x": "1"}, {"d/x": "2"}
    ),
    "C reads": data(IN_C),
    "what Git has": pair("print(open('.git/HEAD').read())", {".git/HEAD": "1"}, {".git/HEAD": "2"}),
    "a file that its folder's name leads to": Pair({"bench.py": NAMED}, make=_beside),
    "a module that is loaded late": late("import p.b", {"p/b.py": ""}, SLOW),
    "a module that is loaded late by a name put together": late(
        "import importlib as i; i.import_module('p.' + chr(98))", {"p/b.py": ""}, SLOW
    ),
    "a file that is read late": late(READS, {"data": "1"}, {"data": "2"}),
    "a file that is written": pair(
        "f = open('n', 'a+'); f.seek(0); print(f.read())", {}, {"n": "x"}
    ),
    "what the environment runs first": Pair({"bench.py": SPEED}, make=_installed),
    "the end is not seen": data(DIES),
}

SAME = {
    "documentation": Pair({**LOADS, "docs/a.md": "x"}, {"docs/a.md": "y", "docs/b.md": ""}),
    "tests": Pair({**LOADS, "tests/test_a.py": "1"}, {"tests/test_a.py": "2", "tests/t.py": ""}),
    "a module that nobody loads": Pair({**LOADS, "p/b.py": "1"}, {"p/b.py": "2", "p/c.py": "3"}),
    "what is around": Pair(LOADS, {".github/workflows/ci.yml": "on: push", "README": "x", "q": ""}),
    "what was compiled": Pair(LOADS, {"p/__pycache__/b.cpython-311.pyc": "x", ".git/HEAD": "y"}),
    "its own folder's name": Pair({**LOADS, "bench.py": READS}, make=_naming),
    "an environment of its own": Pair({**LOADS, "docs/a.md": "x"}, make=_environment),
}


def made(pair: Pair, folder: Path) -> list[Path]:
    """Write both versions."""
    folders = [folder / name for name in ("base", "head")]
    for version in folders:
        written(version, {**pair.base, **(pair.head if _is_head(version) else {})})
        pair.make(version)
    return folders


def why(folders: list[Path], *command: str) -> str:
    """Return why the benchmark may run other code; empty if it does not."""
    if not command and (folders[0] / ".venv").exists():
        places = [Place(one, (str(one / ".venv/bin/python"), "bench.py")) for one in folders]
    else:
        places = [Place(one, command) for one in folders]
    [decision] = PythonBuilds(Script(), places).decisions(IN_BOTH)
    return decision.why


def outputs(folders: list[Path]) -> list[str]:
    """Return what both print after a long time."""
    found = []
    for one in folders:
        own = one / ".venv/bin/python"
        command = [str(own) if own.exists() else sys.executable, "-B", "bench.py"]
        ran = subprocess.run(
            command, cwd=one, env={**os.environ, "LONG": "1"}, capture_output=True, text=True
        )
        found.append(ran.stdout.replace(str(one), ""))
    return found


@pytest.mark.parametrize("name", [*DIFFERENT, *SAME])
def test_what_behaves_differently_is_measured_and_nothing_else(name: str, tmp_path: Path) -> None:
    reason = why(made({**DIFFERENT, **SAME}[name], tmp_path))
    assert bool(reason) == (name in DIFFERENT)
    assert "\n" not in reason


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*DIFFERENT, *SAME])
def test_the_pairs_are_what_they_are_called(name: str, tmp_path: Path) -> None:
    base, head = outputs(made({**DIFFERENT, **SAME}[name], tmp_path))
    assert (base != head) == (name in DIFFERENT)


def test_what_is_not_python_is_measured(tmp_path: Path) -> None:
    folders = made(Pair(LOADS), tmp_path)
    assert why(folders, "env", "python", "bench.py") == "it is not known what 'env' runs"
    shell = tmp_path / "python"
    shell.write_text("#!/usr/bin/env bash\nexec python3 $*\n")
    shell.chmod(0o755)
    assert why(folders, str(shell), "bench.py") == "it is not known what 'python' runs"
    assert "did not come to its end" in why(folders, sys.executable, "-I", "bench.py")
    assert "did not come to its end" in why(folders, sys.executable, "absent.py")


def test_one_folder_is_not_compared_with_one_in_it(tmp_path: Path) -> None:
    base, _ = made(Pair(LOADS), tmp_path)
    inner = made(Pair(LOADS), base)[0]
    assert why([base, inner]) == why([inner, base]) == why([base, base]) != ""


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
