"""The annotations of one benchmark method: what they should say, and the edits that make it so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from steady.harness.jmh.configure.java_imports import Edit, ImportedNames, line_end_of
from steady.harness.jmh.java.source import JMH_PACKAGE, JavaFile
from steady.harness.jmh.time_value import TimeValue, nanoseconds_of
from steady.model import ExecutionConfiguration

if TYPE_CHECKING:
    from tree_sitter import Node

_UNIT_PACKAGE = "java.util.concurrent"
_UNIT = "TimeUnit"


@dataclass(frozen=True, slots=True)
class Desired:
    """What an annotation should say.

    Parameters
    ----------
    name : str
        ``Warmup``, ``Measurement`` or ``Fork``.
    numbers : mapping of str to int
        Its elements.
    time : TimeValue, optional
        How long an iteration lasts; None where JMH counts invocations.
    """

    name: str
    numbers: Mapping[str, int]
    time: TimeValue | None = None


def desired_annotations(
    configuration: ExecutionConfiguration, *, timed: bool
) -> tuple[Desired, Desired, Desired]:
    """Return what the annotations should say for a configuration.

    Parameters
    ----------
    configuration : ExecutionConfiguration
        What the method should run.
    timed : bool
        Whether any of its modes measures by time; single-shot mode alone does not.
    """
    c = configuration

    def iterations(name: str, count: int, seconds: float, batch_size: int) -> Desired:
        time = TimeValue.of(seconds) if timed and seconds > 0 else None
        return Desired(name, {"iterations": count, "batchSize": batch_size}, time)

    return (
        iterations("Warmup", c.warmup_iterations, c.warmup_seconds, c.warmup_batch_size),
        iterations("Measurement", c.iterations, c.iteration_seconds, c.batch_size),
        Desired("Fork", {"value": c.forks}),
    )


def edit_annotations(
    file: JavaFile,
    method: Node,
    desired: tuple[Desired, ...],
    names: ImportedNames,
) -> list[Edit]:
    """Return the edits that make a method's annotations say what is desired.

    An annotation that stands there keeps its other elements and its layout. One that does not is
    put before ``@Benchmark``, on a line of its own if ``@Benchmark`` begins its line.

    Parameters
    ----------
    file : JavaFile
        The source.
    method : Node
        The method in it.
    desired : tuple of Desired
        In the order in which new ones are put.
    names : ImportedNames
        Remembers the classes that have to be imported.
    """
    edits: list[Edit] = []
    added: list[str] = []
    for one in desired:
        annotation = file.annotation(method, one.name)
        if annotation is None:
            added.append(_new(file, one, names))
        else:
            edits += _edit(file, annotation, one, names)
    benchmark = file.annotation(method, "Benchmark")
    if added and benchmark is not None:
        separator = _separator(file, benchmark.start_byte)
        text = "".join(one + separator for one in added)
        edits.append(Edit(benchmark.start_byte, benchmark.start_byte, text))
    return edits


def _new(file: JavaFile, desired: Desired, names: ImportedNames) -> str:
    name = names.write(JMH_PACKAGE, desired.name)
    if set(desired.numbers) == {"value"}:
        return f"@{name}({desired.numbers['value']})"
    elements = [f"iterations = {desired.numbers['iterations']}"]
    if desired.time is not None:
        elements.append(f"time = {desired.time.amount}")
        if desired.time.unit != "s":
            elements.append(f"timeUnit = {_unit(desired.time, names)}")
    if _names_batch_size(file, desired.numbers["batchSize"]):
        elements.append(f"batchSize = {desired.numbers['batchSize']}")
    return f"@{name}({', '.join(elements)})"


def _edit(file: JavaFile, annotation: Node, desired: Desired, names: ImportedNames) -> list[Edit]:
    present = elements_of(file, annotation)
    changed = dict(_changed(file, present, desired, names))
    edits = [
        Edit(present[key].start_byte, present[key].end_byte, text)
        for key, text in changed.items()
        if key in present
    ]
    missing = [f"{key} = {text}" for key, text in changed.items() if key not in present]
    if missing:
        edits.append(_insertion(annotation, ", ".join(missing), desired.name, present))
    return edits


def _insertion(annotation: Node, text: str, name: str, present: Mapping[str, Node]) -> Edit:
    if present:
        end = max(node.end_byte for node in present.values())
        return Edit(end, end, f", {text}")
    if name == "Fork":
        text = text.removeprefix("value = ")
    arguments = annotation.child_by_field_name("arguments")
    if arguments is None:
        return Edit(annotation.end_byte, annotation.end_byte, f"({text})")
    return Edit(arguments.start_byte + 1, arguments.start_byte + 1, text)


def _changed(
    file: JavaFile, present: Mapping[str, Node], desired: Desired, names: ImportedNames
) -> Iterator[tuple[str, str]]:
    """Yield the elements whose values have to change or to come, and those values."""
    for key, number in desired.numbers.items():
        if key in present:
            written = number_of(file, present[key])
            # A batch size says what one operation is: what is written as a constant stays.
            if written != number and not (key == "batchSize" and written is None):
                yield key, str(number)
        elif key != "batchSize" or _names_batch_size(file, number):
            yield key, str(number)
    if desired.time is None or _says(file, present, desired.time):
        return
    yield "time", str(desired.time.amount)
    if desired.time.unit != "s" or "timeUnit" in present:
        yield "timeUnit", _unit(desired.time, names)


def _says(file: JavaFile, present: Mapping[str, Node], time: TimeValue) -> bool:
    """Tell whether the elements already mean that duration, in whatever unit."""
    amount = number_of(file, present["time"]) if "time" in present else None
    if amount is None:
        return False
    unit = file.text(present["timeUnit"]) if "timeUnit" in present else "SECONDS"
    wanted = nanoseconds_of(time.amount, time.java_unit)
    return nanoseconds_of(amount, unit.rpartition(".")[2].strip()) == wanted


def elements_of(file: JavaFile, annotation: Node) -> dict[str, Node]:
    """Return the values of an annotation's elements; a single value is called ``value``."""
    arguments = annotation.child_by_field_name("arguments")
    elements: dict[str, Node] = {}
    for node in [] if arguments is None else arguments.named_children:
        if node.type == "element_value_pair":
            key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
            if key is not None and value is not None:
                elements[file.text(key)] = value
        elif not node.type.endswith("comment"):
            elements["value"] = node
    return elements


def number_of(file: JavaFile, node: Node) -> int | None:
    """Return a whole number that is written out; None for a constant or an expression."""
    text = file.text(node).replace("_", "")
    return (
        int(text) if text.isascii() and text.isdigit() and (text == "0" or text[0] != "0") else None
    )


def _names_batch_size(file: JavaFile, number: int) -> bool:
    """Whether the batch size has to be said: one is JMH's default, unless a class says more."""
    return number != 1 or file.classes_set_batch_size


def _unit(time: TimeValue, names: ImportedNames) -> str:
    return f"{names.write(_UNIT_PACKAGE, _UNIT)}.{time.java_unit}"


def _separator(file: JavaFile, position: int) -> str:
    """Return what parts a new annotation from the one at `position`."""
    line = file.data[file.data.rfind(b"\n", 0, position) + 1 : position]
    if line.strip(b" \t") or not line.isascii():
        return " "
    return line_end_of(file.data) + line.decode("ascii")
