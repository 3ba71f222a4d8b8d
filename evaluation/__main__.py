"""Write all tables to the pages of the evaluation.

Usage: python -m evaluation DATA [--jobs N] [--only NAME ...] [--output FOLDER]

DATA holds the folders ``jmh-steady`` and ``uoptime``. The same data give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation import TABLES
from evaluation._markdown import Section, paragraph, render
from evaluation.goals import goals
from evaluation.sections import made

INTRODUCTION = (
    """This page shows the results of each method on the papers' data, together with the published
        figures, favourable or not. `make evaluate DATA=../shared/data` (or `python -m evaluation
        DATA`) generates this page and those of its tables. Only the published figures were entered
        manually; the code names their source. The same data give the same bytes.""",
    """Two sets of data are used. *jmh-steady* has 586 JMH benchmarks of 30 projects, each with 10
    forks of 3000 iterations of 0.1 s (Traini et al. 2023). Fork 0 has human labels (Beseda et al.
    2025) in 22 projects; the labels of the other eight are held out. *uoptime* has the data sets 1
    (Go), 2 and 3 (Java) of µOpTime (Japke et al. 2025), if their measurements are public.""",
    """The learned stoppers of Traini et al. (2024) were trained on jmh-steady, so they are excluded
    here. [Their own page](evaluation-stoppers.md) judges each on benchmarks that it was not trained
    on.""",
)

OUTPUT = Path("docs")


@dataclass(frozen=True)
class Page:
    """A page of tables.

    Parameters
    ----------
    name : str
        Name of its file.
    title : str
        Title of the page.
    tables : tuple of str
        Names in `TABLES`, in order.
    """

    name: str
    title: str
    tables: tuple[str, ...]

    def text(self, sections: Mapping[str, Section]) -> str:
        """Return the page."""
        head = f"# Evaluation: {self.title}\n\n{paragraph(_BELONGS)}"
        return "\n\n".join([head, *(render(sections[name]) for name in self.tables)]) + "\n"


_BELONGS = """This page is a part of [the evaluation](evaluation.md), which describes the data and
    gives recommendations. `make evaluate` generates it."""

PAGES = (
    Page("evaluation-start.md", "where the steady state begins", ("steady_state",)),
    Page("evaluation-forks.md", "forks that differ", ("planted_forks", "fork_similarity")),
    Page("evaluation-savings.md", "what smaller configurations save", ("uoptime_savings",)),
    Page("evaluation-metrics.md", "stability metrics", ("uoptime_metrics", "uoptime_changes")),
    Page("evaluation-quality.md", "how good planned results are", ("result_quality",)),
    Page("evaluation-verdicts.md", "verdicts", ("verdicts", "java_changes")),
    Page("evaluation-short.md", "short records", ("short_runs",)),
    Page("evaluation-warmups.md", "plans from short records", ("short_plans",)),
)
"""The pages of the tables, in their order."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation", description=__doc__.split("\n")[0]
    )
    parser.add_argument("data", type=Path, help="folder that holds jmh-steady and uoptime")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument(
        "--only", nargs="+", choices=TABLES, metavar="NAME", help="print these tables"
    )
    parser.add_argument(
        "--output", type=Path, default=OUTPUT, help=f"folder of the pages (default: {OUTPUT})"
    )
    given = parser.parse_args(arguments)
    missing = [name for name in ("jmh-steady", "uoptime") if not (given.data / name).is_dir()]
    if missing:
        parser.error(
            f"{given.data} has no folder {missing[0]}: give the folder of the papers' data"
        )
    sections = made(given.data, given.only or TABLES, given.jobs)
    if given.only:  # a selection must not replace the pages
        sys.stdout.write("\n\n".join(map(render, sections.values())) + "\n")
        return 0
    for name, text in pages(sections).items():
        (given.output / name).write_text(text, encoding="utf-8", newline="\n")
    return 0


def pages(sections: Mapping[str, Section]) -> Mapping[str, str]:
    """Return the text of each page by the name of its file."""
    listed = "\n".join(f"- [{page.title.capitalize()}]({page.name})" for page in PAGES)
    first = ["# Evaluation", *map(paragraph, INTRODUCTION), goals(sections)]
    first += ["## The tables", listed]
    own = {"evaluation.md": "\n\n".join(first) + "\n"}
    return own | {page.name: page.text(sections) for page in PAGES}


if __name__ == "__main__":
    sys.exit(main())
