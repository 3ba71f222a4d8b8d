"""Writing the series format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np

from steady.errors import InputError
from steady.files import write_text
from steady.model import Benchmark, Environment, Identity, Suite
from steady.readers.fields import Field, quoted
from steady.readers.nested import missing_before_present, write_nested
from steady.readers.series_schema import ADVICE, MARK, VERSION, declared

_Table = dict[str, object]


def write_series(suite: Suite, path: str | Path) -> None:
    """Write a suite in the series format; reading it gives the same suite.

    Only its sources and the rounds of its forks are lost. The file is written completely or not
    at all.

    Parameters
    ----------
    suite : Suite
        What to write; at least one benchmark.
    path : path-like
        Where to write it; an existing file is replaced.

    Raises
    ------
    InputError
        If the suite is empty or contains what the format cannot express (a measurement that is
        infinite, negative, or missing in the middle of its level), or if the file cannot be
        written.

    Examples
    --------
    >>> import steady
    >>> suite = steady.Suite.of({"parse": [[3.0, 1.0, 1.1], [2.9, 1.0, 1.2]]}, unit="ms/op")
    >>> steady.write_series(suite, "series.json")
    >>> steady.load("series.json")["parse"].unit
    'ms/op'
    """
    target = Path(path)
    if not suite.benchmarks:
        raise InputError("a suite without benchmarks cannot be written", source=target)
    head = _head(suite)
    benchmarks = [_benchmark(benchmark, head) for benchmark in suite.benchmarks]
    outline = {**head, "benchmarks": [{**table, "measurements": []} for table in benchmarks]}
    declared(Field(json.loads(_encode(outline)), str(target), advice=ADVICE))
    lines = ",\n".join(_encode(table) for table in benchmarks)
    write_text(target, f'{_encode(head)[:-1]}, "benchmarks": [\n{lines}\n]}}\n')


def _head(suite: Suite) -> _Table:
    first = suite.benchmarks[0]
    head: _Table = {
        MARK: VERSION,
        "harness": suite.harness,
        "harness_version": suite.harness_version,
        "unit": first.unit,
        "levels": [asdict(level) for level in first.levels],
        "environment": _environment(first.environment),
    }
    if suite.failures:
        head["failures"] = [
            {**_identity(failure.identity), "reason": failure.reason} for failure in suite.failures
        ]
    return head


def _benchmark(benchmark: Benchmark, head: Mapping[str, object]) -> _Table:
    _check_values(benchmark)
    table: _Table = _identity(benchmark.identity)
    own: _Table = {
        "unit": benchmark.unit,
        "levels": [asdict(level) for level in benchmark.levels],
        "environment": _environment(benchmark.environment),
    }
    table.update({key: value for key, value in own.items() if value != head[key]})
    if benchmark.warmup:
        table["warmup"] = benchmark.warmup
    if benchmark.configuration is not None:
        table["configuration"] = asdict(benchmark.configuration)
    table["measurements"] = write_nested(benchmark.measurements)
    return table


def _identity(identity: Identity) -> _Table:
    table: _Table = {"name": identity.name, "mode": identity.mode, "threads": identity.threads}
    if identity.params:
        table["params"] = dict(identity.params)
    return table


def _environment(environment: Environment) -> _Table:
    return {key: value for key, value in asdict(environment).items() if value}


def _check_values(benchmark: Benchmark) -> None:
    values = benchmark.measurements
    given = values[~np.isnan(values)]
    if not given.size or np.isinf(given).any() or (given < 0).any():
        problem = "has no measurements, or infinite or negative ones"
    elif missing_before_present(values) is not None:
        problem = "has a missing repetition before one that is there"
    else:
        return
    raise InputError(f"{quoted(benchmark.identity.label)} {problem}, so it cannot be written")


def _encode(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
        text.encode()
    except (TypeError, ValueError) as error:
        raise InputError(f"the suite holds what JSON cannot say ({error})") from None
    return text


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__}")
