"""A privileged job opens only regular files in its allowed folders."""

import ast
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import steady
from steady import safe_open
from steady.errors import InputError
from steady.files import read_json
from steady.settings import read_settings
from tests.source_trees import by_file

RECORDED = Path(__file__).parent / "readers" / "recorded" / "1.37" / "plain.json"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    path = tmp_path / "outside" / "secret"
    path.parent.mkdir()
    path.write_text('{"steady_environment": 1, "cpu": "the secret", "os": ""}')
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "results.json").write_bytes(RECORDED.read_bytes())
    return folder


@pytest.mark.parametrize("name", ["environment.json", "same-code.json", "not-run.json"])
def test_sidecars_are_regular_files_in_the_folder(folder: Path, outside: Path, name: str) -> None:
    beside, elsewhere = folder / name, "is a link that leads out of the folder"
    os.mkfifo(beside)  # opening it must not block
    assert len(steady.load(folder / "results.json"))
    beside.unlink()
    (folder / "own").write_text('{"anything": 1}')
    beside.symlink_to("own")
    if name == "not-run.json":
        with pytest.raises(InputError, match="contains an unknown field, `anything`"):
            steady.load(folder / "results.json")
    else:
        assert len(steady.load(folder / "results.json"))
    beside.unlink()
    beside.symlink_to(outside)
    with pytest.raises(InputError, match=elsewhere):
        steady.load(folder / "results.json")
    beside.unlink()  # a link to a folder in the path, with a regular file in the folder
    outside.rename(outside.with_name(name))
    (folder / "deep").symlink_to(outside.parent)
    beside.symlink_to(folder / "deep" / name)
    with pytest.raises(InputError, match=elsewhere):
        steady.load(folder / "results.json")


READERS: tuple[Callable[[Path], object], ...] = (
    lambda path: safe_open.read_untrusted(path, 100),
    lambda path: steady.load(path),
    lambda path: steady.read_plan(path),
    read_settings,
    lambda path: read_json(path, dict, what="something", remedy="nothing"),
)


@pytest.mark.parametrize("read", READERS)
def test_privileged_jobs_read_only_files_in_their_folder(
    read: Callable[[Path], object], folder: Path, outside: Path
) -> None:
    (folder / "link").symlink_to(outside)
    os.mkfifo(folder / "pipe")
    elsewhere = (outside, folder / "link", folder / ".." / "outside" / "secret")
    refused = dict.fromkeys(elsewhere, "leads out of the folder")
    refused[folder / "pipe"] = "is not a regular file"
    with safe_open.restrict_to(folder):
        for path, message in refused.items():
            with pytest.raises(InputError, match=message):
                read(path)
    with safe_open.restrict_to(Path("/")), pytest.raises(InputError, match="is not a regular file"):
        read(Path("/dev/zero"))


def test_links_into_git_folders_are_rejected(folder: Path) -> None:
    (folder / ".git").mkdir()
    for name in ("HEAD", "config"):
        (folder / ".git" / name).write_text("[http] extraheader = AUTHORIZATION: basic secret")
    (folder / "steady.yml").symlink_to(".git/config")
    with safe_open.restrict_to(folder):
        with pytest.raises(InputError, match="leads out of the folder"):
            read_settings(folder / "steady.yml")
        assert safe_open.read_untrusted(folder / ".git" / "HEAD", 6) == b"[http] "


def test_allowed_folders_are_added_and_removed(folder: Path, outside: Path) -> None:
    with safe_open.also_allow(outside.parent):
        assert safe_open.allowed_folders() == ()
    with safe_open.restrict_to(folder):
        with safe_open.also_allow(outside.parent):
            assert b"secret" in safe_open.read_untrusted(outside, 100)
        with pytest.raises(InputError):
            safe_open.read_untrusted(outside, 100)
    assert b"secret" in safe_open.read_untrusted(outside, 100)
    assert len(safe_open.read_untrusted(outside, 10)) == 11, "no more than the limit is read"


def test_a_file_replaced_in_the_meantime_is_rejected(
    folder: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "file"
    path.symlink_to(outside)
    there = os.path.realpath

    def exchanged(asked: Path) -> str:
        if Path(asked) == path:  # between opening the file and resolving its path
            path.unlink()
            path.write_text("harmless")
        return there(asked)

    with safe_open.restrict_to(folder):
        monkeypatch.setattr(os.path, "realpath", exchanged)
        with pytest.raises(InputError, match="leads out of the folder"):
            safe_open.read_untrusted(path, 100)


TRUSTED = (
    "action", "github", "readers", "settings", "history", "report", "emit", "compare", "optimize",
    "model", "samecode", "text", "stats", "similarity", "steadystate", "judging.py", "files.py",
    "harness/document.py", "harness/jmh/read", "harness/jmh/configure", "harness/jmh/annotate",
    "harness/go/read",
    "harness/go/bench_pattern.py", "harness/go/test_flags.py",
)  # fmt: skip
"""Modules that a privileged job runs on untrusted files."""

OWN = {
    "action/confined.py:_limit": "process information of Linux",
    "action/runner.py:write_outputs": "the runner's file, opened for writing",
    "action/runner.py:write_summary": "the runner's file, opened for writing",
    "files.py:write_bytes": "a device, opened for writing",
    "github/artifacts.py:_unpacked": "an entry of an archive in memory",
    "github/artifacts.py:read_entries": "an archive in memory",
    "harness/document.py:_read": "a file opened by safe_open",
    "harness/jmh/configure/benchmark_list_file.py:entry_of": "an entry of an open jar",
    "harness/jmh/configure/benchmark_list_file.py:open_jar": "a file opened by safe_open",
    "history/entry.py:unpack": "an object in memory",
    "report/markup.py:_resource": "steady's own template",
}
"""Functions that open something other than untrusted files."""

OPENING = {"open", "read_text", "read_bytes", "ZipFile", "GzipFile", "load", "fromfile"}


def openings(tree: ast.Module) -> Iterator[str]:
    """Yield each function of a module that opens a file by other means than safe_open."""
    for function in ast.walk(tree):
        calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
        if isinstance(function, ast.FunctionDef) and any(map(_opens, calls)):
            yield function.name


def _opens(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id in {"open", "ZipFile"}
    if not isinstance(function, ast.Attribute) or function.attr not in OPENING:
        return False
    owner = function.value
    return not (isinstance(owner, ast.Name) and owner.id == "safe_open")


def test_untrusted_files_are_opened_by_safe_open_only() -> None:
    modules = {
        file: tree
        for file, tree in by_file().items()
        if any(file == name or file.startswith(f"{name}/") for name in TRUSTED)
    }
    assert len(modules) > 100
    found = {f"{file}:{name}" for file, tree in modules.items() for name in openings(tree)}
    assert found == set(OWN)
