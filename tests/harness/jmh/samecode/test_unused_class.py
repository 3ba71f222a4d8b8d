"""A class that nobody uses: what of it counts, and what leads to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_jars import compiled, edited, why

from steady.model import Identity

CALLS: dict[str, tuple[str, str]] = {
    "nothing more": ("return n;", ""),
    "a branch that is not taken": ("return n > 99 ? new Rare(1).act(n) : n;", "cia"),
    "a test of its type": (
        'Object o = n > 99 ? "" : new Add(); return o instanceof Rare ? 1 : 0;',
        "",
    ),
    "a cast": ("Object o = n > 99 ? new Add() : null; return ((Rare) o) == null ? 1 : 0;", ""),
    "its literal": ("return Rare.class.hashCode();", "a"),
    "an array of it": ("return new Rare[n].length;", ""),
    "its static field": ("return Rare.made;", "ia"),
    "a method that makes one": ("return n > 99 ? rare().act(n) : n;", "cia"),
    "a lambda that makes one": (
        "java.util.function.IntFunction<Op> f = Rare::new; return n > 99 ? f.apply(n).act(n) : n;",
        "cia",
    ),
    "a class that extends it": ("return new Rarer().act(n);", "cia"),
    "its name": ('return Class.forName("suite." + "Ra" + "re").hashCode();', "ia"),
    "a loader": ('return Bench.class.getClassLoader().loadClass("suite.Rare").hashCode();', "ia"),
    "a constructor": ("return Add.class.getDeclaredConstructor().newInstance().act(n);", ""),
    "a service": (
        "return java.util.ServiceLoader.load(Op.class).iterator().hasNext() ? 1 : 0;",
        "",
    ),
    "a stream of objects": (
        "return new java.io.ObjectInputStream(null).readObject().hashCode();",
        "cia",
    ),
    "a field's type": ('return Bench.class.getDeclaredField("kept").getType().hashCode();', "ia"),
    "an annotation": ("return Add.class.getAnnotation(Tagged.class).type().hashCode();", ""),
    "the type of a method": (
        "return java.lang.invoke.MethodType.fromMethodDescriptorString"
        '("()Lsuite/Rare;", null).returnType().hashCode();',
        "cia",
    ),
}
"""What a benchmark does besides, and which changes of the class count then: of its constructor
(c), of its static initializer (i), and of its annotations (a)."""

PARTS = {"c": "its constructor", "i": "its static initializer", "a": "an annotation"}

BENCH = Path(__file__).with_name("Unused.java").read_text(encoding="utf-8")

GENERATED = """
package suite;

public class V{0}_jmhTest {{
    public int avgt() throws Exception {{ return Bench.v{0}(1); }}
}}
"""

Edits = tuple[tuple[str, str], ...]

pytestmark = [pytest.mark.needs("javac"), pytest.mark.xdist_group("reach")]

CONSTRUCTOR: Edits = (("this.weight = weight;", "this.weight = weight + 1;"),)

NOT_NOTICED: dict[str, Edits] = {
    "its constructor": CONSTRUCTOR,
    "another constructor": (
        ("    Rare(int weight) {", "    Rare(int n, int m) { this(n); }\n    Rare(int weight) {"),
        ("rare() { return new Rare(1)", "rare() { return new Rare(1, 2)"),
    ),
    "a field": (("int weight;", "int weight, height;"),),
    "its static initializer": (("made = 1", "made = 2"),),
    "what it does": (("n * weight", "n * weight + 1"),),
    "a method more": (("int weight;", "int weight; int more() { return 1; }"),),
    "an annotation": (("class Rare extends Odd", "@Tagged class Rare extends Odd"),),
    "what it alone does": (("return n + 5", "return n + 6"),),
    "a class in it": (("n * weight", "new Object() { int f() { return 1; } }.f()"),),
    "what an annotation says that nobody sees": (("default Add.class", "default Sub.class"),),
}

SHAPE = "uses Rare, of which the fields, the parents or the annotations changed"

NOTICED: dict[str, tuple[Edits, str]] = {
    "its parent": ((("class Rare extends Odd", "class Rare extends Evener"),), SHAPE),
    "an interface": (
        (("class Rare extends Odd", "class Rare extends Odd implements Marker"),),
        SHAPE,
    ),
    "that it is abstract": (
        (
            ("class Rare extends Odd", "abstract class Rare extends Odd"),
            ("new Rare(1)", "new Rarer()"),
            ("Rare::new", "k -> new Rarer()"),
        ),
        SHAPE,
    ),
    "an override": (
        (("int weight;", "int weight; int twice(int n) { return 2; }"),),
        "may run Rare.twice, which changed",
    ),
    "what its parent does": (
        (("return act(act(n))", "return act(n)"),),
        "may run Op.twice, which changed",
    ),
    "a text of it": (
        (("int weight;", 'int weight; public String toString() { return ""; }'),),
        "may run Rare.toString, which changed",
    ),
}


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Compile base, which is called ``""``, and each head; return where their classes are."""
    methods = (
        f"    public static int v{number}(int n) throws Exception {{ act(n); {code} }}"
        for number, (code, _) in enumerate(CALLS.values())
    )
    base = BENCH.replace("    // METHODS", "\n".join(methods))
    stubs = {f"V{number}_jmhTest.java": GENERATED.format(number) for number in range(len(CALLS))}
    edits = {"": (), **NOT_NOTICED, **{name: own for name, (own, _) in NOTICED.items()}}
    programs = {name: {"Bench.java": edited(base, own), **stubs} for name, own in edits.items()}
    return compiled(tmp_path_factory.mktemp("builds"), programs)


def said(builds: dict[str, Path], head: str, folder: Path, call: str = "nothing more") -> str:
    """Return why a benchmark may run other code in head."""
    one = Identity(f"suite.V{[*CALLS].index(call)}.run")
    return why(one, builds[""], builds[head], folder)


def test_a_class_that_nobody_uses_may_change(builds: dict[str, Path], tmp_path: Path) -> None:
    assert {head: said(builds, head, tmp_path) for head in NOT_NOTICED} == dict.fromkeys(
        NOT_NOTICED, ""
    )


def test_what_a_jvm_looks_at_when_it_checks_types_is_noticed(
    builds: dict[str, Path], tmp_path: Path
) -> None:
    expected = {head: reason for head, (_, reason) in NOTICED.items()}
    assert {head: said(builds, head, tmp_path) for head in NOTICED} == expected


def test_how_a_class_is_used_says_what_of_it_counts(
    builds: dict[str, Path], tmp_path: Path
) -> None:
    seen = {
        call: "".join(part for part in PARTS if said(builds, PARTS[part], tmp_path, call))
        for call in CALLS
    }
    assert seen == {call: parts for call, (_, parts) in CALLS.items()}
