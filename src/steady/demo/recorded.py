"""Where the recorded results stand in the installed package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Recording:
    """The recorded files; see the README beside them for how they were made.

    Parameters
    ----------
    full : Path
        Folder with JMH's JSON of the full run of base.
    base, head : Path
        Folders with JMH's JSON of the reduced runs of either version.
    benchmark_list : Path
        The jar's own list of benchmarks, from which the overlay is made.
    """

    full: Path
    base: Path
    head: Path
    benchmark_list: Path


@contextmanager
def recording() -> Iterator[Recording]:
    """Give the recorded results as files, wherever the package is installed."""
    with resources.as_file(resources.files(__package__).joinpath("results")) as folder:
        yield Recording(
            full=folder / "full",
            base=folder / "base",
            head=folder / "head",
            benchmark_list=folder / "BenchmarkList",
        )
