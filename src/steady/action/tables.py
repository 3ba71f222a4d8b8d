"""The README's tables of inputs and outputs: ``python -m steady.action.tables`` prints them."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from steady.action.inputs import INPUTS, MODES, OUTPUTS, Input


def inputs_table() -> str:
    """Return the table of inputs as Markdown."""
    rows = ((f"`{i.name}`", _modes(i), _default(i), i.description) for i in INPUTS)
    return _table(("input", "mode", "default", "what it is"), rows)


def outputs_table() -> str:
    """Return the table of outputs as Markdown."""
    return _table(("output", "what it is"), ((f"`{o.name}`", o.description) for o in OUTPUTS))


def _modes(declared: Input) -> str:
    return "all" if declared.modes == MODES else ", ".join(declared.modes)


def _default(declared: Input) -> str:
    if declared.required:
        return "required"
    return f"`{declared.default}`" if declared.default else ""


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.stdout.write(f"<!-- inputs -->\n{inputs_table()}<!-- /inputs -->\n\n")
    sys.stdout.write(f"<!-- outputs -->\n{outputs_table()}<!-- /outputs -->\n")
