"""Go packages with identical code paths, checked with binaries of the real Go."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from steady.cli import main
from steady.harness.go.run.test_binaries import BuildInfo
from steady.harness.go.samecode.decide import GoBuilds
from steady.model import Identity
from steady.optimize import read_plan
from steady.readers import load
from tests.harness.go import building
from tests.harness.go.building import FLAGS, SHOP, build_shop
from tests.harness.program_trials import written

TEXT = (SHOP / "text" / "text.go").read_text(encoding="utf-8")
CHANGED = {"text/text.go": TEXT.replace("3", "5")}
UNREACHED = "the test binaries differ, but no call path from it to a change is known"

Build = Callable[..., Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return a function that builds the module's packages in a new folder."""
    return lambda *files, **how: build_shop(tmp_path_factory.mktemp("shop") / "copy", *files, **how)


@pytest.fixture(scope="module")
def base(build: Build) -> Path:
    """Return the binaries of the unchanged module."""
    return build(packages="./alone ./reader ./text ./user")


def compared(base: Path, head: Path) -> dict[str, str]:
    whys = GoBuilds(base, head).reasons
    return {name.rpartition("/")[2]: why for name, why in whys.items()}


def has_equal_bytes(base: Path, head: Path, name: str) -> bool:
    return (base / f"{name}.test").read_bytes() == (head / f"{name}.test").read_bytes()


def test_lines_without_a_value_are_ignored() -> None:
    rows = ("build", "build\tGOAMD64=v1", "build\tvcs.time=1", "mod", "dep\ta\tv1\th1:x")
    built = BuildInfo("go1.26.0", "\n".join(rows))
    assert (built.settings, built.modules) == ({"GOAMD64": "v1"}, {"a": "v1 h1:x"})


@pytest.mark.needs("go")
def test_equal_sources_in_another_folder_result_in_equal_bytes(build: Build, base: Path) -> None:
    again = build(packages="./alone ./text")
    assert all(has_equal_bytes(base, again, name) for name in ("alone", "text"))
    for pair, lacks in (((base, again), "head"), ((again, base), "base")):
        absent = f"{lacks} has no test binary for its package"
        assert compared(*pair) == {"alone": "", "reader": absent, "text": "", "user": absent}
    assert compared(base / "text.test", again / "text.test") == {"text": ""}
    os.link(again / "alone.test", again / "copy.test")
    assert compared(base, again)["alone"] == "head has several test binaries for its package"


@pytest.mark.needs("go")
def test_a_changed_function_affects_all_packages_that_import_it(build: Build, base: Path) -> None:
    whys = compared(base, build(CHANGED, packages="./text ./user"))
    assert whys["text"] == "the test binaries differ: code of the package, or of its imports"
    assert whys["user"] == whys["text"]


@pytest.mark.needs("go")
def test_moved_lines_leave_the_machine_code_unchanged(build: Build, base: Path) -> None:
    moved = TEXT.replace("func", "// Words counts.\n//\n// Three bytes are a word.\nfunc")
    head = build({"text/text.go": moved}, packages="./text ./user")
    for name in ("text", "user"):
        assert not has_equal_bytes(base, head, name)
        assert compared(base, head)[name] == ""


@pytest.mark.needs("go")
def test_different_build_settings_are_named(build: Build, base: Path) -> None:
    sides = [build(files, flags=("-buildvcs=false",)) for files in ({}, CHANGED)]
    assert compared(*sides)["text"] == (
        "the test binaries differ, perhaps only in paths; build base and head with "
        "go test -c -trimpath -buildvcs=false"
    )
    tagged = build(CHANGED, flags=(*FLAGS, "-tags=fast"))
    assert compared(base, tagged)["text"] == "base was built with '-tags' '', head with 'fast'"


@pytest.mark.needs("go")
def test_the_state_of_the_checkout_is_ignored_except_for_the_version(
    base: Path, tmp_path: Path
) -> None:
    shutil.copytree(SHOP, tmp_path, dirs_exist_ok=True)
    git = ("git", "-c", "user.name=a", "-c", "user.email=b@example.com")
    for words in (("init", "-q"), ("add", "go.mod"), ("commit", "-q", "-m", "x")):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    stamped = ("-trimpath", "-buildvcs=true")
    head = building.build(tmp_path, flags=stamped, packages="./text")
    assert compared(base, head)["text"] == (
        "the test binaries differ, and so does the module 'example.com/shop'"
    )


class Beside:
    """Two folders with the same test binary, and other files beside it."""

    def __init__(self, folder: Path, binary: Path) -> None:
        self.roots = [folder / "base", folder / "head"]
        for root in self.roots:
            (root / "pkg").mkdir(parents=True)
            os.link(binary, root / "pkg" / binary.name)

    def write(self, name: str, *contents: str) -> None:
        for root, content in zip(self.roots, contents, strict=False):
            written(root, {name: content}).joinpath(name).chmod(0o644)

    @property
    def why(self) -> str:
        (why,) = compared(*self.roots).values()
        return why


@pytest.fixture
def beside(base: Path, tmp_path: Path) -> Beside:
    return Beside(tmp_path, base / "reader.test")


@pytest.mark.needs("go")
def test_files_in_one_version_are_compared_and_other_folders_are_ignored(beside: Beside) -> None:
    beside.write("pkg/words.txt", "one", "one")
    for name in ("pkg/docs/page.md", "README.md", "pkg/other.test", "other/testdata/x.xml"):
        beside.write(name, "one", "two")
    assert beside.why == ""
    (beside.roots[1] / "pkg/words.txt").unlink()
    assert beside.why == "the file 'words.txt' is only in base"


@pytest.mark.needs("go")
def test_a_binary_without_symbols_cannot_be_analyzed(build: Build, tmp_path: Path) -> None:
    stripped = build(flags=(*FLAGS, "-ldflags=-s -w"), packages="./alone")
    beside = Beside(tmp_path, stripped / "alone.test")
    assert beside.why == ""
    beside.write("README.md", "one", "two")
    assert beside.why == "the file '../README.md' differs"


@pytest.mark.needs("go")
def test_links_to_files_are_followed_and_links_to_folders_are_not(beside: Beside) -> None:
    beside.write("one.qzw", "1", "1")
    for root in beside.roots:
        (root / "pkg" / "testdata").mkdir()
        (root / "pkg" / "testdata" / "link").symlink_to("../../one.qzw")
    assert beside.why == ""
    (beside.roots[1] / "one.qzw").write_text("2")
    assert beside.why == "the file 'testdata/link' differs"
    for root in beside.roots:
        (root / "pkg" / "testdata" / "link").unlink()
        (root / "pkg" / "testdata" / "link").symlink_to("../../docs")
        (root / "docs").mkdir()
    assert beside.why == "the file 'testdata/link' differs"


@pytest.mark.needs("go")
def test_a_pipe_is_not_read(beside: Beside) -> None:
    for root in beside.roots:
        os.mkfifo(root / "pkg" / "pipe")
    assert beside.why == "the file 'pipe' differs"


def test_a_script_is_never_the_same(tmp_path: Path) -> None:
    written(tmp_path, {"p.test": "#!/bin/sh\n"})
    whys = compared(tmp_path, tmp_path)
    assert whys == {"": "its test binary does not record its package"}


EDITS = {
    "Row": ('{"two", 2}', '{"ten", 2}', "data.Row refers to data.rows, which changed"),
    "Size": ("8, 13", "8, 14", "data.Size refers to data.sizes, which changed"),
    "Named": ('"b": 2', '"b": 4', "data.Named refers to data.byName, which changed"),
    "Count": ('"M": 13', '"M": 7', "data.Count refers to data.counts, which changed"),
    "Kept": ('Repeat("k"', 'Repeat("z"', "data.Kept refers to data.kept, which changed"),
    "Greet": ("good morning", "good evening", "data.Greet changed"),
    "Scale": ("1.5", "2.5", "data.Scale changed"),
    "Picked": ("fast(n) }", "slow(n) }", "data.BenchmarkPicked changed"),
    "Far": ("n / 3", "n / 5", "data.words changed"),
    "Near": ("n / 3", "n / 5", "data.words changed"),
}
HALVES = ("Row", "Named", "Kept", "Scale", "Far", "Near"), ("Size", "Count", "Greet", "Picked")
"""Benchmarks whose edits are made together: all others reach no change."""


@pytest.mark.needs("go")
def test_the_nearest_change_is_found_by_paths(build: Build) -> None:
    base = build(packages="./data")
    before = (SHOP / "data" / "data.go").read_text(encoding="utf-8")
    names = [Identity(f"example.com/shop/data.Benchmark{name}") for name in ("Other", *EDITS)]
    for half in HALVES:
        after = before
        for old, new in dict(EDITS[name][:2] for name in half).items():
            assert old in before
            after = after.replace(old, new)
        head = build({"data/data.go": after}, packages="./data")
        made = GoBuilds(base, head).decisions({"base": names, "head": names})
        near = {one.identity.method.removeprefix("Benchmark"): one for one in made if one.distance}
        assert {name: one.why for name, one in near.items()} == {n: EDITS[n][2] for n in half}
        assert {one.why for one in made if not one.distance} == {UNREACHED}
        if "Far" in half:
            assert (near["Far"].distance, near["Near"].distance) == (3, 2)
            assert near["Near"].share > near["Far"].share > 0


def steady(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


@pytest.mark.needs("go")
def test_from_two_builds_to_a_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    five = {"text/text.go": (SHOP / "text" / "text.go").read_text().replace("3", "5")}
    base, head = (
        build_shop(tmp_path / name, files, packages="./text ./alone")
        for name, files in (("one", {}), ("two", five))
    )
    sides = ["--base", base, "--head", head]
    assert steady("changed", *sides) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("may differ  example.com/shop/text.BenchmarkWords")
    assert printed[0].endswith(": text.BenchmarkWords changed")
    assert printed[1].startswith("same        example.com/shop/alone.BenchmarkAlone")
    assert "BenchmarkAlone/" not in printed[1]  # its sub-benchmarks need not run for that
    assert printed[2] == "1 of 2 benchmarks runs the same code"

    full = ["--full", "2x4", "--iteration-seconds", "0.001", "--jar", base]
    assert steady("run", *full, "--only", "Words|Alone", "--out", tmp_path / "full") == 0
    assert {len(b.measurements) for b in load(tmp_path / "full").values()} == {2}
    plan = tmp_path / ".steady"
    assert steady("optimize", tmp_path / "full", "--out", plan, "--min-forks", "2") == 0
    assert (plan / "go-test.txt").is_file()
    assert read_plan(plan / "plan.json").only == "Words|Alone"
    out = tmp_path / "pair"
    assert steady("run", "--plan", plan, *sides, "--out", out) == 0
    listed = json.loads((out / "same-code.json").read_text())
    assert [len(listed[name]) for name in ("same", "controls", "others")] == [2, 1, 1]
    both = [load(out / f"{side}.txt") for side in ("base", "head")]
    assert [len(side) for side in both] == [2, 2]
    assert all(one.blocks == both[1][identity].blocks != () for identity, one in both[0].items())
    capsys.readouterr()
    compared = ["compare", "--base", out / "base.txt", "--head", out / "head.txt"]
    assert steady(*compared, "--fail-on", "never") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "3 of 4 benchmarks run the same code" in shown
