"""Results of the harnesses' own comparisons on the files that steady compares.

Usage: python -m evaluation.beside_others RESULTS ... [--planted REGEX]

RESULTS are folders that `steady run` wrote for pytest-benchmark, Google Benchmark, Criterion.rs or
a command. Each benchmark has a row: whether head was made slower (its name matches --planted), the
verdict of steady, and whether each of these rules reports head as slower, based on all single
values of each version:

- *pytest-benchmark*: the mean is more than 5 % larger (``--benchmark-compare-fail=mean:5%``, the
  example of its documents, by its own code);
- *Google Benchmark*: the Mann-Whitney test has p < 0.05 (``tools/compare.py``, whose
  ``gbench/report.py`` calls the same function of SciPy), and the median is larger;
- *Criterion.rs*: the bootstrapped t test says p < 0.05, and the interval of the change of the mean
  lies above the noise threshold of 1 % (``analysis/compare.rs`` and ``report.rs`` of version 0.5,
  reimplemented here, with 10 000 resamples instead of 100 000);
- *pyperf*: its t test reports different means (``pyperf compare_to``, by its own code,
  which reports a difference for any unequal numbers of values), and head's is larger;
- *hyperfine*: the ratio of the means exceeds 1 by more than the error printed after the ±
  (``relative_speed.rs``);
- *Welch*: p < 0.05 in ``scripts/welch_ttest.py`` of hyperfine.

In practice, each harness's rule is used on its own results; here all rules are applied to all
results. The tables count slowed and unchanged benchmarks separately.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from pyperf import _compare as pyperf_compare
from pytest_benchmark.utils import PercentageRegressionCheck
from scipy.stats import mannwhitneyu, ttest_ind

from evaluation._markdown import markdown
from steady.model import FloatArray

LEVEL = 0.05
NOISE = 0.01
RESAMPLES = 10_000
BLOCK = 2**22
STEADY = "steady"
SLOWER = "regression"

Rule = Callable[[FloatArray, FloatArray], bool]
"""Predicate whether head (the second argument) is reported as slower."""


def _by_percentage(base: FloatArray, head: FloatArray) -> bool:
    check: Any = PercentageRegressionCheck
    return bool(check("mean", 100 * LEVEL).fails({"mean": head.mean()}, {"mean": base.mean()}))


def _by_ranks(base: FloatArray, head: FloatArray) -> bool:
    p = mannwhitneyu(base, head, alternative="two-sided").pvalue
    return bool(p < LEVEL and np.median(head) > np.median(base))


def _by_t_test(base: FloatArray, head: FloatArray) -> bool:
    sides = [SimpleNamespace(get_values=values.tolist) for values in (base, head)]
    apart, _ = pyperf_compare.is_significant_benchs(*sides)
    return bool(apart and head.mean() > base.mean())


def _by_deviation(base: FloatArray, head: FloatArray) -> bool:
    ratio = head.mean() / base.mean()
    error = ratio * np.hypot(*(one.std(ddof=1) / one.mean() for one in (base, head)))
    return bool(ratio - error > 1)


def _by_welch(base: FloatArray, head: FloatArray) -> bool:
    return bool(ttest_ind(base, head, equal_var=False).pvalue < LEVEL and head.mean() > base.mean())


def _by_bootstrap(base: FloatArray, head: FloatArray) -> bool:
    generator = np.random.default_rng(0)
    both = np.concatenate((base, head))
    drawn = [_moments(both, len(one), generator) for one in (head, base)]
    chance = _t(drawn[0], drawn[1], len(head), len(base))
    moments = [(one.mean(), one.var(ddof=1)) for one in (head, base)]
    seen = _t(moments[0], moments[1], len(head), len(base))
    below = int((chance < seen).sum())
    p = 2 * min(below, RESAMPLES - below) / RESAMPLES
    means = [_moments(one, len(one), generator)[0] for one in (head, base)]
    low = np.quantile(means[0] / means[1] - 1, LEVEL / 2)
    return bool(p < LEVEL and low > NOISE)


def _moments(
    values: FloatArray, size: int, generator: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of each resample, drawn in blocks to limit memory."""
    rows = max(BLOCK // size, 1)
    found = []
    for begin in range(0, RESAMPLES, rows):
        shape = (min(rows, RESAMPLES - begin), size)
        drawn = values[generator.integers(len(values), size=shape)]
        found.append((drawn.mean(axis=1), drawn.var(axis=1, ddof=1)))
    means, variances = (np.concatenate(one) for one in zip(*found, strict=True))
    return means, variances


def _t(head: tuple[Any, Any], base: tuple[Any, Any], heads: int, bases: int) -> Any:
    return (head[0] - base[0]) / np.sqrt(head[1] / heads + base[1] / bases)


RULES: Mapping[str, Rule] = {
    "pytest-benchmark": _by_percentage,
    "Google Benchmark": _by_ranks,
    "Criterion.rs": _by_bootstrap,
    "pyperf": _by_t_test,
    "hyperfine": _by_deviation,
    "Welch": _by_welch,
}


def values_of(path: Path) -> dict[str, FloatArray]:
    """Return all single values of a version, by benchmark name."""
    found: dict[str, list[FloatArray]] = {}
    for name, values in _entries(json.loads(path.read_text(encoding="utf-8"))):
        found.setdefault(name, []).append(np.asarray(values, float))
    return {name: np.concatenate(values) for name, values in found.items()}


def _entries(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for one in document.get("criterion", ()):
        sample = one["sample"]
        yield one["benchmark"]["full_id"], np.divide(sample["times"], sample["iters"])
    for one in document.get("results", ()):
        yield one["command"], one["times"]
    for one in document.get("benchmarks", ()):
        if "stats" in one:
            yield one["fullname"], one["stats"]["data"]
        elif one.get("run_type") == "iteration" and "real_time" in one:
            yield one["run_name"], [one["real_time"]]


def steady(*words: str) -> str:
    """Return the command's output; raise CalledProcessError if it fails."""
    command = [sys.executable, "-c", "import sys; from steady import cli; sys.exit(cli.main())"]
    done = subprocess.run([*command, *words], check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode not in {0, 1}:
        done.check_returncode()
    return done.stdout


def found_in(folder: Path) -> dict[str, dict[str, bool]]:
    """Return the benchmarks reported as slower by steady and by each rule."""
    answer = steady("compare", str(folder), "--json")
    sides = [values_of(folder / f"{side}.json") for side in ("base", "head")]
    found = {}
    for change in json.loads(answer)["changes"]:
        name = change["identity"]["name"]
        values = [side[name] for side in sides]
        own = {STEADY: change["outcome"] == SLOWER}
        found[name] = own | {rule: judge(*values) for rule, judge in RULES.items()}
    return found


def table(found: Sequence[Mapping[str, Mapping[str, bool]]], planted: re.Pattern[str]) -> str:
    """Return one row per benchmark: the number of runs in which each rule reports it."""
    names = sorted({name for run in found for name in run})
    rules = (STEADY, *RULES)
    rows = [_row(name, bool(planted.search(name)), found, {name}) for name in names]
    for made in (True, False):
        own = {name for name in names if bool(planted.search(name)) is made}
        rows.append(_row("all", made, found, own))
    return markdown(["benchmark", "made slower", "runs", *rules], rows)


def _row(
    title: str, made: bool, found: Sequence[Mapping[str, Mapping[str, bool]]], names: set[str]
) -> list[str]:
    own = [run[name] for run in found for name in run if name in names]
    counts = [str(sum(one[rule] for one in own)) for rule in (STEADY, *RULES)]
    return [title, "yes" if made else "no", str(len(own)), *counts]


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("results", type=Path, nargs="+")
    parser.add_argument("--planted", type=re.compile, default=re.compile("$^"))
    given = parser.parse_args(words)
    print(table([found_in(folder) for folder in given.results], given.planted))


if __name__ == "__main__":
    main()
