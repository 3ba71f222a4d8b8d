"""Function layouts: binaries of the same code, linked with their functions in another order.

The position of a function decides which cache lines and branch predictor entries it shares with
others, so a change elsewhere can make unchanged code faster or slower (Curtsinger and Berger,
*Stabilizer: statistically sound performance evaluation*, ASPLOS 2013). Each round therefore runs
other layouts, whose effect becomes part of the variance between rounds.

``go test -c -ldflags=-randlayout=2`` links the binary ``FOLDER/_layouts/2/text.test`` of the plain
one, ``FOLDER/text.test``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

import numpy as np

from steady.harness.trial import Trial
from steady.model import Identity

FOLDER = "_layouts"
"""Folder beside the plain binary; each layout is in a subfolder with its number as name."""


def plain_binary(binary: Path) -> Path:
    """Return the plain binary of a layout; any other binary is its own."""
    number, folder = binary.parent, binary.parent.parent
    if not (folder.name == FOLDER and _is_number(number.name)):
        return binary
    plain = folder.parent / binary.name
    return plain if plain.is_file() else binary


def layouts_of(binary: Path) -> Mapping[str, Path]:
    """Return the layouts of a plain binary, by number in ascending order."""
    folders = sorted(
        (one for one in (binary.parent / FOLDER).glob("*") if _is_number(one.name)),
        key=lambda one: int(one.name),
    )
    paths = {folder.name: folder / binary.name for folder in folders}
    return {name: path for name, path in paths.items() if path.is_file()}


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdecimal()


@dataclass
class LayoutOrder:
    """The layout of each version in each round.

    In as many successive rounds of a benchmark as there are layouts, each version runs each layout
    once. The versions run different ones in a round: base and head often have the same functions in
    the same order, and a common layout would then hide its effect.

    Parameters
    ----------
    versions : sequence of str
        Names of the versions.
    seed : int
        Seed of the order, which differs between benchmarks.
    """

    versions: Sequence[str]
    seed: int
    _rounds: dict[Identity, dict[tuple[bool, int], int]] = field(default_factory=dict)

    def choose(self, names: Sequence[str], trial: Trial) -> str:
        """Return the layout of a trial, the same if it is asked again; empty for no layout.

        Parameters
        ----------
        names : sequence of str
            The layouts that all versions have.
        trial : Trial
            The trial. Its round counts among those of its benchmark in this session.
        """
        if not names:
            return ""
        rounds = self._rounds.setdefault(trial.identity, {})
        number = rounds.setdefault((trial.screening, trial.round), len(rounds))
        cycle, place = divmod(number, len(names))
        label = crc32(trial.identity.label.encode())
        generator = np.random.default_rng([self.seed, label, cycle])
        order = generator.permutation(len(names))
        shift = int(generator.integers(1, max(len(names), 2)))
        side = self.versions.index(trial.version)
        return names[int(order[(place + side * shift) % len(names)])]
