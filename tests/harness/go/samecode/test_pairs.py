"""Pairs of real Go packages: what head's benchmarks do otherwise is never called the same.

Each benchmark reports what it has seen (``b.ReportMetric``). Both versions are run: what is called
the same must see the same, and where head sees something else, the reason must be named.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from steady.harness.go.samecode.same_packages import GoBuilds
from tests.harness.go.building import FLAGS, build
from tests.harness.program_trials import written

Files = Mapping[str, str]

CODE = "the test binaries differ: code of the package, or of what it imports"
SHOWN = "the test binaries differ by lines, names or versions, which {} shows"


PACKAGES = (
    *("fmt", "io/fs", "log", "os", "os/exec", "path/filepath", "reflect", "runtime"),
    *("runtime/debug", "strings", "text/template", "testing"),
)
"""What benchmarks may use of Go's library."""


def bench(seen: str, more: str = "") -> str:
    """Return a test file whose benchmark reports a number; it imports what it names."""
    code = (
        "func BenchmarkSeen(b *testing.B) {\n\tn := 0\n\tfor i := 0; i < b.N; i++ {\n\t\tn = 0\n"
        f'\t\t{seen}\n\t}}\n\tb.ReportMetric(float64(n), "seen")\n}}\n'
    )
    named = {*re.findall(r"\b([a-z]+)\.[A-Z]", code + more)}
    imports = "".join(f'\t"{one}"\n' for one in PACKAGES if one.rpartition("/")[2] in named)
    return f"package x\n\nimport (\n{imports})\n\n{more}\n{code}"


def read(path: str) -> str:
    return bench(f"d, _ := os.ReadFile({path}); n = len(d)")


@dataclass(frozen=True)
class Pair:
    """A package in two versions, the reason that is expected, and whether head sees otherwise.

    Files in folders beside it, such as ``../README.md``, are its own too.
    """

    base: Files
    head: Files
    why: str
    of_both: Files = field(default_factory=dict)

    @property
    def otherwise(self) -> bool:
        return bool(self.why)

    @property
    def built_once(self) -> bool:
        """Whether nothing that differs is built: the same sources are the same binary."""
        own = {*self.base, *self.head}
        return not any(name.endswith((".go", ".s")) or name == EMBEDDED for name in own)


def of_tests(base: str, head: str, why: str) -> Pair:
    """Return a pair of which the test file differs."""
    return Pair({"x_test.go": base}, {"x_test.go": head}, why)


def moved(test: str, shows: str) -> Pair:
    """Return a pair of which head has other lines, which something shows."""
    return of_tests(test, COMMENT + test, SHOWN.format(shows))


def with_file(name: str, test: str, why: str | None = None) -> Pair:
    """Return a pair of which one file differs beside the same binaries."""
    reason = f"the file '{name}' differs" if why is None else why
    return Pair({name: "a"}, {name: "abc"}, reason, {"x_test.go": test})


COMMENT = "// One.\n// Two.\n// Three.\n"
LINE = bench("_, _, n, _ = runtime.Caller(0)")
NAME = bench(
    "if strings.HasSuffix(runtime.FuncForPC(reflect.ValueOf(helperAA).Pointer()).Name(), "
    '"B"+"B") { n = 1 }',
    "//go:noinline\nfunc helperAA() int { return 3 }\n",
)
LOG = bench(
    'l := log.New(w{&n}, "", log.Lshortfile); l.Print("x")',
    "type w struct{ n *int }\n\nfunc (v w) Write(p []byte) (int, error) {\n"
    "\tfor _, c := range p {\n\t\t*v.n += int(c)\n\t}\n\treturn len(p), nil\n}\n",
)
OWN = bench(
    "d, _ := os.ReadFile(os.Args[0]); for i, c := range d { n = (n*31 + int(c) + i) % 1000003 }"
)
TABLE = bench("n = table[i&1|1].n", "type op struct{ n int }\n\nvar table = [...]op{{1}, {%d}}")
ORDER = bench("n = first", "var first = order()\n\nvar second = 1\n\n%s")
GENERIC = (
    "type small int64\n\nfunc (s small) Size() int { return 7 }\n\n"
    "func size[T any](v T) int {\n\tif s, ok := any(v).(interface{ Size() int }); ok {\n"
    "\t\treturn s.Size()\n\t}\n\treturn 1\n}\n"
)
ASSEMBLY = (
    '#include "textflag.h"\n\nTEXT ·answer(SB), NOSPLIT, $0-8\n\tMOVQ ${}, ret+0(FP)\n\tRET\n'
)
ANSWER = "package x\n\nfunc answer() int\n\nfunc Answer() int { return answer() }\n"
FIXTURE = bench(
    'e, _ := os.Executable(); d, _ := os.ReadFile(filepath.Join(filepath.Dir(e), "fixtures", '
    '"d.bin")); n = len(d)'
)
LISTS = bench(
    'e, _ := os.ReadDir("."); for _, f := range e { i, _ := f.Info(); n += int(i.Size()) }'
)
WALKS = bench(
    'filepath.WalkDir("..", func(p string, d fs.DirEntry, _ error) error { '
    'if strings.HasSuffix(p, "seen.csv") { n++ }; return nil })'
)
EMBEDDED = "d.txt"
EMBED = f'package x\n\nimport _ "embed"\n\n//go:embed {EMBEDDED}\nvar data []byte\n'
WORDS = read('"testdata/words.json"')
LOADER = (
    "type TestData struct{ a, b int }\n\nfunc (TestData) Load() int {\n"
    '\td, _ := os.ReadFile("d.zqw")\n\treturn len(d)\n}\n\n'
    "var loader interface{ Load() int } = TestData{}\n"
)
TEMPLATE = (
    'd, _ := template.ParseFiles("page.tmpl"); var s strings.Builder; '
    "_ = d.Execute(&s, nil); n = s.Len()"
)
MAIN = (
    "var read int\n\nfunc TestMain(m *testing.M) {\n"
    '\td, _ := os.ReadFile("conf.toml")\n\tread = len(d)\n\tos.Exit(m.Run())\n}\n'
)
ONLY_A_TEST = (
    "func TestGo(t *testing.T) {\n"
    '\td, _ := exec.Command("go", "version").Output()\n\tt.Log(len(d))\n}\n'
)
DOCS = {"README.md": "b", "docs/page.md": "c", "LICENSE": "d", ".github/workflows/test.yml": "e"}

PAIRS = {
    "line": moved(LINE, "runtime.Caller"),
    "function_name": of_tests(NAME, NAME.replace("AA", "BB"), SHOWN.format("runtime.(*Func).Name")),
    "stack": moved(bench("for _, c := range debug.Stack() { n += int(c) }"), "runtime/debug.Stack"),
    "log_with_lines": moved(LOG, "runtime.Caller"),
    "own_binary": moved(OWN, "os.Args"),
    "table": of_tests(TABLE % 2, TABLE % 9, CODE),
    "order_of_init": of_tests(
        ORDER % "func order() int { return second }",
        ORDER % "var third = 2\n\nfunc order() int { return second + third }",
        CODE,
    ),
    "generic": of_tests(
        bench("n = size(int64(i))", GENERIC), bench("n = size(small(i))", GENERIC), CODE
    ),
    "assembly": Pair(
        {"a_amd64.s": ASSEMBLY.format(3)},
        {"a_amd64.s": ASSEMBLY.format(4)},
        CODE,
        {"a.go": ANSWER, "x_test.go": bench("n = Answer()")},
    ),
    "embedded": Pair(
        {EMBEDDED: "a"},
        {EMBEDDED: "z"},
        CODE,
        {"d.go": EMBED, "x_test.go": bench("n = int(data[0])")},
    ),
    "in_testdata": with_file("testdata/words.json", WORDS),
    "fixture": with_file("fixtures/d.bin", FIXTURE),
    "parent": with_file("../of_all/t.json", read('"../of_all/t.json"')),
    "numbered": with_file(
        "part1.bin", bench('d, _ := os.ReadFile(fmt.Sprintf("part%d.bin", i+1)); n = len(d)')
    ),
    "readme": with_file("README.md", read('"README.md"')),
    "no_ending": with_file("LICENSE", read('strings.ToUpper("license")')),
    "size": with_file("d.tsv", bench('s, _ := os.Stat("d.tsv"); n = int(s.Size())')),
    "through_an_interface": with_file(
        "d.ini", bench('d, _ := fs.ReadFile(os.DirFS("."), "d.ini"); n = len(d)')
    ),
    "type_named_like_a_test": with_file("d.zqw", bench("n = loader.Load()", LOADER)),
    "template": with_file("page.tmpl", bench(TEMPLATE)),
    "listed": with_file("qzj.zqj", LISTS),
    "walked": Pair(
        {}, {"deep/seen.csv": "x"}, "the file 'deep/seen.csv' is only in head", {"x_test.go": WALKS}
    ),
    "another_program": with_file(
        "notes.rst", bench('d, _ := exec.Command("cat", "notes.rst").Output(); n = len(d)')
    ),
    "by_main": with_file("conf.toml", bench("n = read", MAIN)),
    "moved_lines": of_tests(bench("n = i * 3"), COMMENT + bench("n = i * 3"), ""),
    "moved_lines_beside_testdata": Pair(
        {"x_test.go": WORDS}, {"x_test.go": COMMENT + WORDS}, "", {"testdata/words.json": "[]"}
    ),
    "readme_beside_testdata": Pair(
        {"README.md": "a"}, DOCS, "", {"x_test.go": WORDS, "testdata/words.json": "[]"}
    ),
    "nothing_is_opened": with_file("testdata/words.json", bench("n = i"), ""),
    "only_a_test_runs_programs": with_file("README.md", bench("n = i", ONLY_A_TEST), ""),
}


AGAIN = {
    "function_name": "line", "stack": "line", "log_with_lines": "line", "own_binary": "line",
    "order_of_init": "table", "fixture": "in_testdata", "numbered": "size", "readme": "size",
    "template": "size",
}  # fmt: skip
"""Pairs of which another is decided in the same way: the one names the other."""


def write(folder: Path, pairs: Mapping[str, Files]) -> Path:
    """Write the packages of one version as a module, and build each in its folder."""
    (folder / "go.mod").parent.mkdir(parents=True)
    (folder / "go.mod").write_text("module example.com/pairs\n\ngo 1.18\n")
    for package, files in pairs.items():
        written(folder / package, files)
    build(folder)
    for package in pairs:
        (folder / "out" / f"{package}.test").rename(folder / package / f"{package}.test")
    return folder


def seen(binary: Path) -> str:
    """Run a binary's benchmark once, in its folder as steady does, and return what it has seen."""
    command = [str(binary), "-test.run=^$", "-test.bench=.", "-test.benchtime=1x"]
    done = subprocess.run(command, cwd=binary.parent, capture_output=True, text=True, timeout=60)
    match = re.search(r"(\S+) seen", done.stdout)
    assert match, done.stdout + done.stderr
    return match[1]


@pytest.fixture(scope="module")
def asked(request: pytest.FixtureRequest) -> Mapping[str, Pair]:
    """Return the pairs that are tried, and those for which every version needs a binary."""
    tests = [one for one in request.session.items if one.path == request.path]
    names = {one.callspec.params["name"] for one in tests if hasattr(one, "callspec")}
    return {name: pair for name, pair in PAIRS.items() if name in names or name not in AGAIN}


@pytest.fixture(scope="module")
def versions(
    asked: Mapping[str, Pair], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("pairs")
    files = {name: {**pair.of_both, **pair.head} for name, pair in asked.items()}
    built = {name: own for name, own in files.items() if not PAIRS[name].built_once}
    one = write(folder / "one", {n: {**p.of_both, **p.base} for n, p in asked.items()})
    two = write(folder / "two", built)
    for name in files.keys() - built.keys():
        written(two / name, files[name])
        shutil.copy(one / name / f"{name}.test", two / name)
    return one, two


@pytest.fixture(scope="module")
def alone(
    asked: Mapping[str, Pair],
    versions: tuple[Path, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """Return a folder with each pair by itself: what differs beside others is theirs."""
    folder = tmp_path_factory.mktemp("alone")
    for side, version in zip(("base", "head"), versions, strict=True):
        for package in asked:
            shutil.copytree(version / package, folder / package / side / package)
        shutil.copytree(version / "of_all", folder / "parent" / side / "of_all")
    return folder


@pytest.mark.needs("go")
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.thorough if n in AGAIN else ()) for n in PAIRS]
)
def test_what_head_does_otherwise_is_never_the_same(name: str, alone: Path) -> None:
    pair = PAIRS[name]
    base, head = alone / name / "base", alone / name / "head"
    (why,) = GoBuilds(base, head).whys.values()
    first, second = (seen(side / name / f"{name}.test") for side in (base, head))
    assert (first != second) == pair.otherwise
    assert why == pair.why


@pytest.mark.needs("go")
def test_what_others_read_does_not_count(versions: tuple[Path, Path]) -> None:
    whys = GoBuilds(*versions).whys
    assert whys["example.com/pairs/nothing_is_opened"] == ""
    assert whys["example.com/pairs/moved_lines"] == ""


def judged(base: Path, head: Path) -> tuple[bool, str]:
    """Return whether two folders with one binary each see otherwise, and the reason."""
    first, second = (seen(next(side.glob("*.test"))) for side in (base, head))
    (why,) = GoBuilds(base, head).whys.values()
    return first != second, why


INFO = bench(
    'v, _ := debug.ReadBuildInfo(); for _, s := range v.Settings { if s.Key == "-tags" { '
    "n = len(s.Value) + int(s.Value[0]) } }"
)


@pytest.mark.needs("go")
def test_what_is_set_by_the_build(tmp_path: Path) -> None:
    mode = bench("n = len(mode)", 'var mode = "slow"')
    one = written(tmp_path / "x", {"go.mod": "module ex/x\n\ngo 1.18\n", "x_test.go": mode})
    base = build(one).rename(tmp_path / "base")
    head = build(one, flags=(*FLAGS, "-ldflags=-X=ex/x.mode=faster"))
    assert judged(base, head) == (True, CODE)
    tags = written(tmp_path / "t", {"go.mod": "module ex/t\n\ngo 1.18\n", "x_test.go": INFO})
    base = build(tags, flags=(*FLAGS, "-tags=slow")).rename(tmp_path / "tags")
    assert judged(base, build(tags, flags=(*FLAGS, "-tags=fast"))) == (
        True,
        SHOWN.format("runtime/debug.ReadBuildInfo"),
    )


@pytest.mark.needs("go")
def test_the_version_of_the_language(tmp_path: Path) -> None:
    loop = bench(
        "var f [3]func() int; for k := 0; k < 3; k++ { f[k] = func() int { return k } }; n = f[0]()"
    )
    base, head = (
        build(written(tmp_path / v, {"go.mod": f"module ex/x\n\ngo {v}\n", "x_test.go": loop}))
        for v in ("1.21", "1.22")
    )
    otherwise, why = judged(base, head)
    assert otherwise
    assert why


@pytest.mark.needs("go")
@pytest.mark.skipif(shutil.which("gcc") is None, reason="cgo needs a C compiler")
def test_a_library_that_lies_beside_the_binary(tmp_path: Path) -> None:
    files = {
        "go.mod": "module ex/c\n\ngo 1.18\n",
        "c.go": 'package x\n\n// int foo(void);\nimport "C"\n\n'
        "func Foo() int { return int(C.foo()) }\n",
        "x_test.go": bench("n = Foo()"),
    }
    source = written(tmp_path / "c", files)
    for name, number in (("base", 1), ("head", 2)):
        written(tmp_path / name, {"foo.c": f"int foo(void) {{ return {number}; }}\n"})
        (tmp_path / name / "lib").mkdir()
        library = tmp_path / name / "lib" / "libfoo.so"
        subprocess.run(
            ["gcc", "-shared", "-fPIC", "-o", str(library), str(tmp_path / name / "foo.c")],
            check=True,
        )
    flags = f"-L{tmp_path / 'base' / 'lib'} -lfoo -Wl,-rpath,$ORIGIN/lib"
    built = build(source, CGO_ENABLED="1", CGO_LDFLAGS=flags)
    for name in ("base", "head"):
        (tmp_path / name / "c.test").write_bytes((built / "c.test").read_bytes())
        (tmp_path / name / "c.test").chmod(0o755)
    otherwise, why = judged(tmp_path / "base", tmp_path / "head")
    assert (otherwise, why) == (True, "the library '$ORIGIN/lib/libfoo.so' differs")
