"""Pairs of small projects: those that behave differently are never reported as identical."""

import os
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import yaml

from steady.harness.runs import DEFAULTS
from steady.harness.trial import Version
from steady.harnesses import RUNNABLE, builds_of
from steady.model import Identity
from steady.programs.file_watch import FileWatch
from steady.programs.process import Program
from steady.programs.program_kind import Place
from steady.programs.same_python import PythonBuilds
from tests.harness.program_trials import written

ONE = Identity("one")
BUILT = FileWatch.built
IN_BOTH = {"base": [ONE], "head": [ONE]}


class Script:
    """A kind of program that is one script."""

    scripts: tuple[str, ...] = ()
    names_only = ""
    asks = ""

    def glimpse(self, place: Place, identity: Identity) -> Program:
        """Return what runs it."""
        return Program(place.command or (sys.executable, "bench.py"), place.target)

    def shared_process(self, identity: Identity) -> str:
        """Return the process that a benchmark can share."""
        return ""

    def loading(self, place: Place, identity: Identity) -> Program:
        """Return what loads it without running it."""
        raise AssertionError


class Module(Script):
    """A kind whose benchmarks are functions of one file, each run by its name."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def glimpse(self, place: Place, identity: Identity) -> Program:
        self.started.append(identity.name)
        return Program((sys.executable, "bench.py", identity.name), place.target)

    def shared_process(self, identity: Identity) -> str:
        return "bench.py"

    def loading(self, place: Place, identity: Identity) -> Program:
        self.started.append("")
        return Program((sys.executable, "bench.py"), place.target)


Files = Mapping[str, str]


@dataclass(frozen=True)
class Pair:
    """What base holds, and what head holds instead or besides.

    Parameters
    ----------
    base, head : mapping of str to str
        Texts by path.
    make : str
        Names what makes what is no text, in the folder of base and in that of head.
    again : bool
        Whether another pair is decided in the same way.
    """

    base: Files
    head: Files = field(default_factory=dict)
    make: str = ""
    again: bool = False


def _naming(folder: Path) -> None:
    (folder / "data").write_text(f"{folder / 'x'}")


def _is_head(folder: Path) -> bool:
    return folder.name == "head"


def _link(folder: Path) -> None:
    (folder / "data").symlink_to("two" if _is_head(folder) else "one")


def _table(folder: Path) -> None:
    with sqlite3.connect(folder / "r.db") as rows:
        rows.execute("create table t as select ? as x", (folder.name,))


def _same_table(folder: Path) -> None:
    with sqlite3.connect(folder / "r.db") as rows:
        rows.execute("create table t as select 1 as x")


READS = """
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int first(const char *path) {
  char text[2] = "";
  if (strcmp(path, "syscall") == 0) {
    long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
    read((int)file, text, 1);
  } else {
    FILE *file = fopen(path, "r");
    fgets(text, 2, file);
  }
  return *text;
}
int files(const char *path) {
  int number = 0;
  DIR *folder = fdopendir(open(path, O_RDONLY | O_DIRECTORY));
  while (readdir(folder)) number++;
  return number;
}
"""
EXTENSION = """
#include <Python.h>
int first(const char *path);
int files(const char *path);
static PyObject *opens(PyObject *self, PyObject *path) {
  return PyLong_FromLong(first(PyUnicode_AsUTF8(path)));
}
static PyObject *lists(PyObject *self, PyObject *path) {
  return PyLong_FromLong(files(PyUnicode_AsUTF8(path)));
}
static PyMethodDef methods[] = {{"first", opens, METH_O, ""}, {"files", lists, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "ext", 0, -1, methods};
PyMODINIT_FUNC PyInit_ext(void) { return PyModule_Create(&module); }
"""


def _extension(folder: Path) -> None:
    """Build a module whose library lies outside of both versions and of all packages."""
    outside = folder.parent / "outside"
    if not outside.exists():
        outside.mkdir()
        include = f"-I{sysconfig.get_path('include')}"
        uses = (f"-L{outside}", "-lreads", f"-Wl,-rpath,{outside}")
        for name, source, options in (
            ("libreads.so", READS, ()),
            ("ext.so", EXTENSION, (include, *uses)),
        ):
            command = ["gcc", "-w", "-shared", "-fPIC", "-xc", "-", "-xnone", "-o", name, *options]
            subprocess.run(command, input=source, text=True, cwd=outside, check=True)
    shutil.copy(outside / "ext.so", folder)


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


MAKE = {
    "naming": _naming, "link": _link, "table": _table, "archive": _archive, "beside": _beside,
    "environment": _environment, "installed": _installed, "same_table": _same_table,
    "extension": _extension,
}  # fmt: skip
PAIRS = yaml.safe_load(Path(__file__).with_name("pairs.yml").read_text(encoding="utf-8"))
DIFFERENT = {name: Pair(**one) for name, one in PAIRS["different"].items()}
SAME = {name: Pair(**one) for name, one in PAIRS["same"].items()}


def made(pair: Pair, folder: Path) -> list[Path]:
    """Write both versions."""
    folders = [folder / name for name in ("base", "head")]
    for version in folders:
        written(version, {**pair.base, **(pair.head if _is_head(version) else {})})
        if pair.make:
            MAKE[pair.make](version)
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


def cases() -> Iterator[object]:
    """Yield the names of all pairs, with the tools that they need."""
    for name, pair in {**DIFFERENT, **SAME}.items():
        marks = [pytest.mark.thorough] if pair.again else []
        marks += [pytest.mark.needs("gcc")] if pair.make == "extension" else []
        yield pytest.param(name, marks=marks)


@pytest.fixture(scope="module", autouse=True)
def _built_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Build the library that sees files once for all tests."""
    watch = FileWatch.built(tmp_path_factory.mktemp("watch"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FileWatch, "built", lambda _: watch)
        yield


@pytest.mark.parametrize("name", [*cases()])
def test_pairs_with_different_behaviour_are_measured(name: str, tmp_path: Path) -> None:
    reason = why(made({**DIFFERENT, **SAME}[name], tmp_path))
    assert bool(reason) == (name in DIFFERENT)
    assert "\n" not in reason


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*cases()])
def test_the_names_of_the_pairs_are_correct(name: str, tmp_path: Path) -> None:
    base, head = outputs(made({**DIFFERENT, **SAME}[name], tmp_path))
    assert (base != head) == (name in DIFFERENT)


def test_unobserved_libraries_count_as_differences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FileWatch, "built", lambda _: FileWatch())
    assert "may read files" in why(made(SAME["a table in the same database"], tmp_path / "a"))
    assert why(made(SAME["documentation"], tmp_path / "b")) == ""


@pytest.mark.skipif(sys.platform != "linux", reason="sees files on Linux")
def test_no_library_is_built_without_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "absent")
    assert BUILT(tmp_path) == FileWatch()


def test_programs_other_than_python_are_measured(tmp_path: Path) -> None:
    folders = made(SAME["documentation"], tmp_path)
    assert why(folders, "env", "python", "bench.py") == "it is unknown what 'env' runs"
    shell = tmp_path / "python"
    shell.write_text("#!/usr/bin/env bash\nexec python3 $*\n")
    shell.chmod(0o755)
    assert why(folders, str(shell), "bench.py") == "it is unknown what 'python' runs"
    assert "did not finish" in why(folders, sys.executable, "-I", "bench.py")
    assert "did not finish" in why(folders, sys.executable, "absent.py")


def test_nested_folders_are_not_compared(tmp_path: Path) -> None:
    base, _ = made(SAME["documentation"], tmp_path)
    inner = made(SAME["documentation"], base)[0]
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
        ({"p.py": ""}, "the files of the module 'p' in '.' differ"),
    ],
    ids=["docs", "module", "hidden"],
)
def test_pyperf(head: Mapping[str, str], why: str, tmp_path: Path) -> None:
    assert reasons("pyperf", head, tmp_path, "bench.py") == [why]


BENCH = """
import sys
import used
for name in sys.argv[1:]:
    open(name).read()
"""


@pytest.mark.parametrize("differs", ["used.py", "two"])
def test_what_differs_on_loading_is_decided_once_for_all(differs: str, tmp_path: Path) -> None:
    files = {"bench.py": BENCH, "used.py": "", "one": "1", "two": "2"}
    base = written(tmp_path / "base", files)
    head = written(tmp_path / "head", {**files, differs: "7"})
    kind, both = Module(), [Identity("one"), Identity("two")]
    builds = PythonBuilds(kind, [Place(base), Place(head)])
    decided = builds.decisions({"base": both, "head": both})
    reasons = {one.identity.name: one.why for one in decided}
    # A program of head is only asked for, not started.
    assert kind.started.count("") == 1
    if differs == "used.py":
        assert set(reasons.values()) == {"'used.py' differs"}
    else:
        assert reasons == {"one": "", "two": "'two' differs"}
