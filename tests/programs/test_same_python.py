"""Pairs of small projects: where base and head behave differently, none is called the same."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from steady.model import Identity
from steady.programs.process import Program
from steady.programs.program_runs import Place
from steady.programs.same_python import PythonBuilds

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

    base: Mapping[str, str]
    head: Mapping[str, str] = field(default_factory=dict)
    make: Callable[[Path], None] = _nothing


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


READS = "print(open('data').read())"
LOADS = {"p/__init__.py": "", "p/a.py": "X = 1", "bench.py": "from p import a; print(a.X)"}
LONG = "import os, p.a\nif 'LONG' in os.environ: "
"""As after many rounds."""

DIFFERENT = {
    "a module": Pair(LOADS, {"p/a.py": "X = 2"}),
    "a package above it": Pair(LOADS, {"p/__init__.py": "print('slow')"}),
    "a data file": Pair({"bench.py": READS, "data": "1"}, {"data": "2"}),
    "the script": Pair({"bench.py": "print(1)"}, {"bench.py": "print(2)"}),
    "a module of Python's own is hidden": Pair(
        {"bench.py": "import colorsys; print(hasattr(colorsys, 'rgb_to_hls'))"}, {"colorsys.py": ""}
    ),
    "a module that may be missing": Pair(
        {"bench.py": "try:\n    import fast\nexcept ImportError: print('slow')"}, {"fast.py": ""}
    ),
    "a package hides a module": Pair(
        {"a.py": "X = 1", "bench.py": "import a; print(a.X)"}, {"a/__init__.py": "X = 2"}
    ),
    "a folder becomes a package": Pair(
        {"p/a.py": "X = 1", "bench.py": "import p; print(p.__file__)"},
        {"p/__init__.py": "__file__ = 'y'"},
    ),
    "a file that may be missing": Pair(
        {"bench.py": "import os; print(os.path.exists('flag'))"}, {"flag": ""}
    ),
    "a file that may be missing, asked otherwise": Pair(
        {"bench.py": "import pathlib; print(pathlib.Path('flag').is_file())"}, {"flag": ""}
    ),
    "a file in a folder": Pair(
        {"bench.py": "import os; print(os.listdir('d'))", "d/x": ""}, {"d/y": ""}
    ),
    "files that match": Pair(
        {"bench.py": "import glob; print(glob.glob('d/**/*.x', recursive=True))", "d/e/1.x": ""},
        {"d/e/2.x": ""},
    ),
    "the size of files": Pair(
        {
            "bench.py": "import os; print([e.stat().st_size for e in os.scandir('d')])",
            "d/x": "1",
        },
        {"d/x": "12"},
    ),
    "another program reads": Pair(
        {"bench.py": "import os; os.system('cat data')", "data": "1"}, {"data": "2"}
    ),
    "another program is started": Pair(
        {
            "bench.py": "import subprocess as s; print(s.check_output(['cat', 'd' + 'ata']))",
            "data": "1",
        },
        {"data": "2"},
    ),
    "a child reads": Pair(
        {
            "bench.py": "import os\nif os.fork(): os.wait()\nelse: print(open('da' + 'ta').read())",
            "data": "1",
        },
        {"data": "2"},
    ),
    "a child of multiprocessing reads": Pair(
        {
            "bench.py": (
                "import multiprocessing as m, w\nif __name__ == '__main__':\n"
                "    m.set_start_method('spawn'); p = m.Process(target=w.f); p.start(); p.join()"
            ),
            "w.py": "def f(): print(open('da' + 'ta').read())",
            "data": "1",
        },
        {"data": "2"},
    ),
    "a link": Pair({"bench.py": READS, "one": "1", "two": "2"}, make=_link),
    "a table": Pair(
        {"bench.py": "import sqlite3 as s; print(*s.connect('r.db').execute('select * from t'))"},
        make=_table,
    ),
    "an archive of modules": Pair(
        {"bench.py": "import sys; sys.path[:0] = ['lib.zip']; import packed; print(packed.X)"},
        make=_archive,
    ),
    "another folder": Pair(
        {"bench.py": "import os; os.chdir('d'); print(open('x').read())", "d/x": "1"},
        {"d/x": "2"},
    ),
    "C reads": Pair(
        {
            "bench.py": (
                "import ctypes; c = ctypes.CDLL(None); c.fopen.restype = ctypes.c_void_p\n"
                "b = ctypes.create_string_buffer(9); f = c.fopen(b'da' b'ta', b'r')\n"
                "c.fread(b, 1, 8, ctypes.c_void_p(f)); print(b.value)"
            ),
            "data": "1",
        },
        {"data": "2"},
    ),
    "what Git has": Pair(
        {"bench.py": "print(open('.git/HEAD').read())", ".git/HEAD": "1"}, {".git/HEAD": "2"}
    ),
    "a file that its folder's name leads to": Pair(
        {"bench.py": "import os; print(open(os.getcwd() + '.txt').read())"}, make=_beside
    ),
    "a module that is loaded late": Pair(
        {**LOADS, "bench.py": f"{LONG}import p.b", "p/b.py": ""}, {"p/b.py": "print('slow')"}
    ),
    "a module that is loaded late by a name put together": Pair(
        {
            **LOADS,
            "bench.py": f"{LONG}import importlib as i; i.import_module('p.' + chr(98))",
            "p/b.py": "",
        },
        {"p/b.py": "print('slow')"},
    ),
    "a file that is read late": Pair(
        {**LOADS, "bench.py": f"{LONG}print(open('data').read())", "data": "1"}, {"data": "2"}
    ),
    "a file that is written": Pair(
        {"bench.py": "f = open('n', 'a+'); f.seek(0); print(f.read())"}, {"n": "x"}
    ),
    "what the environment runs first": Pair(
        {"bench.py": "import sys; print(getattr(sys, 'speed', 'slow'))"}, make=_installed
    ),
    "the end is not seen": Pair(
        {
            "bench.py": "import os; print(open('da' + 'ta').read(), flush=True); os._exit(0)",
            "data": "1",
        },
        {"data": "2"},
    ),
}

SAME = {
    "documentation": Pair({**LOADS, "docs/a.md": "x"}, {"docs/a.md": "y", "docs/b.md": ""}),
    "tests": Pair({**LOADS, "tests/test_a.py": "1"}, {"tests/test_a.py": "2", "tests/t.py": ""}),
    "a module that nobody loads": Pair({**LOADS, "p/b.py": "1"}, {"p/b.py": "2", "p/c.py": "3"}),
    "what is around": Pair(LOADS, {".github/workflows/ci.yml": "on: push", "README": "x", "q": ""}),
    "what was compiled": Pair(LOADS, {"p/__pycache__/b.cpython-311.pyc": "x", ".git/HEAD": "y"}),
    "its own folder's name": Pair(
        {**LOADS, "bench.py": READS}, make=lambda folder: _naming(folder)
    ),
    "an environment of its own": Pair({**LOADS, "docs/a.md": "x"}, make=_environment),
}


def _naming(folder: Path) -> None:
    (folder / "data").write_text(f"{folder / 'x'}")


def made(pair: Pair, folder: Path) -> list[Path]:
    """Write both versions."""
    folders = [folder / name for name in ("base", "head")]
    for version in folders:
        files = {**pair.base, **(pair.head if _is_head(version) else {})}
        for name, text in files.items():
            path = version / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
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


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_behaves_differently_is_measured(name: str, tmp_path: Path) -> None:
    folders = made(DIFFERENT[name], tmp_path)
    reason = why(folders)
    assert reason
    assert "\n" not in reason
    base, head = outputs(folders)
    assert base != head


@pytest.mark.parametrize("name", SAME)
def test_what_cannot_have_changed_is_not(name: str, tmp_path: Path) -> None:
    folders = made(SAME[name], tmp_path)
    assert why(folders) == ""
    base, head = outputs(folders)
    assert base == head


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
