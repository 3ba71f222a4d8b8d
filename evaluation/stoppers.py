"""Table 7: the learned stoppers of Traini et al. 2024, and the published results.

Usage: python -m evaluation.stoppers DATA [--results FOLDER] [--jobs N] [--output FILE]
                                     [--sections TITLE ...]

DATA holds the folder ``jmh-steady``; FOLDER (default: build/stoppers) contains the output of the
training. Models with a missing fold are omitted, with a note in the document.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from evaluation._markdown import Table, number, paragraph, percent, render
from evaluation._quality import FORKS, Subject, read_subjects
from evaluation._stopper_calls import Judged, joined_stops, read_folds
from evaluation._stopper_data import FOLDS, BoolArray, Forks, IntArray
from evaluation._stopper_published import (
    PAPER,
    PUBLISHED_BALANCES,
    PUBLISHED_CALLS,
    PUBLISHED_EFFECTS,
    PUBLISHED_RESULTS,
    PUBLISHED_SHARES,
)
from evaluation._stopper_quality import (
    ITERATIONS,
    Balance,
    Configuration,
    Effect,
    Judge,
    Judgement,
    judgements,
    read_baselines,
    stopped_like,
)
from evaluation._stopper_trials import TrialBench, read_trials, trial_section
from evaluation.result_quality import choices
from steady.model import FloatArray
from steady.papers.stopping import WINDOW
from steady.text.numbers import count, listed

OUTPUT = Path("docs/evaluation-stoppers.md")
RESULTS = Path("build/stoppers")

SHOWN = {
    "fcn": "`fcn`",
    "oscnn": "`oscnn`",
    "rocket-0": "`rocket`, threshold 0",
    "rocket": "`rocket`, threshold tuned",
}
"""steady's fits, by file name."""

ALWAYS = {"rocket": "always stable", "fcn": "always stable, every fourth window"}
"""Scores of a trivial model that classifies every window as stable, for each of these fits."""

OTHER_PROJECTS = {f"{name}-projects": name for name in ("fcn", "oscnn", "rocket")}
"""Fits evaluated on projects without any training benchmark."""

CALLS_HEADER = ("model", "precision", "recall", "F1", "balanced accuracy", "area under curve")

BUDGETS = (0.02, 0.03)
"""Options of the plans that are compared with the stoppers."""


class Page:
    """The document by section; intermediate results are computed on demand.

    Parameters
    ----------
    data : Path
        Folder with jmh-steady.
    results : Path
        Output folder of the training.
    jobs : int or concurrent.futures.Executor
        Number of processes, or an executor, which is used and not shut down.
    """

    def __init__(self, data: Path, results: Path, jobs: int | Executor) -> None:
        self.folder, self.results, self.jobs = data / "jmh-steady", results, jobs
        self.forks = Forks.read(self.folder)
        judged = {name: read_folds(results, name) for name in (*SHOWN, *OTHER_PROJECTS)}
        if not any(judged.values()):
            raise SystemExit(f"{results} holds no fit: run `make train-stoppers` first")
        self.judged: Mapping[str, Mapping[int, Judged]] = judged

    @cached_property
    def bench(self) -> Bench:
        """All stoppers with a fit."""
        folds = {name: self.judged[name] for name in SHOWN if self.judged[name]}
        stops = {name: joined_stops(own, self.forks.folds) for name, own in folds.items()}
        judged = partial(judgements, self.folder, jobs=self.jobs)
        return Bench(self.forks, read_baselines(self.folder, self.forks), stops, judged)

    def section(self, title: str) -> str:
        """Return one of `SECTIONS`, as Markdown."""
        return render([f"## {title}", *SECTIONS[title](self)])

    def text(self) -> str:
        """Return the whole text."""
        begin = render(["# The learned stoppers", *_introduction(self.forks, self.judged)])
        return "\n\n".join([begin, *map(self.section, SECTIONS)]) + "\n"


def renewed(text: str, sections: Mapping[str, str]) -> str:
    """Return a page with some sections in place of those of the same title.

    Parameters
    ----------
    text : str
        The page.
    sections : dict of str to str
        Markdown by title, titles of `SECTIONS`.
    """
    begin, *parts = text.split("\n## ")
    known = {part.partition("\n")[0]: f"## {part}".strip() for part in parts} | dict(sections)
    ordered = [known[title] for title in SECTIONS if title in known]
    return "\n\n".join([begin.strip(), *ordered]) + "\n"


def _introduction(forks: Forks, judged: Mapping[str, Mapping[int, Judged]]) -> Iterator[str]:
    yield paragraph(
        """`make evaluate-stoppers DATA=../shared/data` writes this page after `make
        train-stoppers`."""
    )
    yield paragraph(
        f"""Traini, Di Menna and Cortellessa (ASE 2024) train three models to decide whether a
        window of {WINDOW} iterations is stable: FCN, OSCNN and ROCKET. The first stable window ends
        the warm-up. This page shows the results of our own fits of these models on the same data,
        {len(forks.benchmarks)} benchmarks of {len(np.unique(forks.projects))} projects, together
        with the published figures. The true end of a fork's warm-up is CP-SSD's last change point.
        The benchmarks are divided into the authors' own five folds, and each is judged by a fit to
        the other four, which contain other benchmarks of every project. ROCKET is trained in full.
        The networks are trained on fewer windows for fewer epochs, as described in
        `docs/methods.md`."""
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


def classification(judged: Mapping[str, Mapping[int, Judged]]) -> Iterator[str | Table]:
    """Yield table 2."""
    known = {name: judged[name] for name in SHOWN if judged.get(name)}
    rows = [
        [title, *_call_cells(known[name].values(), -np.inf)]
        for name, title in ALWAYS.items()
        if name in known
    ]
    for name, title in SHOWN.items():
        if name in PAPER:
            cells = [number(value, 3) for value in PUBLISHED_CALLS[PAPER[name]]]
            rows.append([f"published: {PAPER[name]}", *cells, "–"])
        if name in known:
            rows.append([title, *_call_cells(known[name].values())])
    yield paragraph(
        """This is the paper's table 2: means over the folds. A stable window is a positive. ROCKET
            is judged on all 100 windows of a fork, the networks on every fourth of them, beginning
            with the first. Stable windows are slightly rarer among these, so the precision of the
            networks is slightly lower."""
    )
    yield Table(CALLS_HEADER, rows)


def other_projects(judged: Mapping[str, Mapping[int, Judged]]) -> Iterator[str | Table]:
    """Yield the same table for held-out projects."""
    yield paragraph(
        """In the paper's folds, every project is in both training and test data, and a benchmark
            method may be in both with different parameters. For this table, complete projects are
            divided into five folds, so the training data contain no benchmark of the judged
            project."""
    )
    rows = []
    for name, model in OTHER_PROJECTS.items():
        folds = judged[name].values()
        if model == "rocket" and folds:
            rows.append([SHOWN["rocket-0"], *_call_cells(folds, 0.0)])
        if folds:
            rows.append([_with_count(SHOWN[model], len(folds)), *_call_cells(folds)])
    yield Table(CALLS_HEADER, rows)
    missing = [SHOWN[model] for name, model in OTHER_PROJECTS.items() if not judged[name]]
    if missing:
        yield f"No fit of {listed(missing)} to whole projects has been trained, so it is left out."


def _with_count(title: str, folds: int) -> str:
    return title if folds == FOLDS else f"{title} ({count(folds, 'fold')})"


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
    """Comparison of a stopper with each baseline, and its seconds as in the paper."""

    judgements: Mapping[str, Judgement]
    counted_seconds: Mapping[str, FloatArray]
    rows: BoolArray
    """The benchmarks of the evaluation."""


class Bench:
    """Comparison of all stoppers with all baselines.

    Parameters
    ----------
    forks : Forks
        The data.
    baselines : dict of str to Configuration
        Baselines by the paper's names.
    stops : dict of str to ndarray of int, shape (benchmarks, forks)
        Number of warm-up iterations of each fork by each stopper, -1 if unknown.
    judged : callable
        Function that judges configurations.
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
            is more informative."""
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
            if the 95 % confidence interval of its ratio to the truth contains 1. A stopper improves
            the *quality* if its result is good and the baseline's is not, and the *time* if both
            are good and it is faster; in the opposite cases it regresses. It measures as many
            iterations of as many forks as the baseline. *As published*: the authors count 100
            measured iterations of each fork, even if the result is made from up to 2000. *Truly*:
            all iterations used for the result are counted."""
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
    """Yield the results of plans on held-out forks, judged like the stoppers."""
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
        SOP. The seconds include all measured iterations. They do not include the full run from
        which the plan is made, because it runs once; a stopper needs none. The true result comes
        from all ten forks. These data cannot show the effect of interleaving, because the forks ran
        one after the other."""
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
    """Return the iterations of forks 5 to 9 measured by plans from forks 0 to 4."""
    starts, stops = np.zeros_like(forks.starts), np.zeros_like(forks.starts)
    used = np.zeros(forks.starts.shape, dtype=np.bool_)
    for row, choice in zip(
        rows.tolist(), choices(subjects, 1, "error-budget", budget=budget), strict=True
    ):
        starts[row] = choice.warmup
        stops[row] = choice.warmup + choice.iterations
        used[row, FORKS : FORKS + choice.forks] = True
    return Configuration(starts, stops, used, used)


def longer_training(page: Page) -> Iterator[str | Table]:
    """Yield the results of the trials of longer training."""
    trials = {model: read_trials(page.results, model) for model in ("fcn", "oscnn")}
    if not any(trials.values()):
        yield "No trial of longer training has been made, so this is left out."
        return
    recalls = {model: PUBLISHED_CALLS[PAPER[model]][1] for model in trials}
    sop = read_baselines(page.folder, page.forks)["SOP"]
    yield from trial_section(trials, SHOWN, recalls, TrialBench(Judge(page.forks), sop))


SECTIONS: dict[str, Callable[[Page], Iterator[str | Table]]] = {
    "Windows": lambda page: classification(page.judged),
    "Other projects": lambda page: other_projects(page.judged),
    "Where the warm-up ends": lambda page: page.bench.errors(),
    "Result quality and time": lambda page: page.bench.quality(),
    "Comparison with plans": lambda page: beside_plans(page.folder, page.bench),
    "More training": longer_training,
}
"""Sections by title."""


def main() -> None:
    """Write the document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, metavar="DATA", help="holds jmh-steady")
    parser.add_argument("--results", type=Path, default=RESULTS, help=f"default: {RESULTS}")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"default: {OUTPUT}")
    parser.add_argument(
        "--sections",
        nargs="+",
        choices=SECTIONS,
        metavar="TITLE",
        help="write only these again, and keep the others as they are in the output",
    )
    options = parser.parse_args()
    page = Page(options.data, options.results, options.jobs)
    if options.sections:
        sections = {title: page.section(title) for title in options.sections}
        text = renewed(options.output.read_text(encoding="utf-8"), sections)
    else:
        text = page.text()
    options.output.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
