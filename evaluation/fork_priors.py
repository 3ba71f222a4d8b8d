"""Priors for the variance between pairs of forks, estimated from published data by harness.

Usage: python -m evaluation.fork_priors DATA

DATA holds jmh-steady and uoptime (see ``python -m evaluation``). The forks of each benchmark are
assigned to rounds as if they had been interleaved: ten forks of JMH to five rounds; for Go, three
rounds, each of two processes of one instance. A project of JMH, or a version of a project of Go, is
one suite. Its rounds give the likelihood of each common level of the standard deviation, by the
model of the verdict (`steady.compare.variance.posterior`). The middle and the width of the levels
(`steady.compare.variance.prior.PUBLISHED`) maximize the likelihood of all suites together, if
published suites have a weight of one half.

The last columns show the gain of a project from a prior fitted to the *other* projects: the mean
over its suites of log(evidence with that prior / evidence with equally likely levels). The last
line gives the threshold above which a machine is called busy (`steady.compare.validity`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from evaluation._jmh_steady import joined, read_series
from evaluation._markdown import markdown
from evaluation._uoptime_data import read_projects
from steady.compare.pair import FORK, Pair
from steady.compare.round_tables import round_tables
from steady.compare.validity import iteration_steps
from steady.compare.variance.posterior import fit_rounds
from steady.compare.variance.prior import PUBLISHED, hyperprior, log_evidence
from steady.model import FloatArray

JMH_ITERATIONS, JMH_JOINED = 20, 10  # the last 20 of 1 s
GO_ITERATIONS = 5
NARROWEST = 0.7  # lower limit of the factor between suites, also with few suites
TRIED = "tried"
SHARES = {"jmh": PUBLISHED[FORK][0], "go": 0.2}  # for Go, a prior that was tried but is not used

Prior = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class PublishedSuite:
    """Rounds of one suite: base, head, each of shape (benchmarks, rounds, iterations)."""

    harness: str
    project: str
    base: FloatArray
    head: FloatArray

    def pairs(self) -> list[Pair]:
        """Return the benchmarks as if their forks were interleaved."""
        rounds = np.repeat(np.arange(self.base.shape[1])[:, np.newaxis], 2, axis=1)
        turns = np.ones(len(rounds), dtype=bool)
        return [
            Pair("ns/op", base, head, rounds, turns=turns, exchangeable=self.harness == "go")
            for base, head in zip(self.base, self.head, strict=True)
        ]


def jmh_suites(data: Path, rounds: int, deals: int) -> Iterator[PublishedSuite]:
    """Assign the ten forks of each benchmark of jmh-steady to rounds."""
    generator = np.random.default_rng(0)
    projects: dict[str, list[FloatArray]] = {}
    for name, series in read_series(data / "jmh-steady"):
        last = series[:, -JMH_ITERATIONS * JMH_JOINED :]
        projects.setdefault(name.split("#")[0], []).append(joined(last, JMH_JOINED))
    for _ in range(deals):
        for project, tables in projects.items():
            dealt = np.stack([generator.permutation(table) for table in tables])
            yield PublishedSuite("jmh", project, dealt[:, :rounds], dealt[:, rounds : 2 * rounds])


def go_suites(data: Path, deals: int) -> Iterator[PublishedSuite]:
    """Take two of the three processes of each instance of ds1: one round of three."""
    generator = np.random.default_rng(0)
    for project, versions in read_projects(data / "uoptime", "ds1").items():
        for version in versions:
            table = np.stack(list(version.values()))[..., 0]  # a second of each iteration
            for _ in range(deals):
                order = np.argsort(generator.random(table.shape[:3]), axis=2)
                dealt = np.take_along_axis(table, order[..., np.newaxis], axis=2)
                yield PublishedSuite("go", project, dealt[:, :, 0], dealt[:, :, 1])


def evidence(suite: PublishedSuite) -> FloatArray:
    """Return the log evidence of each factor and belief, up to a constant."""
    [table] = round_tables(dict(enumerate(suite.pairs())))
    explained = fit_rounds(table)
    logs = log_evidence(explained.likelihood)[~explained.exact].sum(axis=0)
    return np.asarray(logs - logs.max())


def gains(logs: FloatArray, prior: Prior) -> FloatArray:
    """Return the log evidence ratio of each suite; `logs` has shape (suites, factors, beliefs)."""
    PUBLISHED[TRIED] = prior
    chances = np.exp(logs)
    informed, vague = ((chances * hyperprior(key)).sum(axis=(1, 2)) for key in (TRIED, ""))
    return np.asarray(np.log(informed / vague))


def fitted(logs: FloatArray) -> Prior:
    """Return the maximum-likelihood centre and width of the levels over all suites."""

    def loss(place: FloatArray) -> float:
        return -float(gains(logs, (0.5, *np.exp(place).tolist())).sum())

    starts = [(np.log(level), np.log(1.0)) for level in (3e-4, 3e-3, 3e-2)]
    bounds = [(np.log(1e-4), np.log(0.3)), (np.log(NARROWEST), np.log(3))]
    found = [minimize(loss, s, method="Nelder-Mead", bounds=bounds) for s in starts]
    middle, width = np.exp(min(found, key=lambda one: float(one.fun)).x).tolist()
    return 0.5, middle, width


def without_each(suites: list[PublishedSuite]) -> dict[str, Prior]:
    """Return the prior for each project from the other projects, with the verdict's weight."""
    logs = np.array([evidence(suite) for suite in suites])
    of = np.array([suite.project for suite in suites])
    share = SHARES[suites[0].harness]
    return {
        project: (share, *fitted(logs[of != project])[1:]) for project in dict.fromkeys(of.tolist())
    }


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.fork_priors")
    parser.add_argument("data", type=Path, help="folder that holds jmh-steady and uoptime")
    data = parser.parse_args().data
    rows, own = [], []
    for suites in (list(jmh_suites(data, 5, 1)), list(go_suites(data, 1))):
        own += [float(np.median(iteration_steps(suite.pairs()))) for suite in suites]
        logs = np.array([evidence(suite) for suite in suites])
        of = np.array([suite.project for suite in suites])
        _, middle, width = fitted(logs)
        others = without_each(suites)
        held = [float(gains(logs[of == p], prior).mean()) for p, prior in others.items()]
        rows.append(
            [
                suites[0].harness,
                f"{len(others)} / {len(suites)}",
                f"{middle:.2g}",
                f"{width:.2g}",
                f"{np.mean(held):+.2f}",
                f"{np.mean(np.array(held) > 0):.0%}",
            ]
        )
    titles = [
        "harness",
        "projects / suites",
        "middle",
        "width",
        "gain of a project left out",
        "> 0",
    ]
    print(markdown(titles, rows))
    print(
        f"\nFrom one iteration to the next, the typical benchmark of a suite differs by "
        f"{np.median(own):.1%} from itself; at most by {max(own):.1%} ({len(own)} suites)."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
