"""JMH's JSON results (``-rf json``) of JMH 1.19 to 1.37."""

import re
from collections.abc import Sequence
from functools import partial
from unicodedata import category

import numpy as np

from steady.errors import InputError
from steady.harness.document import Document
from steady.harness.fields import Field
from steady.harness.fork_facts import KEY, ForkFacts, facts_in_list, of_forks
from steady.harness.jmh.read.conditions import Known, circumstances, configuration_of
from steady.harness.old_facts import of_jmh
from steady.model import Benchmark, Failure, FloatArray, Identity, Metric, Suite
from steady.readers.forks import (
    INTERRUPTED,
    LEVELS,
    ReadBenchmark,
    SecondaryMetrics,
    contradiction,
    duplicate_message,
    metric_of,
    outcome_of,
    shortfall,
    unread,
)


def _metric(field: Field, kept: Sequence[int], like: Sequence[FloatArray]) -> Metric | None:
    """Return one metric; None if a profiler wrote no values of individual iterations."""
    try:
        raw = field.member("rawData")
        rows = raw.rows()
        if rows is None:  # a text that stands for NaN or infinity, or something else
            rows = [fork.numbers() for fork in raw.items()]
        unit = field.member("scoreUnit").text()
    except InputError:  # profilers may write anything, and no verdict needs it
        return None
    if len(rows) <= max(kept):
        return None
    return metric_of(unit, [rows[index] for index in kept], like)


_SPOILED = str.maketrans(";<>", ",[]")
"""Characters of parameter values that JMH up to 1.2x treats as markup, and their replacements; it
also breaks the line after a comma (``JSONResultFormat.tidy``)."""

_PERCENTILE = re.compile(r"(?:^|·)p[01]\.\d{1,9}$", re.ASCII)
"""A result of mode ``sample``; JMH up to 1.2x puts the method's name before it."""

_PERCENTILES = "percentiles"

_CAUSE = "the benchmark threw, or its JVM died; see JMH's log"


def recognizes(document: Document) -> bool:
    """Return whether a document looks like JMH's JSON: a list of records, or an empty one."""
    if not document.text.lstrip().startswith("["):
        return False
    first: object = next(document.items(), {"benchmark": ""})
    if not isinstance(first, dict) or ("measurementTime" in first and "forks" not in first):
        return False  # without forks it is from another harness
    return "primaryMetric" in first or "benchmark" in first


def read(document: Document) -> Suite:
    """Read JMH's JSON.

    Source: ``org.openjdk.jmh.results.format.JSONResultFormat``. Secondary metrics (profilers,
    auxiliary counters, the threads of a group) are `Benchmark.metrics`; `Benchmark.left_out` names
    the unreadable ones: percentiles, and results without values of individual iterations.

    Raises
    ------
    InputError
        If JMH does not write such documents, or no record is readable; the message names the
        position.
    """
    if not document.text.lstrip().startswith("["):
        raise Field(document.data, document.source).wrong("JMH's list of results")
    outcomes: dict[Identity, ReadBenchmark] = {}
    places: dict[Identity, str] = {}
    problems: list[InputError] = []
    versions: dict[str, None] = {}
    known: Known = {}
    for index, value in enumerate(document.items()):
        record = Field(value, document.source, (index,))
        identity = _identity(record)
        first = places.setdefault(identity, record.where)
        if first != record.where:
            twice = Failure(identity, duplicate_message((first, record.where)))
            outcomes[identity] = ReadBenchmark(None, twice)
            continue
        try:
            outcomes[identity] = _outcome(record, identity, known)
        except InputError as error:
            problems.append(error)
            outcomes[identity] = ReadBenchmark(None, unread(identity, error))
        if "jmhVersion" in record.table():
            versions[record.member("jmhVersion").text()] = None
    if problems and len(problems) == len(outcomes):
        raise problems[0]
    return Suite(
        tuple(o.benchmark for o in outcomes.values() if o.benchmark is not None),
        harness="jmh",
        harness_version=", ".join(versions),
        sources=(document.source,),
        failures=tuple(o.failure for o in outcomes.values() if o.failure is not None),
    )


def _outcome(record: Field, identity: Identity, known: Known) -> ReadBenchmark:
    metric = record.member("primaryMetric")
    all_rows = _rows(metric)
    kept = [index for index, row in enumerate(all_rows) if row.size]
    rows = [all_rows[index] for index in kept]
    unit = metric.member("scoreUnit").text()
    wrong = contradiction(identity.mode, unit)
    if wrong:
        return ReadBenchmark(None, Failure(identity, wrong))
    configuration, environment = circumstances(record, identity, len(rows), known)
    missing = None
    facts = facts_about(record, len(rows))
    # For the fork of JMH that reconfigures itself, the number of forks is an upper bound.
    if configuration is not None and "reconfigureMode" not in record.table():
        # Stopped forks, and forks with shortened turns, differ in length.
        ragged = any(one.stop or one.in_turn for one in facts)
        iterations = 0 if ragged else configuration.iterations
        missing = shortfall(rows, configuration.forks, iterations)
    metrics, left_out = _further(record.optional("secondaryMetrics", {}), kept, rows)
    make = partial(
        Benchmark,
        identity,
        unit,
        levels=LEVELS,
        configuration=configuration,
        environment=environment,
        metrics=metrics,
        left_out=left_out,
        **of_forks(facts),
    )
    if missing:
        missing += f": {INTERRUPTED if facts[0].not_run else _CAUSE}"
    return outcome_of(make, identity, rows, missing)


def spoiled(text: str) -> str:
    """Return the text of parameter values as JMH modifies it in its JSON.

    All versions remove control characters; old ones also indent values and replace some of their
    characters.
    """
    kept = (c for c in text if not (c.isspace() or category(c) == "Cc"))
    return "".join(kept).translate(_SPOILED)


def metric_name(name: str) -> str:
    """Return a secondary metric's name without the dot that JMH up to 1.3x writes before it.

    A JVM whose character set does not have that dot writes another character.
    """
    return name.lstrip("·?\N{REPLACEMENT CHARACTER}")


def is_percentile(name: str) -> bool:
    """Return whether a secondary metric is a percentile of sampled times."""
    return _PERCENTILE.search(name) is not None


def secondary_name(name: str) -> str:
    """Return the name of a secondary metric; percentiles of sampled times count as one."""
    return _PERCENTILES if is_percentile(name) else metric_name(name)


def _further(table: Field, kept: Sequence[int], like: Sequence[FloatArray]) -> SecondaryMetrics:
    """Return a record's secondary metrics, and the names of those that cannot be read.

    `kept` marks its forks with a main result, and `like` has these results.
    """
    metrics: dict[str, Metric] = {}
    unread: dict[str, None] = {}
    for key in table.table():
        name = secondary_name(key)
        metric = None if name == _PERCENTILES else _metric(table.member(key), kept, like)
        if metric is None or name in metrics:
            unread[name] = None
        else:
            metrics[name] = metric
    return metrics, tuple(sorted(unread, key=lambda name: name != _PERCENTILES))


def _identity(record: Field) -> Identity:
    return Identity(
        record.member("benchmark").text(),
        record.member("mode").text(),
        record.optional("params", {}).texts(),
        record.optional("threads", 1).whole(1),
    )


def facts_about(record: Field, forks: int) -> tuple[ForkFacts, ...]:
    """Return the facts about the forks of a record; raise InputError for another format."""
    if KEY in record.table():
        return facts_in_list(record, forks)
    mode = record.member("mode").text()
    return of_jmh(record, forks, lambda declared: configuration_of(declared, mode, 0))


def _rows(metric: Field) -> list[FloatArray]:
    if "rawDataHistogram" in metric.table():
        rows = [
            np.array([_weighted_mean(iteration) for iteration in fork.items()], dtype=np.float64)
            for fork in metric.member("rawDataHistogram").items()
        ]
    else:
        raw = metric.member("rawData")
        plain = raw.rows()
        rows = [_fork(fork) for fork in raw.items()] if plain is None else plain
    if not any(row.size for row in rows):
        raise metric.error(
            "lacks individual measurements; run JMH again without -Djmh.json.rawData=false, and "
            "with at least one iteration"
        )
    return rows


def _fork(fork: Field) -> FloatArray:
    row = fork.numbers()
    negative = np.flatnonzero(np.isfinite(row) & (row < 0))
    if negative.size:
        raise fork.error(f"value {negative[0] + 1} is negative ({row[negative[0]]:g})")
    return row


def _weighted_mean(iteration: Field) -> float:
    """Return the mean of an iteration's histogram, [[value, count], ...]; NaN if it is empty."""
    pairs = iteration.pairs()
    if not pairs.size:
        return float("nan")
    if not (pairs >= 0).all():
        raise iteration.error("holds a negative value or count, or one that is not a number")
    values, counts = pairs.T
    with np.errstate(all="ignore"):  # a result that is not finite is reported as such
        return float(values @ counts / counts.sum())
