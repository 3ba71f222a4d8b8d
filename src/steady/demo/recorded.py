"""Where the recorded results stand in the installed package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

BUDGET = 0.05
"""Of the demo's plan: on the machine of the recording, the full run itself is hardly better."""


@dataclass(frozen=True, slots=True)
class Recording:
    """The recorded files; see the README beside them for how they were made.

    Parameters
    ----------
    full : Path
        JMH's JSON of the full run of base.
    plan : Path
        The plan that was made of it then.
    base, head : Path
        What `steady run` left of either version, run by that plan.
    benchmark_list : Path
        The jar's own list of benchmarks, from which the overlay is made.
    """

    full: Path
    plan: Path
    base: Path
    head: Path
    benchmark_list: Path


@contextmanager
def recording() -> Iterator[Recording]:
    """Give the recorded results as files, wherever the package is installed."""
    with resources.as_file(resources.files(__package__).joinpath("results")) as folder:
        yield Recording(
            full=folder / "full" / "results.json.gz",
            plan=folder / "plan.json",
            base=folder / "run" / "base.json.gz",
            head=folder / "run" / "head.json.gz",
            benchmark_list=folder / "BenchmarkList",
        )
