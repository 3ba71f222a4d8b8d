"""The recorded results in the installed package."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path

from msgspec import Struct

from steady.files import read_json, write_bytes

BUDGET = 0.05
"""Of the plan of the full run: on its noisy machine, that run itself is hardly better."""

COMMAND = "command.json"
PACKED = ".gz"


class Command(Struct, frozen=True, forbid_unknown_fields=True):
    """The command whose results were recorded.

    Parameters
    ----------
    words : tuple of str
        What was typed.
    seconds : float
        How long it took by the clock, from its start to its end.
    """

    words: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class PullRequest:
    """What a run of base and head without a plan left, packed.

    Parameters
    ----------
    folder : Path
        The files of the run's folder that are read after it; large ones are compressed.
    """

    folder: Path

    @property
    def base(self) -> Path:
        """The results of base."""
        return self.folder / "base.json.gz"

    @property
    def head(self) -> Path:
        """The results of head."""
        return self.folder / "head.json.gz"

    @property
    def series(self) -> Path:
        """All iterations of base, those of the warm-up included."""
        return self.folder / "series" / "base.json.gz"

    @cached_property
    def command(self) -> Command:
        """What was typed, and how long it took."""
        path = self.folder / COMMAND
        return read_json(path, Command, what="the recorded command", remedy="record again")

    def unpack(self, target: Path) -> list[Path]:
        """Write the run's files as it left them, so that every command can be tried on them.

        Parameters
        ----------
        target : Path
            The folder they go to.

        Returns
        -------
        list of Path
            The files.
        """
        packed = sorted(path for path in self.folder.rglob("*.json*") if path.name != COMMAND)
        return [_unpacked(path, target / path.parent.relative_to(self.folder)) for path in packed]


@dataclass(frozen=True)
class Recording:
    """The recorded files; see the README beside them for how they were made.

    Parameters
    ----------
    folder : Path
        Where they are.
    """

    folder: Path

    @property
    def full(self) -> Path:
        """JMH's JSON of a full run of base."""
        return self.folder / "full" / "results.json.gz"

    @property
    def plan(self) -> Path:
        """The plan that was made of it then."""
        return self.folder / "plan.json"

    @property
    def benchmark_list(self) -> Path:
        """The jar's own list of benchmarks, from which the overlay is made."""
        return self.folder / "BenchmarkList"

    @property
    def pull_request(self) -> PullRequest:
        """Base and head, measured without a plan."""
        return PullRequest(self.folder / "pull-request")


@contextmanager
def recording() -> Iterator[Recording]:
    """Give the recorded results as files, wherever the package is installed."""
    with resources.as_file(resources.files(__package__).joinpath("results")) as folder:
        yield Recording(folder)


def _unpacked(path: Path, folder: Path) -> Path:
    if path.suffix != PACKED:
        return write_bytes(folder / path.name, path.read_bytes())
    return write_bytes(folder / path.stem, gzip.decompress(path.read_bytes()))
