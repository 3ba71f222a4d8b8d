"""Pairs of real Go packages: benchmarks with different behaviour are never skipped.

``pairs.txt`` contains packages in two versions, each with the expected reason (see
`tests.harness.pair_texts`). The benchmark of a package runs the code after ``>>>``, and reports the
number ``n`` that it computes. Both versions are run: if the code is considered the same, the
numbers must be equal, and if they differ, the decision must have a reason. Files such as
``../README.md`` belong to the package too. A pair with the note ``again`` repeats an earlier
decision.
"""

import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from steady.harness.go.samecode.decide import GoBuilds
from tests.harness.go.building import FLAGS, build
from tests.harness.pair_texts import SIDES, PairText, pairs_in
from tests.harness.program_trials import written

CODE = "the test binaries differ: code of the package, or of its imports"
PAIRS = pairs_in(Path(__file__).with_name("pairs.txt"))
PACKAGES = (
    *("fmt", "io/fs", "log", "os", "os/exec", "path/filepath", "reflect", "runtime"),
    *("runtime/debug", "strings", "text/template", "testing"),
)
"""What benchmarks may use of Go's library."""


def bench(seen: str, more: str = "") -> str:
    """Return a test file whose benchmark reports a number, with the imports that it needs."""
    code = (
        "func BenchmarkSeen(b *testing.B) {\n\tn := 0\n\tfor i := 0; i < b.N; i++ {\n\t\tn = 0\n"
        f'\t\t{seen}\n\t}}\n\tb.ReportMetric(float64(n), "seen")\n}}\n'
    )
    named = {*re.findall(r"\b([a-z]+)\.[A-Z]", code + more)}
    imports = "".join(f'\t"{one}"\n' for one in PACKAGES if one.rpartition("/")[2] in named)
    return f"package x\n\nimport (\n{imports})\n\n{more}\n{code}"


def files_of(pair: PairText, side: str) -> dict[str, str]:
    files = pair.files(side)
    declared, _, seen = files["x_test.go"].partition(">>> ")
    return {**files, "x_test.go": bench(seen, declared)}


def write(folder: Path, pairs: Iterable[PairText], side: str) -> Path:
    """Write the packages of one version as a module, and build each in its folder."""
    written(folder, {"go.mod": "module example.com/pairs\n\ngo 1.18\n"})
    names = [written(folder / pair.name, files_of(pair, side)).name for pair in pairs]
    build(folder)
    for name in names:
        (folder / "out" / f"{name}.test").rename(folder / name / f"{name}.test")
    return folder


def is_built_once(pair: PairText) -> bool:
    """Return whether the sources are equal, so that one binary is enough."""
    base, head = (files_of(pair, side) for side in SIDES)
    differing = (name for name in {**base, **head} if base.get(name) != head.get(name))
    return not any(name.endswith((".go", ".s", "d.txt")) for name in differing)  # one embeds d.txt


def seen(binary: Path) -> str:
    """Run a benchmark once in the folder of its binary, like steady, and return its number."""
    command = [str(binary), "-test.run=^$", "-test.bench=.", "-test.benchtime=1x"]
    done = subprocess.run(command, cwd=binary.parent, capture_output=True, text=True, timeout=60)
    match = re.search(r"(\S+) seen", done.stdout)
    assert match, done.stdout + done.stderr
    return match[1]


def judged(base: Path, head: Path) -> tuple[bool, str]:
    """Return whether the binaries of two folders report different numbers, and the reason."""
    first, second = (seen(next(side.rglob("*.test"))) for side in (base, head))
    (why,) = GoBuilds(base, head).reasons.values()
    return first != second, why


@pytest.mark.needs("go")
@pytest.mark.parametrize("again", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_different_behaviour_of_head_is_never_the_same_code(again: bool, tmp_path: Path) -> None:
    pairs = [pair for pair in PAIRS if ("again" in pair.notes) == again]
    base = write(tmp_path / "base", pairs, "base")
    head = write(tmp_path / "head", [one for one in pairs if not is_built_once(one)], "head")
    found: dict[str, tuple[bool, str]] = {}
    for pair in pairs:
        if is_built_once(pair):
            written(head / pair.name, files_of(pair, "head"))
            shutil.copy(base / pair.name / f"{pair.name}.test", head / pair.name)
        alone = tmp_path / "alone" / pair.name  # files beside other packages belong to these
        for side in (base, head):
            for name in (pair.name, *({"of_all"} if pair.name == "parent" else ())):
                shutil.copytree(side / name, alone / side.name / name)
        found[pair.name] = judged(alone / "base", alone / "head")
    expected = {pair.name: pair.text.strip() for pair in pairs}
    assert found == {name: (bool(why), why) for name, why in expected.items()}
    if not again:  # files that other packages read are ignored
        whys = GoBuilds(base, head).reasons
        assert whys["example.com/pairs/nothing_is_opened"] == ""
        assert whys["example.com/pairs/moved_lines"] == ""


def in_a_module(folder: Path, name: str, files: Mapping[str, str], go: str = "1.18") -> Path:
    return written(folder / name, {"go.mod": f"module ex/{name}\n\ngo {go}\n", **files})


@pytest.mark.needs("go")
def test_settings_of_the_build(tmp_path: Path) -> None:
    mode = bench("n = len(mode)", 'var mode = "slow"')
    one = in_a_module(tmp_path, "x", {"x_test.go": mode})
    base = build(one).rename(tmp_path / "base")
    head = build(one, flags=(*FLAGS, "-ldflags=-X=ex/x.mode=faster"))
    assert judged(base, head) == (True, CODE)
    info = bench(
        'v, _ := debug.ReadBuildInfo(); for _, s := range v.Settings { if s.Key == "-tags" { '
        "n = len(s.Value) + int(s.Value[0]) } }"
    )
    tags = in_a_module(tmp_path, "t", {"x_test.go": info})
    base = build(tags, flags=(*FLAGS, "-tags=slow")).rename(tmp_path / "tags")
    otherwise, why = judged(base, build(tags, flags=(*FLAGS, "-tags=fast")))
    assert (otherwise, why.rpartition(", which ")[2]) == (
        True,
        "runtime/debug.ReadBuildInfo can read",
    )


@pytest.mark.needs("go")
def test_the_version_of_the_language(tmp_path: Path) -> None:
    loop = bench(
        "var f [3]func() int; for k := 0; k < 3; k++ { f[k] = func() int { return k } }; n = f[0]()"
    )
    base, head = (
        build(in_a_module(tmp_path / go, "x", {"x_test.go": loop}, go)) for go in ("1.21", "1.22")
    )
    otherwise, why = judged(base, head)
    assert otherwise
    assert why


@pytest.mark.needs("go")
@pytest.mark.skipif(shutil.which("gcc") is None, reason="cgo needs a C compiler")
def test_a_library_beside_the_binary(tmp_path: Path) -> None:
    code = 'package x\n\n// int foo(void);\nimport "C"\n\nfunc Foo() int { return int(C.foo()) }\n'
    source = in_a_module(tmp_path, "c", {"c.go": code, "x_test.go": bench("n = Foo()")})
    sides = [tmp_path / "base", tmp_path / "head"]
    for number, side in enumerate(sides):
        written(side, {"foo.c": f"int foo(void) {{ return {number}; }}\n"})
        (side / "lib").mkdir()
        command = ["gcc", "-shared", "-fPIC", "-o", "lib/libfoo.so", "foo.c"]
        subprocess.run(command, cwd=side, check=True)
    flags = f"-L{sides[0] / 'lib'} -lfoo -Wl,-rpath,$ORIGIN/lib"
    built = build(source, CGO_ENABLED="1", CGO_LDFLAGS=flags)
    for side in sides:
        shutil.copy(built / "c.test", side)
    assert judged(*sides) == (True, "the library '$ORIGIN/lib/libfoo.so' differs")
