"""Which packages of Go run the same code: held against binaries that the real Go builds."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from steady.harness.go.samecode.same_packages import GoBuilds
from steady.model import Identity
from tests.harness.go import building
from tests.harness.go.building import FLAGS
from tests.harness.program_trials import written

MODULE = {
    "go.mod": "module example.com/shop\n\ngo 1.18\n",
    "text/text.go": "package text\n\nfunc Words(line string) int { return len(line) / 3 }\n",
    "text/text_test.go": (
        'package text\n\nimport "testing"\n\nvar sink int\n\n'
        'var line = "one two"\n\n'
        "func BenchmarkWords(b *testing.B) {\n"
        "\tfor i := 0; i < b.N; i++ {\n\t\tsink = Words(line)\n\t}\n}\n"
    ),
    "user/user_test.go": (
        'package user\n\nimport (\n\t"testing"\n\n\t"example.com/shop/text"\n)\n\nvar sink int\n\n'
        "func BenchmarkUser(b *testing.B) {\n"
        "\tfor i := 0; i < b.N; i++ {\n\t\tsink = text.Words(b.Name())\n\t}\n}\n"
    ),
    "reader/reader_test.go": (
        'package reader\n\nimport (\n\t"os"\n\t"testing"\n)\n\n'
        "func BenchmarkReader(b *testing.B) {\n"
        '\tfor _, name := range []string{"words.txt", "testdata/a/b.json", "../testdata/a.json", '
        '"testdata/link", "pipe"} {\n\t\t_, _ = os.ReadFile(name)\n\t}\n}\n'
    ),
    "alone/alone_test.go": (
        'package alone\n\nimport "testing"\n\n'
        "func BenchmarkAlone(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t}\n}\n"
    ),
}
TEXT = MODULE["text/text.go"]
UNREACHED = "the test binaries differ, but no call from it to a change is known"

Build = Callable[..., Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return a function that writes the module, with other files, and builds its binaries."""

    def build(
        files: Mapping[str, str] = {}, flags: tuple[str, ...] = FLAGS, packages: str = "./..."
    ) -> Path:
        folder = tmp_path_factory.mktemp("shop")
        written(folder, MODULE | dict(files))
        return building.build(folder, flags=flags, packages=packages)

    return build


@pytest.fixture(scope="module")
def base(build: Build) -> Path:
    """Return the binaries of the module as it is."""
    return build()


@pytest.fixture(scope="module")
def again(build: Build) -> Path:
    """Return the binaries of the same sources in another folder."""
    return build()


@pytest.fixture(scope="module")
def alone(build: Build) -> Path:
    """Return a folder with one of the binaries."""
    return build(packages="./alone")


def compared(base: Path, head: Path) -> dict[str, str]:
    whys = GoBuilds(base, head).whys
    return {name.rpartition("/")[2]: why for name, why in whys.items()}


def equal_bytes(base: Path, head: Path) -> list[str]:
    paths = sorted(base.glob("*.test"))
    return [p.stem for p in paths if p.read_bytes() == (head / p.name).read_bytes()]


def same(base: Path, head: Path) -> list[str]:
    return [name for name, why in compared(base, head).items() if not why]


@pytest.mark.needs("go")
def test_the_same_source_in_another_folder_is_the_same_bytes(again: Path, base: Path) -> None:
    assert equal_bytes(base, again) == ["alone", "reader", "text", "user"]
    assert compared(base, again) == {"alone": "", "reader": "", "text": "", "user": ""}
    assert same(base / "text.test", again / "text.test") == ["text"]


@pytest.mark.needs("go")
def test_a_changed_function_concerns_its_package_and_those_that_import_it(
    build: Build, base: Path
) -> None:
    whys = compared(base, build({"text/text.go": TEXT.replace("3", "5")}))
    assert whys["alone"] == ""
    assert whys["text"] == "the test binaries differ: code of the package, or of what it imports"
    assert whys["user"] == whys["text"]


@pytest.mark.needs("go")
def test_lines_that_moved_are_the_same_machine_code(build: Build, base: Path) -> None:
    moved = TEXT.replace("func", "// Words counts.\n//\n// Three bytes are a word.\nfunc")
    head = build({"text/text.go": moved})
    assert equal_bytes(base, head) == ["alone", "reader"]
    assert same(base, head) == ["alone", "reader", "text", "user"]


@pytest.mark.needs("go")
def test_without_trimpath_the_remedy_is_named(build: Build) -> None:
    changed = {"text/text.go": TEXT.replace("3", "5")}
    whys = compared(*(build(f, ("-buildvcs=false",), "./text") for f in ({}, changed)))
    assert whys["text"] == (
        "the test binaries differ, perhaps only by paths; build base and head with "
        "go test -c -trimpath -buildvcs=false"
    )


@pytest.mark.needs("go")
def test_other_tags_are_named(build: Build) -> None:
    tagged = {
        "text/text.go": "//go:build !fast\n\n" + TEXT,
        "text/fast.go": "//go:build fast\n\n" + TEXT.replace("3", "5"),
    }
    tags = (FLAGS, (*FLAGS, "-tags=fast"))
    whys = compared(*(build(tagged, flags, "./text") for flags in tags))
    assert set(whys.values()) == {"base was built with '-tags' '', head with 'fast'"}


@pytest.mark.needs("go")
def test_the_state_of_the_checkout_does_not_count(build: Build, base: Path) -> None:
    head = build(packages="./text")
    git = ("git", "-c", "user.name=a", "-c", "user.email=b@example.com")
    for words in (("init", "-q"), ("add", "go.mod"), ("commit", "-q", "-m", "x")):
        subprocess.run([*git, *words], cwd=head.parent, check=True)
    building.build(head.parent, "out/text.test", flags=("-trimpath",), packages="./text")
    assert same(base, head) == ["text"]


@pytest.mark.needs("go")
def test_a_package_that_one_version_lacks_or_has_twice(base: Path, alone: Path) -> None:
    assert compared(base, alone)["text"] == "head has no test binary of its package"
    assert compared(alone, base)["text"] == "base has no test binary of its package"
    assert same(base, alone) == same(alone, base) == ["alone"]
    os.link(alone / "alone.test", alone / "copy.test")
    assert compared(base, alone)["alone"] == "head has several test binaries of its package"


class Beside:
    """Two folders with one and the same test binary, and files around it."""

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
def test_a_file_that_only_one_holds_counts(beside: Beside) -> None:
    beside.write("pkg/words.txt", "one", "one")
    assert beside.why == ""
    (beside.roots[1] / "pkg/words.txt").unlink()
    assert beside.why == "the file 'words.txt' is only in base"


@pytest.mark.needs("go")
def test_other_folders_and_binaries_do_not_count(beside: Beside) -> None:
    beside.write("pkg/docs/page.md", "one", "two")
    beside.write("README.md", "one", "two")
    beside.write("pkg/other.test", "one", "two")
    beside.write("other/testdata/x.xml", "one", "two")
    assert beside.why == ""


@pytest.mark.needs("go")
def test_nothing_is_known_of_a_binary_without_symbols(build: Build, tmp_path: Path) -> None:
    stripped = build(flags=(*FLAGS, "-ldflags=-s -w"), packages="./alone")
    beside = Beside(tmp_path, stripped / "alone.test")
    assert beside.why == ""
    beside.write("README.md", "one", "two")
    assert beside.why == "the file '../README.md' differs"


@pytest.mark.needs("go")
def test_the_nearest_to_a_change_is_known_by_its_ways(build: Build) -> None:
    code = (
        "package text\n\n//go:noinline\nfunc words(n int) int { return n / 3 }\n\n"
        "//go:noinline\nfunc lines(n int) int { return words(n) + 1 }\n\n"
        "//go:noinline\nfunc other(n int) int { return n * 7 }\n\n"
        "func Words(line string) int { return lines(len(line)) }\n"
    )
    loops = "".join(
        f"func Benchmark{name}(b *testing.B) {{\n\tfor i := 0; i < b.N; i++ {{\n"
        f"\t\tsink = {call}\n\t}}\n}}\n"
        for name, call in (("Far", "lines(i)"), ("Near", "words(i)"), ("Other", "other(i)"))
    )
    test = 'package text\n\nimport "testing"\n\nvar sink int\n\n' + loops
    files = {"text/text.go": code, "text/text_test.go": test}
    changed = {**files, "text/text.go": code.replace("n / 3", "n / 5")}
    base, head = build(files, packages="./text"), build(changed, packages="./text")
    names = [Identity(f"example.com/shop/text.Benchmark{x}") for x in ("Other", "Far", "Near")]
    made = GoBuilds(base, head).decisions({"base": names, "head": names})
    assert [one.distance for one in made] == [0, 3, 2]
    assert made[2].share > made[1].share > 0
    assert [one.why for one in made] == [UNREACHED, "text.words changed", "text.words changed"]


DATA = """package text

import "strings"

type row struct{ word string; n int }

var rows = []row{{"one", 1}, {"two", 2}, {"six", 6}}

var sizes = [...]int64{3, 5, 8, 13, 21, 34, 55, 89}

var byName = map[string]int{"a": 1, "b": 2, "c": 3}

var kept = strings.Repeat("k", 3)

var counts = map[string]int{"A": 1, "B": 2, "C": 3, "D": 4, "E": 5, "F": 6, "G": 7, "H": 8,
	"I": 9, "J": 10, "K": 11, "L": 12, "M": 13, "N": 14, "O": 15, "P": 16, "Q": 17, "R": 18,
	"S": 19, "T": 20, "U": 21, "V": 22, "W": 23, "X": 24, "Y": 25, "Z": 26}

//go:noinline
func Row(n int) string { return rows[n%3].word }

//go:noinline
func Size(n int) int { return int(sizes[n&7]) }

//go:noinline
func Named(key string) int { return byName[key] }

//go:noinline
func Count(key string) int { return counts[key] }

//go:noinline
func Kept() int { return len(kept) }

//go:noinline
func Greet() string { return "good morning" }

//go:noinline
func Scale(x float64) float64 { return x * 1.5 }

//go:noinline
func fast(n int) int { return n + 1 }

//go:noinline
func slow(n int) int { return n + 2 }

func Picked(n int) int { return fast(n) }
"""
CALLS = {
    "Row": "len(Row(i))",
    "Size": "Size(i)",
    "Named": 'Named("a")',
    "Count": 'Count("A")',
    "Kept": "Kept()",
    "Greet": "int(Greet()[i&7])",
    "Scale": "int(Scale(float64(i)))",
    "Picked": "Picked(i)",
}
CHANGED = {
    "Row": ('{"two", 2}', '{"ten", 2}', "text.Row names text.rows, which changed"),
    "Size": ("8, 13", "8, 14", "text.Size names text.sizes, which changed"),
    "Named": ('"b": 2', '"b": 4', "text.Named names text.byName, which changed"),
    "Count": ('"M": 13', '"M": 7', "text.Count names text.counts, which changed"),
    "Kept": ('Repeat("k"', 'Repeat("z"', "text.Kept names text.kept, which changed"),
    "Greet": ("good morning", "good evening", "text.Greet changed"),
    "Scale": ("1.5", "2.5", "text.Scale changed"),
    "Picked": ("fast(n) }", "slow(n) }", "text.BenchmarkPicked changed"),
}


@pytest.mark.needs("go")
def test_who_names_changed_data_is_the_nearest(build: Build) -> None:
    loops = "".join(
        f"func Benchmark{name}(b *testing.B) {{\n\tfor i := 0; i < b.N; i++ {{\n"
        f"\t\tsink = {call}\n\t}}\n}}\n"
        for name, call in CALLS.items()
    )
    test = 'package text\n\nimport "testing"\n\nvar sink int\n\n' + loops
    files = {"text/text.go": DATA, "text/text_test.go": test}
    base = build(files, packages="./text")
    names = [Identity(f"example.com/shop/text.Benchmark{name}") for name in CALLS]
    for half in ([*CHANGED][::2], [*CHANGED][1::2]):  # the others reach no change
        data = DATA
        for name in half:
            old, new, _ = CHANGED[name]
            assert old in data
            data = data.replace(old, new)
        head = build({**files, "text/text.go": data}, packages="./text")
        made = GoBuilds(base, head).decisions({"base": names, "head": names})
        near = {one.identity.method.removeprefix("Benchmark"): one for one in made if one.distance}
        assert {name: one.why for name, one in near.items()} == {n: CHANGED[n][2] for n in half}
        assert {one.why for one in made if not one.distance} == {UNREACHED}


@pytest.mark.needs("go")
def test_links_are_followed_to_files_and_folders_behind_links_are_unknown(beside: Beside) -> None:
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
    assert whys == {"": "its test binary does not say which package it tests"}
