"""``steady methods``: what can be named, what it does, where it comes from."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from steady.compare import RULES
from steady.emit import EMITTERS
from steady.optimize import STRATEGIES
from steady.readers import FORMATS
from steady.registry import Registered
from steady.report.terminal import print_table
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
    for title, registry in REGISTRIES.items():
        print(title)
        rows = [(entry.name, entry.summary, entry.source) for entry in registry.values()]
        print_table(("name", "what it does", "source"), rows)
    return 0
