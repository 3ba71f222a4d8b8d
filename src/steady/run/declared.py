"""What benchmarks declare, according to their jar if the results do not say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from steady.errors import InputError
from steady.model import Suite
from steady.run.jmh_jar import BenchmarkJar


def with_declared(suite: Suite, jar: Path) -> Suite:
    """Return the suite with what each benchmark declares, as far as it is known.

    Parameters
    ----------
    suite : Suite
        Results of JMH. If they contain the declaration, it counts.
    jar : Path
        The jar with JMH's list of the benchmarks. If JMH itself is not in it, its defaults are
        unknown, and nothing is taken from the jar.
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
