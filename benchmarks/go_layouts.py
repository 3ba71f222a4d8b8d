"""False alarms of comparisons whose machine code only moved, with one and with several layouts.

Usage: python benchmarks/go_layouts.py FOLDER [--pairs N] [--first N] [--seconds S]

Base is `benchmarks/layouts`; head of each pair has other functions before the benchmarks, which
these do not call. So all instructions are the same, at another place. `steady run` measures each
pair twice, in the same time budget: with the plain binaries, and with three function layouts.
FOLDER keeps the results; without --pairs, only these are read.

The report has for each way the numbers of comparisons with enough rounds and of reported changes,
the median number of rounds and upper bound, the standard deviation of the change, the seconds of a
round, and the seconds of linking a version.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

import steady
from steady.compare.benchmark_change import CHANGED, Change

MODULE = Path(__file__).parent / "layouts"
BUILD = ("go", "test", "-c", "-vet=off", "-trimpath", "-buildvcs=false")
LAYOUTS = (1, 2, 3)
WAYS = ("plain", "layouts")


def moved(number: int) -> str:
    """Return a file with unrelated functions, which differ in number and size between pairs."""
    lines = ["package layouts", 'import "testing"']
    for function in range(1 + number % 4):
        body = "".join(f"x = x*{7 + step} ^ x>>{1 + step % 5}\n" for step in range(3 + 5 * number))
        lines.append(f"//go:noinline\nfunc moved{function}(x int) int {{\n{body}return x\n}}")
    calls = "\n".join(f"sink += moved{function}(1)" for function in range(1 + number % 4))
    lines.append(f"func TestMoved(t *testing.T) {{\n{calls}\n}}\n")
    return "\n".join(lines)


def build(folder: Path, number: int | None) -> Mapping[str, float]:
    """Build a version for both ways; return the seconds of linking of each.

    Parameters
    ----------
    folder : Path
        Gets a folder for each way.
    number : int, optional
        Number of the pair, if it is head.
    """
    sources = folder / "sources"
    shutil.copytree(MODULE, sources)
    if number is not None:
        (sources / "a_moved_test.go").write_text(moved(number), encoding="utf-8")
    begin = time.perf_counter()
    for way in WAYS:
        subprocess.run([*BUILD, "-o", f"{folder / way}/"], cwd=sources, check=True)
    plain = time.perf_counter()
    for layout in LAYOUTS:
        place = f"{folder / 'layouts' / '_layouts' / str(layout)}/"
        command = [*BUILD, f"-ldflags=-randlayout={layout}", "-o", place]
        subprocess.run(command, cwd=sources, check=True)
    return {"plain": (plain - begin) / 2, "layouts": time.perf_counter() - plain}


def measure(folder: Path, pairs: Sequence[int], seconds: float) -> None:
    """Build and run the pairs, each way in turn."""
    for number in pairs:
        place = folder.resolve() / f"pair-{number}"
        linking = [build(place / side, own) for side, own in (("base", None), ("head", number))]
        (place / "linking.json").write_text(json.dumps(linking), encoding="utf-8")
        for way in WAYS if number % 2 else reversed(WAYS):
            steady.run(
                place / "base" / way,
                place / "head" / way,
                out=place / way,
                time_budget=seconds,
                same_code="run",
                seed=number,
            )


def forks(results: Path) -> Iterator[Mapping[str, float]]:
    """Yield the measured forks of a run, from its journal."""
    for line in (results / "journal.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry.get("status") == "ok":
            yield entry


def report(folder: Path) -> None:
    """Print a line for each reported change, and the table."""
    places = sorted(folder.glob("pair-*"), key=lambda one: int(one.name.removeprefix("pair-")))
    for way in WAYS:
        changes: list[Change] = []
        seconds: list[float] = []
        for place in places:
            sides = [steady.load(place / way / f"{side}.txt") for side in ("base", "head")]
            found = steady.compare(*sides).changes
            changes += found
            seconds += [one["seconds"] for one in forks(place / way)]
            for one in found:
                if one.outcome in CHANGED:
                    print(f"{way} {place.name}: {one.identity.label} {one.ratio:+.1%}")
        changes = [one for one in changes if one.interval is not None]  # enough rounds
        reported = sum(one.outcome in CHANGED for one in changes)
        rounds = np.median([one.base.forks for one in changes])
        excluded = np.median([one.excluded for one in changes if math.isfinite(one.excluded)])
        deviation = np.std([math.log1p(one.ratio) for one in changes])
        print(
            f"{way}: {reported} of {len(changes)} reported, median of {rounds:g} rounds, upper "
            f"bound {excluded:.1%}, standard deviation {deviation:.2%}, "
            f"{2 * np.mean(seconds):.3f} s a round"
        )
    linked = [json.loads((place / "linking.json").read_text()) for place in places]
    for way in WAYS:
        print(f"{way}: linked in {np.mean([one[way] for two in linked for one in two]):.2f} s")


def main() -> None:
    """Measure if pairs are requested, and print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    measure(
        arguments.folder,
        range(arguments.first, arguments.first + arguments.pairs),
        arguments.seconds,
    )
    report(arguments.folder)


if __name__ == "__main__":
    main()
