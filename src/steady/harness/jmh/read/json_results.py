"""JMH's JSON results (``-rf json``) of JMH 1.19 to 1.37."""

import re
from collections.abc import Sequence
from unicodedata import category

import numpy as np

from steady.errors import InputError
from steady.harness.document import Document
from steady.harness.fields import Field
from steady.harness.fork_facts import KEY, ForkFacts, facts_in_list
from steady.harness.jmh.read.conditions import Known, circumstances, contradiction, old_facts
from steady.harness.suite_builder import (
    INTERRUPTED,
    Metrics,
    ReadBenchmark,
    build_benchmark,
    build_suite,
    collect_metrics,
    duplicate_message,
    failed,
    metric_of,
    shortfall,
    unread,
)
from steady.model import FloatArray, Identity, Metric, Suite


def _metric(field: Field, kept: Sequence[int], like: Sequence[FloatArray]) -> Metric | None:
    """Return one metric; None if a profiler wrote no values of individual iterations."""
    try:
        raw = field.member("rawData")
        rows = raw.rows()
        if rows is None:  # a text that stands for NaN or infinity, or something else
            rows = [fork.numbers() for fork in raw.items()]
        unit = field.member("scoreUnit").text()
    except InputError:  # profilers may write anything, and no verdict depends on it
        return None
    if len(rows) <= max(kept):
        return None
    return metric_of(unit, [rows[index] for index in kept], like)


_TIDIED = str.maketrans(";<>", ",[]")
"""Characters of parameter values that JMH up to 1.2x treats as markup, and their replacements; it
also breaks the line after a comma (``JSONResultFormat.tidy``)."""

_PERCENTILE = re.compile(r"(?:^|·)p[01]\.\d{1,9}$", re.ASCII)
"""A result of mode ``sample``; JMH up to 1.2x puts the method's name before it."""

_PERCENTILES = "percentiles"

_CAUSE = "the benchmark threw, or its JVM died; see JMH's log"


def recognizes(document: Document) -> bool:
    """Return whether a document looks like JMH's JSON: a list of records, or an empty list."""
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
            outcomes[identity] = failed(identity, duplicate_message((first, record.where)))
            continue
        try:
            outcomes[identity] = _outcome(record, identity, known)
        except InputError as error:
            problems.append(error)
            outcomes[identity] = failed(identity, unread(error))
        if "jmhVersion" in record.table():
            versions[record.member("jmhVersion").text()] = None
    if problems and len(problems) == len(outcomes):
        raise problems[0]
    return build_suite(
        "jmh", document.source, outcomes.values(), harness_version=", ".join(versions)
    )


def _outcome(record: Field, identity: Identity, known: Known) -> ReadBenchmark:
    metric = record.member("primaryMetric")
    all_rows = _rows(metric)
    kept = [index for index, row in enumerate(all_rows) if row.size]
    rows = [all_rows[index] for index in kept]
    unit = metric.member("scoreUnit").text()
    if wrong := contradiction(identity.mode, unit):
        return failed(identity, wrong)
    configuration, environment = circumstances(record, identity, len(rows), known)
    missing = None
    facts = facts_about(record, len(rows))
    # In the variant of JMH with dynamic reconfiguration, the number of forks is an upper bound.
    if configuration is not None and "reconfigureMode" not in record.table():
        # Stopped forks, and forks with shortened turns, differ in length.
        ragged = any(one.stop or one.in_turn for one in facts)
        iterations = 0 if ragged else configuration.iterations
        missing = shortfall(rows, configuration.forks, iterations)
    if missing:
        missing += f": {INTERRUPTED if facts[0].not_run else _CAUSE}"
    metrics, left_out = _metrics(record.optional("secondaryMetrics", {}), kept, rows)
    return build_benchmark(
        identity,
        unit,
        rows,
        missing,
        facts,
        configuration=configuration,
        environment=environment,
        metrics=metrics,
        left_out=left_out,
    )


def tidied(text: str) -> str:
    """Return the text of parameter values as JMH modifies it in its JSON.

    All versions remove control characters; old ones also indent values and replace some of their
    characters.
    """
    kept = (c for c in text if not (c.isspace() or category(c) == "Cc"))
    return "".join(kept).translate(_TIDIED)


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


def _metrics(table: Field, kept: Sequence[int], like: Sequence[FloatArray]) -> Metrics:
    """Return a record's secondary metrics, and the names of those that cannot be read.

    `kept` has the indexes of the forks with a primary result, and `like` these results.
    """
    metrics, left_out = collect_metrics(
        (name, None if name == _PERCENTILES else _metric(table.member(key), kept, like))
        for key in table.table()
        for name in [secondary_name(key)]
    )
    return metrics, tuple(sorted(left_out, key=lambda name: name != _PERCENTILES))


def _identity(record: Field) -> Identity:
    return Identity(
        record.member("benchmark").text(),
        record.member("mode").text(),
        record.optional("params", {}).texts(),
        record.optional("threads", 1).whole(1),
    )


def facts_about(record: Field, forks: int) -> tuple[ForkFacts, ...]:
    """Return the facts about the forks of a record; raise InputError for another format."""
    return (facts_in_list if KEY in record.table() else old_facts)(record, forks)


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
