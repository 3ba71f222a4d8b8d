"""Write all tables to one document.

Usage: python -m evaluation DATA [--jobs N] [--only NAME ...] [--output FILE]

DATA holds the folders ``jmh-steady`` and ``uoptime``. The same data give the same bytes.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from evaluation import TABLES
from evaluation._markdown import Section, paragraph, render
from evaluation.goals import goals

INTRODUCTION = (
    """How each method does on the papers' data, beside the published figures, flattering or not.
    `make evaluate DATA=../shared/data` (or `python -m evaluation DATA`) writes this page. Only the
    published figures were typed in by hand; the code names their source. The same data give the
    same bytes.""",
    """There are two sets of data. *jmh-steady* has 586 JMH benchmarks of 30 projects, each with 10
    forks of 3000 iterations of 0.1 s (Traini et al. 2023). Fork 0 has human labels (Beseda et al.
    2025) in 22 projects; the labels of the other eight are kept back. *uoptime* has the data sets 1
    (Go), 2 and 3 (Java) of µOpTime (Japke et al. 2025), as far as their measurements are
    public.""",
    """The learned stoppers of Traini et al. (2024) were trained on jmh-steady, so they are left out
    here. [Their own page](evaluation-stoppers.md) judges each on benchmarks that it was not trained
    on.""",
)

OUTPUT = Path("docs/evaluation.md")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the document."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation", description=__doc__.split("\n")[0]
    )
    parser.add_argument("data", type=Path, help="folder that holds jmh-steady and uoptime")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--only", nargs="+", choices=TABLES, metavar="NAME", help="these tables")
    parser.add_argument(
        "--output", type=Path, help=f"file (default: {OUTPUT}, or the screen with --only)"
    )
    given = parser.parse_args(arguments)
    missing = [name for name in ("jmh-steady", "uoptime") if not (given.data / name).is_dir()]
    if missing:
        parser.error(
            f"{given.data} has no folder {missing[0]}: give the folder of the papers' data"
        )
    text = document(given.data, given.only or TABLES, given.jobs)
    if given.only and given.output is None:  # a part must not replace the page
        sys.stdout.write(text)
    else:
        (given.output or OUTPUT).write_text(text, encoding="utf-8", newline="\n")
    return 0


def document(data: Path, tables: Sequence[str], jobs: int) -> str:
    """Return the whole text; tables are made in up to `jobs` processes."""
    folders = [data] * len(tables)
    if jobs > 1:
        with ProcessPoolExecutor(jobs) as pool:
            sections = list(pool.map(section, tables, folders))
    else:
        sections = [section(*one) for one in zip(tables, folders, strict=True)]
    parts = ["# Evaluation", *map(paragraph, INTRODUCTION)]
    if set(tables) == set(TABLES):
        parts.append(goals(dict(zip(tables, sections, strict=True))))
    return "\n\n".join([*parts, *map(render, sections)]) + "\n"


def section(name: str, data: Path) -> Section:
    """Return one table with what is said about it."""
    made: Section = importlib.import_module(f"evaluation.{name}").table(data)
    return made


if __name__ == "__main__":
    sys.exit(main())
