"""Which changed methods a fork can notice: javac compiles what is, and what is not, to be seen."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from made_jars import decide, difference, record

from steady.harness.jmh.samecode.class_log import Loaded
from steady.harness.jmh.samecode.difference import Difference
from steady.harness.jmh.samecode.members import read_members
from steady.harness.jmh.samecode.touched import Noticed, Touched
from steady.model import Identity
from steady.samecode.decision import Decision

ONE = Identity("suite.Bench.one")
HERE = Path(__file__).parent
GENERATED = """
package suite.jmh_generated;
class Bench_one_jmhTest {
    int one_avgt() throws Exception { return suite.Bench.one(); }
}
"""

Edit = tuple[str, str]

BODY: Edit = ("outline() + 2", "outline() + 3")
"""Changes a method that nobody calls."""

USED = "static int used() throws Exception { return loaded; }"

NOT_NOTICED: dict[str, Edit] = {
    "the body of a method that is not called": BODY,
    "a method more": ("int more(int", "int most() { return 9; }\n    int more(int"),
    "a method less": ("static int unusedToo(Work work) { return work.unused(); }", ""),
    "a lambda in a method that is not called": (
        "{ return outline() + 2; }",
        "{ IntUnaryOperator one = value -> value + 2; return one.applyAsInt(outline()); }",
    ),
    "a default method that is not called": ('return "subtitle"', 'return "changed"'),
    "a method of another name for what is called": (
        "int more(int",
        "int area(int size) { return size; }\n    int more(int",
    ),
}

NOTICED: dict[str, tuple[Edit, Noticed]] = {
    "a method that is called": (
        ("private int helper() { return 1; }", "private int helper() { return 2; }"),
        Noticed(methods=("Work.helper",)),
    ),
    "a method that is handed on": (("value + 1", "value + 3"), Noticed(methods=("Work.more",))),
    "a new override": (
        ("int unused()", "int area() { return 8; }\n    int unused()"),
        Noticed(methods=("Work.area",)),
    ),
    "an override of a default method": (
        ("int unused()", 'public String title() { return ""; }\n    int unused()'),
        Noticed(methods=("Work.title",)),
    ),
    "a default method": (('return "title"', 'return "other"'), Noticed(methods=("Named.title",))),
    "what the JDK sorts by": (
        ("count - other.count", "other.count - count"),
        Noticed(methods=("Work.compareTo",)),
    ),
    "what a thread runs": (("started = 2", "started = 3"), Noticed(methods=("Work.run",))),
    "a text of it": (
        ("int unused()", 'public String toString() { return ""; }\n    int unused()'),
        Noticed(methods=("Work.toString",)),
    ),
    "what serialization calls": (("count = 3", "count = 4"), Noticed(methods=("Work.readObject",))),
    "a constructor": (
        ("{ count = 1; }", "{ count = 2; }"),
        Noticed(methods=("the constructor of Work",)),
    ),
    "a provider's constructor": (
        ("Library.loaded = 1", "Library.loaded = 2"),
        Noticed(methods=("the constructor of Provider",)),
    ),
    "a class initialiser": (
        ("static int started = 1", "static int started = 2"),
        Noticed(methods=("the static initializer of Work",)),
    ),
    "a lambda's body": (
        ("value * 2", "value * 3"),
        Noticed(methods=("Bench.lambda$one$0",)),
    ),
    "a constant that javac copies": (("LIMIT = 7", "LIMIT = 8"), Noticed(("Work",))),
    "an enum's order": (("LOW, HIGH", "LOW, MIDDLE, HIGH"), Noticed(("Level",))),
    "a field more": (("int count;", "int count, total;"), Noticed(("Work",))),
    "fields in another order": (
        ("static int started = 1;\n    int count;", "int count;\n    static int started = 1;"),
        Noticed(("Work",)),
    ),
    "an interface less": (("Runnable, Named, Ser", "Runnable, Ser"), Noticed(("Work",))),
    "an annotation's default": (("default 1", "default 2"), Noticed(methods=("Marked.value",))),
    "an annotation": (("@Marked\n", "@Marked(2)\n"), Noticed(("Work",))),
    "a class that extends what runs": (
        (
            "{ return outline() + 2; }",
            "{ return new Shape() { int area() { return 6; } }.area(); }",
        ),
        Noticed(("Work",)),
    ),
}

HIDING: dict[str, str] = {
    "reflection": 'return (int) Work.class.getDeclaredMethod("unused").invoke(new Work());',
    "reflection over all": "return Work.class.getMethods().length;",
    "a method handle by name": (
        'return java.lang.invoke.MethodHandles.lookup().findVirtual(Work.class, "unused", '
        "java.lang.invoke.MethodType.methodType(int.class)).type().parameterCount();"
    ),
    "a class made at run time": (
        "java.lang.invoke.MethodHandles.lookup().defineClass(new byte[9]); return 1;"
    ),
    "a bean": (
        "return java.beans.Introspector.getBeanInfo(Work.class).getMethodDescriptors().length;"
    ),
    "native code": "return made(); } static native int made(); int made2() { return 1;",
}

NAMING: dict[str, str] = {
    "a call": "return new Work().unused();",
    "a method reference": (
        "java.util.function.ToIntFunction<Work> f = Work::unused; return f.applyAsInt(new Work());"
    ),
    "a call by a method with the same name": "return new Object() { int unused() { return 1; } }"
    ".unused();",
}
"""What makes `BODY` be noticed when a method that runs does it."""

SERVICE = "return ServiceLoader.load(Named.class).iterator().next().title().length();"

EDITS: dict[str, tuple[tuple[Edit, ...], tuple[Edit, ...]]] = {
    **{name: ((), (edit,)) for name, edit in NOT_NOTICED.items()},
    **{name: ((), (edit,)) for name, (edit, _) in NOTICED.items()},
    **{
        name: (((USED, USED.replace("return loaded;", code)),), (BODY,))
        for name, code in {**HIDING, **NAMING, "a service": SERVICE}.items()
    },
}


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path]]:
    """Compile base and head of each case in one JVM; return the folders of their classes."""
    folder = tmp_path_factory.mktemp("builds")
    original = (HERE / "Bench.java").read_text(encoding="utf-8")
    builds: dict[str, Path] = {}

    def build(source: str) -> Path:
        if source not in builds:
            own = folder / str(len(builds))
            (own / "src").mkdir(parents=True)
            (own / "options.txt").write_text("--release 11", encoding="utf-8")
            (own / "src" / "Bench.java").write_text(source, encoding="utf-8")
            (own / "src" / "Generated.java").write_text(GENERATED, encoding="utf-8")
            builds[source] = own
        return builds[source] / "classes"

    pairs = {}
    for name, (of_both, of_head) in EDITS.items():
        base = _edited(original, of_both)
        pairs[name] = build(base), build(_edited(base, of_head))
    command = ["java", "-XX:TieredStopAtLevel=1", str(HERE / "Compile.java")]
    done = subprocess.run([*command, *map(str, builds.values())], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return pairs


def _edited(source: str, edits: tuple[Edit, ...]) -> str:
    for old, new in edits:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


def noticed(pair: tuple[Path, Path], folder: Path) -> Noticed:
    """Return what is noticed by a fork that loads all classes of base."""
    both = difference(folder, *map(_contents, pair))
    told = Touched(both).noticed(all_of(both), both.changed(both.base.classes))
    return Noticed(_bare(told.classes), _bare(told.methods))


def all_of(both: Difference) -> Loaded:
    """Return that all classes of base are loaded and used."""
    return Loaded(frozenset(both.base.classes))


def _contents(folder: Path) -> dict[str, bytes | str]:
    files = sorted(folder.rglob("*.class"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _bare(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.replace("suite/", "") for name in names)


@pytest.mark.needs("javac")
@pytest.mark.parametrize("name", [*NOT_NOTICED, "a service"])
def test_what_cannot_run_is_not_noticed(
    name: str, classes: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    assert noticed(classes[name], tmp_path) == Noticed()


@pytest.mark.needs("javac")
@pytest.mark.parametrize("name", NOTICED)
def test_what_may_run_is_noticed(
    name: str, classes: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    told = noticed(classes[name], tmp_path)
    _, expected = NOTICED[name]
    assert set(expected.classes) <= set(told.classes)
    assert set(expected.methods) <= set(told.methods)


@pytest.mark.needs("javac")
@pytest.mark.parametrize("name", HIDING)
def test_where_code_may_find_methods_every_change_counts(
    name: str, classes: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    assert noticed(classes[name], tmp_path) == Noticed(("Work",))


@pytest.mark.needs("javac")
@pytest.mark.parametrize("name", NAMING)
def test_a_method_counts_once_its_name_is_called(
    name: str, classes: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    assert noticed(classes[name], tmp_path) == Noticed(methods=("Work.unused",))


@pytest.mark.needs("javac")
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a method more", ""),
        ("a method that is called", "may run suite.Work.helper, which changed"),
        ("a field more", "loads suite.Work, which changed"),
    ],
)
def test_the_reason_names_what_may_run(
    name: str, why: str, classes: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    listed = {"META-INF/BenchmarkList": record(ONE.name) + "\n"}
    both = difference(tmp_path, *({**_contents(side), **listed} for side in classes[name]))
    assert decide(both, {ONE: all_of(both)}, {"base": [ONE], "head": [ONE]}) == (
        Decision(ONE, why),
    )


@pytest.mark.needs("javac")
def test_without_the_code_that_jmh_generates_nothing_is_known(
    classes: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    contents = [_contents(side) for side in classes["a method more"]]
    alone = ({n: c for n, c in side.items() if "jmh_generated" not in n} for side in contents)
    both = difference(tmp_path, *alone)
    told = Touched(both).noticed(all_of(both), both.changed(both.base.classes))
    assert told == Noticed(("suite/Work",))


@pytest.mark.needs("javac")
def test_what_is_no_longer_a_class_is_not_known(
    classes: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    base, _ = classes["a method more"]
    content = (base / "suite" / "Work.class").read_bytes()
    head = content[:-1]
    assert read_members(head) is None
    both = difference(tmp_path, {"a/Work.class": content}, {"a/Work.class": head})
    assert Touched(both).noticed(all_of(both), ["a/Work"]) == Noticed(("a/Work",))
