"""Table 7: the learned stoppers of Traini et al. 2024, beside what they published.

Usage: python -m evaluation.stoppers DATA [--results FOLDER] [--jobs N] [--output FILE]

DATA holds the folder ``jmh-steady``; FOLDER (default: build/stoppers) what the training has
written. A model that lacks a fold is left out, and the document says so.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation._markdown import Section, Table, number, paragraph, percent, render
from evaluation._quality import FORKS, Subject, read_subjects
from evaluation._stopper_calls import Judged, joined_stops, read_folds
from evaluation._stopper_data import FOLDS, BoolArray, Forks, IntArray
from evaluation._stopper_quality import (
    ITERATIONS,
    Balance,
    Configuration,
    Effect,
    Judge,
    Judgement,
    Judges,
    read_baselines,
    stopped_like,
)
from evaluation.result_quality import choices
from steady.model import FloatArray
from steady.steadystate._learned import WINDOW
from steady.text.counting import count, listed

OUTPUT = Path("docs/evaluation-stoppers.md")
RESULTS = Path("build/stoppers")

SHOWN = {
    "fcn": "`fcn`",
    "oscnn": "`oscnn`",
    "rocket-0": "`rocket`, threshold 0",
    "rocket": "`rocket`, threshold tuned",
}
"""Our fits, by the names of their files."""

BY_PROJECT = "-projects"
"""Ends the name of fits that have seen no benchmark of the projects that they judge."""

PAPER = {"fcn": "FCN", "oscnn": "OSCNN", "rocket-0": "ROCKET"}
"""What the authors published of each."""

PUBLISHED_CALLS = {
    "FCN": (0.880, 0.659, 0.753, 0.712),
    "OSCNN": (0.886, 0.650, 0.748, 0.715),
    "ROCKET": (0.810, 0.932, 0.867, 0.682),
}
"""Precision, recall, F1, balanced accuracy: table 2."""

PUBLISHED_EFFECTS = {
    "FCN": {"SOP": (0.664, 0.352), "CV": (0.637, 0.370),
            "RCIW": (0.731, 0.400), "KLD": (0.630, 0.292)},
    "OSCNN": {"SOP": (0.658, 0.348), "CV": (0.632, 0.385),
              "RCIW": (0.728, 0.414), "KLD": (0.621, 0.288)},
    "ROCKET": {"SOP": (0.683, 0.282), "CV": (0.649, 0.245),
               "RCIW": (0.726, 0.264), "KLD": (0.656, 0.157)},
}  # fmt: skip
"""A12 and rank-biserial correlation: tables 3 and 6."""

PUBLISHED_BALANCES = {
    "FCN": {"SOP": (16.7, 30.7, 14.3, 7.8, 25.3), "CV": (26.8, 27.1, 12.3, 7.7, 34.0),
            "RCIW": (6.3, 50.3, 24.2, 4.6, 27.8), "KLD": (25.9, 24.4, 13.1, 10.4, 26.8)},
    "OSCNN": {"SOP": (17.9, 30.9, 13.7, 8.2, 27.0), "CV": (28.8, 26.8, 12.3, 8.0, 35.3),
              "RCIW": (7.0, 52.6, 21.8, 4.8, 32.9), "KLD": (27.8, 23.0, 12.1, 12.8, 25.9)},
    "ROCKET": {"SOP": (9.4, 20.1, 25.9, 6.5, -2.9), "CV": (11.3, 19.8, 24.6, 2.7, 3.8),
               "RCIW": (4.1, 24.4, 51.4, 3.4, -26.3), "KLD": (7.2, 21.5, 22.5, 3.9, 2.2)},
}  # fmt: skip
"""Improved in quality and in time, regressed in quality and in time, net, %: tables 4 and 7."""

PUBLISHED_RESULTS = {
    "FCN": ("5.7 (2.8 to 11.3)", "74 (43 to 150)"),
    "OSCNN": ("5.5 (2.4 to 12.3)", "79 (47 to 161)"),
    "ROCKET": ("10.0 (4.5 to 21.7)", "51 (30 to 78)"),
    "SOP": ("6.5 (2.4 to 19.2)", "100 (30 to 403)"),
    "CV": ("9.9 (4.7 to 17.5)", "75 (51 to 113)"),
    "RCIW": ("4.5 (1.8 to 11.5)", "300 (265 to 301)"),
    "KLD": ("7.9 (4.2 to 13.4)", "121 (94 to 156)"),
}
"""Deviation, %, and seconds: table 5."""

PUBLISHED_SHARES = {
    "FCN": (38.1, 15.5), "OSCNN": (41.2, 14.9), "ROCKET": (13.0, 16.6), "SOP": (63.9, 0.1),
    "RCIW": (74.1, 0.0),
}  # fmt: skip
"""Forks whose warm-up is too long, and those where it is exact, %: figure 4."""

BUDGETS = (0.02, 0.03)
"""Of the plans that are judged beside the stoppers."""


def document(data: Path, results: Path, jobs: int) -> str:
    """Return the whole text."""
    forks = Forks.read(data / "jmh-steady")
    judged = {name: read_folds(results, name) for name in (*SHOWN, "rocket-projects")}
    known = {name: folds for name, folds in judged.items() if folds}
    stops = {name: joined_stops(known[name], forks.folds) for name in SHOWN if name in known}
    judges = Judges(data / "jmh-steady", jobs)
    bench = Bench(forks, read_baselines(data / "jmh-steady", forks), stops, judges.judge)
    section: Section = [
        "# The learned stoppers",
        *_introduction(forks, judged),
        "## Windows",
        *classification(known),
        "## Where the warm-up ends",
        *bench.errors(),
        "## Result quality and time",
        *bench.quality(),
        "## Beside a plan",
        *beside_plans(data / "jmh-steady", bench),
    ]
    return render(section) + "\n"


def _introduction(forks: Forks, judged: Mapping[str, Mapping[int, Judged]]) -> Iterator[str]:
    yield paragraph(
        """`make evaluate-stoppers DATA=../shared/data` writes this page after `make
        train-stoppers`."""
    )
    yield paragraph(
        f"""Traini, Di Menna and Cortellessa (ASE 2024) train three models to tell whether a window
        of {WINDOW} iterations is stable: FCN, OSCNN and ROCKET. The first stable window ends the
        warm-up. This page shows how our own fits of these models do on the same data,
        {len(forks.benchmarks)} benchmarks of {len(np.unique(forks.projects))} projects, beside the
        published figures. The true end of a fork's warm-up is CP-SSD's last change point. The
        benchmarks are divided into the authors' own five folds, and each is judged by a fit to the
        other four, which hold other benchmarks of every project. ROCKET is trained in full. The
        networks learn from fewer windows for fewer epochs, as `docs/methods.md` says."""
    )
    for name, title in SHOWN.items():
        folds = [str(fold) for fold in sorted(judged[name])]
        if not folds:
            yield paragraph(f"No fold of {title} has been trained, so it is left out.")
        elif len(folds) < FOLDS:
            yield paragraph(
                f"""Of {title}, we trained {count(len(folds), "fold")} of {FOLDS} ({listed(folds)},
                counted from 0). Its figures and those of its baselines count only the benchmarks of
                these folds."""
            )


def classification(known: Mapping[str, Mapping[int, Judged]]) -> Iterator[str | Table]:
    """Yield table 2."""
    header = ("model", "precision", "recall", "F1", "balanced accuracy", "area under curve")
    rows = [["always stable", *_call_cells(known["rocket"].values(), -np.inf)]]
    for name, title in SHOWN.items():
        if name in PAPER:
            cells = [number(value, 3) for value in PUBLISHED_CALLS[PAPER[name]]]
            rows.append([f"published: {PAPER[name]}", *cells, "–"])
        if name in known:
            rows.append([title, *_call_cells(known[name].values())])
    if "rocket-projects" in known:
        folds = known["rocket-projects"].values()
        rows.append([f"{SHOWN['rocket-0']}, other projects", *_call_cells(folds, 0.0)])
        rows.append([f"{SHOWN['rocket']}, other projects", *_call_cells(folds)])
    yield paragraph(
        """This is the paper's table 2: means over the folds. A stable window is a positive. *Other
        projects*: the fit has seen no benchmark of the project that it judges. In the paper's
        folds, one benchmark method may be on both sides with different parameters."""
    )
    yield Table(header, rows)


def _call_cells(folds: Collection[Judged], threshold: float | None = None) -> list[str]:
    values = []
    for fold in folds:
        calls = fold.calls(threshold)
        precision = calls.true_positives / (calls.true_positives + calls.false_positives)
        recall = calls.sensitivity
        f1 = 2 * precision * recall / (precision + recall)
        values.append((precision, recall, f1, calls.balanced_accuracy))
    area = np.mean([fold.area for fold in folds]) if threshold != -np.inf else np.nan
    return [number(value, 3) for value in (*np.mean(values, axis=0).tolist(), float(area))]


@dataclass(frozen=True, eq=False)
class Row:
    """A stopper against each baseline, by its name, and its seconds as the authors count them."""

    judgements: Mapping[str, Judgement]
    counted_seconds: Mapping[str, FloatArray]
    rows: BoolArray
    """The benchmarks that it was judged on."""


class Bench:
    """All stoppers against all baselines.

    Parameters
    ----------
    forks : Forks
        The data.
    baselines : dict of str to Configuration
        By the paper's names.
    stops : dict of str to ndarray of int, shape (benchmarks, forks)
        After how many iterations each stopper ends the warm-up; -1 where that is not known.
    judged : callable
        Judges configurations.
    """

    def __init__(
        self,
        forks: Forks,
        baselines: Mapping[str, Configuration],
        stops: Mapping[str, IntArray],
        judged: Callable[[Sequence[Configuration]], list[Judgement]],
    ) -> None:
        self.judge = Judge(forks)
        self.baselines, self.stops, self.judged = baselines, stops, judged
        own = [stopped_like(base, one) for one in stops.values() for base in baselines.values()]
        found = judged([*baselines.values(), *own])
        size = len(baselines)
        self.others = dict(zip(baselines, found, strict=False))
        self.rows = {
            name: self._row(one, found[size * place : size * (place + 1)])
            for place, (name, one) in enumerate(stops.items(), start=1)
        }

    def _row(self, stops: IntArray, judgements: Sequence[Judgement]) -> Row:
        seconds = self.judge.after(np.minimum(stops + WINDOW, ITERATIONS))
        counted = {
            name: np.where(baseline.used, seconds, 0).sum(axis=1)
            for name, baseline in self.baselines.items()
        }
        own = dict(zip(self.baselines, judgements, strict=True))
        return Row(own, counted, stops[:, 0] >= 0)

    def errors(self) -> Iterator[str | Table]:
        """Yield tables 3 and 6, and figure 4."""
        yield paragraph(
            """These are the paper's tables 3 and 6. The baselines are the developers' own
            configuration (*SOP*) and Laaber's three stops (*CV*, *RCIW*, *KLD*). The warm-up
            estimation error is the time between the end that a stopper chose and the true one.
            *A12*: the probability that the stopper's error on any fork is smaller than the
            baseline's on any fork. *r*: the matched-pairs rank-biserial correlation, fork by fork.
            A stopper that always stops after one iteration has an A12 as high as the models', so r
            says more."""
        )
        header = ("model", *(f"{name}, {what}" for name in self.baselines for what in ("A12", "r")))
        rows = []
        one = np.ones_like(self.judge.forks.starts)
        for title, stops, published in [
            ("always after 1 iteration", one, None),
            ("always after 200 iterations", 200 * one, None),
            *((SHOWN[name], stops, PAPER.get(name)) for name, stops in self.stops.items()),
        ]:
            if published:
                pairs = PUBLISHED_EFFECTS[published].values()
                cells = [number(value, 3) for pair in pairs for value in pair]
                rows.append([f"published: {published}", *cells])
            rows.append([title, *self._effect_cells(stops)])
        yield Table(header, rows)
        yield paragraph(
            """This is the paper's figure 4: the share of steady forks whose warm-up is stopped too
            late, and the share whose end is exact."""
        )
        yield Table(("", "too late, %", "exact, %"), list(self._shares()))

    def _effect_cells(self, stops: IntArray) -> list[str]:
        cells = []
        for baseline in self.baselines.values():
            which = self.judge.steady & baseline.known & (stops >= 0)
            effect = Effect.of(
                self.judge.errors(stops, which), self.judge.errors(baseline.starts, which)
            )
            cells += [number(effect.superiority, 3), number(effect.correlation, 3)]
        return cells

    def _shares(self) -> Iterator[list[str]]:
        for name, baseline in self.baselines.items():
            yield from self._share_rows(name, name, baseline.starts, baseline.known)
        for name, stops in self.stops.items():
            yield from self._share_rows(SHOWN[name], PAPER.get(name, ""), stops, stops >= 0)

    def _share_rows(
        self, title: str, published: str, stops: IntArray, known: BoolArray
    ) -> Iterator[list[str]]:
        if published in PUBLISHED_SHARES:
            late, exact = PUBLISHED_SHARES[published]
            yield [f"published: {published}", number(late, 1), number(exact, 1)]
        apart = (stops - (self.judge.forks.starts + 1))[self.judge.steady & known]
        yield [title, percent(float(np.mean(apart > 0)), 1), percent(float(np.mean(apart == 0)), 1)]

    def quality(self) -> Iterator[str | Table]:
        """Yield tables 4, 5 and 7."""
        yield paragraph(
            """These are the paper's tables 4 and 7, in per cent of all benchmarks. A result is good
            if the 95 % interval of its ratio to the truth holds 1. A stopper improves the *quality*
            if its result is good and the baseline's is not, and the *time* if both are good and it
            is faster; it regresses the other way round. It measures as many iterations of as many
            forks as the baseline. *As published*: the authors count 100 measured iterations of each
            fork, even if the result is made from up to 2000. *Truly*: all iterations that the
            result is made from are counted."""
        )
        header = (
            "model", "against", "better quality", "better time", "worse quality", "worse time",
            "net", "truly: better time", "worse time", "net",
        )  # fmt: skip
        yield Table(header, list(self._balances()), texts=2, grouped=True)
        yield paragraph(
            """This is the paper's table 5: the median (and quartiles) of the deviation of results
            that are not good, and of the seconds for a benchmark. A stopper's figures are pooled
            over its four baselines."""
        )
        results = ("", "good, %", "deviation, %", "seconds as published", "seconds truly")
        yield Table(results, list(self._results()))

    def _balances(self) -> Iterator[list[str]]:
        for name, row in self.rows.items():
            for against in self.others if name in PAPER else ():
                cells = [number(value, 1) for value in PUBLISHED_BALANCES[PAPER[name]][against]]
                yield [f"published: {PAPER[name]}", against, *cells, "–", "–", "–"]
            for against, other in self.others.items():
                own, theirs = row.judgements[against][row.rows], other[row.rows]
                counted = Balance.of(own, theirs, row.counted_seconds[against][row.rows])
                truly = Balance.of(own, theirs)
                yield [SHOWN[name], against, *balance_cells(counted), *balance_cells(truly, 1)]

    def _results(self) -> Iterator[list[str]]:
        for name, judgement in self.others.items():
            yield [f"published: {name}", "–", *PUBLISHED_RESULTS[name], "–"]
            yield [name, *result_cells([judgement], [judgement.seconds])]
        for name, row in self.rows.items():
            if name in PAPER:
                yield [f"published: {PAPER[name]}", "–", *PUBLISHED_RESULTS[PAPER[name]], "–"]
            own = [one[row.rows] for one in row.judgements.values()]
            counted = [seconds[row.rows] for seconds in row.counted_seconds.values()]
            yield [SHOWN[name], *result_cells(own, counted)]


def balance_cells(balance: Balance, part: int = 0) -> list[str]:
    """Return the cells of a balance; those of quality only in the first part."""
    quality = (balance.better_quality, balance.better_time, balance.worse_quality)
    if part:
        return [percent(x, 1) for x in (balance.better_time, balance.worse_time, balance.net)]
    return [percent(x, 1) for x in (*quality, balance.worse_time, balance.net)]


def result_cells(own: Sequence[Judgement], counted: Sequence[FloatArray]) -> list[str]:
    """Return good results, deviation, and seconds in both accounts."""
    good = np.concatenate([one.good for one in own])
    deviation = np.concatenate([one.deviation for one in own])
    bad = deviation[~good & ~np.isnan(deviation)]
    return [
        percent(float(np.mean(good)), 1),
        quartiles(100 * bad, 1),
        quartiles(np.concatenate(list(counted)), 0),
        quartiles(np.concatenate([one.seconds for one in own]), 0),
    ]


def quartiles(values: FloatArray, digits: int) -> str:
    """Return the median with the quartiles in brackets."""
    if not len(values):
        return "–"
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def beside_plans(folder: Path, bench: Bench) -> Iterator[str | Table]:
    """Yield what plans come to, judged as the stoppers, on forks that no plan was made from."""
    subjects = read_subjects(folder)
    place = {name: i for i, name in enumerate(bench.judge.forks.benchmarks.tolist())}
    rows = np.array([place[subject.name] for subject in subjects])
    later = np.zeros_like(bench.judge.steady)
    later[:, FORKS:] = True
    sop = bench.baselines["SOP"]
    count = np.minimum(sop.used.sum(axis=1), FORKS)
    used = later & (np.arange(later.shape[1]) < FORKS + count[:, np.newaxis])
    yield paragraph(
        f"""steady itself does not stop each fork: it makes a plan from a full run. This table
        counts the {len(subjects)} benchmarks that have a steady fork in either half. Plans are made
        from forks 0 to 4. Like all others in this table, they are judged on forks 5 to 9, against
        SOP. All measured iterations are counted in the seconds. The full run that a plan is made
        from is not counted, because it is made once; a stopper needs none. The true result comes
        from all ten forks. These data cannot show turns of base and head, because the forks ran one
        after the other."""
    )
    header = (
        "", "good, %", "seconds, median", "better quality", "better time", "worse quality",
        "worse time", "net",
    )  # fmt: skip
    base = Configuration(sop.starts, sop.stops, later, used)
    own = {"SOP": base}
    own |= {SHOWN[name]: stopped_like(base, stops) for name, stops in bench.stops.items()}
    for budget in BUDGETS:
        plan = planned(subjects, rows, bench.judge.forks, budget)
        own[f"`error-budget` {100 * budget:g} %"] = plan
    theirs, *others = bench.judged(list(own.values()))
    table = [_plan_row("SOP", theirs, theirs, rows)]
    for title, one in zip(list(own)[1:], others, strict=True):
        known = own[title].used[rows].any(axis=1)
        table.append(_plan_row(title, one, theirs, rows[known]))
    yield Table(header, table)


def _plan_row(title: str, own: Judgement, other: Judgement, rows: IntArray) -> list[str]:
    mine, theirs = own[rows], other[rows]
    seconds = number(float(np.median(mine.seconds)), 1)
    cells = balance_cells(Balance.of(mine, theirs)) if own is not other else ["–"] * 5
    return [title, percent(float(np.mean(mine.good)), 1), seconds, *cells]


def planned(
    subjects: Sequence[Subject], rows: IntArray, forks: Forks, budget: float
) -> Configuration:
    """Return what plans made from forks 0 to 4 run of forks 5 to 9."""
    starts, stops = np.zeros_like(forks.starts), np.zeros_like(forks.starts)
    used = np.zeros(forks.starts.shape, dtype=np.bool_)
    for row, choice in zip(
        rows.tolist(), choices(subjects, 1, "error-budget", budget=budget), strict=True
    ):
        starts[row] = choice.warmup
        stops[row] = choice.warmup + choice.iterations
        used[row, FORKS : FORKS + choice.forks] = True
    return Configuration(starts, stops, used, used)


def main() -> None:
    """Write the document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, metavar="DATA", help="holds jmh-steady")
    parser.add_argument("--results", type=Path, default=RESULTS, help=f"default: {RESULTS}")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"default: {OUTPUT}")
    options = parser.parse_args()
    text = document(options.data, options.results, options.jobs)
    options.output.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
