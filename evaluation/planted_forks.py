"""Table 2, first half: similarity methods where the truth is known, because it was planted.

Usage: python -m evaluation DATA --only planted_forks

Needs no data: five forks of 60 iterations with noise of 2 %, one of which may differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from evaluation._markdown import Cell, Section, Table, markdown, paragraph, percent
from evaluation._similarity_choices import CHOICES, METHODS
from steady.model import FloatArray

FORKS, ITERATIONS, REPEATS = 5, 60, 200
CHOICE_REPEATS = 40
LENGTHS = (10, 15, 20, 30, 60)
NOISE = 0.02
SEED = 20230415

TIME = np.arange(ITERATIONS) / ITERATIONS


def wave(periods: float, shift: float = 0.0) -> FloatArray:
    """Return one fork's level with a wave of 20 %."""
    return np.asarray(1 + 0.2 * np.sin(2 * np.pi * (periods * TIME + shift)), dtype=np.float64)


PLANTS: dict[str, tuple[FloatArray | float, FloatArray | float, float]] = {
    "nothing": (1.0, 1.0, NOISE),
    "wave in all forks": (wave(4), wave(4), NOISE),
    "shift of 5 %": (1.0, 1.05, NOISE),
    "shift of 10 %": (1.0, 1.1, NOISE),
    "shift of 20 %": (1.0, 1.2, NOISE),
    "shift of 100 %": (1.0, 2.0, NOISE),
    "noise of 5 %": (1.0, 1.0, 0.05),
    "noise of 10 %": (1.0, 1.0, 0.1),
    "noise of 20 %": (1.0, 1.0, 0.2),
    "trend of 10 %": (1.0, 1 + 0.1 * TIME, NOISE),
    "trend of 30 %": (1.0, 1 + 0.3 * TIME, NOISE),
    "trend of 100 %": (1.0, 1 + TIME, NOISE),
    "wave in one fork": (1.0, wave(4), NOISE),
    "wave of 1.5 times the frequency": (wave(4), wave(6), NOISE),
    "wave of double frequency": (wave(4), wave(8), NOISE),
    "wave shifted by a quarter": (wave(4), wave(4, 0.25), NOISE),
}
"""Level of forks 0 to 3, level of fork 4, noise of fork 4; the first two have no planted
difference."""

SAME_FORKS = ("nothing", "levels spread by 2 %", "wave in all forks")
"""Cases without a differing fork: every dissimilarity is a false alarm."""


def table(_: Path) -> Section:
    """Return all parts of the table; no data are needed."""
    cases = planted_cases()
    return [
        "## 2. Forks that differ: planted differences",
        paragraph(
            f"""Bauer et al. (2023) judged their methods by peer reviews that are not public. Here
                the truth is known: {FORKS} forks of {ITERATIONS} iterations with noise of 2 %, of
                which the last one differs, in {REPEATS} repetitions. Each cell has two shares of
                the repetitions, in %: those in which the forks were called dissimilar / those in
                which exactly the right fork was named. In the first three rows no fork differs, so
                every call there is a false alarm. No such figures have been published."""
        ),
        planted_table(cases),
        "False alarms: how often forks of noise alone were called dissimilar, %, by their length:",
        lengths_table(),
        paragraph(
            f"""Where the paper leaves a choice open, this table changes one choice of the heuristic
                at a time. It shows the false alarms in the first three rows above, and the planted
                differences called dissimilar in all other rows, in %. It uses only the first
                {CHOICE_REPEATS} repetitions, to save time."""
        ),
        choices_table(cases),
    ]


def planted_cases() -> dict[str, list[FloatArray]]:
    """Return the forks of all repetitions, by planted difference."""
    cases = {"nothing": list(planted("nothing"))}
    cases["levels spread by 2 %"] = list(planted("nothing", level_spread=0.02))
    return cases | {name: list(planted(name)) for name in PLANTS}


def planted(name: str, level_spread: float = 0.0) -> Iterator[FloatArray]:
    """Yield forks of which the last one differs; levels spread normally around 1."""
    random = np.random.default_rng(SEED)
    usual, odd, noise = PLANTS[name]
    for _ in range(REPEATS):
        forks = usual * (1 + NOISE * random.standard_normal((FORKS, ITERATIONS)))
        forks[-1] = odd * (1 + noise * random.standard_normal(ITERATIONS))
        yield forks * (1 + level_spread * random.standard_normal((FORKS, 1)))


def planted_table(cases: dict[str, list[FloatArray]]) -> Table:
    """Return the rates at which each method detects the difference and identifies the fork."""
    rows: list[list[Cell]] = []
    for name, forks in cases.items():
        cells: list[Cell] = []
        for method in METHODS.values():
            found = [method(one) for one in forks]
            dissimilar = float(np.mean([not result.similar for result in found]))
            named = float(np.mean([result.odd_forks == (FORKS - 1,) for result in found]))
            cells.append((percent(dissimilar), percent(named)))
        rows.append([name, *cells])
    return Table(["planted in the last of five forks", *METHODS], rows)


def lengths_table() -> str:
    """Return the false alarm rate for five forks of pure noise, by length."""
    random = np.random.default_rng(SEED)
    rows = []
    for length in LENGTHS:
        cases = [1 + NOISE * random.standard_normal((FORKS, length)) for _ in range(REPEATS)]
        shares = [np.mean([not m(forks).similar for forks in cases]) for m in METHODS.values()]
        rows.append([str(length), *(percent(float(share)) for share in shares)])
    return markdown(["iterations", *METHODS], rows)


def choices_table(cases: dict[str, list[FloatArray]]) -> str:
    """Return false alarms and detections of the heuristic, varying one choice at a time."""
    rows = []
    for name, judge in CHOICES.items():
        shares = {
            case: np.mean([judge(one) for one in forks[:CHOICE_REPEATS]])
            for case, forks in cases.items()
        }
        alarms = np.mean([shares.pop(case) for case in SAME_FORKS])
        found = float(np.mean(list(shares.values())))
        rows.append([name, percent(float(alarms)), percent(found)])
    return markdown(["", "false alarms", "planted differences found"], rows)
