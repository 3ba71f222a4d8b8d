"""A plan as annotations: sources before and after, and the patch between them.

Each pair has three parts, separated by ``======``: plans of benchmarks, as ``name forks warmup
iterations seconds``; the source; and the expected new source, or ``=`` if it is unchanged.
"""

import random
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from steady.emit import PATCH, emit
from steady.errors import InputError, MissingToolError
from steady.harness.jmh.annotate import grammar
from steady.harness.jmh.annotate.annotating import annotate, read_file, ready
from steady.harness.jmh.annotate.names import evaluate
from steady.harness.jmh.annotate.patch import patch_of
from steady.harness.plan_files import Patched
from steady.model import ExecutionConfiguration as Configuration
from steady.plan.suite_plan import BenchmarkPlan, Plan
from tests.harness.planned import planned

PAIRS = sorted(Path(__file__).with_name("pairs").glob("*.txt"))
HEAD = b"package p;\n\nimport org.openjdk.jmh.annotations.*;\n\npublic class A {\n"


def entry(line: str) -> BenchmarkPlan:
    """Return the plan of a benchmark from ``A.m 3 5 6 1.0``, optionally with a value of ``n``."""
    name, forks, warmup, iterations, seconds, *values = line.split()
    time = float(seconds)
    configuration = Configuration(int(forks), int(warmup), int(iterations), time, time)
    if values:
        return planned(f"p.{name}", configuration, n=values[0])
    return planned(f"p.{name}", configuration)


def read_pair(path: Path) -> tuple[Plan, bytes, bytes]:
    """Return the plan, the source, and the expected new source."""
    plans, before, after = path.read_bytes().split(b"======\n")
    entries = tuple(map(entry, plans.decode().splitlines()))
    return Plan(entries, "uoptime"), before, before if after == b"=\n" else after


def name_of(pair: Path) -> str:
    return f"A.{pair.stem.partition('_')[0]}"


def applied(folder: Path, patch: bytes) -> None:
    done = subprocess.run(["git", "apply", "-"], cwd=folder, input=patch, capture_output=True)
    assert done.returncode == 0, done.stderr


def annotated(folder: Path, text: bytes, *lines: str, name: str = "A.java") -> Patched:
    """Annotate a source, apply the patch, and check that the same plan changes nothing again."""
    path = folder / name
    path.write_bytes(text)
    plan = Plan(tuple(map(entry, lines)), "uoptime")
    patched = annotate(plan, folder)
    if patched.patch:
        applied(folder, patched.patch)
        assert {path: path.read_bytes()} == patched.files
    assert annotate(plan, folder).patch == b""
    return patched


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.stem)
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "BOM"])
def test_pairs(pair: Path, ending: bytes, mark: bytes, tmp_path: Path) -> None:
    plan, before, after = (
        mark + part.replace(b"\n", ending) if isinstance(part, bytes) else part
        for part in read_pair(pair)
    )
    assert isinstance(plan, Plan)
    assert isinstance(before, bytes)
    path = tmp_path / name_of(pair)
    path.write_bytes(before)
    patched = annotate(plan, tmp_path)
    if patched.patch:
        applied(tmp_path, patched.patch)
    assert path.read_bytes() == after
    assert annotate(plan, tmp_path).patch == b"", "the same plan changes nothing again"
    assert read_file(path, path.read_bytes()).shape == read_file(path, before).shape


def test_end_of_file_is_preserved(tmp_path: Path) -> None:
    text = HEAD + b"    @Benchmark\n    public void m() {}\n}"
    annotated(tmp_path, text, "A.m 3 5 6 1")
    assert (tmp_path / "A.java").read_bytes().endswith(b"public void m() {}\n}")
    short = b"package p; import org.openjdk.jmh.annotations.*; class A { @Benchmark void m() {} }"
    annotated(tmp_path, short, "A.m 3 5 6 1")
    assert b"@Fork(3) @Benchmark void m" in (tmp_path / "A.java").read_bytes()


def test_unusual_file_names_and_encodings(tmp_path: Path) -> None:
    latin = HEAD + "    // é\n    @Benchmark\n    public void m() {}\n}\n".encode("latin-1")
    annotated(tmp_path, latin, "A.m 3 5 6 1", name='a "b\\ é.java')
    assert b"// \xe9\n" in (tmp_path / 'a "b\\ é.java').read_bytes()


def test_paths_are_relative_to_the_repository_and_its_patch_is_replaced(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    sources, out = tmp_path / "sub" / "src", tmp_path / ".steady"
    sources.mkdir(parents=True)
    (sources / "A.java").write_bytes(HEAD + b"    @Benchmark\n    public void m() {}\n}\n")
    plan = Plan((entry("A.m 3 5 6 1"),), "uoptime")
    emitted = emit(plan, out, annotations=sources)
    assert out / PATCH in emitted.files
    assert b"--- a/sub/src/A.java\n" in (out / PATCH).read_bytes()
    applied(tmp_path, (out / PATCH).read_bytes())
    assert [*emitted.sources.values()] == [(sources / "A.java").read_bytes()]
    again = emit(plan, out, annotations=sources)
    assert not (out / PATCH).exists()
    assert again.notes[-1] == "no annotation has to change, so there is no annotations.patch"
    other = emit(Plan((), "uoptime", harness="go"), out, annotations=sources)
    assert other.notes[-1] == "no annotations are written for go, only for JMH"


def test_benchmarks_that_keep_their_full_run_are_unchanged(tmp_path: Path) -> None:
    text = HEAD + b"    @Benchmark public void m() {}\n    @Benchmark public void k() {}\n}\n"
    (tmp_path / "A.java").write_bytes(text)
    kept = replace(entry("A.k 3 5 6 1"), status="insufficient")
    patched = annotate(Plan((entry("A.m 3 5 6 1"), kept), "uoptime"), tmp_path)
    [source] = patched.files.values()
    assert b"    @Benchmark public void k() {}\n" in source
    assert b"@Fork(3)\n    @Ben" in source
    assert "1 benchmark that is not reduced: p.A.k" in " ".join(patched.notes)


def test_superclass_in_another_file(tmp_path: Path) -> None:
    base = (
        b"package q;\nimport org.openjdk.jmh.annotations.*;\n@Warmup(iterations = 5, time = 1)\n"
        b"public abstract class B {\n    protected static final int N = 6;\n"
        b"    @Benchmark public void inherited() {}\n}\n"
    )
    (tmp_path / "B.java").write_bytes(base)
    text = HEAD.replace(b"class A {", b"class A extends B {").replace(
        b"import", b"import q.B;\nimport", 1
    )
    text += b"    @Fork(3)\n    @Measurement(iterations = N, time = 1)\n    @Benchmark\n"
    text += b"    public void m() {}\n}\n"
    patched = annotated(tmp_path, text, "A.m 3 5 6 1")
    assert patched.patch == b"", "the effective values already equal the plan"
    two = Plan((entry("A.m 3 5 6 1"), entry("A.inherited 3 4 6 1")), "uoptime")
    changed = annotate(two, tmp_path).files
    assert [path.name for path in changed] == ["B.java"], "the method is in the other file"
    assert b"@Warmup(iterations = 4, time = 1)\n" in changed[tmp_path / "B.java"]
    assert b"@Warmup(iterations = 5, time = 1)\npublic" in changed[tmp_path / "B.java"]


def test_subclasses_that_share_a_method(tmp_path: Path) -> None:
    (tmp_path / "B.java").write_bytes(
        HEAD.replace(b"class A", b"abstract class B") + b"    @Benchmark public void m() {}\n}\n"
    )
    for name in "CD":
        text = f"package p;\npublic class {name} extends B {{}}\n"
        (tmp_path / f"{name}.java").write_text(text)
    one, two = entry("C.m 3 5 6 1"), entry("D.m 4 5 2 1")
    patched = annotate(Plan((one, two), "uoptime"), tmp_path)
    assert {path.name: text.count(b"@") for path, text in patched.files.items()} == {
        "C.java": 2, "D.java": 2, "B.java": 2,
    }, "only their warm-ups are equal"  # fmt: skip
    assert b"Fork(4)\npublic class D" in patched.files[tmp_path / "D.java"]
    assert patched.notes == ()
    alone = annotate(Plan((one,), "uoptime"), tmp_path)
    assert [path.name for path in alone.files] == ["C.java"]

    # An annotation of the method has priority over those of classes.
    changed = (tmp_path / "B.java").read_bytes().replace(b"@Bench", b"@Fork(1) @Bench")
    (tmp_path / "B.java").write_bytes(changed)
    patched = annotate(Plan((one, two), "uoptime"), tmp_path)
    assert b"@Fork(4)" in patched.files[tmp_path / "B.java"]
    assert "largest numbers of their plans: p.C.m, p.D.m" in patched.notes[0]
    alone = annotate(Plan((one,), "uoptime"), tmp_path)
    assert "it shares its method with p.D.m (not in the plan): p.C.m" in alone.notes[0]


def test_notes_name_syntax_errors_and_missing_benchmarks(tmp_path: Path) -> None:
    text = HEAD + b"    @Benchmark public void m() {}\n    int int = ;\n}\n"
    patched = annotated(tmp_path, text, "A.m 3 5 6 1", "A.x 3 5 6 1", "B.y 3 5 6 1")
    assert patched.patch == b""
    notes = " | ".join(patched.notes)
    assert "lack these benchmarks of the plan: p.A.x, p.B.y" in notes
    assert re.search(r"unchanged, A\.java:\d+: not parsed: p\.A\.m", notes)
    # Errors in the code of a method are ignored.
    code = HEAD + b"    @Benchmark public void m() { int int = ; }\n}\n"
    assert annotated(tmp_path, code, "A.m 3 5 6 1").patch


def test_class_declared_in_two_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        text = HEAD + b"    @Benchmark public void m() {}\n}\n"
        (tmp_path / name / "A.java").write_bytes(text)
    patched = annotate(Plan((entry("A.m 3 5 6 1"),), "uoptime"), tmp_path)
    assert patched.patch == b""
    assert "several files declare these: p.A" in " ".join(patched.notes)


def test_equal_plans_are_noted_as_settings_of_build_tools(tmp_path: Path) -> None:
    text = HEAD + b"    @Benchmark public void m() {}\n}\n"
    patched = annotated(tmp_path, text, "A.m 3 5 6 0.1")
    assert patched.notes[-1] == (
        "all benchmarks agree: `java -jar benchmarks.jar -f 3 -wi 5 -w 100ms -i 6 -r 100ms`, or in "
        "Gradle's plugin `jmh { fork = 3; warmupIterations = 5; warmup = '100ms'; iterations = 6; "
        "timeOnIteration = '100ms' }`"
    )
    assert "agree" not in str(annotated(tmp_path, text, "A.m 3 5 6 1", "A.n 2 5 6 1").notes)


def test_links_build_outputs_and_size_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside, sources = tmp_path / "outside", tmp_path / "src"
    text = HEAD + b"    @Benchmark public void m() {}\n}\n"
    for folder in (outside, sources / "target", sources / "p"):
        folder.mkdir(parents=True)
        (folder / "A.java").write_bytes(text)
    (sources / "pom.xml").write_text("<project/>")
    (sources / "linked").symlink_to(outside)
    (sources / "Link.java").symlink_to(outside / "A.java")
    plan = Plan((entry("A.m 3 5 6 1"),), "uoptime")
    assert [*annotate(plan, sources).files] == [sources / "p" / "A.java"]
    monkeypatch.setattr("steady.harness.jmh.annotate.annotating.LARGEST_FILE", 100)
    assert "not read: p/A.java: larger than" in " ".join(annotate(plan, sources).notes)
    monkeypatch.setattr("steady.harness.jmh.annotate.annotating.LARGEST_FOLDER", 100)
    with pytest.raises(InputError, match="of sources; give only the folder of the benchmarks"):
        annotate(plan, sources)
    monkeypatch.setattr("steady.harness.jmh.annotate.annotating.MOST_FILES", 0)
    with pytest.raises(InputError, match="more than 0 source files"):
        annotate(plan, sources)
    for wrong, message in ((tmp_path / "no", "does not exist"), (sources / "pom.xml", "no .java")):
        with pytest.raises(InputError, match=message):
            annotate(plan, wrong)


def test_annotations_that_jmh_rejects_or_interprets_differently_are_unchanged(
    tmp_path: Path,
) -> None:
    pair = b'    @Benchmark @Group("g") public void a() {}\n'
    pair += b'    @Fork(1) @Benchmark @Group("g") public void b() {}\n}\n'
    patched = annotated(tmp_path, HEAD + pair, "A.g 3 5 6 1")
    assert patched.patch == b""
    said = "unchanged, the methods of its group do not have the same @Fork: p.A.g"
    assert patched.notes[0] == said
    batch = b"    @Warmup(batchSize = 5) @Benchmark public void m() {}\n}\n"
    patched = annotated(tmp_path, HEAD + batch, "A.m 3 5 6 1")
    assert (
        patched.notes[0]
        == "unchanged, the batchSize of its @Warmup differs from that of the plan: p.A.m"
    )


def test_single_shots_have_no_times(tmp_path: Path) -> None:
    text = HEAD + b"    @Warmup(time = 7)\n    @Benchmark\n    public void m() {}\n}\n"
    (tmp_path / "A.java").write_bytes(text)
    once = planned("p.A.m", Configuration(2, 3, 4, 0.0, 0.0), "ss")
    [patched] = annotate(Plan((once,), "uoptime"), tmp_path).files.values()
    assert b"    @Warmup(iterations = 3, time = 7)\n    @Benchmark\n    @Meas" in patched
    assert b"@Measurement(iterations = 4)\n    @Fork(2)\n" in patched


@pytest.mark.parametrize(
    ("text", "value"),
    [("1_000", 1000), ("0x10", 16), ("-7 / 2", -3), ("(2 + 3) * N", 20), ('"a"', "a"), ("X.N", 5)]
    + [(text, None) for text in ("010", "10L", "f(1)", "2147483648", "true", "1.5", "M", "1 / 0")]
    + [("1+" * 150 + "1", None), ("(" * 190, None), ("\0", None), ("[1]", None), ("'", None)],
)
def test_constant_expressions(text: str, value: object) -> None:
    assert evaluate(text, {"N": 4, "X.N": 5}.get) == value


def test_missing_parser_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grammar.parser.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_java", None)
    with pytest.raises(MissingToolError, match=r"pip install 'steady-action\[annotations\]'"):
        ready(tmp_path)
    monkeypatch.undo()
    ready(tmp_path)


@pytest.mark.parametrize("seed", range(12))
def test_patch_transforms_any_text_into_any_other(tmp_path: Path, seed: int) -> None:
    choose = random.Random(seed)
    old = [choose.choice([b"a\n", b"b\n", b"%d\n" % n]) for n in range(choose.choice([3, 60, 900]))]
    new = [b"first\n"]
    for line in old:
        new += choose.choice([[line]] * 9 + [[], [b"new\n"], [line, b"added\n"]])
    if seed % 3 == 0:  # a difference whose end is too far away
        new = [*new[:1], *(b"x%d\n" % n for n in range(400)), *new[1:]]
    before = b"".join(old)[: -(seed % 2) or None]
    after = b"".join(new)
    (tmp_path / "a b").write_bytes(before)
    applied(tmp_path, patch_of({"a b": (before, after)}))
    assert (tmp_path / "a b").read_bytes() == after


def test_patch_of_a_long_source_is_minimal_and_fast() -> None:
    """`difflib` alone would take minutes."""
    method = b"    @Fork(1)\n    @Benchmark\n    public void m%d() {\n        x();\n    }\n"
    before = b"".join(method % number for number in range(20_000))
    began = time.perf_counter()
    patch = patch_of({"A.java": (before, before.replace(b"(1)", b"(2)"))})
    assert time.perf_counter() - began < 30
    assert patch.count(b"\n+") == 20_001
    assert patch.count(b"\n-") == 20_001
