"""Whether a longer fork uses classes that a short one did not show.

Usage: python -m evaluation.longer_forks FOLDER [--number N] [--seconds S] [--only REGEX]
                                         [--combinations N] [--one-in N]

FOLDER holds what `evaluation.selection` needs, and what it leaves there. N benchmarks of each
library's first jar run once more, with an iteration of S seconds in place of 0.05. What those forks
use is held against what the short forks used, and against what the next jar changes.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from evaluation._markdown import Number, Table
from evaluation.selection import SEED, Build, Chosen
from steady.engine import HarnessSettings, Version
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.difference import Difference
from steady.harness.jmh.samecode.mentions import is_of_jmh
from steady.model import Identity

HEADER = (
    *("library", "benchmarks", "classes that their short forks used", "only their longer ones"),
    *("of these not JMH's", "of these changed in the next version"),
)


def row(folder: Path, chosen: Chosen, number: int, seconds: float) -> list[str]:
    """Run longer forks of one library; return its row of the table."""
    base, head = (Build(path, chosen) for path in sorted(folder.glob("*.jar"))[:2])
    base.learn({})
    known = [identity for identity, one in base.loaded.items() if one.classes]
    longer = random.Random(SEED).sample(known, min(number, len(known)))
    with tempfile.TemporaryDirectory() as scratch:
        harness = JmhRuns(HarnessSettings())
        seen = harness.probe(Version("base", base.path), longer, Path(scratch), seconds)
    used = {i: base.loaded[i].classes - base.loaded[i].idle for i in seen}
    beyond = {i: seen[i].classes - seen[i].idle - used[i] for i in seen}
    _tell(folder.name, beyond)
    more = frozenset[str]().union(*beyond.values())
    return [
        folder.name,
        Number(len(seen)),
        Number(len(frozenset[str]().union(*used.values()))),
        Number(len(more)),
        Number(sum(not is_of_jmh(name) for name in more)),
        Number(len(Difference(base.index, head.index).changed(more))),
    ]


def _tell(library: str, beyond: dict[Identity, frozenset[str]]) -> None:
    for identity, names in beyond.items():
        print(f"{library}: {identity.label}: {', '.join(sorted(names)) or 'nothing more'}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what each longer fork used besides, and the table."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.longer_forks", description=__doc__.split("\n")[0]
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--number", type=int, default=5, metavar="N")
    parser.add_argument("--seconds", type=float, default=10.0, metavar="S")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--combinations", type=int, default=0, metavar="N")
    parser.add_argument("--one-in", type=int, default=1, metavar="N")
    given = parser.parse_args(arguments)
    chosen = Chosen(given.only, given.combinations, given.one_in)
    folders = sorted(path for path in given.folder.iterdir() if path.is_dir())
    print(Table(HEADER, [row(one, chosen, given.number, given.seconds) for one in folders]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
