"""Predicted and actual duration of a run.

Usage: python benchmarks/promised_seconds.py FOLDER [FOLDER ...]

Each FOLDER was written by `steady run`: its journal contains the predicted and the actual seconds
of each fork. Extra rounds, for which only an upper bound was predicted, have a separate line. The
next line is the whole run from start to end, including the time between forks. The last line has
the errors of predictions made during the run, after a twentieth of the planned seconds, a tenth and
so on, for all planned forks.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from steady.engine.progress import PRIOR_SECONDS

Line = dict[str, Any]


def lines_of(folder: Path) -> list[Line]:
    """Return the journal's entries for each fork."""
    text = (folder / "journal.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    return [line for line in lines if "promised" in line]


def session_seconds(folder: Path) -> float:
    """Return the total duration of the run's completed sessions."""
    sessions = json.loads((folder / "run.json").read_text(encoding="utf-8"))["sessions"]
    return sum(float(s["end"] - s["start"]) for s in sessions if s["end"] is not None)


def row(what: str, forks: int, promised: float, taken: float) -> str:
    """Return one line of the table."""
    off = f"{100 * (taken / promised - 1):+8.1f} %" if promised > 0 else ""
    return f"{promised:10.1f} {taken:10.1f} {off:>10} {forks:6}  {what}"


SHARES = (0.05, 0.1, 0.2, 0.3, 0.5)


def on_the_way(planned: list[Line]) -> str:
    """Return the errors of predictions made during the run."""
    promised = sum(line["promised"] for line in planned)
    taken = sum(line["seconds"] for line in planned)
    cells: list[str] = []
    expected = spent = 0.0
    for line in sorted(planned, key=lambda line: float(line["start"])):
        expected += line["promised"]
        spent += line["seconds"]
        while len(cells) < len(SHARES) and expected >= SHARES[len(cells)] * promised:
            pace = (spent + PRIOR_SECONDS) / (expected + PRIOR_SECONDS)
            off = (spent + (promised - expected) * pace) / taken - 1
            cells.append(f"{100 * SHARES[len(cells)]:.0f} %: {100 * off:+.1f} %")
    return f"promised on the way: {', '.join(cells)}"


def told(folder: Path) -> list[str]:
    """Return the table of one run."""
    by_name: dict[str, list[Line]] = defaultdict(list)
    planned = [line for line in lines_of(folder) if line["kind"] == "planned"]
    further = [line for line in lines_of(folder) if line["kind"] != "planned"]
    for line in planned:
        by_name[line["benchmark"]].append(line)
    groups = [*sorted(by_name.items()), ("planned forks", planned)]
    groups += [("further rounds", further)] if further else []
    rows = [
        row(name, len(own), sum(o["promised"] for o in own), sum(o["seconds"] for o in own))
        for name, own in groups
    ]
    everything = planned + further
    promised = sum(line["promised"] for line in everything)
    whole = row("the whole run by the clock", len(everything), promised, session_seconds(folder))
    return [*rows, whole, *([on_the_way(planned)] if planned else [])]


def main() -> None:
    """Print a table for each folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    for folder in parser.parse_args().folders:
        print(f"{folder}\n{'promised s':>10} {'taken s':>10} {'off':>10} {'forks':>6}")
        print("\n".join(told(folder)) + "\n")


if __name__ == "__main__":
    main()
