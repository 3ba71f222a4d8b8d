"""Changed functions of a Go module, and those that no benchmark reaches, with binaries of real Go.

Coverage by `go test -cover` is the oracle: a function that benchmarks execute is never named.
"""

import re
import subprocess
from pathlib import Path

import pytest

from steady.harness.go.samecode.changed_methods import as_methods
from steady.harness.go.samecode.decide import GoBuilds
from steady.harness.trial import Held
from tests.harness.go.building import FLAGS, build_shop

TEXT = """package text

import "sort"

type Words interface{{ Len() int }}

type Line string

func (line Line) Len() int {{ return len(line) / {n} }}

type Page []Line

//go:noinline
func (page *Page) Skip(n int) {{ *page = (*page)[n+{n}:] }}

func small(n int) int {{ return n*{n} + 1 }}

//go:noinline
func Count(line string) int {{ return small(len(line)) }}

//go:noinline
func Sorted(lines []string) {{
	sort.Slice(lines, func(i, j int) bool {{ return len(lines[i])*{n} < len(lines[j]) }})
}}

//go:noinline
func Each(lines []string) (sum int) {{
	visit := func(line string) {{ sum += len(line) * {n}; println(sum) }}
	for _, line := range lines {{
		visit(line)
		defer func() {{ println(line, {n}) }}()
	}}
	return sum
}}

//go:noinline
func Largest[T int | string](values ...T) (found T) {{
	for i := {n}; i < len(values); i++ {{
		if values[i] > found {{
			found = values[i]
		}}
	}}
	return found
}}

//go:noinline
func Same(line string) string {{ return line + "!" }}
"""
TEST = """package text

import "testing"

var sink int

//go:noinline
func helper(n int) int {{ return n + {n} }}

func TestAll(t *testing.T) {{
	page := make(Page, 9)
	page.Skip(1)
	sink = Each([]string{{"a"}}) + helper(Largest(1, 2)) + len(Same("a"))
	if Largest("a", "b") == "" {{
		t.Fatal()
	}}
}}

func BenchmarkCount(b *testing.B) {{
	for i := 0; i < b.N; i++ {{
		sink = Count("one two")
		Sorted([]string{{"a", "b"}})
	}}
}}
"""
PACKAGE = "example.com/shop/text"


def version(n: int) -> dict[str, str]:
    return {"text/text.go": TEXT.format(n=n), "text/text_test.go": TEST.format(n=n)}


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build both versions."""
    folder = tmp_path_factory.mktemp("sides")
    base, head = (build_shop(folder / str(n), version(n)) for n in (2, 3))
    return base, head


def executed(folder: Path) -> set[str]:
    """Return the functions that the benchmarks execute, according to Go's coverage."""
    profile = folder / "cover.out"
    command = ["go", "test", "-run=^$", "-bench=.", "-benchtime=1x", f"-coverprofile={profile}"]
    subprocess.run([*command, "./text"], cwd=folder, check=True, capture_output=True)
    words = ["go", "tool", "cover", f"-func={profile}"]
    listed = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stdout
    return {
        name for name, share in re.findall(r"(\w+)\s+([\d.]+)%$", listed, re.M) if share != "0.0"
    }


@pytest.mark.needs("go")
def test_functions_that_only_tests_call_are_not_reached(sides: tuple[Path, Path]) -> None:
    methods = GoBuilds(*sides).changed_methods({"base": [], "head": []})
    assert methods is not None
    assert {one.holder for one in methods} == {PACKAGE}
    assert {one.name: one.reached for one in methods} == {
        "(*Page).Skip": False,
        "Count": True,
        "Each": False,
        "Largest[...]": False,
        "Sorted": True,
    }
    named = {one.short for one in methods if not one.reached}
    assert named == {"text.(*Page).Skip", "text.Each", "text.Largest[...]"}
    ran = executed(sides[1].parent)
    assert {"Count", "Sorted", "small"} <= ran
    assert not ran & {"Skip", "Each", "Largest"}


@pytest.mark.needs("go")
def test_an_inlined_function_is_reached_with_its_caller(tmp_path: Path) -> None:
    """The benchmark reaches `small` only where it is inlined; a test calls it."""
    call = TEST.format(n=2).replace("helper(Largest", "apply(small) + helper(Largest")
    more = "//go:noinline\nfunc apply(f func(int) int) int {{ return f({n}) }}\n"
    folders = [
        build_shop(
            tmp_path / str(n),
            {"text/text.go": TEXT.format(n=n), "text/text_test.go": call + more.format(n=1)},
        )
        for n in (2, 3)
    ]
    methods = GoBuilds(*folders).changed_methods({"base": [], "head": []})
    assert methods is not None
    assert {one.name for one in methods if one.reached} == {"Count", "Sorted", "small"}


@pytest.mark.needs("go")
def test_equal_and_incomparable_binaries(sides: tuple[Path, Path], tmp_path: Path) -> None:
    nothing: Held = {"base": [], "head": []}
    assert GoBuilds(sides[0], sides[0]).changed_methods(nothing) == ()
    tagged = build_shop(tmp_path / "tagged", version(3), flags=(*FLAGS, "-tags=fast"))
    assert GoBuilds(sides[0], tagged).changed_methods(nothing) is None
    stripped = build_shop(tmp_path / "stripped", version(3), flags=(*FLAGS, "-ldflags=-s"))
    assert GoBuilds(sides[0], stripped).changed_methods(nothing) is None


def test_closures_count_for_the_function_that_contains_them() -> None:
    known = frozenset({"a.com/b.F", "a.com/b.(*T).M", "a.com/b.G", "a.com/b.F.func1"})
    changed = ["a.com/b.F.func1.2", "a.com/b.G.F.func1", "a.com/b.(*T).M-fm", "a.com/b.init.0"]
    methods = as_methods(changed, frozenset({"a.com/b.F"}), known)
    assert [(one.holder, one.name, one.reached) for one in methods] == [
        ("a.com/b", "(*T).M", False),
        ("a.com/b", "F", True),
        ("a.com/b", "G", False),
        ("a.com/b", "init", False),
    ]
