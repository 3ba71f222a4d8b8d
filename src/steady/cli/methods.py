"""``steady methods``: what can be named, what it does, where it comes from."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from rich.table import Table

from steady.compare import RULES
from steady.emit import EMITTERS
from steady.optimize import STRATEGIES
from steady.readers import FORMATS
from steady.registry import Registered
from steady.report.terminal import output_console
from steady.similarity import METHODS as SIMILARITY_METHODS
from steady.stats import METRICS
from steady.steadystate import METHODS as STEADY_STATE_METHODS

REGISTRIES: Mapping[str, Mapping[str, Registered[Any]]] = {
    "Steady state (--detector)": STEADY_STATE_METHODS,
    "Fork similarity (--similarity)": SIMILARITY_METHODS,
    "Stability metrics (--metric)": METRICS,
    "Strategies (--strategy)": STRATEGIES,
    "Rules (--rule)": RULES,
    "Formats of results (--format)": FORMATS,
    "Harnesses that take a plan": EMITTERS,
}


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    """List the registries."""
    console = output_console()
    for title, registry in REGISTRIES.items():
        table = Table(title=title, title_justify="left", box=None, pad_edge=False)
        table.add_column("name", no_wrap=True)
        table.add_column("what it does")
        table.add_column("source")
        for entry in registry.values():
            table.add_row(entry.name, entry.summary, entry.source)
        console.print(table)
        console.print()
    return 0
