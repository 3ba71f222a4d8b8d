"""The map in docs/architecture.md matches the code, and imports go one way."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from itertools import groupby

from tests.source_trees import SOURCE, by_module

PAGE = (SOURCE.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")

ROOMS = (
    *(
        "errors",
        "patterns",
        "scipy_special",
        "percent",
        "text",
        "lazy_package",
        "registry",
        "options",
    ),
    *("safe_open", "streams", "safe_regex"),
    *("files", "processors", "parallel", "tables", "plots", "model", "number_checks"),
    *("settings", "stats", "steadystate", "execution", "plan"),
    *("harness", "harnesses", "samecode", "readers", "similarity"),
    *("compare", "optimize", "papers"),
    *("emit", "engine", "programs", "harness.jmh"),
    *("harness.go", "harness.pytest_benchmark", "harness.google_benchmark"),
    *("harness.criterion", "harness.pyperf", "harness.tinybench"),
    *("harness.asv", "harness.benchmarkdotnet", "harness.kotlinx"),
    *("harness.command", "history"),
    *("suggestions", "judging", "report", "github", "demo"),
    *("action", "cli"),
)
"""All packages and modules of `steady`, each after those that it imports."""

ALONE = ("github", "action", "cli")
"""Rooms that no other room imports, except that `action` imports `github`."""


@dataclass(frozen=True)
class Import:
    """An import of a name by one module from another.

    Parameters
    ----------
    taker, giver : str
        Importing and imported module, without ``steady.``.
    name : str
        Imported name; empty if the module itself is imported.
    for_types : bool
        Whether only a type checker imports it.
    """

    taker: str
    giver: str
    name: str
    for_types: bool

    @property
    def rooms(self) -> tuple[str, str]:
        return room(self.taker), room(self.giver)


def room(module: str) -> str:
    """Return the room of a module; each harness has a separate room above the contract's."""
    first, _, rest = module.partition(".")
    inner = f"{first}.{rest.partition('.')[0]}"
    return inner if inner in ROOMS else first


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield all statements below a node, which include its imports."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.stmt):
            yield inner
        if isinstance(inner, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _statements(inner)


def _for_types(tree: ast.Module) -> set[ast.stmt]:
    guarded = (
        node for node in _statements(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
    )  # fmt: skip
    return {
        inner for node in guarded for child in node.body for inner in (child, *_statements(child))
    }


def _taken(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the imports of a statement as module and name in it."""
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports must be absolute"
        for alias in node.names:
            inner = f"{node.module}.{alias.name}".removeprefix("steady.")
            if node.module == "steady" or inner in by_module():
                yield f"steady.{inner}", ""
            else:
                yield str(node.module), alias.name
    elif isinstance(node, ast.Import):
        yield from ((alias.name, "") for alias in node.names)


@cache
def imports() -> tuple[Import, ...]:
    return tuple(
        Import(taker, module.removeprefix("steady."), name, node in for_types)
        for taker, tree in by_module().items()
        for for_types in [_for_types(tree)]
        for node in _statements(tree)
        for module, name in _taken(node)
        if module.startswith("steady.")
    )


def across_rooms() -> list[Import]:
    return [one for one in imports() if len(set(one.rooms)) == 2]


def test_every_import_goes_to_a_lower_room() -> None:
    """Imports for type checkers count too."""
    assert len(imports()) > 1000
    assert sorted(ROOMS) == sorted({room(module) for module in by_module()})
    upward = [
        one for one in across_rooms()
        if ROOMS.index(one.rooms[0]) <= ROOMS.index(one.rooms[1])
    ]  # fmt: skip
    assert upward == []
    # Nothing below imports the command line, the action or GitHub.
    takers = {one.rooms for one in across_rooms() if one.rooms[1] in ALONE}
    assert takers == {("action", "github")}


def test_private_names_are_not_imported_by_other_rooms() -> None:
    private = [
        one for one in across_rooms()
        if any(part.startswith("_") for part in (*one.giver.split("."), one.name))
    ]  # fmt: skip
    assert private == []


def test_there_are_no_circular_imports() -> None:
    graph: dict[str, set[str]] = {}
    for one in imports():
        if one.taker != one.giver:
            graph.setdefault(one.taker, set()).add(one.giver)
    TopologicalSorter(graph).prepare()  # raises CycleError


# The page.


def _section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def _arrows(text: str) -> set[tuple[str, str]]:
    """Return the arrows of a flowchart; ``a & b --> c`` are two."""
    return {
        (start, end)
        for left, right in re.findall(r"^ *([\w &]+?) --> ([\w &]+?)$", text, re.MULTILINE)
        for start in left.split(" & ")
        for end in right.split(" & ")
    }


def _reachable(arrows: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the transitive closure of the arrows."""
    reached = set(arrows)
    while longer := {(a, d) for a, b in reached for c, d in reached if b == c} - reached:
        reached |= longer
    return reached


def test_the_tables_list_existing_names_and_every_room_in_order() -> None:
    rows = re.findall(r"(?m)^\| `([\w.]+)` \|[^|]+\| ([^|]+) \|$", _section("The rooms"))
    assert [name for name, _ in rows] == list(ROOMS)
    for name, entries in rows:
        for entry in re.findall(r"`([\w.]+)`", entries):
            _resolve(f"{name}.{entry}")
    named = re.findall(r"`([a-z][\w.]+[a-zA-Z])`", _section("Where to change what"))
    assert len(named) > 20
    for name in named:
        _resolve(name)


def _box(name: str) -> str:
    """Return the name of a room in the picture: ``jmh`` for ``harness.jmh``."""
    return name.rpartition(".")[2]


def test_the_picture_shows_the_imports() -> None:
    arrows = _arrows(_section("The rooms"))
    shown = {name for arrow in arrows for name in arrow}
    rooms = (one.rooms for one in across_rooms() if not one.for_types)
    real = {(_box(taker), _box(giver)) for taker, giver in rooms}
    packages = {_box(name) for name in ROOMS if SOURCE.joinpath(*name.split(".")).is_dir()}
    assert shown == packages - {"demo", "options", "text"} | {"judging"}
    assert arrows <= real
    assert {(a, b) for a, b in real if {a, b} <= shown} <= _reachable(arrows)


def _resolve(name: str) -> object:
    """Return the object with a name such as ``room.module.Class.method``."""
    parts = name.split(".")
    depth = max(n for n in range(1, len(parts) + 1) if ".".join(parts[:n]) in by_module())
    value: object = import_module(f"steady.{'.'.join(parts[:depth])}")
    for part in parts[depth:]:
        value = getattr(value, part)
    return value


def test_the_five_walks_list_and_count_existing_functions() -> None:
    walks = re.findall(r"(?ms)^## Walk: (.+?)\n(.*?)(?=^## |\Z)", PAGE)
    assert len(walks) == 5
    for title, walk in walks:
        stations = re.findall(r"(?m)^\d+\. `([\w.]+)`", walk)
        assert all(callable(_resolve(station)) for station in stations)
        rooms = list(dict.fromkeys(map(room, stations)))
        counted = re.findall(r"\*\*(\d+) functions in (\d+) rooms\*\*", walk)
        assert counted == [(str(len(stations)), str(len(rooms)))], title
        way = " → ".join(f"`{name}`" for name, _ in groupby(map(room, stations)))
        assert re.findall(r"(?m)^Its way: (.+)\.$", walk) == [way], title
