"""Pairs with edited heads, compiled by javac: edits that must, and must not, be detected.

``edits/work.txt`` edits ``Work.java``, most of which the benchmark calls. ``edits/rare.txt`` edits
``Rare.java``, whose class no code references (see `tests.harness.pair_texts`). Below each title are
the expected reason, if any; then the text that both versions replace; and then the edit of head.
``edits/uses_of_rare.txt`` lists additional code of a benchmark, and the changes of the class that
it makes significant: of its constructor (c), its static initializer (i), and its annotations (a).
"""

from pathlib import Path

import pytest
from made_jars import Programs, compiled, edited, edits_of, why

from steady.model import Identity
from tests.harness.pair_texts import pairs_in

HERE = Path(__file__).parent
WORK, RARE, USES = (
    {pair.title: pair for pair in pairs_in(HERE / "edits" / f"{name}.txt")}
    for name in ("work", "rare", "uses_of_rare")
)
PARTS = {"c": "its constructor", "i": "its static initializer", "a": "an annotation"}
GENERATED = """
package suite;
public class {0}_jmhTest {{
    public int avgt() throws Exception {{ return Bench.{1}; }}
}}
"""
METHOD = "    public static int v{}(int n) throws Exception {{ act(n); {} }}"

pytestmark = [pytest.mark.needs("javac"), pytest.mark.xdist_group("reach")]


def programs() -> Programs[tuple[str, str]]:
    """Return base and head of each edit, by title and version."""
    found = {}
    bench = {"Bench_jmhTest.java": GENERATED.format("Bench", "one()")}
    original = (HERE / "Work.java").read_text(encoding="utf-8")
    for title, pair in WORK.items():
        base = edited(original, edits_of(pair, "both"))
        found[title, "base"] = {"Bench.java": base, **bench}
        found[title, "head"] = {"Bench.java": edited(base, edits_of(pair, "head")), **bench}
    methods = "\n".join(METHOD.format(n, one.text) for n, one in enumerate(USES.values()))
    base = (HERE / "Rare.java").read_text(encoding="utf-8").replace("    // METHODS", methods)
    own = {f"V{n}_jmhTest.java": GENERATED.format(f"V{n}", f"v{n}(1)") for n in range(len(USES))}
    found["", "rare"] = {"Bench.java": base, **own}
    for title, pair in RARE.items():
        found[title, "rare"] = {"Bench.java": edited(base, edits_of(pair, "head")), **own}
    return found


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """Compile all programs, and return the folders of their classes."""
    return compiled(tmp_path_factory.mktemp("builds"), programs())


Classes = dict[tuple[str, str], Path]


def test_changed_code_that_runs_is_detected_and_named(classes: Classes, tmp_path: Path) -> None:
    one = Identity("suite.Bench.one")
    said = {
        title: why(one, classes[title, "base"], classes[title, "head"], tmp_path) for title in WORK
    }
    assert said == {title: pair.text.strip() for title, pair in WORK.items()}


def of_rare(classes: Classes, head: str, folder: Path, use: str = "nothing more") -> str:
    """Return why the code path of the benchmark may differ in head."""
    one = Identity(f"suite.V{[*USES].index(use)}.run")
    return why(one, classes["", "rare"], classes[head, "rare"], folder)


def test_changes_that_affect_a_jvm_are_detected(classes: Classes, tmp_path: Path) -> None:
    said = {title: of_rare(classes, title, tmp_path) for title in RARE}
    assert said == {title: pair.text.strip() for title, pair in RARE.items()}


def test_significant_changes_depend_on_the_use_of_a_class(classes: Classes, tmp_path: Path) -> None:
    seen = {
        use: "".join(part for part in PARTS if of_rare(classes, PARTS[part], tmp_path, use))
        for use in USES
    }
    assert seen == {use: "".join(part for part, _ in pair.parts) for use, pair in USES.items()}
