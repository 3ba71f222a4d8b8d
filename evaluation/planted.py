"""Detection of planted changes by steady and by the harnesses' own comparisons.

Usage: python -m evaluation.planted BASE HEAD --planted REGEX --out FOLDER [--runs 3]
           [--time-budget 3m] [--each NAME ...] -- COMMAND ...

HEAD does more of the same work in the benchmarks whose name matches --planted, and is BASE in all
others. `steady run` measures both repeatedly, each time with a new seed, and `steady compare`
judges. Every benchmark of a run is a separate trial, so a run with six planted changes counts as
six, each with its share of the time budget.

For a command, --each names the last word of each benchmark: each is run on its own, with an equal
part of the time budget. Existing folders are read, and their runs are not repeated. The table is
that of `evaluation.beside_others`: "all, yes" counts detected planted changes, "all, no" false
alarms.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.beside_others import found_in, steady, table
from steady.options.kinds import seconds_of


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    given = arguments_of(sys.argv[1:] if words is None else words)
    found = []
    for number in range(given.runs):
        results = list(_run(given, number))
        found.append({name: own for one in results for name, own in found_in(one).items()})
    print(table(found, given.planted))


def arguments_of(words: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; ``command`` has the arguments after ``--``."""
    place = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("base")
    parser.add_argument("head")
    parser.add_argument("--planted", type=re.compile, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--time-budget", type=seconds_of, default=180.0)
    parser.add_argument("--each", nargs="+", default=[])
    parsed = parser.parse_args(list(words[:place]))
    parsed.command = list(words[place + 1 :])
    return parsed


def _run(given: argparse.Namespace, number: int) -> Iterator[Path]:
    """Measure each missing run, and yield the folders of the results."""
    parts = [[one] for one in given.each] or [[]]
    for part in parts:
        folder = given.out.joinpath(f"run-{number}", *part)
        if not (folder / "head.json").is_file():
            budget = f"{given.time_budget / len(parts):g}s"
            how = ["--time-budget", budget, "--seed", str(number), "--same-code", "run"]
            behind = ["--", *given.command, *part] if given.command else []
            steady("run", given.base, given.head, *how, "--out", str(folder), *behind)
        yield folder


if __name__ == "__main__":
    main()
