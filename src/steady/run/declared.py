"""What benchmarks declare, told by their jar where the results do not say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from steady.errors import InputError
from steady.model import Suite
from steady.run.jmh_jar import BenchmarkJar


def with_declared(suite: Suite, jar: Path) -> Suite:
    """Return a suite in which each benchmark says what its project runs of it, as far as known.

    Parameters
    ----------
    suite : Suite
        Results of JMH; what they say themselves counts.
    jar : Path
        With JMH's list of the benchmarks. A jar without JMH itself does not tell which defaults
        hold, and nothing is taken from it.
    """
    try:
        declared = BenchmarkJar(jar).declared
    except InputError:
        return suite
    benchmarks = (
        replace(b, declared=declared[b.identity].configuration)
        if b.declared is None and b.identity in declared
        else b
        for b in suite.benchmarks
    )
    return replace(suite, benchmarks=tuple(benchmarks))
