"""Pairs of which head is edited: javac compiles what is, and what is not, to be seen."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from made_jars import compiled, edited, why

from steady.model import Identity

ONE = Identity("suite.Bench.one")
HERE = Path(__file__).parent
GENERATED = """
package suite;
public class Bench_jmhTest {
    public int one_avgt() throws Exception { return Bench.one(); }
}
"""

Edit = tuple[str, str]

pytestmark = [pytest.mark.needs("javac"), pytest.mark.xdist_group("reach")]

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
    "what serialization would call": ("count = 3", "count = 4"),
    "a constructor of what nobody asks for": ("Library.loaded = 1", "Library.loaded = 2"),
    "an annotation's default that nobody reads": ("default 1", "default 2"),
    "a method of another name for what is called": (
        "int more(int",
        "int area(int size) { return size; }\n    int more(int",
    ),
}

SHAPE = "uses Work, of which the fields, the parents or the annotations changed"

NOTICED: dict[str, tuple[Edit, str]] = {
    "a method that is called": (
        ("private int helper() { return 1; }", "private int helper() { return 2; }"),
        "Work.helper",
    ),
    "a method that is handed on": (("value + 1", "value + 3"), "Work.more"),
    "a new override": (("int unused()", "int area() { return 8; }\n    int unused()"), "Work.area"),
    "an override of a default method": (
        ("int unused()", 'public String title() { return ""; }\n    int unused()'),
        "Work.title",
    ),
    "a default method": (('return "title"', 'return "other"'), "Named.title"),
    "what the JDK sorts by": (("count - other.count", "other.count - count"), "Work.compareTo"),
    "what a thread runs": (("started = 2", "started = 3"), "Work.run"),
    "a text of it": (
        ("int unused()", 'public String toString() { return ""; }\n    int unused()'),
        "Work.toString",
    ),
    "a constructor": (("{ count = 1; }", "{ count = 2; }"), "the constructor of Work"),
    "a class initialiser": (
        ("static int started = 1", "static int started = 2"),
        "the static initializer of Work",
    ),
    "a lambda's body": (("value * 2", "value * 3"), "Bench.lambda$one$0"),
    "a constant that javac copies": (("LIMIT = 7", "LIMIT = 8"), "Work.used"),
    "an enum's order": (("LOW, HIGH", "LOW, MIDDLE, HIGH"), "the static initializer of Level"),
    "a field more": (("int count;", "int count, total;"), SHAPE),
    "a field before another": (("    int count;", "    long before;\n    int count;"), SHAPE),
    "an interface less": (("Runnable, Named, Ser", "Runnable, Ser"), "Bench.one"),
    "an annotation": (("@Marked\n", "@Marked(2)\n"), SHAPE),
    "a class that extends what runs": (
        (
            "{ return outline() + 2; }",
            "{ return new Shape() { int area() { return 6; } }.area(); }",
        ),
        "uses Work, where a changed method names Work$1, so that a JVM may load it and compile "
        "calls in another way",
    ),
}
"""What is noticed, and what the reason says of it."""

BODY_IS_SEEN: dict[str, str] = {
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
    "a call": "return new Work().unused();",
    "a method reference": (
        "java.util.function.ToIntFunction<Work> f = Work::unused; return f.applyAsInt(new Work());"
    ),
}
"""What makes `BODY` be noticed when a method that runs does it."""

BODY_IS_NOT_SEEN: dict[str, str] = {
    "a call of a method with the same name": (
        "return new Object() { int unused() { return 1; } }.unused();"
    ),
    "a service": "return ServiceLoader.load(Named.class).iterator().next().title().length();",
}

EDITS: dict[str, tuple[tuple[Edit, ...], tuple[Edit, ...]]] = {
    **{name: ((), (edit,)) for name, edit in NOT_NOTICED.items()},
    **{name: ((), (edit,)) for name, (edit, _) in NOTICED.items()},
    **{
        name: (((USED, USED.replace("return loaded;", code)),), (BODY,))
        for name, code in {**BODY_IS_SEEN, **BODY_IS_NOT_SEEN}.items()
    },
}


Built = dict[str, tuple[Path, Path]]


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Compile base and head of each case; return the folders of their classes."""
    original = (HERE / "Bench.java").read_text(encoding="utf-8")
    bases = {name: edited(original, of_both) for name, (of_both, _) in EDITS.items()}
    heads = {name: edited(bases[name], of_head) for name, (_, of_head) in EDITS.items()}
    sources = dict.fromkeys((*bases.values(), *heads.values()))
    programs = {one: {"Bench.java": one, "Bench_jmhTest.java": GENERATED} for one in sources}
    built = compiled(tmp_path_factory.mktemp("builds"), programs)
    return {name: (built[bases[name]], built[heads[name]]) for name in EDITS}


def said(names: Iterable[str], classes: Built, folder: Path) -> dict[str, str]:
    """Return why the benchmark may run other code in head, in each case."""
    return {name: why(ONE, *classes[name], folder) for name in names}


def test_what_cannot_run_is_not_noticed(classes: Built, tmp_path: Path) -> None:
    names = [*NOT_NOTICED, *BODY_IS_NOT_SEEN]
    assert said(names, classes, tmp_path) == dict.fromkeys(names, "")


def test_what_runs_is_noticed_and_named(classes: Built, tmp_path: Path) -> None:
    assert said(NOTICED, classes, tmp_path) == {
        name: reason if reason.startswith("uses") else f"may run {reason}, which changed"
        for name, (_, reason) in NOTICED.items()
    }


def test_what_may_run_anything_reaches_the_change(classes: Built, tmp_path: Path) -> None:
    assert "" not in said(BODY_IS_SEEN, classes, tmp_path).values()
